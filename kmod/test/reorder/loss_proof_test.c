// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the loss proofs of one path.
 */
#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/vmalloc.h>

#include "reorder/loss_proof.h"

#define MPTUN_LOSS_PROOF_TEST_PN	0xfffffff0ULL
#define MPTUN_LOSS_PROOF_TEST_DSN	0xffffffe0U
#define MPTUN_LOSS_PROOF_TEST_OUT	4

/**
 * struct mptun_loss_proof_test - a path under test
 * @e: its state
 * @out: gaps of the last call
 * @n: their number
 * @now: the clock in ns
 * @dsn_step: distance of the dsns of the path
 */
struct mptun_loss_proof_test {
	struct mptun_loss_proof e;
	struct mptun_gap out[MPTUN_LOSS_PROOF_TEST_OUT];
	unsigned int n;
	u64 now;
	u32 dsn_step;
};

static void mptun_loss_proof_test_init(struct mptun_loss_proof_test *t)
{
	memset(t, 0, sizeof(*t));
	mptun_loss_proof_init(&t->e);
	t->now = 0xffffffffULL * NSEC_PER_USEC - NSEC_PER_MSEC;
	t->dsn_step = 3;
}

/* Packet @i of the path arrives, being first transmission number @first. */
static void mptun_loss_proof_test_packet(struct mptun_loss_proof_test *t, u32 i,
					 u32 first, bool copy)
{
	struct mptun_arrival a = {
		.pn = MPTUN_LOSS_PROOF_TEST_PN + i,
		.dsn = MPTUN_LOSS_PROOF_TEST_DSN + first * t->dsn_step,
		.fseq = 250 + first,
		.copy = copy,
	};

	t->now += 100 * NSEC_PER_USEC;
	t->n = mptun_loss_proof_receive(&t->e, &a, t->now, t->out,
					ARRAY_SIZE(t->out));
}

/* A path without copies: every number is a first transmission. */
static void mptun_loss_proof_test_arrive(struct mptun_loss_proof_test *t, u32 i)
{
	mptun_loss_proof_test_packet(t, i, i, false);
}

static void mptun_loss_proof_test_gap(struct kunit *test,
				      const struct mptun_loss_proof_test *t,
				      u32 which, u32 after, u32 before,
				      u32 lost)
{
	const struct mptun_gap *b = &t->out[which];

	KUNIT_ASSERT_LT(test, which, t->n);
	KUNIT_EXPECT_EQ(test, b->after,
			MPTUN_LOSS_PROOF_TEST_DSN + after * t->dsn_step);
	KUNIT_EXPECT_EQ(test, b->before,
			MPTUN_LOSS_PROOF_TEST_DSN + before * t->dsn_step);
	KUNIT_EXPECT_EQ(test, b->lost, lost);
}

static void mptun_loss_proof_test_order(struct kunit *test)
{
	struct mptun_loss_proof_test t;
	u32 i, total = 0;

	mptun_loss_proof_test_init(&t);
	KUNIT_EXPECT_EQ(test, mptun_loss_proof_deadline(&t.e, t.now), U64_MAX);
	for (i = 0; i < 5000; i++) {
		mptun_loss_proof_test_arrive(&t, i);
		total += t.n;
	}
	KUNIT_EXPECT_EQ(test, total, 0U);
	KUNIT_EXPECT_EQ(test, mptun_loss_proof_deadline(&t.e, t.now), U64_MAX);
}

