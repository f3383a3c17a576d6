/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Copies: what was placed on one path leaves on others as well.
 */
#ifndef _MPTUN_COPY_H
#define _MPTUN_COPY_H

#include <linux/types.h>

struct mptun_tunnel;
struct sk_buff;

void mptun_copy(struct mptun_tunnel *tunnel, struct sk_buff *skb,
		unsigned int n, unsigned int chosen, u64 now);

#endif /* _MPTUN_COPY_H */
