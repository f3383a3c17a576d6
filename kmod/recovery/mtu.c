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
 * A change reaches all senders but those that get no ICMP, and a fall stalls
 * their connections.  So where the peer joins fragments, the MTU falls when
 * nothing larger has been sent for as long as hosts keep the MTU of a path.
 * Until then a smaller path takes large packets in fragments, which costs 5 %
 * of what it carries; and connections of TCP that begin get an MSS that every
 * path carries whole.
 *
 * Where the peer does not, the smaller path is worth more: the MTU falls at
 * once.  It rises only when no size is being searched, and when the larger size
 * has held for a while.  The first choice waits for the searches only.
 */
#include <linux/compiler.h>
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
	m->again_ns = U64_MAX;
	m->raise_to = 0;
	m->since_ns = 0;
	m->before = 0;
	WRITE_ONCE(m->largest, 0);
	WRITE_ONCE(m->whole, 0);
}

/**
 * mptun_mtu_choose() - choose the MTU
 * @m: the choice; its @again_ns says when to choose again
 * @mtu: the MTU of the device now
 * @smallest: smallest inner packet size of the paths that take data and whose
 *	size is known, U32_MAX if there is none
 * @searching: the size of another such path is still being searched
 * @frag: all paths take packets of the MTU in fragments
 * @now: time in ns
 *
 * Return: the MTU that the device should have.
 */
u32 mptun_mtu_choose(struct mptun_mtu *m, u32 mtu, u32 smallest,
		     bool searching, bool frag, u64 now)
{
	u32 want = clamp(smallest, MPTUN_MTU_MIN, MPTUN_MTU_MAX);
	bool known = smallest != U32_MAX, first = !m->chosen;
	u64 at = now;

	if (!frag)
		WRITE_ONCE(m->whole, 0);
	else if (known || !m->whole)
		WRITE_ONCE(m->whole, want);
	m->chosen |= known && !searching;
	if (!known || want == mtu || (want > mtu && searching)) {
		at = U64_MAX;
	} else if (want > mtu && !first) {
		at = want == m->raise_to ? m->again_ns :
					   now + MPTUN_MTU_RAISE_NS;
	} else if (want < mtu && !first && frag) {
		if (now - m->since_ns >= MPTUN_MTU_KEEP_NS) {
			m->before = READ_ONCE(m->largest);
			WRITE_ONCE(m->largest, 0);
			m->since_ns = now;
		}
		if (max(m->before, READ_ONCE(m->largest)) > want)
			at = m->since_ns + MPTUN_MTU_KEEP_NS;
	}
	m->again_ns = at > now ? at : U64_MAX;
	m->raise_to = want > mtu && m->again_ns != U64_MAX ? want : 0;
	return at > now ? mtu : want;
}
