// SPDX-License-Identifier: GPL-2.0
/*
 * Plugin of ip-link for links of kind "mptun".
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Keywords and values are those of "mptunctl add", read by the same parser.
 */
#include <string.h>

#include <linux/mptun.h>
#include <linux/mptun_link.h>

#include "iproute2/iplink_abi.h"
#include "lib/build.h"
#include "lib/field.h"
#include "lib/format.h"
#include "lib/keyword.h"
#include "lib/secret.h"

/* Room for a request of ip, which gives no length with the message. */
#define LINK_MESSAGE_MAX 1024

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* The settings that the kernel tells, in the order of their keywords. */
static const struct field link_fields[] = {
	{
		.name = "port", .attr = IFLA_MPTUN_PORT, .type = FIELD_U16,
	},
	{
		.name = "id", .attr = IFLA_MPTUN_ID, .type = FIELD_U32,
	},
	{
		.name = "peer-id", .attr = IFLA_MPTUN_PEER_ID,
		.type = FIELD_U32, .key = "peer_id",
	},
	{
		.name = "cipher", .attr = IFLA_MPTUN_CIPHER, .type = FIELD_U32,
		.names = &names_cipher,
	},
	{
		.name = "sched", .attr = IFLA_MPTUN_SCHED,
		.type = FIELD_STRING,
	},
	{
		.name = "cc", .attr = IFLA_MPTUN_CC, .type = FIELD_STRING,
	},
	{
		.name = "reorder", .attr = IFLA_MPTUN_REORDER,
		.type = FIELD_U32, .names = &names_reorder_mode,
	},
	{
		.name = "hold", .attr = IFLA_MPTUN_HOLD, .type = FIELD_U32,
		.unit = UNIT_US, .setting = true,
	},
	{
		.name = "buffer", .attr = IFLA_MPTUN_BUFFER,
		.type = FIELD_U32, .unit = UNIT_BYTES, .setting = true,
	},
	{
		.name = "learn", .attr = IFLA_MPTUN_LEARN, .type = FIELD_U8,
		.unit = UNIT_BOOL,
	},
	{
		.name = "rekey", .attr = IFLA_MPTUN_REKEY, .type = FIELD_U32,
		.unit = UNIT_S, .setting = true,
	},
	{
		.name = "dscp", .attr = IFLA_MPTUN_DSCP, .type = FIELD_U32,
		.other = "inherit", .other_value = MPTUN_DSCP_INHERIT,
	},
	{
		.name = "park", .attr = IFLA_MPTUN_PARK, .type = FIELD_U32,
		.none = "off",
	},
	{
		.name = "auto-group", .attr = IFLA_MPTUN_AUTO_GROUP,
		.type = FIELD_U8, .unit = UNIT_BOOL, .key = "auto_group",
	},
};

static int link_put(void *msg, uint16_t attr, const void *data, size_t len)
{
	return addattr_l(msg, LINK_MESSAGE_MAX, attr, data, (int)len);
}

static int link_parse_opt(struct link_util *lu, int argc, char **argv,
			  struct nlmsghdr *n)
{
	const char *wrong = secret_refuse(argc, argv);
	struct parse_result res;

	(void)lu;
	if (wrong) {
		fprintf(stderr, "mptun: %s\n", wrong);
		return -1;
	}
	if (parse_words(&keyword_link, argc, argv, &res) ||
	    build_attrs(&keyword_link, &res, link_put, n)) {
		fprintf(stderr, "mptun: %s\n", res.error);
		return -1;
	}
	return 0;
}

/* The size is checked: a number of another size is not ours to guess. */
static bool link_number(const struct field *field, const struct rtattr *attr,
			uint64_t *num)
{
	uint8_t u8;
	uint16_t u16;
	uint32_t u32;

	if (field->type == FIELD_U8 && RTA_PAYLOAD(attr) == sizeof(u8)) {
		memcpy(&u8, RTA_DATA(attr), sizeof(u8));
		*num = u8;
	} else if (field->type == FIELD_U16 &&
		   RTA_PAYLOAD(attr) == sizeof(u16)) {
		memcpy(&u16, RTA_DATA(attr), sizeof(u16));
		*num = u16;
	} else if (field->type == FIELD_U32 &&
		   RTA_PAYLOAD(attr) == sizeof(u32)) {
		memcpy(&u32, RTA_DATA(attr), sizeof(u32));
		*num = u32;
	} else {
		return false;
	}
	return true;
}

/* As text what can be typed in again, in JSON numbers without units. */
static void link_print_number(const struct field *field, uint64_t num)
{
	const char *key = field->key ? field->key : field->name;
	char buf[FORMAT_MAX], fmt[24];

	snprintf(fmt, sizeof(fmt), "%s %%s ", field->name);
	field_number(field, num, buf);
	print_color_string(field->names ? PRINT_ANY : PRINT_FP, COLOR_NONE,
			   key, fmt, buf);
	if (field->names)
		return;
	if (field->unit == UNIT_BOOL)
		print_color_bool(PRINT_JSON, COLOR_NONE, key, NULL, num);
	else
		print_color_u64(PRINT_JSON, COLOR_NONE, key, NULL, num);
}

static void link_print_string(const struct field *field,
			      const struct rtattr *attr)
{
	const char *key = field->key ? field->key : field->name;
	const char *text = RTA_DATA(attr);
	char fmt[24];

	if (!RTA_PAYLOAD(attr) || text[RTA_PAYLOAD(attr) - 1])
		return;
	snprintf(fmt, sizeof(fmt), "%s %%s ", field->name);
	print_color_string(PRINT_ANY, COLOR_NONE, key, fmt, text);
}

static void link_print_opt(struct link_util *lu, FILE *f, struct rtattr *tb[])
{
	uint64_t num;

	(void)lu;
	(void)f;
	for (size_t i = 0; tb && i < ARRAY_SIZE(link_fields); i++) {
		const struct rtattr *attr = tb[link_fields[i].attr];

		if (!attr)
			continue;
		if (link_fields[i].type == FIELD_STRING)
			link_print_string(&link_fields[i], attr);
		else if (link_number(&link_fields[i], attr, &num))
			link_print_number(&link_fields[i], num);
	}
}

static void link_print_help(struct link_util *lu, int argc, char **argv,
			    FILE *f)
{
	char left[48], range[120];

	(void)lu;
	(void)argc;
	(void)argv;
	fprintf(f, "Usage: ... mptun [ KEYWORD VALUE ]...\n\n");
	for (size_t i = 0; i < keyword_link.count; i++) {
		const struct parse_key *key = &keyword_link.keys[i];

		snprintf(left, sizeof(left), "%s %s", key->word, key->value);
		parse_range(key, range, sizeof(range));
		fprintf(f, "  %-16s %s", left, key->help);
		if (key->type != PARSE_NAME && key->type != PARSE_BOOL)
			fprintf(f, " (%s)", range);
		fputc('\n', f);
	}
	fprintf(f, "\nTIME has a unit of us, ms or s; SIZE is in bytes, or in k, m or g;\n"
		   "SECONDS are whole, with or without s.\n"
		   "Paths are added and keys are set with mptunctl, see mptunctl(8).\n");
}

extern struct link_util mptun_link_util;

__attribute__((visibility("default")))
struct link_util mptun_link_util = {
	.id = "mptun",
	.maxattr = IFLA_MPTUN_MAX,
	.parse_opt = link_parse_opt,
	.print_opt = link_print_opt,
	.print_help = link_print_help,
};
