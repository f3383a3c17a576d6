// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Scheduler "ecf": earliest completion first (Lim et al. 2017).
 *
 * The model: a path with room may be so slow that earlier paths, though full at
 * the moment, deliver the whole backlog before a packet sent on it now arrives.
 * Then the path gains nothing, and what follows waits for that packet at the
 * receiver. So it is left idle, and the packet waits for the earlier paths.
 *
 * The publication compares two paths, in whole windows per round trip. Here the
 * rates of paths are known, and the backlog is treated as a fluid. If only the
 * earlier paths F carry the backlog of K bytes, path i of them delivers rate_i
 * * (t - arrival_i) by time t, so that all of it is delivered at
 *
 *	T = (K + sum of rate_i * arrival_i) / sum of rate_i	over F
 *
 * The later path is of use only if a packet arrives there before T. K is the
 * packet, the rest of its GSO packet, the backlog of the device's qdisc, and
 * what is still to come: a qdisc that keeps its queue short says little about a
 * sender that always has more. That is assumed to be as much as was carried
 * since the earlier paths became full. So a burst stays on them, and a transfer
 * that lasts longer than the difference in latency uses all paths. The busy
 * period ends once the earlier paths have had room for one arrival time of the
 * later one.
 *
 * Estimates oscillate. As in the publication, a scheduler that has begun to
 * wait continues until waiting is worse by a quarter (beta). The deviation of
 * round-trip times that the publication adds to the later path (delta) is added
 * to T instead: when in doubt, the path with room is used.
 *
 * Waiting ends with an acknowledgment, which makes room, or when it has taken
 * as long as it was expected to gain. In the latter case the estimate was
 * wrong: an earlier path has become slower, or is dead. The packet goes to the
 * later path, and the paths waited for in vain are not waited for again until
 * they have taken a packet. So a path that dies costs the difference of two
 * paths, once.
 *
 * Units: bytes, bytes per second, microseconds.
 */
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "sched/sched.h"

/* beta: a scheduler that waits continues until waiting is worse by 1/4. */
#define MPTUN_ECF_BETA_SHIFT	2

/* 2^31 bytes per second times 2^24 us (17 s), of 32 paths, fit into 60 bits. */
#define MPTUN_ECF_RATE_MAX	BIT_ULL(31)
#define MPTUN_ECF_US_MAX	((u32)BIT(24))
#define MPTUN_ECF_BACKLOG_MAX	BIT_ULL(32)

/**
 * struct mptun_ecf - memory of a path
 * @until_ns: end of waiting for earlier paths, 0 if none
 * @waits: the last choice was not to use this path
 * @failed: waiting for this path was in vain
 */
struct mptun_ecf {
	u64 until_ns;
	u32 waits;
	u32 failed;
};

static_assert(sizeof(struct mptun_ecf) <= sizeof(struct mptun_sched_mem));
static_assert(sizeof(struct mptun_ecf_busy) <= sizeof(struct mptun_sched_mem));

static struct mptun_ecf *mptun_ecf_path(const struct mptun_sched_cand *c)
{
	return (struct mptun_ecf *)c->mem->data;
}

static struct mptun_ecf_busy *mptun_ecf_tunnel(struct mptun_sched *s)
{
	return (struct mptun_ecf_busy *)s->mem.data;
}

/* Tests whether @c is worth waiting for, instead of using @slow. */
static bool mptun_ecf_earlier(const struct mptun_sched_cand *c,
			      const struct mptun_sched_cand *slow)
{
	return c != slow && c->eligible && c->arrival_us &&
	       c->arrival_us < slow->arrival_us && !mptun_ecf_path(c)->failed;
}

/* Time until the backlog is delivered without @slow, plus the deviation of the
 * estimate; U32_MAX if there is no other path.
 */
static u32 mptun_ecf_without(u64 waiting, const struct mptun_sched_cand *cand,
			     unsigned int n,
			     const struct mptun_sched_cand *slow)
{
	u64 area = waiting * USEC_PER_SEC, rates = 0, rate;
	u32 delta = slow->rttvar_us;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (!mptun_ecf_earlier(&cand[i], slow))
			continue;
		rate = clamp_t(u64, mptun_sched_rate(&cand[i]), 1,
			       MPTUN_ECF_RATE_MAX);
		rates += rate;
		area += rate * min(cand[i].arrival_us, MPTUN_ECF_US_MAX);
		delta = max(delta, cand[i].rttvar_us);
	}
	if (!rates)
		return U32_MAX;
	return min_t(u64, div64_u64(area, rates) + delta / 2, U32_MAX);
}

/* Begins or continues to wait for as long as that gains time. If it was in
 * vain, the paths waited for are not waited for again before they have taken a
 * packet.
 */
static int mptun_ecf_pick(struct mptun_sched *s,
			  const struct mptun_sched_cand *cand, unsigned int n,
			  u32 bytes)
{
	int best = mptun_sched_earliest(cand, n, bytes);
	struct mptun_ecf_busy *busy = mptun_ecf_tunnel(s);
	const struct mptun_sched_cand *slow;
	struct mptun_ecf *mem;
	u32 latest, drained;
	unsigned int i;
	u64 waiting;

	if (best < 0)
		busy->full_ns = s->now;
	/* With no backlog there is nothing to wait for. */
	if (best < 0 || !cand[best].arrival_us || !s->backlog)
		return best;
	slow = &cand[best];
	mem = mptun_ecf_path(slow);
	latest = min(slow->arrival_us, MPTUN_ECF_US_MAX);
	if (mem->waits)
		latest += latest >> MPTUN_ECF_BETA_SHIFT;
	if (s->now > busy->full_ns + (u64)latest * NSEC_PER_USEC)
		busy->carried = 0;
	/* the backlog, and what is still to come */
	waiting = clamp_t(u64, min(s->backlog, MPTUN_ECF_BACKLOG_MAX) +
			  busy->carried, bytes, MPTUN_ECF_BACKLOG_MAX);
	drained = mptun_ecf_without(waiting, cand, n, slow);
	if (drained < U32_MAX)
		busy->full_ns = s->now;
	if (drained < latest) {
		if (!mem->until_ns)
			mem->until_ns = s->now + (u64)(latest - drained) *
						 NSEC_PER_USEC;
		mem->waits = true;
		s->wake_ns = min(s->wake_ns, mem->until_ns);
		if (s->now < mem->until_ns)
			return -EAGAIN;
		for (i = 0; i < n; i++)
			if (mptun_ecf_earlier(&cand[i], slow))
				mptun_ecf_path(&cand[i])->failed = true;
	}
	mem->until_ns = 0;
	mem->waits = false;
	return best;
}

/* Ends all waiting, as a path has taken a packet. */
static void mptun_ecf_sent(struct mptun_sched *s,
			   const struct mptun_sched_cand *cand, unsigned int n,
			   unsigned int chosen, u32 bytes)
{
	struct mptun_ecf_busy *busy = mptun_ecf_tunnel(s);
	unsigned int i;

	busy->carried = min(busy->carried + bytes, MPTUN_ECF_BACKLOG_MAX);
	for (i = 0; i < n; i++)
		mptun_ecf_path(&cand[i])->until_ns = 0;
	mptun_ecf_path(&cand[chosen])->failed = false;
}

const struct mptun_sched_ops mptun_sched_ecf = {
	.name		= "ecf",
	.number		= MPTUN_CAPS_SCHED_ECF,
	.pick		= mptun_ecf_pick,
	.sent		= mptun_ecf_sent,
	.wants_backlog	= true,
	.high_rate_first	= true,
};
