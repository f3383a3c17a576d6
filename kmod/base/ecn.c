// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * ECN and DSCP of outer packets.
 *
 * Two control loops share the two ECN bits.  A congested router marks the outer
 * packet.  The mark belongs to the inner flow, so decapsulation copies it to
 * the inner packet, and to the congestion controller of the path, which gets it
 * from the peer's reports.
 *
 *  - Encapsulation copies the ECN field (RFC 6040, section 4.1, normal mode).
 *    A flow without ECN is sent Not-ECT: routers drop its packets instead of
 *    marking them.
 *  - Decapsulation combines both fields (RFC 6040, section 4.2, figure 4).  A
 *    mark on a Not-ECT inner packet can only be signalled by dropping it.
 *  - A packet that entered the tunnel marked leaves it marked.  A mark of the
 *    path is thus CE on the outer packet without CE on the inner one (RFC 6040,
 *    appendix C).
 *  - ECT(1) flows expect frequent marks and react a little to each (L4S, RFC
 *    9331).  Their marking threshold is so low that a controller which halves
 *    its window per mark would starve the path.  Marks on ECT(1) are counted
 *    separately and left to the flow.
 *
 * A device that treats the DS field as the former TOS field may set both bits
 * of every packet, or of each that has one of them.  Such marks would keep
 * flows with ECN slow for ever, and the others would lose all packets.  So
 * marks of a path are ignored until a packet sent ECT has arrived without one
 * (the idea of ECN validation, RFC 9000, section 13.4.2).  That does little
 * harm where a router is so congested that it marks everything, as it soon
 * drops packets too.  Marks are also ignored while control packets arrive
 * marked, which are Not-ECT.
 *
 * The DSCP of outer packets is set per tunnel; that of inner packets never
 * changes (RFC 2983, section 3.1, pipe model).
 *
 * INET_ECN_encapsulate() is not used: it follows RFC 3168 and hides earlier
 * marks.
 */
#include <linux/mptun.h>
#include <linux/skbuff.h>
#include <net/dsfield.h>
#include <net/inet_ecn.h>

#include "base/ecn.h"

/* The ECN field is the low two bits of the DS field. */
#define MPTUN_ECN_DSCP_SHIFT	2

/* ip_tunnel_get_dsfield() without net/ip_tunnels.h. */
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
 * mptun_ecn_outer() - DS field of the outer header of a data packet
 * @dscp: DSCP of the tunnel, MPTUN_DSCP_INHERIT to copy that of the packet
 * @skb: the inner packet, header readable; a GSO packet or one of its segments
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
 * mptun_ecn_control() - DS field of control packets
 * @dscp: DSCP of the tunnel
 *
 * Control packets measure the path, so they use the queues that data uses.
 * With MPTUN_DSCP_INHERIT they use DSCP 0.  They are Not-ECT: no controller
 * reacts to a marked report.
 *
 * Return: DSCP and ECN field.
 */
u8 mptun_ecn_control(u32 dscp)
{
	return dscp == MPTUN_DSCP_INHERIT ? 0 : dscp << MPTUN_ECN_DSCP_SHIFT;
}

/**
 * mptun_ecn_counts() - test whether the ECN field of a packet means something
 * @check: of its path
 * @sent: that of the inner packet, with which the outer one was sent unless the
 *	path drops packets with ECN (recovery/dsfield.c)
 * @outer: that with which it arrived
 *
 * Return: false if it is marked by a path whose marks mean nothing.
 */
bool mptun_ecn_counts(const struct mptun_ecn_check *check, u8 sent, u8 outer)
{
	if (!INET_ECN_is_ce(outer) || INET_ECN_is_ce(sent))
		return true;
	return !READ_ONCE(check->control_marked) &&
	       (INET_ECN_is_not_ect(sent) || READ_ONCE(check->ect_unmarked));
}

/**
 * mptun_ecn_decapsulate() - combine the outer and the inner ECN field
 * @check: of its path
 * @skb: the inner packet at its header, writable
 * @outer: DS field of the outer header
 *
 * Return: &enum mptun_ecn_flags.
 */
unsigned int mptun_ecn_decapsulate(const struct mptun_ecn_check *check,
				   struct sk_buff *skb, u8 outer)
{
	u8 inner = mptun_ecn_dsfield(skb) & INET_ECN_MASK;
	unsigned int flags = 0;
	bool possible;

	outer &= INET_ECN_MASK;
	if (!mptun_ecn_counts(check, inner, outer))
		return MPTUN_ECN_IGNORED;
	if (outer == INET_ECN_CE && inner != INET_ECN_CE)
		flags |= MPTUN_ECN_MARKED;
	if (flags && inner == INET_ECN_ECT_1)
		flags |= MPTUN_ECN_L4S;
	if (!INET_ECN_is_ce(outer) && !INET_ECN_is_not_ect(outer) &&
	    !INET_ECN_is_not_ect(inner))
		flags |= MPTUN_ECN_UNMARKED;
	/* Routers mark ECT packets in two degrees (RFC 6660) and change nothing
	 * else.
	 */
	possible = outer == inner ||
		   (outer == INET_ECN_CE && inner != INET_ECN_NOT_ECT) ||
		   (outer == INET_ECN_ECT_1 && inner == INET_ECN_ECT_0);
	if (!possible)
		flags |= MPTUN_ECN_FAULT;
	if (INET_ECN_decapsulate(skb, outer, inner) > 1)
		flags |= MPTUN_ECN_DROP;
	return flags;
}

/**
 * mptun_ecn_new_marks() - marks that a report adds
 * @seen: counters of earlier reports; updated
 * @total: counters of this report
 *
 * Reports may be reordered; a late one adds nothing.
 *
 * Return: the new marks.
 */
struct mptun_ecn_marks mptun_ecn_new_marks(struct mptun_ecn_marks *seen,
					   const struct mptun_ecn_marks *total)
{
	struct mptun_ecn_marks marks = {};
	s32 ce = total->ce - seen->ce;
	s32 l4s = total->l4s - seen->l4s;

	if (ce <= 0)
		return marks;
	*seen = *total;
	marks.ce = ce;
	marks.l4s = clamp(l4s, 0, ce);
	return marks;
}
