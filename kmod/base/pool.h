/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Pools: limits of the memory that grows with traffic.
 */
#ifndef _MPTUN_POOL_H
#define _MPTUN_POOL_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/refcount.h>
#include <linux/types.h>

/* Bytes that a share may have even if the pool is used up, and by which it may
 * differ from what it has charged, so that the pool is rarely written.
 */
#define MPTUN_POOL_LEAST	65536U

/**
 * struct mptun_pool - memory shared by tunnels
 * @bytes: memory charged
 * @limit: when it is used up
 * @up: larger pool that it is a part of, or NULL
 * @refs: references of a pool that was allocated
 */
struct mptun_pool {
	atomic_long_t bytes;
	long limit;
	struct mptun_pool *up;
	refcount_t refs;
};

/**
 * struct mptun_pool_share - the part of a pool that one queue has
 * @pool: the pool, or NULL for none
 * @charged: bytes charged to it
 *
 * Written under the lock of the queue.
 */
struct mptun_pool_share {
	struct mptun_pool *pool;
	u32 charged;
};

void mptun_pool_init(struct mptun_pool *pool, struct mptun_pool *up,
		     unsigned long limit);
bool mptun_pool_charge(struct mptun_pool *pool, u32 bytes);
void mptun_pool_uncharge(struct mptun_pool *pool, u32 bytes);
u32 mptun_pool_settle(struct mptun_pool_share *share, u32 bytes);
bool mptun_pool_grow(struct mptun_pool_share *share, u32 bytes);

/**
 * mptun_pool_near() - check whether a queue may grow without a look at the pool
 * @share: its share
 * @bytes: memory of its packets now
 *
 * Needs no lock: a stale value costs the caller a look with it.
 *
 * Return: true if the queue may have another packet, and the pool need not be
 * asked.
 */
static inline bool mptun_pool_near(const struct mptun_pool_share *share,
				   u32 bytes)
{
	return !share->pool ||
	       bytes < READ_ONCE(share->charged) + MPTUN_POOL_LEAST;
}

/**
 * mptun_pool_takes() - check whether a queue may have another packet
 * @share: its share
 * @bytes: memory of its packets now
 *
 * Asks the pool once in MPTUN_POOL_LEAST bytes: a short queue costs nothing.
 *
 * Return: true if it may.
 */
static inline bool mptun_pool_takes(struct mptun_pool_share *share, u32 bytes)
{
	return likely(mptun_pool_near(share, bytes)) ||
	       mptun_pool_grow(share, bytes);
}

/**
 * mptun_pool_left() - charge less after packets have left a queue
 * @share: its share
 * @bytes: memory of its packets now
 */
static inline void mptun_pool_left(struct mptun_pool_share *share, u32 bytes)
{
	if (unlikely(share->charged))
		mptun_pool_settle(share, bytes);
}

#endif /* _MPTUN_POOL_H */
