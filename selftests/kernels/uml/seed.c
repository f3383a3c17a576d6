// SPDX-License-Identifier: GPL-2.0
/*
 * Preloaded into User-Mode Linux: all randomness comes from MPTUN_SEED.
 * Copyright (C) 2026 The mptun authors
 *
 * The kernel in User-Mode Linux takes random bytes from the host, by
 * getrandom() and by a driver that reads /dev/random. Here a seeded generator
 * replaces getrandom(), and the device does not exist for the driver. So ports,
 * hash seeds, losses of netem (correlated ones, too, which no option of tc can
 * seed) and random timers are the same in every run with the same seed.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* splitmix64 (Steele, Lea, Flood 2014) */
static uint64_t next(void)
{
	static uint64_t state;
	static int begun;
	uint64_t z;

	if (!begun) {
		const char *seed = getenv("MPTUN_SEED");

		state = seed ? strtoull(seed, NULL, 0) : 0;
		begun = 1;
	}
	z = state += 0x9e3779b97f4a7c15;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

ssize_t getrandom(void *buf, size_t len, unsigned int flags)
{
	uint8_t *to = buf;
	size_t done, n;

	(void)flags;
	for (done = 0; done < len; done += n) {
		uint64_t bits = next();

		n = len - done < sizeof(bits) ? len - done : sizeof(bits);
		memcpy(to + done, &bits, n);
	}
	return len;
}

int open64(const char *path, int flags, ...)
{
	int (*real)(const char *path, int flags, ...);
	va_list args;
	mode_t mode;

	if (!strcmp(path, "/dev/random")) {
		errno = ENODEV;
		return -1;
	}
	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	*(void **)&real = dlsym(RTLD_NEXT, "open64");
	return real(path, flags, mode);
}
