// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Shared frame of the tests of the reorder buffer.
 */
#include "test/reorder/frame.h"

#include <linux/stdarg.h>

#include "test/base/no_memory.h"

int mptun_reorder_test_init(struct kunit *test)
{
	struct mptun_reorder_test *t;

	t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	if (!t)
		return -ENOMEM;
	t->test = test;
	t->now = 1000ULL * NSEC_PER_SEC;
	__skb_queue_head_init(&t->out);
	test->priv = t;
	mptun_test_rings(test);
	if (mptun_reorder_init(&t->r))
		return -ENOMEM;
	mptun_reorder_start(&t->r, MPTUN_REORDER_TEST_DSN, &t->out);
	mptun_reorder_test_mode(t, MPTUN_REORDER_MODE_FIXED);
	return 0;
}

void mptun_reorder_test_exit(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;

	mptun_reorder_test_drop(t);
	t->live -= t->r.held;
	mptun_reorder_destroy(&t->r);
	KUNIT_EXPECT_EQ(test, t->live, 0U);
}

void mptun_reorder_test_mode(struct mptun_reorder_test *t, u8 mode)
{
	struct mptun_reorder_config c = {
		.mode = mode,
		.hold_us = MPTUN_REORDER_TEST_HOLD,
		.limit_bytes = 1U << 30,
	};

	mptun_reorder_configure(&t->r, &c, t->now, &t->out);
}

enum mptun_verdict mptun_reorder_test_pkt(struct mptun_reorder_test *t, u32 i,
					  const struct mptun_reorder_pkt *p)
{
	struct mptun_reorder_pkt pkt = *p;
	enum mptun_verdict verdict;
	struct sk_buff *skb;

	skb = alloc_skb(100, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(t->test, skb);
	skb->mark = i;
	t->live++;
	pkt.dsn = MPTUN_REORDER_TEST_DSN + i;
	verdict = mptun_reorder_insert(&t->r, skb, &pkt, t->now, &t->out);
	if (verdict >= MPTUN_VERDICT_DUPLICATE) {
		kfree_skb(skb);
		t->live--;
	}
	return verdict;
}

enum mptun_verdict mptun_reorder_test_insert(struct mptun_reorder_test *t,
					     u32 i, u16 prev)
{
	struct mptun_reorder_pkt p = { .prev = prev };

	return mptun_reorder_test_pkt(t, i, &p);
}

enum mptun_verdict mptun_reorder_test_copy(struct mptun_reorder_test *t,
					   u32 i, u16 prev)
{
	struct mptun_reorder_pkt p = { .prev = prev, .copy = true };

	return mptun_reorder_test_pkt(t, i, &p);
}

enum mptun_verdict mptun_reorder_test_repair(struct mptun_reorder_test *t,
					     u32 i, u16 prev)
{
	struct mptun_reorder_pkt p = { .prev = prev, .repairable = true };

	return mptun_reorder_test_pkt(t, i, &p);
}

/* A retransmission. */
enum mptun_verdict mptun_reorder_test_again(struct mptun_reorder_test *t,
					    u32 i, u16 prev)
{
	struct mptun_reorder_pkt p = { .prev = prev, .copy = true,
				       .repairable = true };

	return mptun_reorder_test_pkt(t, i, &p);
}

/* One lane, in order, [from, to). */
void mptun_reorder_test_run(struct mptun_reorder_test *t, u32 from, u32 to)
{
	for (; from != to; from++) {
		mptun_reorder_test_insert(t, from, 1);
		mptun_reorder_test_drop(t);
	}
}

void mptun_reorder_test_prove(struct mptun_reorder_test *t, u32 after,
			      u32 before, u32 lost)
{
	struct mptun_gap b = {
		.after = MPTUN_REORDER_TEST_DSN + after,
		.before = MPTUN_REORDER_TEST_DSN + before,
		.lost = lost,
	};

	mptun_reorder_prove(&t->r, &b, t->now, &t->out);
}

void mptun_reorder_test_floor(struct mptun_reorder_test *t, u32 i)
{
	mptun_reorder_floor(&t->r, MPTUN_REORDER_TEST_DSN + i, t->now,
			    &t->out);
}

/* Advances time. */
void mptun_reorder_test_wait(struct mptun_reorder_test *t, u32 us)
{
	t->now += (u64)us * NSEC_PER_USEC;
	mptun_reorder_expire(&t->r, t->now, &t->out);
}

/* Expects exactly these @n packets since the last check. */
void mptun_reorder_test_take(struct mptun_reorder_test *t, u32 n, ...)
{
	struct sk_buff *skb;
	va_list want;
	u32 i;

	KUNIT_EXPECT_EQ(t->test, skb_queue_len(&t->out), n);
	va_start(want, n);
	for (i = 0; i < n; i++) {
		u32 mark = va_arg(want, u32);

		skb = __skb_dequeue(&t->out);
		if (!skb)
			break;
		KUNIT_EXPECT_EQ(t->test, skb->mark, mark);
		kfree_skb(skb);
		t->live--;
	}
	va_end(want);
	mptun_reorder_test_drop(t);
}

/* Ignores released packets. */
void mptun_reorder_test_drop(struct mptun_reorder_test *t)
{
	t->live -= skb_queue_len(&t->out);
	__skb_queue_purge(&t->out);
}
