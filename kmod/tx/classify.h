/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Classification: the class of a packet, and what it means for its path.
 */
#ifndef _MPTUN_CLASSIFY_H
#define _MPTUN_CLASSIFY_H

#include <linux/rcupdate.h>
#include <linux/types.h>

#include "sched/class.h"

struct mptun_tunnel;
struct sk_buff;

/**
 * struct mptun_classes - the classes of a tunnel, never changed, but replaced
 * @rcu: to free them
 * @list: the classes
 */
struct mptun_classes {
	struct rcu_head rcu;
	struct mptun_class_list list;
};

int mptun_classify_init(struct mptun_tunnel *tunnel);
void mptun_classify_destroy(struct mptun_tunnel *tunnel);
const struct mptun_class_list *
mptun_classify_list(const struct mptun_tunnel *tunnel);
int mptun_classify_change(struct mptun_tunnel *tunnel, unsigned int id,
			  const struct mptun_class *class);
u8 mptun_classify(const struct mptun_tunnel *tunnel, const struct sk_buff *skb,
		  bool *order, bool *repair);
const struct mptun_class *
mptun_classify_of(const struct mptun_tunnel *tunnel,
		  const struct sk_buff *skb);
unsigned int mptun_classify_cands(struct mptun_tunnel *tunnel,
				  const struct sk_buff *skb, unsigned int n,
				  u32 packet_mtu);
int mptun_classify_pick(struct mptun_tunnel *tunnel,
			const struct sk_buff *skb, unsigned int n, u32 bytes,
			u32 packet_mtu);
void mptun_classify_drop(struct mptun_tunnel *tunnel, struct sk_buff *skb,
			 unsigned int reason);

#endif /* _MPTUN_CLASSIFY_H */
