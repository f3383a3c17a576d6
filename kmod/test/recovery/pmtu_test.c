// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the MTU of a path.
 */
#include <kunit/test.h>
#include <linux/time64.h>

#include "recovery/pmtu.h"

#define MPTUN_PMTU_TEST_LINK	1500U
#define MPTUN_PMTU_TEST_RTT	(40ULL * NSEC_PER_MSEC)
#define MPTUN_PMTU_TEST_PTO	(100ULL * NSEC_PER_MSEC)

/* Size of the small probe */
#define MPTUN_PMTU_TEST_SMALL	100U

/**
 * struct mptun_pmtu_test - a path over a link
 * @p: the MTU
 * @now: time in ns
 * @carries: larger packets get lost
 * @loss: packets of 1000 that get lost at random
 * @large_loss: further ones of 1000 above the base size
 * @used: the path carries data
 * @random: state of the generator
 * @token: of the next round
 * @rounds: rounds so far
 * @sent: probes so far
 */
struct mptun_pmtu_test {
	struct mptun_pmtu p;
	u64 now;
	u32 carries;
	u32 loss;
	u32 large_loss;
	bool used;
	u32 random;
	u64 token;
	unsigned int rounds;
	unsigned int sent;
};

static void mptun_pmtu_test_link(struct mptun_pmtu_test *t, u32 link,
				 u32 carries)
{
	*t = (struct mptun_pmtu_test){
		.now = 7ULL * NSEC_PER_SEC,
		.carries = carries,
		.random = 1,
		.token = U64_MAX - 5, /* wraps around */
	};
	mptun_pmtu_init(&t->p, link);
	mptun_pmtu_start(&t->p, t->now);
}

static bool mptun_pmtu_test_passes(struct mptun_pmtu_test *t, u32 size)
{
	u32 loss = t->loss + (size > MPTUN_PMTU_BASE ? t->large_loss : 0);

	t->random = t->random * 1664525 + 1013904223;
	return size <= t->carries && (t->random >> 8) % 1000 >= loss;
}

/* Sends the probes of a round, and answers those that arrive. */
static void mptun_pmtu_test_round(struct mptun_pmtu_test *t)
{
	u16 probe[MPTUN_PMTU_ROUND];
	unsigned int i, n = t->p.n;
	u64 token = t->p.token;

	memcpy(probe, t->p.probe, sizeof(probe));
	t->rounds++;
	t->sent += n + 1;
	t->now += MPTUN_PMTU_TEST_RTT;
	for (i = 0; i < n; i++)
		if (mptun_pmtu_test_passes(t, probe[i]))
			mptun_pmtu_answered(&t->p, token + i, t->now);
	if (mptun_pmtu_test_passes(t, MPTUN_PMTU_TEST_SMALL))
		mptun_pmtu_answered(&t->p, token + n, t->now);
}

/* Runs until a time, or until nothing is due. */
static void mptun_pmtu_test_until(struct mptun_pmtu_test *t, u64 until)
{
	while (mptun_pmtu_deadline(&t->p) <= until) {
		t->now = max(t->now, mptun_pmtu_deadline(&t->p));
		t->token += 1000;
		if (mptun_pmtu_expire(&t->p, t->token, MPTUN_PMTU_TEST_PTO,
				      t->used, t->now))
			mptun_pmtu_test_round(t);
	}
	t->now = max(t->now, until);
}

static void mptun_pmtu_test_run(struct mptun_pmtu_test *t, u64 ms)
{
	mptun_pmtu_test_until(t, t->now + ms * NSEC_PER_MSEC);
}

/* A clean link is known after one round, and costs no more. */
static void mptun_pmtu_test_clean(struct kunit *test)
{
	struct mptun_pmtu_test t;

	mptun_pmtu_test_link(&t, MPTUN_PMTU_TEST_LINK, 1500);
	KUNIT_EXPECT_EQ(test, t.p.size, MPTUN_PMTU_BASE);
	KUNIT_EXPECT_EQ(test, t.p.state, MPTUN_PMTU_STATE_BASE);
	mptun_pmtu_test_run(&t, 1);
	KUNIT_EXPECT_EQ(test, t.rounds, 1U);
	KUNIT_EXPECT_EQ(test, t.p.size, 1500U);
	KUNIT_EXPECT_EQ(test, t.p.state, MPTUN_PMTU_STATE_COMPLETE);
	KUNIT_EXPECT_TRUE(test, t.p.searched);
	mptun_pmtu_test_run(&t, 3600 * MSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, t.rounds, 1U);
}

