// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * ECN and DSCP of outer packets.
 *
 * The model: two control loops share one field of two bits.  A router on the
 * path that is congested marks the outer packet.  The mark is for the flow
 * inside, and so goes into the inner packet at the far end; and it is for the
 * controller of the path, which learns of it by the reports of the peer.
 *
 *  - Going out, the ECN field is copied (RFC 6040, section 4.1, normal mode).
 *    What the flow does not understand no router may be told to be understood:
 *    so packets of flows without ECN are dropped by routers, not marked.
 *  - Coming in, both fields become one (RFC 6040, section 4.2, figure 4).  A
 *    mark on a packet whose flow does not know marks can only be told by a
 *    loss.
 *  - What was marked before it entered the tunnel leaves with its mark.  So a
 *    mark of the path is one of the outer packet that the inner packet does
 *    not have (RFC 6040, appendix C).
 *  - A flow that sends ECT(1) asks for many marks and answers each a little
 *    (L4S, RFC 9331).  Routers give them at a queue so short that a controller
 *    which halves its window for a mark would starve the path.  Its marks are
 *    counted apart and left to the flow.
 *
 * The DSCP goes out as it is set for the tunnel, and that of the inner packet
 * is never touched (RFC 2983, section 3.1, the pipe model).
 *
 * INET_ECN_encapsulate() of the kernel follows RFC 3168, which hides marks that
 * were there before.
 */
#include <linux/mptun.h>
#include <linux/skbuff.h>
#include <net/dsfield.h>
#include <net/inet_ecn.h>

#include "base/ecn.h"

/* The two bits of ECN are below those of the DSCP. */
#define MPTUN_ECN_DSCP_SHIFT	2

/* ip_tunnel_get_dsfield() without a header that knows devices. */
static u8 mptun_ecn_dsfield(const struct sk_buff *skb)
{
	switch (skb_protocol(skb, true)) {
	case htons(ETH_P_IP):
		return ipv4_get_dsfield(ip_hdr(skb));
	case htons(ETH_P_IPV6):
		return ipv6_get_dsfield(ipv6_hdr(skb));
	default:
		return 0;
	}
}

/**
 * mptun_ecn_outer() - the DS field that a data packet leaves with
 * @dscp: as set for the tunnel, MPTUN_DSCP_INHERIT for that of the packet
 * @skb: the inner packet, its header readable; any of its segments, if it is
 *	a GSO packet, has the same
 *
 * Return: DSCP and ECN field.
 */
u8 mptun_ecn_outer(u32 dscp, const struct sk_buff *skb)
{
	u8 inner = mptun_ecn_dsfield(skb);

	if (dscp == MPTUN_DSCP_INHERIT)
		return inner;
	return dscp << MPTUN_ECN_DSCP_SHIFT | (inner & INET_ECN_MASK);
}

/**
 * mptun_ecn_control() - the DS field that all other packets leave with
 * @dscp: as set for the tunnel
 *
 * They measure the path that data takes, so they take the same queues.  There
 * is no inner packet to inherit from, and most have 0.  Nobody halves anything
 * for a marked report, so they are not ECN-capable.
 *
 * Return: DSCP and ECN field.
 */
u8 mptun_ecn_control(u32 dscp)
{
	return dscp == MPTUN_DSCP_INHERIT ? 0 : dscp << MPTUN_ECN_DSCP_SHIFT;
}

/* May routers have made this outer ECN field of that inner one?  They may mark
 * what is capable of it, in two degrees (RFC 6660), and leave all else alone.
 */
static bool mptun_ecn_possible(u8 outer, u8 inner)
{
	if (outer == inner)
		return true;
	if (outer == INET_ECN_CE)
		return inner != INET_ECN_NOT_ECT;
	return outer == INET_ECN_ECT_1 && inner == INET_ECN_ECT_0;
}

/**
 * mptun_ecn_decapsulate() - combine outer and inner ECN field
 * @skb: the inner packet, at its header, which may be written
 * @outer: DS field that the outer header had
 *
 * Return: &enum mptun_ecn_flags.
 */
unsigned int mptun_ecn_decapsulate(struct sk_buff *skb, u8 outer)
{
	u8 inner = mptun_ecn_dsfield(skb) & INET_ECN_MASK;
	unsigned int flags = 0;

	outer &= INET_ECN_MASK;
	if (outer == INET_ECN_CE && inner != INET_ECN_CE)
		flags |= MPTUN_ECN_MARKED;
	if (flags && inner == INET_ECN_ECT_1)
		flags |= MPTUN_ECN_L4S;
	if (!mptun_ecn_possible(outer, inner))
		flags |= MPTUN_ECN_FAULT;
	if (INET_ECN_decapsulate(skb, outer, inner) > 1)
		flags |= MPTUN_ECN_DROP;
	return flags;
}

/**
 * mptun_ecn_news() - which marks does a report tell of first?
 * @seen: what the reports before it told; updated
 * @told: what it tells
 *
 * Reports overtake each other, and one that is late tells nothing new.
 *
 * Return: the new marks.
 */
struct mptun_ecn_marks mptun_ecn_news(struct mptun_ecn_marks *seen,
				      const struct mptun_ecn_marks *told)
{
	struct mptun_ecn_marks news = {};
	s32 ce = told->ce - seen->ce;
	s32 l4s = told->l4s - seen->l4s;

	if (ce <= 0)
		return news;
	*seen = *told;
	news.ce = ce;
	news.l4s = clamp(l4s, 0, ce);
	return news;
}
