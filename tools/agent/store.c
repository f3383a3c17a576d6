// SPDX-License-Identifier: GPL-2.0
/*
 * What the agent remembers over a restart: a file of JSON.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/store.h"
#include "lib/report.h"

static const char *store_folder(void)
{
	const char *folder = getenv("STATE_DIRECTORY");

	return folder && *folder == '/' ? folder : STORE_FOLDER;
}

static char *store_path(const char *name, const char *end)
{
	char *path;

	if (asprintf(&path, "%s/%s.json%s", store_folder(), name, end) < 0)
		exit(report_fail("out of memory"));
	return path;
}

json_t *store_read(const char *name)
{
	char *path = store_path(name, "");
	json_error_t error;
	json_t *root = NULL;

	if (!access(path, F_OK)) {
		root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
		if (!json_is_object(root)) {
			report_warn("%s is damaged, so it is left out: %s",
				    path, root ? "no object" : error.text);
			json_decref(root);
			root = NULL;
		}
	}
	free(path);
	if (!root)
		root = json_object();
	if (!root)
		exit(report_fail("out of memory"));
	return root;
}

/* Return: 0, or -1 with errno set. */
static int store_fill(const char *path, const json_t *root)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC |
		      O_NOFOLLOW, 0600);
	int err;

	if (fd < 0)
		return -1;
	err = json_dumpfd(root, fd, JSON_INDENT(1) | JSON_SORT_KEYS) ||
	      write(fd, "\n", 1) != 1 || fsync(fd);
	if (close(fd))
		err = -1;
	return err ? -1 : 0;
}

int store_write(const char *name, const json_t *root)
{
	char *path = store_path(name, ""), *draft = store_path(name, ".new");
	int status = STATUS_OK;

	mkdir(store_folder(), 0700);
	if (store_fill(draft, root) || rename(draft, path))
		status = report_fail("%s cannot be written: %s", path,
				     strerror(errno));
	if (status)
		unlink(draft);
	free(path);
	free(draft);
	return status;
}
