// SPDX-License-Identifier: GPL-2.0
/*
 * Messages on standard error, and exit status.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/report.h"

/* Priorities of syslog(3). */
enum {
	REPORT_ERROR = 3,
	REPORT_WARNING = 4,
	REPORT_INFO = 6,
};

static const char *report_name = "mptunctl";
static bool report_tagged;		/* messages begin with a priority */
static void (*report_call)(void);
static void (*report_listener)(void *arg, const char *text);	/* or NULL */
static void *report_listener_arg;
static const char *report_file;		/* where messages belong, or NULL */
static int report_line;			/* and the line there, or 0 */
static const char *report_script;	/* file of commands, or NULL */
static int report_script_line;		/* and the line there */

__attribute__((format(printf, 2, 0)))
static void report_print(int priority, const char *fmt, va_list ap)
{
	if (report_tagged)
		fprintf(stderr, "<%d>", priority);
	else
		fprintf(stderr, "%s: %s", report_name,
			priority == REPORT_WARNING ? "warning: " : "");
	if (report_script)
		fprintf(stderr, "%s:%d: ", report_script, report_script_line);
	if (report_file && report_line)
		fprintf(stderr, "%s:%d: ", report_file, report_line);
	else if (report_file)
		fprintf(stderr, "%s: ", report_file);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

int report_usage(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report_print(REPORT_ERROR, fmt, ap);
	va_end(ap);
	return STATUS_USAGE;
}

int report_fail(const char *fmt, ...)
{
	va_list ap;

	if (report_call)
		report_call();
	va_start(ap, fmt);
	report_print(REPORT_ERROR, fmt, ap);
	va_end(ap);
	return STATUS_KERNEL;
}

__attribute__((format(printf, 1, 0)))
static void report_pass(const char *fmt, va_list ap)
{
	char text[REPORT_TEXT_MAX + 1];

	if (!report_listener)
		return;
	vsnprintf(text, sizeof(text), fmt, ap);
	report_listener(report_listener_arg, text);
}

void report_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report_print(REPORT_WARNING, fmt, ap);
	va_end(ap);
	va_start(ap, fmt);
	report_pass(fmt, ap);
	va_end(ap);
}

void report_note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report_print(REPORT_INFO, fmt, ap);
	va_end(ap);
	va_start(ap, fmt);
	report_pass(fmt, ap);
	va_end(ap);
}

void report_daemon(const char *name)
{
	report_name = name;
	report_tagged = !isatty(STDERR_FILENO);
}

void report_at(const char *file, int line)
{
	report_file = file;
	report_line = line;
}

void report_batch(const char *file, int line)
{
	report_script = file;
	report_script_line = line;
}

void report_before(void (*call)(void))
{
	report_call = call;
}

void report_listen(void (*call)(void *arg, const char *text), void *arg)
{
	report_listener = call;
	report_listener_arg = arg;
}