/* The third packet after a loss proves it, no earlier one. */
static void mptun_loss_proof_test_loss(struct kunit *test)
{
	struct mptun_loss_proof_test t;
	u32 i;

	mptun_loss_proof_test_init(&t);
	for (i = 0; i < 10; i++)
		mptun_loss_proof_test_arrive(&t, i);
	mptun_loss_proof_test_arrive(&t, 12);
	KUNIT_EXPECT_EQ(test, t.n, 0U);
	mptun_loss_proof_test_arrive(&t, 13);
	KUNIT_EXPECT_EQ(test, t.n, 0U);
	mptun_loss_proof_test_arrive(&t, 14);
	KUNIT_EXPECT_EQ(test, t.n, 1U);
	mptun_loss_proof_test_gap(test, &t, 0, 9, 12, 2);

	/* two losses, the second next to the packet that proves the first */
	mptun_loss_proof_test_arrive(&t, 16);
	mptun_loss_proof_test_arrive(&t, 17);
	mptun_loss_proof_test_arrive(&t, 19);
	mptun_loss_proof_test_gap(test, &t, 0, 14, 16, 1);
	mptun_loss_proof_test_arrive(&t, 20);
	KUNIT_EXPECT_EQ(test, t.n, 0U);
	mptun_loss_proof_test_arrive(&t, 21);
	mptun_loss_proof_test_gap(test, &t, 0, 17, 19, 1);
}

/* Reordering within the tolerance is no loss. */
static void mptun_loss_proof_test_reorder(struct kunit *test)
{
	static const u8 order[] = { 0, 2, 1, 3, 5, 6, 4, 8, 7, 10, 9, 11, 12 };
	struct mptun_loss_proof_test t;
	u32 i, total = 0;

	mptun_loss_proof_test_init(&t);
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		mptun_loss_proof_test_arrive(&t, order[i]);
		total += t.n;
	}
	KUNIT_EXPECT_EQ(test, total, 0U);
	KUNIT_EXPECT_EQ(test, t.e.runs, 1);

	/* a loss is still proved, and exactly */
	for (i = 14; i < 18; i++) {
		mptun_loss_proof_test_arrive(&t, i);
		total += t.n;
	}
	KUNIT_EXPECT_EQ(test, total, 1U);
}

/* Late packets widen the tolerances; without any they shrink. */
static void mptun_loss_proof_test_learn(struct kunit *test)
{
	struct mptun_loss_proof_test t;
	u32 i, packets, us;

	mptun_loss_proof_test_init(&t);
	for (i = 0; i < 10; i++)
		mptun_loss_proof_test_arrive(&t, i);
	for (i = 11; i < 51; i++)
		mptun_loss_proof_test_arrive(&t, i);
	mptun_loss_proof_test_arrive(&t, 10);
	packets = t.e.packets;
	us = t.e.us;
	/* half way to 40 packets, 4 ms and a quarter more */
	KUNIT_EXPECT_GE(test, packets, 25U);
	KUNIT_EXPECT_LE(test, packets, 50U);
	KUNIT_EXPECT_GE(test, us, 2000U);
	KUNIT_EXPECT_LE(test, us, 5000U);

	/* twelve packets late are tolerated now */
	for (i = 52; i < 64; i++) {
		mptun_loss_proof_test_arrive(&t, i);
		KUNIT_EXPECT_EQ(test, t.n, 0U);
	}
	mptun_loss_proof_test_arrive(&t, 51);
	KUNIT_EXPECT_EQ(test, t.n, 0U);

	for (i = 64; i < 64 + 60 * MPTUN_LOSS_PROOF_EPOCH; i++)
		mptun_loss_proof_test_arrive(&t, i);
	KUNIT_EXPECT_EQ(test, t.e.packets, (u32)MPTUN_LOSS_PROOF_PACKETS);
	KUNIT_EXPECT_EQ(test, t.e.us, 0U);
}

/* One straggler does not stop detection for long. */
static void mptun_loss_proof_test_straggler(struct kunit *test)
{
	struct mptun_loss_proof_test t;
	u32 i;

	mptun_loss_proof_test_init(&t);
	for (i = 0; i < 10; i++)
		mptun_loss_proof_test_arrive(&t, i);
	for (i = 11; i < 9000; i++)
		mptun_loss_proof_test_arrive(&t, i);
	mptun_loss_proof_test_arrive(&t, 10);
	KUNIT_EXPECT_LE(test, t.e.packets,
			(u32)MPTUN_LOSS_PROOF_PACKETS_MAX / 2 + 4);
	KUNIT_EXPECT_LE(test, t.e.us, (u32)MPTUN_LOSS_PROOF_US_MAX / 2 + 1);
}

