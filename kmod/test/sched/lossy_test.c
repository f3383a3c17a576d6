// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of which paths are lossy, and whether that matters.
 *
 * Rates are in packets per interval of 250 ms.
 */
#include <kunit/test.h>

#include "sched/trial.h"

#define MPTUN_LOSSY_TEST_PATHS	3
#define MPTUN_LOSSY_TEST_BYTES	1400U

/**
 * struct mptun_lossy_test - paths, and flows that use them
 * @path: the paths
 * @acked: bytes each has delivered so far
 * @rate: packets that each carries
 * @every: each loses one packet in this many, 0 for none
 * @due: packets until each loses one
 * @n: number of paths
 * @group: their common state
 * @flows: number of flows
 * @pace: packets that a flow sends
 * @now: time in ns
 * @carried: packets carried so far
 * @uses: how often paths were used again
 */
struct mptun_lossy_test {
	struct mptun_lossy path[MPTUN_LOSSY_TEST_PATHS];
	u64 acked[MPTUN_LOSSY_TEST_PATHS];
	u32 rate[MPTUN_LOSSY_TEST_PATHS];
	u32 every[MPTUN_LOSSY_TEST_PATHS];
	u32 due[MPTUN_LOSSY_TEST_PATHS];
	unsigned int n;
	struct mptun_lossy_group group;
	u32 flows;
	u32 pace;
	u64 now;
	u64 carried;
	unsigned int uses;
};

static int mptun_lossy_test_init(struct kunit *test)
{
	struct mptun_lossy_test *t;
	unsigned int i;

	t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t);
	t->now = 1000ULL * NSEC_PER_SEC;
	t->n = 2;
	t->flows = 1;
	t->pace = 250;
	for (i = 0; i < MPTUN_LOSSY_TEST_PATHS; i++) {
		t->acked[i] = 12345;
		t->rate[i] = 250;
		mptun_lossy_reset(&t->path[i], t->acked[i]);
	}
	mptun_lossy_group_reset(&t->group, t->now);
	test->priv = t;
	return 0;
}

/* A path carries packets. Returns how many losses there were. */
static u32 mptun_lossy_test_carry(struct mptun_lossy_test *t, unsigned int i,
				  u32 packets)
{
	struct mptun_lossy_report report = { .packets = 1 };
	u32 lost = 0, k;

	for (k = 0; k < packets; k++) {
		if (t->every[i] && ++t->due[i] >= t->every[i]) {
			t->due[i] = 0;
			lost++;
			report.lost_ns = t->now + k * 1000000ULL;
		} else {
			t->acked[i] += MPTUN_LOSSY_TEST_BYTES;
			report.lost_ns = 0;
		}
		report.now = t->now + k * 1000000ULL;
		mptun_lossy_update(&t->path[i], &report);
	}
	t->carried += packets - lost;
	return lost;
}

/* A path carries copies, which no flow misses. */
static void mptun_lossy_test_copy(struct mptun_lossy_test *t, unsigned int i,
				  u32 packets)
{
	u64 carried = t->carried;

	mptun_lossy_test_carry(t, i, packets);
	t->carried = carried;
}

/* Flows that slow down with each loss, one by one, and grow again. */
static void mptun_lossy_test_flows(struct mptun_lossy_test *t, u32 used,
				   u32 lost)
{
	u32 most = 5 * used / 4 / t->flows, k;

	t->pace += t->pace / 16 + 1;
	for (k = 0; k < lost; k++)
		t->pace -= t->pace * 3 / 10 / t->flows;
	t->pace = clamp(t->pace, 4U, max(most, 4U));
}

static void mptun_lossy_test_apply(struct mptun_lossy_test *t,
				   enum mptun_lossy_verdict verdict)
{
	unsigned int i;

	if (verdict == MPTUN_LOSSY_USE)
		t->uses++;
	for (i = 0; i < t->n && verdict != MPTUN_LOSSY_KEEP; i++)
		mptun_lossy_suspend(&t->path[i],
				    verdict == MPTUN_LOSSY_SUSPEND &&
				    t->path[i].lossy, t->now);
}

