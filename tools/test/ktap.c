// SPDX-License-Identifier: GPL-2.0
/*
 * Test results in KTAP.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdarg.h>

#include "test/ktap.h"

int ktap_failed;

void ktap_note(const char *file, int line, const char *cond,
	       const char *fmt, ...)
{
	va_list ap;

	ktap_failed++;
	printf("# %s:%d: %s: ", file, line, cond);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

int ktap_run(const struct ktap_test *tests, size_t count)
{
	int failed = 0;

	printf("KTAP version 1\n1..%zu\n", count);
	for (size_t i = 0; i < count; i++) {
		ktap_failed = 0;
		tests[i].run();
		printf("%s %zu %s\n", ktap_failed ? "not ok" : "ok", i + 1,
		       tests[i].name);
		fflush(stdout);
		failed += ktap_failed != 0;
	}
	return failed != 0;
}
