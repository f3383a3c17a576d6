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
 */
enum mptun_ecn_flags {
	MPTUN_ECN_MARKED = 1 << 0,
	MPTUN_ECN_L4S = 1 << 1,
	MPTUN_ECN_FAULT = 1 << 2,
	MPTUN_ECN_DROP = 1 << 3,
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
unsigned int mptun_ecn_decapsulate(struct sk_buff *skb, u8 outer);
struct mptun_ecn_marks mptun_ecn_new_marks(struct mptun_ecn_marks *seen,
				      const struct mptun_ecn_marks *total);

#endif /* _MPTUN_ECN_H */
