// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of shared bottleneck detection: simulated queues, and paths through
 * them.
 */
#include <kunit/test.h>
#include <linux/prandom.h>

#include "cc/shared_bottleneck.h"

#define MPTUN_SBD_TEST_PATHS	4
#define MPTUN_SBD_TEST_STEP_MS	10
#define MPTUN_SBD_TEST_QUEUE_US	100000
#define MPTUN_SBD_TEST_MOVE_US	16000

/* Time in which a group is found, and the least time of a change. */
#define MPTUN_SBD_TEST_FOUND_S	20
#define MPTUN_SBD_TEST_LOOK_S	12

/**
 * struct mptun_sbd_test_path - a path of the test
 * @queue: its queue, none if it equals their number
 * @delay_us: its delay without a queue
 * @jitter_us: random addition to it
 * @every_ms: interval of its packets, 0 if there are none
 * @late: the queue is at the receiver, not at the sender
 */
struct mptun_sbd_test_path {
	u32 queue;
	u32 delay_us;
	u32 jitter_us;
	u32 every_ms;
	bool late;
};

/**
 * struct mptun_sbd_test - a tunnel
 * @all: the paths under test
 * @b: the same, by path
 * @path: the simulated paths
 * @queue_us: the queues
 * @drift_ppm: drift of the peer's clock
 * @offset_us: its offset at our time 0
 * @lockstep: all queues are equal
 * @ms: our time
 * @rnd: random state
 */
struct mptun_sbd_test {
	struct mptun_sbd all;
	struct mptun_sbd_path b[MPTUN_SBD_TEST_PATHS];
	struct mptun_sbd_test_path path[MPTUN_SBD_TEST_PATHS];
	u32 queue_us[MPTUN_SBD_TEST_PATHS];
	u32 drift_ppm;
	u64 offset_us;
	bool lockstep;
	u32 ms;
	struct rnd_state rnd;
};

/* @n paths, each with its own queue and a packet every 10 ms. */
static struct mptun_sbd_test *mptun_sbd_test_new(struct kunit *test, u32 n)
{
	struct mptun_sbd_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, t);
	prandom_seed_state(&t->rnd, 8382);
	mptun_sbd_init(&t->all);
	t->ms = 5000000;
	/* the clock of the peer wraps in the first ten seconds */
	t->offset_us = U32_MAX - t->ms * 1000ULL - 10 * USEC_PER_SEC;
	for (i = 0; i < n; i++) {
		t->path[i].queue = i;
		t->path[i].delay_us = 20000 + i * 7000;
		t->path[i].every_ms = MPTUN_SBD_TEST_STEP_MS;
		mptun_sbd_reset(&t->all, &t->b[i]);
		list_add_tail(&t->b[i].list, &t->all.paths);
	}
	return t;
}

static void mptun_sbd_test_queues(struct mptun_sbd_test *t)
{
	s32 move = 0, us;
	u32 i;

	for (i = 0; i < MPTUN_SBD_TEST_PATHS; i++) {
		if (!i || !t->lockstep)
			move = prandom_u32_state(&t->rnd) %
			       MPTUN_SBD_TEST_MOVE_US;
		us = t->queue_us[i] + move - MPTUN_SBD_TEST_MOVE_US / 2;
		t->queue_us[i] = clamp(us, 0, MPTUN_SBD_TEST_QUEUE_US);
	}
}

static void mptun_sbd_test_packet(struct mptun_sbd_test *t, u32 i)
{
	const struct mptun_sbd_test_path *path = &t->path[i];
	u64 sent_us = t->ms * 1000ULL, at_us;

	if (path->late)
		sent_us -= path->delay_us;
	at_us = sent_us + path->delay_us;
	if (path->queue < MPTUN_SBD_TEST_PATHS)
		at_us += t->queue_us[path->queue];
	if (path->jitter_us)
		at_us += prandom_u32_state(&t->rnd) % path->jitter_us;
	at_us += t->offset_us + div_u64(at_us * t->drift_ppm, USEC_PER_SEC);
	mptun_sbd_sample(&t->all, &t->b[i], sent_us * (u64)NSEC_PER_USEC,
			 at_us);
}

