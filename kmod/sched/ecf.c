// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Scheduler "ecf": earliest completion first (Lim et al. 2017).
 *
 * The model: a path with room may be so far away that what is sent on it now
 * arrives after all that waits could have gone by nearer paths, though these
 * are full at the moment.  Then it makes nothing earlier, and keeps what comes
 * behind it waiting at the receiver.  So it is left idle, and the nearer ones
 * are waited for.
 *
 * The publication compares two paths, with whole windows per round trip.  Here
 * the rates of paths are known, and what waits is a liquid.  If only the paths
 * F that are nearer carry what waits, K bytes, path i of them delivers
 * rate_i * (t - arrival_i) until t, so that all of it is there at
 *
 *	T = (K + sum of rate_i * arrival_i) / sum of rate_i	over F
 *
 * The farther one is of use only if a packet arrives there before T.  K is the
 * packet, the rest of its GSO packet and what the device's qdisc holds, and
 * what is still to come: a qdisc that keeps its queue short says little of a
 * sender that always has more.  That is taken to be as much as has been carried
 * since the nearer paths became full.  So a burst stays on them, and a transfer
 * that goes on for longer than the farther path is farther takes all.  That
 * they are full ends when it was not so for as long as a packet takes on the
 * farther one.
 *
 * Estimates swing.  As in the publication, a scheduler that has begun to wait
 * does so until waiting is worse by a quarter (beta).  What deviations of the
 * round-trip times it adds to the farther path (delta) is added to T instead:
 * when in doubt the path that is there is used.
 *
 * Waiting ends with an acknowledgment, which makes room, or when it has taken
 * as long as it was to gain.  Then the estimate was wrong: a nearer path is
 * slower than it was, or dead.  The packet goes to the farther path, and those
 * that were waited for in vain are not waited for again until they have taken
 * a packet.  So a path that dies costs the difference of two paths, once.
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

/* A scheduler that waits goes on until it is worse by 1 / 4: beta. */
#define MPTUN_ECF_BETA_SHIFT	2

/* 2^31 bytes per second times 2^24 us (17 s), of 32 paths, fit into 60 bits. */
#define MPTUN_ECF_RATE_MAX	BIT_ULL(31)
#define MPTUN_ECF_US_MAX	((u32)BIT(24))
#define MPTUN_ECF_BACKLOG_MAX	BIT_ULL(32)

/**
 * struct mptun_ecf - memory of a path
 * @until_ns: nearer paths are waited for until then; 0 if they are not
 * @waits: the last choice about this path was not to use it
 * @doubt: it was waited for in vain
 */
struct mptun_ecf {
	u64 until_ns;
	u32 waits;
	u32 doubt;
};

/**
 * struct mptun_ecf_busy - memory of the tunnel
 * @carried: bytes placed since the nearer paths became full
 * @full_ns: when they were last
 */
struct mptun_ecf_busy {
	u64 carried;
	u64 full_ns;
};

static_assert(sizeof(struct mptun_ecf) <= sizeof(struct mptun_sched_mem));
static_assert(sizeof(struct mptun_ecf_busy) <= sizeof(struct mptun_sched_mem));

static struct mptun_ecf *mptun_ecf(const struct mptun_sched_cand *c)
{
	return (struct mptun_ecf *)c->mem->data;
}

static struct mptun_ecf_busy *mptun_ecf_busy(struct mptun_sched *s)
{
	return (struct mptun_ecf_busy *)s->mem.data;
}

static u64 mptun_ecf_rate(const struct mptun_sched_cand *c)
{
	u64 rate = c->rate;

	if (!rate && c->srtt_us)
		rate = div_u64((u64)c->cwnd * USEC_PER_SEC, c->srtt_us);
	return clamp_t(u64, rate, 1, MPTUN_ECF_RATE_MAX);
}

/* Is @c a path worth waiting for, instead of using @far? */
static bool mptun_ecf_nearer(const struct mptun_sched_cand *c,
			     const struct mptun_sched_cand *far)
{
	return c != far && c->eligible && c->arrival_us &&
	       c->arrival_us < far->arrival_us && !mptun_ecf(c)->doubt;
}

/* When would all that waits be there without @far?  Plus the deviation of the
 * estimate; U32_MAX if there is no other path.
 */
