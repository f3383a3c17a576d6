/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * A naive model of the records of a path.
 *
 * The model keeps every packet in a plain array and computes each result from
 * all of them. It has no runs, no cursors, and does not assume that losses are
 * the oldest packets. Only the adaptation of thresholds is taken from the code
 * under test; that has tests of its own.
 */
#ifndef _MPTUN_TEST_RECOVERY_SENT_FUZZ_H
#define _MPTUN_TEST_RECOVERY_SENT_FUZZ_H

#include <linux/prandom.h>
#include <linux/spinlock.h>

#include "recovery/sent.h"

#define MPTUN_FUZZ_FIRST	(U32_MAX - 3000ULL)
#define MPTUN_FUZZ_PACKETS	32768U
#define MPTUN_FUZZ_SPANS	64
#define MPTUN_FUZZ_REPORTS	8

enum mptun_fuzz_state {
	MPTUN_FUZZ_OUT,
	MPTUN_FUZZ_ACKED,
	MPTUN_FUZZ_LOST,
	MPTUN_FUZZ_ABANDONED,
};

/* A packet in the model: the state at the sender, whether it has arrived and
 * an skb of it is kept, and the first packet that is in the same skb
 */
struct mptun_fuzz_packet {
	u64 sent_ns;
	u64 run;
	u32 dsn;
	u32 bytes;
	enum mptun_fuzz_state state;
	bool arrived;
	bool kept;
};

/* A report on its way */
struct mptun_fuzz_report {
	struct mptun_ack_span spans[MPTUN_FUZZ_SPANS];
	unsigned int n;
};

/**
 * struct mptun_fuzz - the model and what it is compared with
 * @lock: held as the tunnel's would be, to detect code that sleeps
 * @s: records under test
 * @rtt: their round-trip time
 * @model_rtt: that of the model
 * @res: result of the last call
 * @want: result of the model
 * @packets: all packets of the last while
 * @report: reports, some of them old
 * @spans: the report at hand, after a span of numbers never sent
 * @rnd: random numbers
 * @now: time in ns
 * @next: next number
 * @low: all below is settled and forgotten
 * @arriving: next number to arrive
 * @largest: largest number acknowledged
 * @other_acked: number first acknowledged by a report of another path
 * @other_ns: when its packet was sent, 0 once the path has acknowledged it, too
 * @other_us: receiver's time when it arrived
 * @witness_ns: send time of the newest packet outside this space that arrived
 * @any: @largest is valid
 * @kept: skbs kept
 * @losses: packets lost in the whole run
 * @late: packets that arrived after all in the whole run
 */
struct mptun_fuzz {
	spinlock_t lock; /* protects nothing, there is one thread */
	struct mptun_sent s;
	struct mptun_rtt rtt;
	struct mptun_rtt model_rtt;
	struct mptun_sent_result res;
	struct mptun_sent_result want;
	struct mptun_fuzz_packet *packets;
	struct mptun_fuzz_report report[MPTUN_FUZZ_REPORTS];
	struct mptun_ack_span spans[MPTUN_FUZZ_SPANS + 1];
	struct rnd_state rnd;
	u64 now;
	u64 next;
	u64 low;
	u64 arriving;
	u64 largest;
	u64 other_acked;
	u64 other_ns;
	u32 other_us;
	u64 witness_ns;
	bool any;
	u32 kept;
	u64 losses;
	u64 late;
};

static inline u32 mptun_fuzz_rnd(struct mptun_fuzz *f, u32 n)
{
	return prandom_u32_state(&f->rnd) % n;
}

static inline struct mptun_fuzz_packet *
mptun_fuzz_packet(struct mptun_fuzz *f, u64 number)
{
	return &f->packets[(u32)number % MPTUN_FUZZ_PACKETS];
}

u64 mptun_fuzz_oldest(struct mptun_fuzz *f);
u64 mptun_fuzz_due(struct mptun_fuzz *f, u64 number,
		   const struct mptun_fuzz_packet *p);
void mptun_fuzz_model_lose(struct mptun_fuzz *f, struct mptun_fuzz_packet *p);
void mptun_fuzz_model_detect(struct mptun_fuzz *f);
void mptun_fuzz_model_arrived(struct mptun_fuzz *f, u64 number, u64 top);
u32 mptun_fuzz_model_time(struct mptun_fuzz *f, u64 top,
			  const struct mptun_sent_origin *from);
void mptun_fuzz_model_sample(struct mptun_fuzz *f, bool same_path, u32 delay);

#endif /* _MPTUN_TEST_RECOVERY_SENT_FUZZ_H */
