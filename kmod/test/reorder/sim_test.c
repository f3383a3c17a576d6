// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Property tests: loss proofs and reorder buffer over simulated paths.
 */
#include <kunit/test.h>
#include <linux/minmax.h>
#include <linux/time64.h>
#include <linux/vmalloc.h>

#include "base/seq.h"
#include "test/reorder/sim.h"
#include "wire/wire.h"

/* Checks the order of released packets: that of the lane, except that a packet
 * given up releases earlier known ones.
 */
static void mptun_rsim_take(struct mptun_rsim *s, struct sk_buff_head *out)
{
	u32 index, lane, before;
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(out)) != NULL) {
		index = skb->mark;
		lane = s->lane[index];
		before = index - s->prev[index];
		if (before != index && !s->delivered[before])
			s->broken[lane] = max(s->broken[lane], before + 1);
		if (index + 1 < s->last[lane]) {
			s->overtaken++;
			s->disorder += index + 1 > s->broken[lane];
		}
		s->last[lane] = max(s->last[lane], index + 1);
		s->delivered[index]++;
		kfree_skb(skb);
	}
}

static void mptun_rsim_prove(struct mptun_rsim *s, struct mptun_gap *b,
			     u32 n, struct sk_buff_head *out)
{
	while (n--)
		mptun_reorder_prove(&s->reorder, b++, s->now, out);
}

/* Fires timers due before @until. */
static void mptun_rsim_timers(struct mptun_rsim *s, u64 until)
{
	struct mptun_gap b[4];
	struct sk_buff_head out;
	u32 i, n;
	u64 at;

	__skb_queue_head_init(&out);
	for (;;) {
		at = mptun_reorder_deadline(&s->reorder);
		for (i = 0; i < MPTUN_RSIM_PATHS; i++)
			at = min(at, mptun_loss_proof_deadline(&s->proof[i],
							       s->now));
		if (at >= until)
			return;
		s->now = max(s->now, at);
		for (i = 0; i < MPTUN_RSIM_PATHS; i++) {
			n = mptun_loss_proof_expire(&s->proof[i], s->now, b,
						    ARRAY_SIZE(b));
			mptun_rsim_prove(s, b, n, &out);
		}
		mptun_reorder_expire(&s->reorder, s->now, &out);
		mptun_rsim_take(s, &out);
	}
}

/* The sender settles packets and reports its floor. */
static void mptun_rsim_floor(struct mptun_rsim *s, struct sk_buff_head *out)
{
	u64 us = div_u64(s->now, NSEC_PER_USEC);

	if (!s->c->settle_us)
		return;
	while (s->floor < MPTUN_RSIM_PACKETS &&
	       s->sent_us[s->floor] + s->c->settle_us <= us)
		s->floor++;
	mptun_reorder_floor(&s->reorder, MPTUN_RSIM_DSN + s->floor, s->now,
			    out);
}