/* Few packets follow: time proves the loss. */
static void mptun_loss_proof_test_flush(struct kunit *test)
{
	struct mptun_loss_proof_test t;
	u64 deadline, at;

	mptun_loss_proof_test_init(&t);
	mptun_loss_proof_test_arrive(&t, 0);
	mptun_loss_proof_test_arrive(&t, 2);
	at = t.now;
	mptun_loss_proof_test_arrive(&t, 3);
	deadline = mptun_loss_proof_deadline(&t.e, t.now);
	KUNIT_EXPECT_EQ(test, deadline,
			at + MPTUN_LOSS_PROOF_FLUSH_US * (u64)NSEC_PER_USEC);

	t.n = mptun_loss_proof_expire(&t.e, deadline - NSEC_PER_USEC, t.out,
				      ARRAY_SIZE(t.out));
	KUNIT_EXPECT_EQ(test, t.n, 0U);
	t.n = mptun_loss_proof_expire(&t.e, deadline, t.out, ARRAY_SIZE(t.out));
	mptun_loss_proof_test_gap(test, &t, 0, 0, 2, 1);
	KUNIT_EXPECT_EQ(test, mptun_loss_proof_deadline(&t.e, deadline),
			U64_MAX);
}

/* The clock goes back a little: no long time. */
static void mptun_loss_proof_test_back(struct kunit *test)
{
	struct mptun_loss_proof_test t;

	mptun_loss_proof_test_init(&t);
	mptun_loss_proof_test_arrive(&t, 0);
	mptun_loss_proof_test_arrive(&t, 2);
	t.now -= 103 * NSEC_PER_USEC;
	mptun_loss_proof_test_arrive(&t, 3);
	KUNIT_EXPECT_EQ(test, t.n, 0U);
	KUNIT_EXPECT_GT(test, mptun_loss_proof_deadline(&t.e, t.now), t.now);
	t.now -= 103 * NSEC_PER_USEC;
	mptun_loss_proof_test_arrive(&t, 1);
	KUNIT_EXPECT_EQ(test, t.e.us, 1U);
	KUNIT_EXPECT_EQ(test, t.e.runs, 1);
}

/* Copies take numbers, but are not counted. */
static void mptun_loss_proof_test_copies(struct kunit *test)
{
	struct mptun_loss_proof_test t;

	mptun_loss_proof_test_init(&t);
	mptun_loss_proof_test_packet(&t, 0, 0, false);
	/* 1 and 2 are lost copies */
	mptun_loss_proof_test_packet(&t, 3, 1, false);
	mptun_loss_proof_test_packet(&t, 4, 2, false);
	mptun_loss_proof_test_packet(&t, 5, 3, false);
	KUNIT_EXPECT_EQ(test, t.n, 0U);
	KUNIT_EXPECT_EQ(test, t.e.runs, 1);

	/* 6 is lost, 7 a copy, 8 a lost copy, 9 a first transmission */
	mptun_loss_proof_test_packet(&t, 7, 4, true);
	mptun_loss_proof_test_packet(&t, 9, 5, false);
	mptun_loss_proof_test_packet(&t, 10, 6, false);
	KUNIT_EXPECT_EQ(test, t.n, 0U);
	mptun_loss_proof_test_packet(&t, 11, 7, false);
	KUNIT_EXPECT_EQ(test, t.n, 1U);
	mptun_loss_proof_test_gap(test, &t, 0, 3, 5, 1);
	KUNIT_EXPECT_EQ(test, t.e.runs, 1);
}

/* A path that starts with copies has no lower end of a gap. */
static void mptun_loss_proof_test_copies_first(struct kunit *test)
{
	struct mptun_loss_proof_test t;
	u32 i;

	mptun_loss_proof_test_init(&t);
	mptun_loss_proof_test_packet(&t, 0, 0, true);
	mptun_loss_proof_test_packet(&t, 1, 0, true);
	/* 2 is lost */
	for (i = 3; i < 7; i++) {
		mptun_loss_proof_test_packet(&t, i, i - 1, false);
		KUNIT_EXPECT_EQ(test, t.n, 0U);
	}
	/* 7 is lost */
	for (i = 8; i < 11; i++)
		mptun_loss_proof_test_packet(&t, i, i - 1, false);
	mptun_loss_proof_test_gap(test, &t, 0, 5, 7, 1);
}

