/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Rings of small slots indexed by a sequence number, made of small chunks.
 */
#ifndef _MPTUN_RING_H
#define _MPTUN_RING_H

#include <linux/gfp.h>
#include <linux/types.h>

struct mptun_pool;

#define MPTUN_RING_CHUNK_SHIFT	12	/* largest chunk: 4096 bytes */

/**
 * struct mptun_ring - a window of sequence numbers, one slot for each
 * @chunk: the chunks
 * @chunks: number of chunks, a power of two
 * @slot_shift: log2 of the size of a slot in bytes
 * @index_shift: log2 of the number of slots in a chunk
 * @pause: calls that were to be refused after the last refusal, 0 if none
 * @skip: calls that are still refused without asking for memory
 * @pool: all chunks but the first one are charged to it; may be NULL
 */
struct mptun_ring {
	u8 **chunk;
	struct mptun_pool *pool;
	u32 chunks;
	u8 slot_shift;
	u8 index_shift;
	u8 pause;
	u8 skip;
};

int mptun_ring_init(struct mptun_ring *ring, u8 slot_shift, u8 index_shift,
		    gfp_t gfp);
int mptun_ring_init_like(struct mptun_ring *ring, u8 slot_shift,
			 const struct mptun_ring *like, gfp_t gfp);
void mptun_ring_limit(struct mptun_ring *ring, struct mptun_pool *pool);
void mptun_ring_destroy(struct mptun_ring *ring);
int mptun_ring_grow(struct mptun_ring *ring, u64 first, gfp_t gfp);
int mptun_ring_shrink(struct mptun_ring *ring, gfp_t gfp);

#if IS_ENABLED(CONFIG_KUNIT)
int mptun_ring_alloc(struct mptun_ring *ring, u32 chunks, gfp_t gfp);
int mptun_ring_double(struct mptun_ring *ring, u64 first, gfp_t gfp);
#endif

/**
 * mptun_ring_size() - number of slots
 * @ring: the ring
 *
 * Return: number of slots, a power of two.
 */
static inline u32 mptun_ring_size(const struct mptun_ring *ring)
{
	return ring->chunks << ring->index_shift;
}

/**
 * mptun_ring_slot() - find the slot of a sequence number
 * @ring: the ring
 * @seq: sequence number of 32 or more bits; a u32 may wrap, at a multiple of
 *	the ring size
 *
 * Return: pointer to the slot.  Numbers a ring size apart share a slot; the
 * caller knows which one it holds.
 */
static inline void *mptun_ring_slot(const struct mptun_ring *ring, u64 seq)
{
	u32 chunk = (u32)(seq >> ring->index_shift) & (ring->chunks - 1);
	u32 index = (u32)seq & ((1U << ring->index_shift) - 1);

	return ring->chunk[chunk] + ((size_t)index << ring->slot_shift);
}

#endif /* _MPTUN_RING_H */
