// SPDX-License-Identifier: GPL-2.0
/*
 * Preloaded into iperf3 and ping: makes them sleep while they wait, instead of
 * spinning.
 * Copyright (C) 2026 The mptun authors
 *
 * Before a test starts at both ends, and after its end until the results are
 * there, iperf3 (3.12) waits for an answer of the other end, but also selects
 * for writing, which is possible all the time, or with the expired timer of the
 * test. So it spins for a round trip. In virtual time, where reading the clock
 * takes 0.8 us, these are a hundred thousand rounds in 100 ms.
 *
 * If select() has reported a socket as writable and the program calls it again
 * without a write, that socket is left out of the next call. If a call without
 * a timeout has reported nothing, the next one waits for a millisecond.
 *
 * ping (20221126) spins for the last 10 ms before it sends if no answer is due,
 * and yields the processor in each round.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <unistd.h>

#define PAUSE_US	1000
#define YIELD_US	100

/* The last call reported writable; the last call did not wait, in vain. */
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

int sched_yield(void)
{
	return usleep(YIELD_US);
}
