// SPDX-License-Identifier: GPL-2.0
/*
 * The mark of a server that runs.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/report.h"
#include "server/mark.h"

#define MARK_PATH 256

__attribute__((weak)) const char *mark_folder(void)
{
	return "/run/mptun";
}

/* Namespaces are known by their numbers. */
static const char *mark_path(char *buf)
{
	struct stat st = { .st_ino = 0 };

	stat("/proc/self/ns/net", &st);
	snprintf(buf, MARK_PATH, "%s/server.%lu", mark_folder(),
		 (unsigned long)st.st_ino);
	return buf;
}

int mark_set(void)
{
	char path[MARK_PATH];
	int fd;

	mkdir(mark_folder(), 0755);
	fd = open(mark_path(path), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
		  0644);
	if (fd < 0)
		return report_fail("%s cannot be written: %s", path,
				   strerror(errno));
	close(fd);
	return STATUS_OK;
}

void mark_clear(void)
{
	char path[MARK_PATH];

	unlink(mark_path(path));
}

bool mark_there(void)
{
	char path[MARK_PATH];

	return !access(mark_path(path), F_OK);
}
