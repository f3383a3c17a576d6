/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Shared frame of the tests of congestion controllers: a path, step by step.
 */
#ifndef _MPTUN_TEST_CC_FRAME_H
#define _MPTUN_TEST_CC_FRAME_H

#include <kunit/test.h>
#include <linux/time64.h>

#include "cc/cc.h"

#define MPTUN_CC_TEST_MSS	1000U
#define MPTUN_CC_TEST_START	(50ULL * NSEC_PER_SEC)

/**
 * struct mptun_cc_test - a path
 * @cc: congestion state
 * @rtt: round-trip time
 * @now: time in ns
 */
struct mptun_cc_test {
	struct mptun_cc cc;
	struct mptun_rtt rtt;
	u64 now;
};

/* A steady round-trip time. */
static inline void mptun_cc_test_rtt(struct mptun_cc_test *t, u32 rtt_us)
{
	int i;

	mptun_rtt_init(&t->rtt);
	for (i = 0; i < 200; i++)
		mptun_rtt_sample(&t->rtt, rtt_us, 0, t->now);
}

/* Makes a path with a controller; @rtt_us is 0 for an unknown one. */
static inline int mptun_cc_test_new(struct kunit *test, const char *cc,
				    u32 rtt_us)
{
	struct mptun_cc_test *t;

	t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t);
	t->now = MPTUN_CC_TEST_START;
	if (rtt_us)
		mptun_cc_test_rtt(t, rtt_us);
	else
		mptun_rtt_init(&t->rtt);
	KUNIT_ASSERT_EQ(test, mptun_cc_assign(&t->cc, cc), 0);
	mptun_cc_reset(&t->cc, MPTUN_CC_TEST_MSS);
	test->priv = t;
	return 0;
}

/* Acknowledges bytes sent in a full window or in a quarter of it. */
static inline void mptun_cc_test_ack_part(struct mptun_cc_test *t, u32 bytes,
					  u64 sent_ns, bool full, u32 ce)
{
	struct mptun_cc_ack ack = {
		.now = t->now,
		.newest_sent_ns = sent_ns,
		.bytes = bytes,
		.packets = DIV_ROUND_UP(bytes, t->cc.mss),
		.prior_in_flight = full ? t->cc.cwnd : t->cc.cwnd / 4,
		.window_limited = full,
		.ce = ce,
		.rtt = &t->rtt,
	};

	mptun_cc_on_ack(&t->cc, &ack);
}

/* Acknowledges only that packets declared lost have arrived. */
static inline void mptun_cc_test_spurious(struct mptun_cc_test *t, u32 packets,
					  u32 ce)
{
	struct mptun_cc_ack ack = {
		.now = t->now,
		.newest_sent_ns = t->now - NSEC_PER_SEC,
		.spurious = packets,
		.ce = ce,
		.rtt = &t->rtt,
	};

	mptun_cc_on_ack(&t->cc, &ack);
}

static inline bool mptun_cc_test_lose(struct mptun_cc_test *t, u64 sent_ns,
				      u32 packets, bool persistent)
{
	struct mptun_cc_loss loss = {
		.now = t->now,
		.newest_sent_ns = sent_ns,
		.bytes = packets * t->cc.mss,
		.packets = packets,
		.persistent = persistent,
		.rtt = &t->rtt,
	};

	return mptun_cc_on_loss(&t->cc, &loss);
}

#endif /* _MPTUN_TEST_CC_FRAME_H */
