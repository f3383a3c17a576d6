/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Parallel crypto: several CPUs work on the packets of one direction of a
 * tunnel, which leave in the order of arrival.
 */
#ifndef _MPTUN_PARALLEL_H
#define _MPTUN_PARALLEL_H

#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <linux/time64.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "base/pool.h"
#include "base/skb_cb.h"

struct mptun_parallel;

/* Cost of a packet beside its bytes, in bytes. */
#define MPTUN_PARALLEL_PACKET	512U

/* Bytes taken at a time: large enough that the lock is rarely taken, small
 * enough to share.
 */
#define MPTUN_PARALLEL_TAKE	16384U

/* Backlog in bytes before the CPU that adds packets helps: two packets of 64
 * KiB.
 */
#define MPTUN_PARALLEL_HELP	131072U

/* Packets that leave before the worker may be rescheduled. */
#define MPTUN_PARALLEL_LEAVE	64

/* Interval of load measurement */
#define MPTUN_PARALLEL_LOAD_NS	(4 * NSEC_PER_MSEC)

/* Workers of a direction, the one that lets packets leave included. */
#define MPTUN_PARALLEL_WORKERS	4

/**
 * struct mptun_parallel_ops - operations on packets in line
 * @cb: returns the notes kept in a packet
 * @work: the parallel part; for several packets at a time, in any order
 * @leave: the serial part; gets packets in order, never runs concurrently,
 *	empties the list
 * @room: the line was full and has room again; NULL if packets without room are
 *	dropped, in which case the CPU that adds packets stands in for a late
 *	worker, and memory (truesize) fills the line instead of work
 *
 * All are called with bottom halves disabled and under rcu_read_lock().
 */
struct mptun_parallel_ops {
	struct mptun_parallel_cb *(*cb)(const struct sk_buff *skb);
	void (*work)(struct mptun_parallel *parallel, struct sk_buff *skb);
	void (*leave)(struct mptun_parallel *parallel,
		      struct sk_buff_head *list);
	void (*room)(struct mptun_parallel *parallel);
};

/**
 * struct mptun_parallel_load - measured load
 * @since_ns: start of the current interval
 * @spent_ns: time spent on work in it
 * @heavy: the work is worth several CPUs
 */
struct mptun_parallel_load {
	u64 since_ns;
	u64 spent_ns;
	bool heavy;
};

/**
 * struct mptun_parallel_worker - a worker
 * @parallel: its line
 * @work: its work item
 * @active: it is queued or running, and checks the line once more before it
 *	stops; under the lock
 * @seen_ns: when it was woken or began its current round
 */
struct mptun_parallel_worker {
	struct mptun_parallel *parallel;
	struct work_struct work;
	bool active;
	atomic64_t seen_ns;
};

/**
 * struct mptun_parallel - packets in line
 * @ops: operations on them
 * @lock: protects all below
 * @line: all packets in the order in which they leave
 * @fresh: the first packet not taken, NULL if there is none; none behind it is
 *	taken
 * @fresh_cost: cost of it and all behind it, in bytes
 * @filled: bytes in line, of cost or of memory, see @room of @ops
 * @most: value of @filled at which the line is full
 * @share: memory charged for them if @filled is memory
 * @full: mptun_parallel_full() returned true
 * @leaving: a CPU lets packets leave
 * @load: measured load
 * @packets: packets that have been in line
 * @worker: the workers; only the first lets packets leave unless it is late
 */
struct mptun_parallel {
	const struct mptun_parallel_ops *ops;
	spinlock_t lock; /* protects all below */
	struct sk_buff_head line;
	struct sk_buff *fresh;
	u32 fresh_cost;
	u32 filled;
	u32 most;
	struct mptun_pool_share share;
	bool full;
	bool leaving;
	struct mptun_parallel_load load;
	u64 packets;
	struct mptun_parallel_worker worker[MPTUN_PARALLEL_WORKERS];
};

int mptun_parallel_setup(void);
void mptun_parallel_cleanup(void);

void mptun_parallel_init(struct mptun_parallel *parallel,
			 const struct mptun_parallel_ops *ops, u32 most);
void mptun_parallel_finish(struct mptun_parallel *parallel);
bool mptun_parallel_wanted(struct mptun_parallel *parallel);
bool mptun_parallel_full(struct mptun_parallel *parallel);
void mptun_parallel_add(struct mptun_parallel *parallel, struct sk_buff *skb,
			u32 packets, u32 bytes);
u64 mptun_parallel_packets(struct mptun_parallel *parallel);
void mptun_parallel_help(struct mptun_parallel *parallel);
void mptun_parallel_spent(struct mptun_parallel *parallel, u64 from, u64 to,
			  u32 times);

/* Consecutive packets taken by one CPU. */
struct mptun_parallel_share {
	struct sk_buff *first;
	unsigned int n;
};

#if IS_ENABLED(CONFIG_KUNIT)
unsigned int mptun_parallel_cpu(unsigned int cpu, unsigned int i);
bool mptun_parallel_take(struct mptun_parallel *parallel,
			 struct mptun_parallel_share *share);
void mptun_parallel_do(struct mptun_parallel *parallel,
		       const struct mptun_parallel_share *share);
void mptun_parallel_done(struct mptun_parallel *parallel,
			 const struct mptun_parallel_share *share);
bool mptun_parallel_leave_some(struct mptun_parallel *parallel);
#endif

#endif /* _MPTUN_PARALLEL_H */
