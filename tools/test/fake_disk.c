// SPDX-License-Identifier: GPL-2.0
/*
 * A disk that loses what was written and not brought there before a file got
 * its name, as after a power cut.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "test/fake.h"

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __real_syncfs(int fd);
int __wrap_syncfs(int fd);

static bool disk_waits;

void fake_disk_written(void)
{
	disk_waits = true;
}

void fake_disk_named(const char *name)
{
	if (!disk_waits)
		return;
	fprintf(stderr, "fake disk: %s may be empty\n", name);
	exit(98);
}

int __wrap_fsync(int fd)
{
	disk_waits = false;
	return __real_fsync(fd);
}

int __wrap_syncfs(int fd)
{
	disk_waits = false;
	return __real_syncfs(fd);
}
