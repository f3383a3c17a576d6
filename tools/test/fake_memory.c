// SPDX-License-Identifier: GPL-2.0
/*
 * A simulated kernel: finds secrets that the tool has not wiped.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * At the end of the program all memory that it can write is searched for a
 * key: stacks, data, what is allocated and, with the sanitizers, what was freed
 * lately.  The key is looked for as bytes, as hexadecimal digits and as base64.
 * It is known here only backwards, so that the search does not find itself.
 * Each buffer that was read, written or sent must have been wiped besides.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "lib/secret.h"
#include "test/fake.h"

#define MEMORY_KEY 32
#define MEMORY_CHUNK 65536
/* Larger mappings are the shadow of the sanitizers, which holds no data. */
#define MEMORY_LARGE (64ul << 20)
#define MEMORY_FOUND 97
/* Most buffers of a run through which a key may go. */
#define MEMORY_TOUCHES 16

/**
 * struct memory_form - how a key may stand in memory
 * @name: what it is called
 * @len: its length, where the last characters need not be looked at
 * @at: computes one of its characters
 */
struct memory_form {
	const char *name;
	size_t len;
	unsigned char (*at)(size_t i);
};

/**
 * struct memory_touch - a buffer through which a key may have gone
 * @what: what was done with it
 * @data: where it is
 * @len: its length
 * @wiped: it was wiped afterwards
 */
struct memory_touch {
	const char *what;
	const char *data;
	size_t len;
	bool wiped;
};

static struct memory_touch memory_touched[MEMORY_TOUCHES];
static int memory_touches;
static unsigned char memory_buf[MEMORY_CHUNK];
/* Volatile, as only the search reads it. */
static volatile unsigned char memory_kept[MEMORY_KEY];
static const char *memory_key;

ssize_t __real_read(int fd, void *buf, size_t size);
ssize_t __wrap_read(int fd, void *buf, size_t size);
ssize_t __real_write(int fd, const void *buf, size_t size);
ssize_t __wrap_write(int fd, const void *buf, size_t size);
ssize_t __real_getrandom(void *buf, size_t len, unsigned int flags);
ssize_t __wrap_getrandom(void *buf, size_t len, unsigned int flags);

static unsigned char memory_hex(size_t i)
{
	return (unsigned char)memory_key[2 * MEMORY_KEY - 1 - i];
}

static unsigned char memory_nibble(size_t i)
{
	unsigned char c = memory_hex(i);

	return (unsigned char)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static unsigned char memory_byte(size_t i)
{
	return (unsigned char)(memory_nibble(2 * i) << 4 |
			       memory_nibble(2 * i + 1));
}

/* Three nibbles are two digits; the last ones are left out. */
static unsigned char memory_base64(size_t i)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned int n = (unsigned int)(i / 2 * 3);
	unsigned int three = (unsigned int)memory_nibble(n) << 8 |
			     (unsigned int)memory_nibble(n + 1) << 4 |
			     memory_nibble(n + 2);

	return (unsigned char)digits[i % 2 ? three & 63 : three >> 6];
}

static const struct memory_form memory_forms[] = {
	{ "bytes", MEMORY_KEY, memory_byte },
	{ "hexadecimal digits", 2 * MEMORY_KEY, memory_hex },
	{ "base64", 42, memory_base64 },
};

static bool memory_has(const unsigned char *data, size_t len,
		       const struct memory_form *form)
{
	const unsigned char *end = data + len, *p = data;

	while ((size_t)(end - p) >= form->len) {
		size_t i = 1;

		p = memchr(p, form->at(0), (size_t)(end - p) - form->len + 1);
		if (!p)
			return false;
		while (i < form->len && p[i] == form->at(i))
			i++;
		if (i == form->len)
			return true;
		p++;
	}
	return false;
}

