/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The keywords of all commands and of ip-link, with ranges and units.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_KEYS_H
#define MPTUN_TOOLS_KEYS_H

#include "lib/parse.h"

/* Settings of a tunnel at creation, attributes IFLA_MPTUN_*. */
extern const struct parse_table keys_link;
/* Settings of a tunnel that may change, attributes MPTUN_A_TUNNEL_*. */
extern const struct parse_table keys_set;
/* What may follow the file in "key set", attributes as in keys_set. */
extern const struct parse_table keys_key;
/* Settings of a path, attributes MPTUN_A_PATH_*. */
extern const struct parse_table keys_path;
/* Settings of a class, attributes MPTUN_A_CLASS_*. */
extern const struct parse_table keys_class;
/* The number of a class, no keyword. */
extern const struct parse_key keys_class_id;
/* Repetition of "show", no attributes. */
extern const struct parse_table keys_show;

/* Options of "top" and "record", no attributes. */
extern const struct parse_table keys_top;
extern const struct parse_table keys_record;

/* Indices into keys_set. */
enum keys_set_index {
	KEYS_SET_KEY,
	KEYS_SET_KEY_GRACE,
};

/* Indices into keys_key. */
enum keys_key_index {
	KEYS_KEY_GRACE,
};

/* Indices into keys_show. */
enum keys_show_index {
	KEYS_SHOW_EVERY,
	KEYS_SHOW_COUNT,
};

/* Indices into keys_top. */
enum keys_top_index {
	KEYS_TOP_INTERVAL,
	KEYS_TOP_COUNT,
};

/* Indices into keys_record. */
enum keys_record_index {
	KEYS_RECORD_INTERVAL,
	KEYS_RECORD_TIME,
	KEYS_RECORD_FILE,
};

#endif /* MPTUN_TOOLS_KEYS_H */
