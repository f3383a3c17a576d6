/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * ECN and DSCP of outer packets.
 */
#ifndef _MPTUN_ECN_H
#define _MPTUN_ECN_H

#include <linux/types.h>

struct sk_buff;

/**
 * enum mptun_ecn_flags - result of decapsulation, as bits
 * @MPTUN_ECN_MARKED: marked on the path
 * @MPTUN_ECN_L4S: marked, and the inner packet is ECT(1)
 * @MPTUN_ECN_FAULT: no router may turn the inner field into the outer one
 * @MPTUN_ECN_DROP: drop the packet
 * @MPTUN_ECN_IGNORED: marked, but marks of this path mean nothing
 * @MPTUN_ECN_UNMARKED: sent ECT, and arrived so
 */
enum mptun_ecn_flags {
	MPTUN_ECN_MARKED = 1 << 0,
	MPTUN_ECN_L4S = 1 << 1,
	MPTUN_ECN_FAULT = 1 << 2,
	MPTUN_ECN_DROP = 1 << 3,
	MPTUN_ECN_IGNORED = 1 << 4,
	MPTUN_ECN_UNMARKED = 1 << 5,
};

/**
 * struct mptun_ecn_check - whether marks of a path mean congestion
 * @ect_unmarked: a packet sent ECT has arrived so
 * @control_marked: the last control packet sent Not-ECT was marked
 *
 * Written under mptun_rx.lock, read without it.
 */
struct mptun_ecn_check {
	bool ect_unmarked;
	bool control_marked;
};

/**
 * struct mptun_ecn_marks - packets marked on a path under its present number
 * @ce: all of them, low 32 bits
 * @l4s: those with ECT(1) inside, low 32 bits
 */
struct mptun_ecn_marks {
	u32 ce;
	u32 l4s;
};

u8 mptun_ecn_outer(u32 dscp, const struct sk_buff *skb);
u8 mptun_ecn_control(u32 dscp);
bool mptun_ecn_counts(const struct mptun_ecn_check *check, u8 sent, u8 outer);
unsigned int mptun_ecn_decapsulate(const struct mptun_ecn_check *check,
				   struct sk_buff *skb, u8 outer);
struct mptun_ecn_marks mptun_ecn_new_marks(struct mptun_ecn_marks *seen,
					   const struct mptun_ecn_marks *total);

#endif /* _MPTUN_ECN_H */
