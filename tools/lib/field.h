/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attributes that the kernel sends: names, units, meaning.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * The printers of text and JSON use only these tables, so that they agree. The
 * tables are generated from the specs (field-gen.c).
 */
#ifndef MPTUN_TOOLS_FIELD_H
#define MPTUN_TOOLS_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/names.h"

/* Largest number of fields of a schema. */
#define FIELD_MAX 64

/**
 * enum field_type - form of an attribute's payload
 * @FIELD_PAD: none, alignment
 * @FIELD_U8: u8
 * @FIELD_U16: u16
 * @FIELD_U32: u32
 * @FIELD_U64: u64
 * @FIELD_STRING: string that ends with a zero byte
 * @FIELD_BINARY4: IPv4 address
 * @FIELD_BINARY6: IPv6 address
 * @FIELD_LIST: array of u64
 * @FIELD_PREFIXES: array of address prefixes
 * @FIELD_NEST: attributes of another schema
 */
enum field_type {
	FIELD_PAD,
	FIELD_U8,
	FIELD_U16,
	FIELD_U32,
	FIELD_U64,
	FIELD_STRING,
	FIELD_BINARY4,
	FIELD_BINARY6,
	FIELD_LIST,
	FIELD_PREFIXES,
	FIELD_NEST,
};

/**
 * enum field_unit - what a number means
 * @UNIT_COUNT: a number
 * @UNIT_BOOL: 0 or 1
 * @UNIT_US: microseconds
 * @UNIT_MS: milliseconds
 * @UNIT_S: seconds
 * @UNIT_BYTES: bytes
 * @UNIT_VOLUME: bytes, printed in powers of 1000
 * @UNIT_BPS: bits per second
 * @UNIT_PPM: parts per million, shown in percent
 * @UNIT_HEX: a random identifier
 */
enum field_unit {
	UNIT_COUNT,
	UNIT_BOOL,
	UNIT_US,
	UNIT_MS,
	UNIT_S,
	UNIT_BYTES,
	UNIT_VOLUME,
	UNIT_BPS,
	UNIT_PPM,
	UNIT_HEX,
};

/**
 * struct field - one figure or setting
 * @name: its name in the spec; '-' becomes '_' in JSON
 * @attr: its attribute, 0 if the tool computes it from others
 * @type: form of the payload
 * @unit: what the number means
 * @setting: set by the user, so shown exactly and not rounded
 * @key: name in JSON if it differs from @name
 * @names: names of the values of an enumeration
 * @nest: schema of a nest
 * @none: word for the special value @none_value (null in JSON)
 * @none_value: value that stands for "unknown" or "none"
 * @other: word for the special value @other_value (a string in JSON)
 * @other_value: another special value
 * @doc: meaning, as in the spec
 */
struct field {
	const char *name;
	uint16_t attr;
	enum field_type type;
	enum field_unit unit;
	bool setting;
	const char *key;
	const struct names *names;
	const struct schema *nest;
	const char *none;
	uint64_t none_value;
	const char *other;
	uint64_t other_value;
	const char *doc;
};

/**
 * struct schema - a set of attributes
 * @name: its name in the spec
 * @fields: its fields
 * @count: their number, at most FIELD_MAX
 */
struct schema {
	const char *name;
	const struct field *fields;
	size_t count;
};

extern const struct schema schema_tunnel;
extern const struct schema schema_reorder_stats;
extern const struct schema schema_drop_stats;
extern const struct schema schema_path;
extern const struct schema schema_path_stats;
extern const struct schema schema_class;
extern const struct schema schema_class_stats;
/* Attributes of a link, IFLA_MPTUN_*. */
extern const struct schema schema_link;

/**
 * field_find() - find a field by name
 * @schema: where to look
 * @name: name of the field
 *
 * Return: its index, or -1.
 */
int field_find(const struct schema *schema, const char *name);

/**
 * field_among() - whether a field is one of some
 * @field: the field
 * @names: their names, NULL at the end
 *
 * Return: true if so.
 */
bool field_among(const struct field *field, const char *const *names);

/**
 * field_number() - a number as text
 * @field: its description
 * @num: the number
 * @buf: buffer of FORMAT_MAX characters
 *
 * Return: @buf.
 */
const char *field_number(const struct field *field, uint64_t num, char *buf);

#endif /* MPTUN_TOOLS_FIELD_H */
