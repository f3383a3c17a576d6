// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl class: add, change, delete and show classes of packets.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdio.h>
#include <string.h>

#include <linux/mptun.h>

#include "cmd/command.h"
#include "lib/dump.h"
#include "lib/keyword.h"
#include "lib/print.h"
#include "lib/request.h"

/* Not of interest where they are "any", or said in the first line. */
static const char *const class_fields[] = {
	"mark", "mask", "dscp", "protocol", "port", "order", "repair",
	"playout",
};

static int class_change(uint8_t cmd, const struct parse_table *table,
			const char *what, int argc, char **argv)
{
	static const struct parse_table none;
	struct parse_result res;
	struct parse_value id;
	struct change change = {
		.cmd = cmd,
		.attr_dev = MPTUN_A_CLASS_IFNAME,
		.attr_id = MPTUN_A_CLASS_ID,
		.table = table, .res = &res, .what = what,
	};

	if (argc < 2)
		return ctl_usage("the name of the tunnel and the number of the class are missing");
	if (parse_dev_name(argv[0], res.error) ||
	    parse_value(&keys_class_id, argv[1], &id, res.error) ||
	    parse_words(table ? table : &none, argc - 2, argv + 2, &res))
		return ctl_usage("%s", res.error);
	if (cmd == MPTUN_CMD_CLASS_NEW && argc == 2)
		return ctl_usage("a class needs something that belongs to it, see mptunctl class add --help");
	if (cmd == MPTUN_CMD_CLASS_SET && argc == 2)
		return ctl_usage("there is nothing to set, see mptunctl class set --help");
	change.dev = argv[0];
	change.name = argv[1];
	change.id = (uint32_t)id.num;
	return change_run(&change);
}

int cmd_class_add(const struct ctl *ctl, int argc, char **argv)
{
	(void)ctl;
	return class_change(MPTUN_CMD_CLASS_NEW, &keys_class,
			    "cannot be added", argc, argv);
}

int cmd_class_set(const struct ctl *ctl, int argc, char **argv)
{
	(void)ctl;
	return class_change(MPTUN_CMD_CLASS_SET, &keys_class,
			    "cannot be changed", argc, argv);
}

int cmd_class_del(const struct ctl *ctl, int argc, char **argv)
{
	(void)ctl;
	return class_change(MPTUN_CMD_CLASS_DEL, NULL, "cannot be deleted",
			    argc, argv);
}

/* "pin to wan1, strict" */
static void class_show_policy(const struct record *class)
{
	char buf[OUT_MAX];

	printf("%s", out_field(class, "policy", buf));
	if (record_value(class, "path"))
		printf(" to %s", record_text(class, "path"));
	if (record_num(class, "strict"))
		printf(", strict");
	if (record_value(class, "paths"))
		printf(" on %s paths", out_field(class, "paths", buf));
	putchar('\n');
}

/* The mark says nothing if none of its bits is looked at. */
static bool class_shows(const struct record *class, const char *name)
{
	char buf[OUT_MAX];

	if (!strcmp(name, "mark"))
		return record_num(class, "mask");
	return record_value(class, name) &&
	       strcmp(out_field(class, name, buf), "any");
}

static void class_show(const struct record *class)
{
	const struct record *stats = record_nest(class, "stats");
	const char *space = "    ";
	char buf[OUT_MAX];

	printf("%s class ", record_text(class, "ifname"));
	out_color(OUT_BOLD, out_field(class, "id", buf), 0);
	printf(": ");
	class_show_policy(class);
	for (size_t i = 0; i < sizeof(class_fields) / sizeof(*class_fields);
	     i++) {
		if (!class_shows(class, class_fields[i]))
			continue;
		printf("%s%s %s", space, class_fields[i],
		       out_field(class, class_fields[i], buf));
		space = "  ";
	}
	putchar('\n');
	for (size_t i = 0; stats && i < stats->schema->count; i++) {
		const struct field *field = &stats->schema->fields[i];

		if (stats->value[i].present)
			printf("    %20llu %-12s%s\n",
			       (unsigned long long)stats->value[i].num,
			       field->name, field->doc);
	}
}

static int class_show_list(const struct ctl *ctl,
			   const struct fetch_list *list)
{
	json_t *json;

	if (!ctl->json) {
		for (size_t i = 0; i < list->count; i++)
			class_show(list->rec[i]);
		return CTL_OK;
	}
	json = json_array();
	for (size_t i = 0; i < list->count; i++)
		json_array_append_new(json, out_json(list->rec[i]));
	return out_json_print(json);
}

int cmd_class_show(const struct ctl *ctl, int argc, char **argv)
{
	const char *dev = argc > 0 ? argv[0] : NULL;
	char error[PARSE_ERROR_MAX];
	struct fetch_list list;
	struct parse_value val;
	struct conn *conn;
	uint32_t id = 0;
	int status;

	if (argc > 2)
		return ctl_usage("unexpected word \"%s\"", argv[2]);
	if ((dev && parse_dev_name(dev, error)) ||
	    (argc > 1 && parse_value(&keys_class_id, argv[1], &val, error)))
		return ctl_usage("%s", error);
	if (argc > 1)
		id = (uint32_t)val.num;
	conn = conn_open();
	if (!conn)
		return CTL_KERNEL;
	status = fetch_classes(conn, dev, argc > 1 ? &id : NULL, &list);
	conn_close(conn);
	if (status)
		return status;
	status = class_show_list(ctl, &list);
	fetch_free(&list);
	return status;
}
