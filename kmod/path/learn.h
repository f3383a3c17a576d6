/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Learning: paths that the peer opens, and paths both ends opened.
 */
#ifndef _MPTUN_LEARN_H
#define _MPTUN_LEARN_H

struct mptun_tunnel;
struct sk_buff;

void mptun_learn(struct mptun_tunnel *tunnel, struct sk_buff *skb);

#endif /* _MPTUN_LEARN_H */
