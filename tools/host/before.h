/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rules and routes of uplinks as they were before a change.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_BEFORE_H
#define MPTUN_TOOLS_BEFORE_H

#include "host/host.h"
#include "host/message.h"

/**
 * struct host_before - what host_uplinks_add() may change
 * @rule: rules, of IPv4 and of IPv6
 * @route: routes in the table of each path
 */
struct host_before {
	struct message_list rule[2];
	struct message_list route[MPTUN_PATHS_MAX];
};

/**
 * host_before_take() - remember rules and routes
 * @host: the tunnel, with the file that is about to be applied
 * @before: filled in, zeroed before
 */
void host_before_take(const struct host *host, struct host_before *before);

/**
 * host_before_set() - take back what host_uplinks_add() has done
 * @host: the tunnel
 * @before: how it was
 */
void host_before_set(const struct host *host, struct host_before *before);

void host_before_free(struct host_before *before);

#endif /* MPTUN_TOOLS_BEFORE_H */
