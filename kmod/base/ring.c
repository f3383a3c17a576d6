// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Rings of small slots indexed by a sequence number.
 *
 * A window [first, first + size) slides over an endless array of slots, cut
 * into blocks.  Block b lives in chunk b modulo the number of chunks.  Rings
 * grow in softirq context, where large allocations fail, so a chunk has at most
 * 4096 bytes.  Doubling only moves chunks: a block keeps its chunk and changes
 * its index.  The exception is the chunk shared by the first and the last block
 * of a window that does not begin at a block boundary: its newer part is
 * copied.
 *
 * Callers ask for growth packet by packet, with a spinlock held.  While memory
 * is short, asking the allocator each time takes long and does not help: after
 * a refusal the next call is refused at once, after another one the next 3
 * calls, then 7, up to 255.
 */
#include <kunit/static_stub.h>
#include <kunit/visibility.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "base/pool.h"
#include "base/ring.h"

static size_t mptun_ring_chunk_bytes(const struct mptun_ring *ring)
{
	return (size_t)1 << (ring->index_shift + ring->slot_shift);
}

/* Returns true if a ring is not to ask for memory yet. */
static bool mptun_ring_waits(struct mptun_ring *ring)
{
	if (!ring->skip)
		return false;
	ring->skip--;
	return true;
}

/* Notes the result of an attempt to get memory, and returns it. */
static int mptun_ring_asked(struct mptun_ring *ring, int err)
{
	ring->pause = err ? 2 * ring->pause + 1 : 0;
	ring->skip = ring->pause;
	return err;
}

/* Allocates the chunks of a ring. */
VISIBLE_IF_KUNIT int mptun_ring_alloc(struct mptun_ring *ring, u32 chunks,
				      gfp_t gfp)
{
	u32 i;

	KUNIT_STATIC_STUB_REDIRECT(mptun_ring_alloc, ring, chunks, gfp);
	ring->chunk = kcalloc(chunks, sizeof(*ring->chunk), gfp);
	if (!ring->chunk)
		return -ENOMEM;

	for (i = 0; i < chunks; i++) {
		ring->chunk[i] = kzalloc(mptun_ring_chunk_bytes(ring), gfp);
		if (!ring->chunk[i])
			goto err;
	}
	ring->chunks = chunks;
	return 0;

err:
	while (i--)
		kfree(ring->chunk[i]);
	kfree(ring->chunk);
	ring->chunk = NULL;
	return -ENOMEM;
}

/**
 * mptun_ring_init() - allocate a ring of one chunk
 * @ring: the ring
 * @slot_shift: log2 of the size of a slot in bytes
 * @index_shift: log2 of the number of slots in a chunk; a chunk has at most 1
 *	<< MPTUN_RING_CHUNK_SHIFT bytes
 * @gfp: allocation flags
 *
 * Return: 0, or -ENOMEM.
 */
int mptun_ring_init(struct mptun_ring *ring, u8 slot_shift, u8 index_shift,
		    gfp_t gfp)
{
	*ring = (struct mptun_ring){
		.slot_shift = slot_shift,
		.index_shift = index_shift,
	};
	return mptun_ring_alloc(ring, 1, gfp);
}

/**
 * mptun_ring_init_like() - allocate a ring with as many slots as another one
 * @ring: the ring, all zero or destroyed
 * @slot_shift: log2 of the size of a slot in bytes
 * @like: the other one, whose pool is that of @ring as well
 * @gfp: allocation flags
 *
 * Return: 0, or -ENOMEM; if the pool is used up, and for some calls after a
 * refusal, nothing is allocated.
 */
int mptun_ring_init_like(struct mptun_ring *ring, u8 slot_shift,
			 const struct mptun_ring *like, gfp_t gfp)
{
	u32 more;
	int err;

	if (mptun_ring_waits(ring))
		return -ENOMEM;
	*ring = (struct mptun_ring){
		.pool = like->pool,
		.slot_shift = slot_shift,
		.index_shift = like->index_shift,
		.pause = ring->pause,
	};
	more = (like->chunks - 1) * mptun_ring_chunk_bytes(ring);
	/* the first chunk is free, also if the pool is used up */
	if (more && !mptun_pool_charge(ring->pool, more))
		return mptun_ring_asked(ring, -ENOMEM);
	err = mptun_ring_alloc(ring, like->chunks, gfp);
	if (err)
		mptun_pool_uncharge(ring->pool, more);
	return mptun_ring_asked(ring, err);
}

/**
 * mptun_ring_limit() - charge to a pool what a ring grows by
 * @ring: the ring, of one chunk
 * @pool: the pool, which outlives it
 */
