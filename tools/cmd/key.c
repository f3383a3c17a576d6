// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl key: generate, set and show keys.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdio.h>
#include <string.h>

#include <linux/mptun.h>

#include "cmd/command.h"
#include "lib/dump.h"
#include "lib/keyfile.h"
#include "lib/keyword.h"
#include "lib/print.h"
#include "lib/report.h"
#include "lib/request.h"
#include "lib/secret.h"

static int key_gen_run(const struct ctl *ctl, int argc, char **argv)
{
	unsigned char key[SECRET_LEN];
	int status;

	(void)ctl;
	if (argc)
		return command_unexpected(argv[0]);
	status = keyfile_draw(key);
	if (status)
		return status;
	status = keyfile_write(key);
	secret_wipe(key, sizeof(key));
	return status;
}

static int key_set_run(const struct ctl *ctl, int argc, char **argv)
{
	struct parse_result res, set = { .error = "" };
	const struct parse_value *grace = &res.value[KEYWORD_KEY_GRACE];

	(void)ctl;
	if (argc < 2)
		return report_usage("key set needs a tunnel name and a key file, or - for standard input");
	if (parse_dev_name(argv[0], res.error) ||
	    parse_words(&keyword_key, argc - 2, argv + 2, &res) ||
	    parse_word(&keyword_set.keys[KEYWORD_SET_KEY], argv[1],
		       &set.value[KEYWORD_SET_KEY], res.error))
		return report_usage("%s", res.error);
	set.value[KEYWORD_SET_KEY_GRACE] = *grace;
	return request_settings(argv[0], &set);
}

static void key_print(const struct record *tunnel)
{
	uint64_t cipher = record_num(tunnel, "cipher");
	char buf[PRINT_MAX];

	print_colored(PRINT_BOLD, record_text(tunnel, "ifname"), 0);
	if (cipher == MPTUN_CIPHER_CLEAR) {
		puts(": no key, cipher clear uses none");
		return;
	}
	if (!record_value(tunnel, "key-fingerprint")) {
		puts(": only administrators see its fingerprint");
		return;
	}
	if (!record_num(tunnel, "key-fingerprint")) {
		puts(": no key");
		return;
	}
	printf(": key with fingerprint %s",
	       print_field(tunnel, "key-fingerprint", buf));
	if (record_num(tunnel, "key-grace"))
		printf(", the previous key is accepted for another %s",
		       print_field(tunnel, "key-grace", buf));
	putchar('\n');
}

/* Identity of a tunnel, and everything about its key. */
static json_t *key_json(const struct record *tunnel)
{
	static const char *const keys[] = {
		"ifindex", "ifname", "cipher", "key_fingerprint", "key_grace",
	};
	json_t *all = print_json(tunnel), *some = json_object();

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (json_object_get(all, keys[i]))
			json_object_set(some, keys[i],
					json_object_get(all, keys[i]));
	json_decref(all);
	return some;
}

static int key_show_list(const struct ctl *ctl, const struct dump_list *list)
{
	json_t *json;

	if (!ctl->json) {
		for (size_t i = 0; i < list->count; i++)
			key_print(list->rec[i]);
		return STATUS_OK;
	}
	json = json_array();
	for (size_t i = 0; i < list->count; i++)
		json_array_append_new(json, key_json(list->rec[i]));
	return print_json_print(json);
}

static int key_show_run(const struct ctl *ctl, int argc, char **argv)
{
	char error[PARSE_ERROR_MAX];
	struct dump_list list;
	struct conn *conn;
	int status;

	if (argc > 1)
		return command_unexpected(argv[1]);
	if (argc && parse_dev_name(argv[0], error))
		return report_usage("%s", error);
	conn = conn_open();
	if (!conn)
		return STATUS_KERNEL;
	status = dump_tunnels(conn, argc ? argv[0] : NULL, &list);
	conn_close(conn);
	if (status)
		return status;
	status = key_show_list(ctl, &list);
	dump_free(&list);
	return status;
}

static const struct command key_gen_verb = {
	.name = "gen", .args = "", .brief = "write a new key to standard output",
	.details = "Keep it in a file that no other user can read: (umask 077; mptunctl key gen >FILE).",
	.run = key_gen_run,
};

static const struct command key_set_verb = {
	.name = "set", .args = "DEV FILE|- [grace SECONDS]",
	.brief = "set the key of a tunnel, from a file or standard input",
	.details = "The file holds 44 characters of base64 or 64 hexadecimal digits.\n"
		   "A key is never an argument of the command line, where other users can see it.",
	.words = { CTL_TUNNEL, CTL_FILE },
	.table = &keyword_key, .run = key_set_run,
};

static const struct command key_show_verb = {
	.name = "show", .other = "list", .args = "[DEV] [-j]",
	.brief = "show whether tunnels have a key, and its fingerprint",
	.details = "Both ends show the same fingerprint if their keys are the same.",
	.words = { CTL_TUNNEL }, .run = key_show_run,
};

static const struct command *const key_verbs[] = {
	&key_gen_verb, &key_set_verb, &key_show_verb, NULL
};

const struct command cmd_key = {
	.name = "key", .args = "gen|set|show ...",
	.brief = "generate, set or show keys",
	.verbs = key_verbs,
};
