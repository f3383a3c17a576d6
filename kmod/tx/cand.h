/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Candidates: what the scheduler is told of the paths.
 */
#ifndef _MPTUN_CAND_H
#define _MPTUN_CAND_H

#include <linux/types.h>

struct mptun_tunnel;

int mptun_cand_reserve(struct mptun_tunnel *tunnel, unsigned int n);
void mptun_cand_free(struct mptun_tunnel *tunnel);
unsigned int mptun_cand_list(struct mptun_tunnel *tunnel, unsigned int q,
			     u32 need, u64 now);

#endif /* _MPTUN_CAND_H */
