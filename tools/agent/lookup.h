/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Look-up of host names over an uplink, without waiting.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * The query is bound to the device and has the firewall mark of the tunnel, so
 * that neither a default route into the tunnel nor its kill switch holds it up.
 */
#ifndef MPTUN_TOOLS_LOOKUP_H
#define MPTUN_TOOLS_LOOKUP_H

#include <poll.h>

#include "agent/again.h"

/* Most files that a look-up waits for. */
#define LOOKUP_FDS 16

/**
 * struct lookup_way - how a name is looked up
 * @dev: device that queries leave by, "" for any
 * @mark: firewall mark of queries, 0 for none
 * @servers: addresses of resolvers with commas between them
 */
struct lookup_way {
	char dev[PARSE_TEXT_MAX + 1];
	uint32_t mark;
	char servers[1024];
};

/**
 * struct lookup_answer - what a look-up has found
 * @error: why nothing was found, or NULL
 * @addr: the addresses, IPv6 first
 * @count: their number
 */
struct lookup_answer {
	const char *error;
	struct parse_value addr[AGAIN_ADDRS];
	size_t count;
};

struct lookup;

/**
 * lookup_start() - begin to look up a name
 * @host: the name
 * @four: IPv4 addresses are wanted
 * @six: IPv6 addresses are wanted
 * @way: how
 *
 * Return: the look-up, or NULL without memory.
 */
struct lookup *lookup_start(const char *host, bool four, bool six,
			    const struct lookup_way *way);

/**
 * lookup_fds() - what a look-up waits for
 * @lookup: the look-up
 * @fds: filled in with at most LOOKUP_FDS files
 *
 * Return: their number.
 */
size_t lookup_fds(struct lookup *lookup, struct pollfd *fds);

/**
 * lookup_wait() - how long a look-up may wait
 * @lookup: the look-up
 *
 * Return: the time in ms.
 */
int lookup_wait(struct lookup *lookup);

/**
 * lookup_run() - let a look-up do what it can without waiting
 * @lookup: the look-up
 * @fds: what poll() has reported for its files
 * @count: number of @fds
 *
 * Return: the answer, NULL if it is still to come.
 */
const struct lookup_answer *lookup_run(struct lookup *lookup,
				       const struct pollfd *fds, size_t count);

/**
 * lookup_end() - end a look-up
 * @lookup: the look-up, or NULL
 */
void lookup_end(struct lookup *lookup);

#endif /* MPTUN_TOOLS_LOOKUP_H */