/* Advances time; returns the number of group changes. */
static u32 mptun_sbd_test_run(struct mptun_sbd_test *t, u32 seconds)
{
	u32 end = t->ms + seconds * 1000, changes = 0, i;

	for (; t->ms < end; t->ms += MPTUN_SBD_TEST_STEP_MS) {
		mptun_sbd_test_queues(t);
		for (i = 0; i < MPTUN_SBD_TEST_PATHS; i++)
			if (t->path[i].every_ms &&
			    t->ms % t->path[i].every_ms == 0)
				mptun_sbd_test_packet(t, i);
		changes += mptun_sbd_run(&t->all, (u64)t->ms *
					 NSEC_PER_MSEC);
	}
	return changes;
}

static bool mptun_sbd_test_joined(const struct mptun_sbd_test *t, u32 i, u32 j)
{
	return t->b[i].group == t->b[j].group;
}

/* Paths with a common queue are found, in time and for good. */
static void mptun_sbd_test_shared(struct kunit *test)
{
	struct mptun_sbd_test *t = mptun_sbd_test_new(test, 2);

	t->path[1].queue = 0;
	KUNIT_EXPECT_FALSE(test, mptun_sbd_test_joined(t, 0, 1));
	KUNIT_EXPECT_EQ(test, mptun_sbd_test_run(t, MPTUN_SBD_TEST_LOOK_S), 0U);
	KUNIT_EXPECT_EQ(test, mptun_sbd_test_run(t, 8), 1U);
	KUNIT_EXPECT_TRUE(test, mptun_sbd_test_joined(t, 0, 1));
	KUNIT_EXPECT_EQ(test, mptun_sbd_test_run(t, 120), 0U);
}

static void mptun_sbd_test_own(struct kunit *test)
{
	struct mptun_sbd_test *t = mptun_sbd_test_new(test, 4);

	KUNIT_EXPECT_EQ(test, mptun_sbd_test_run(t, 300), 0U);
	KUNIT_EXPECT_FALSE(test, mptun_sbd_test_joined(t, 0, 1));
	KUNIT_EXPECT_FALSE(test, mptun_sbd_test_joined(t, 2, 3));
}

/* A path with a queue and one without share none. */
static void mptun_sbd_test_one(struct kunit *test)
{
	struct mptun_sbd_test *t = mptun_sbd_test_new(test, 2);

	t->path[1].queue = MPTUN_SBD_TEST_PATHS;
	KUNIT_EXPECT_EQ(test, mptun_sbd_test_run(t, 60), 0U);
	KUNIT_EXPECT_EQ(test, mptun_sbd_compare(&t->b[0].sent,
						&t->b[1].sent),
			MPTUN_SBD_SEPARATE);
}

/* Without queues nothing is found, whatever clocks and jitter do. */
static void mptun_sbd_test_calm(struct kunit *test)
{
	struct mptun_sbd_test *t = mptun_sbd_test_new(test, 2);

	t->path[0].queue = MPTUN_SBD_TEST_PATHS;
	t->path[1].queue = MPTUN_SBD_TEST_PATHS;
	t->drift_ppm = 500;
	KUNIT_EXPECT_EQ(test, mptun_sbd_test_run(t, 60), 0U);
	KUNIT_EXPECT_EQ(test, mptun_sbd_compare(&t->b[0].sent,
						&t->b[1].sent),
			MPTUN_SBD_UNKNOWN);
	t->path[0].jitter_us = 20000;
	t->path[1].jitter_us = 20000;
	KUNIT_EXPECT_EQ(test, mptun_sbd_test_run(t, 300), 0U);
}

/* Clock drift neither hides nor fakes a shared bottleneck. */
static void mptun_sbd_test_drift(struct kunit *test)
{
	struct mptun_sbd_test *t = mptun_sbd_test_new(test, 3);

	t->drift_ppm = 500;
	t->path[1].queue = 0;
	mptun_sbd_test_run(t, 120);
	KUNIT_EXPECT_TRUE(test, mptun_sbd_test_joined(t, 0, 1));
	KUNIT_EXPECT_FALSE(test, mptun_sbd_test_joined(t, 0, 2));
}

/* Nor does a difference between the clocks that has grown for days. */
static void mptun_sbd_test_days(struct kunit *test)
{
	struct mptun_sbd_test *t = mptun_sbd_test_new(test, 2);

	t->drift_ppm = 500;
	t->path[1].queue = 0;
	mptun_sbd_test_run(t, 1);
	t->ms += 3U * 24 * 3600 * 1000;
	mptun_sbd_test_run(t, MPTUN_SBD_TEST_FOUND_S);
	KUNIT_EXPECT_TRUE(test, mptun_sbd_test_joined(t, 0, 1));
}

