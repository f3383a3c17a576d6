// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of parallel crypto: packets leave in order, whichever worker processes
 * them and in whatever order the work ends.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/math64.h>
#include <linux/prandom.h>

#include "base/parallel.h"

#define MPTUN_PARALLEL_TEST_MOST	65536U
#define MPTUN_PARALLEL_MANY		20000U

/* A line and its results; packets carry their number. */
struct mptun_parallel_test {
	struct mptun_parallel parallel;
	u32 added;
	u32 left;
	u32 wrong;
	u32 undone;
	u32 rooms;
};

struct mptun_parallel_test_cb {
	struct mptun_parallel_cb parallel;
	u32 number;
	bool worked;
};

static struct mptun_parallel_test_cb *
mptun_parallel_test_note(const struct sk_buff *skb)
{
	return (struct mptun_parallel_test_cb *)skb->cb;
}

static struct mptun_parallel_test *
mptun_parallel_test_of(struct mptun_parallel *parallel)
{
	return container_of(parallel, struct mptun_parallel_test, parallel);
}

static struct mptun_parallel_cb *
mptun_parallel_test_cb(const struct sk_buff *skb)
{
	return &mptun_parallel_test_note(skb)->parallel;
}

static void mptun_parallel_test_work(struct mptun_parallel *parallel,
				     struct sk_buff *skb)
{
	struct mptun_parallel_test_cb *cb = mptun_parallel_test_note(skb);

	cb->worked = true;
	if (!cb->parallel.err)
		cb->parallel.err = -(int)(cb->number % 100);
}

static void mptun_parallel_test_leave(struct mptun_parallel *parallel,
				      struct sk_buff_head *list)
{
	struct mptun_parallel_test *t = mptun_parallel_test_of(parallel);
	const struct mptun_parallel_test_cb *cb;
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(list))) {
		cb = mptun_parallel_test_note(skb);
		t->wrong += cb->number != t->left;
		t->undone += !cb->worked ||
			     cb->parallel.err != (cb->number % 7 ?
						  -(int)(cb->number % 100) :
						  -EMSGSIZE);
		t->left++;
		kfree_skb(skb);
	}
}

static void mptun_parallel_test_room(struct mptun_parallel *parallel)
{
	mptun_parallel_test_of(parallel)->rooms++;
}

static const struct mptun_parallel_ops mptun_parallel_test_ops = {
	.cb = mptun_parallel_test_cb,
	.work = mptun_parallel_test_work,
	.leave = mptun_parallel_test_leave,
	.room = mptun_parallel_test_room,
};

/* The same with a source that cannot be stopped. */
static const struct mptun_parallel_ops mptun_parallel_test_drops_ops = {
	.cb = mptun_parallel_test_cb,
	.work = mptun_parallel_test_work,
	.leave = mptun_parallel_test_leave,
};

static int mptun_parallel_test_init(struct kunit *test)
{
	struct mptun_parallel_test *t;

	t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	if (!t || mptun_parallel_setup())
		return -ENOMEM;
	mptun_parallel_init(&t->parallel, &mptun_parallel_test_ops,
			    MPTUN_PARALLEL_TEST_MOST);
	test->priv = t;
	return 0;
}

static void mptun_parallel_test_exit(struct kunit *test)
{
	if (test->priv)
		mptun_parallel_cleanup();
}

