// SPDX-License-Identifier: GPL-2.0
/*
 * One agent for each file.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * The lock is on the file itself: only those who may read it can take it, and
 * there is nothing to clean up.  Programs that change a file often replace it,
 * so the lock follows.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/alone.h"
#include "lib/report.h"

static bool alone_same(int a, int b)
{
	struct stat one, two;

	return a >= 0 && !fstat(a, &one) && !fstat(b, &two) &&
	       one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

int alone_lock(const char *path, int *fd)
{
	int opened = open(path, O_RDONLY | O_CLOEXEC);

	if (opened < 0)
		return report_usage("%s cannot be read: %s", path,
				    strerror(errno));
	/* This agent has locked the same file already. */
	if (alone_same(*fd, opened)) {
		close(opened);
		return STATUS_OK;
	}
	/* Some file systems have no locks. */
	if (flock(opened, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
		close(opened);
		return report_usage("another agent has %s", path);
	}
	if (*fd >= 0)
		close(*fd);
	*fd = opened;
	return STATUS_OK;
}