/* The first run exceeds 16 bits: gaps above it are still filled and proved. */
static void mptun_loss_proof_test_grown(struct kunit *test)
{
	struct mptun_loss_proof_test t;
	u32 i, total = 0;

	mptun_loss_proof_test_init(&t);
	for (i = 0; i < 140000; i++) {
		/* two neighbours swapped, then four packets in order */
		mptun_loss_proof_test_arrive(&t, i % 6 < 2 ? i ^ 1 : i);
		total += t.n;
	}
	KUNIT_EXPECT_EQ(test, total, 0U);
	KUNIT_EXPECT_EQ(test, t.e.runs, 1);
	KUNIT_EXPECT_LE(test, t.e.packets, (u32)MPTUN_LOSS_PROOF_PACKETS);
}

/* Gaps longer than fseq can count. */
static void mptun_loss_proof_test_long(struct kunit *test)
{
	static const u32 gap[] = { 200, 255, 256, 257, 1000, 9000 };
	struct mptun_loss_proof_test t;
	u32 i, k, at;

	for (k = 0; k < ARRAY_SIZE(gap); k++) {
		mptun_loss_proof_test_init(&t);
		mptun_loss_proof_test_arrive(&t, 0);
		at = 1 + gap[k];
		for (i = 0; i < 3; i++)
			mptun_loss_proof_test_arrive(&t, at + i);
		KUNIT_EXPECT_EQ(test, t.n, 1U);
		mptun_loss_proof_test_gap(test, &t, 0, 0, at, gap[k]);
	}

	/* too far apart for a proof */
	mptun_loss_proof_test_init(&t);
	mptun_loss_proof_test_arrive(&t, 0);
	for (i = 0; i < 10; i++) {
		mptun_loss_proof_test_arrive(&t, 100000 + i);
		KUNIT_EXPECT_EQ(test, t.n, 0U);
	}
}

/* With copies in use, many missing numbers may hold any number of them. */
static void mptun_loss_proof_test_ambiguous(struct kunit *test)
{
	struct mptun_loss_proof_test t;
	u32 i;

	mptun_loss_proof_test_init(&t);
	t.dsn_step = 100;
	mptun_loss_proof_test_packet(&t, 0, 0, false);
	mptun_loss_proof_test_packet(&t, 1, 0, true);
	/* 600 numbers, 88 + 2 * 256 or 88 + 256 or only 88 of them counted */
	for (i = 0; i < 5; i++) {
		mptun_loss_proof_test_packet(&t, 602 + i, 89 + i, false);
		KUNIT_EXPECT_EQ(test, t.n, 0U);
	}
	/* successors are not affected */
	for (i = 6; i < 9; i++)
		mptun_loss_proof_test_packet(&t, 602 + i, 89 + i, false);
	mptun_loss_proof_test_gap(test, &t, 0, 93, 95, 1);
}

/* Contradictory ends prove nothing. */
static void mptun_loss_proof_test_nonsense(struct kunit *test)
{
	struct mptun_loss_proof_test t;
	u32 i;

	mptun_loss_proof_test_init(&t);
	mptun_loss_proof_test_packet(&t, 0, 0, false);
	for (i = 0; i < 5; i++) {
		/* five losses in two numbers */
		mptun_loss_proof_test_packet(&t, 3 + i, 6 + i, false);
		KUNIT_EXPECT_EQ(test, t.n, 0U);
	}

	/* more losses than dsns between the ends */
	mptun_loss_proof_test_init(&t);
	t.dsn_step = 1;
	mptun_loss_proof_test_packet(&t, 0, 0, false);
	t.dsn_step = 0;
	for (i = 0; i < 5; i++) {
		mptun_loss_proof_test_packet(&t, 3 + i, 3 + i, false);
		KUNIT_EXPECT_EQ(test, t.n, 0U);
	}
}

