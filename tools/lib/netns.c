// SPDX-License-Identifier: GPL-2.0
/*
 * Network namespaces, as ip-netns names them.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/netns.h"
#include "lib/report.h"
#include "lib/secret.h"

int netns_enter(const char *name)
{
	char path[PATH_MAX], quoted[80];
	int fd, err;

	/* A path is no key, though it looks like a part of one. */
	if (*name == '/')
		snprintf(quoted, sizeof(quoted), "%s", name);
	else
		secret_quote(name, quoted, sizeof(quoted));
	if (strchr(name, '/'))
		snprintf(path, sizeof(path), "%s", name);
	else
		snprintf(path, sizeof(path), "%s/%s", NETNS_FOLDER, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return report_fail("there is no network namespace \"%s\": %s",
				   quoted, strerror(errno));
	err = setns(fd, CLONE_NEWNET);
	if (err)
		err = errno;
	close(fd);
	if (!err)
		return STATUS_OK;
	return report_fail("network namespace \"%s\" cannot be entered: %s%s",
			   quoted, strerror(err),
			   err == EPERM ? ", CAP_SYS_ADMIN is needed" : "");
}
