// SPDX-License-Identifier: GPL-2.0
/*
 * Messages on standard error, and exit status.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdarg.h>
#include <stdio.h>

#include "lib/report.h"

static void (*report_call)(void);

__attribute__((format(printf, 2, 0)))
static void report_print(const char *prefix, const char *fmt, va_list ap)
{
	fputs(prefix, stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

int report_usage(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report_print("mptunctl: ", fmt, ap);
	va_end(ap);
	return STATUS_USAGE;
}

int report_fail(const char *fmt, ...)
{
	va_list ap;

	if (report_call)
		report_call();
	va_start(ap, fmt);
	report_print("mptunctl: ", fmt, ap);
	va_end(ap);
	return STATUS_KERNEL;
}

void report_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report_print("mptunctl: warning: ", fmt, ap);
	va_end(ap);
}

void report_before(void (*call)(void))
{
	report_call = call;
}
