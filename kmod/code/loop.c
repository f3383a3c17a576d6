// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * How many repair symbols there are.
 *
 * A window of W packets with r symbols per packet is decoded if no more of its
 * packets are lost than symbols arrive.  The number of losses has the mean
 *
 *	m = W p
 *
 * and, if losses are independent, nearly the variance m.  Where b packets are
 * lost together in the mean, with a geometric distribution, the variance is
 * (2 b - 1) times that.  So
 *
 *	r W (1 - p) = m + 3.7 sqrt(m (2 b - 1)) + (b - 1) / 2
 *
 * symbols suffice except in about one of 10^4 windows: the last term is for the
 * bursts that a normal distribution does not have.  Losses that span two
 * windows have the symbols of both, so that fewer packets are gone.
 * Documentation/coding.rst compares it with measurements.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "code/loop.h"

#define MPTUN_CODE_FAST_SHIFT	7
#define MPTUN_CODE_SLOW_SHIFT	10
#define MPTUN_CODE_BURST_SHIFT	4

/* Packets whose paths decide about the symbols of a stream. */
#define MPTUN_CODE_MIX		128

/* Longest burst that counts: a longer one is an outage. */
#define MPTUN_CODE_BURST_MAX	16U

/* Standard deviations that a normal distribution exceeds once in 10^4 times,
 * in eighths.
 */
#define MPTUN_CODE_SIGMA	30U

static u32 mptun_code_share(u32 share, unsigned int shift, u32 packets,
			    u32 lost, u32 spurious)
{
	u64 sum = (u64)lost * MPTUN_CODE_WHOLE;
	u64 less = (u64)spurious * MPTUN_CODE_WHOLE >> shift;
	u32 all = 1U << shift;

	if (packets < all)
		share = ((u64)share * (all - packets) + sum) >> shift;
	else
		share = div_u64(sum, packets);
	return share - min_t(u64, share, less);
}

/**
 * mptun_code_loss_add() - take what became of packets
 * @l: losses of their path
 * @packets: packets that arrived or were lost
 * @lost: those lost
 * @spurious: those counted as lost before that arrived after all
 */
void mptun_code_loss_add(struct mptun_code_loss *l, u32 packets, u32 lost,
			 u32 spurious)
{
	u32 burst = min(lost, MPTUN_CODE_BURST_MAX) * MPTUN_CODE_PACKET;

	l->fast = mptun_code_share(l->fast, MPTUN_CODE_FAST_SHIFT, packets,
				   lost, spurious);
	l->slow = mptun_code_share(l->slow, MPTUN_CODE_SLOW_SHIFT, packets,
				   lost, spurious);
	if (!lost)
		return;
	if (!l->burst)
		l->burst = MPTUN_CODE_PACKET;
	l->burst += burst >> MPTUN_CODE_BURST_SHIFT;
	l->burst -= l->burst >> MPTUN_CODE_BURST_SHIFT;
}

/**
 * mptun_code_loss_mix() - follow the path of a packet
 * @l: losses of a stream of packets on several paths
 * @path: losses of the path of its next packet
 *
 * It is the mean of the paths of the last packets, of about two windows: paths
 * take turns, run by run.
 */
void mptun_code_loss_mix(struct mptun_code_loss *l,
			 const struct mptun_code_loss *path)
{
	u32 now = max(path->fast, path->slow);

	l->fast += ((s32)now - (s32)l->fast) / MPTUN_CODE_MIX;
	l->slow = l->fast;
	/* that of the path that loses most of them */
	if (now >= l->fast)
		l->burst = path->burst;
}

/**
 * mptun_code_overhead() - how many symbols are needed
 * @l: losses
 * @window: packets of a symbol
 *
 * Return: symbols per packet, see MPTUN_CODE_ONE, at most one.
 */
u32 mptun_code_overhead(const struct mptun_code_loss *l, u32 window)
{
	u32 share = min(mptun_code_loss_now(l), MPTUN_CODE_ONE / 2);
	u32 burst = max(l->burst, MPTUN_CODE_PACKET);
	u64 mean = (u64)share * window, variance, deviation = 0, bit;

	if (share <= MPTUN_CODE_RESIDUAL)
		return 0;
	/* the variance with 32 bits behind the point, and its root with 16 */
	variance = mean * (2 * burst - MPTUN_CODE_PACKET) /
		   MPTUN_CODE_PACKET * MPTUN_CODE_ONE;
	for (bit = BIT_ULL(31); bit; bit >>= 1)
		if ((deviation | bit) * (deviation | bit) <= variance)
			deviation |= bit;
	deviation = deviation * MPTUN_CODE_SIGMA / 8 +
		    (u64)(burst - MPTUN_CODE_PACKET) * MPTUN_CODE_ONE /
		    (2 * MPTUN_CODE_PACKET);
	mean = div_u64((mean + deviation) * MPTUN_CODE_ONE,
		       window * (MPTUN_CODE_ONE - share));
	return min_t(u64, mean, MPTUN_CODE_ONE);
}
