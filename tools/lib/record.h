/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A tunnel or a path as the kernel reported it: decoded attributes.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_RECORD_H
#define MPTUN_TOOLS_RECORD_H

#include "lib/field.h"

/* Longest string or address in a record. */
#define RECORD_TEXT_MAX 47
/* Largest number of entries of a list. */
#define RECORD_LIST_MAX 64
/* Length of a prefix, and of its text. */
#define RECORD_PREFIX_LEN 20
#define RECORD_PREFIX_TEXT 52

/**
 * struct value - value of a field
 * @present: the kernel sent it, or the tool computed it
 * @num: of a number
 * @text: of a string or an address
 * @list: of a list
 * @prefix: of a list of prefixes: their entries
 * @count: number of entries of @list or @prefix
 * @nest: of a nest
 */
struct value {
	bool present;
	uint64_t num;
	char text[RECORD_TEXT_MAX + 1];
	uint64_t *list;
	unsigned char (*prefix)[RECORD_PREFIX_LEN];
	size_t count;
	struct record *nest;
};

/**
 * struct record - values of the fields of a schema
 * @schema: what the fields are
 * @value: by index of the field
 */
struct record {
	const struct schema *schema;
	struct value value[FIELD_MAX];
};

/**
 * record_parse() - decode netlink attributes
 * @schema: what to expect
 * @data: the attributes
 * @len: length of @data
 *
 * Attributes that are unknown or have an unexpected length are left out: a
 * newer kernel may send more than this tool knows.
 *
 * Return: the record, or NULL without memory.
 */
struct record *record_parse(const struct schema *schema, const void *data,
			    size_t len);

/**
 * record_free() - free a record and all that belongs to it
 * @rec: the record, or NULL
 */
void record_free(struct record *rec);

/**
 * record_value() - look up a value by the name of its field
 * @rec: the record, or NULL
 * @name: name of the field in the spec
 *
 * Return: the value, or NULL if it is not present.
 */
const struct value *record_value(const struct record *rec, const char *name);

/**
 * record_num() - look up a number by the name of its field
 * @rec: the record, or NULL
 * @name: name of the field in the spec
 *
 * Return: the number, 0 if it is not present.
 */
uint64_t record_num(const struct record *rec, const char *name);

/**
 * record_text() - look up a string or an address by the name of its field
 * @rec: the record, or NULL
 * @name: name of the field in the spec
 *
 * Return: the text, "" if it is not present.
 */
const char *record_text(const struct record *rec, const char *name);

/**
 * record_nest() - look up a nest by the name of its field
 * @rec: the record, or NULL
 * @name: name of the field in the spec
 *
 * Return: the nested record, NULL if it is not present.
 */
const struct record *record_nest(const struct record *rec, const char *name);

/**
 * record_prefix() - a prefix as text
 * @val: value of a list of prefixes
 * @index: which one
 * @buf: buffer of RECORD_PREFIX_TEXT characters
 *
 * Return: @buf.
 */
const char *record_prefix(const struct value *val, size_t index, char *buf);

/**
 * record_set() - set a number that the tool computed
 * @rec: the record
 * @name: name of the field
 * @num: the number
 */
void record_set(struct record *rec, const char *name, uint64_t num);

#endif /* MPTUN_TOOLS_RECORD_H */