/* Sizes of the first round and, if none of them is right, of the next ones. */
static void mptun_pmtu_test_sizes(struct kunit *test)
{
	static const u16 first[] = { 1500, 1280 };
	static const u16 second[] = {
		1500, 1492, 1472, 1452, 1430, 1400, 1372, 1340, 1310
	};
	static const u16 third[] = {
		1430, 1428, 1424, 1420, 1416, 1412, 1408, 1404
	};
	struct mptun_pmtu_test t;

	mptun_pmtu_test_link(&t, MPTUN_PMTU_TEST_LINK, 1420);
	KUNIT_EXPECT_TRUE(test, mptun_pmtu_expire(&t.p, 1, MPTUN_PMTU_TEST_PTO,
						  false, t.now));
	KUNIT_EXPECT_EQ(test, t.p.n, ARRAY_SIZE(first));
	KUNIT_EXPECT_MEMEQ(test, t.p.probe, first, sizeof(first));
	mptun_pmtu_test_round(&t);
	KUNIT_EXPECT_EQ(test, t.p.size, 1280U);
	t.now = mptun_pmtu_deadline(&t.p);
	KUNIT_EXPECT_EQ(test, t.now, 7ULL * NSEC_PER_SEC +
			MPTUN_PMTU_TEST_RTT * 5 / 4);
	KUNIT_EXPECT_TRUE(test, mptun_pmtu_expire(&t.p, 99, MPTUN_PMTU_TEST_PTO,
						  false, t.now));
	KUNIT_EXPECT_EQ(test, t.p.n, ARRAY_SIZE(second));
	KUNIT_EXPECT_MEMEQ(test, t.p.probe, second, sizeof(second));
	mptun_pmtu_test_round(&t);
	KUNIT_EXPECT_EQ(test, t.p.size, 1400U);
	t.now = mptun_pmtu_deadline(&t.p);
	KUNIT_EXPECT_TRUE(test, mptun_pmtu_expire(&t.p, 199,
						  MPTUN_PMTU_TEST_PTO, false,
						  t.now));
	KUNIT_EXPECT_EQ(test, t.p.n, ARRAY_SIZE(third));
	KUNIT_EXPECT_MEMEQ(test, t.p.probe, third, sizeof(third));
	mptun_pmtu_test_round(&t);
	KUNIT_EXPECT_EQ(test, t.p.size, 1420U);
	KUNIT_EXPECT_EQ(test, t.p.state, MPTUN_PMTU_STATE_SEARCH);
	mptun_pmtu_test_run(&t, MSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, t.p.size, 1420U);
	KUNIT_EXPECT_EQ(test, t.p.above, 1424U);
	KUNIT_EXPECT_EQ(test, t.p.state, MPTUN_PMTU_STATE_COMPLETE);
}

/* Each size is found to four bytes: after three rounds the path uses it. */
static void mptun_pmtu_test_exact(struct kunit *test)
{
	struct mptun_pmtu_test t;
	u32 carries;

	for (carries = 1280; carries <= 1500; carries++) {
		mptun_pmtu_test_link(&t, MPTUN_PMTU_TEST_LINK, carries);
		while (!t.p.searched)
			mptun_pmtu_test_run(&t, 1);
		/* The next one has begun. */
		KUNIT_EXPECT_LE(test, t.rounds, MPTUN_PMTU_FIRST + 1);
		KUNIT_EXPECT_LE(test, t.p.size, carries);
		KUNIT_EXPECT_GT(test, t.p.size + MPTUN_PMTU_STEP, carries);
		mptun_pmtu_test_run(&t, MSEC_PER_SEC);
		KUNIT_EXPECT_EQ(test, t.p.state, MPTUN_PMTU_STATE_COMPLETE);
		KUNIT_EXPECT_LE(test, t.rounds, 6U);
		KUNIT_EXPECT_LE(test, t.sent, 40U);
	}
	/* the usual ones exactly */
	for (carries = 1400; carries <= 1500; carries += 100) {
		mptun_pmtu_test_link(&t, 9000, carries);
		mptun_pmtu_test_run(&t, 3 * MSEC_PER_SEC);
		KUNIT_EXPECT_GT(test, t.p.size + MPTUN_PMTU_STEP, carries);
		KUNIT_EXPECT_EQ(test, t.p.state, MPTUN_PMTU_STATE_COMPLETE);
	}
}

