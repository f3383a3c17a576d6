/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Records of the packets of a path, shared by recovery/sent.c and recovery/loss.c.
 */
#ifndef _MPTUN_SENT_PRIV_H
#define _MPTUN_SENT_PRIV_H

#include <linux/build_bug.h>
#include <linux/string.h>

#include "recovery/sent.h"

/**
 * enum mptun_sent_state - what became of a packet
 * @MPTUN_SENT_OUT: outstanding
 * @MPTUN_SENT_ACKED: acknowledged
 * @MPTUN_SENT_LOST: declared lost by a threshold
 * @MPTUN_SENT_ABANDONED: given up with its path, which says nothing about
 *	reordering if it arrives later
 */
enum mptun_sent_state {
	MPTUN_SENT_OUT,
	MPTUN_SENT_ACKED,
	MPTUN_SENT_LOST,
	MPTUN_SENT_ABANDONED,
};

/**
 * struct mptun_sent_slot - record of a packet
 * @sent_ns: when it was sent
 * @dsn: its data sequence number, until acknowledged
 * @run: how many numbers from this one on are known to be acknowledged
 * @bytes: its size
 * @state: &enum mptun_sent_state
 */
struct mptun_sent_slot {
	u64 sent_ns;
	union {
		u32 dsn;
		u32 run;
	};
	u16 bytes;
	u8 state;
};

#define MPTUN_SENT_SLOT_SHIFT	4
#define MPTUN_SENT_CHUNK_SHIFT	7	/* log2, what a path at rest has */
static_assert(sizeof(struct mptun_sent_slot) == 1 << MPTUN_SENT_SLOT_SHIFT);

static inline struct mptun_sent_slot *
mptun_sent_slot(const struct mptun_sent *s, u64 number)
{
	return mptun_ring_slot(&s->ring, number);
}

static inline u64 mptun_sent_age(const struct mptun_sent_slot *slot, u64 now)
{
	return now > slot->sent_ns ? now - slot->sent_ns : 0;
}

static inline void mptun_sent_begin(const struct mptun_sent *s,
				    struct mptun_sent_result *res)
{
	memset(res, 0, sizeof(*res));
	res->prior_in_flight = s->in_flight;
}

void mptun_sent_overtaken(struct mptun_sent *s, u64 number, u64 age,
			  u64 largest, const struct mptun_rtt *rtt, bool lost);
void mptun_sent_calm(struct mptun_sent *s);
u32 mptun_sent_later_us(const struct mptun_sent *s);
void mptun_sent_find_lost(struct mptun_sent *s, const struct mptun_rtt *rtt,
			  u64 now, struct mptun_sent_result *res);
void mptun_sent_forget(struct mptun_sent *s, const struct mptun_rtt *rtt,
		       u64 now);

int mptun_sent_kept_grow(struct mptun_sent *s);
void mptun_sent_unkeep(struct mptun_sent *s, u64 number,
		       struct sk_buff_head *list);
bool mptun_sent_again_dsn(struct mptun_sent *s, u32 *dsn);

#endif /* _MPTUN_SENT_PRIV_H */
