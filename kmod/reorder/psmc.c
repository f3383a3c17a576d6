// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * The reorder buffer in mode psmc: the adaptive double buffer.
 *
 * Implements Yu Cai, "On Proxy Server based Multipath Connection", PhD
 * dissertation, University of Colorado at Colorado Springs, 2005, for
 * comparison.  Only the number of held packets distinguishes loss from
 * reordering.  With OWD_i the one-way delays and BW_i the rates of the paths:
 *
 *	B1  = sum((OWD_max - OWD_i) * BW_i + 1)	before the slowest
 *	B2  = sum(BW_i / BW_min + 1)		afterwards
 *	low = max(B1, B2, number of paths)
 *
 *	each sampling period:	target = factor * low, at most up
 *	the buffer is full:	release three; target - 1, if above low
 *	more than target packets came in sequence: target + 1, if below up
 *
 * Choices where the text is silent, or assumes one TCP connection:
 *
 *  - "The first three" are released by giving up the holes before the lowest
 *    held packets until three have left.  TCP would wait for a retransmission
 *    with the same number; here it never has its number, so packets behind the
 *    hole in its lane follow.
 *  - The count of packets in sequence restarts after each increment; a long run
 *    would otherwise add one per packet.
 *  - The text has no hold time.  At the end of a burst the buffer never fills,
 *    so the longest hold time of the settings applies.
 *
 * Units: packets, us, packets per second.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "reorder/reorder.h"

/* Target in units of the lower bound, unless it is set */
#define MPTUN_PSMC_FACTOR	2
#define MPTUN_PSMC_RELEASE	3	/* as many as make TCP retransmit */

/* Lower bound before the first sample: two equal paths. */
#define MPTUN_PSMC_LOW_FIRST	4

/* The target at the begin of a sampling period. */
static u32 mptun_psmc_target(const struct mptun_reorder *r)
{
	u32 percent = r->config.psmc_factor ?: 100 * MPTUN_PSMC_FACTOR;

	return min_t(u64, div_u64((u64)r->psmc.low * percent, 100),
		     r->psmc.up);
}

/* Initialises the state of mode psmc. */
void mptun_reorder_psmc_init(struct mptun_reorder *r)
{
	r->psmc.low = MPTUN_PSMC_LOW_FIRST;
	r->psmc.up = MPTUN_REORDER_SLOTS_MAX;
	r->psmc.target = mptun_psmc_target(r);
	r->psmc.run = 0;
}

/* max(B1, B2, number of paths in use) in packets, rounded up, at least 1. */
u32 mptun_psmc_bounds(const struct mptun_psmc_path *path, unsigned int n)
{
	u32 slowest = 0, lowest_rate = U32_MAX, used = 0;
	u64 early = 0, rate = 0, b1, b2;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (!path[i].rate_pps)
			continue;
		used++;
		rate += path[i].rate_pps;
		slowest = max(slowest, path[i].owd_us);
		lowest_rate = min(lowest_rate, path[i].rate_pps);
	}
	if (!used)
		return 1;

	for (i = 0; i < n; i++)
		early += min_t(u64, (u64)(slowest - path[i].owd_us) *
			       path[i].rate_pps, U32_MAX * 1000000ULL);
	b1 = div_u64(early + USEC_PER_SEC - 1, USEC_PER_SEC) + used;
	b2 = div_u64(rate + lowest_rate - 1, lowest_rate) + used;
	return min_t(u64, max(b1, b2), U32_MAX / MPTUN_PSMC_FACTOR);
}

/**
 * mptun_reorder_psmc() - end a sampling period
 * @r: the ring
 * @path: the paths
 * @n: number of paths
 * @up: upper limit in packets, 0 for that of the ring
 * @now: our clock in ns
 * @out: released packets are appended
 */
void mptun_reorder_psmc(struct mptun_reorder *r,
			const struct mptun_psmc_path *path, unsigned int n,
			u32 up, u64 now, struct sk_buff_head *out)
{
	struct mptun_psmc *psmc = &r->psmc;

	psmc->up = up ? min_t(u32, up, MPTUN_REORDER_SLOTS_MAX) :
			MPTUN_REORDER_SLOTS_MAX;
	psmc->low = min(mptun_psmc_bounds(path, n), psmc->up);
	psmc->target = mptun_psmc_target(r);
	mptun_reorder_psmc_full(r, now, out);
}

/* Counts packets delivered in sequence. */
void mptun_reorder_psmc_run(struct mptun_reorder *r, u32 n)
{
	struct mptun_psmc *psmc = &r->psmc;

	if (r->config.mode != MPTUN_REORDER_MODE_PSMC)
		return;
	psmc->run += n;
	if (psmc->run > psmc->target && psmc->target < psmc->up) {
		psmc->target++;
		psmc->run = 0;
	}
}

/* Releases the lowest packets while the buffer is full, at least
 * MPTUN_PSMC_RELEASE of them.
 */
void mptun_reorder_psmc_full(struct mptun_reorder *r, u64 now,
			     struct sk_buff_head *out)
{
	struct mptun_psmc *psmc = &r->psmc;
	struct sk_buff *skb;
	u32 held, dsn;

	if (r->config.mode != MPTUN_REORDER_MODE_PSMC)
		return;
	while (r->held && r->held >= psmc->target) {
		held = r->held;
		while (r->held && held - r->held < MPTUN_PSMC_RELEASE) {
			dsn = mptun_reorder_lowest_held(r);
			skb = *mptun_reorder_skb(r, dsn);
			mptun_reorder_give_up(r, dsn - mptun_rxcb(skb)->prev,
					      MPTUN_GIVE_UP_PSMC, now, out);
		}
		if (psmc->target > psmc->low)
			psmc->target--;
		psmc->run = 0;
	}
}
