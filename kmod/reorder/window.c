// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * The reorder buffer: the range of its ring.
 *
 * The ring keeps the states of the dsns in [first, next), with next <= first +
 * size.  Lower dsns are taken as settled, and dropped if they arrive.  A higher
 * dsn moves the ring up by groups of 64.  A group may leave when all of it was
 * delivered, when it is below the sender's floor, or when it is older than one
 * or two periods, which is much longer than any hold time.  If the lowest group
 * may not leave the ring doubles; if that fails, or at the largest size, it
 * moves nevertheless and gives up what it leaves behind.  So the size follows
 * from what is unsettled, not from an estimate of delays.
 *
 * Outside of [first, next) all states are zero in all three rings.
 *
 * Units: dsns; ns for the clock.
 */
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "reorder/reorder.h"

/* Memory of the ring for groups without held packets: one to two periods,
 * longer than the longest hold time.
 */
#define MPTUN_REORDER_PERIOD_NS	(5LL * NSEC_PER_SEC / 4)

/* Assumed memory of a packet while none is held, in bytes. */
#define MPTUN_REORDER_TRUESIZE	2304

#define MPTUN_REORDER_SLOTS_MIN	((u32)BIT(MPTUN_REORDER_CHUNK_SHIFT))

/* Largest lag of a cursor below the ring, so that it stays comparable. */
#define MPTUN_REORDER_LAG_MAX	((u32)BIT(30))

/* Allocates the smallest ring.  Returns 0 or -ENOMEM. */
int mptun_reorder_window_init(struct mptun_reorder *r)
{
	u8 shift = ilog2(sizeof(struct mptun_reorder_group));
	int err;

	BUILD_BUG_ON_NOT_POWER_OF_2(sizeof(struct mptun_reorder_group));

	err = mptun_ring_init(&r->groups, shift,
			      MPTUN_REORDER_CHUNK_SHIFT -
			      ilog2(MPTUN_REORDER_GROUP), GFP_KERNEL_ACCOUNT);
	if (err)
		return err;
	err = mptun_ring_init(&r->waits, ilog2(sizeof(u16)),
			      MPTUN_REORDER_CHUNK_SHIFT, GFP_KERNEL_ACCOUNT);
	if (err)
		goto err_groups;
	err = mptun_ring_init(&r->skbs, ilog2(sizeof(struct sk_buff *)),
			      MPTUN_REORDER_CHUNK_SHIFT, GFP_KERNEL_ACCOUNT);
	if (err)
		goto err_waits;
	r->size = MPTUN_REORDER_SLOTS_MIN;
	return 0;

err_waits:
	mptun_ring_destroy(&r->waits);
err_groups:
	mptun_ring_destroy(&r->groups);
	return err;
}

/**
 * mptun_reorder_limit_ring() - charge to a pool what the ring grows by
 * @r: the ring, just initialised
 * @pool: the pool
 */
void mptun_reorder_limit_ring(struct mptun_reorder *r, struct mptun_pool *pool)
{
	mptun_ring_limit(&r->groups, pool);
	mptun_ring_limit(&r->waits, pool);
	mptun_ring_limit(&r->skbs, pool);
}

/* Frees a ring without packets. */
void mptun_reorder_window_destroy(struct mptun_reorder *r)
{
	mptun_ring_destroy(&r->skbs);
	mptun_ring_destroy(&r->waits);
	mptun_ring_destroy(&r->groups);
}

/* Doubles the ring.  If memory runs out half way, the rings that did grow keep
 * their size: their new slots are unused.
 */
static bool mptun_reorder_grow(struct mptun_reorder *r)
{
	u32 groups = 2 * r->size / MPTUN_REORDER_GROUP;
	u32 first = r->first;

	if (r->size >= MPTUN_REORDER_SLOTS_MAX)
		return false;
	if (mptun_ring_size(&r->groups) < groups &&
	    mptun_ring_grow(&r->groups, first / MPTUN_REORDER_GROUP,
			    GFP_ATOMIC))
		return false;
	if (mptun_ring_size(&r->waits) < 2 * r->size &&
	    mptun_ring_grow(&r->waits, first, GFP_ATOMIC))
		return false;
	if (mptun_ring_size(&r->skbs) < 2 * r->size &&
	    mptun_ring_grow(&r->skbs, first, GFP_ATOMIC))
		return false;
	r->size *= 2;
	return true;
}

static bool mptun_reorder_group_aged(const struct mptun_reorder *r, u32 group)
{
	return !mptun_seq_before(r->ages[1], group + MPTUN_REORDER_GROUP);
}

/* Returns true if a packet of this group may still arrive and be of use. */
static bool mptun_reorder_group_needed(const struct mptun_reorder *r,
				       u32 group)
{
	const struct mptun_reorder_group *g = mptun_reorder_group_of(r, group);

	if ((g->arrived & g->settled) == U64_MAX)
		return false;
	if (g->arrived & ~g->settled)
		return true;
	if (!mptun_seq_before(r->floored, group + MPTUN_REORDER_GROUP))
		return false;
	return !mptun_reorder_group_aged(r, group);
}