/* Below the base size there is an error, and the largest size is found. */
static void mptun_pmtu_test_error(struct kunit *test)
{
	struct mptun_pmtu_test t;
	u32 carries;

	for (carries = MPTUN_PMTU_MIN; carries < 1280; carries += 11) {
		mptun_pmtu_test_link(&t, MPTUN_PMTU_TEST_LINK, carries);
		mptun_pmtu_test_run(&t, MSEC_PER_SEC);
		KUNIT_EXPECT_EQ(test, t.p.state, MPTUN_PMTU_STATE_ERROR);
		KUNIT_EXPECT_TRUE(test, t.p.searched);
		KUNIT_EXPECT_LE(test, t.p.size, carries);
		KUNIT_EXPECT_GT(test, t.p.size + MPTUN_PMTU_STEP, carries);
	}
	/* The link recovers: the raise timer notices. */
	t.carries = 1500;
	t.used = true;
	mptun_pmtu_test_run(&t, 600 * MSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, t.p.size, 1500U);
	KUNIT_EXPECT_EQ(test, t.p.state, MPTUN_PMTU_STATE_COMPLETE);
}

/* Random loss delays the search, but does not make a size smaller: at 5 % three
 * probes of a size get lost once in 8000 times, and a search probes a few sizes
 * that pass.
 */
static void mptun_pmtu_test_loss(struct kunit *test)
{
	unsigned int wrong = 0, i;
	struct mptun_pmtu_test t;

	for (i = 0; i < 10000; i++) {
		mptun_pmtu_test_link(&t, MPTUN_PMTU_TEST_LINK, 1400 + i % 101);
		t.random = i;
		t.loss = 50;
		mptun_pmtu_test_run(&t, 2 * MSEC_PER_SEC);
		wrong += t.p.size + MPTUN_PMTU_STEP <= t.carries;
		KUNIT_EXPECT_LE(test, t.p.size, t.carries);
		KUNIT_EXPECT_EQ(test, t.p.state, MPTUN_PMTU_STATE_COMPLETE);
	}
	KUNIT_EXPECT_LE(test, wrong, 4U);
}

/* Doubt is examined at its time, unless data refutes it before. */
static void mptun_pmtu_test_doubt(struct kunit *test)
{
	struct mptun_pmtu_test t;
	u64 at;

	mptun_pmtu_test_link(&t, MPTUN_PMTU_TEST_LINK, 1500);
	mptun_pmtu_test_run(&t, MSEC_PER_SEC);
	at = t.now + MPTUN_PMTU_DOUBT_NS;
	mptun_pmtu_doubt(&t.p, 1500, at);
	KUNIT_EXPECT_EQ(test, mptun_pmtu_deadline(&t.p), at);
	mptun_pmtu_doubt(&t.p, 1500, at + 1);
	KUNIT_EXPECT_EQ(test, mptun_pmtu_deadline(&t.p), at);
	mptun_pmtu_passes(&t.p, t.now);
	KUNIT_EXPECT_EQ(test, mptun_pmtu_deadline(&t.p), U64_MAX);
	/* Small packets, and sizes no longer in use, do not count. */
	mptun_pmtu_doubt(&t.p, MPTUN_PMTU_MIN, at);
	mptun_pmtu_doubt(&t.p, 1501, at);
	KUNIT_EXPECT_EQ(test, mptun_pmtu_deadline(&t.p), U64_MAX);

	/* One round, as the first probe is answered */
	mptun_pmtu_doubt(&t.p, 1500, at);
	mptun_pmtu_test_until(&t, at);
	KUNIT_EXPECT_EQ(test, t.rounds, 2U);
	KUNIT_EXPECT_EQ(test, t.sent, 3U + 3U);
	KUNIT_EXPECT_EQ(test, t.p.size, 1500U);
	/* and a pause */
	mptun_pmtu_doubt(&t.p, 1500, t.now);
	KUNIT_EXPECT_EQ(test, mptun_pmtu_deadline(&t.p),
			t.now + MPTUN_PMTU_CALM_NS);
}