void mptun_ring_limit(struct mptun_ring *ring, struct mptun_pool *pool)
{
	ring->pool = pool;
}

/* Bytes charged for a ring. */
static u32 mptun_ring_charged(const struct mptun_ring *ring)
{
	return (ring->chunks - 1) * mptun_ring_chunk_bytes(ring);
}

/**
 * mptun_ring_destroy() - free a ring
 * @ring: the ring, may be all zero
 */
void mptun_ring_destroy(struct mptun_ring *ring)
{
	u32 i;

	if (ring->chunks)
		mptun_pool_uncharge(ring->pool, mptun_ring_charged(ring));
	for (i = 0; i < ring->chunks; i++)
		kfree(ring->chunk[i]);
	kfree(ring->chunk);
	ring->chunk = NULL;
	ring->chunks = 0;
	ring->pause = 0;
	ring->skip = 0;
}

/* Doubles a ring, as mptun_ring_grow() documents. */
VISIBLE_IF_KUNIT int mptun_ring_double(struct mptun_ring *ring, u64 first,
				       gfp_t gfp)
{
	u64 block = first >> ring->index_shift;
	u32 mask = 2 * ring->chunks - 1;
	u8 **chunk, *low;
	size_t newer;
	u32 more, i;

	KUNIT_STATIC_STUB_REDIRECT(mptun_ring_double, ring, first, gfp);
	more = ring->chunks * mptun_ring_chunk_bytes(ring);
	if (!mptun_pool_charge(ring->pool, more))
		return -ENOMEM;
	gfp |= __GFP_NOWARN;
	chunk = kcalloc(2 * ring->chunks, sizeof(*chunk), gfp);
	if (!chunk)
		goto err_charge;

	for (i = 0; i < ring->chunks; i++) {
		u32 above = (u32)(block + i + ring->chunks) & mask;

		chunk[above] = kzalloc(mptun_ring_chunk_bytes(ring), gfp);
		if (!chunk[above])
			goto err_chunks;
	}
	for (i = 0; i < ring->chunks; i++)
		chunk[(u32)(block + i) & mask] =
			ring->chunk[(u32)(block + i) & (ring->chunks - 1)];
	/* The first block keeps its chunk; the part that belongs to the block
	 * one ring size above moves to a new one.
	 */
	newer = (u32)first & ((1U << ring->index_shift) - 1);
	newer <<= ring->slot_shift;
	low = chunk[(u32)block & mask];
	memcpy(chunk[(u32)(block + ring->chunks) & mask], low, newer);
	memset(low, 0, newer);

	kfree(ring->chunk);
	ring->chunk = chunk;
	ring->chunks *= 2;
	return 0;

err_chunks:
	for (i = 0; i < 2 * ring->chunks; i++)
		kfree(chunk[i]);
	kfree(chunk);
err_charge:
	mptun_pool_uncharge(ring->pool, more);
	return -ENOMEM;
}

/**
 * mptun_ring_grow() - double a ring
 * @ring: the ring
 * @first: first sequence number of the window; the slots of [first, first +
 *	size) keep their content
 * @gfp: allocation flags, for chunks and one small array
 *
 * New slots of the window are zero.
 *
 * Return: 0, or -ENOMEM with the slots unchanged, also if its pool is used up,
 * and for some calls after a refusal.
 */
int mptun_ring_grow(struct mptun_ring *ring, u64 first, gfp_t gfp)
{
	if (mptun_ring_waits(ring))
		return -ENOMEM;
	return mptun_ring_asked(ring, mptun_ring_double(ring, first, gfp));
}

/**
 * mptun_ring_shrink() - reduce a ring to one chunk and clear it
 * @ring: the ring
 * @gfp: allocation flags for a smaller array of chunks; if that fails the
 *	larger one stays
 *
 * Return: 0; it always succeeds.
 */
int mptun_ring_shrink(struct mptun_ring *ring, gfp_t gfp)
{
	u8 **chunk;
	u32 i;

	memset(ring->chunk[0], 0, mptun_ring_chunk_bytes(ring));
	ring->pause = 0;
	ring->skip = 0;
	if (ring->chunks == 1)
		return 0;

	mptun_pool_uncharge(ring->pool, mptun_ring_charged(ring));
	for (i = 1; i < ring->chunks; i++)
		kfree(ring->chunk[i]);
	ring->chunks = 1;

	chunk = kcalloc(1, sizeof(*chunk), gfp | __GFP_NOWARN);
	if (chunk) {
		chunk[0] = ring->chunk[0];
		kfree(ring->chunk);
		ring->chunk = chunk;
	}
	return 0;
}
