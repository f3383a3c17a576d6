// SPDX-License-Identifier: GPL-2.0
/*
 * Runs a program in a network namespace.
 * Copyright (C) 2026 The mptun authors
 *
 * usage: enter FILE PROGRAM [ARGUMENT...]
 *
 * As "nsenter --net=FILE -- PROGRAM", but linked statically: the tests start
 * most of their programs this way, and what User-Mode Linux takes longest for
 * is loading libraries. The status is the program's; 126 or 127 if it does not
 * start, 125 if the namespace cannot be entered.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd;

	if (argc < 3)
		errx(125, "usage: enter FILE PROGRAM [ARGUMENT...]");
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWNET))
		err(125, "%s", argv[1]);
	execvp(argv[2], argv + 2);
	err(errno == ENOENT ? 127 : 126, "%s", argv[2]);
}