/* More gaps than fit: the rest follows with the next call. */
static void mptun_loss_proof_test_room(struct kunit *test)
{
	struct mptun_loss_proof_test t;
	u32 i, total = 0;

	mptun_loss_proof_test_init(&t);
	t.e.packets = 1000;
	t.e.us = 100000;
	for (i = 0; i < 20; i += 2)
		mptun_loss_proof_test_arrive(&t, i);
	KUNIT_EXPECT_EQ(test, t.e.runs, 10);
	t.now += NSEC_PER_SEC;
	for (i = 0; i < 5; i++) {
		KUNIT_EXPECT_EQ(test, mptun_loss_proof_deadline(&t.e, t.now),
				total < 9 ? t.now : U64_MAX);
		t.n = mptun_loss_proof_expire(&t.e, t.now, t.out, 2);
		if (t.n)
			mptun_loss_proof_test_gap(test, &t, 0, 4 * i,
						  4 * i + 2, 1);
		total += t.n;
	}
	KUNIT_EXPECT_EQ(test, total, 9U);
}

/* More runs than fit: the oldest are dropped, no others. */
static void mptun_loss_proof_test_overflow(struct kunit *test)
{
	struct mptun_loss_proof_test t;
	u32 i, next = 0;

	mptun_loss_proof_test_init(&t);
	t.e.packets = 1000;
	t.e.us = 100000;
	for (i = 0; i <= 200; i += 2)
		mptun_loss_proof_test_arrive(&t, i);
	KUNIT_EXPECT_EQ(test, t.e.runs, MPTUN_LOSS_PROOF_RUNS);
	next = 202 - 2 * MPTUN_LOSS_PROOF_RUNS;
	t.now += NSEC_PER_SEC;
	for (;;) {
		t.n = mptun_loss_proof_expire(&t.e, t.now, t.out, 1);
		if (!t.n)
			break;
		mptun_loss_proof_test_gap(test, &t, 0, next, next + 2, 1);
		next += 2;
	}
	KUNIT_EXPECT_EQ(test, next, 200U);
}

/* The age counts from the earliest packet above, by time. */
static void mptun_loss_proof_test_since(struct kunit *test)
{
	struct mptun_loss_proof_test t;
	u64 at;

	mptun_loss_proof_test_init(&t);
	mptun_loss_proof_test_arrive(&t, 0);
	mptun_loss_proof_test_arrive(&t, 7);
	at = t.now;
	t.now += NSEC_PER_MSEC;
	mptun_loss_proof_test_arrive(&t, 5);
	t.now += NSEC_PER_MSEC;
	t.e.packets = 100;
	t.e.us = 0;
	mptun_loss_proof_test_arrive(&t, 6);
	KUNIT_EXPECT_EQ(test, t.e.runs, 2);
	KUNIT_EXPECT_EQ(test, mptun_loss_proof_deadline(&t.e, t.now),
			at + max_t(u64, 2 * t.e.us, MPTUN_LOSS_PROOF_FLUSH_US) *
			NSEC_PER_USEC);
}

/* Each loss between two arrivals is in exactly one gap with the right number,
 * and gaps do not overlap.
 */
static void mptun_loss_proof_test_random_run(struct kunit *test, u32 seed)
{
	u32 i, first = 0, lost = 0, proved = 0, wrong = 0, k, pending = 0;
	struct mptun_loss_proof_test *t = vzalloc(sizeof(*t));
	u32 *losses = vzalloc(100001 * sizeof(*losses));
	struct rnd_state rnd;
	bool copy;

	KUNIT_ASSERT_TRUE(test, t && losses);
	prandom_seed_state(&rnd, seed);
	mptun_loss_proof_test_init(t);
	t->dsn_step = 1;
	for (i = 0; i < 100000; i++) {
		copy = prandom_u32_state(&rnd) % 8 == 0 && seed % 2;
		first += !copy;
		losses[first] = lost + pending;
		if (i && prandom_u32_state(&rnd) % 100 < 5 * seed) {
			pending += !copy;
			continue;
		}
		lost += pending;
		pending = 0;
		losses[first] = lost;
		mptun_loss_proof_test_packet(t, i, first, copy);
		for (k = 0; k < t->n; k++) {
			u32 a = t->out[k].after - MPTUN_LOSS_PROOF_TEST_DSN;
			u32 b = t->out[k].before - MPTUN_LOSS_PROOF_TEST_DSN;

			wrong += losses[b] - losses[a] != t->out[k].lost;
			proved += t->out[k].lost;
		}
	}
	KUNIT_EXPECT_EQ(test, wrong, 0U);
	KUNIT_EXPECT_LE(test, proved, lost);
	KUNIT_EXPECT_LE(test, lost - proved, 20U);
	KUNIT_EXPECT_GE(test, proved, 1000U);
	vfree(losses);
	vfree(t);
}