static u32 mptun_reorder_later(u32 a, u32 b)
{
	return mptun_seq_before(a, b) ? b : a;
}

/* Moves all cursors up to the lower end of the ring. */
static void mptun_reorder_follow(struct mptun_reorder *r)
{
	r->next = mptun_reorder_later(r->next, r->first);
	r->settled = mptun_reorder_later(r->settled, r->first);
	r->lowest = mptun_reorder_later(r->lowest, r->first);
	r->floored = mptun_reorder_later(r->floored, r->first);
	r->known = mptun_reorder_later(r->known,
				       r->first - MPTUN_REORDER_LAG_MAX);
	r->floor = mptun_reorder_later(r->floor,
				       r->first - MPTUN_REORDER_LAG_MAX);
}

/* Drops the lowest group. */
static void mptun_reorder_slide(struct mptun_reorder *r, u64 now,
				struct sk_buff_head *out)
{
	u32 end = r->first + MPTUN_REORDER_GROUP;
	struct mptun_reorder_group *g;
	enum mptun_give_up why;

	why = mptun_reorder_group_aged(r, r->first) ? MPTUN_GIVE_UP_TIME :
						      MPTUN_GIVE_UP_SIZE;
	mptun_reorder_give_up_range(r, r->first, end, why, now, out);

	g = mptun_reorder_group_of(r, r->first);
	if ((g->first | g->proved) != U64_MAX)
		r->known = end;
	memset(g, 0, sizeof(*g));
	r->first = end;
	mptun_reorder_follow(r);
	/* Later they could not be compared any more. */
	if (r->gaps)
		mptun_reorder_remove_old(r);
}

/* Clears all states. */
static void mptun_reorder_clear(struct mptun_reorder *r)
{
	u32 dsn;

	for (dsn = r->first; mptun_seq_before(dsn, r->next);
	     dsn += MPTUN_REORDER_GROUP)
		memset(mptun_reorder_group_of(r, dsn), 0,
		       sizeof(struct mptun_reorder_group));
}

/* Places an empty ring; dsns below @next are settled. */
static void mptun_reorder_window_place(struct mptun_reorder *r, u32 first,
				       u32 next)
{
	r->first = first;
	r->next = next;
	r->settled = next;
	r->lowest = next;
	r->floored = next;
	r->known = next;
	r->ages[0] = next;
	r->ages[1] = next;
	r->gaps = 0;
	r->jumps = 0;
}

/* Starts a new sequence of dsns in a ring without packets. */
void mptun_reorder_window_start(struct mptun_reorder *r, u32 first_dsn)
{
	u32 first = mptun_reorder_group_start(first_dsn);
	struct mptun_reorder_group *g;
	u64 below;

	mptun_reorder_clear(r);
	mptun_reorder_window_place(r, first, first_dsn);
	r->floor = first_dsn;

	below = mptun_reorder_mask(first, first, first_dsn);
	g = mptun_reorder_group_of(r, first);
	g->arrived = below;
	g->settled = below;
	g->first = below;
}

/**
 * mptun_reorder_restart() - restart after a jump of the dsn, beyond the largest
 *	ring or back
 * @r: the ring
 * @dsn: the next dsn
 * @now: our clock in ns
 * @out: released packets are appended
 *
 * Earlier dsns are unrelated.  Those just below may be in flight and will be
 * delivered late.
 */
void mptun_reorder_restart(struct mptun_reorder *r, u32 dsn, u64 now,
			   struct sk_buff_head *out)
{
	u32 first, at;

	mptun_reorder_release_all(r, now, out);
	mptun_reorder_clear(r);
	first = mptun_reorder_group_start(dsn) - r->size / 2;
	mptun_reorder_window_place(r, first, dsn);
	if (mptun_seq_after(r->floor, dsn))
		r->floor = dsn;
	mptun_reorder_follow(r);
	for (at = first; mptun_seq_before(at, dsn); at += MPTUN_REORDER_GROUP)
		mptun_reorder_group_of(r, at)->settled =
			mptun_reorder_mask(at, first, dsn);
	r->stats.resets++;
}

/**
 * mptun_reorder_filter() - check the plausibility of an unauthenticated dsn
 * @r: the ring
 * @dsn: dsn of a packet with a new packet number
 * @now: our clock in ns
 *
 * Corresponds to mptun_replay_filter(), for the sequence that all paths share.
 * A damaged dsn may move the ring ahead by up to its largest size, and packets
 * below it are dropped as too old; but if nothing else arrives for a period,
 * the ring is in the wrong place.  Otherwise they are late: a path that has
 * stalled delivers many together.
 *
 * Return: &enum mptun_reorder_credit.
 */
