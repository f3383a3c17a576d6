/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sockets of the server of metrics.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_LISTEN_H
#define MPTUN_TOOLS_LISTEN_H

#include "conf/plan.h"

/* Most clients that are served at once, and that wait. */
#define LISTEN_MAX 16

/**
 * listen_at() - make a socket for clients
 * @at: where
 *
 * Return: the socket, or -1 with errno.
 */
int listen_at(const struct plan_metrics *at);

/**
 * listen_lock() - lock the folder of a socket of Unix
 * @path: the socket
 *
 * Agents that make and remove sockets of a folder do it one after another.  It
 * does not wait, as others could hold the lock.
 *
 * Return: a file that holds the lock, or -1.
 */
int listen_lock(const char *path);

#endif /* MPTUN_TOOLS_LISTEN_H */
