// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of high-latency paths that carry more than others: when they lead.
 */
#include "test/sched/frame.h"

#define MPTUN_LEAD_TEST_PATHS	3

/* A low-latency path, one of high latency and ten times the rate, and one that
 * is down
 */
static int mptun_lead_test_init(struct kunit *test)
{
	struct mptun_sched_test *t = mptun_sched_test_new(test, "greedy");
	int i;

	for (i = 0; i < MPTUN_LEAD_TEST_PATHS; i++) {
		t->cand[i].pacing_rate = i ? 1250000 : 125000;
		t->cand[i].srtt_us = i ? 600000 : 60000;
		t->cand[i].min_rtt_us = i ? 600000 : 60000;
		t->cand[i].cwnd = 1500000;
		t->cand[i].up = i < 2;
		t->cand[i].found = true;
	}
	t->s.hold_us = 500 * USEC_PER_MSEC;
	return 0;
}

static int mptun_lead_test_pick(struct mptun_sched_test *t)
{
	int i;

	for (i = 0; i < MPTUN_LEAD_TEST_PATHS; i++)
		t->cand[i].tried = 0;
	return mptun_sched_test_pick(t, MPTUN_LEAD_TEST_PATHS);
}

/* Picks every millisecond for @ms, with a low-latency path that is full or not;
 * returns the last choice.
 */
static int mptun_lead_test_run(struct mptun_sched_test *t, unsigned int ms,
			       bool full)
{
	int chosen = -EAGAIN;

	t->cand[0].room = full ? 0 : 100000;
	t->s.backlog = full ? 1500 : 0;
	while (ms--) {
		t->s.now += MPTUN_SCHED_TEST_MS;
		chosen = mptun_lead_test_pick(t);
	}
	return chosen;
}

/* Traffic that fits the low-latency path stays there, and so do bursts. */
static void mptun_lead_test_waits(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;
	int i;

	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 1000, false), 0);
	for (i = 0; i < 100; i++) {
		KUNIT_ASSERT_EQ(test, mptun_lead_test_run(t, 100, true),
				-EAGAIN);
		KUNIT_ASSERT_EQ(test, mptun_lead_test_run(t, 26, false), 0);
	}
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 2000, true), -EAGAIN);
	KUNIT_EXPECT_FALSE(test, t->s.tries);
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 1, true), 1);
	KUNIT_EXPECT_TRUE(test, t->low_rate[1].leads);
}

/* While it leads, a low-rate path is idle, and another one helps when the
 * leading path is busy.
 */
static void mptun_lead_test_leads(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;
	int i, chosen = 0;

	KUNIT_ASSERT_EQ(test, mptun_lead_test_run(t, 2001, true), 1);
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 100, false), 1);
	t->cand[1].room = 0;
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 1000, false), -EAGAIN);
	t->cand[0].pacing_rate = 400000;
	for (i = 0; i < 501; i++) {
		mptun_lead_test_run(t, 1, false);
		t->s.backlog = 1500;
		chosen = mptun_lead_test_pick(t);
	}
	KUNIT_EXPECT_EQ(test, chosen, 0);
}

/* It leads until its flight has fitted the low-latency path for 10 s. */
static void mptun_lead_test_ends(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	KUNIT_ASSERT_EQ(test, mptun_lead_test_run(t, 2001, true), 1);
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 9999, false), 1);
	t->cand[1].in_flight = 75001;
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 1, false), 1);
	t->cand[1].in_flight = 75000;
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 9999, false), 1);
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 1, false), 0);
	KUNIT_EXPECT_FALSE(test, t->low_rate[1].leads);
	/* and has to wait as before */
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 2000, true), -EAGAIN);
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 1, true), 1);
}

/* A path that nothing needs while it leads does so in vain.  The next time
 * comes after 10 s, and then 20 s.
 */
static void mptun_lead_test_vain(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	/* copies, for a round trip */
	t->cand[1].in_flight = 1000000;
	KUNIT_ASSERT_EQ(test, mptun_lead_test_run(t, 2001, true), 1);
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 599, false), 1);
	t->cand[1].in_flight = 40000;
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 9400, false), 1);
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 1, false), 0);
	KUNIT_EXPECT_FALSE(test, t->low_rate[1].leads);
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 9999, true), -EAGAIN);
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 1, true), 1);
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 9999, false), 1);
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 1, false), 0);
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 19999, true), -EAGAIN);
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 1, true), 1);
	/* needed once, so it was right */
	t->cand[1].in_flight = 75001;
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 601, false), 1);
	t->cand[1].in_flight = 40000;
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 9999, false), 1);
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 1, false), 0);
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 2001, true), 1);
}

