// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of congestion control: the core and its controllers, step by step.
 * test/cc/sim_test.c runs them over a simulated link, test/cc/choose_test.c
 * selects among them.
 */
#include <kunit/test.h>
#include <linux/prandom.h>

#include "cc/cc.h"
#include "cc/window.h"
#include "test/cc/frame.h"

/* A steady round-trip time of 40 ms. */
static int mptun_cc_test_init(struct kunit *test)
{
	return mptun_cc_test_new(test, "newreno", 40000);
}

/* Acknowledges bytes sent in a full window. */
static void mptun_cc_test_ack_sent(struct mptun_cc_test *t, u32 bytes,
				   u64 sent_ns)
{
	mptun_cc_test_ack_part(t, bytes, sent_ns, true, 0);
}

/* As above, sent just now. */
static void mptun_cc_test_ack(struct mptun_cc_test *t, u32 bytes)
{
	mptun_cc_test_ack_sent(t, bytes, t->now - 1);
}

static void mptun_cc_test_begin(struct kunit *test)
{
	struct mptun_cc_test *t = test->priv;

	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 10000U);
	KUNIT_EXPECT_EQ(test, t->cc.ssthresh, MPTUN_CC_SSTHRESH_NONE);
	KUNIT_EXPECT_FALSE(test, mptun_cc_found(&t->cc));
	KUNIT_EXPECT_EQ(test, t->cc.pacing_rate, 0ULL);
	KUNIT_EXPECT_EQ(test, mptun_cc_room(&t->cc, 0), 10000U);
	KUNIT_EXPECT_EQ(test, mptun_cc_room(&t->cc, 9999), 1U);
	/* tp_meter: the room must not wrap when the window has shrunk */
	KUNIT_EXPECT_EQ(test, mptun_cc_room(&t->cc, 10000), 0U);
	KUNIT_EXPECT_EQ(test, mptun_cc_room(&t->cc, 10001), 0U);
	KUNIT_EXPECT_EQ(test, mptun_cc_room(&t->cc, U32_MAX), 0U);
}

/* Each flow has an initial window, up to 16 of them, and only while the path is
 * not known.
 */
static void mptun_cc_test_flows(struct kunit *test)
{
	struct mptun_cc_test *t = test->priv;
	int i;

	mptun_cc_flow(&t->cc);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 10000U);
	mptun_cc_flow(&t->cc);
	mptun_cc_flow(&t->cc);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 30000U);
	for (i = 0; i < 100; i++)
		mptun_cc_flow(&t->cc);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 160000U);

	mptun_cc_reset(&t->cc, MPTUN_CC_TEST_MSS);
	mptun_cc_flow(&t->cc);
	t->cc.ssthresh = 20000;
	mptun_cc_flow(&t->cc);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 10000U);
}

static void mptun_cc_test_slow_start(struct kunit *test)
{
	struct mptun_cc_test *t = test->priv;
	int i;

	for (i = 1; i <= 5; i++) {
		t->now += 40 * NSEC_PER_MSEC;
		mptun_cc_test_ack(t, t->cc.cwnd);
		KUNIT_EXPECT_EQ(test, t->cc.cwnd, 10000U << i);
	}
	/* 320000 bytes per 40 ms, twice */
	KUNIT_EXPECT_EQ(test, t->cc.pacing_rate, 16000000ULL);
}

/* One packet per window, in any number of acknowledgments. */
static void mptun_cc_test_avoidance(struct kunit *test)
{
	struct mptun_cc_test *t = test->priv;
	u32 left;

	t->cc.cwnd = 50000;
	t->cc.ssthresh = 50000;
	mptun_cc_test_ack(t, 50000);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 51000U);
	for (left = 51000; left > 2999; left -= 100)
		mptun_cc_test_ack(t, 100);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 51000U);
	mptun_cc_test_ack(t, left);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 52000U);
	/* a window per 40 ms, 5/4 */
	KUNIT_EXPECT_EQ(test, t->cc.pacing_rate, 1625000ULL);

	/* Slow start leaves the excess to congestion avoidance. */
	t->cc.ssthresh = 54000;
	mptun_cc_test_ack(t, 2000 + 54000);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 55000U);
}

