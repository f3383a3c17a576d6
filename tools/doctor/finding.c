// SPDX-License-Identifier: GPL-2.0
/*
 * Findings, as text and as JSON.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdarg.h>
#include <stdio.h>

#include "doctor/doctor.h"
#include "lib/print.h"

/* Longest sentence. */
#define FINDING_MAX 400

static const char *const finding_levels[] = {
	[DOCTOR_OK] = "ok", [DOCTOR_NOTE] = "note", [DOCTOR_WRONG] = "wrong",
};

static void finding_json(struct doctor *doc, enum doctor_level level,
			 const char *check, const char *text)
{
	json_t *one = json_object();

	json_object_set_new(one, "level", json_string(finding_levels[level]));
	json_object_set_new(one, "check", json_string(check));
	if (doc->ifname)
		json_object_set_new(one, "ifname", json_string(doc->ifname));
	if (doc->path)
		json_object_set_new(one, "path", json_string(doc->path));
	json_object_set_new(one, "text", json_string(text));
	json_array_append_new(doc->list, one);
}

static void finding_text(const struct doctor *doc, enum doctor_level level,
			 const char *text)
{
	static const enum print_color colors[] = {
		[DOCTOR_OK] = PRINT_GREEN, [DOCTOR_NOTE] = PRINT_YELLOW,
		[DOCTOR_WRONG] = PRINT_RED,
	};

	if (level == DOCTOR_OK && !doc->details)
		return;
	print_colored(colors[level], finding_levels[level], 0);
	printf(": ");
	if (doc->ifname)
		printf("%s: ", doc->ifname);
	if (doc->path)
		printf("path %s: ", doc->path);
	printf("%s\n", text);
}

void doctor_say(struct doctor *doc, enum doctor_level level,
		const char *check, const char *fmt, ...)
{
	char text[FINDING_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	doc->wrong += level == DOCTOR_WRONG;
	if (doc->list)
		finding_json(doc, level, check, text);
	else
		finding_text(doc, level, text);
}