static void mptun_rsim_arrive(struct mptun_rsim *s,
			      const struct mptun_rsim_pkt *pkt)
{
	struct mptun_arrival a = {
		.pn = 0xffffff00ULL + pkt->number,
		.dsn = MPTUN_RSIM_DSN + pkt->index,
		.fseq = pkt->fseq,
		.copy = pkt->copy,
	};
	struct mptun_reorder_pkt p = {
		.dsn = a.dsn,
		.prev = s->prev[pkt->index],
		.copy = pkt->copy,
		.repairable = s->c->resend_us,
	};
	u64 late = s->reorder.stats.late;
	struct mptun_gap b[4];
	struct sk_buff_head out;
	struct sk_buff *skb;
	u32 n;

	skb = alloc_skb(64, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(s->test, skb);
	skb->mark = pkt->index;
	__skb_queue_head_init(&out);
	n = mptun_loss_proof_receive(&s->proof[pkt->path], &a, s->now, b,
				     ARRAY_SIZE(b));
	if (mptun_reorder_insert(&s->reorder, skb, &p, s->now, &out) >=
	    MPTUN_VERDICT_DUPLICATE)
		kfree_skb(skb);
	mptun_rsim_prove(s, b, n, &out);
	mptun_rsim_floor(s, &out);
	mptun_rsim_take(s, &out);

	s->slots = max(s->slots, s->reorder.size);
	if (late == s->reorder.stats.late || pkt->copy)
		return;
	s->false_proofs++;
	s->false_later += pkt->index > MPTUN_RSIM_PACKETS / 2;
}

static void mptun_rsim_begin(struct mptun_rsim *s, u32 seed)
{
	struct mptun_reorder_config config = {
		.mode = MPTUN_REORDER_MODE_FIXED,
		.hold_us = MPTUN_HOLD_MAX_US,
		.limit_bytes = 64U << 20,
	};
	struct sk_buff_head out;
	u32 i;

	__skb_queue_head_init(&out);
	prandom_seed_state(&s->rnd, seed);
	KUNIT_ASSERT_EQ(s->test, mptun_reorder_init(&s->reorder), 0);
	mptun_reorder_start(&s->reorder, MPTUN_RSIM_DSN, &out);
	mptun_reorder_configure(&s->reorder, &config, 0, &out);
	for (i = 0; i < MPTUN_RSIM_PATHS; i++)
		mptun_loss_proof_init(&s->proof[i]);
	mptun_rsim_schedule(s);
}

/* Invariants of each run. */
static void mptun_rsim_check(struct mptun_rsim *s)
{
	const struct mptun_reorder_stats *st = &s->reorder.stats;
	u32 i, wrong = 0, arrived = 0;

	for (i = 0; i < MPTUN_RSIM_PACKETS; i++) {
		wrong += s->delivered[i] != s->arrives[i];
		arrived += s->arrives[i];
	}
	KUNIT_EXPECT_EQ(s->test, wrong, 0U);
	KUNIT_EXPECT_EQ(s->test, s->reorder.held, 0U);
	KUNIT_EXPECT_EQ(s->test, s->reorder.bytes, 0U);
	KUNIT_EXPECT_EQ(s->test, st->duplicates, (u64)(s->pkts - arrived));
	KUNIT_EXPECT_EQ(s->test, st->too_old, 0ULL);
	KUNIT_EXPECT_EQ(s->test, st->through, 0ULL);
	KUNIT_EXPECT_EQ(s->test, st->resets, 0ULL);
	KUNIT_EXPECT_EQ(s->test, st->given_up[MPTUN_GIVE_UP_SIZE], 0ULL);
	KUNIT_EXPECT_EQ(s->test, s->disorder, 0U);
}

static void mptun_rsim_report(struct mptun_rsim *s)
{
	const struct mptun_reorder_stats *st = &s->reorder.stats;

	kunit_info(s->test,
		   "lost %u, proved %u, false %u (later %u), by time %u, floor %u, held %u, overtaken %u, slots %u, tolerance %u packets %u us",
		   s->losses, (u32)st->given_up[MPTUN_GIVE_UP_PROOF],
		   s->false_proofs, s->false_later,
		   (u32)st->given_up[MPTUN_GIVE_UP_TIME],
		   (u32)st->given_up[MPTUN_GIVE_UP_FLOOR], (u32)st->held,
		   s->overtaken, s->slots, s->proof[0].packets,
		   s->proof[0].us);
}

static struct mptun_rsim *mptun_rsim_run(struct kunit *test,
					 const struct mptun_rsim_case *c,
					 u32 seed)
{
	struct mptun_rsim *s = vzalloc(sizeof(*s));
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->test = test;
	s->c = c;
	mptun_rsim_begin(s, seed);
	for (i = 0; i < s->pkts; i++) {
		u64 at = s->pkt[i].arrival_us * (u64)NSEC_PER_USEC;

		mptun_rsim_timers(s, at);
		s->now = at;
		mptun_rsim_arrive(s, &s->pkt[i]);
	}
	mptun_rsim_timers(s, U64_MAX);
	mptun_rsim_check(s);
	mptun_rsim_report(s);
	return s;
}

static void mptun_rsim_end(struct mptun_rsim *s)
{
	mptun_reorder_destroy(&s->reorder);
	vfree(s);
}

/* Common expectation: enough proofs and hardly a false one. */
static void mptun_rsim_expect(struct kunit *test,
			      const struct mptun_rsim_case *c)
{
	const struct mptun_reorder_stats *st;
	struct mptun_rsim *s;
	u32 seed;

	for (seed = 1; seed <= 2; seed++) {
		s = mptun_rsim_run(test, c, seed);
		st = &s->reorder.stats;
		KUNIT_EXPECT_GE(test, st->given_up[MPTUN_GIVE_UP_PROOF] *
				1000, (u64)s->losses * c->proved);
		KUNIT_EXPECT_LE(test, s->false_proofs, c->false_proofs);
		KUNIT_EXPECT_EQ(test, s->false_later, 0U);
		if (c->slots)
			KUNIT_EXPECT_LE(test, s->slots, c->slots);
		mptun_rsim_end(s);
	}
}

static void mptun_rsim_test_equal(struct kunit *test)
{
	static const struct mptun_rsim_case c = {
		.path = { { .delay_us = 10000, .gap_us = 225, .loss = 10 },
			  { .delay_us = 10100, .gap_us = 225, .loss = 10 } },
		.burst = 1, .settle_us = 60000, .proved = 995, .slots = 1024,
	};

	mptun_rsim_expect(test, &c);
}

static void mptun_rsim_test_delays(struct kunit *test)
{
	static const struct mptun_rsim_case c = {
		.path = { { .delay_us = 10000, .gap_us = 225, .loss = 10 },
			  { .delay_us = 100000, .gap_us = 225, .loss = 10 } },
		.burst = 1, .proved = 995,
	};

	mptun_rsim_expect(test, &c);
}

static void mptun_rsim_test_rates(struct kunit *test)
{
	static const struct mptun_rsim_case c = {
		.path = { { .delay_us = 10000, .gap_us = 120, .loss = 10 },
			  { .delay_us = 14000, .gap_us = 1200, .loss = 10 } },
		.burst = 1, .proved = 995,
	};

	mptun_rsim_expect(test, &c);
}

static void mptun_rsim_test_bursts(struct kunit *test)
{
	static const struct mptun_rsim_case c = {
		.path = { { .delay_us = 10000, .gap_us = 225, .loss = 10 },
			  { .delay_us = 10000, .gap_us = 225, .loss = 10 } },
		.burst = 16, .proved = 995,
	};

	mptun_rsim_expect(test, &c);
}

/* A path with an occasional packet. */
static void mptun_rsim_test_backup(struct kunit *test)
{
	static const struct mptun_rsim_case c = {
		.path = { { .delay_us = 10000, .gap_us = 225, .loss = 10 },
			  { .delay_us = 12000, .gap_us = 225, .loss = 10 },
			  { .delay_us = 40000, .gap_us = 300000 } },
		.burst = 1, .settle_us = 100000, .proved = 995, .slots = 2048,
	};

	mptun_rsim_expect(test, &c);
}

static void mptun_rsim_test_joining(struct kunit *test)
{
	static const struct mptun_rsim_case c = {
		.path = { { .delay_us = 10000, .gap_us = 225, .loss = 10 },
			  { .delay_us = 100000, .gap_us = 225, .loss = 10,
			    .begin_us = 1000000 } },
		.burst = 1, .proved = 995,
	};

	mptun_rsim_expect(test, &c);
}

static void mptun_rsim_test_three(struct kunit *test)
{
	static const struct mptun_rsim_case c = {
		.path = { { .delay_us = 10000, .gap_us = 300, .loss = 50 },
			  { .delay_us = 20000, .gap_us = 300, .loss = 50 },
			  { .delay_us = 30000, .gap_us = 300, .loss = 50 } },
		.burst = 1, .proved = 992,
	};

	mptun_rsim_expect(test, &c);
}

/* The tolerances adapt to the path; then there are no more false proofs. */
static void mptun_rsim_test_jitter(struct kunit *test)
{
	static const struct mptun_rsim_case c = {
		.path = { { .delay_us = 10000, .gap_us = 225, .loss = 10,
			    .jitter_us = 20000 },
			  { .delay_us = 10000, .gap_us = 225, .loss = 10 } },
		.burst = 1, .proved = 980, .false_proofs = 60,
	};

	mptun_rsim_expect(test, &c);
}

/* Copies never cause a false proof. */
static void mptun_rsim_test_copies(struct kunit *test)
{
	static const struct mptun_rsim_case c = {
		.path = { { .delay_us = 10000, .gap_us = 300, .loss = 20 },
			  { .delay_us = 30000, .gap_us = 300, .loss = 20 },
			  { .delay_us = 25000, .gap_us = 400, .loss = 20 } },
		.burst = 1, .copies = 300, .proved = 600,
	};

	mptun_rsim_expect(test, &c);
}

/* All losses are retransmitted: nothing is lost or overtaken. */
static void mptun_rsim_test_repair(struct kunit *test)
{
	static const struct mptun_rsim_case c = {
		.path = { { .delay_us = 10000, .gap_us = 225, .loss = 20 },
			  { .delay_us = 40000, .gap_us = 225 } },
		.burst = 1, .resend_us = 25000,
	};
	struct mptun_rsim *s;
	u32 seed;

	for (seed = 1; seed <= 2; seed++) {
		s = mptun_rsim_run(test, &c, seed);
		KUNIT_EXPECT_EQ(test, s->overtaken, 0U);
		KUNIT_EXPECT_EQ(test, s->reorder.stats
				.given_up[MPTUN_GIVE_UP_TIME], 0ULL);
		mptun_rsim_end(s);
	}
}

static struct kunit_case mptun_rsim_cases[] = {
	KUNIT_CASE(mptun_rsim_test_equal),
	KUNIT_CASE(mptun_rsim_test_delays),
	KUNIT_CASE(mptun_rsim_test_rates),
	KUNIT_CASE(mptun_rsim_test_bursts),
	KUNIT_CASE(mptun_rsim_test_backup),
	KUNIT_CASE(mptun_rsim_test_joining),
	KUNIT_CASE(mptun_rsim_test_three),
	KUNIT_CASE(mptun_rsim_test_jitter),
	KUNIT_CASE(mptun_rsim_test_copies),
	KUNIT_CASE(mptun_rsim_test_repair),
	{}
};

static struct kunit_suite mptun_rsim_suite = {
	.name = "mptun_reorder_sim",
	.test_cases = mptun_rsim_cases,
};

kunit_test_suite(mptun_rsim_suite);