/* RFC 9002, 7.3.2: one reduction per recovery period */
static void mptun_cc_test_recovery(struct kunit *test)
{
	struct mptun_cc_test *t = test->priv;
	u64 began = t->now;

	t->cc.cwnd = 100000;
	KUNIT_EXPECT_TRUE(test, mptun_cc_test_lose(t, t->now - 1, 1, false));
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 50000U);
	KUNIT_EXPECT_EQ(test, t->cc.ssthresh, 50000U);
	KUNIT_EXPECT_TRUE(test, mptun_cc_found(&t->cc));
	KUNIT_EXPECT_EQ(test, t->cc.events, 1U);

	t->now += 10 * NSEC_PER_MSEC;
	KUNIT_EXPECT_FALSE(test, mptun_cc_test_lose(t, began, 20, false));
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 50000U);

	/* Packets sent before the reduction add nothing. */
	t->now = began + 1;
	mptun_cc_test_ack(t, 200000);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 50000U);

	t->now += 40 * NSEC_PER_MSEC;
	KUNIT_EXPECT_TRUE(test,
			  mptun_cc_test_lose(t, began + 1, 1, false));
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 25000U);
	KUNIT_EXPECT_EQ(test, t->cc.events, 2U);
}

/* tp_meter: window underflow.  The minimum is two packets. */
static void mptun_cc_test_floor(struct kunit *test)
{
	struct mptun_cc_test *t = test->priv;
	int i;

	for (i = 0; i < 50; i++) {
		t->now += NSEC_PER_SEC;
		KUNIT_EXPECT_TRUE(test, mptun_cc_test_lose(t, t->now - 1, 1,
							   i % 3 == 2));
		KUNIT_EXPECT_GE(test, t->cc.cwnd, 2000U);
		KUNIT_EXPECT_GE(test, t->cc.ssthresh, 2000U);
	}
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 2000U);
	/* and it grows again */
	t->now += NSEC_PER_SEC;
	mptun_cc_test_ack(t, 2000);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 3000U);
}

static void mptun_cc_test_persistent(struct kunit *test)
{
	struct mptun_cc_test *t = test->priv;
	u64 began = t->now;

	t->cc.cwnd = 400000;
	KUNIT_EXPECT_TRUE(test, mptun_cc_test_lose(t, t->now - 1, 100, true));
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 2000U);
	KUNIT_EXPECT_EQ(test, t->cc.ssthresh, 200000U);

	/* Further losses of the same blackout do not lower the threshold. */
	t->now += 10 * NSEC_PER_MSEC;
	KUNIT_EXPECT_FALSE(test, mptun_cc_test_lose(t, began, 100, true));
	KUNIT_EXPECT_EQ(test, t->cc.ssthresh, 200000U);

	t->now += NSEC_PER_SEC;
	mptun_cc_test_ack(t, 2000);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 4000U);
}

/* A reduction is undone when all lost packets arrive. */
static void mptun_cc_test_undo(struct kunit *test)
{
	struct mptun_cc_test *t = test->priv;

	t->cc.cwnd = 100000;
	t->cc.ssthresh = 80000;
	mptun_cc_test_lose(t, t->now - 1, 2, false);
	mptun_cc_test_lose(t, t->now - 1, 1, false);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 50000U);
	mptun_cc_test_spurious(t, 2, 0);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 50000U);
	mptun_cc_test_spurious(t, 1, 0);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 100000U);
	KUNIT_EXPECT_EQ(test, t->cc.ssthresh, 80000U);
	/* once */
	t->cc.cwnd = 60000;
	mptun_cc_test_spurious(t, 5, 0);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 60000U);

	/* Not if a mark caused it as well. */
	t->now += NSEC_PER_SEC;
	mptun_cc_test_lose(t, t->now - 1, 1, false);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 30000U);
	mptun_cc_test_spurious(t, 1, 1);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 30000U);

	/* Nor after persistent congestion. */
	t->now += NSEC_PER_SEC;
	mptun_cc_test_lose(t, t->now - 1, 4, true);
	mptun_cc_test_lose(t, t->now - 1, 1, false);
	mptun_cc_test_spurious(t, 5, 0);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 2000U);
}