/* Chunks overlap by the longest form. */
static void memory_range(int fd, unsigned long from, unsigned long to,
			 const char *where)
{
	while (from < to) {
		size_t want = to - from < MEMORY_CHUNK ? to - from :
							 MEMORY_CHUNK;
		ssize_t got = pread(fd, memory_buf, want, (off_t)from);

		for (size_t i = 0; got > 0 && i < 3; i++) {
			if (!memory_has(memory_buf, (size_t)got,
					&memory_forms[i]))
				continue;
			fprintf(stderr, "fake kernel: the key is left in memory, as %s in %s\n",
				memory_forms[i].name, where);
			fflush(stderr);
			_exit(MEMORY_FOUND);
		}
		if (got < (ssize_t)want || from + want == to)
			return;
		from += want - 2 * MEMORY_KEY;
	}
}

/* A stack may hide what was on it, so each buffer is looked at as well. */
static void memory_check(void)
{
	for (int i = 0; i < memory_touches; i++) {
		if (memory_touched[i].wiped)
			continue;
		fprintf(stderr, "fake kernel: what was %s is not wiped\n",
			memory_touched[i].what);
		fflush(stderr);
		_exit(MEMORY_FOUND);
	}
}

static void memory_search(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	int fd = open("/proc/self/mem", O_RDONLY);
	int ranges = 0;
	char line[512];

	memory_check();
	while (maps && fgets(line, sizeof(line), maps)) {
		unsigned long from, to;
		char mode[5], where[256] = "allocated memory";

		if (sscanf(line, "%lx-%lx %4s %*s %*s %*s %255s", &from, &to,
			   mode, where) < 3)
			continue;
		if (strncmp(mode, "rw", 2) || to - from > MEMORY_LARGE)
			continue;
		memory_range(fd, from, to, where);
		ranges++;
	}
	if (fd < 0 || !ranges)
		abort();
	close(fd);
	fclose(maps);
}

void fake_memory_keep(const unsigned char *key)
{
	for (int i = 0; getenv("MPTUN_FAKE_KEEP") && i < MEMORY_KEY; i++)
		memory_kept[i] = key[i];
}

void fake_memory_touch(const char *what, const void *data, size_t len)
{
	if (!memory_key)
		return;
	if (memory_touches == MEMORY_TOUCHES)
		abort();
	memory_touched[memory_touches++] = (struct memory_touch) {
		.what = what, .data = data, .len = len,
	};
}

void secret_hook(const void *data, size_t len)
{
	const char *from = data;

	for (int i = 0; i < memory_touches; i++) {
		struct memory_touch *touch = &memory_touched[i];

		if (touch->data >= from &&
		    touch->data + touch->len <= from + len)
			touch->wiped = true;
	}
}

/* The program's own calls come here, see --wrap in the Makefile. */
ssize_t __wrap_read(int fd, void *buf, size_t size)
{
	ssize_t got = __real_read(fd, buf, size);

	if (got > 0)
		fake_memory_touch("read", buf, (size_t)got);
	return got;
}

ssize_t __wrap_write(int fd, const void *buf, size_t size)
{
	fake_memory_touch("written", buf, size);
	fake_disk_written();
	return __real_write(fd, buf, size);
}

/* A new key is the known one, in two pieces, as the kernel may do. */
ssize_t __wrap_getrandom(void *buf, size_t len, unsigned int flags)
{
	static size_t given;
	size_t i;

	if (!memory_key)
		return __real_getrandom(buf, len, flags);
	for (i = 0; i < len && i < MEMORY_KEY / 2; i++)
		((unsigned char *)buf)[i] = memory_byte(given++ % MEMORY_KEY);
	fake_memory_touch("random", buf, i);
	return (ssize_t)i;
}

__attribute__((constructor)) static void memory_start(void)
{
	memory_key = getenv("MPTUN_FAKE_SECRET");
	if (!memory_key)
		return;
	if (strlen(memory_key) != 2 * MEMORY_KEY || atexit(memory_search))
		abort();
}
