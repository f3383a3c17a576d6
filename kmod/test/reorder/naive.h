/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * A naive model of the reorder buffer, to compare the real one with.
 */
#ifndef _MPTUN_REORDER_NAIVE_H
#define _MPTUN_REORDER_NAIVE_H

#include <linux/bits.h>

#include "reorder/reorder.h"

#define MPTUN_NAIVE_SLOTS	BIT(20)
#define MPTUN_NAIVE_HELD	4096
#define MPTUN_NAIVE_BRACKETS	MPTUN_REORDER_GAPS

/**
 * enum mptun_naive_state - state of a dsn
 * @MPTUN_NAIVE_EMPTY: missing
 * @MPTUN_NAIVE_HELD_STATE: held
 * @MPTUN_NAIVE_DELIVERED: delivered
 * @MPTUN_NAIVE_GIVEN_UP: missing and given up
 */
enum mptun_naive_state {
	MPTUN_NAIVE_EMPTY,
	MPTUN_NAIVE_HELD_STATE,
	MPTUN_NAIVE_DELIVERED,
	MPTUN_NAIVE_GIVEN_UP,
};

/**
 * struct mptun_naive_slot - state of a dsn
 * @birth: when the ring first spanned it, in ns
 * @arrival: when its packet arrived, in ns
 * @waiter: the dsn that waits for it, 0 for none
 * @bytes: memory of its packet
 * @prev: distance to the dsn it waits for
 * @state: &enum mptun_naive_state
 * @list: &enum mptun_reorder_list
 * @first: its first transmission arrived
 * @proved: its loss was proved
 */
struct mptun_naive_slot {
	u64 birth;
	u64 arrival;
	u32 waiter;
	u32 bytes;
	u16 prev;
	u8 state;
	u8 list;
	bool first;
	bool proved;
};

/**
 * struct mptun_naive - the model: one array, searched linearly
 * @slot: all dsns, from 0; they never wrap here
 * @held: held dsns in the order of arrival
 * @n_held: number of them
 * @bytes: memory of held packets
 * @out: dsns released by the last operation
 * @n_out: number of them
 * @first: lowest dsn of the ring
 * @next: one above the highest
 * @floor: sender's floor
 * @floored: dsns below were given up by the floor
 * @known: no dsn between here and @first is unknown
 * @config: settings
 * @measured_us: measured hold time
 * @hold_ns: hold time in force
 * @gap: undecided gaps
 * @gaps: number of them
 * @psmc: state of mode psmc
 * @stats: expected counters
 * @young: a packet was forgotten too early
 */
struct mptun_naive {
	struct mptun_naive_slot slot[MPTUN_NAIVE_SLOTS];
	u32 held[MPTUN_NAIVE_HELD];
	u32 n_held;
	u32 bytes;
	u32 out[MPTUN_NAIVE_HELD];
	u32 n_out;
	u32 first;
	u32 next;
	u32 floor;
	u32 floored;
	u32 known;
	struct mptun_reorder_config config;
	u32 measured_us;
	u64 hold_ns;
	struct mptun_gap gap[MPTUN_NAIVE_BRACKETS];
	u32 gaps;
	struct mptun_psmc psmc;
	struct mptun_reorder_stats stats;
	u32 young;
};

static inline bool mptun_naive_mode(const struct mptun_naive *m, u8 mode)
{
	return m->config.mode == mode;
}

void mptun_naive_start(struct mptun_naive *m, u32 first);
void mptun_naive_configure(struct mptun_naive *m,
			   const struct mptun_reorder_config *c, u64 now);
void mptun_naive_set_hold(struct mptun_naive *m, u32 us);
enum mptun_verdict mptun_naive_insert(struct mptun_naive *m,
				      const struct mptun_reorder_pkt *p,
				      u32 bytes, u32 slide_to, bool reset,
				      u64 now);
void mptun_naive_floor(struct mptun_naive *m, u32 dsn, u64 now);
void mptun_naive_prove(struct mptun_naive *m, const struct mptun_gap *b,
		       u64 now);
void mptun_naive_evaluate(struct mptun_naive *m, u64 now);
void mptun_naive_give_up(struct mptun_naive *m, u32 dsn,
			 enum mptun_give_up why, u64 now);
void mptun_naive_expire(struct mptun_naive *m, u64 now);
u64 mptun_naive_deadline(const struct mptun_naive *m);
void mptun_naive_idle(struct mptun_naive *m);
u32 mptun_naive_unsettled(const struct mptun_naive *m);
u32 mptun_naive_unknown(const struct mptun_naive *m, u32 from, u32 to);

#endif /* _MPTUN_REORDER_NAIVE_H */