/* RFC 9002, 7.1: a mark counts as a loss. */
static void mptun_cc_test_mark(struct kunit *test)
{
	struct mptun_cc_test *t = test->priv;
	struct mptun_cc_ack ack = {
		.now = t->now,
		.newest_sent_ns = t->now - 1,
		.bytes = 5000,
		.packets = 5,
		.prior_in_flight = 60000,
		.ce = 1,
		.window_limited = true,
		.rtt = &t->rtt,
	};

	t->cc.cwnd = 60000;
	KUNIT_EXPECT_TRUE(test, mptun_cc_on_ack(&t->cc, &ack));
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 30000U);
	/* Further marks of this round trip are the same event, */
	KUNIT_EXPECT_FALSE(test, mptun_cc_on_ack(&t->cc, &ack));
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 30000U);
	KUNIT_EXPECT_EQ(test, t->cc.events, 1U);

	/* as are losses, */
	KUNIT_EXPECT_FALSE(test, mptun_cc_test_lose(t, t->now - 1, 1, false));
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 30000U);

	/* but not marks on packets sent later. */
	ack.newest_sent_ns = t->now + 1;
	ack.now = t->now + 40 * NSEC_PER_MSEC;
	ack.packets = 0;
	ack.bytes = 0;
	KUNIT_EXPECT_TRUE(test, mptun_cc_on_ack(&t->cc, &ack));
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 15000U);
	KUNIT_EXPECT_EQ(test, t->cc.events, 2U);
}

/* An unused window does not grow. */
static void mptun_cc_test_app_limited(struct kunit *test)
{
	struct mptun_cc_test *t = test->priv;
	struct mptun_cc_ack ack = {
		.bytes = 4000,
		.packets = 4,
		.rtt = &t->rtt,
	};
	int i;

	t->cc.cwnd = 100000;
	for (i = 0; i < 1000; i++) {
		t->now += 40 * NSEC_PER_MSEC;
		ack.now = t->now;
		ack.newest_sent_ns = t->now - 1;
		ack.prior_in_flight = 50000;
		mptun_cc_on_ack(&t->cc, &ack);
	}
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 100000U);

	t->cc.ssthresh = 50000;
	for (i = 0; i < 1000; i++) {
		ack.prior_in_flight = 96000;
		mptun_cc_on_ack(&t->cc, &ack);
	}
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 100000U);
	ack.window_limited = true;
	for (i = 0; i < 25; i++)
		mptun_cc_on_ack(&t->cc, &ack);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 101000U);
}

/* The window never exceeds the records or 1 GiB. */
static void mptun_cc_test_maximum(struct kunit *test)
{
	static const u32 mss[] = { 1, 68, 1500, 9000, 65535, U32_MAX };
	struct mptun_cc_test *t = test->priv;
	int i, k;

	for (i = 0; i < ARRAY_SIZE(mss); i++) {
		mptun_cc_reset(&t->cc, mss[i]);
		for (k = 0; k < 100; k++) {
			t->now += NSEC_PER_SEC;
			mptun_cc_test_ack(t, U32_MAX);
			KUNIT_ASSERT_LE(test, t->cc.cwnd, MPTUN_CC_MAX_BYTES);
			KUNIT_ASSERT_LE(test, t->cc.cwnd / t->cc.mss, 65536U);
		}
		KUNIT_EXPECT_EQ(test, t->cc.cwnd, mptun_cc_max_window(&t->cc));
		t->cc.ssthresh = t->cc.mss * 2;
		mptun_cc_test_ack(t, U32_MAX);
		KUNIT_EXPECT_EQ(test, t->cc.cwnd, mptun_cc_max_window(&t->cc));
	}
}

static void mptun_cc_test_round(struct mptun_cc_test *t, u32 rtt_us)
{
	u32 bytes = t->cc.cwnd / 8;
	int i;

	for (i = 0; i < 8; i++) {
		t->now += 5 * NSEC_PER_MSEC;
		mptun_rtt_sample(&t->rtt, rtt_us, 0, t->now);
		mptun_cc_on_rtt(&t->cc, &t->rtt);
		mptun_cc_test_ack_sent(t, bytes, t->now - 40 * NSEC_PER_MSEC);
	}
}

/* RFC 9406 */
static void mptun_cc_test_hystart(struct kunit *test)
{
	struct mptun_cc_test *t = test->priv;
	struct mptun_window *w = mptun_window_priv(&t->cc);
	int i;

	for (i = 0; i < 4; i++)
		mptun_cc_test_round(t, 40000 + i * 1000);
	KUNIT_EXPECT_FALSE(test, w->css);

	/* An eighth above the previous round; one such round is tolerated. */
	mptun_cc_test_round(t, 49000);
	KUNIT_EXPECT_TRUE(test, w->css);
	KUNIT_EXPECT_EQ(test, t->cc.ssthresh, MPTUN_CC_SSTHRESH_NONE);
	mptun_cc_test_round(t, 41000);
	mptun_cc_test_round(t, 41000);
	KUNIT_EXPECT_FALSE(test, w->css);

	for (i = 0; i < 16 && t->cc.ssthresh == MPTUN_CC_SSTHRESH_NONE; i++)
		mptun_cc_test_round(t, 60000 + i);
	KUNIT_EXPECT_NE(test, t->cc.ssthresh, MPTUN_CC_SSTHRESH_NONE);
	KUNIT_EXPECT_LE(test, t->cc.cwnd - t->cc.ssthresh, 1000U);
	KUNIT_EXPECT_EQ(test, t->cc.events, 0U);
}