/* Two of three paths share a queue; jitter on one of these does not matter. */
static void mptun_sbd_test_three(struct kunit *test)
{
	struct mptun_sbd_test *t = mptun_sbd_test_new(test, 3);

	t->path[2].queue = 0;
	t->path[2].jitter_us = 10000;
	KUNIT_EXPECT_EQ(test, mptun_sbd_test_run(t, 60), 1U);
	KUNIT_EXPECT_TRUE(test, mptun_sbd_test_joined(t, 0, 2));
	KUNIT_EXPECT_FALSE(test, mptun_sbd_test_joined(t, 0, 1));
}

/* Different packet rates, 100 and 20 per second; one per second is too little
 * for a result.
 */
static void mptun_sbd_test_little(struct kunit *test)
{
	struct mptun_sbd_test *t = mptun_sbd_test_new(test, 3);

	t->path[1].queue = 0;
	t->path[1].every_ms = 50;
	t->path[2].queue = 0;
	t->path[2].every_ms = 1000;
	mptun_sbd_test_run(t, 60);
	KUNIT_EXPECT_TRUE(test, mptun_sbd_test_joined(t, 0, 1));
	KUNIT_EXPECT_FALSE(test, mptun_sbd_test_joined(t, 0, 2));
}

/* One packet in an interval shows the queue at one moment of it, which is not
 * the mean of the interval.
 */
static void mptun_sbd_test_few(struct kunit *test)
{
	struct mptun_sbd_test *t = mptun_sbd_test_new(test, 3);

	t->path[1].queue = 0;
	t->path[1].every_ms = 100;
	t->path[2].every_ms = 100;
	mptun_sbd_test_run(t, 30);
	KUNIT_EXPECT_TRUE(test, mptun_sbd_test_joined(t, 0, 1));
	KUNIT_EXPECT_EQ(test, mptun_sbd_test_run(t, 120), 0U);
	KUNIT_EXPECT_FALSE(test, mptun_sbd_test_joined(t, 0, 2));
}

/* A path in use that becomes longer by itself stays in its group. */
static void mptun_sbd_test_step(struct kunit *test)
{
	struct mptun_sbd_test *t = mptun_sbd_test_new(test, 2);

	t->path[1].queue = 0;
	mptun_sbd_test_run(t, MPTUN_SBD_TEST_FOUND_S);
	KUNIT_ASSERT_TRUE(test, mptun_sbd_test_joined(t, 0, 1));
	t->path[1].delay_us += 30000;
	KUNIT_EXPECT_EQ(test, mptun_sbd_test_run(t, 60), 0U);
}

/* One path is much longer, with the queue at the sender or at the receiver.
 */
static void mptun_sbd_test_long(struct kunit *test)
{
	bool late;

	for (late = false;; late = true) {
		struct mptun_sbd_test *t = mptun_sbd_test_new(test, 3);

		t->path[1].delay_us = 320000;
		t->path[1].queue = 0;
		t->path[0].late = late;
		t->path[1].late = late;
		mptun_sbd_test_run(t, MPTUN_SBD_TEST_FOUND_S);
		KUNIT_EXPECT_TRUE(test, mptun_sbd_test_joined(t, 0, 1));
		KUNIT_EXPECT_FALSE(test, mptun_sbd_test_joined(t, 0, 2));
		if (late)
			return;
	}
}

/* A path that no longer shares the queue leaves the group, but not at once. */
static void mptun_sbd_test_parts(struct kunit *test)
{
	struct mptun_sbd_test *t = mptun_sbd_test_new(test, 2);

	t->path[1].queue = 0;
	mptun_sbd_test_run(t, MPTUN_SBD_TEST_FOUND_S);
	KUNIT_ASSERT_TRUE(test, mptun_sbd_test_joined(t, 0, 1));
	t->path[1].queue = 1;
	KUNIT_EXPECT_EQ(test, mptun_sbd_test_run(t, MPTUN_SBD_TEST_LOOK_S), 0U);
	KUNIT_EXPECT_EQ(test, mptun_sbd_test_run(t, 20), 1U);
	KUNIT_EXPECT_FALSE(test, mptun_sbd_test_joined(t, 0, 1));
}

/* An idle path keeps its group for a minute. */
static void mptun_sbd_test_idle(struct kunit *test)
{
	struct mptun_sbd_test *t = mptun_sbd_test_new(test, 2);

	t->path[1].queue = 0;
	mptun_sbd_test_run(t, MPTUN_SBD_TEST_FOUND_S);
	t->path[1].every_ms = 0;
	KUNIT_EXPECT_EQ(test, mptun_sbd_test_run(t, 60), 0U);
	KUNIT_EXPECT_TRUE(test, mptun_sbd_test_joined(t, 0, 1));
	KUNIT_EXPECT_EQ(test, mptun_sbd_test_run(t, 30), 1U);
	KUNIT_EXPECT_FALSE(test, mptun_sbd_test_joined(t, 0, 1));
}

