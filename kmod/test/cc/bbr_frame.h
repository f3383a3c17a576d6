/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of congestion controller "bbr": the simulated path.
 */
#ifndef _MPTUN_TEST_CC_BBR_TEST_H
#define _MPTUN_TEST_CC_BBR_TEST_H

#include <kunit/test.h>

#include "cc/bbr.h"

#define MPTUN_BBR_TEST_MSS	1000U
#define MPTUN_BBR_TEST_BW	2500000ULL
#define MPTUN_BBR_TEST_RTT_US	40000U
#define MPTUN_BBR_TEST_BDP	100000U
#define MPTUN_BBR_TEST_START	(50ULL * NSEC_PER_SEC)

/**
 * struct mptun_bbr_test - a path of 20 Mbit/s and 40 ms, 100 packets
 * @cc: congestion state
 * @rtt: round-trip time; the next acknowledgment adds a sample of it
 * @now: time in ns
 * @ack: remaining content of the next acknowledgment
 * @sample: its rate sample, except for the number of lost packets
 * @packet: size of packets in bytes
 */
struct mptun_bbr_test {
	struct mptun_cc cc;
	struct mptun_rtt rtt;
	u64 now;
	struct mptun_cc_ack ack;
	struct mptun_rate_sample sample;
	u32 packet;
};

static inline const struct mptun_bbr *
mptun_bbr_test_priv(struct mptun_bbr_test *t)
{
	return mptun_bbr_priv(&t->cc);
}

int mptun_bbr_test_init(struct kunit *test);
void mptun_bbr_test_ack(struct mptun_bbr_test *t, u32 us, u32 bytes);
void mptun_bbr_test_late(struct mptun_bbr_test *t, u32 us, u32 bytes);
void mptun_bbr_test_rounds(struct mptun_bbr_test *t, unsigned int n);
void mptun_bbr_test_lose(struct mptun_bbr_test *t, u32 packets,
			 bool persistent);
void mptun_bbr_test_spurious(struct mptun_bbr_test *t, u32 packets);
void mptun_bbr_test_startup(struct mptun_bbr_test *t);
void mptun_bbr_test_cruise(struct kunit *test);
void mptun_bbr_test_up(struct kunit *test);

#endif /* _MPTUN_TEST_CC_BBR_TEST_H */
