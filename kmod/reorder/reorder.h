/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * The reorder buffer of a tunnel.
 */
#ifndef _MPTUN_REORDER_H
#define _MPTUN_REORDER_H

#include <linux/bits.h>
#include <linux/math64.h>
#include <linux/mptun.h>
#include <linux/skbuff.h>
#include <linux/types.h>

#include "base/ring.h"
#include "base/seq.h"
#include "base/skb_cb.h"
#include "wire/wire.h"

#define MPTUN_REORDER_GROUP		64	/* dsns of a group */
#define MPTUN_REORDER_CHUNK_SHIFT	9	/* log2, dsns of a chunk */

/* The ring covers 300 ms of 10 Gbit/s. */
#define MPTUN_REORDER_SLOTS_MAX		262144

/* Wait for a retransmission: four round trips of the slowest path, within these
 * bounds. If each takes one and a little more, a packet that is lost with a
 * probability of 10 % arrives with one of 99.99 %.
 */
#define MPTUN_REORDER_REPAIR_ROUNDS	4
#define MPTUN_REORDER_REPAIR_MIN_US	150000
#define MPTUN_REORDER_REPAIR_MAX_US	1000000

#define MPTUN_REORDER_GAPS		32	/* undecided gaps kept */

/* This many consecutive dsns outside of the ring, each within this distance of
 * the previous one (paths take turns), make a jump credible.
 */
#define MPTUN_REORDER_JUMPS		4
#define MPTUN_REORDER_JUMP		1024

/**
 * struct mptun_gap - proof of loss: a gap in the dsns of one path
 * @after: dsn of a first transmission received on the path
 * @before: dsn of a later first transmission received on the path
 * @lost: number of lost first transmissions of the path with dsns strictly
 *	between @after and @before
 */
struct mptun_gap {
	u32 after;
	u32 before;
	u32 lost;
};

/**
 * enum mptun_verdict - result of mptun_reorder_insert()
 * @MPTUN_VERDICT_DELIVERED: appended to the released packets
 * @MPTUN_VERDICT_HELD: held
 * @MPTUN_VERDICT_DUPLICATE: received before, still owned by the caller
 * @MPTUN_VERDICT_TOO_OLD: older than the ring, still owned by the caller
 *
 * Other packets may have been released in any case.
 */
enum mptun_verdict {
	MPTUN_VERDICT_DELIVERED,
	MPTUN_VERDICT_HELD,
	MPTUN_VERDICT_DUPLICATE,
	MPTUN_VERDICT_TOO_OLD,
};

/**
 * enum mptun_give_up - why a hole was given up
 * @MPTUN_GIVE_UP_PROOF: its path proved the loss
 * @MPTUN_GIVE_UP_FLOOR: the sender gave it up
 * @MPTUN_GIVE_UP_TIME: the hold time expired
 * @MPTUN_GIVE_UP_SIZE: ring or memory were full
 * @MPTUN_GIVE_UP_PSMC: the rule of mode psmc
 * @MPTUN_GIVE_UP_REASONS: number of reasons
 */
enum mptun_give_up {
	MPTUN_GIVE_UP_PROOF,
	MPTUN_GIVE_UP_FLOOR,
	MPTUN_GIVE_UP_TIME,
	MPTUN_GIVE_UP_SIZE,
	MPTUN_GIVE_UP_PSMC,
	MPTUN_GIVE_UP_REASONS,
};

/**
 * struct mptun_reorder_config - settings, may change at any time
 * @mode: &enum mptun_reorder_mode
 * @hold_us: longest hold time in us; the hold time itself in mode fixed
 * @limit_bytes: limit of the memory (truesize) of held packets
 * @psmc_factor: target of mode psmc in percent of its lower bound, 0 for 200
 * @psmc_period_us: period of the bounds of mode psmc in us
 */
struct mptun_reorder_config {
	u8 mode;
	u32 hold_us;
	u32 limit_bytes;
	u32 psmc_factor;
	u32 psmc_period_us;
};

/**
 * enum mptun_reorder_credit - plausibility of an unauthenticated dsn
 * @MPTUN_REORDER_DROP: ignore the packet
 * @MPTUN_REORDER_TAKE: accept it
 * @MPTUN_REORDER_RESTART: accept it after mptun_reorder_restart()
 */
enum mptun_reorder_credit {
	MPTUN_REORDER_DROP,
	MPTUN_REORDER_TAKE,
	MPTUN_REORDER_RESTART,
};

/**
 * struct mptun_reorder_pkt - content of the header of a packet
 * @dsn: data sequence number
 * @prev: distance to the dsn that must be settled before, 0 for none;
 *	MPTUN_PREV_MAX, sent for that distance or more, is taken literally
 * @copy: not the first transmission of this dsn
 * @repairable: the predecessor may be retransmitted
 */
