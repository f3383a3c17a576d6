// SPDX-License-Identifier: GPL-2.0
/*
 * Preloaded into a program: its disk takes 30 s for each file.
 * Copyright (C) 2026 The mptun authors
 */

#define _GNU_SOURCE
#include <unistd.h>

#define DISK_SECONDS	30

int fsync(int fd)
{
	(void)fd;
	sleep(DISK_SECONDS);
	return 0;
}
