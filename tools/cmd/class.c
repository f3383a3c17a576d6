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
#include "lib/report.h"
#include "lib/request.h"

/* Not shown if "any"; the policy is in the first line. */
static const char *const class_fields[] = {
	"mark", "mask", "dscp", "protocol", "port", "order", "repair",
	"playout", "code",
};

static int class_change(uint8_t cmd, const struct parse_table *table,
			const char *what, int argc, char **argv)
{
	static const struct parse_table none;
	struct parse_result res;
	struct parse_value id;
	struct request request = {
		.cmd = cmd,
		.attr_dev = MPTUN_A_CLASS_IFNAME,
		.attr_id = MPTUN_A_CLASS_ID,
		.table = table, .res = &res, .what = what,
	};

	if (argc < 2)
		return report_usage("the tunnel name and the class number are missing");
	if (parse_dev_name(argv[0], res.error) ||
	    parse_word(&keyword_class_id, argv[1], &id, res.error) ||
	    parse_words(table ? table : &none, argc - 2, argv + 2, &res))
		return report_usage("%s", res.error);
	if (cmd == MPTUN_CMD_CLASS_NEW && argc == 2)
		return report_usage("a class needs a mark, dscp, protocol or port, see mptunctl class add --help");
	if (cmd == MPTUN_CMD_CLASS_SET && argc == 2)
		return report_usage("no setting is given, see mptunctl class set --help");
	request.dev = argv[0];
	request.name = argv[1];
	request.id = (uint32_t)id.num;
	return request_run(&request);
}

static int class_add_run(const struct ctl *ctl, int argc, char **argv)
{
	(void)ctl;
	return class_change(MPTUN_CMD_CLASS_NEW, &keyword_class,
			    "cannot be added", argc, argv);
}

static int class_set_run(const struct ctl *ctl, int argc, char **argv)
{
	(void)ctl;
	return class_change(MPTUN_CMD_CLASS_SET, &keyword_class,
			    "cannot be changed", argc, argv);
}

static int class_del_run(const struct ctl *ctl, int argc, char **argv)
{
	(void)ctl;
	return class_change(MPTUN_CMD_CLASS_DEL, NULL, "cannot be deleted",
			    argc, argv);
}

/* "pin to wan1, strict" */
static void class_show_policy(const struct record *class)
{
	char buf[PRINT_MAX];

	printf("%s", print_field(class, "policy", buf));
	if (record_value(class, "path"))
		printf(" to %s", record_text(class, "path"));
	if (record_num(class, "strict"))
		printf(", strict");
	if (record_value(class, "paths"))
		printf(" on %s paths", print_field(class, "paths", buf));
	putchar('\n');
}

/* A number that has a name is shown by it. */
static const char *class_text(const struct record *class, const char *name,
			      char *buf)
{
	const struct names *names = !strcmp(name, "dscp") ? &names_dscp :
				    !strcmp(name, "protocol") ?
				    &names_protocol : NULL;
	uint64_t num = record_num(class, name);

	if (names && num < names->count && names->name[num])
		return names->name[num];
	return print_field(class, name, buf);
}

/* Without a mask the mark has no meaning. */
static bool class_shows(const struct record *class, const char *name)
{
	char buf[PRINT_MAX];

	if (!strcmp(name, "mark"))
		return record_num(class, "mask");
	return record_value(class, name) &&
	       strcmp(print_field(class, name, buf), "any");
}

static void class_show(const struct record *class)
{
	const struct record *stats = record_nest(class, "stats");
	const char *space = "    ";
	char buf[PRINT_MAX];

	printf("%s class ", record_text(class, "ifname"));
	print_colored(PRINT_BOLD, print_field(class, "id", buf), 0);
	printf(": ");
	class_show_policy(class);
	for (size_t i = 0; i < sizeof(class_fields) / sizeof(*class_fields);
	     i++) {
		if (!class_shows(class, class_fields[i]))
			continue;
		printf("%s%s %s", space, class_fields[i],
		       class_text(class, class_fields[i], buf));
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
			   const struct dump_list *list)
{
	json_t *json;

	if (!ctl->json) {
		for (size_t i = 0; i < list->count; i++)
			class_show(list->rec[i]);
		return STATUS_OK;
	}
	json = json_array();
	for (size_t i = 0; i < list->count; i++)
		json_array_append_new(json, print_json(list->rec[i]));
	return print_json_print(json);
}

static int class_show_run(const struct ctl *ctl, int argc, char **argv)
{
	const char *dev = argc > 0 ? argv[0] : NULL;
	char error[PARSE_ERROR_MAX];
	struct dump_list list;
	struct parse_value val;
	struct conn *conn;
	uint32_t id = 0;
	int status;

	if (argc > 2)
		return command_unexpected(argv[2]);
	if ((dev && parse_dev_name(dev, error)) ||
	    (argc > 1 && parse_word(&keyword_class_id, argv[1], &val, error)))
		return report_usage("%s", error);
	if (argc > 1)
		id = (uint32_t)val.num;
	conn = conn_open();
	if (!conn)
		return STATUS_KERNEL;
	status = dump_classes(conn, dev, argc > 1 ? &id : NULL, &list);
	conn_close(conn);
	if (status)
		return status;
	status = class_show_list(ctl, &list);
	dump_free(&list);
	return status;
}

static const struct command class_add_verb = {
	.name = "add", .args = "DEV ID KEYWORD VALUE...",
	.brief = "add a class of packets to a tunnel",
	.details = "A packet belongs to the class if it fits all of mark, dscp, protocol and port\n"
		   "that are given.  Of several classes the lowest number, 1 to 15, wins.",
	.words = { CTL_TUNNEL, CTL_NEW },
	.table = &keyword_class, .run = class_add_run,
};

static const struct command class_set_verb = {
	.name = "set", .args = "DEV ID KEYWORD VALUE...",
	.brief = "change a class, also under traffic",
	.words = { CTL_TUNNEL, CTL_CLASS },
	.table = &keyword_class, .run = class_set_run,
};

static const struct command class_del_verb = {
	.name = "del", .other = "delete", .args = "DEV ID",
	.brief = "delete a class",
	.words = { CTL_TUNNEL, CTL_CLASS }, .run = class_del_run,
};

static const struct command class_show_verb = {
	.name = "show", .other = "list", .args = "[DEV [ID]] [-j]",
	.brief = "show classes and their counters",
	.details = "Class 0 holds all packets that fit no other class.",
	.words = { CTL_TUNNEL, CTL_CLASS }, .run = class_show_run,
};

static const struct command *const class_verbs[] = {
	&class_add_verb, &class_set_verb, &class_del_verb, &class_show_verb,
	NULL
};

const struct command cmd_class = {
	.name = "class", .args = "add|set|del|show ...",
	.brief = "add, change, delete or show classes of packets",
	.verbs = class_verbs,
};
