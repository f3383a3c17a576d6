// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the DS fields with which packets pass a path.
 */
#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/prandom.h>
#include <linux/time64.h>

#include "recovery/dsfield.h"

#define MPTUN_DSFIELD_TEST_S	((u64)NSEC_PER_SEC)
#define MPTUN_DSFIELD_TEST_RTT	(40ULL * NSEC_PER_MSEC)
#define MPTUN_DSFIELD_TEST_PTO	(100ULL * NSEC_PER_MSEC)
#define MPTUN_DSFIELD_TEST_STEP	(10ULL * NSEC_PER_MSEC)

/* DSCP EF and CS1, with an ECN field */
#define MPTUN_DSFIELD_TEST_EF	0xb8
#define MPTUN_DSFIELD_TEST_CS1	0x20
#define MPTUN_DSFIELD_TEST_ECT_1	1
#define MPTUN_DSFIELD_TEST_ECT_0	2
#define MPTUN_DSFIELD_TEST_CE	3

/**
 * struct mptun_dsfield_test_probe - a probe on its way
 * @token: its token
 * @at: when it is answered, 0 if it is lost
 */
struct mptun_dsfield_test_probe {
	u64 token;
	u64 at;
};

/**
 * struct mptun_dsfield_test - a path
 * @d: what is known of it
 * @now: time in ns
 * @plain: DS field of control packets
 * @drops: packets with any of these bits in the DS field get lost
 * @slow: packets with any of these bits wait
 * @wait: that long
 * @loss: packets of 1000 that get lost at random
 * @dead: all get lost
 * @random: state of the generator
 * @probe: probes on their way
 * @next: index of the next one
 * @sent: probes so far
 */
struct mptun_dsfield_test {
	struct mptun_dsfield d;
	u64 now;
	u8 plain;
	u8 drops;
	u8 slow;
	u64 wait;
	u32 loss;
	bool dead;
	struct rnd_state random;
	struct mptun_dsfield_test_probe probe[256];
	unsigned int next;
	unsigned int sent;
};

