/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Playout: packets that came early are handed on as late as the others.
 */
#ifndef _MPTUN_PLAYOUT_H
#define _MPTUN_PLAYOUT_H

#include <linux/bits.h>
#include <linux/rbtree.h>
#include <linux/skbuff.h>
#include <linux/types.h>

#include "base/skb_cb.h"
#include "reorder/owd.h"

/* So many packets wait at most; all of them may leave at once. */
#define MPTUN_PLAYOUT_MAX	7680U

/* Flows are kept in order by their hash.  Few, as a tunnel with its device is
 * to fit into 16 KiB.
 */
#define MPTUN_PLAYOUT_LANES	32U

/**
 * struct mptun_playout_path - the delay of a path that packets of control show
 * @delays: extremes of late
 * @seen: when the newest packet arrived, in ns
 * @valid: there was one
 */
struct mptun_playout_path {
	struct mptun_owd_range delays;
	u64 seen;
	bool valid;
};

/**
 * struct mptun_playout_range - delays of some paths
 * @low: smallest delay of all paths
 * @high: largest delay of those that are waited for
 * @cap: largest difference of both
 * @any: there is a path
 */
struct mptun_playout_range {
	u32 low;
	u32 high;
	u32 cap;
	bool any;
};

/**
 * struct mptun_playout - packets of a tunnel that wait
 * @queue: the packets, by the time when they are due
 * @dev: their device, which lies where they are linked
 * @packets: how many they are
 * @bytes: their memory (truesize)
 * @limit: limit of that
 * @classes: bits of the classes whose packets wait
 * @delay: delay that they are to have
 * @spread: how much that is above the smallest one of any path
 * @until_ns: what was due by then has left
 * @lanes: when the last packet of the flows of each lane is due, in ns
 * @waited: packets that had to wait so far
 * @early: packets that left early, as there were too many
 *
 * All fields are protected by the tunnel's rx_lock.
 */
struct mptun_playout {
	struct rb_root_cached queue;
	struct net_device *dev;
	u32 packets;
	u32 bytes;
	u32 limit;
	u16 classes;
	u32 delay;
	u32 spread;
	u64 until_ns;
	u64 lanes[MPTUN_PLAYOUT_LANES];
	u64 waited;
	u64 early;
};

void mptun_playout_init(struct mptun_playout *p);
void mptun_playout_path_init(struct mptun_playout_path *path);
void mptun_playout_sample(struct mptun_playout_path *path, u32 time, u64 now);
void mptun_playout_nearest(const struct mptun_playout_path *path,
			   const struct mptun_skew *data, u64 now,
			   struct mptun_playout_range *range);
void mptun_playout_farthest(const struct mptun_playout_path *path,
			    const struct mptun_skew *data, u64 now,
			    struct mptun_playout_range *range);
void mptun_playout_follow(struct mptun_playout *p,
			  const struct mptun_playout_range *range);
bool mptun_playout_wait(struct mptun_playout *p, struct sk_buff *skb, u32 flow,
			u64 now);
bool mptun_playout_release(struct mptun_playout *p, u64 now,
			   struct sk_buff_head *out);
void mptun_playout_flush(struct mptun_playout *p, struct sk_buff_head *out);
u64 mptun_playout_deadline(const struct mptun_playout *p);

/**
 * mptun_playout_wants() - is a packet to have the delay of the slowest path?
 * @p: packets that wait
 * @skb: the packet, as the ring released it
 *
 * Return: true if its class wants it.
 */
static inline bool mptun_playout_wants(const struct mptun_playout *p,
				       const struct sk_buff *skb)
{
	return p->classes & BIT(mptun_rx_cb(skb)->class);
}

/**
 * mptun_playout_range_init() - no path has been looked at
 * @range: what is known of the paths
 * @cap_us: a path that is farther than the nearest one by more is not waited
 *	for, in us, less than 8 s
 */
static inline void mptun_playout_range_init(struct mptun_playout_range *range,
					    u32 cap_us)
{
	*range = (struct mptun_playout_range){
		.cap = cap_us << MPTUN_OWD_FRACTION,
	};
}

/**
 * mptun_playout_spread_us() - how late packets are handed on
 * @p: packets that wait
 *
 * Return: delay above the smallest one of any path in us, 0 if no class wants
 * it.
 */
static inline u32 mptun_playout_spread_us(const struct mptun_playout *p)
{
	return p->classes ? p->spread >> MPTUN_OWD_FRACTION : 0;
}

#endif /* _MPTUN_PLAYOUT_H */
