// SPDX-License-Identifier: GPL-2.0
/*
 * Sockets of the server of metrics.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent/listen.h"

/* File that is locked, in the folder of a socket. */
#define LISTEN_LOCK ".mptund.lock"

static int listen_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* Does not wait: any program that can open the folder could hold the lock. */
int listen_lock(const char *path)
{
	char folder[PLAN_METRICS_MAX + 1];
	int at, fd;

	strcpy(folder, path);
	at = open(dirname(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (at < 0)
		return -1;
	fd = openat(at, LISTEN_LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
		    0600);
	close(at);
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Whether no program listens at a socket: an agent that was killed left it. */
static bool listen_left(const struct sockaddr_un *addr)
{
	int fd = listen_socket();
	bool refused;

	refused = fd >= 0 && connect(fd, (const struct sockaddr *)addr,
				     sizeof(*addr)) && errno == ECONNREFUSED;
	if (fd >= 0)
		close(fd);
	return refused;
}

static bool listen_bind(int fd, const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct stat st;

	strcpy(addr.sun_path, path);
	if (!lstat(path, &st) && S_ISSOCK(st.st_mode) && listen_left(&addr))
		unlink(path);
	return !bind(fd, (struct sockaddr *)&addr, sizeof(addr)) &&
	       !listen(fd, LISTEN_MAX);
}

static int listen_local(const char *path)
{
	int fd = listen_socket(), lock;

	if (fd < 0)
		return -1;
	lock = listen_lock(path);
	if (lock < 0 || !listen_bind(fd, path)) {
		close(fd);
		fd = -1;
	}
	if (lock >= 0)
		close(lock);
	return fd;
}

/* The machine may get the address later, for example by DHCP. */
static int listen_inet(const struct plan_metrics *at)
{
	struct sockaddr_in6 six = {
		.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)at->port),
	};
	struct sockaddr_in four = {
		.sin_family = AF_INET, .sin_port = htons((uint16_t)at->port),
	};
	bool old = at->addr.family == 4;
	int fd = socket(old ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC |
			SOCK_NONBLOCK, 0), one = 1;

	if (fd < 0)
		return -1;
	memcpy(&six.sin6_addr, at->addr.addr, 16);
	memcpy(&four.sin_addr, at->addr.addr, 4);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	setsockopt(fd, IPPROTO_IP, IP_FREEBIND, &one, sizeof(one));
	if (!old)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
	if (bind(fd, old ? (struct sockaddr *)&four : (struct sockaddr *)&six,
		 old ? sizeof(four) : sizeof(six)) ||
	    listen(fd, LISTEN_MAX)) {
		close(fd);
		return -1;
	}
	return fd;
}

int listen_at(const struct plan_metrics *at)
{
	return *at->text == '/' ? listen_local(at->text) : listen_inet(at);
}
