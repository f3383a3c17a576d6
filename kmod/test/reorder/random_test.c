// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Random operations on the reorder buffer, compared step by step with a naive
 * model: packets released and their order, verdicts, deadlines, counters and
 * states.
 */
#include <linux/prandom.h>
#include <linux/vmalloc.h>

#include "reorder/reorder.h"
#include "test/reorder/frame.h"
#include "test/reorder/naive.h"

#define MPTUN_RANDOM_STEPS	100000
#define MPTUN_RANDOM_START	100U	/* first dsn of the model */

/**
 * struct mptun_random - buffer and model side by side
 * @t: the buffer
 * @m: the model
 * @rnd: random state
 * @base: dsn of the buffer minus that of the model, whole groups
 * @wrong: steps with a difference
 */
struct mptun_random {
	struct mptun_reorder_test *t;
	struct mptun_naive *m;
	struct rnd_state rnd;
	u32 base;
	u32 wrong;
};

static u32 mptun_random_below(struct mptun_random *x, u32 below)
{
	return prandom_u32_state(&x->rnd) % below;
}

/* The predecessor of a dsn is always the same. */
static u16 mptun_random_prev(u32 dsn)
{
	u32 hash = (dsn + 7) * 2654435761U;

	switch (hash >> 28) {
	case 0:
	case 1:
		return 0;
	case 2:
		return MPTUN_PREV_MAX;
	case 3:
		return (hash >> 8) % 3000;
	default:
		return 1 + (hash >> 8) % 20;
	}
}

static u32 mptun_random_dsn(struct mptun_random *x)
{
	u32 next = x->m->next;

	switch (mptun_random_below(x, 16)) {
	default:
		return next + mptun_random_below(x, 3);
	case 0 ... 7:
		return next - min(mptun_random_below(x, 30), next);
	case 8:
		return next - min(mptun_random_below(x, 900), next);
	case 9:
		if (!mptun_random_below(x, 100))
			return next + mptun_random_below(x, 3000);
		return next + mptun_random_below(x, 40);
	}
}

/* Both released the same in the same order. */
static void mptun_random_compare(struct mptun_random *x)
{
	struct mptun_naive *m = x->m;
	struct sk_buff *skb;
	u32 i = 0;

	while ((skb = __skb_dequeue(&x->t->out)) != NULL) {
		x->wrong += i >= m->n_out || skb->mark != m->out[i];
		i++;
		kfree_skb(skb);
		x->t->live--;
	}
	x->wrong += i != m->n_out;
	m->n_out = 0;
	x->wrong += x->t->r.held != m->n_held || x->t->r.bytes != m->bytes;
	x->wrong += mptun_reorder_deadline(&x->t->r) !=
		    mptun_naive_deadline(m);
}

