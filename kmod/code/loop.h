/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * How many repair symbols there are.
 */
#ifndef _MPTUN_CODE_LOOP_H
#define _MPTUN_CODE_LOOP_H

#include <linux/minmax.h>
#include <linux/types.h>

/* Shares of packets: this is all of them. */
#define MPTUN_CODE_ONE		65536U

/* The same for shares that are averaged: with the bits that the mean of 1024
 * packets needs, so that a small one does not fall faster than it should.
 */
#define MPTUN_CODE_WHOLE	(MPTUN_CODE_ONE << 10)

/* Target: the share of packets that may be gone in spite of the code, 1e-4.  A
 * path that loses less is not coded for.
 */
#define MPTUN_CODE_RESIDUAL	(MPTUN_CODE_ONE / 10000)

/* Unit of the length of bursts. */
#define MPTUN_CODE_PACKET	256U

/**
 * struct mptun_code_loss - losses of a path, or of the paths of a stream
 * @fast: share of the last packets that were lost, of about 128; see
 *	MPTUN_CODE_WHOLE
 * @slow: the same of about 1024
 * @burst: how many were lost together, in MPTUN_CODE_PACKET; 0 if none was
 *
 * All zero is a path without packets.
 */
struct mptun_code_loss {
	u32 fast;
	u32 slow;
	u32 burst;
};

void mptun_code_loss_add(struct mptun_code_loss *l, u32 packets, u32 lost,
			 u32 spurious);
void mptun_code_loss_mix(struct mptun_code_loss *l,
			 const struct mptun_code_loss *path);
u32 mptun_code_overhead(const struct mptun_code_loss *l, u32 window);

/**
 * mptun_code_loss_now() - share of packets that are lost now
 * @l: the losses
 *
 * A rise shows within 200 packets, and is believed for 1000.
 *
 * Return: share, see MPTUN_CODE_ONE.
 */
static inline u32 mptun_code_loss_now(const struct mptun_code_loss *l)
{
	return max(l->fast, l->slow) / (MPTUN_CODE_WHOLE / MPTUN_CODE_ONE);
}

#endif /* _MPTUN_CODE_LOOP_H */