/* A hole is found in four rounds; the base size carries data at once, and the
 * new size is known within half a second.
 */
static void mptun_pmtu_test_hole(struct kunit *test)
{
	struct mptun_pmtu_test t;
	u64 began;

	mptun_pmtu_test_link(&t, MPTUN_PMTU_TEST_LINK, 1500);
	mptun_pmtu_test_run(&t, MSEC_PER_SEC);
	t.carries = 1400;
	began = t.now;
	mptun_pmtu_doubt(&t.p, 1472, began);
	while (t.p.size == 1500)
		mptun_pmtu_test_run(&t, 1);
	KUNIT_EXPECT_EQ(test, t.rounds, 1 + MPTUN_PMTU_PROVED + 1);
	KUNIT_EXPECT_LE(test, t.now - began, 250 * NSEC_PER_MSEC);
	KUNIT_EXPECT_FALSE(test, t.p.searched);
	mptun_pmtu_test_run(&t, MSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, t.p.size, 1400U);
	KUNIT_EXPECT_EQ(test, t.p.state, MPTUN_PMTU_STATE_COMPLETE);

	/* a second one, below the base size */
	t.carries = 1000;
	mptun_pmtu_doubt(&t.p, 1400, t.now);
	mptun_pmtu_test_run(&t, MSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, t.p.state, MPTUN_PMTU_STATE_ERROR);
	KUNIT_EXPECT_LE(test, t.p.size, 1000U);
	KUNIT_EXPECT_GT(test, t.p.size + MPTUN_PMTU_STEP, 1000U);
}

/* Neither random loss, nor congestion that drops half of the large packets,
 * looks like a hole, although no data refutes the doubt here.
 */
static void mptun_pmtu_test_no_hole(struct kunit *test)
{
	unsigned int holes = 0, i;
	struct mptun_pmtu_test t;

	for (i = 0; i < 10000; i++) {
		mptun_pmtu_test_link(&t, MPTUN_PMTU_TEST_LINK, 1500);
		mptun_pmtu_test_run(&t, MSEC_PER_SEC);
		t.random = i;
		t.loss = 50;
		mptun_pmtu_doubt(&t.p, 1500, t.now);
		while (mptun_pmtu_deadline(&t.p) != U64_MAX &&
		       t.p.size == 1500)
			mptun_pmtu_test_run(&t, 1);
		holes += t.p.size != 1500;
	}
	KUNIT_EXPECT_LE(test, holes, 1U);
	for (i = 0, holes = 0; i < 1000; i++) {
		mptun_pmtu_test_link(&t, MPTUN_PMTU_TEST_LINK, 1500);
		mptun_pmtu_test_run(&t, MSEC_PER_SEC);
		t.random = i;
		t.large_loss = 500;
		mptun_pmtu_doubt(&t.p, 1500, t.now);
		/* Data of full size arrives between two rounds. */
		mptun_pmtu_test_run(&t, 120);
		mptun_pmtu_passes(&t.p, t.now);
		holes += t.p.size != 1500;
	}
	KUNIT_EXPECT_EQ(test, holes, 0U);
}

/* A path without any answer keeps its size, which cannot be the cause. */
static void mptun_pmtu_test_dead(struct kunit *test)
{
	struct mptun_pmtu_test t;

	mptun_pmtu_test_link(&t, MPTUN_PMTU_TEST_LINK, 1500);
	mptun_pmtu_test_run(&t, MSEC_PER_SEC);
	t.carries = 0;
	mptun_pmtu_doubt(&t.p, 1500, t.now);
	mptun_pmtu_test_run(&t, 60 * MSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, t.rounds, 1 + MPTUN_PMTU_SILENT);
	KUNIT_EXPECT_EQ(test, t.p.size, 1500U);
	KUNIT_EXPECT_EQ(test, mptun_pmtu_deadline(&t.p), U64_MAX);
}