/* It begins with 3/2 of the rate of the low-latency path, and ends with 2/2. */
static void mptun_lead_test_higher_rate(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	t->cand[1].pacing_rate = 187500;
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 5000, true), -EAGAIN);
	t->cand[1].pacing_rate = 187501;
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 1, true), 1);
	t->cand[1].pacing_rate = 125001;
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 1, true), 1);
	t->cand[1].pacing_rate = 125000;
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 1, true), -EAGAIN);
}

/* What it carries is found out with copies, and not again soon. */
static void mptun_lead_test_tried(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;
	struct mptun_sched_cand *c = &t->cand[1];

	c->found = false;
	c->cwnd = 14280;
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 500, true), -EAGAIN);
	KUNIT_EXPECT_FALSE(test, t->s.tries);
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 1, true), -EAGAIN);
	KUNIT_EXPECT_TRUE(test, t->s.tries);
	KUNIT_EXPECT_EQ(test, c->tried, (u8)MPTUN_LEAD_COPIES);
	KUNIT_EXPECT_EQ(test, t->cand[0].tried, 0);
	/* not while the low-latency path is idle, and that does not count */
	mptun_lead_test_run(t, 3000, true);
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 10000, false), 0);
	KUNIT_EXPECT_FALSE(test, t->s.tries);
	mptun_lead_test_run(t, 500, true);
	KUNIT_EXPECT_FALSE(test, t->s.tries);
	mptun_lead_test_run(t, 4875, true);
	KUNIT_EXPECT_TRUE(test, t->s.tries);
	mptun_lead_test_run(t, 1, true);
	KUNIT_EXPECT_FALSE(test, t->s.tries);
	mptun_lead_test_run(t, 1000, true);
	KUNIT_EXPECT_FALSE(test, t->s.tries);
	mptun_lead_test_run(t, 158999, true);
	KUNIT_EXPECT_FALSE(test, t->s.tries);
	mptun_lead_test_run(t, 1, true);
	KUNIT_EXPECT_TRUE(test, t->s.tries);
}

/* A path that is being found out carries half of its window per round trip. */
static void mptun_lead_test_shown(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;
	struct mptun_sched_cand *c = &t->cand[1];

	c->found = false;
	c->cwnd = 225000;
	KUNIT_EXPECT_EQ(test, mptun_sched_lead_rate(c), 187500ULL);
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 2001, true), -EAGAIN);
	c->cwnd += 2;
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 1, true), 1);
	KUNIT_EXPECT_FALSE(test, t->s.tries);
	c->shown = 187500;
	KUNIT_EXPECT_EQ(test, mptun_sched_lead_rate(c), 187500ULL);
	c->min_rtt_us = 0;
	KUNIT_EXPECT_EQ(test, mptun_sched_lead_rate(c), 1250000ULL);
}

/* A path later than the receiver waits is no use, and one of less latency helps
 * as others do.
 */
static void mptun_lead_test_late(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	t->s.hold_us = 269999;
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 5000, true), -EAGAIN);
	KUNIT_EXPECT_FALSE(test, t->cand[1].late);
	t->s.hold_us = 270000;
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 2000, true), -EAGAIN);
	KUNIT_EXPECT_TRUE(test, t->cand[1].late);
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 1, true), 1);
	t->low_rate[1] = (struct mptun_low_rate){};
	t->cand[1].pacing_rate = 125000;
	t->cand[1].srtt_us = 460000;
	t->cand[1].min_rtt_us = 460000;
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 500, true), -EAGAIN);
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 1, true), 1);
	KUNIT_EXPECT_FALSE(test, t->low_rate[1].leads);
}

/* A queue of the low-latency path does not make such a path help. */
static void mptun_lead_test_queue(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	t->cand[0].srtt_us = 260000;
	t->cand[0].in_flight = 1500;
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 2000, true), -EAGAIN);
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 1, true), 1);
	KUNIT_EXPECT_TRUE(test, t->low_rate[1].leads);
}

