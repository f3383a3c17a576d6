// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of low-rate paths: when they help others, and when they do not.
 */
#include "test/sched/frame.h"

#define MPTUN_LOW_RATE_TEST_PATHS	3

/* A high-rate path, and low-rate ones of higher latency */
static int mptun_low_rate_test_init(struct kunit *test)
{
	struct mptun_sched_test *t = mptun_sched_test_new(test, "greedy");
	int i;

	for (i = 0; i < MPTUN_LOW_RATE_TEST_PATHS; i++) {
		t->cand[i].pacing_rate = i ? 100000 : 1250000;
		t->cand[i].srtt_us = i ? 120000 : 40000;
		t->cand[i].min_rtt_us = i ? 120000 : 40000;
		t->cand[i].found = true;
	}
	t->s.hold_us = 200000;
	t->waits = 70000;
	return 0;
}

static int mptun_low_rate_test_pick(struct mptun_sched_test *t)
{
	return mptun_sched_test_pick(t, MPTUN_LOW_RATE_TEST_PATHS);
}

static void mptun_low_rate_test_full(struct mptun_sched_test *t, bool full)
{
	t->cand[0].room = full ? 0 : 100000;
	t->s.backlog = full ? t->waits : 0;
}

/* Picks every millisecond for @ms; returns the last choice. */
static int mptun_low_rate_test_run(struct mptun_sched_test *t,
				   unsigned int ms, bool full)
{
	int chosen = -EAGAIN;

	mptun_low_rate_test_full(t, full);
	while (ms--) {
		t->s.now += MPTUN_SCHED_TEST_MS;
		chosen = mptun_low_rate_test_pick(t);
	}
	return chosen;
}

/* A moment without room is waited for, half a second of it is too long. */
static void mptun_low_rate_test_busy(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, true), -EAGAIN);
	KUNIT_EXPECT_EQ(test, t->s.wake_ns,
			t->s.now + 500 * MPTUN_SCHED_TEST_MS);
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 499, true), -EAGAIN);
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, true), 1);
	KUNIT_EXPECT_EQ(test, t->s.wake_ns, U64_MAX);
	/* It helps until they have been idle. */
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 30, false), 0);
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, true), 1);
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 40, false), 0);
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, true), -EAGAIN);
}

/* It gets no more than leaves at once, whatever its latency. */
static void mptun_low_rate_test_queue(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;
	struct mptun_sched_cand *c = &t->cand[1];

	t->cand[0].in_flight = 1500;
	t->cand[0].srtt_us = 300000;
	t->cand[0].min_rtt_us = 300000;
	c->srtt_us = 10000;
	c->min_rtt_us = 10000;
	c->rate = 100000;
	c->in_flight = 1;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 501, true), 1);
	/* 11.25 ms fit on the path, 25 are a packet and noise. */
	c->in_flight = 3625 - 1500;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, true), 1);
	c->in_flight++;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, true), 2);
	/* Where no rate is known, round-trip times show the queue. */
	c->rate = 0;
	c->srtt_us = 20000;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, true), 1);
	c->srtt_us++;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, true), 2);
}

/* The pacer of a path whose capacity is searched for spreads bursts: a window
 * of 50 kB per 100 ms shows 250 kB/s, whatever its pacing rate.
 */
static void mptun_low_rate_test_shown(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;
	struct mptun_sched_cand *c = &t->cand[1];

	t->cand[0].pacing_rate = 100000;
	t->cand[2].up = false;
	c->found = false;
	c->pacing_rate = 2000000;
	c->min_rtt_us = 100000;
	c->cwnd = 50000;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, false), 0);
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, true), 1);
	KUNIT_EXPECT_FALSE(test, t->cand[0].low_rate->is);
	c->cwnd = 200000;
	mptun_low_rate_test_run(t, 1, false);
	KUNIT_EXPECT_TRUE(test, t->cand[0].low_rate->is);
}

/* The others are busy for some time.  Returns whether the capacity of the path
 * counts as unknown.
 */
static bool mptun_low_rate_test_left(struct mptun_sched_test *t,
				     unsigned int ms)
{
	struct mptun_low_rate *low_rate = t->cand[1].low_rate;

	mptun_low_rate_test_run(t, ms, true);
	return low_rate->neglected;
}

/* After 2 s beside busy paths, and then after twice the time. Pauses do not
 * count. A rate that is found to be higher ends that.
 */
