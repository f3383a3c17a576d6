// SPDX-License-Identifier: GPL-2.0
/*
 * Facts about the machine, from files.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/doctor.h"

__attribute__((weak)) const char *fact_root(void)
{
	return "";
}

static FILE *fact_open(const char *path)
{
	char full[PATH_MAX];

	snprintf(full, sizeof(full), "%s%s", fact_root(), path);
	return fopen(full, "re");
}

bool fact_text(const char *path, char *buf, size_t size)
{
	FILE *file = fact_open(path);
	bool read;

	if (!file)
		return false;
	read = fgets(buf, (int)size, file);
	fclose(file);
	if (read)
		buf[strcspn(buf, "\n")] = '\0';
	return read;
}

int fact_byte(const char *path, long offset)
{
	FILE *file = fact_open(path);
	int byte = -1;

	if (!file)
		return -1;
	while (offset-- >= 0)
		byte = getc(file);
	fclose(file);
	return byte;
}

bool fact_exists(const char *pattern)
{
	char full[PATH_MAX];
	glob_t found;
	bool any;

	snprintf(full, sizeof(full), "%s%s", fact_root(), pattern);
	any = !glob(full, GLOB_NOSORT, NULL, &found);
	globfree(&found);
	return any;
}

bool fact_line(const char *path, const char *text)
{
	FILE *file = fact_open(path);
	char *line = NULL;
	size_t size = 0;
	bool found = false;

	while (file && !found && getline(&line, &size, file) > 0)
		found = strstr(line, text);
	free(line);
	if (file)
		fclose(file);
	return found;
}

static int fact_number(const char *dev, const char *name)
{
	char path[128], text[16];

	snprintf(path, sizeof(path), "/proc/sys/net/ipv4/conf/%s/%s", dev,
		 name);
	return fact_text(path, text, sizeof(text)) ? atoi(text) : 0;
}

int fact_sysctl(const char *dev, const char *name)
{
	int all = fact_number("all", name), one = fact_number(dev, name);

	return all > one ? all : one;
}

/* The value of a line "name : value", or NULL. */
static const char *fact_value(char *line, const char *name)
{
	size_t len = strlen(name);
	char *colon = strchr(line, ':');

	if (strncmp(line, name, len) || !colon ||
	    strspn(line + len, " ") != (size_t)(colon - line) - len)
		return NULL;
	colon[1 + strcspn(colon + 1, "\n")] = '\0';
	return colon + 1 + (colon[1] == ' ');
}

bool fact_driver(const char *algorithm, char *driver)
{
	FILE *file = fact_open("/proc/crypto");
	char *line = NULL, one[64] = "";
	int best = -1, priority;
	const char *value;
	size_t size = 0;
	bool ours = false;

	while (file && getline(&line, &size, file) > 0) {
		value = fact_value(line, "name");
		if (value)
			ours = !strcmp(value, algorithm);
		value = fact_value(line, "driver");
		if (value)
			snprintf(one, sizeof(one), "%s", value);
		value = fact_value(line, "priority");
		priority = value ? atoi(value) : -1;
		if (ours && priority > best) {
			best = priority;
			strcpy(driver, one);
		}
	}
	free(line);
	if (file)
		fclose(file);
	return best >= 0;
}
