/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Heal: when a path that does not work tries another way.
 */
#ifndef _MPTUN_HEAL_H
#define _MPTUN_HEAL_H

#include <linux/minmax.h>
#include <linux/types.h>

#include "base/limits.h"
#include "core/state.h"

/**
 * struct mptun_heal - attempts to repair a path, under mptun_tunnel.lock
 * @port: source port drawn for it, host byte order, 0 for the configured one
 * @tries: attempts since it worked
 * @wait_ns: time between the last attempt and the next one
 * @at_ns: when the next one is due, 0 while none is needed
 * @began_ns: when it was found not to work
 * @source: the source address before the last attempt
 * @away: the path has followed the peer to another remote than configured
 * @home: but the configured one is being tried
 * @remote: the one of these two that is not in use
 * @remote_port: its port
 * @scope: its interface
 */
struct mptun_heal {
	u16 port;
	u8 tries;
	u64 wait_ns;
	u64 at_ns;
	u64 began_ns;
	union mptun_addr source;
	bool away;
	bool home;
	union mptun_addr remote;
	u16 remote_port;
	u32 scope;
};

/**
 * mptun_heal_due() - check whether another way must be tried now
 * @heal: attempts so far, updated
 * @broken: the path does not work
 * @now: time in ns
 *
 * Return: true if it must.
 */
static inline bool mptun_heal_due(struct mptun_heal *heal, bool broken,
				  u64 now)
{
	if (!broken) {
		heal->at_ns = 0;
		return false;
	}
	if (!heal->at_ns) {
		heal->tries = 0;
		heal->began_ns = now;
		heal->wait_ns = MPTUN_HEAL_FIRST_NS;
		heal->at_ns = now + heal->wait_ns;
		return false;
	}
	if (now < heal->at_ns)
		return false;
	heal->tries++;
	heal->wait_ns = min(2 * heal->wait_ns, MPTUN_HEAL_MAX_NS);
	heal->at_ns = now + heal->wait_ns;
	return true;
}

#endif /* _MPTUN_HEAL_H */