static void mptun_random_insert(struct mptun_random *x, u32 dsn)
{
	struct mptun_reorder *r = &x->t->r;
	struct mptun_reorder_pkt p = {
		.dsn = dsn + x->base,
		.prev = min(mptun_random_prev(dsn), dsn),
		.copy = !mptun_random_below(x, 8),
		.repairable = dsn / 512 % 3 == 0 && mptun_random_below(x, 2),
	};
	u64 resets = r->stats.resets;
	enum mptun_verdict verdict;
	struct sk_buff *skb;
	u32 bytes;

	skb = alloc_skb(mptun_random_below(x, 2) ? 100 : 1500, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(x->t->test, skb);
	skb->mark = dsn;
	bytes = skb->truesize;
	x->t->live++;
	verdict = mptun_reorder_insert(r, skb, &p, x->t->now, &x->t->out);
	if (verdict >= MPTUN_VERDICT_DUPLICATE) {
		kfree_skb(skb);
		x->t->live--;
	}
	p.dsn = dsn;
	x->wrong += verdict != mptun_naive_insert(x->m, &p, bytes,
						  r->first - x->base,
						  resets != r->stats.resets,
						  x->t->now);
}

/* A proof that is true, or nearly so. */
static void mptun_random_prove(struct mptun_random *x)
{
	struct mptun_naive *m = x->m;
	struct mptun_gap b;
	u32 unknown;

	if (m->gaps > 5 || m->next < 1000)
		return;
	b.before = m->next - 1 - mptun_random_below(x, 150);
	b.after = b.before - 1 - mptun_random_below(x, 50);
	if (!mptun_random_below(x, 20))
		b.after -= 600;
	unknown = mptun_naive_unknown(m, max(b.after + 1, m->first),
				      max(b.before, m->first));
	b.lost = unknown - min(mptun_random_below(x, 4), unknown);
	if (!mptun_random_below(x, 20))
		b.lost = mptun_random_below(x, 5);
	mptun_naive_prove(m, &b, x->t->now);
	b.after += x->base;
	b.before += x->base;
	mptun_reorder_prove(&x->t->r, &b, x->t->now, &x->t->out);
}

static void mptun_random_configure(struct mptun_random *x)
{
	static const u32 limit[] = { 5000, 30000, 100000, 16 << 20 };
	static const u32 hold[] = { 0, 3000, 50000, 500000 };
	struct mptun_reorder_config c = {
		.mode = MPTUN_REORDER_MODE_ADAPTIVE,
		.hold_us = hold[mptun_random_below(x, ARRAY_SIZE(hold))],
		.limit_bytes = limit[mptun_random_below(x, ARRAY_SIZE(limit))],
	};

	if (mptun_random_below(x, 2))
		c.mode = mptun_random_below(x, MPTUN_REORDER_MODE_PSMC + 1);
	mptun_naive_configure(x->m, &c, x->t->now);
	mptun_reorder_configure(&x->t->r, &c, x->t->now, &x->t->out);
}

static void mptun_random_rare(struct mptun_random *x)
{
	u32 next = x->m->next, us;
	u32 size = x->t->r.size;

	switch (mptun_random_below(x, 64)) {
	case 0:
		us = next + mptun_random_below(x, 2000);
		mptun_naive_start(x->m, us);
		mptun_reorder_start(&x->t->r, us + x->base, &x->t->out);
		break;
	case 1 ... 3:
		if (mptun_reorder_idle(&x->t->r) && size != x->t->r.size)
			mptun_naive_idle(x->m);
		break;
	case 4:
		if (next < MPTUN_NAIVE_SLOTS / 2)
			mptun_random_insert(x, next + MPTUN_REORDER_SLOTS_MAX +
					    mptun_random_below(x, 20));
		break;
	case 5 ... 20:
		us = mptun_random_below(x, 100000);
		mptun_naive_set_hold(x->m, us);
		mptun_reorder_set_hold(&x->t->r, us);
		break;
	case 21:
		x->t->now += 800 * NSEC_PER_MSEC;
		break;
	default:
		mptun_random_configure(x);
		break;
	}
}

static void mptun_random_step(struct mptun_random *x)
{
	u32 dsn;

	switch (mptun_random_below(x, 64)) {
	case 0 ... 3:
		mptun_random_prove(x);
		break;
	case 4 ... 5:
		dsn = x->m->next + 10 - min(mptun_random_below(x, 2000),
					    x->m->next);
		mptun_naive_floor(x->m, dsn, x->t->now);
		mptun_reorder_floor(&x->t->r, dsn + x->base, x->t->now,
				    &x->t->out);
		break;
	case 6 ... 9:
		x->t->now += mptun_random_below(x, 2000) * (u64)NSEC_PER_USEC;
		mptun_naive_expire(x->m, x->t->now);
		mptun_reorder_expire(&x->t->r, x->t->now, &x->t->out);
		break;
	case 10:
		if (!mptun_random_below(x, 8))
			mptun_random_rare(x);
		break;
	default:
		x->t->now += mptun_random_below(x, 100) * (u64)NSEC_PER_USEC;
		mptun_random_insert(x, mptun_random_dsn(x));
		break;
	}
	mptun_random_compare(x);
}

/* Compares each slot of the window and all counters. */
static void mptun_random_compare_all(struct mptun_random *x)
{
	const struct mptun_reorder *r = &x->t->r;
	struct mptun_naive *m = x->m;
	u32 dsn, state, got, span, each;

	for (dsn = m->first; dsn < m->next; dsn++) {
		const struct mptun_reorder_group *g;
		u64 bit = mptun_reorder_bit(dsn + x->base);

		g = mptun_reorder_group_of(r, dsn + x->base);
		state = m->slot[dsn].state;
		got = g->settled & bit ? MPTUN_NAIVE_GIVEN_UP :
					 MPTUN_NAIVE_EMPTY;
		if (g->arrived & bit)
			got = g->settled & bit ? MPTUN_NAIVE_DELIVERED :
						 MPTUN_NAIVE_HELD_STATE;
		x->wrong += got != state;
		x->wrong += !!(g->first & bit) != m->slot[dsn].first;
		x->wrong += !!(g->proved & bit) != m->slot[dsn].proved;
	}
	x->wrong += r->next - x->base != m->next;
	x->wrong += r->psmc.target != m->psmc.target;
	x->wrong += memcmp(&r->stats, &m->stats, sizeof(r->stats)) != 0;
	span = m->next - ((mptun_naive_unsettled(m) + x->base) & ~63U) +
	       x->base;
	each = m->n_held ? m->bytes / m->n_held : 2304;
	x->wrong += mptun_reorder_room(&x->t->r) !=
		    min(MPTUN_REORDER_SLOTS_MAX - span,
			(r->config.limit_bytes - m->bytes) / each);
}

/* Checks that the run covered everything often enough. */
static void mptun_random_covered(struct mptun_random *x)
{
	const struct mptun_reorder_stats *s = &x->m->stats;
	struct kunit *test = x->t->test;
	u32 why;

	kunit_info(test, "dsns %u, slots %u, released %u, resets %u",
		   x->m->next, x->t->r.size, (u32)s->released,
		   (u32)s->resets);
	for (why = 0; why < MPTUN_GIVE_UP_REASONS; why++)
		KUNIT_EXPECT_GT(test, s->given_up[why], 100ULL);
	KUNIT_EXPECT_GT(test, s->held, 1000ULL);
	KUNIT_EXPECT_GT(test, s->released, 1000ULL);
	KUNIT_EXPECT_GT(test, s->late, 100ULL);
	KUNIT_EXPECT_GT(test, s->through, 100ULL);
	KUNIT_EXPECT_GT(test, s->duplicates, 1000ULL);
}

static void mptun_random_run(struct kunit *test, u32 seed, u32 base)
{
	struct mptun_random x = { .t = test->priv, .base = base };
	u32 step;

	x.m = vzalloc(sizeof(*x.m));
	KUNIT_ASSERT_NOT_NULL(test, x.m);
	x.m->config = x.t->r.config;
	x.m->measured_us = x.t->r.measured_us;
	x.m->hold_ns = x.t->r.hold_ns;
	x.m->psmc = x.t->r.psmc;
	memset(&x.t->r.stats, 0, sizeof(x.t->r.stats));
	prandom_seed_state(&x.rnd, seed);
	mptun_naive_start(x.m, MPTUN_RANDOM_START);
	mptun_reorder_start(&x.t->r, MPTUN_RANDOM_START + base, &x.t->out);

	for (step = 0; step < MPTUN_RANDOM_STEPS && !x.wrong; step++) {
		mptun_random_step(&x);
		if (step % 1024 == 0)
			mptun_random_compare_all(&x);
		if (x.m->next > MPTUN_NAIVE_SLOTS -
				MPTUN_REORDER_SLOTS_MAX - 4464)
			break;
	}
	mptun_random_compare_all(&x);
	KUNIT_EXPECT_EQ_MSG(test, x.wrong, 0U, "seed %u, step %u", seed, step);
	KUNIT_EXPECT_EQ(test, x.m->young, 0U);
	KUNIT_EXPECT_GE(test, step, 50000U);
	mptun_random_covered(&x);
	vfree(x.m);
}

static void mptun_random_test_wrap(struct kunit *test)
{
	mptun_random_run(test, 1, 0xffffff00U);
}

static void mptun_random_test_sign(struct kunit *test)
{
	mptun_random_run(test, 2, 0x7fffff00U);
}

static void mptun_random_test_zero(struct kunit *test)
{
	mptun_random_run(test, 3, 0);
}

static struct kunit_case mptun_random_cases[] = {
	KUNIT_CASE(mptun_random_test_wrap),
	KUNIT_CASE(mptun_random_test_sign),
	KUNIT_CASE(mptun_random_test_zero),
	{}
};

static struct kunit_suite mptun_random_suite = {
	.name = "mptun_reorder_random",
	.init = mptun_reorder_test_init,
	.exit = mptun_reorder_test_exit,
	.test_cases = mptun_random_cases,
};

kunit_test_suite(mptun_random_suite);
