// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz target: configuration files.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * What is accepted can be printed, and what is printed is accepted and says the
 * same.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/plan.h"
#include "conf/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *fuzz_print(const struct plan *plan)
{
	size_t size;
	char *text;
	FILE *file = open_memstream(&text, &size);

	text_print(plan, file);
	fclose(file);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct plan plan;
	char *copy = malloc(size + 1), *once, *read, *twice;

	if (size)
		memcpy(copy, data, size);
	if (plan_read(&plan, copy, size)) {
		if (!plan.error.text[0] || plan.error.line < 1)
			abort();
		free(copy);
		return 0;
	}
	once = fuzz_print(&plan);
	plan_check(&plan, true);
	read = strdup(once);
	if (plan_read(&plan, read, strlen(read)))
		abort();
	twice = fuzz_print(&plan);
	if (strcmp(once, twice))
		abort();
	free(copy);
	free(once);
	free(read);
	free(twice);
	return 0;
}