/* Lets an interval pass. */
static void mptun_lossy_test_step(struct mptun_lossy_test *t)
{
	u32 ms = MPTUN_LOSSY_INTERVAL_MS, used = 0, lost = 0, offered, k;
	struct mptun_lossy_sum sum = { .flows = t->flows };
	struct mptun_lossy_ref ref = {};
	unsigned int i;

	for (i = 0; i < t->n; i++)
		used += t->path[i].suspended ? 0 : t->rate[i];
	offered = t->flows * t->pace;
	sum.full = offered >= used;
	for (i = 0; i < t->n; i++) {
		k = min(offered, used) * t->rate[i] / used;
		if (!t->path[i].suspended)
			lost += mptun_lossy_test_carry(t, i, k);
		else if (t->path[i].tried)
			mptun_lossy_test_copy(t, i, k);
	}
	mptun_lossy_test_flows(t, used, lost);
	t->now += ms * (u64)NSEC_PER_MSEC;
	for (i = 0; i < t->n; i++)
		mptun_lossy_compare(&t->path[i], &ref);
	for (i = 0; i < t->n; i++) {
		mptun_lossy_measure(&t->path[i], t->acked[i], &ref, &sum);
		if (t->path[i].suspended &&
		    !mptun_lossy_check(&t->path[i], &ref, sum.full, t->now))
			mptun_lossy_suspend(&t->path[i], false, t->now);
	}
	mptun_lossy_test_apply(t, mptun_lossy_judge(&t->group, &sum, ms,
						    t->now));
}

/* Returns packets carried, as percentage of what path 0 carries alone. */
static u32 mptun_lossy_test_run(struct mptun_lossy_test *t, u32 seconds)
{
	u32 steps = seconds * MSEC_PER_SEC / MPTUN_LOSSY_INTERVAL_MS, i;

	t->carried = 0;
	for (i = 0; i < steps; i++)
		mptun_lossy_test_step(t);
	return div_u64(t->carried * 100, steps * t->rate[0]);
}

/* One flow is not slower than over the clean path, and trials get rare. */
static void mptun_lossy_test_one(struct kunit *test)
{
	struct mptun_lossy_test *t = test->priv;

	t->every[1] = 100;
	mptun_lossy_test_run(t, 15);
	KUNIT_EXPECT_GE(test, mptun_lossy_test_run(t, 300), 98U);
	KUNIT_EXPECT_GE(test, t->uses, 3U);
	KUNIT_EXPECT_LE(test, t->uses, 5U);
	KUNIT_EXPECT_FALSE(test, t->path[0].suspended);
}

/* The same where the lossy path has a low rate. */
static void mptun_lossy_test_low_rate(struct kunit *test)
{
	struct mptun_lossy_test *t = test->priv;

	t->every[1] = 50;
	t->rate[1] = 25;
	mptun_lossy_test_run(t, 15);
	KUNIT_EXPECT_GE(test, mptun_lossy_test_run(t, 300), 98U);
}

/* Many flows fill both paths, and the tunnel stays full. */
static void mptun_lossy_test_many(struct kunit *test)
{
	struct mptun_lossy_test *t = test->priv;

	t->flows = 32;
	t->every[1] = 100;
	t->pace = 20;
	KUNIT_EXPECT_GE(test, mptun_lossy_test_run(t, 300), 190U);
	KUNIT_EXPECT_FALSE(test, t->path[1].suspended);
	KUNIT_EXPECT_TRUE(test, t->path[1].lossy);
}

/* One after another: suspended paths are used when needed. */
static void mptun_lossy_test_more(struct kunit *test)
{
	struct mptun_lossy_test *t = test->priv;

	t->every[1] = 100;
	mptun_lossy_test_run(t, 300);
	KUNIT_EXPECT_TRUE(test, t->path[1].suspended);
	t->flows = 32;
	mptun_lossy_test_run(t, 4);
	KUNIT_EXPECT_FALSE(test, t->path[1].suspended);
	KUNIT_EXPECT_GE(test, mptun_lossy_test_run(t, 60), 190U);
}

/* Losses that cost less than what the path carries. */
static void mptun_lossy_test_worth(struct kunit *test)
{
	struct mptun_lossy_test *t = test->priv;

	t->flows = 2;
	t->every[1] = 500;
	mptun_lossy_test_run(t, 30);
	KUNIT_EXPECT_GE(test, mptun_lossy_test_run(t, 600), 130U);
}

/* Loss ends: the path is found out to be clean, and stays in use. */
static void mptun_lossy_test_ends(struct kunit *test)
{
	struct mptun_lossy_test *t = test->priv;

	t->every[1] = 50;
	mptun_lossy_test_run(t, 100);
	KUNIT_EXPECT_TRUE(test, t->path[1].suspended);
	t->every[1] = 0;
	mptun_lossy_test_run(t, MPTUN_LOSSY_CHECK_MAX_MS / MSEC_PER_SEC + 10);
	KUNIT_EXPECT_GE(test, mptun_lossy_test_run(t, 200), 190U);
	KUNIT_EXPECT_FALSE(test, t->path[1].lossy);
}

/* A trial with copies continues until losses were shown, or had enough time to
 * show.
 */