struct mptun_reorder_pkt {
	u32 dsn;
	u16 prev;
	bool copy;
	bool repairable;
};

/**
 * struct mptun_reorder_stats - counters
 * @in_order: packets delivered without waiting
 * @held: packets held
 * @released: packets released because the missing one arrived
 * @given_up: holes given up, by &enum mptun_give_up
 * @late: packets delivered after they had been given up
 * @duplicates: packets refused as duplicates, and copies older than the ring
 * @too_old: packets refused because they were older than the ring
 * @through: packets delivered because their predecessor already had a waiter
 * @resets: restarts by a jump of the sequence number
 * @histogram: waiting times; slot 0 under 64 us, slot n under 64 << n us, the
 *	last one all others
 */
struct mptun_reorder_stats {
	u64 in_order;
	u64 held;
	u64 released;
	u64 given_up[MPTUN_GIVE_UP_REASONS];
	u64 late;
	u64 duplicates;
	u64 too_old;
	u64 through;
	u64 resets;
	u64 histogram[MPTUN_HISTOGRAM_SLOTS];
};

/**
 * struct mptun_psmc_path - a path in mode psmc
 * @owd_us: one-way delay in us, with any common offset
 * @rate_pps: rate in packets per second, 0 if the path is not in use
 */
struct mptun_psmc_path {
	u32 owd_us;
	u32 rate_pps;
};

/**
 * struct mptun_psmc - state of mode psmc
 * @low: lower bound of the target (dbsize_low)
 * @up: upper bound of the target (dbsize_up)
 * @target: number of held packets at which the oldest are released (dbsize)
 * @run: packets delivered in sequence since the last change of the target
 */
struct mptun_psmc {
	u32 low;
	u32 up;
	u32 target;
	u32 run;
};

/**
 * enum mptun_reorder_list - lists of held packets, each in order of arrival
 * @MPTUN_REORDER_LIST_HOLD: those that wait for the hold time
 * @MPTUN_REORDER_LIST_REPAIR: those that wait for a retransmission
 * @MPTUN_REORDER_LIST_BEHIND: those behind one that waits for a retransmission
 * @MPTUN_REORDER_LISTS: number of lists
 */
enum mptun_reorder_list {
	MPTUN_REORDER_LIST_HOLD,
	MPTUN_REORDER_LIST_REPAIR,
	MPTUN_REORDER_LIST_BEHIND,
	MPTUN_REORDER_LISTS,
};

/**
 * struct mptun_reorder - the ring
 * @skbs: held packets, by their own dsn (pointers)
 * @waits: distance from a missing dsn to its waiter (u16)
 * @groups: states of 64 dsns each (struct mptun_reorder_group)
 * @size: number of slots
 * @first: lowest dsn in the ring, a multiple of 64
 * @next: one above the highest dsn received
 * @settled: all dsns in the ring below this one are settled
 * @lowest: no dsn in the ring below this one is held
 * @floor: sender's lowest unsettled dsn
 * @floored: the holes in the ring below this one have been given up
 * @known: no dsn between this one and the ring is unknown (reorder/gap.c)
 * @ages: @next as it was one and two periods ago (memory of the ring)
 * @aged: start of the current period in ns
 * @config: settings
 * @measured_us: measured hold time, for mode adaptive
 * @hold_ns: hold time in force
 * @repair_ns: time to wait for a retransmission, if it is longer
 * @list: held packets
 * @held: number of held packets
 * @bytes: their memory (truesize)
 * @most: limit of @bytes beside that of the settings
 * @gaps: number of entries of @gap in use
 * @slack: first transmissions that must arrive before a gap proves anything
 * @top: the highest @before of all gaps
 * @gap: undecided gaps by lower end
 * @jump: last dsn outside of the ring
 * @jumps: consecutive dsns outside of the ring, each close to the previous one
 * @inside_ns: when a dsn without a tag was in the ring, or above it
 * @psmc: state of mode psmc
 * @stats: counters
 *
 * All fields are protected by the receive lock of the tunnel.
 */
struct mptun_reorder {
	struct mptun_ring skbs;
	struct mptun_ring waits;
	struct mptun_ring groups;
	u32 size;
	u32 first;
	u32 next;
	u32 settled;
	u32 lowest;
	u32 floor;
	u32 floored;
	u32 known;
	u32 ages[2];
	u64 aged;

	struct mptun_reorder_config config;
	u32 measured_us;
	u64 hold_ns;
	u64 repair_ns;
	struct sk_buff_head list[MPTUN_REORDER_LISTS];
	u32 held;
	u32 bytes;
	u32 most;

	u32 gaps;
	u32 slack;
	u32 top;
	struct mptun_gap gap[MPTUN_REORDER_GAPS];

