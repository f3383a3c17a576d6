// SPDX-License-Identifier: GPL-2.0
/*
 * Preloaded into iperf3: who waits for an answer sleeps until it is there.
 * Copyright (C) 2026 The mptun authors
 *
 * Until a test has begun on both ends, and after its end until the results
 * have come, iperf3 (3.12) waits for the other end's answer, but asks select()
 * for room to write as well, which there is, or lets it wait for a timer of the
 * test that is over. So it spins for a round trip. In virtual time, where each
 * look at the clock takes 0.8 us, that is a hundred thousand rounds for 100 ms.
 *
 * A program that was told that it may write, has written nothing and asks again
 * does not want to write: it is not told the same once more, but waits for what
 * else it asked for. One that did not want to wait, was told nothing and asks
 * again waits for a millisecond.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <unistd.h>

#define PAUSE_US	1000

/* It may write and has not; it asked without waiting, and there was nothing. */
static __thread bool may_write, in_vain;

int select(int count, fd_set *in, fd_set *out, fd_set *bad,
	   struct timeval *timeout)
{
	static int (*real)(int count, fd_set *in, fd_set *out, fd_set *bad,
			   struct timeval *timeout);
	struct timeval pause = { .tv_usec = PAUSE_US };
	bool skip = out && may_write, poll;
	int ready;

	if (!real)
		real = dlsym(RTLD_NEXT, "select");
	poll = timeout && !timeout->tv_sec && !timeout->tv_usec;
	ready = real(count, in, skip ? NULL : out, bad,
		     poll && in_vain ? &pause : timeout);
	if (skip)
		memset(out, 0, sizeof(*out));
	may_write = !skip && out && ready > 0;
	in_vain = poll && !ready;
	return ready;
}

ssize_t write(int fd, const void *from, size_t len)
{
	static ssize_t (*real)(int fd, const void *from, size_t len);

	if (!real)
		real = dlsym(RTLD_NEXT, "write");
	may_write = false;
	return real(fd, from, len);
}

ssize_t sendfile(int to, int from, off_t *at, size_t len)
{
	static ssize_t (*real)(int to, int from, off_t *at, size_t len);

	if (!real)
		real = dlsym(RTLD_NEXT, "sendfile");
	may_write = false;
	return real(to, from, at, len);
}
