// SPDX-License-Identifier: GPL-2.0
/*
 * Files of a server, written as a whole or not at all.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/report.h"
#include "server/store.h"

/* The parts have limits, so the whole does not exceed the buffer. */
void store_print(struct store_text *text, const char *fmt, ...)
{
	size_t room = sizeof(text->buf) - text->len;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(text->buf + text->len, room, fmt, ap);
	va_end(ap);
	if (len < 0 || (size_t)len >= room)
		exit(report_fail("the file is too long"));
	text->len += (size_t)len;
}

int store_folder(int at, const char *name, const char *path, bool create)
{
	int fd;

	if (create && mkdirat(at, name, 0700) && errno != EEXIST) {
		report_fail("%s cannot be created: %s", path, strerror(errno));
		return -1;
	}
	fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		report_fail("%s cannot be opened: %s", path, strerror(errno));
	return fd;
}

static int store_all(int fd, const struct store_text *text)
{
	size_t len = 0;

	while (len < text->len) {
		ssize_t put = write(fd, text->buf + len, text->len - len);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -1;
		len += (size_t)put;
	}
	return 0;
}

int store_write(int folder, const char *name, const struct store_text *text)
{
	int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			0600);

	if (fd < 0 || store_all(fd, text) || close(fd))
		return report_fail("%s cannot be written: %s", name,
				   strerror(errno));
	return STATUS_OK;
}

/* File systems that cannot refuse to replace a file rely on the lock. */
int store_rename(int folder, const char *from, const char *to)
{
	int err = renameat2(folder, from, folder, to, RENAME_NOREPLACE);

	if (err && (errno == EINVAL || errno == ENOSYS)) {
		errno = EEXIST;
		if (!store_exists(folder, to))
			err = renameat(folder, from, folder, to);
	}
	if (!err)
		return STATUS_OK;
	return report_fail("%s cannot be written: %s", to, strerror(errno));
}

bool store_exists(int folder, const char *name)
{
	return !faccessat(folder, name, F_OK, AT_SYMLINK_NOFOLLOW);
}

void store_each(int folder, void (*take)(void *arg, const char *name),
		void *arg)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir && fd >= 0)
		close(fd);
	while (dir && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			take(arg, entry->d_name);
	if (dir)
		closedir(dir);
}