/* A persistent queue ends slow start earlier. */
static void mptun_cc_test_hystart_queue(struct kunit *test)
{
	struct mptun_cc_test *t = test->priv;
	int i;

	for (i = 0; i < 4; i++)
		mptun_cc_test_round(t, 40000);
	for (i = 0; i < 3; i++)
		mptun_cc_test_round(t, 46000 + i * 10000);
	KUNIT_EXPECT_NE(test, t->cc.ssthresh, MPTUN_CC_SSTHRESH_NONE);
}

/* Another controller continues with the window.  "bbr" still has to find the
 * path; one that has a slow start does not begin it again.
 */
static void mptun_cc_test_assign(struct kunit *test)
{
	struct mptun_cc_test *t = test->priv;

	t->cc.cwnd = 60000;
	t->cc.ssthresh = 50000;
	KUNIT_ASSERT_EQ(test, mptun_cc_assign(&t->cc, "lia"), 0);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 60000U);
	KUNIT_EXPECT_EQ(test, t->cc.ssthresh, 50000U);
	KUNIT_ASSERT_EQ(test, mptun_cc_assign(&t->cc, "bbr"), 0);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 60000U);
	KUNIT_EXPECT_FALSE(test, mptun_cc_found(&t->cc));
}

static void mptun_cc_test_fixed(struct kunit *test)
{
	struct mptun_cc_test *t = test->priv;

	KUNIT_EXPECT_EQ(test, mptun_cc_assign(&t->cc, "fixed"), 0);
	KUNIT_EXPECT_TRUE(test, mptun_cc_found(&t->cc));
	/* Without a rate: slow and harmless. */
	mptun_cc_reset(&t->cc, MPTUN_CC_TEST_MSS);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 10000U);

	mptun_cc_set_rate(&t->cc, 1250000);
	mptun_cc_on_rtt(&t->cc, &t->rtt);
	KUNIT_EXPECT_EQ(test, t->cc.pacing_rate, 1250000ULL);
	/* 40 + 5 + 100 ms */
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 181250U);

	t->now += NSEC_PER_SEC;
	mptun_cc_test_lose(t, t->now - 1, 100, true);
	mptun_cc_test_ack(t, 100000);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 181250U);
	KUNIT_EXPECT_EQ(test, t->cc.pacing_rate, 1250000ULL);
	KUNIT_EXPECT_EQ(test, t->cc.events, 0U);

	mptun_cc_set_rate(&t->cc, 1);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 4000U);
	mptun_cc_set_rate(&t->cc, U64_MAX);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, mptun_cc_max_window(&t->cc));
	mptun_cc_test_rtt(t, U32_MAX);
	mptun_cc_on_rtt(&t->cc, &t->rtt);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, mptun_cc_max_window(&t->cc));
}

static void mptun_cc_test_none(struct kunit *test)
{
	struct mptun_cc_test *t = test->priv;

	KUNIT_EXPECT_EQ(test, mptun_cc_assign(&t->cc, "none"), 0);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 65536000U);
	mptun_cc_test_lose(t, t->now - 1, 1000, true);
	mptun_cc_test_ack(t, 1000);
	mptun_cc_on_rtt(&t->cc, &t->rtt);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 65536000U);
	KUNIT_EXPECT_EQ(test, t->cc.pacing_rate, 0ULL);
	mptun_cc_set_rate(&t->cc, 5000);
	KUNIT_EXPECT_EQ(test, t->cc.pacing_rate, 5000ULL);
	mptun_cc_set_rate(&t->cc, 0);
	KUNIT_EXPECT_EQ(test, t->cc.pacing_rate, 0ULL);
	mptun_cc_set_mss(&t->cc, 500);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 32768000U);
}

/* A raised limit takes effect at once, also for the next packet, which might
 * have to wait for hours at the old rate.
 */
