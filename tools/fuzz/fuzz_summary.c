// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz target: summaries of the agent of the other end.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * What is accepted can be written, and what is written is accepted and says the
 * same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/summary.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char once[SUMMARY_MAX], twice[SUMMARY_MAX];
	struct summary summary;
	const char *error;
	size_t len;

	error = summary_read(&summary, "mp0", (const char *)data, size);
	if (error) {
		if (!*error || summary.paths.count)
			abort();
		return 0;
	}
	len = summary_write(&summary, once);
	summary_free(&summary);
	if (!len || summary_read(&summary, "mp0", once, len) ||
	    summary_write(&summary, twice) != len || memcmp(once, twice, len))
		abort();
	summary_free(&summary);
	return 0;
}