static struct mptun_dsfield_test *mptun_dsfield_test_path(struct kunit *test)
{
	struct mptun_dsfield_test *t = kunit_kzalloc(test, sizeof(*t),
						     GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->now = 7 * MPTUN_DSFIELD_TEST_S;
	prandom_seed_state(&t->random, 1);
	return t;
}

static void mptun_dsfield_test_send(struct mptun_dsfield_test *t, u64 token,
				    u8 ds)
{
	struct mptun_dsfield_test_probe *p;

	p = &t->probe[t->next++ % ARRAY_SIZE(t->probe)];
	p->token = token;
	p->at = t->now + MPTUN_DSFIELD_TEST_RTT;
	if (ds & t->slow)
		p->at += t->wait;
	if (t->dead || (ds & t->drops) ||
	    prandom_u32_state(&t->random) % 1000 < t->loss)
		p->at = 0;
	t->sent++;
}

/* Time passes; answers arrive, and probes leave. */
static void mptun_dsfield_test_step(struct mptun_dsfield_test *t)
{
	struct mptun_dsfield_round round;
	unsigned int i;
	u64 token;

	t->now += MPTUN_DSFIELD_TEST_STEP;
	for (i = 0; i < ARRAY_SIZE(t->probe); i++) {
		if (!t->probe[i].at || t->probe[i].at > t->now)
			continue;
		t->probe[i].at = 0;
		mptun_dsfield_answered(&t->d, t->probe[i].token, t->now);
	}
	if (t->now < mptun_dsfield_deadline(&t->d))
		return;
	token = (u64)prandom_u32_state(&t->random) << 32 | 1000;
	if (!mptun_dsfield_expire(&t->d, token, MPTUN_DSFIELD_TEST_PTO, t->now,
				  &round))
		return;
	for (i = 0; i < round.n; i++)
		mptun_dsfield_test_send(t, round.token[i], round.ds[i]);
	mptun_dsfield_test_send(t, round.plain, t->plain);
}

/* Packets with a DS field for some time.  Returns how many had another one. */
static unsigned int mptun_dsfield_test_run(struct mptun_dsfield_test *t, u8 ds,
					   u64 time)
{
	u64 end = t->now + time;
	unsigned int other = 0;

	while (t->now < end) {
		other += mptun_dsfield_use(&t->d, ds, t->plain, t->now) != ds;
		mptun_dsfield_test_step(t);
	}
	return other;
}

/* The same; expects that none had. */
static void mptun_dsfield_test_none(struct kunit *test,
				    struct mptun_dsfield_test *t, u8 ds,
				    u64 seconds)
{
	KUNIT_EXPECT_EQ(test, mptun_dsfield_test_run(t, ds, seconds *
						     MPTUN_DSFIELD_TEST_S), 0);
}

static void mptun_dsfield_test_is(struct kunit *test,
				  struct mptun_dsfield_test *t, u8 ds, u8 as)
{
	KUNIT_EXPECT_EQ(test, mptun_dsfield_use(&t->d, ds, t->plain, t->now),
			as);
}

/* Packets with the DS field of control packets cost nothing. */
static void mptun_dsfield_test_plain(struct kunit *test)
{
	struct mptun_dsfield_test *t = mptun_dsfield_test_path(test);

	KUNIT_EXPECT_EQ(test, mptun_dsfield_deadline(&t->d), U64_MAX);
	t->plain = MPTUN_DSFIELD_TEST_EF;
	KUNIT_EXPECT_EQ(test,
			mptun_dsfield_test_run(t, t->plain,
					       MPTUN_DSFIELD_TEST_S), 0);
	KUNIT_EXPECT_EQ(test, t->sent, 0);
	KUNIT_EXPECT_EQ(test, mptun_dsfield_deadline(&t->d), U64_MAX);
}

/* One that passes is examined every two seconds, while it is used. */
static void mptun_dsfield_test_passes(struct kunit *test)
{
	struct mptun_dsfield_test *t = mptun_dsfield_test_path(test);
	u8 ds = MPTUN_DSFIELD_TEST_EF | MPTUN_DSFIELD_TEST_ECT_0;

	mptun_dsfield_test_none(test, t, ds, 60);
	KUNIT_EXPECT_GE(test, t->sent, 2 * 28);
	KUNIT_EXPECT_LE(test, t->sent, 2 * 31);

	mptun_dsfield_test_run(t, t->plain, 5 * MPTUN_DSFIELD_TEST_S);
	t->sent = 0;
	mptun_dsfield_test_run(t, t->plain, 60 * MPTUN_DSFIELD_TEST_S);
	KUNIT_EXPECT_EQ(test, t->sent, 0);
}

/* A path that drops ECT keeps the DSCP. */
static void mptun_dsfield_test_ect(struct kunit *test)
{
	struct mptun_dsfield_test *t = mptun_dsfield_test_path(test);
	u8 ds = MPTUN_DSFIELD_TEST_EF;

	t->drops = MPTUN_DSFIELD_TEST_CE;
	mptun_dsfield_test_run(t, ds | MPTUN_DSFIELD_TEST_ECT_0,
			       MPTUN_DSFIELD_PROBES * MPTUN_DSFIELD_TEST_PTO +
			       MPTUN_DSFIELD_TEST_STEP);
	mptun_dsfield_test_is(test, t, ds | MPTUN_DSFIELD_TEST_ECT_0, ds);
	mptun_dsfield_test_is(test, t, ds | MPTUN_DSFIELD_TEST_CE, ds);
	mptun_dsfield_test_is(test, t, ds, ds);
	/* The other one has not been examined. */
	mptun_dsfield_test_is(test, t, ds | MPTUN_DSFIELD_TEST_ECT_1,
			      ds | MPTUN_DSFIELD_TEST_ECT_1);
}

/* One that drops a DSCP loses both. */
static void mptun_dsfield_test_dscp(struct kunit *test)
{
	struct mptun_dsfield_test *t = mptun_dsfield_test_path(test);
	u8 ds = MPTUN_DSFIELD_TEST_EF | MPTUN_DSFIELD_TEST_ECT_0;

	t->plain = MPTUN_DSFIELD_TEST_CS1;
	t->drops = 0x80;
	mptun_dsfield_test_run(t, ds, MPTUN_DSFIELD_TEST_S);
	mptun_dsfield_test_is(test, t, ds, t->plain);
	mptun_dsfield_test_is(test, t, t->plain | MPTUN_DSFIELD_TEST_ECT_0,
			      t->plain | MPTUN_DSFIELD_TEST_ECT_0);
}

/* A path that changes is followed both ways. */
static void mptun_dsfield_test_changes(struct kunit *test)
{
	struct mptun_dsfield_test *t = mptun_dsfield_test_path(test);
	u8 ds = MPTUN_DSFIELD_TEST_ECT_1;

	mptun_dsfield_test_run(t, ds, 10 * MPTUN_DSFIELD_TEST_S);
	mptun_dsfield_test_is(test, t, ds, ds);
	t->drops = ds;
	mptun_dsfield_test_run(t, ds,
			       MPTUN_DSFIELD_AGAIN_NS + MPTUN_DSFIELD_TEST_S);
	mptun_dsfield_test_is(test, t, ds, 0);
	t->sent = 0;
	mptun_dsfield_test_run(t, ds, 10 * MPTUN_DSFIELD_RETRY_NS);
	mptun_dsfield_test_is(test, t, ds, 0);
	KUNIT_EXPECT_LE(test, t->sent, 2 * 10);
	t->drops = 0;
	mptun_dsfield_test_run(t, ds,
			       MPTUN_DSFIELD_RETRY_NS + MPTUN_DSFIELD_TEST_S);
	mptun_dsfield_test_is(test, t, ds, ds);
}

/* Random loss and a dead path refuse nothing. */
static void mptun_dsfield_test_loss(struct kunit *test)
{
	struct mptun_dsfield_test *t = mptun_dsfield_test_path(test);
	u8 ds = MPTUN_DSFIELD_TEST_ECT_0;

	t->loss = 50;
	mptun_dsfield_test_none(test, t, ds, 1000);
	t->dead = true;
	mptun_dsfield_test_none(test, t, ds, 100);
	t->dead = false;
	mptun_dsfield_test_none(test, t, ds, 100);
}

/* A slow queue refuses nothing for longer than a packet waits there. */
static void mptun_dsfield_test_slow(struct kunit *test)
{
	struct mptun_dsfield_test *t = mptun_dsfield_test_path(test);
	u8 ds = MPTUN_DSFIELD_TEST_CS1;

	t->slow = ds;
	t->wait = 200ULL * NSEC_PER_MSEC;
	mptun_dsfield_test_none(test, t, ds, 100);
	t->wait = MPTUN_DSFIELD_TEST_S;
	mptun_dsfield_test_run(t, ds, 3 * MPTUN_DSFIELD_TEST_S);
	t->wait = 0;
	mptun_dsfield_test_run(t, ds, 3 * MPTUN_DSFIELD_TEST_S);
	mptun_dsfield_test_none(test, t, ds, 100);
}

/* More DS fields than entries: bounded, and nothing is refused unexamined. */
static void mptun_dsfield_test_many(struct kunit *test)
{
	struct mptun_dsfield_test *t = mptun_dsfield_test_path(test);
	unsigned int ds, i;

	for (i = 0; i < 1000; i++) {
		for (ds = 0; ds < 256; ds++)
			mptun_dsfield_test_is(test, t, ds, ds);
		mptun_dsfield_test_step(t);
	}
	KUNIT_EXPECT_EQ(test, t->d.n, MPTUN_DSFIELD_MAX);
	/* 10 s, in which each entry is examined every two seconds */
	KUNIT_EXPECT_LE(test, t->sent, 5 * (MPTUN_DSFIELD_MAX + 1));

	/* Entries that are not used any more serve others. */
	t->drops = 0x04;
	mptun_dsfield_test_run(t, t->plain, MPTUN_DSFIELD_AGAIN_NS);
	mptun_dsfield_test_run(t, 0xfc, MPTUN_DSFIELD_TEST_S);
	mptun_dsfield_test_is(test, t, 0xfc, t->plain);
}

/* A token that nobody asked with means nothing. */
static void mptun_dsfield_test_token(struct kunit *test)
{
	struct mptun_dsfield_test *t = mptun_dsfield_test_path(test);
	struct mptun_dsfield_round round;
	u8 ds = MPTUN_DSFIELD_TEST_ECT_0;

	KUNIT_EXPECT_FALSE(test, mptun_dsfield_answered(&t->d, 0, t->now));
	mptun_dsfield_test_is(test, t, ds, ds);
	KUNIT_EXPECT_FALSE(test, mptun_dsfield_answered(&t->d, 0, t->now));
	KUNIT_EXPECT_EQ(test, mptun_dsfield_deadline(&t->d), t->now);
	KUNIT_EXPECT_TRUE(test, mptun_dsfield_expire(&t->d, 5, 10, t->now,
						     &round));
	KUNIT_EXPECT_EQ(test, round.n, 1);
	KUNIT_EXPECT_EQ(test, round.ds[0], ds);
	KUNIT_EXPECT_EQ(test, round.token[0], 5);
	KUNIT_EXPECT_EQ(test, mptun_dsfield_deadline(&t->d), t->now + 10);
	KUNIT_EXPECT_FALSE(test, mptun_dsfield_answered(&t->d, 6, t->now));
	KUNIT_EXPECT_TRUE(test, mptun_dsfield_answered(&t->d, 5, t->now));
	KUNIT_EXPECT_FALSE(test, mptun_dsfield_answered(&t->d, 5, t->now));
	KUNIT_EXPECT_EQ(test, mptun_dsfield_deadline(&t->d), U64_MAX);
}

static struct kunit_case mptun_dsfield_cases[] = {
	KUNIT_CASE(mptun_dsfield_test_plain),
	KUNIT_CASE(mptun_dsfield_test_passes),
	KUNIT_CASE(mptun_dsfield_test_ect),
	KUNIT_CASE(mptun_dsfield_test_dscp),
	KUNIT_CASE(mptun_dsfield_test_changes),
	KUNIT_CASE(mptun_dsfield_test_loss),
	KUNIT_CASE(mptun_dsfield_test_slow),
	KUNIT_CASE(mptun_dsfield_test_many),
	KUNIT_CASE(mptun_dsfield_test_token),
	{}
};

static struct kunit_suite mptun_dsfield_suite = {
	.name = "mptun_dsfield",
	.test_cases = mptun_dsfield_cases,
};

kunit_test_suite(mptun_dsfield_suite);