enum mptun_reorder_credit mptun_reorder_filter(struct mptun_reorder *r,
					       u32 dsn, u64 now)
{
	u32 step = dsn - r->jump + MPTUN_REORDER_JUMP;
	s64 ahead = (s32)(dsn - r->next);

	if (ahead < MPTUN_REORDER_SLOTS_MAX &&
	    !mptun_seq_before(dsn, r->first)) {
		r->jumps = 0;
		r->inside_ns = now;
		return MPTUN_REORDER_TAKE;
	}
	if (abs(ahead) < MPTUN_REORDER_SLOTS_MAX &&
	    now < r->inside_ns + MPTUN_REORDER_PERIOD_NS)
		return MPTUN_REORDER_TAKE;
	if (dsn == r->jump || step > 2 * MPTUN_REORDER_JUMP)
		r->jumps = 0;
	r->jumps++;
	r->jump = dsn;
	if (r->jumps >= MPTUN_REORDER_JUMPS)
		return MPTUN_REORDER_RESTART;
	return abs(ahead) < MPTUN_REORDER_SLOTS_MAX ? MPTUN_REORDER_TAKE :
						      MPTUN_REORDER_DROP;
}

/* Moves the ring up to @dsn, which is not below @r->next. */
void mptun_reorder_advance(struct mptun_reorder *r, u32 dsn, u64 now,
			   struct sk_buff_head *out)
{
	s64 age = now - r->aged;

	if (age >= MPTUN_REORDER_PERIOD_NS) {
		r->ages[1] = r->ages[0];
		if (age >= 2 * MPTUN_REORDER_PERIOD_NS)
			r->ages[1] = r->next;
		r->ages[0] = r->next;
		r->aged = now;
	}
	if (dsn - r->next >= MPTUN_REORDER_SLOTS_MAX)
		mptun_reorder_restart(r, dsn, now, out);

	while (dsn - r->first >= r->size) {
		if (mptun_reorder_group_needed(r, r->first) &&
		    mptun_reorder_grow(r))
			continue;
		mptun_reorder_slide(r, now, out);
	}
	r->next = dsn;
	mptun_reorder_apply_floor(r, now, out);
	r->next = dsn + 1;
}

/* Returns the dsn of the lowest held packet; there is one. */
u32 mptun_reorder_lowest_held(struct mptun_reorder *r)
{
	u32 group = mptun_reorder_group_start(r->lowest);
	u64 held;

	for (; mptun_seq_before(group, r->next);
	     group += MPTUN_REORDER_GROUP) {
		const struct mptun_reorder_group *g;

		g = mptun_reorder_group_of(r, group);
		held = g->arrived & ~g->settled;
		if (held) {
			r->lowest = group + __ffs64(held);
			return r->lowest;
		}
	}
	return r->next;
}

/* Lowest unsettled dsn, or the next one. */
static u32 mptun_reorder_unsettled(struct mptun_reorder *r)
{
	u32 group = mptun_reorder_group_start(r->settled);
	u64 open;

	for (; mptun_seq_before(group, r->next);
	     group += MPTUN_REORDER_GROUP) {
		open = ~mptun_reorder_group_of(r, group)->settled &
		       mptun_reorder_mask(group, group, r->next);
		if (open) {
			r->settled = group + __ffs64(open);
			return r->settled;
		}
	}
	r->settled = r->next;
	return r->settled;
}

/**
 * mptun_reorder_room() - free capacity, for the sender
 * @r: the ring
 *
 * Return: number of packets beyond the highest dsn that can be held now, by
 * slots and memory.
 */
u32 mptun_reorder_room(struct mptun_reorder *r)
{
	u32 each = MPTUN_REORDER_TRUESIZE;
	u32 bytes = 0;
	u32 span;

	span = mptun_reorder_group_start(mptun_reorder_unsettled(r));
	span = r->next - span;
	if (r->bytes < mptun_reorder_most(r))
		bytes = mptun_reorder_most(r) - r->bytes;
	if (r->held)
		each = max(r->bytes / r->held, 1U);
	return min(MPTUN_REORDER_SLOTS_MAX - span, bytes / each);
}

/**
 * mptun_reorder_idle() - free memory of an idle tunnel
 * @r: the ring
 *
 * Called after a second or more without packets: all below the highest dsn is
 * forgotten, and dropped if it still arrives.
 *
 * Return: true if the ring has its smallest size now.
 */
bool mptun_reorder_idle(struct mptun_reorder *r)
{
	struct mptun_reorder_group last;
	u32 first;

	if (r->held)
		return false;
	if (r->size == MPTUN_REORDER_SLOTS_MIN)
		return true;

	first = mptun_reorder_group_start(r->next);
	last = (struct mptun_reorder_group){};
	if (first != r->next)
		last = *mptun_reorder_group_of(r, first);
	mptun_ring_shrink(&r->groups, GFP_ATOMIC);
	mptun_ring_shrink(&r->waits, GFP_ATOMIC);
	mptun_ring_shrink(&r->skbs, GFP_ATOMIC);
	r->size = MPTUN_REORDER_SLOTS_MIN;

	r->first = first;
	*mptun_reorder_group_of(r, first) = last;
	r->known = first;
	r->gaps = 0;
	mptun_reorder_follow(r);
	return true;
}