static void mptun_low_rate_test_neglected(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;
	struct mptun_sched_cand *c = &t->cand[1];
	struct mptun_low_rate *low_rate = c->low_rate;

	t->cand[2].up = false;
	t->waits = 1500;
	KUNIT_EXPECT_FALSE(test, mptun_low_rate_test_left(t, 2000));
	t->s.now += 3600ULL * NSEC_PER_SEC;
	KUNIT_EXPECT_FALSE(test, mptun_low_rate_test_left(t, 400));
	KUNIT_EXPECT_TRUE(test, mptun_low_rate_test_left(t, 500));
	low_rate->neglected = false;
	KUNIT_EXPECT_FALSE(test, mptun_low_rate_test_left(t, 2500));
	KUNIT_EXPECT_TRUE(test, mptun_low_rate_test_left(t, 1500));
	low_rate->neglected = false;
	c->found = false;
	c->pacing_rate = 1000000;
	mptun_low_rate_test_run(t, 1, false);
	KUNIT_EXPECT_NE(test, low_rate->left_most_ns, 0);
	c->found = true;
	mptun_low_rate_test_run(t, 1, false);
	KUNIT_EXPECT_EQ(test, low_rate->left_most_ns, 0);
}

/* Help that does not last comes later each time, and at once after it has. */
static void mptun_low_rate_test_waits(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;
	unsigned int ms, more;

	for (ms = 500; ms <= 64000; ms *= 2) {
		more = min(ms, 32000U);
		KUNIT_ASSERT_EQ(test, mptun_low_rate_test_run(t, more, true),
				-EAGAIN);
		KUNIT_ASSERT_EQ(test, mptun_low_rate_test_run(t, 1, true), 1);
		mptun_low_rate_test_run(t, 3000, true);
		KUNIT_ASSERT_EQ(test, mptun_low_rate_test_run(t, 40, false), 0);
	}
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 32001, true), 1);
	mptun_low_rate_test_run(t, 4000, true);
	mptun_low_rate_test_run(t, 40, false);
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 500, true), -EAGAIN);
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, true), 1);
	/* that was short, and is forgotten after a pause */
	mptun_low_rate_test_run(t, 40, false);
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 501, true), -EAGAIN);
	mptun_low_rate_test_run(t, 40, false);
	t->s.now += 11ULL * NSEC_PER_SEC;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 501, true), 1);
}

/* A path that sends what its pacer allows is busy without a queue. */
static void mptun_low_rate_test_paced(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;
	int i;

	for (i = 0; i < 3000; i++) {
		t->cand[0].paced_ns = t->s.now +
				      MPTUN_SCHED_TEST_MS * 19 / 10;
		mptun_low_rate_test_run(t, 1, false);
	}
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, true), -EAGAIN);
	for (i = 0; i < 502; i++) {
		t->cand[0].paced_ns = t->s.now + MPTUN_SCHED_TEST_MS * 2;
		mptun_low_rate_test_run(t, 1, false);
	}
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, true), 1);
}

/* Bursts that keep the high-rate path busy for half of the time are waited for,
 * and those that do for 19 of 20 ms are not.
 */
static void mptun_low_rate_test_bursts(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;
	int i;

	for (i = 0; i < 1000; i++) {
		KUNIT_ASSERT_EQ(test, mptun_low_rate_test_run(t, 5, true),
				-EAGAIN);
		KUNIT_ASSERT_EQ(test, mptun_low_rate_test_run(t, 5, false), 0);
	}
	for (i = 0; i < 1000; i++) {
		mptun_low_rate_test_run(t, 19, true);
		KUNIT_ASSERT_EQ(test, mptun_low_rate_test_run(t, 1, false), 0);
	}
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, true), 1);
}

/* A path that is still in slow start, without a limit, or not of low rate takes
 * what finds no room elsewhere.
 */
static void mptun_low_rate_test_others(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	t->cand[2].found = false;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, true), 2);
	t->cand[2].found = true;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, true), -EAGAIN);
	t->cand[2].pacing_rate = 312499;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, true), -EAGAIN);
	t->cand[2].pacing_rate = 312500;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, true), 2);
	t->cand[2].pacing_rate = 178571;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, true), 2);
	t->cand[2].pacing_rate = 178570;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, true), -EAGAIN);
	t->cand[2].pacing_rate = 0;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, true), 2);
	t->cand[2].pacing_rate = 100000;
	/* All have the same low rate when the high-rate path is gone. */
	t->cand[0].up = false;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, true), 1);
}

/* Little traffic takes the low-rate path of lower latency, much traffic does
 * not.
 */
static void mptun_low_rate_test_low_latency(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	t->cand[1].srtt_us = 10000;
	t->cand[1].min_rtt_us = 10000;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, false), 1);
	t->cand[1].room = 0;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, false), 0);
	t->cand[0].in_flight = 1500;
	t->cand[1].room = 100000;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, false), 0);
	t->cand[0].in_flight = 0;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, false), 1);
	/* A path of unknown latency does not have low latency. */
	t->cand[1].srtt_us = 0;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, false), 0);
}