static void mptun_lossy_test_check(struct kunit *test)
{
	struct mptun_lossy_ref ref = { .packets = 10000, .events = 1 };
	struct mptun_lossy_test *t = test->priv;
	struct mptun_lossy *l = &t->path[1];
	struct mptun_lossy_sum sum = {};

	t->every[1] = 100;
	mptun_lossy_test_carry(t, 1, 400);
	mptun_lossy_measure(l, t->acked[1], &ref, &sum);
	mptun_lossy_suspend(l, true, t->now);
	KUNIT_EXPECT_TRUE(test, mptun_lossy_check(l, &ref, true, t->now));
	KUNIT_EXPECT_FALSE(test, l->tried);
	/* it is time, and there is a load */
	t->now += MPTUN_LOSSY_CHECK_MIN_MS * (u64)NSEC_PER_MSEC;
	KUNIT_EXPECT_TRUE(test, mptun_lossy_check(l, &ref, false, t->now));
	KUNIT_EXPECT_FALSE(test, l->tried);
	KUNIT_EXPECT_TRUE(test, mptun_lossy_check(l, &ref, true, t->now));
	KUNIT_EXPECT_TRUE(test, l->tried);
	/* as bad as before */
	mptun_lossy_test_carry(t, 1, 400);
	KUNIT_EXPECT_TRUE(test, mptun_lossy_check(l, &ref, true, t->now));
	KUNIT_EXPECT_FALSE(test, l->tried);
	KUNIT_EXPECT_EQ(test, l->check_ms, 2 * MPTUN_LOSSY_CHECK_MIN_MS);
	/* better */
	t->now += l->check_ms * (u64)NSEC_PER_MSEC;
	t->every[1] = 0;
	mptun_lossy_check(l, &ref, true, t->now);
	mptun_lossy_test_carry(t, 1, MPTUN_LOSSY_CHECK_PACKETS - 1);
	mptun_lossy_measure(l, t->acked[1], &ref, &sum);
	KUNIT_EXPECT_TRUE(test, l->lossy);
	KUNIT_EXPECT_TRUE(test, mptun_lossy_check(l, &ref, true, t->now));
	mptun_lossy_test_carry(t, 1, 1);
	KUNIT_EXPECT_FALSE(test, mptun_lossy_check(l, &ref, true, t->now));
}

/* The clean path gets slower: flows that fill both need both even more, though
 * both carry less than the clean one did alone.
 */
static void mptun_lossy_test_lower_rate(struct kunit *test)
{
	struct mptun_lossy_test *t = test->priv;

	t->every[1] = 100;
	t->rate[1] = 50;
	mptun_lossy_test_run(t, 20);
	t->flows = 32;
	mptun_lossy_test_run(t, 20);
	KUNIT_EXPECT_FALSE(test, t->path[1].suspended);
	t->rate[0] = 100;
	t->uses = 0;
	mptun_lossy_test_run(t, 60);
	KUNIT_EXPECT_FALSE(test, t->path[1].suspended);
	KUNIT_EXPECT_EQ(test, t->uses, 0U);
}

/* Where all lose alike none is better off without one of them. */
static void mptun_lossy_test_alike(struct kunit *test)
{
	struct mptun_lossy_test *t = test->priv;

	t->n = 3;
	t->every[0] = 100;
	t->every[1] = 50;
	t->every[2] = 120;
	mptun_lossy_test_run(t, 300);
	KUNIT_EXPECT_EQ(test, t->uses, 0U);
	KUNIT_EXPECT_FALSE(test, t->path[0].suspended || t->path[1].suspended ||
			   t->path[2].suspended);
}

/* The others become as bad while one is suspended: it is as good as they are.
 */
static void mptun_lossy_test_worse(struct kunit *test)
{
	struct mptun_lossy_test *t = test->priv;

	t->every[1] = 100;
	mptun_lossy_test_run(t, 10);
	KUNIT_EXPECT_TRUE(test, t->path[1].suspended);
	t->every[0] = 100;
	mptun_lossy_test_run(t, 60);
	KUNIT_EXPECT_FALSE(test, t->path[1].suspended);
}