/* A probe for more bandwidth is not what a path carries. */
static void mptun_lead_test_capacity(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	t->cand[0].rate = 125000;
	t->cand[0].pacing_rate = 112500;
	t->cand[1].rate = 150000;
	t->cand[1].pacing_rate = 187500;
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 3000, true), -EAGAIN);
	t->cand[1].rate = 187501;
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 1, true), 1);
}

/* Nor is the gain at which a window is paced, on either side.  Where there is
 * no queue the window per round trip is what the path carries at most.
 */
static void mptun_lead_test_window(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;
	struct mptun_sched_cand *c = t->cand;

	/* "cubic" paces at five fourths of 125000 and of 187500 */
	c[0].rate = 125000;
	c[0].pacing_rate = 156250;
	c[1].cwnd = 112500;
	c[1].pacing_rate = 234375;
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 3000, true), -EAGAIN);
	c[1].cwnd++;
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 1, true), 1);
	/* without a queue on either path */
	c[0].rate = 0;
	c[0].cwnd = 11251;
	c[0].pacing_rate = 234395;
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 1, true), -EAGAIN);
	c[0].cwnd = 7500;
	t->low_rate[1] = (struct mptun_low_rate){};
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 2001, true), 1);
}

/* It needs more than all low-latency paths together. */
static void mptun_lead_test_low_latency(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;
	struct mptun_sched_cand *c = &t->cand[2];

	c->up = true;
	c->srtt_us = 80000;
	c->min_rtt_us = 80000;
	c->pacing_rate = 800000;
	c->room = 0;
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 3000, true), -EAGAIN);
	c->pacing_rate = 700000;
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 1, true), 1);
	/* both may help then */
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 1, false), 1);
}

/* The one that carries more leads, and the other one is tried when the first
 * one did not help.
 */
static void mptun_lead_test_two(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;
	struct mptun_sched_cand *c = &t->cand[2];

	c->up = true;
	c->pacing_rate = 1500000;
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 2001, true), 2);
	c->pacing_rate = 1000000;
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 1, true), 2);
	t->low_rate[2] = (struct mptun_low_rate){};
	t->cand[1].pacing_rate = 130000;
	c->pacing_rate = 120000;
	mptun_lead_test_run(t, 501, true);
	KUNIT_EXPECT_TRUE(test, t->cand[1].tried && !c->tried);
	mptun_lead_test_run(t, 8501, true);
	KUNIT_EXPECT_TRUE(test, !t->cand[1].tried && c->tried);
}

/* Others use what is not later than the receiver waits, or weigh it. */
static void mptun_lead_test_schedulers(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	KUNIT_ASSERT_EQ(test, mptun_sched_assign(&t->s, "wrr"), 0);
	KUNIT_EXPECT_EQ(test, mptun_lead_test_run(t, 1, true), 1);
	KUNIT_EXPECT_FALSE(test, t->cand[1].late);
	KUNIT_EXPECT_FALSE(test, t->s.tries);
}

static struct kunit_case mptun_lead_test_cases[] = {
	KUNIT_CASE(mptun_lead_test_waits),
	KUNIT_CASE(mptun_lead_test_leads),
	KUNIT_CASE(mptun_lead_test_ends),
	KUNIT_CASE(mptun_lead_test_vain),
	KUNIT_CASE(mptun_lead_test_higher_rate),
	KUNIT_CASE(mptun_lead_test_tried),
	KUNIT_CASE(mptun_lead_test_shown),
	KUNIT_CASE(mptun_lead_test_late),
	KUNIT_CASE(mptun_lead_test_queue),
	KUNIT_CASE(mptun_lead_test_capacity),
	KUNIT_CASE(mptun_lead_test_window),
	KUNIT_CASE(mptun_lead_test_low_latency),
	KUNIT_CASE(mptun_lead_test_two),
	KUNIT_CASE(mptun_lead_test_schedulers),
	{}
};

static struct kunit_suite mptun_lead_test_suite = {
	.name = "mptun_lead",
	.init = mptun_lead_test_init,
	.test_cases = mptun_lead_test_cases,
};

kunit_test_suite(mptun_lead_test_suite);
