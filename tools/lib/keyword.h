/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The keywords of all commands and of ip-link, with ranges and defaults.
 * Generated from the specs (keyword-gen.c).
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_KEYWORD_H
#define MPTUN_TOOLS_KEYWORD_H

#include "lib/parse.h"

/* Settings of a tunnel at creation, attributes IFLA_MPTUN_*. */
extern const struct parse_table keyword_link;
/* The same, and what else "add" does: key, addresses, up. */
extern const struct parse_table keyword_add;
/* Settings of a tunnel that may change, attributes MPTUN_A_TUNNEL_*. */
extern const struct parse_table keyword_set;
/* What may follow the file in "key set", attributes as in keyword_set. */
extern const struct parse_table keyword_key;
/* Settings of a path, attributes MPTUN_A_PATH_*. */
extern const struct parse_table keyword_path;
/* Settings of a class, attributes MPTUN_A_CLASS_*. */
extern const struct parse_table keyword_class;
/* The number of a class, no keyword. */
extern const struct parse_key keyword_class_id;
/* Repetition of "show", no attributes. */
extern const struct parse_table keyword_show;

/* Options of "top", "record" and "test", no attributes. */
extern const struct parse_table keyword_top;
extern const struct parse_table keyword_record;
extern const struct parse_table keyword_test;
/* Settings of a server, and options of its verbs, no attributes. */
extern const struct parse_table keyword_server;
extern const struct parse_table keyword_client;
extern const struct parse_table keyword_export;

/* Indices into keyword_add, which begins as keyword_link. */
enum keyword_add_index {
	KEYWORD_ADD_KEY = 20,
	KEYWORD_ADD_ADDRESS,
	KEYWORD_ADD_UP,
};

/* Indices into keyword_set. */
enum keyword_set_index {
	KEYWORD_SET_KEY,
	KEYWORD_SET_KEY_GRACE,
};

/* Indices into keyword_key. */
enum keyword_key_index {
	KEYWORD_KEY_GRACE,
};

/* Indices into keyword_show. */
enum keyword_show_index {
	KEYWORD_SHOW_EVERY,
	KEYWORD_SHOW_COUNT,
};

/* Indices into keyword_top. */
enum keyword_top_index {
	KEYWORD_TOP_INTERVAL,
	KEYWORD_TOP_COUNT,
};

/* Indices into keyword_record. */
enum keyword_record_index {
	KEYWORD_RECORD_INTERVAL,
	KEYWORD_RECORD_TIME,
	KEYWORD_RECORD_FILE,
};

/* Indices into keyword_test. */
enum keyword_test_index {
	KEYWORD_TEST_TIME,
};

/* Indices into keyword_server. */
enum keyword_server_index {
	KEYWORD_SERVER_ENDPOINT,
	KEYWORD_SERVER_PORT,
	KEYWORD_SERVER_POOL,
	KEYWORD_SERVER_ROUTES,
	KEYWORD_SERVER_DNS,
	KEYWORD_SERVER_MASQUERADE,
};

/* Indices into keyword_client. */
enum keyword_client_index {
	KEYWORD_CLIENT_ADDRESS,
	KEYWORD_CLIENT_QR,
};

/* Indices into keyword_export. */
enum keyword_export_index {
	KEYWORD_EXPORT_QR,
};

#endif /* MPTUN_TOOLS_KEYWORD_H */
