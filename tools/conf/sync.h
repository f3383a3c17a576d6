/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Changing a tunnel that exists into what a file describes.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_SYNC_H
#define MPTUN_TOOLS_SYNC_H

#include "conf/file.h"

/**
 * struct sync_ways - rules and routes by which the packets of paths leave
 * @set: add those that the new paths need
 * @back: take that back
 * @arg: argument of both
 *
 * Each returns 0, or the exit status after a message.
 */
struct sync_ways {
	int (*set)(void *arg);
	int (*back)(void *arg);
	void *arg;
};

/**
 * sync_run() - change a tunnel, completely or not at all
 * @conn: connection to the kernel
 * @file: what it is to be, with host names looked up and the key read
 * @all: replace paths and classes as a whole, not only what differs
 * @ways: called when old paths are deleted and before new ones are added, or
 *	NULL
 *
 * If the kernel refuses a change, those before it are taken back.
 *
 * Return: 0, or the exit status after a message.
 */
int sync_run(struct conn *conn, struct conf_file *file, bool all,
	     const struct sync_ways *ways);

/**
 * sync_servers() - leave it to the agent which server paths lead to
 * @want: the plan of a file; paths that are there lead where they do now
 * @have: the tunnel as it is
 *
 * With several servers the agent knows which one is in use.
 */
void sync_servers(struct plan *want, const struct plan *have);

#endif /* MPTUN_TOOLS_SYNC_H */
