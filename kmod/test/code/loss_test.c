// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of encoder and decoder with losses between them: what is left, and how
 * late the rest comes back.  selftests/bench/code.sh does it with more packets.
 */
#include <linux/string.h>

#include "test/code/frame.h"

#define MPTUN_LOSS_TEST_FIRST	0xfffff000U

/* Given up: the window, and as much after it. */
#define MPTUN_LOSS_TEST_AFTER	128U

/**
 * struct mptun_loss_test - how packets are lost and what for
 * @loss: losses per 1000 outside of bursts
 * @burst: losses per 1000 in bursts
 * @in: bursts that begin per 1000 packets
 * @out: bursts that end per 1000 packets in bursts
 * @overhead: symbols per 1000 packets
 * @left: losses that may be left, per 10,000 packets
 */
struct mptun_loss_test {
	u32 loss;
	u32 burst;
	u32 in;
	u32 out;
	u32 overhead;
	u32 left;
};

/**
 * struct mptun_loss_test_run - a run
 * @t: both ends
 * @how: its losses
 * @lost: the last packets that were lost, by dsn
 * @delay: packets until one was decoded, by that number
 * @back: packets decoded in time
 * @bad: a burst is on
 */
struct mptun_loss_test_run {
	struct mptun_code_test *t;
	const struct mptun_loss_test *how;
	bool lost[4096];
	u32 delay[MPTUN_LOSS_TEST_AFTER + 1];
	u32 back;
	bool bad;
};

/* Whether the next transmission is lost. */
static bool mptun_loss_test_dice(struct mptun_loss_test_run *run)
{
	const struct mptun_loss_test *how = run->how;
	struct rnd_state *random = &run->t->random;
	u32 dice = prandom_u32_state(random) % 1000;

	run->bad = run->bad ? dice >= how->out : dice < how->in;
	return prandom_u32_state(random) % 1000 <
	       (run->bad ? how->burst : how->loss);
}

/* Counts the packets that have been decoded by a packet or symbol. */
static void mptun_loss_test_decoded(struct mptun_loss_test_run *run, u32 now)
{
	struct mptun_code_test *t = run->t;
	u32 n, late;

	for (n = 0; n < t->d.count; n++) {
		u32 dsn = t->d.ready[n];

		late = now - dsn;
		t->wrong += !run->lost[dsn % ARRAY_SIZE(run->lost)];
		if (late > MPTUN_LOSS_TEST_AFTER)
			continue;
		run->delay[late]++;
		run->back++;
	}
}

static u32 mptun_loss_test_p99(const struct mptun_loss_test_run *run)
{
	u32 n, sum = 0;

	for (n = 0; n < MPTUN_LOSS_TEST_AFTER; n++) {
		sum += run->delay[n];
		if (sum * 100 >= run->back * 99)
			break;
	}
	return n;
}

static void mptun_loss_test_run(struct kunit *test,
				const struct mptun_loss_test *how, u32 packets)
{
	struct mptun_loss_test_run *run = kunit_kzalloc(test, sizeof(*run),
							GFP_KERNEL);
	u32 n, dsn = MPTUN_LOSS_TEST_FIRST, lost = 0;
	struct mptun_code_test *t;

	KUNIT_ASSERT_NOT_NULL(test, run);
	t = mptun_code_test_new(test, 256);
	run->t = t;
	run->how = how;
	mptun_code_test_most = 29;
	mptun_encoder_set(&t->e, how->overhead * MPTUN_ENCODER_ONE / 1000, 64,
			  MPTUN_ENCODER_DENSE);
	/* the last ones need what comes after them */
	for (n = 0; n < packets + MPTUN_LOSS_TEST_AFTER; n++, dsn++) {
		bool *gone = &run->lost[dsn % ARRAY_SIZE(run->lost)];

		mptun_code_test_send(t, dsn);
		*gone = mptun_loss_test_dice(run) && n < packets;
		lost += *gone;
		if (!*gone) {
			mptun_code_test_arrive(t, dsn);
			mptun_loss_test_decoded(run, dsn);
		}
		if (mptun_code_test_take(t) && !mptun_loss_test_dice(run)) {
			mptun_code_test_symbol(t);
			mptun_loss_test_decoded(run, dsn);
		}
	}
	KUNIT_EXPECT_EQ(test, t->wrong, 0U);
	KUNIT_EXPECT_EQ(test, t->d.stats.wrong, 0ULL);
	KUNIT_EXPECT_LE(test, t->symbols * 1000, how->overhead * n);
	KUNIT_EXPECT_LE_MSG(test, lost - run->back,
			    how->left * packets / 10000,
			    "%u of %u lost are left, p99 is %u", lost -
			    run->back, lost, mptun_loss_test_p99(run));
	if (!how->in)
		KUNIT_EXPECT_LE(test, mptun_loss_test_p99(run), 64U);
	mptun_code_test_end(t);
}

/* The overhead that a loss needs: nothing is left. */
static void mptun_loss_test_random(struct kunit *test)
{
	static const struct mptun_loss_test how[] = {
		{ .loss = 10, .overhead = 65 },
		{ .loss = 30, .overhead = 125 },
		{ .loss = 50, .overhead = 133 },
		{ .loss = 100, .overhead = 267 },
		{ .loss = 0, .overhead = 100 },
		{ .loss = 200, .overhead = 500 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(how); i++)
		mptun_loss_test_run(test, &how[i], 10000);
}

/* Bursts that a window spans, and some that are too long for the overhead. */
static void mptun_loss_test_bursts(struct kunit *test)
{
	static const struct mptun_loss_test how[] = {
		{ .burst = 900, .in = 5, .out = 500, .overhead = 200 },
		{ .loss = 5, .burst = 800, .in = 40, .out = 300,
		  .overhead = 267, .left = 60 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(how); i++)
		mptun_loss_test_run(test, &how[i], 10000);
}

static struct kunit_case mptun_loss_cases[] = {
	KUNIT_CASE(mptun_loss_test_random),
	KUNIT_CASE(mptun_loss_test_bursts),
	{}
};

static struct kunit_suite mptun_loss_suite = {
	.name = "mptun_code_loss",
	.test_cases = mptun_loss_cases,
};

kunit_test_suite(mptun_loss_suite);
