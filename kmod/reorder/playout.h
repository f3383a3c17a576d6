/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Playout: delays packets to the latency of the slowest path.
 */
#ifndef _MPTUN_PLAYOUT_H
#define _MPTUN_PLAYOUT_H

#include <linux/bits.h>
#include <linux/rbtree.h>
#include <linux/skbuff.h>
#include <linux/types.h>

#include "base/skb_cb.h"
#include "reorder/owd.h"

/* Largest number of queued packets; all of them may leave at once. */
#define MPTUN_PLAYOUT_MAX	7680U

/* Flows keep their order by hash.  Few, so that a tunnel with its device fits
 * into 16 KiB.
 */
#define MPTUN_PLAYOUT_LANES	32U

/**
 * struct mptun_playout_path - delay of a path by its control packets
 * @delays: recent minimum and maximum
 * @seen: arrival of the newest packet in ns
 * @valid: there was one
 */
struct mptun_playout_path {
	struct mptun_owd_range delays;
	u64 seen;
	bool valid;
};

/**
 * struct mptun_playout_range - delays of several paths
 * @low: smallest delay of all paths
 * @high: largest delay of the paths that count
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
 * struct mptun_playout - playout queue of a tunnel
 * @queue: packets by due time
 * @dev: their device, whose pointer the tree overwrites
 * @packets: their number
 * @bytes: their memory (truesize)
 * @limit: limit of @bytes
 * @classes: bits of the classes with playout
 * @delay: target delay
 * @spread: target delay above the smallest one of any path
 * @until_ns: packets due by then have left
 * @lanes: due time of the last packet of the flows of each lane, in ns
 * @waited: packets that had to wait so far
 * @early: packets that left early because of a limit
 *
 * All fields are protected by the receive lock of the tunnel.
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
void mptun_playout_add_low(const struct mptun_playout_path *path,
			   const struct mptun_owd *data, u64 now,
			   struct mptun_playout_range *range);
void mptun_playout_add_high(const struct mptun_playout_path *path,
			    const struct mptun_owd *data, u64 now,
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
 * mptun_playout_wants() - check whether a packet's class uses playout
 * @p: the queue
 * @skb: the packet, released by the reorder buffer
 *
 * Return: true if it does.
 */
static inline bool mptun_playout_wants(const struct mptun_playout *p,
				       const struct sk_buff *skb)
{
	return p->classes & BIT(mptun_rxcb(skb)->class);
}

/**
 * mptun_playout_range_init() - start the collection of delays
 * @range: range of the paths
 * @cap_us: paths slower than the fastest one by more do not count, in us, less
 *	than 8 s
 */
static inline void mptun_playout_range_init(struct mptun_playout_range *range,
					    u32 cap_us)
{
	*range = (struct mptun_playout_range){
		.cap = cap_us << MPTUN_OWD_FRACTION,
	};
}

#endif /* _MPTUN_PLAYOUT_H */
