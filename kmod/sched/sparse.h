/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Sparse flows: those that send so little that nothing has to wait for them.
 */
#ifndef _MPTUN_SPARSE_H
#define _MPTUN_SPARSE_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "base/limits.h"
#include "sched/sched.h"

/* The unit of time is 1.024 us, so that 32 bits last for 73 minutes. */
#define MPTUN_SPARSE_SHIFT	10

/**
 * struct mptun_sparse - what the flows of a tunnel have used of their shares
 * @all: when all sparse flows together have paid for what they sent
 * @lanes: the same for the flows of each lane; also read without a lock
 */
struct mptun_sparse {
	u32 all;
	u32 lanes[MPTUN_LANES];
};

bool mptun_sparse_may(const struct mptun_sparse *s, u16 lane, u64 now);
void mptun_sparse_bulk(struct mptun_sparse *s, u16 lane, u64 now);
bool mptun_sparse_charge(struct mptun_sparse *s, u16 lane, u32 bytes, u64 rate,
			 u64 now);
int mptun_sparse_pick(const struct mptun_sched_cand *cand, unsigned int n);
bool mptun_sparse_fits(const struct mptun_sched_cand *c, u32 bytes);

#endif /* _MPTUN_SPARSE_H */
