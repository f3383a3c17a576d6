// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of scheduler "ecf": when it waits, and that it never waits for long.
 */
#include "test/sched/frame.h"

/* 8 Mbit/s, of which 1 ms takes 1000 bytes */
static void mptun_ecf_test_path(struct mptun_sched_cand *c, u32 rtt_us)
{
	c->rate = 1000000;
	c->srtt_us = rtt_us;
	c->min_rtt_us = rtt_us;
}

/* A low-latency path that is full, and high-latency ones with room */
static int mptun_ecf_test_init(struct kunit *test)
{
	struct mptun_sched_test *t = mptun_sched_test_new(test, "ecf");
	int i;

	t->s.now = NSEC_PER_SEC;
	t->s.backlog = 1500;
	for (i = 0; i < 3; i++)
		mptun_ecf_test_path(&t->cand[i], i ? 200000 : 10000);
	t->cand[0].room = 0;
	return 0;
}

static void mptun_ecf_test_sent(struct mptun_sched_test *t, unsigned int i)
{
	mptun_sched_sent(&t->s, t->cand, 2, i, 1500);
}

/* What waits is there after 5 ms and 1 ms per 1000 bytes, or after 100 ms. */
static void mptun_ecf_test_waits(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), -EAGAIN);
	/* at most for what it gains: 100 - 6.5 ms */
	KUNIT_EXPECT_EQ(test, t->s.wake_ns - t->s.now, 93500000ULL);
	t->s.backlog = 94999;
	t->mem[1] = (struct mptun_sched_mem){};
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), -EAGAIN);
	t->s.backlog = 95000;
	t->mem[1] = (struct mptun_sched_mem){};
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
	KUNIT_EXPECT_EQ(test, t->s.wake_ns, U64_MAX);

	/* The low-latency path is always taken when it has room. */
	t->cand[0].room = 1500;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 0);
	t->s.backlog = 1500;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 0);
}

/* A transfer longer than the difference in latency is assumed to last as long
 * again; a pause of more than one arrival time ends that.
 */
static void mptun_ecf_test_bulk(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;
	const struct mptun_ecf_busy *busy;
	u32 sent;

	for (sent = 0; sent < 93000; sent += 1500) {
		KUNIT_ASSERT_EQ(test, mptun_sched_test_pick(t, 2), -EAGAIN);
		t->s.now += NSEC_PER_MSEC;
		mptun_ecf_test_sent(t, 0);
	}
	/* 1.5 kB wait, 93 kB are to come, 1 ms each; a quarter of 100 ms */
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), -EAGAIN);
	for (; sent < 118500; sent += 1500)
		mptun_ecf_test_sent(t, 0);
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
	t->s.now += 100 * NSEC_PER_MSEC;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
	t->s.now += 100 * NSEC_PER_MSEC + 1;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), -EAGAIN);
	/* All full is full as well. */
	mptun_ecf_test_sent(t, 0);
	t->cand[1].room = 0;
	t->s.now += 90 * NSEC_PER_MSEC;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), -EAGAIN);
	t->cand[1].room = 1500;
	t->s.now += 90 * NSEC_PER_MSEC;
	mptun_sched_test_pick(t, 2);
	busy = (struct mptun_ecf_busy *)t->s.mem.data;
	KUNIT_EXPECT_EQ(test, busy->carried, 1500ULL);
}

/* Two low-latency paths carry twice as much in the same time. */
static void mptun_ecf_test_two(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	t->cand[2] = t->cand[0];
	t->cand[2].mem = &t->mem[2];
	t->cand[2].low_rate = &t->low_rate[2];
	t->cand[2].srtt_us = 30000;
	t->cand[2].min_rtt_us = 30000;
	/* (180 kB + 5 + 15 ms of 1 MB/s) / 2 MB/s = 100 ms */
	t->s.backlog = 179998;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 3), -EAGAIN);
	t->mem[1] = (struct mptun_sched_mem){};
	t->s.backlog = 180000;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 3), 1);
}

/* Once begun, waiting continues until it is worse by a quarter: 125 ms. */
static void mptun_ecf_test_beta(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), -EAGAIN);
	t->s.backlog = 119999;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), -EAGAIN);
	t->s.backlog = 120000;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
	t->s.backlog = 95000;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
	/* half of the larger deviation counts against waiting */
	t->s.backlog = 84999;
	t->cand[0].rttvar_us = 20000;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), -EAGAIN);
	t->s.backlog = 85000;
	t->mem[1] = (struct mptun_sched_mem){};
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
}

/* A low-latency path that died: the wait ends after what it was to gain, and
 * does not begin again before that path has taken something.
 */
static void mptun_ecf_test_ends(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;
	u64 wake;
	int i;

	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), -EAGAIN);
	wake = t->s.wake_ns;
	t->s.now = wake - 1;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), -EAGAIN);
	KUNIT_EXPECT_EQ(test, t->s.wake_ns, wake);
	t->s.now = wake;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
	/* nothing was sent, but the low-latency path came up again: another
	 * wait
	 */
	t->mem[0] = (struct mptun_sched_mem){};
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), -EAGAIN);
	KUNIT_EXPECT_EQ(test, t->s.wake_ns - t->s.now, 93500000ULL);
	t->s.now = t->s.wake_ns;
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
		mptun_ecf_test_sent(t, 1);
	}
	mptun_ecf_test_sent(t, 0);
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), -EAGAIN);
	KUNIT_EXPECT_GT(test, t->s.wake_ns, t->s.now);
	/* nor is it waited for when it may not be used */
	t->cand[0].up = false;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
}

/* Nothing is waited for if nothing waits, or nothing is known. */
static void mptun_ecf_test_unknown(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	t->s.backlog = 0;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
	t->s.backlog = 1500;
	t->cand[0].srtt_us = 0;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
	t->cand[0].srtt_us = 10000;
	t->cand[1].srtt_us = 0;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
	/* a rate that is not known is the window's: 10 MB/s */
	t->cand[1].srtt_us = 200000;
	t->cand[0].rate = 0;
	t->s.backlog = 949999;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), -EAGAIN);
	t->cand[1].room = 0;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), -EAGAIN);
	KUNIT_EXPECT_EQ(test, t->s.wake_ns, U64_MAX);
}

static void mptun_ecf_test_extremes(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	t->cand[0].rate = U64_MAX;
	t->cand[1].srtt_us = U32_MAX;
	t->cand[1].min_rtt_us = U32_MAX;
	t->s.backlog = U64_MAX;
	/* 4 GiB at 2 GiB/s, then at 1 byte per second */
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), -EAGAIN);
	t->cand[0].rate = 1;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
	t->cand[0].rttvar_us = U32_MAX;
	t->cand[0].rate = U64_MAX;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
}

static struct kunit_case mptun_ecf_cases[] = {
	KUNIT_CASE(mptun_ecf_test_waits),
	KUNIT_CASE(mptun_ecf_test_bulk),
	KUNIT_CASE(mptun_ecf_test_two),
	KUNIT_CASE(mptun_ecf_test_beta),
	KUNIT_CASE(mptun_ecf_test_ends),
	KUNIT_CASE(mptun_ecf_test_unknown),
	KUNIT_CASE(mptun_ecf_test_extremes),
	{}
};

static struct kunit_suite mptun_ecf_suite = {
	.name = "mptun_sched_ecf",
	.init = mptun_ecf_test_init,
	.test_cases = mptun_ecf_cases,
};

kunit_test_suite(mptun_ecf_suite);