/* Few packets, or few losses, give no conclusion. */
static void mptun_lossy_test_few(struct kunit *test)
{
	struct mptun_lossy_test *t = test->priv;
	struct mptun_lossy_ref ref = { .packets = 10000, .events = 1 };
	struct mptun_lossy_sum sum = {};

	t->every[1] = 50;
	mptun_lossy_test_carry(t, 1, 149);
	mptun_lossy_measure(&t->path[1], t->acked[1], &ref, &sum);
	KUNIT_EXPECT_FALSE(test, t->path[1].lossy);
	t->now += NSEC_PER_SEC;
	mptun_lossy_test_carry(t, 1, 1);
	mptun_lossy_measure(&t->path[1], t->acked[1], &ref, &sum);
	KUNIT_EXPECT_TRUE(test, t->path[1].lossy);
	/* a reference that has carried as little is none */
	ref = (struct mptun_lossy_ref){ .packets = 150, .events = 1 };
	mptun_lossy_measure(&t->path[1], t->acked[1], &ref, &sum);
	KUNIT_EXPECT_FALSE(test, t->path[1].lossy);
	/* one in two thousand is little, whatever the others lose */
	t->every[1] = 2000;
	t->now += NSEC_PER_SEC;
	mptun_lossy_test_carry(t, 1, 8000);
	ref = (struct mptun_lossy_ref){ .packets = 1000000, .events = 1 };
	mptun_lossy_measure(&t->path[1], t->acked[1], &ref, &sum);
	KUNIT_EXPECT_FALSE(test, t->path[1].lossy);
}

/* The end of a buffer is no loss of the path; those of one round trip are one,
 * and those that were none are taken back.
 */
static void mptun_lossy_test_events(struct kunit *test)
{
	struct mptun_lossy_test *t = test->priv;
	struct mptun_lossy *l = &t->path[0];
	struct mptun_lossy_report report = {
		.now = t->now,
		.lost_ns = t->now - 50000000,
		.packets = 10,
		.queue_us = 100000,
	};

	mptun_lossy_update(l, &report);
	KUNIT_EXPECT_EQ(test, l->events, 0U);
	report.now += 100000000;
	report.lost_ns += 100000000;
	report.queue_us = 80000;
	mptun_lossy_update(l, &report);
	KUNIT_EXPECT_EQ(test, l->events, 1U);
	/* sent before that was known */
	report.lost_ns = report.now - 1;
	report.now += 10000000;
	mptun_lossy_update(l, &report);
	KUNIT_EXPECT_EQ(test, l->events, 1U);
	report.lost_ns = 0;
	report.spurious = 2;
	mptun_lossy_update(l, &report);
	KUNIT_EXPECT_EQ(test, l->events, 0U);
	KUNIT_EXPECT_EQ(test, l->packets, 40U);
}

/* Little to send: the path is suspended, and that ends after a minute. */
static void mptun_lossy_test_idle(struct kunit *test)
{
	struct mptun_lossy_test *t = test->priv;
	u32 i;

	t->every[1] = 100;
	for (i = 0; i < 40; i++) {
		t->pace = 60;
		mptun_lossy_test_step(t);
	}
	KUNIT_EXPECT_TRUE(test, t->path[1].suspended);
	for (i = 0; i < 4 * MPTUN_LOSSY_IDLE_MS / MSEC_PER_SEC; i++) {
		t->pace = 60;
		mptun_lossy_test_step(t);
		t->uses = min(t->uses, 1U);
	}
	KUNIT_EXPECT_EQ(test, t->uses, 1U);
}

/* Where the clean path carries next to nothing it is not what is wanted. */
static void mptun_lossy_test_share(struct kunit *test)
{
	struct mptun_lossy_test *t = test->priv;

	t->every[1] = 100;
	t->rate[0] = 15;
	mptun_lossy_test_run(t, 100);
	KUNIT_EXPECT_FALSE(test, t->path[1].suspended);
	KUNIT_EXPECT_EQ(test, t->uses, 0U);
}

static struct kunit_case mptun_lossy_test_cases[] = {
	KUNIT_CASE(mptun_lossy_test_one),
	KUNIT_CASE(mptun_lossy_test_low_rate),
	KUNIT_CASE(mptun_lossy_test_many),
	KUNIT_CASE(mptun_lossy_test_more),
	KUNIT_CASE(mptun_lossy_test_worth),
	KUNIT_CASE(mptun_lossy_test_ends),
	KUNIT_CASE(mptun_lossy_test_check),
	KUNIT_CASE(mptun_lossy_test_lower_rate),
	KUNIT_CASE(mptun_lossy_test_alike),
	KUNIT_CASE(mptun_lossy_test_worse),
	KUNIT_CASE(mptun_lossy_test_few),
	KUNIT_CASE(mptun_lossy_test_events),
	KUNIT_CASE(mptun_lossy_test_idle),
	KUNIT_CASE(mptun_lossy_test_share),
	{}
};

static struct kunit_suite mptun_lossy_test_suite = {
	.name = "mptun_lossy",
	.init = mptun_lossy_test_init,
	.test_cases = mptun_lossy_test_cases,
};

kunit_test_suite(mptun_lossy_test_suite);