/* State of an earlier time as a low-rate path is gone. */
static void mptun_low_rate_test_forgets(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	t->cand[2].up = false;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 501, true), 1);
	t->cand[1].pacing_rate = 1250000;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, true), 1);
	t->cand[1].pacing_rate = 100000;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 500, true), -EAGAIN);
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, true), 1);
}

/* A high-latency path helps, too, unless those of lower latency have a low
 * rate.
 */
static void mptun_low_rate_test_high_latency(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;
	struct mptun_sched_cand *c = &t->cand[1];

	t->cand[2].up = false;
	c->pacing_rate = 1250000;
	c->srtt_us = 240000;
	c->min_rtt_us = 240000;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, true), 1);
	c->srtt_us++;
	c->min_rtt_us++;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 500, true), -EAGAIN);
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, true), 1);
	/* whether its rate has been found or not */
	c->found = false;
	mptun_low_rate_test_run(t, 40, false);
	t->s.now += 11ULL * NSEC_PER_SEC;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 500, true), -EAGAIN);
	c->found = true;
	c->pacing_rate = 10000000;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, true), 1);
}

/* A high-latency path that loses packets does not help, a low-rate one does. */
static void mptun_low_rate_test_loses(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;
	struct mptun_sched_cand *c = &t->cand[1];

	t->cand[2].up = false;
	c->loses = true;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 501, true), 1);
	c->pacing_rate = 1250000;
	c->srtt_us = 240001;
	c->min_rtt_us = 240001;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1000, true), -EAGAIN);
	c->loses = false;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 501, true), 1);
}

/* Schedulers that spread by weight, or pin, do not go by arrival. */
static void mptun_low_rate_test_schedulers(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	KUNIT_ASSERT_EQ(test, mptun_sched_assign(&t->s, "wrr"), 0);
	KUNIT_EXPECT_GE(test, mptun_low_rate_test_run(t, 1, true), 1);
	KUNIT_ASSERT_EQ(test, mptun_sched_assign(&t->s, "ecf"), 0);
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, true), -EAGAIN);
}

/* It begins to help when a packet is delivered as early as the whole backlog:
 * half of 120 ms and 15 ms later, where the high-rate path has half of 40 ms.
 */
static void mptun_low_rate_test_worth(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;
	u64 least = 1250 * (60 + 15 - 20);

	t->waits = least - 1;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 700, true), -EAGAIN);
	t->waits = least;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, true), 1);
	/* It continues while the other one is busy, */
	t->waits = 1500;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 100, true), 1);
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 100, false), 0);
	/* and that was not long. */
	t->waits = least;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 999, true), -EAGAIN);
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 2, true), 1);
}

/* With several flows only one waits, and order may not matter. */
static void mptun_low_rate_test_flows(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	t->waits = 1250 * 55 / 5;
	t->s.flows = 4;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 600, true), -EAGAIN);
	t->s.flows = 5;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1, true), 1);
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 100, false), 0);
	t->s.flows = 1;
	t->s.hold_us = 0;
	KUNIT_EXPECT_EQ(test, mptun_low_rate_test_run(t, 1100, true), 1);
}

static struct kunit_case mptun_low_rate_test_cases[] = {
	KUNIT_CASE(mptun_low_rate_test_busy),
	KUNIT_CASE(mptun_low_rate_test_queue),
	KUNIT_CASE(mptun_low_rate_test_worth),
	KUNIT_CASE(mptun_low_rate_test_flows),
	KUNIT_CASE(mptun_low_rate_test_waits),
	KUNIT_CASE(mptun_low_rate_test_paced),
	KUNIT_CASE(mptun_low_rate_test_shown),
	KUNIT_CASE(mptun_low_rate_test_neglected),
	KUNIT_CASE(mptun_low_rate_test_bursts),
	KUNIT_CASE(mptun_low_rate_test_others),
	KUNIT_CASE(mptun_low_rate_test_low_latency),
	KUNIT_CASE(mptun_low_rate_test_forgets),
	KUNIT_CASE(mptun_low_rate_test_high_latency),
	KUNIT_CASE(mptun_low_rate_test_loses),
	KUNIT_CASE(mptun_low_rate_test_schedulers),
	{}
};

static struct kunit_suite mptun_low_rate_test_suite = {
	.name = "mptun_low_rate",
	.init = mptun_low_rate_test_init,
	.test_cases = mptun_low_rate_test_cases,
};

kunit_test_suite(mptun_low_rate_test_suite);
