/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * What the parts of the reordering ring share.
 */
#ifndef _MPTUN_REORDER_PRIV_H
#define _MPTUN_REORDER_PRIV_H

#include <linux/bits.h>

#include "base/seq.h"
#include "base/skb_cb.h"
#include "reorder/reorder.h"
#include "wire/wire.h"

#define MPTUN_REORDER_GROUP		64	/* dsns of a group */
#define MPTUN_REORDER_CHUNK_SHIFT	9	/* log2, dsns of a chunk */

/**
 * struct mptun_reorder_group - states of 64 dsns, one bit each
 * @arrived: the packet was received; it is held or delivered
 * @settled: nobody has to wait for it; it was delivered or given up
 * @first: its first transmission was received
 * @proved: the loss of its first transmission was proved
 *
 * Not arrived and not settled: a hole (empty).  Arrived and not settled:
 * held.  Settled and not arrived: given up.  Both: delivered.
 */
struct mptun_reorder_group {
	u64 arrived;
	u64 settled;
	u64 first;
	u64 proved;
};

static inline struct mptun_reorder_group *
mptun_reorder_group(const struct mptun_reorder *r, u32 dsn)
{
	return mptun_ring_slot(&r->groups, dsn / MPTUN_REORDER_GROUP);
}

static inline u16 *mptun_reorder_wait(const struct mptun_reorder *r, u32 dsn)
{
	return mptun_ring_slot(&r->waits, dsn);
}

static inline struct sk_buff **mptun_reorder_skb(const struct mptun_reorder *r,
						 u32 dsn)
{
	return mptun_ring_slot(&r->skbs, dsn);
}

static inline u64 mptun_reorder_bit(u32 dsn)
{
	return BIT_ULL(dsn % MPTUN_REORDER_GROUP);
}

static inline bool mptun_reorder_arrived(const struct mptun_reorder *r,
					 u32 dsn)
{
	return mptun_reorder_group(r, dsn)->arrived & mptun_reorder_bit(dsn);
}

static inline bool mptun_reorder_settled(const struct mptun_reorder *r,
					 u32 dsn)
{
	return mptun_reorder_group(r, dsn)->settled & mptun_reorder_bit(dsn);
}

static inline bool mptun_reorder_is_held(const struct mptun_reorder *r,
					 u32 dsn)
{
	return mptun_reorder_arrived(r, dsn) && !mptun_reorder_settled(r, dsn);
}

/* The bits of the group that begins with @group and lie in [from, to). */
static inline u64 mptun_reorder_mask(u32 group, u32 from, u32 to)
{
	u32 low = 0, high = MPTUN_REORDER_GROUP;

	if (mptun_seq_after(from, group))
		low = from - group;
	if (mptun_seq_before(to, group + MPTUN_REORDER_GROUP))
		high = to - group;
	if (low >= high || high > MPTUN_REORDER_GROUP)
		return 0;
	return GENMASK_ULL(high - 1, low);
}

static inline u32 mptun_reorder_group_start(u32 dsn)
{
	return dsn & ~(u32)(MPTUN_REORDER_GROUP - 1);
}

/* reorder/reorder.c */
u32 mptun_reorder_release(struct mptun_reorder *r, u32 dsn, u64 now,
			  struct sk_buff_head *out);
void mptun_reorder_release_all(struct mptun_reorder *r, u64 now,
			       struct sk_buff_head *out);
void mptun_reorder_give_up(struct mptun_reorder *r, u32 dsn,
			   enum mptun_give_up why, u64 now,
			   struct sk_buff_head *out);
void mptun_reorder_give_up_range(struct mptun_reorder *r, u32 from, u32 to,
				 enum mptun_give_up why, u64 now,
				 struct sk_buff_head *out);
void mptun_reorder_apply_floor(struct mptun_reorder *r, u64 now,
			       struct sk_buff_head *out);

/* reorder/window.c */
int mptun_reorder_window_init(struct mptun_reorder *r);
void mptun_reorder_window_destroy(struct mptun_reorder *r);
void mptun_reorder_window_start(struct mptun_reorder *r, u32 first_dsn);
void mptun_reorder_advance(struct mptun_reorder *r, u32 dsn, u64 now,
			   struct sk_buff_head *out);
u32 mptun_reorder_lowest_held(struct mptun_reorder *r);

/* reorder/gap.c */
void mptun_reorder_remove_old(struct mptun_reorder *r);
void mptun_reorder_first_came(struct mptun_reorder *r, u32 dsn, u64 now,
			      struct sk_buff_head *out);

/* reorder/psmc.c */
void mptun_reorder_psmc_init(struct mptun_reorder *r);
void mptun_reorder_psmc_run(struct mptun_reorder *r, u32 n);
void mptun_reorder_psmc_full(struct mptun_reorder *r, u64 now,
			     struct sk_buff_head *out);

#endif /* _MPTUN_REORDER_PRIV_H */