static u32 mptun_ecf_without(u64 waiting, const struct mptun_sched_cand *cand,
			     unsigned int n,
			     const struct mptun_sched_cand *far)
{
	u64 area = waiting * USEC_PER_SEC, rates = 0, rate;
	u32 delta = far->rttvar_us;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (!mptun_ecf_nearer(&cand[i], far))
			continue;
		rate = mptun_ecf_rate(&cand[i]);
		rates += rate;
		area += rate * min(cand[i].arrival_us, MPTUN_ECF_US_MAX);
		delta = max(delta, cand[i].rttvar_us);
	}
	if (!rates)
		return U32_MAX;
	return min_t(u64, div64_u64(area, rates) + delta / 2, U32_MAX);
}

/* What waits, and what is still to come. */
static u64 mptun_ecf_waiting(struct mptun_sched *s, u32 far_us, u32 bytes)
{
	struct mptun_ecf_busy *busy = mptun_ecf_busy(s);

	if (s->now > busy->full_ns + (u64)far_us * NSEC_PER_USEC)
		busy->carried = 0;
	return clamp_t(u64, min(s->backlog, MPTUN_ECF_BACKLOG_MAX) +
		       busy->carried, bytes, MPTUN_ECF_BACKLOG_MAX);
}

/* Begins to wait for up to @gain, or goes on; false when that is over. */
static bool mptun_ecf_wait(struct mptun_sched *s, struct mptun_ecf *mem,
			   u32 gain)
{
	if (!mem->until_ns)
		mem->until_ns = s->now + (u64)gain * NSEC_PER_USEC;
	mem->waits = true;
	s->wake_ns = min(s->wake_ns, mem->until_ns);
	return s->now < mem->until_ns;
}

/* Waiting instead of using @far is over. If that was @in_vain, it is not
 * waited for the same ones again before they have taken a packet.
 */
static void mptun_ecf_use(const struct mptun_sched_cand *cand, unsigned int n,
			  const struct mptun_sched_cand *far, bool in_vain)
{
	struct mptun_ecf *mem = mptun_ecf(far);
	unsigned int i;

	mem->until_ns = 0;
	mem->waits = false;
	for (i = 0; in_vain && i < n; i++)
		if (mptun_ecf_nearer(&cand[i], far))
			mptun_ecf(&cand[i])->doubt = true;
}

static int mptun_ecf_pick(struct mptun_sched *s,
			  const struct mptun_sched_cand *cand, unsigned int n,
			  u32 bytes)
{
	int best = mptun_sched_nearest(cand, n, bytes);
	const struct mptun_sched_cand *far;
	u32 latest, there;
	u64 waiting;
	bool waits;

	if (best < 0)
		mptun_ecf_busy(s)->full_ns = s->now;
	/* With nothing to send there is nothing to wait for. */
	if (best < 0 || !cand[best].arrival_us || !s->backlog)
		return best;
	far = &cand[best];
	latest = min(far->arrival_us, MPTUN_ECF_US_MAX);
	if (mptun_ecf(far)->waits)
		latest += latest >> MPTUN_ECF_BETA_SHIFT;
	waiting = mptun_ecf_waiting(s, latest, bytes);
	there = mptun_ecf_without(waiting, cand, n, far);
	if (there < U32_MAX)
		mptun_ecf_busy(s)->full_ns = s->now;
	waits = there < latest;
	if (waits && mptun_ecf_wait(s, mptun_ecf(far), latest - there))
		return -EAGAIN;
	mptun_ecf_use(cand, n, far, waits);
	return best;
}

/* What was waited for has come, or is not waited for any more. */
static void mptun_ecf_sent(struct mptun_sched *s,
			   const struct mptun_sched_cand *cand, unsigned int n,
			   unsigned int chosen, u32 bytes)
{
	struct mptun_ecf_busy *busy = mptun_ecf_busy(s);
	unsigned int i;

	busy->carried = min(busy->carried + bytes, MPTUN_ECF_BACKLOG_MAX);
	for (i = 0; i < n; i++)
		mptun_ecf(&cand[i])->until_ns = 0;
	mptun_ecf(&cand[chosen])->doubt = false;
}

const struct mptun_sched_ops mptun_sched_ecf = {
	.name		= "ecf",
	.pick		= mptun_ecf_pick,
	.sent		= mptun_ecf_sent,
	.looks_back	= true,
	.thick_first	= true,
};
