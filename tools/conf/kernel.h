/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plans made from what the kernel reports.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_KERNEL_H
#define MPTUN_TOOLS_KERNEL_H

#include "conf/plan.h"
#include "lib/dump.h"

/**
 * kernel_read() - make a plan of a tunnel that exists
 * @conn: connection to the kernel
 * @name: its name
 * @plan: filled in, without learned paths, with class 0
 * @fingerprint: set to that of the key, 0 if there is none; or NULL
 *
 * Return: 0, or the exit status after a message.
 */
int kernel_read(struct conn *conn, const char *name, struct plan *plan,
		uint64_t *fingerprint);

/**
 * kernel_plan() - make a plan of a tunnel that has been read
 * @tunnel: the tunnel
 * @plan: filled in, without paths and classes
 */
void kernel_plan(const struct record *tunnel, struct plan *plan);

/**
 * kernel_path() - take the settings of a path
 * @path: the path
 * @plan: plan of its tunnel
 * @set: filled in
 */
void kernel_path(const struct record *path, struct plan *plan,
		 struct plan_set *set);

#endif /* MPTUN_TOOLS_KERNEL_H */