/* Whatever a forged message claims, the path keeps its size, after one round.
 */
static void mptun_pmtu_test_forged(struct kunit *test)
{
	static const u32 claims[] = {
		0, 68, 576, 1279, 1280, 1281, 1400, 1499
	};
	struct mptun_pmtu_test t;
	unsigned int i, rounds;

	mptun_pmtu_test_link(&t, MPTUN_PMTU_TEST_LINK, 1500);
	mptun_pmtu_test_run(&t, MSEC_PER_SEC);
	for (i = 0; i < ARRAY_SIZE(claims); i++) {
		rounds = t.rounds;
		mptun_pmtu_claim(&t.p, claims[i], t.now);
		KUNIT_EXPECT_EQ(test, mptun_pmtu_deadline(&t.p), t.now);
		mptun_pmtu_test_run(&t, 1);
		KUNIT_EXPECT_EQ(test, t.rounds, rounds + 1);
		KUNIT_EXPECT_EQ(test, t.p.size, 1500U);
		/* not again at once */
		mptun_pmtu_claim(&t.p, claims[i], t.now);
		KUNIT_EXPECT_EQ(test, mptun_pmtu_deadline(&t.p), U64_MAX);
		t.now += MPTUN_PMTU_AGAIN_NS;
	}
}

/* An honest message is believed after three rounds, and the path has its size
 * at once.
 */
static void mptun_pmtu_test_honest(struct kunit *test)
{
	struct mptun_pmtu_test t;

	mptun_pmtu_test_link(&t, MPTUN_PMTU_TEST_LINK, 1500);
	mptun_pmtu_test_run(&t, MSEC_PER_SEC);
	t.carries = 1415;
	mptun_pmtu_claim(&t.p, 1415, t.now);
	while (t.p.size == 1500)
		mptun_pmtu_test_run(&t, 1);
	KUNIT_EXPECT_EQ(test, t.rounds, 1 + MPTUN_PMTU_PROBES + 1);
	KUNIT_EXPECT_EQ(test, t.p.size, 1415U);
	/* During a search a message saves a round. */
	mptun_pmtu_test_link(&t, MPTUN_PMTU_TEST_LINK, 1417);
	mptun_pmtu_claim(&t.p, 1417, t.now);
	mptun_pmtu_test_run(&t, 1);
	KUNIT_EXPECT_EQ(test, t.p.size, 1417U);
	/* No message makes a path smaller than the base size. */
	mptun_pmtu_test_run(&t, 2 * MSEC_PER_SEC);
	t.carries = 1280;
	mptun_pmtu_claim(&t.p, 576, t.now);
	mptun_pmtu_test_run(&t, MSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, t.p.size, MPTUN_PMTU_BASE);
}

/* The link counts at once if it is smaller, also below the base size; a larger
 * one is searched.
 */
static void mptun_pmtu_test_route(struct kunit *test)
{
	struct mptun_pmtu_test t;

	mptun_pmtu_test_link(&t, MPTUN_PMTU_TEST_LINK, 9000);
	mptun_pmtu_test_run(&t, MSEC_PER_SEC);
	KUNIT_EXPECT_FALSE(test, mptun_pmtu_route(&t.p, 1500, t.now));
	KUNIT_EXPECT_TRUE(test, mptun_pmtu_route(&t.p, 1000, t.now));
	KUNIT_EXPECT_EQ(test, t.p.size, 1000U);
	KUNIT_EXPECT_EQ(test, t.p.state, MPTUN_PMTU_STATE_COMPLETE);
	mptun_pmtu_route(&t.p, 1420, t.now);
	KUNIT_EXPECT_EQ(test, t.p.size, 1000U);
	mptun_pmtu_test_run(&t, 1);
	KUNIT_EXPECT_EQ(test, t.p.size, 1420U);
	mptun_pmtu_route(&t.p, 9000, t.now);
	mptun_pmtu_test_run(&t, 1);
	KUNIT_EXPECT_EQ(test, t.p.size, 9000U);
	/* in the middle of an examination */
	mptun_pmtu_claim(&t.p, 1300, t.now + 2 * MPTUN_PMTU_AGAIN_NS);
	mptun_pmtu_route(&t.p, 1400, t.now);
	KUNIT_EXPECT_EQ(test, t.p.size, 1400U);
	KUNIT_EXPECT_EQ(test, mptun_pmtu_deadline(&t.p), U64_MAX);
	/* before anything is known */
	mptun_pmtu_init(&t.p, 1000);
	KUNIT_EXPECT_EQ(test, t.p.size, 1000U);
	mptun_pmtu_route(&t.p, 9000, t.now);
	KUNIT_EXPECT_EQ(test, t.p.size, MPTUN_PMTU_BASE);
	KUNIT_EXPECT_EQ(test, mptun_pmtu_deadline(&t.p), U64_MAX);
}