	u32 jump;
	u32 jumps;
	u64 inside_ns;

	struct mptun_psmc psmc;
	struct mptun_reorder_stats stats;
};

/**
 * mptun_reorder_repair_us() - how long a retransmission may take
 * @rtt_us: round-trip time in us
 *
 * Return: time in us.
 */
static inline u32 mptun_reorder_repair_us(u32 rtt_us)
{
	return clamp_t(u64, (u64)rtt_us * MPTUN_REORDER_REPAIR_ROUNDS,
		       MPTUN_REORDER_REPAIR_MIN_US,
		       MPTUN_REORDER_REPAIR_MAX_US);
}

/**
 * mptun_reorder_most() - limit of the memory of held packets
 * @r: the ring
 *
 * Return: the limit in bytes.
 */
static inline u32 mptun_reorder_most(const struct mptun_reorder *r)
{
	return min(r->config.limit_bytes, r->most);
}

int mptun_reorder_init(struct mptun_reorder *r);
void mptun_reorder_limit_ring(struct mptun_reorder *r, struct mptun_pool *pool);
void mptun_reorder_destroy(struct mptun_reorder *r);
void mptun_reorder_start(struct mptun_reorder *r, u32 first_dsn,
			 struct sk_buff_head *out);
void mptun_reorder_configure(struct mptun_reorder *r,
			     const struct mptun_reorder_config *c, u64 now,
			     struct sk_buff_head *out);
enum mptun_reorder_credit mptun_reorder_filter(struct mptun_reorder *r,
					       u32 dsn, u64 now);
void mptun_reorder_restart(struct mptun_reorder *r, u32 dsn, u64 now,
			   struct sk_buff_head *out);
enum mptun_verdict mptun_reorder_insert(struct mptun_reorder *r,
					struct sk_buff *skb,
					const struct mptun_reorder_pkt *p,
					u64 now, struct sk_buff_head *out);
void mptun_reorder_floor(struct mptun_reorder *r, u32 dsn, u64 now,
			 struct sk_buff_head *out);
void mptun_reorder_prove(struct mptun_reorder *r,
			 const struct mptun_gap *b, u64 now,
			 struct sk_buff_head *out);
u64 mptun_reorder_deadline(const struct mptun_reorder *r);
void mptun_reorder_expire(struct mptun_reorder *r, u64 now,
			  struct sk_buff_head *out);
void mptun_reorder_set_repair(struct mptun_reorder *r, u32 rtt_us);
void mptun_reorder_set_hold(struct mptun_reorder *r, u32 hold_us);
u32 mptun_reorder_room(struct mptun_reorder *r);
bool mptun_reorder_idle(struct mptun_reorder *r);

u32 mptun_psmc_bounds(const struct mptun_psmc_path *path, unsigned int n);
void mptun_reorder_psmc(struct mptun_reorder *r,
			const struct mptun_psmc_path *path, unsigned int n,
			u32 up, u64 now, struct sk_buff_head *out);

/**
 * mptun_reorder_hold_us() - hold time in force
 * @r: the ring
 *
 * Return: time in us.
 */
static inline u32 mptun_reorder_hold_us(const struct mptun_reorder *r)
{
	return (u32)div_u64(r->hold_ns, NSEC_PER_USEC);
}

/**
 * struct mptun_reorder_group - states of 64 dsns, one bit each
 * @arrived: the packet was received; it is held or delivered
 * @settled: no packet has to wait for it; it was delivered or given up
 * @first: its first transmission was received
 * @proved: the loss of its first transmission was proved
 *
 * Neither arrived nor settled: a hole.  Arrived only: held.  Settled only:
 * given up.  Both: delivered.
 */
struct mptun_reorder_group {
	u64 arrived;
	u64 settled;
	u64 first;
	u64 proved;
};

static inline struct mptun_reorder_group *
mptun_reorder_group_of(const struct mptun_reorder *r, u32 dsn)
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

static inline bool mptun_reorder_is_held(const struct mptun_reorder *r,
					 u32 dsn)
{
	const struct mptun_reorder_group *g = mptun_reorder_group_of(r, dsn);

	return g->arrived & ~g->settled & mptun_reorder_bit(dsn);
}

/* Bits of the group that begins with @group which lie in [from, to). */
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
void mptun_reorder_first_arrived(struct mptun_reorder *r, u32 dsn, u64 now,
				 struct sk_buff_head *out);

/* reorder/psmc.c */
void mptun_reorder_psmc_init(struct mptun_reorder *r);
void mptun_reorder_psmc_run(struct mptun_reorder *r, u32 n);
void mptun_reorder_psmc_full(struct mptun_reorder *r, u64 now,
			     struct sk_buff_head *out);

#endif /* _MPTUN_REORDER_H */
