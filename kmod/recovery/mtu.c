// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * MTU of the device, which follows the sizes of the paths.
 *
 * It is the largest inner packet that every path carries, so that all of them
 * help: a whole path is worth more than payload per packet.  With TCP over IPv4
 * a packet of 1428 bytes carries 1376 bytes in 1500 on the wire (91.7 %), one
 * of 1280 carries 1228 in 1352 (90.8 %): the smallest MTU costs 1 %.
 *
 * A change reaches all senders, and a rise only helps: the MTU falls at once,
 * but rises only when no size is being searched, and when the larger size has
 * held for a while.  The first choice waits for the searches only.
 */
#include <linux/limits.h>
#include <linux/minmax.h>

#include "recovery/mtu.h"

/**
 * mptun_mtu_start() - begin when the device comes up
 * @m: the choice
 */
void mptun_mtu_start(struct mptun_mtu *m)
{
	m->chosen = false;
	m->raise_ns = U64_MAX;
	m->raise_to = 0;
}

/**
 * mptun_mtu_choose() - choose the MTU
 * @m: the choice; its @raise_ns says when to choose again
 * @mtu: the MTU of the device now
 * @smallest: smallest inner packet size of the paths that take data and whose
 *	size is known, U32_MAX if there is none
 * @searching: the size of another such path is still being searched
 * @now: time in ns
 *
 * Return: the MTU that the device should have.
 */
u32 mptun_mtu_choose(struct mptun_mtu *m, u32 mtu, u32 smallest,
		     bool searching, u64 now)
{
	u32 want = clamp(smallest, MPTUN_MTU_MIN, MPTUN_MTU_MAX);
	bool first = !m->chosen;

	if (smallest == U32_MAX || want <= mtu || searching) {
		m->raise_ns = U64_MAX;
		if (smallest == U32_MAX || want >= mtu)
			want = mtu;
	} else if (!first && (m->raise_ns == U64_MAX || want != m->raise_to)) {
		m->raise_ns = now + MPTUN_MTU_RAISE_NS;
		m->raise_to = want;
		want = mtu;
	} else if (!first && now < m->raise_ns) {
		want = mtu;
	} else {
		m->raise_ns = U64_MAX;
	}
	m->chosen |= smallest != U32_MAX && !searching;
	return want;
}
