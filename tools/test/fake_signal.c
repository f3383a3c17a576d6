// SPDX-License-Identifier: GPL-2.0
/*
 * A signal at an awkward moment: when a file has got another name.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "test/fake.h"

int __real_renameat(int from, const char *old, int to, const char *new);
int __wrap_renameat(int from, const char *old, int to, const char *new);
int __real_renameat2(int from, const char *old, int to, const char *new,
		     unsigned int flags);
int __wrap_renameat2(int from, const char *old, int to, const char *new,
		     unsigned int flags);

static void signal_count(void)
{
	const char *wanted = getenv("MPTUN_FAKE_SIGNAL");
	static int count;

	if (wanted && ++count == atoi(wanted))
		raise(SIGINT);
}

int __wrap_renameat(int from, const char *old, int to, const char *new)
{
	int err = __real_renameat(from, old, to, new);

	signal_count();
	return err;
}

int __wrap_renameat2(int from, const char *old, int to, const char *new,
		     unsigned int flags)
{
	int err;

	fake_disk_named(new);
	err = __real_renameat2(from, old, to, new, flags);
	signal_count();
	return err;
}
