/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Fragments: an inner packet in several packets of the tunnel.
 */
#ifndef _MPTUN_FRAG_H
#define _MPTUN_FRAG_H

#include <linux/types.h>

/**
 * struct mptun_frag_plan - how an inner packet is cut
 * @len: its length in bytes
 * @count: number of fragments
 * @size: inner bytes of each but the last, which may be shorter
 */
struct mptun_frag_plan {
	u32 len;
	u32 count;
	u32 size;
};

u32 mptun_frag_most(u32 room);
bool mptun_frag_divide(struct mptun_frag_plan *plan, u32 len, u32 room);
u32 mptun_frag_size(const struct mptun_frag_plan *plan, u32 index);

#endif /* _MPTUN_FRAG_H */
