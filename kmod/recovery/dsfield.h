/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * DS fields (DSCP and ECN) with which packets pass a path.
 */
#ifndef _MPTUN_DSFIELD_H
#define _MPTUN_DSFIELD_H

#include <linux/types.h>

/* DS fields examined at a time; packets with others are sent unexamined. */
#define MPTUN_DSFIELD_MAX	8U

/* Rounds of probes in a row in which a DS field has to get lost, while the
 * plain probe arrives: at a loss of 5 % in a round trip that happens once in
 * 190,000 times.
 */
#define MPTUN_DSFIELD_PROBES	4U

/* Pause after which a DS field in use is examined again: while it passes, and
 * while it does not.
 */
#define MPTUN_DSFIELD_AGAIN_NS	2000000000ULL
#define MPTUN_DSFIELD_RETRY_NS	60000000000ULL

/**
 * struct mptun_dsfield_value - a DS field of packets of a path
 * @ds: the DS field, with ECT(0) in place of CE
 * @lost: rounds in a row in which its probe got lost
 * @refused: the path drops packets with it
 * @token: token of its probe, the same until it is answered
 * @used_ns: when a packet was last to have it
 * @due_ns: when it is examined next, U64_MAX for never
 * @next_ns: earliest time of the next examination
 */
struct mptun_dsfield_value {
	u8 ds;
	u8 lost;
	bool refused;
	u64 token;
	u64 used_ns;
	u64 due_ns;
	u64 next_ns;
};

/**
 * struct mptun_dsfield - what is known of a path; initially all zero
 * @value: the DS fields
 * @n: their number
 * @asked: mask of those with an unanswered probe in this round
 * @heard: the plain probe of this round was answered
 * @token: its token
 * @due_ns: when the round ends
 */
struct mptun_dsfield {
	struct mptun_dsfield_value value[MPTUN_DSFIELD_MAX];
	u8 n;
	u8 asked;
	bool heard;
	u64 token;
	u64 due_ns;
};

/**
 * struct mptun_dsfield_round - probes to be sent, in this order
 * @n: number of DS fields
 * @ds: the DS fields
 * @token: tokens of their probes
 * @plain: token of the probe that follows, with the DS field of control packets
 */
struct mptun_dsfield_round {
	unsigned int n;
	u8 ds[MPTUN_DSFIELD_MAX];
	u64 token[MPTUN_DSFIELD_MAX];
	u64 plain;
};

u8 mptun_dsfield_use(struct mptun_dsfield *d, u8 ds, u8 plain, u64 now);
u64 mptun_dsfield_deadline(const struct mptun_dsfield *d);
bool mptun_dsfield_expire(struct mptun_dsfield *d, u64 token, u64 pto_ns,
			  u64 now, struct mptun_dsfield_round *round);
bool mptun_dsfield_answered(struct mptun_dsfield *d, u64 token, u64 now);

#endif /* _MPTUN_DSFIELD_H */