/* A pause of all paths keeps the groups, which are confirmed after it. */
static void mptun_sbd_test_pause(struct kunit *test)
{
	struct mptun_sbd_test *t = mptun_sbd_test_new(test, 2);

	t->path[1].queue = 0;
	mptun_sbd_test_run(t, MPTUN_SBD_TEST_FOUND_S);
	t->ms += 600000;
	KUNIT_EXPECT_EQ(test, mptun_sbd_test_run(t, 60), 0U);
	KUNIT_EXPECT_TRUE(test, mptun_sbd_test_joined(t, 0, 1));
}

/* A start of flows that fills all queues at once has no lasting effect. */
static void mptun_sbd_test_moment(struct kunit *test)
{
	struct mptun_sbd_test *t = mptun_sbd_test_new(test, 2);

	t->lockstep = true;
	mptun_sbd_test_run(t, 5);
	t->lockstep = false;
	KUNIT_EXPECT_EQ(test, mptun_sbd_test_run(t, 60), 0U);
}

/* A path that restarts is alone, even if the group has its number. */
static void mptun_sbd_test_reset(struct kunit *test)
{
	struct mptun_sbd_test *t = mptun_sbd_test_new(test, 3);

	t->path[1].queue = 0;
	t->path[2].queue = 0;
	mptun_sbd_test_run(t, MPTUN_SBD_TEST_FOUND_S);
	KUNIT_ASSERT_TRUE(test, mptun_sbd_test_joined(t, 0, 1));
	KUNIT_ASSERT_EQ(test, t->b[2].group, t->b[0].number);
	mptun_sbd_reset(&t->all, &t->b[0]);
	KUNIT_EXPECT_FALSE(test, mptun_sbd_test_joined(t, 0, 1));
	KUNIT_EXPECT_TRUE(test, mptun_sbd_test_joined(t, 1, 2));
	mptun_sbd_test_run(t, MPTUN_SBD_TEST_FOUND_S);
	KUNIT_EXPECT_TRUE(test, mptun_sbd_test_joined(t, 0, 1));
	KUNIT_EXPECT_TRUE(test, mptun_sbd_test_joined(t, 1, 2));
}

/* The other paths stay together if the one leaves whose number the group has.
 */
static void mptun_sbd_test_left(struct kunit *test)
{
	struct mptun_sbd_test *t = mptun_sbd_test_new(test, 3);

	t->path[1].queue = 0;
	t->path[2].queue = 0;
	mptun_sbd_test_run(t, MPTUN_SBD_TEST_FOUND_S);
	list_del(&t->b[0].list);
	mptun_sbd_test_run(t, MPTUN_SBD_TEST_FOUND_S);
	KUNIT_EXPECT_TRUE(test, mptun_sbd_test_joined(t, 1, 2));
	KUNIT_EXPECT_EQ(test, t->b[2].group, t->b[1].number);
}

static struct kunit_case mptun_sbd_test_cases[] = {
	KUNIT_CASE(mptun_sbd_test_shared),
	KUNIT_CASE(mptun_sbd_test_own),
	KUNIT_CASE(mptun_sbd_test_one),
	KUNIT_CASE(mptun_sbd_test_calm),
	KUNIT_CASE(mptun_sbd_test_drift),
	KUNIT_CASE(mptun_sbd_test_days),
	KUNIT_CASE(mptun_sbd_test_three),
	KUNIT_CASE(mptun_sbd_test_little),
	KUNIT_CASE(mptun_sbd_test_few),
	KUNIT_CASE(mptun_sbd_test_step),
	KUNIT_CASE(mptun_sbd_test_long),
	KUNIT_CASE(mptun_sbd_test_parts),
	KUNIT_CASE(mptun_sbd_test_idle),
	KUNIT_CASE(mptun_sbd_test_pause),
	KUNIT_CASE(mptun_sbd_test_moment),
	KUNIT_CASE(mptun_sbd_test_reset),
	KUNIT_CASE(mptun_sbd_test_left),
	{}
};

static struct kunit_suite mptun_sbd_test_suite = {
	.name = "mptun_sbd",
	.test_cases = mptun_sbd_test_cases,
};

kunit_test_suite(mptun_sbd_test_suite);
