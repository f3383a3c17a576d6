/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Spreading: several processors work on the packets of one direction of a
 * tunnel, and they leave in the order in which they came.
 */
#ifndef _MPTUN_PARALLEL_H
#define _MPTUN_PARALLEL_H

#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "base/skb_cb.h"

struct mptun_spread;

/* Workers of a direction: the one that lets packets leave, and others. */
#define MPTUN_PARALLEL_WORKERS	4

/**
 * struct mptun_spread_ops - what is done with packets
 * @cb: where a packet keeps its notes
 * @work: the work; several packets at a time, in any order
 * @leave: the rest of the way of some packets, in order; nobody else is at it
 *	meanwhile; empties the list
 * @room: the line was full and is not any more; NULL if what finds no room is
 *	dropped, and who adds packets stands in for a worker that is late
 *
 * All are called with bottom halves disabled and under rcu_read_lock().
 */
struct mptun_spread_ops {
	struct mptun_spread_cb *(*cb)(const struct sk_buff *skb);
	void (*work)(struct mptun_spread *spread, struct sk_buff *skb);
	void (*leave)(struct mptun_spread *spread, struct sk_buff_head *list);
	void (*room)(struct mptun_spread *spread);
};

/**
 * struct mptun_parallel_load - how much work there is
 * @since_ns: when the present interval began
 * @spent_ns: time spent on work in it
 * @heavy: it is worth while to spread
 */
struct mptun_parallel_load {
	u64 since_ns;
	u64 spent_ns;
	bool heavy;
};

/**
 * struct mptun_parallel_worker - a worker
 * @spread: what it works for
 * @work: its work item
 * @active: it is on its way, and looks at the line once more before it rests;
 *	under the lock
 * @seen_ns: when it was woken, or began what it does now; likewise
 */
struct mptun_parallel_worker {
	struct mptun_spread *spread;
	struct work_struct work;
	bool active;
	u64 seen_ns;
};

/**
 * struct mptun_spread - packets in line
 * @ops: what is done with them
 * @lock: protects all below
 * @line: all packets, in the order in which they leave
 * @fresh: the first nobody works on, NULL if there is none; no later one has
 *	been worked on
 * @fresh_cost: work of it and all behind it
 * @cost: work of all that is in line, done or not
 * @most: so much there may be before it is full
 * @full: somebody was told that there is no room
 * @leaving: somebody lets packets leave
 * @load: how much work there is
 * @packets: packets that have been in line
 * @worker: the first one lets packets leave, and nobody else unless it is late
 */
struct mptun_spread {
	const struct mptun_spread_ops *ops;
	spinlock_t lock; /* protects all below */
	struct sk_buff_head line;
	struct sk_buff *fresh;
	u32 fresh_cost;
	u32 cost;
	u32 most;
	bool full;
	bool leaving;
	struct mptun_parallel_load load;
	u64 packets;
	struct mptun_parallel_worker worker[MPTUN_PARALLEL_WORKERS];
};

int mptun_spread_setup(void);
void mptun_spread_cleanup(void);

void mptun_spread_init(struct mptun_spread *spread,
		       const struct mptun_spread_ops *ops, u32 most);
void mptun_spread_finish(struct mptun_spread *spread);
bool mptun_spread_wanted(struct mptun_spread *spread);
bool mptun_spread_full(struct mptun_spread *spread);
void mptun_spread_add(struct mptun_spread *spread, struct sk_buff *skb,
		      u32 packets, u32 bytes);
void mptun_spread_help(struct mptun_spread *spread);
void mptun_spread_spent(struct mptun_spread *spread, u64 from, u64 to,
			u32 times);

#endif /* _MPTUN_PARALLEL_H */
