/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Path MTU: the largest outer packet of one path.
 */
#ifndef _MPTUN_PMTU_H
#define _MPTUN_PMTU_H

#include <linux/types.h>

/* No claim by ICMP makes a path smaller: the MTU that each IPv6 link has. */
#define MPTUN_PMTU_FLOOR	1280U

/* Rounds with an answer to the small challenge only, after which packets of
 * full size count as lost: at a loss of 5 % one claim in 8,000 is believed
 * falsely.
 */
#define MPTUN_PMTU_TRIES	3U

/* Rounds of an examination, with or without answers. */
#define MPTUN_PMTU_ROUNDS	16U

/* Pause before a claim that was refuted is examined again: the link may really
 * have become smaller since.
 */
#define MPTUN_PMTU_AGAIN_NS	1000000000ULL

/* Pause after a larger size was not answered (RFC 8899, PMTU_RAISE_TIMER). */
#define MPTUN_PMTU_RAISE_NS	600000000000ULL

/**
 * struct mptun_pmtu - largest outer packet of a path
 * @link: configured size: MTU of the route, or else of its device
 * @size: size in use in bytes, at most @link
 * @claim: size of the current examination, that ICMP messages claim or no
 *	longer claim
 * @token: token of its full challenge; that of the small one is larger by one
 * @due_ns: when its next round is due, U64_MAX if there is no examination
 * @again_ns: when the next examination may begin
 * @rounds: rounds begun
 * @lost: rounds with an answer to the small challenge only
 * @small: the small challenge was answered in this round
 */
struct mptun_pmtu {
	u32 link;
	u32 size;
	u32 claim;
	u64 token;
	u64 due_ns;
	u64 again_ns;
	u8 rounds;
	u8 lost;
	bool small;
};

void mptun_pmtu_init(struct mptun_pmtu *p, u32 link);
void mptun_pmtu_route(struct mptun_pmtu *p, u32 link, u32 claim, u64 token,
		      u64 now);
bool mptun_pmtu_expire(struct mptun_pmtu *p, u64 pto_ns, u64 now);
bool mptun_pmtu_answered(struct mptun_pmtu *p, u64 token, u64 now);
u32 mptun_pmtu_probed(const struct mptun_pmtu *p);

#endif /* _MPTUN_PMTU_H */