static void mptun_loss_proof_test_random(struct kunit *test)
{
	u32 seed;

	for (seed = 1; seed <= 8; seed++)
		mptun_loss_proof_test_random_run(test, seed);
}

/* Arbitrary numbers do no harm: state is bounded and gaps are consistent. */
static void mptun_loss_proof_test_garbage(struct kunit *test)
{
	u64 pn = MPTUN_LOSS_PROOF_TEST_PN;
	struct mptun_loss_proof_test t;
	struct mptun_arrival a;
	struct rnd_state rnd;
	u32 i, k, wrong = 0;

	prandom_seed_state(&rnd, 99);
	mptun_loss_proof_test_init(&t);
	for (i = 0; i < 200000; i++) {
		u32 dice = prandom_u32_state(&rnd);

		pn += dice % 8 ? dice % 7 : dice >> 16;
		a.pn = pn - (dice >> 8) % 600;
		a.dsn = prandom_u32_state(&rnd) >> (dice % 32);
		a.fseq = dice >> 12;
		a.copy = dice >> 31;
		t.now += (dice >> 4) % 2000 * (u64)NSEC_PER_USEC;
		t.n = mptun_loss_proof_receive(&t.e, &a, t.now, t.out,
					       ARRAY_SIZE(t.out));
		wrong += t.n > ARRAY_SIZE(t.out) || !t.e.runs ||
			 t.e.runs > MPTUN_LOSS_PROOF_RUNS ||
			 t.e.packets > MPTUN_LOSS_PROOF_PACKETS_MAX ||
			 t.e.us > MPTUN_LOSS_PROOF_US_MAX;
		for (k = 0; k < t.n; k++)
			wrong += !t.out[k].lost || t.out[k].lost >=
				 t.out[k].before - t.out[k].after;
	}
	KUNIT_EXPECT_EQ(test, wrong, 0U);
	KUNIT_EXPECT_LE(test, sizeof(t.e), (size_t)1024);
}

static struct kunit_case mptun_loss_proof_cases[] = {
	KUNIT_CASE(mptun_loss_proof_test_order),
	KUNIT_CASE(mptun_loss_proof_test_loss),
	KUNIT_CASE(mptun_loss_proof_test_reorder),
	KUNIT_CASE(mptun_loss_proof_test_learn),
	KUNIT_CASE(mptun_loss_proof_test_straggler),
	KUNIT_CASE(mptun_loss_proof_test_flush),
	KUNIT_CASE(mptun_loss_proof_test_back),
	KUNIT_CASE(mptun_loss_proof_test_copies),
	KUNIT_CASE(mptun_loss_proof_test_copies_first),
	KUNIT_CASE(mptun_loss_proof_test_grown),
	KUNIT_CASE(mptun_loss_proof_test_long),
	KUNIT_CASE(mptun_loss_proof_test_ambiguous),
	KUNIT_CASE(mptun_loss_proof_test_nonsense),
	KUNIT_CASE(mptun_loss_proof_test_room),
	KUNIT_CASE(mptun_loss_proof_test_overflow),
	KUNIT_CASE(mptun_loss_proof_test_since),
	KUNIT_CASE(mptun_loss_proof_test_random),
	KUNIT_CASE(mptun_loss_proof_test_garbage),
	{}
};

static struct kunit_suite mptun_loss_proof_suite = {
	.name = "mptun_loss_proof",
	.test_cases = mptun_loss_proof_cases,
};

kunit_test_suite(mptun_loss_proof_suite);
