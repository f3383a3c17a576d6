/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Path MTU: the largest outer packet of one path (DPLPMTUD, RFC 8899).
 */
#ifndef _MPTUN_PMTU_H
#define _MPTUN_PMTU_H

#include <linux/limits.h>
#include <linux/mptun.h>
#include <linux/types.h>

/* BASE_PLPMTU: size of a path that has proved none, and the least size that an
 * ICMP message can claim: the MTU that each IPv6 link has.
 */
#define MPTUN_PMTU_BASE		1280U

/* MIN_PLPMTU: size of a path on which packets of the base size get lost. */
#define MPTUN_PMTU_MIN		576U

/* The search ends when the smallest size that does not pass is larger by this
 * than the size in use.
 */
#define MPTUN_PMTU_STEP		4U

/* MAX_PROBES: probes of a size that have to get lost, while smaller ones of the
 * same rounds arrive, before the size counts as too large.  A size that was
 * proved before, and that no ICMP message denies, needs one more: at a loss of
 * 5 % that happens once in 160,000 examinations.
 */
#define MPTUN_PMTU_PROBES	3U
#define MPTUN_PMTU_PROVED	4U

/* Probes of a round: sizes in an interval, its upper bound, what a message
 * claims, and the base size.
 */
#define MPTUN_PMTU_INSIDE	8U
#define MPTUN_PMTU_ROUND	(MPTUN_PMTU_INSIDE + 3)

/* Unanswered rounds in a row after which size is ruled out as the cause. */
#define MPTUN_PMTU_SILENT	16U

/* Rounds, or time, after which a first search counts as ended. */
#define MPTUN_PMTU_FIRST	3U
#define MPTUN_PMTU_FIRST_NS	1000000000ULL

/* Least time that a round waits for probes that were overtaken. */
#define MPTUN_PMTU_LATE_NS	2000000ULL

/* How long lost packets may wait for the arrival of a later one as large. */
#define MPTUN_PMTU_DOUBT_NS	50000000ULL

/* Least interval of rounds that examine the size in use: a burst of losses is
 * shorter than all of them.
 */
#define MPTUN_PMTU_PAUSE_NS	25000000ULL

/* Pause between examinations: after an ICMP message, which anyone may send, and
 * after losses of data.
 */
#define MPTUN_PMTU_AGAIN_NS	1000000000ULL
#define MPTUN_PMTU_CALM_NS	100000000ULL

/* PMTU_RAISE_TIMER: pause before a larger size is searched for. */
#define MPTUN_PMTU_RAISE_NS	600000000000ULL

/**
 * struct mptun_pmtu - largest outer packet of a path
 * @link: MAX_PLPMTU: MTU of the route, or else of its device, or the upper
 *	bound that the administrator has set
 * @size: PLPMTU: size in use in bytes, at most @link
 * @above: smallest size that gets lost, more than @link if none is known
 * @claim: size that an ICMP message claims, 0 if none does
 * @passes: largest smaller size that was answered while @size is examined
 * @state: &enum mptun_pmtu_state
 * @fails: lost probes of @above, or of @size while it is examined
 * @base_fails: lost probes of the base size
 * @silent: rounds in a row without an answer
 * @rounds: rounds with an answer since the search began
 * @based: the base size, or a larger one, has been proved
 * @searched: the first search has ended, also after a fall
 * @examined: @size is being examined
 * @searching: the search has not found the largest size yet
 * @began_ns: when that search began
 * @sent_ns: when this round began
 * @due_ns: when it ends, or the next search begins; U64_MAX for never
 * @raise_ns: when the next search begins
 * @doubt_ns: when lost packets make @size doubtful, U64_MAX for never
 * @again_ns: when an ICMP message may next cause an examination
 * @calm_ns: when losses may next cause an examination
 * @token: token of the first probe of the round, those of the others follow;
 *	the last one is that of the small probe
 * @n: number of its sizes
 * @answered: mask of its answered sizes
 * @heard: its small probe was answered
 * @probe: PROBED_SIZEs, the largest first
 */
struct mptun_pmtu {
	u32 link;
	u32 size;
	u32 above;
	u32 claim;
	u32 passes;
	u8 state;
	u8 fails;
	u8 base_fails;
	u8 silent;
	u8 rounds;
	bool based;
	bool searched;
	bool examined;
	bool searching;
	u64 began_ns;
	u64 sent_ns;
	u64 due_ns;
	u64 raise_ns;
	u64 doubt_ns;
	u64 again_ns;
	u64 calm_ns;

	/* The round */
	u64 token;
	u8 n;
	u16 answered;
	bool heard;
	u16 probe[MPTUN_PMTU_ROUND];
};

/**
 * mptun_pmtu_doubted() - test whether data that passes makes a difference
 * @p: the MTU
 *
 * Return: true if lost packets cast doubt on the size in use.
 */
static inline bool mptun_pmtu_doubted(const struct mptun_pmtu *p)
{
	return p->doubt_ns != U64_MAX || p->examined;
}

void mptun_pmtu_init(struct mptun_pmtu *p, u32 link);
void mptun_pmtu_start(struct mptun_pmtu *p, u64 now);
bool mptun_pmtu_route(struct mptun_pmtu *p, u32 link, u64 now);
void mptun_pmtu_claim(struct mptun_pmtu *p, u32 claim, u64 now);
void mptun_pmtu_doubt(struct mptun_pmtu *p, u32 lost, u64 at);
void mptun_pmtu_passes(struct mptun_pmtu *p, u64 now);
u64 mptun_pmtu_deadline(const struct mptun_pmtu *p);
bool mptun_pmtu_expire(struct mptun_pmtu *p, u64 token, u64 pto_ns, bool used,
		       u64 now);
bool mptun_pmtu_answered(struct mptun_pmtu *p, u64 token, u64 now);

#endif /* _MPTUN_PMTU_H */
