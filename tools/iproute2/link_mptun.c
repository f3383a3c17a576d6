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

/* Size of a request buffer of ip, which passes no size with the message. */
#define LINK_MESSAGE_MAX 1024

static int link_put(void *msg, uint16_t attr, const void *data, size_t len)
{
	return addattr_l(msg, LINK_MESSAGE_MAX, attr, data, (int)len);
}

static void link_print_help(struct link_util *lu, int argc, char **argv,
			    FILE *f)
{
	char left[48], about[400];

	(void)lu;
	(void)argc;
	(void)argv;
	fprintf(f, "Usage: ... mptun [ KEYWORD VALUE ]...\n\n");
	for (size_t i = 0; i < keyword_link.count; i++) {
		const struct parse_key *key = &keyword_link.keys[i];

		snprintf(left, sizeof(left), "%s %s", key->word, key->value);
		fprintf(f, "  %-18s %s\n", left,
			parse_about(key, about, sizeof(about)));
	}
	fprintf(f, "\nTIME has a unit of us, ms, s, m, h or d; SIZE is in bytes, or in k, m, g\n"
		   "(powers of 1024) or kb, mb, gb (powers of 1000); SECONDS are whole, or\n"
		   "have a unit as TIME.\n"
		   "Paths are added and keys are set with mptunctl, see mptunctl(8).\n");
}

static int link_parse_opt(struct link_util *lu, int argc, char **argv,
			  struct nlmsghdr *n)
{
	const char *wrong = secret_refuse(argc, argv);
	struct parse_result res;

	if (wrong) {
		fprintf(stderr, "mptun: %s\n", wrong);
		return -1;
	}
	for (int i = 0; i < argc; i++) {
		if (!strcmp(argv[i], "help")) {
			link_print_help(lu, argc, argv, stderr);
			return -1;
		}
	}
	if (parse_words(&keyword_link, argc, argv, &res) ||
	    build_attrs(&keyword_link, &res, link_put, n)) {
		fprintf(stderr, "mptun: %s\n", res.error);
		return -1;
	}
	return 0;
}

/* A number of unexpected size is not printed. */
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

/* Text can be typed in again; numbers in JSON have no units. */
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
	for (size_t i = 0; tb && i < schema_link.count; i++) {
		const struct field *field = &schema_link.fields[i];
		const struct rtattr *attr = tb[field->attr];

		if (!attr)
			continue;
		if (field->type == FIELD_STRING)
			link_print_string(field, attr);
		else if (link_number(field, attr, &num))
			link_print_number(field, num);
	}
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