/* Puts the next packet in line; it has this truesize unless that is 0. */
static void mptun_parallel_test_put(struct kunit *test, u32 bytes, u32 truesize)
{
	struct mptun_parallel_test *t = test->priv;
	struct sk_buff *skb = alloc_skb(0, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb->truesize = truesize ?: skb->truesize;
	mptun_parallel_test_note(skb)->number = t->added++;
	mptun_parallel_test_note(skb)->worked = false;
	mptun_parallel_test_note(skb)->parallel.err =
		mptun_parallel_test_note(skb)->number % 7 ? 0 : -EMSGSIZE;
	local_bh_disable();
	mptun_parallel_add(&t->parallel, skb, 1, bytes);
	local_bh_enable();
}

static void mptun_parallel_test_add(struct kunit *test, u32 bytes)
{
	mptun_parallel_test_put(test, bytes, 0);
}

/* Keeps workers idle: the test does their work. */
static void mptun_parallel_test_by_hand(struct mptun_parallel_test *t)
{
	unsigned int i;

	for (i = 0; i < MPTUN_PARALLEL_WORKERS; i++)
		t->parallel.worker[i].active = true;
}

static bool mptun_parallel_test_take(struct mptun_parallel_test *t,
				     struct mptun_parallel_share *share)
{
	bool some;

	spin_lock_bh(&t->parallel.lock);
	some = mptun_parallel_take(&t->parallel, share);
	spin_unlock_bh(&t->parallel.lock);
	return some;
}

static void mptun_parallel_test_done(struct mptun_parallel_test *t,
				     const struct mptun_parallel_share *share)
{
	mptun_parallel_do(&t->parallel, share);
	spin_lock_bh(&t->parallel.lock);
	mptun_parallel_done(&t->parallel, share);
	spin_unlock_bh(&t->parallel.lock);
}

static bool mptun_parallel_test_leaves(struct mptun_parallel_test *t)
{
	bool some;

	spin_lock_bh(&t->parallel.lock);
	some = mptun_parallel_leave_some(&t->parallel);
	spin_unlock_bh(&t->parallel.lock);
	return some;
}

/* Nothing leaves before the first packet, then all do. */
static void mptun_parallel_test_order(struct kunit *test)
{
	struct mptun_parallel_share first, second, third;
	struct mptun_parallel_test *t = test->priv;
	u32 i;

	mptun_parallel_test_by_hand(t);
	for (i = 0; i < 3; i++)
		mptun_parallel_test_add(test, MPTUN_PARALLEL_TAKE);
	KUNIT_EXPECT_TRUE(test, mptun_parallel_test_take(t, &first));
	KUNIT_EXPECT_TRUE(test, mptun_parallel_test_take(t, &second));
	KUNIT_EXPECT_TRUE(test, mptun_parallel_test_take(t, &third));
	KUNIT_EXPECT_FALSE(test, mptun_parallel_test_leaves(t));
	mptun_parallel_test_done(t, &third);
	mptun_parallel_test_done(t, &second);
	KUNIT_EXPECT_FALSE(test, mptun_parallel_test_leaves(t));
	KUNIT_EXPECT_EQ(test, t->left, 0U);
	mptun_parallel_test_done(t, &first);
	KUNIT_EXPECT_TRUE(test, mptun_parallel_test_leaves(t));
	KUNIT_EXPECT_EQ(test, t->left, 3U);
	KUNIT_EXPECT_EQ(test, t->wrong + t->undone, 0U);
	KUNIT_EXPECT_EQ(test, t->parallel.filled, 0U);
	KUNIT_EXPECT_EQ(test, t->parallel.packets, 3ULL);
}

/* Small packets are taken together, large ones singly. */
static void mptun_parallel_test_shares(struct kunit *test)
{
	struct mptun_parallel_test *t = test->priv;
	struct mptun_parallel_share share;
	u32 i;

	mptun_parallel_test_by_hand(t);
	for (i = 0; i < 40; i++)
		mptun_parallel_test_add(test, 512);
	mptun_parallel_test_add(test, 30000);
	mptun_parallel_test_add(test, 30000);

	KUNIT_EXPECT_TRUE(test, mptun_parallel_test_take(t, &share));
	KUNIT_EXPECT_EQ(test, share.n, 16U);
	mptun_parallel_test_done(t, &share);
	KUNIT_EXPECT_TRUE(test, mptun_parallel_test_take(t, &share));
	KUNIT_EXPECT_EQ(test, share.n, 16U);
	mptun_parallel_test_done(t, &share);
	KUNIT_EXPECT_TRUE(test, mptun_parallel_test_take(t, &share));
	KUNIT_EXPECT_EQ(test, share.n, 9U);
	mptun_parallel_test_done(t, &share);
	KUNIT_EXPECT_TRUE(test, mptun_parallel_test_take(t, &share));
	KUNIT_EXPECT_EQ(test, share.n, 1U);
	mptun_parallel_test_done(t, &share);
	KUNIT_EXPECT_FALSE(test, mptun_parallel_test_take(t, &share));
	KUNIT_EXPECT_EQ(test, t->parallel.fresh_cost, 0U);
	while (mptun_parallel_test_leaves(t))
		;
	KUNIT_EXPECT_EQ(test, t->left, 42U);
	KUNIT_EXPECT_EQ(test, t->wrong + t->undone, 0U);
}

/* After a full line the source is notified once, when half of it has left. */
static void mptun_parallel_test_full(struct kunit *test)
{
	u32 n, most = MPTUN_PARALLEL_TEST_MOST / (1024 + MPTUN_PARALLEL_PACKET);
	struct mptun_parallel_test *t = test->priv;
	struct mptun_parallel_share share;

	mptun_parallel_test_by_hand(t);
	for (n = 0; !mptun_parallel_full(&t->parallel); n++) {
		KUNIT_ASSERT_LE(test, n, most);
		mptun_parallel_test_add(test, 1024);
	}
	KUNIT_EXPECT_EQ(test, n, most + 1);
	while (t->parallel.filled > MPTUN_PARALLEL_TEST_MOST / 2) {
		KUNIT_EXPECT_EQ(test, t->rooms, 0U);
		KUNIT_ASSERT_TRUE(test, mptun_parallel_test_take(t, &share));
		mptun_parallel_test_done(t, &share);
		KUNIT_ASSERT_TRUE(test, mptun_parallel_test_leaves(t));
	}
	KUNIT_EXPECT_EQ(test, t->rooms, 1U);
	KUNIT_EXPECT_FALSE(test, mptun_parallel_full(&t->parallel));
	while (mptun_parallel_test_take(t, &share)) {
		mptun_parallel_test_done(t, &share);
		mptun_parallel_test_leaves(t);
	}
	KUNIT_EXPECT_EQ(test, t->rooms, 1U);
	KUNIT_EXPECT_EQ(test, t->left, n);
}

/* Where the source cannot be stopped, memory fills the line: small packets in
 * large buffers as much as large ones.
 */
static void mptun_parallel_test_memory(struct kunit *test)
{
	struct mptun_parallel_test *t = test->priv;
	struct mptun_parallel_share share;
	u32 n;

	mptun_parallel_test_by_hand(t);
	t->parallel.ops = &mptun_parallel_test_drops_ops;
	for (n = 0; !mptun_parallel_full(&t->parallel); n++) {
		KUNIT_ASSERT_LT(test, n, 16U);
		mptun_parallel_test_put(test, 64,
					MPTUN_PARALLEL_TEST_MOST / 16);
		/* the work may change it */
		skb_peek_tail(&t->parallel.line)->truesize = 1;
	}
	KUNIT_EXPECT_EQ(test, n, 16U);
	while (mptun_parallel_test_take(t, &share))
		mptun_parallel_test_done(t, &share);
	while (mptun_parallel_test_leaves(t))
		;
	KUNIT_EXPECT_EQ(test, t->left, n);
	KUNIT_EXPECT_EQ(test, t->parallel.filled, 0U);
}

/* The CPU that adds packets does the excess work, and no more. */
static void mptun_parallel_test_help(struct kunit *test)
{
	struct mptun_parallel_test *t = test->priv;
	struct mptun_parallel_share share;

	mptun_parallel_test_by_hand(t);
	while (t->parallel.fresh_cost <= MPTUN_PARALLEL_HELP)
		mptun_parallel_test_add(test, 1024);
	local_bh_disable();
	mptun_parallel_help(&t->parallel);
	local_bh_enable();
	KUNIT_EXPECT_LE(test, t->parallel.fresh_cost, MPTUN_PARALLEL_HELP);
	KUNIT_EXPECT_GE(test, t->parallel.fresh_cost,
			MPTUN_PARALLEL_HELP - MPTUN_PARALLEL_TAKE);
	KUNIT_EXPECT_EQ(test, t->left, 0U);
	while (mptun_parallel_test_take(t, &share))
		mptun_parallel_test_done(t, &share);
	while (mptun_parallel_test_leaves(t))
		;
	KUNIT_EXPECT_EQ(test, t->left, t->added);
	KUNIT_EXPECT_EQ(test, t->wrong + t->undone, 0U);
}

/* Adds packets as a softirq does; returns the number accepted. */
static u32 mptun_parallel_test_feed(struct kunit *test, u32 n)
{
	struct mptun_parallel_test *t = test->priv;
	u32 i;

	for (i = 0; i < n && !mptun_parallel_full(&t->parallel); i++) {
		mptun_parallel_test_add(test, 1024);
		local_bh_disable();
		mptun_parallel_help(&t->parallel);
		local_bh_enable();
	}
	return i;
}

/* A worker without a CPU neither drops nor delays packets: the CPU that adds
 * them does its work and lets them leave.  A source that can be stopped is
 * stopped.
 */
static void mptun_parallel_test_late(struct kunit *test)
{
	struct mptun_parallel_test *t = test->priv;
	struct mptun_parallel_share share;

	mptun_parallel_test_by_hand(t);
	t->parallel.ops = &mptun_parallel_test_drops_ops;
	atomic64_set(&t->parallel.worker[0].seen_ns, S64_MAX);
	KUNIT_EXPECT_EQ(test, mptun_parallel_test_feed(test, 20), 20U);
	KUNIT_EXPECT_EQ(test, t->left, 0U);
	atomic64_set(&t->parallel.worker[0].seen_ns, 0);
	KUNIT_EXPECT_EQ(test,
			mptun_parallel_test_feed(test, MPTUN_PARALLEL_MANY),
			MPTUN_PARALLEL_MANY);
	KUNIT_EXPECT_GE(test, t->left, t->added - MPTUN_PARALLEL_LEAVE);

	t->parallel.ops = &mptun_parallel_test_ops;
	KUNIT_EXPECT_LT(test,
			mptun_parallel_test_feed(test, MPTUN_PARALLEL_MANY),
			MPTUN_PARALLEL_MANY);
	while (mptun_parallel_test_take(t, &share))
		mptun_parallel_test_done(t, &share);
	while (mptun_parallel_test_leaves(t))
		;
	KUNIT_EXPECT_EQ(test, t->left, t->added);
	KUNIT_EXPECT_EQ(test, t->wrong + t->undone, 0U);
}

/* Only one CPU lets packets leave at a time, and no packet overtakes. */
static void mptun_parallel_test_alone(struct kunit *test)
{
	struct mptun_parallel_test *t = test->priv;
	struct mptun_parallel_share share;

	mptun_parallel_test_by_hand(t);
	mptun_parallel_test_add(test, 1024);
	KUNIT_EXPECT_TRUE(test, mptun_parallel_test_take(t, &share));
	mptun_parallel_test_done(t, &share);
	t->parallel.leaving = true;
	KUNIT_EXPECT_FALSE(test, mptun_parallel_test_leaves(t));
	t->parallel.leaving = false;
	KUNIT_EXPECT_TRUE(test, mptun_parallel_test_leaves(t));

	t->parallel.worker[0].active = false;
	KUNIT_EXPECT_FALSE(test, mptun_parallel_wanted(&t->parallel));
	t->parallel.leaving = true;
	KUNIT_EXPECT_TRUE(test, mptun_parallel_wanted(&t->parallel));
	t->parallel.leaving = false;
}

static void mptun_parallel_test_spend(struct mptun_parallel_test *t, u64 *now,
				      u64 percent)
{
	u64 spent = div_u64(MPTUN_PARALLEL_LOAD_NS * percent, 100);

	local_bh_disable();
	mptun_parallel_spent(&t->parallel, *now, *now + spent / 2, 2);
	*now += MPTUN_PARALLEL_LOAD_NS + 1;
	mptun_parallel_spent(&t->parallel, *now, *now, 1);
	local_bh_enable();
}

/* Parallel from a quarter of a CPU on, until it is a sixteenth. */
static void mptun_parallel_test_load(struct kunit *test)
{
	struct mptun_parallel_test *t = test->priv;
	u64 now = NSEC_PER_SEC;

	t->parallel.load.since_ns = now;
	mptun_parallel_test_spend(t, &now, 24);
	KUNIT_EXPECT_FALSE(test, t->parallel.load.heavy);
	mptun_parallel_test_spend(t, &now, 26);
	KUNIT_EXPECT_TRUE(test, t->parallel.load.heavy);
	mptun_parallel_test_spend(t, &now, 8);
	KUNIT_EXPECT_TRUE(test, t->parallel.load.heavy);
	mptun_parallel_test_spend(t, &now, 5);
	KUNIT_EXPECT_FALSE(test, t->parallel.load.heavy);
	/* A burst after an idle time is measured against all of the time. */
	now += NSEC_PER_SEC;
	mptun_parallel_test_spend(t, &now, 90);
	KUNIT_EXPECT_FALSE(test, t->parallel.load.heavy);
}

/* Many packets, real workers: all leave in order, and the line is empty again.
 */
static void mptun_parallel_test_many(struct kunit *test)
{
	struct mptun_parallel_test *t = test->priv;
	struct rnd_state rnd;
	u32 i;

	prandom_seed_state(&rnd, 20261123);
	for (i = 0; i < MPTUN_PARALLEL_MANY; i++) {
		mptun_parallel_test_add(test, prandom_u32_state(&rnd) % 20000);
		local_bh_disable();
		mptun_parallel_help(&t->parallel);
		local_bh_enable();
		if (!(prandom_u32_state(&rnd) % 64))
			cond_resched();
		while (mptun_parallel_full(&t->parallel))
			usleep_range(10, 20);
	}
	mptun_parallel_finish(&t->parallel);
	KUNIT_EXPECT_EQ(test, t->left, MPTUN_PARALLEL_MANY);
	KUNIT_EXPECT_EQ(test, t->wrong, 0U);
	KUNIT_EXPECT_EQ(test, t->undone, 0U);
	KUNIT_EXPECT_EQ(test, t->parallel.filled, 0U);
	KUNIT_EXPECT_EQ(test, t->parallel.fresh_cost, 0U);
	KUNIT_EXPECT_PTR_EQ(test, t->parallel.fresh, NULL);
	KUNIT_EXPECT_FALSE(test, t->parallel.worker[0].active);
}

/* Each CPU but the one that adds packets gets one worker. */
static void mptun_parallel_test_apart(struct kunit *test)
{
	unsigned int workers = num_online_cpus() - 1;
	cpumask_t *taken;
	unsigned int cpu, i;
	int from;

	taken = kunit_kzalloc(test, sizeof(*taken), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, taken);
	for_each_online_cpu(from) {
		cpumask_clear(taken);
		cpumask_set_cpu(from, taken);
		for (i = 0; i < workers; i++) {
			cpu = mptun_parallel_cpu(from, i);
			KUNIT_EXPECT_TRUE(test, cpu_online(cpu));
			KUNIT_EXPECT_FALSE(test,
					   cpumask_test_and_set_cpu(cpu,
								    taken));
		}
	}
}

static struct kunit_case mptun_parallel_test_cases[] = {
	KUNIT_CASE(mptun_parallel_test_order),
	KUNIT_CASE(mptun_parallel_test_shares),
	KUNIT_CASE(mptun_parallel_test_full),
	KUNIT_CASE(mptun_parallel_test_memory),
	KUNIT_CASE(mptun_parallel_test_help),
	KUNIT_CASE(mptun_parallel_test_late),
	KUNIT_CASE(mptun_parallel_test_alone),
	KUNIT_CASE(mptun_parallel_test_load),
	KUNIT_CASE(mptun_parallel_test_many),
	KUNIT_CASE(mptun_parallel_test_apart),
	{}
};

static struct kunit_suite mptun_parallel_test_suite = {
	.name = "mptun_parallel",
	.init = mptun_parallel_test_init,
	.exit = mptun_parallel_test_exit,
	.test_cases = mptun_parallel_test_cases,
};

kunit_test_suite(mptun_parallel_test_suite);
