// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl key: make, set and show keys.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include <linux/mptun.h>

#include "cmd/command.h"
#include "lib/dump.h"
#include "lib/keyfile.h"
#include "lib/keyword.h"
#include "lib/print.h"
#include "lib/secret.h"

int cmd_key_gen(const struct ctl *ctl, int argc, char **argv)
{
	unsigned char key[SECRET_LEN];
	size_t len = 0;
	int status;

	(void)ctl;
	if (argc)
		return ctl_usage("unexpected word \"%s\"", argv[0]);
	while (len < sizeof(key)) {
		ssize_t got = getrandom(key + len, sizeof(key) - len, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return ctl_fail("the kernel gives no random numbers: %s",
					strerror(errno));
		len += (size_t)got;
	}
	status = keyfile_write(key);
	secret_wipe(key, sizeof(key));
	return status;
}

int cmd_key_set(const struct ctl *ctl, int argc, char **argv)
{
	struct parse_result res, set = { .error = "" };
	const struct parse_value *grace = &res.value[KEYS_KEY_GRACE];

	(void)ctl;
	if (argc < 2)
		return ctl_usage("key set needs the name of a tunnel and that of a key file, or - for standard input");
	if (parse_dev_name(argv[0], res.error) ||
	    parse_words(&keys_key, argc - 2, argv + 2, &res) ||
	    parse_value(&keys_set.keys[KEYS_SET_KEY], argv[1],
			&set.value[KEYS_SET_KEY], res.error))
		return ctl_usage("%s", res.error);
	set.value[KEYS_SET_KEY_GRACE] = *grace;
	return cmd_set_run(argv[0], &set);
}

static void key_print(const struct record *tunnel)
{
	uint64_t cipher = record_num(tunnel, "cipher");
	char buf[OUT_MAX];

	out_color(OUT_BOLD, record_text(tunnel, "ifname"), 0);
	if (cipher == MPTUN_CIPHER_CLEAR) {
		puts(": no key, cipher clear needs none");
		return;
	}
	if (!record_num(tunnel, "key-fingerprint")) {
		puts(": no key");
		return;
	}
	printf(": key with fingerprint %s",
	       out_field(tunnel, "key-fingerprint", buf));
	if (record_num(tunnel, "key-grace"))
		printf(", the one before is accepted for another %s",
		       out_field(tunnel, "key-grace", buf));
	putchar('\n');
}

/* What identifies a tunnel, and all about its key. */
static json_t *key_json(const struct record *tunnel)
{
	static const char *const keys[] = {
		"ifindex", "ifname", "cipher", "key_fingerprint", "key_grace",
	};
	json_t *all = out_json(tunnel), *some = json_object();

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (json_object_get(all, keys[i]))
			json_object_set(some, keys[i],
					json_object_get(all, keys[i]));
	json_decref(all);
	return some;
}

static int key_show_list(const struct ctl *ctl, const struct fetch_list *list)
{
	json_t *json;

	if (!ctl->json) {
		for (size_t i = 0; i < list->count; i++)
			key_print(list->rec[i]);
		return CTL_OK;
	}
	json = json_array();
	for (size_t i = 0; i < list->count; i++)
		json_array_append_new(json, key_json(list->rec[i]));
	return out_json_print(json);
}

int cmd_key_show(const struct ctl *ctl, int argc, char **argv)
{
	char error[PARSE_ERROR_MAX];
	struct fetch_list list;
	struct conn *conn;
	int status;

	if (argc > 1)
		return ctl_usage("unexpected word \"%s\"", argv[1]);
	if (argc && parse_dev_name(argv[0], error))
		return ctl_usage("%s", error);
	conn = conn_open();
	if (!conn)
		return CTL_KERNEL;
	status = fetch_tunnels(conn, argc ? argv[0] : NULL, &list);
	conn_close(conn);
	if (status)
		return status;
	status = key_show_list(ctl, &list);
	fetch_free(&list);
	return status;
}
