// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz target: attributes from the kernel, decoded and printed.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * The first byte selects a schema, the rest are netlink attributes.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/print.h"
#include "lib/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The program's own is in mptunctl.c, beside main(). */
int report_fail(const char *fmt, ...)
{
	(void)fmt;
	return STATUS_KERNEL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct schema *const schemas[] = {
		&schema_tunnel, &schema_path, &schema_reorder_stats,
		&schema_drop_stats, &schema_path_stats,
	};
	struct record *rec;
	char buf[PRINT_MAX], *copy, *text;
	json_t *json;

	if (!size)
		return 0;
	/* A copy of the right length, at an aligned address. */
	copy = malloc(size);
	memcpy(copy, data + 1, size - 1);
	rec = record_parse(schemas[data[0] % 5], copy, size - 1);
	json = print_json(rec);
	text = json_dumps(json, JSON_COMPACT);
	if (!json || !text)
		abort();
	for (size_t i = 0; i < rec->schema->count; i++)
		print_field(rec, rec->schema->fields[i].name, buf);
	print_endpoint(rec, "remote", buf);
	print_endpoint(rec, "local", buf);
	free(text);
	json_decref(json);
	record_free(rec);
	free(copy);
	return 0;
}
