// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Pools: limits of the memory that grows with traffic.
 *
 * That is the memory of waiting packets, and of the rings in which they are
 * recorded.  Packets arrive in softirq, and the peer decides how many there
 * are.  So they are not charged to the memory cgroup of the process that made
 * the tunnel.
 *
 * A queue has a limit of its own, which the administrator of its namespace
 * sets, perhaps an unprivileged user.  So there are also limits for all queues
 * of a namespace, and for all of the machine.  When a pool is used up, each
 * queue keeps what it has and may still use the least it needs to work, but
 * gets no more, and rings do not grow.  So queues with few packets do not
 * suffer from others with many.
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
 * mptun_pool_uncharge() - return memory to a pool
 * @pool: the pool, NULL for none
 * @bytes: what mptun_pool_charge() has granted
 */
void mptun_pool_uncharge(struct mptun_pool *pool, u32 bytes)
{
	for (; pool; pool = pool->up)
		atomic_long_sub(bytes, &pool->bytes);
}

/**
 * mptun_pool_charge() - charge memory to a pool, if there is room for it
 * @pool: the pool, NULL for none
 * @bytes: the memory
 *
 * For what is allocated rarely, and can do without.
 *
 * Return: false if the pool, or a larger one, is used up.
 */
bool mptun_pool_charge(struct mptun_pool *pool, u32 bytes)
{
	struct mptun_pool *p, *q;

	for (p = pool; p; p = p->up) {
		if (atomic_long_add_return(bytes, &p->bytes) <= p->limit)
			continue;
		for (q = pool; q != p->up; q = q->up)
			atomic_long_sub(bytes, &q->bytes);
		return false;
	}
	return true;
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
		WRITE_ONCE(share->charged, bytes);
	}
	for (pool = share->pool; pool; pool = pool->up) {
		room = pool->limit - atomic_long_read(&pool->bytes);
		most = clamp_t(s64, room, 0, most);
	}
	return max(bytes + most, MPTUN_POOL_LEAST);
}

/**
 * mptun_pool_grow() - charge what a queue has, if there is room for it
 * @share: its share
 * @bytes: memory of its packets now, more than is charged
 *
 * Return: false if a pool is used up; nothing is charged then.
 */
bool mptun_pool_grow(struct mptun_pool_share *share, u32 bytes)
{
	if (!mptun_pool_charge(share->pool, bytes - share->charged))
		return false;
	WRITE_ONCE(share->charged, bytes);
	return true;
}