static void mptun_cc_test_rate(struct kunit *test)
{
	struct mptun_cc_test *t = test->priv;
	u64 own;

	mptun_cc_on_rtt(&t->cc, &t->rtt);
	own = t->cc.pacing_rate;
	mptun_cc_set_rate(&t->cc, 125);
	KUNIT_EXPECT_EQ(test, t->cc.pacing_rate, 125ULL);
	mptun_cc_set_rate(&t->cc, own / 2);
	KUNIT_EXPECT_EQ(test, t->cc.pacing_rate, own / 2);
	mptun_cc_set_rate(&t->cc, 0);
	KUNIT_EXPECT_EQ(test, t->cc.pacing_rate, 0ULL);
	mptun_cc_on_rtt(&t->cc, &t->rtt);
	KUNIT_EXPECT_EQ(test, t->cc.pacing_rate, own);
	mptun_cc_set_rate(&t->cc, 0);
	KUNIT_EXPECT_EQ(test, t->cc.pacing_rate, own);
}

/* Random events never break the bounds of any controller. */
static void mptun_cc_test_random(struct kunit *test)
{
	static const char *const names[] = {
		"newreno", "cubic", "lia", "residual", "delay", "bbr",
		"fixed", "none"
	};
	struct mptun_cc_test *t = test->priv;
	struct rnd_state rnd;
	int i;

	prandom_seed_state(&rnd, 9002);
	for (i = 0; i < 200000; i++) {
		u32 a = prandom_u32_state(&rnd) >>
			(prandom_u32_state(&rnd) % 32);

		t->now += a;
		switch (prandom_u32_state(&rnd) % 64) {
		case 0:
			mptun_cc_assign(&t->cc, names[a % ARRAY_SIZE(names)]);
			break;
		case 1:
			mptun_cc_set_mss(&t->cc, a);
			break;
		case 2:
			mptun_cc_set_rate(&t->cc, (u64)a << (a % 32));
			break;
		case 3 ... 10:
			mptun_cc_test_lose(t, t->now - a, a % 1000, !(a % 16));
			break;
		case 11 ... 20:
			mptun_rtt_sample(&t->rtt, a, a / 2, t->now);
			mptun_cc_on_rtt(&t->cc, &t->rtt);
			break;
		case 21:
			mptun_cc_test_spurious(t, a, a % 5 == 0);
			break;
		case 22:
			mptun_cc_on_restart(&t->cc, t->now);
			break;
		default:
			mptun_cc_test_ack(t, a);
		}
		KUNIT_ASSERT_GE(test, t->cc.cwnd, 2 * t->cc.mss);
		KUNIT_ASSERT_LE(test, t->cc.cwnd, mptun_cc_max_window(&t->cc));
		if (t->cc.rate) {
			KUNIT_ASSERT_GT(test, t->cc.pacing_rate, 0ULL);
			KUNIT_ASSERT_LE(test, t->cc.pacing_rate, t->cc.rate);
		}
	}
}

static struct kunit_case mptun_cc_cases[] = {
	KUNIT_CASE(mptun_cc_test_begin),
	KUNIT_CASE(mptun_cc_test_flows),
	KUNIT_CASE(mptun_cc_test_slow_start),
	KUNIT_CASE(mptun_cc_test_avoidance),
	KUNIT_CASE(mptun_cc_test_recovery),
	KUNIT_CASE(mptun_cc_test_floor),
	KUNIT_CASE(mptun_cc_test_persistent),
	KUNIT_CASE(mptun_cc_test_undo),
	KUNIT_CASE(mptun_cc_test_mark),
	KUNIT_CASE(mptun_cc_test_app_limited),
	KUNIT_CASE(mptun_cc_test_maximum),
	KUNIT_CASE(mptun_cc_test_hystart),
	KUNIT_CASE(mptun_cc_test_hystart_queue),
	KUNIT_CASE(mptun_cc_test_assign),
	KUNIT_CASE(mptun_cc_test_fixed),
	KUNIT_CASE(mptun_cc_test_none),
	KUNIT_CASE(mptun_cc_test_rate),
	KUNIT_CASE(mptun_cc_test_random),
	{}
};

static struct kunit_suite mptun_cc_suite = {
	.name = "mptun_cc",
	.init = mptun_cc_test_init,
	.test_cases = mptun_cc_cases,
};

kunit_test_suite(mptun_cc_suite);