/* The raise timer searches on a path that carries data, and only there. */
static void mptun_pmtu_test_raise(struct kunit *test)
{
	struct mptun_pmtu_test t;
	unsigned int rounds;

	mptun_pmtu_test_link(&t, MPTUN_PMTU_TEST_LINK, 1400);
	mptun_pmtu_test_run(&t, MSEC_PER_SEC);
	rounds = t.rounds;
	t.carries = 1500;
	mptun_pmtu_test_run(&t, 3600 * MSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, t.rounds, rounds);
	KUNIT_EXPECT_EQ(test, t.p.size, 1400U);
	t.used = true;
	/* A doubt that is refuted does not delay it. */
	mptun_pmtu_test_run(&t, 300 * MSEC_PER_SEC);
	mptun_pmtu_doubt(&t.p, 1400, t.now);
	mptun_pmtu_test_run(&t, 300 * MSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, t.rounds, rounds + 2);
	KUNIT_EXPECT_EQ(test, t.p.size, 1500U);
}

/* Only the tokens of the round count, and only while it lasts. */
static void mptun_pmtu_test_tokens(struct kunit *test)
{
	struct mptun_pmtu_test t;

	mptun_pmtu_test_link(&t, 1300, 1300);
	KUNIT_EXPECT_FALSE(test, mptun_pmtu_answered(&t.p, 0, t.now));
	mptun_pmtu_expire(&t.p, 50, MPTUN_PMTU_TEST_PTO, false, t.now);
	KUNIT_EXPECT_EQ(test, t.p.n, 2U);
	KUNIT_EXPECT_FALSE(test, mptun_pmtu_answered(&t.p, 49, t.now));
	KUNIT_EXPECT_FALSE(test, mptun_pmtu_answered(&t.p, 53, t.now));
	KUNIT_EXPECT_TRUE(test, mptun_pmtu_answered(&t.p, 52, t.now));
	KUNIT_EXPECT_EQ(test, t.p.size, 1280U);
	KUNIT_EXPECT_TRUE(test, mptun_pmtu_answered(&t.p, 50, t.now));
	KUNIT_EXPECT_EQ(test, t.p.size, 1300U);
	KUNIT_EXPECT_FALSE(test, mptun_pmtu_answered(&t.p, 50, t.now));
}

static struct kunit_case mptun_pmtu_test_cases[] = {
	KUNIT_CASE(mptun_pmtu_test_clean),
	KUNIT_CASE(mptun_pmtu_test_sizes),
	KUNIT_CASE(mptun_pmtu_test_exact),
	KUNIT_CASE(mptun_pmtu_test_error),
	KUNIT_CASE(mptun_pmtu_test_loss),
	KUNIT_CASE(mptun_pmtu_test_doubt),
	KUNIT_CASE(mptun_pmtu_test_hole),
	KUNIT_CASE(mptun_pmtu_test_no_hole),
	KUNIT_CASE(mptun_pmtu_test_dead),
	KUNIT_CASE(mptun_pmtu_test_forged),
	KUNIT_CASE(mptun_pmtu_test_honest),
	KUNIT_CASE(mptun_pmtu_test_route),
	KUNIT_CASE(mptun_pmtu_test_raise),
	KUNIT_CASE(mptun_pmtu_test_tokens),
	{}
};

static struct kunit_suite mptun_pmtu_test_suite = {
	.name = "mptun_pmtu",
	.test_cases = mptun_pmtu_test_cases,
};

kunit_test_suite(mptun_pmtu_test_suite);
