// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of how an end finds out that the mapping of a NAT is short-lived.
 */
#include <kunit/test.h>

#include "core/keep.h"

#define SECOND	((u64)NSEC_PER_SEC)
#define RTT	(SECOND / 20)
#define PTO	(3 * RTT)
#define IDLE	MPTUN_KEEPALIVE_IDLE_NS
#define TURN	((u64)MPTUN_KEEPALIVE_TURN_NS)

/**
 * struct frame - a path
 * @keep: what is tested
 * @now: time in ns
 * @proved: when it was last proved
 */
struct frame {
	struct mptun_keep keep;
	u64 now;
	u64 proved;
};

static struct frame frame(void)
{
	return (struct frame){ .now = 1000 * SECOND, .proved = 1000 * SECOND };
}

/* This end probes after a while, and is answered. */
static void ask(struct frame *f, u64 after)
{
	f->now += after;
	mptun_keep_asked(&f->keep, f->proved, PTO, f->now);
	f->now += RTT;
	f->proved = f->now;
}

/* The peer probes after a while. */
static bool hear(struct frame *f, u64 after)
{
	f->now += after;
	return mptun_keep_heard(&f->keep, f->proved, f->now);
}

/* The mapping is gone at the peer's turn: it probes three times once it hears
 * this end again.  Returns true if that shows that mappings are short-lived.
 */
static bool gone(struct frame *f, u64 after)
{
	bool found;

	ask(f, after);
	found = hear(f, RTT / 2);
	found |= hear(f, RTT + MPTUN_GOOD_PAUSE_NS);
	return found | hear(f, RTT + MPTUN_GOOD_PAUSE_NS);
}

/* Gone at each turn; this end has the larger or the smaller instance. */
static void mptun_keep_test_gone(struct kunit *test)
{
	unsigned int shares;

	for (shares = 1; shares <= 2; shares++) {
		struct frame f = frame();

		KUNIT_EXPECT_FALSE(test, gone(&f, IDLE + shares * TURN));
		KUNIT_EXPECT_FALSE(test, f.keep.short_lived);
		KUNIT_EXPECT_TRUE(test, gone(&f, IDLE + shares * TURN));
		KUNIT_EXPECT_TRUE(test, f.keep.short_lived);
		KUNIT_EXPECT_FALSE(test, gone(&f, IDLE + shares * TURN));
		KUNIT_EXPECT_TRUE(test, f.keep.short_lived);
	}
}

/* The peer sees another port: it probes before it answers, as it answers to the
 * former port, and the repeated probe is answered.
 */
static void mptun_keep_test_port(struct kunit *test)
{
	struct frame f = frame();
	unsigned int i;

	for (i = 0; i < 2; i++) {
		f.now += IDLE + TURN;
		mptun_keep_asked(&f.keep, f.proved, PTO, f.now);
		KUNIT_EXPECT_EQ(test, hear(&f, RTT), i == 1);
		KUNIT_EXPECT_FALSE(test, hear(&f, RTT));
		ask(&f, 2 * RTT);
	}
}

/* Over a satellite, the peer first waits for the answer to its last probe.
 * Where that takes many seconds, its turn still is no such wait.
 */
static void mptun_keep_test_slow(struct kunit *test)
{
	struct frame f = frame();
	unsigned int i;

	for (i = 0; i < 2; i++) {
		f.now += IDLE + TURN;
		mptun_keep_asked(&f.keep, f.proved, 2 * SECOND, f.now);
		f.proved = f.now + SECOND;
		KUNIT_EXPECT_EQ(test, hear(&f, 9 * SECOND), i == 1);
	}
	f = frame();
	for (i = 0; i < 10; i++) {
		f.now += IDLE + TURN;
		mptun_keep_asked(&f.keep, f.proved, 9 * SECOND, f.now);
		f.proved = f.now + 3 * SECOND;
		KUNIT_EXPECT_FALSE(test, hear(&f, IDLE + 3 * SECOND));
	}
	KUNIT_EXPECT_FALSE(test, f.keep.doubt);
}

/* A mapping that is there at each turn of the peer */
static void mptun_keep_test_kept(struct kunit *test)
{
	struct frame f = frame();
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		KUNIT_EXPECT_FALSE(test, hear(&f, IDLE));
		ask(&f, IDLE);
	}
	KUNIT_EXPECT_FALSE(test, f.keep.doubt);
}

/* Outages that end just before this end probes, between turns as they ought to
 * be
 */
static void mptun_keep_test_outages(struct kunit *test)
{
	struct frame f = frame();
	unsigned int i;

	for (i = 0; i < 10; i++) {
		KUNIT_EXPECT_FALSE(test, gone(&f, IDLE + TURN));
		KUNIT_EXPECT_TRUE(test, f.keep.doubt);
		KUNIT_EXPECT_FALSE(test, hear(&f, IDLE));
		KUNIT_EXPECT_FALSE(test, f.keep.doubt);
		ask(&f, IDLE);
	}
}

/* Where the peer sends nothing while the mapping is gone, nothing is known. */
static void mptun_keep_test_unnoticed(struct kunit *test)
{
	struct frame f = frame();

	KUNIT_EXPECT_FALSE(test, gone(&f, IDLE + TURN));
	ask(&f, IDLE + TURN);
	ask(&f, IDLE + TURN);
	KUNIT_EXPECT_TRUE(test, f.keep.doubt);
	KUNIT_EXPECT_TRUE(test, gone(&f, IDLE + TURN));
}

/* A peer whose interval is set probes whenever it likes. */
static void mptun_keep_test_set(struct kunit *test)
{
	u64 interval;

	for (interval = SECOND; interval < 2 * IDLE; interval += SECOND / 10) {
		struct frame f = frame();
		unsigned int i;

		for (i = 0; i < 10; i++) {
			if (interval > IDLE) {
				ask(&f, IDLE);
				hear(&f, interval - IDLE);
			} else {
				hear(&f, interval);
			}
		}
		KUNIT_EXPECT_FALSE(test, f.keep.doubt);
	}
}

/* What lasts for hours outlives any mapping. */
static void mptun_keep_test_hours(struct kunit *test)
{
	struct frame f = frame();
	unsigned int i;

	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_FALSE(test, gone(&f, 3600 * SECOND));
}

static struct kunit_case mptun_keep_cases[] = {
	KUNIT_CASE(mptun_keep_test_gone),
	KUNIT_CASE(mptun_keep_test_port),
	KUNIT_CASE(mptun_keep_test_slow),
	KUNIT_CASE(mptun_keep_test_kept),
	KUNIT_CASE(mptun_keep_test_outages),
	KUNIT_CASE(mptun_keep_test_unnoticed),
	KUNIT_CASE(mptun_keep_test_set),
	KUNIT_CASE(mptun_keep_test_hours),
	{}
};

static struct kunit_suite mptun_keep_suite = {
	.name = "mptun_keep",
	.test_cases = mptun_keep_cases,
};

kunit_test_suite(mptun_keep_suite);
