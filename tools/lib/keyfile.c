// SPDX-License-Identifier: GPL-2.0
/*
 * Files with keys.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Avoids stdio, whose buffers cannot be wiped.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/keyfile.h"
#include "lib/report.h"
#include "lib/secret.h"

/* Longest file: a key with white space around it. */
#define KEYFILE_MAX 1024

static bool keyfile_taken;	/* standard input has something else */

void keyfile_take_input(void)
{
	keyfile_taken = true;
}

bool keyfile_input_taken(void)
{
	return keyfile_taken;
}

/* The file, up to the size of the buffer. */
static ssize_t keyfile_load(int fd, char *buf, size_t size)
{
	size_t len = 0;

	while (len < size) {
		ssize_t got = read(fd, buf + len, size - len);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (!got)
			break;
		len += (size_t)got;
	}
	return (ssize_t)len;
}

/* Only files have other readers. */
static void keyfile_warn(int fd)
{
	struct stat st;

	if (!fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    st.st_mode & (S_IRGRP | S_IROTH))
		report_warn("other users may read the key file (mode %04o), use chmod 600",
			    (unsigned int)st.st_mode & 07777);
}

static int keyfile_parse(int fd, const char *what, unsigned char *key)
{
	const char *wrong = "is too long for a key";
	char buf[KEYFILE_MAX];
	ssize_t len;

	len = keyfile_load(fd, buf, sizeof(buf));
	if (len < 0)
		wrong = strerror(errno);
	else if (len < KEYFILE_MAX)
		wrong = secret_parse(buf, (size_t)len, key);
	secret_wipe(buf, sizeof(buf));
	if (len < 0)
		return report_usage("%s cannot be read: %s", what, wrong);
	if (wrong)
		return report_usage("%s %s", what, wrong);
	keyfile_warn(fd);
	return STATUS_OK;
}

int keyfile_read(const char *name, unsigned char *key)
{
	int fd, status;

	if (!strcmp(name, "-") && keyfile_taken)
		return report_usage("the key cannot be read from standard input, which holds the commands");
	if (!strcmp(name, "-"))
		return keyfile_parse(STDIN_FILENO, "standard input", key);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return report_usage("the key file cannot be read: %s",
				    strerror(errno));
	status = keyfile_parse(fd, "the key file", key);
	close(fd);
	return status;
}

int keyfile_draw(unsigned char *key)
{
	size_t len = 0;

	while (len < SECRET_LEN) {
		ssize_t got = getrandom(key + len, SECRET_LEN - len, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return report_fail("the kernel returns no random numbers: %s",
					   strerror(errno));
		len += (size_t)got;
	}
	return STATUS_OK;
}

static int keyfile_store(int fd, const char *buf, size_t len)
{
	while (len) {
		ssize_t put = write(fd, buf, len);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return report_fail("the key cannot be written: %s",
					   strerror(errno));
		buf += put;
		len -= (size_t)put;
	}
	return STATUS_OK;
}

int keyfile_write(const unsigned char *key)
{
	char text[SECRET_BASE64 + 1];
	int status;

	secret_print(key, text);
	text[SECRET_BASE64] = '\n';
	status = keyfile_store(STDOUT_FILENO, text, sizeof(text));
	secret_wipe(text, sizeof(text));
	if (!status)
		keyfile_warn(STDOUT_FILENO);
	return status;
}

/* What was printed before comes first. */
int keyfile_print(const char *text, size_t len)
{
	int status;

	fflush(stdout);
	status = keyfile_store(STDOUT_FILENO, text, len);
	if (!status)
		keyfile_warn(STDOUT_FILENO);
	return status;
}
