// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Pools: limits of the memory that waiting packets take.
 *
 * A queue has a limit of its own, which the administrator of its namespace
 * sets, perhaps an unprivileged user.  What all queues of a namespace have is
 * limited as well, and what all of the machine have.  When a pool is used up
 * each queue keeps what it has and gets no more, and the least it needs to work
 * remains.  Those with few packets do not notice that others have many.
 */
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/minmax.h>

#include "base/pool.h"

/**
 * mptun_pool_init() - initialise a pool
 * @pool: the pool
 * @up: larger pool that it is a part of, or NULL
 * @limit: bytes
 */
void mptun_pool_init(struct mptun_pool *pool, struct mptun_pool *up,
		     unsigned long limit)
{
	atomic_long_set(&pool->bytes, 0);
	pool->limit = min_t(unsigned long, limit, LONG_MAX);
	pool->up = up;
	refcount_set(&pool->refs, 1);
}

/**
 * mptun_pool_settle() - charge what a queue has, unless the change is small
 * @share: its share
 * @bytes: memory of its packets now
 *
 * Return: how much it may have.
 */
u32 mptun_pool_settle(struct mptun_pool_share *share, u32 bytes)
{
	s64 more = (s64)bytes - share->charged;
	u32 most = U32_MAX - bytes;
	struct mptun_pool *pool;
	long room;

	if (more && (!bytes || abs(more) >= MPTUN_POOL_LEAST)) {
		for (pool = share->pool; pool; pool = pool->up)
			atomic_long_add(more, &pool->bytes);
		share->charged = bytes;
	}
	for (pool = share->pool; pool; pool = pool->up) {
		room = pool->limit - atomic_long_read(&pool->bytes);
		most = clamp_t(s64, room, 0, most);
	}
	return max(bytes + most, MPTUN_POOL_LEAST);
}
