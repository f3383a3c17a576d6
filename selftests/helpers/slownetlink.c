// SPDX-License-Identifier: GPL-2.0
/*
 * Preloaded into a program: it waits 50 ms after each request to the kernel.
 * Copyright (C) 2026 The mptun authors
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define NETLINK_WAIT_US	50000

ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
	ssize_t (*send)(int fd, const struct msghdr *msg, int flags);
	struct sockaddr addr = { .sa_family = AF_UNSPEC };
	socklen_t len = sizeof(addr);
	ssize_t sent;

	send = dlsym(RTLD_NEXT, "sendmsg");
	if (!send)
		abort();
	sent = send(fd, msg, flags);
	if (!getsockname(fd, &addr, &len) && addr.sa_family == AF_NETLINK)
		usleep(NETLINK_WAIT_US);
	return sent;
}
