// SPDX-License-Identifier: GPL-2.0
/*
 * Messages to the service manager.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * The protocol is one datagram, see the notes of sd_notify(3), which recommend
 * to do without the library.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent/notify.h"

void notify_send(const char *state)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	const char *path = getenv("NOTIFY_SOCKET");
	size_t len = path ? strlen(path) : 0;
	int fd;

	if (!len || len >= sizeof(to.sun_path) || !strchr("/@", *path))
		return;
	memcpy(to.sun_path, path, len);
	if (*path == '@')
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&to,
	       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
	close(fd);
}
