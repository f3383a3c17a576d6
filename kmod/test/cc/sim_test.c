// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Congestion control over simulated links.
 */
#include <kunit/test.h>
#include <linux/math64.h>
#include <linux/time64.h>

#include "test/cc/sim.h"

#define MPTUN_SIM_MBIT		125000ULL

/* A path with a buffer of one BDP. */
static const struct mptun_sim_config mptun_sim_bdp = {
	.cc = "newreno",
	.rate = 20 * MPTUN_SIM_MBIT,
	.buffer = 100000,
	.delay_us = 20000,
};

/* With a buffer of one BDP the link is always busy. */
static void mptun_sim_test_use(struct kunit *test)
{
	static const struct {
		u64 mbit;
		u32 rtt_ms;
		u32 ms;
	} cases[] = {
		{ 1, 40, 60000 }, { 20, 40, 60000 }, { 100, 20, 60000 },
		{ 20, 200, 200000 }, { 300, 10, 20000 },
	};
	struct mptun_sim_config c = mptun_sim_bdp;
	struct mptun_sim *sim;
	u32 start, use;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		c.rate = cases[i].mbit * MPTUN_SIM_MBIT;
		c.delay_us = cases[i].rtt_ms * 500;
		c.buffer = max_t(u64, div_u64(c.rate * cases[i].rtt_ms, 1000),
				 6 * MPTUN_SIM_MSS);
		sim = mptun_sim_path(test, &c);
		start = mptun_sim_use(sim, 50 * cases[i].rtt_ms);
		use = mptun_sim_use(sim, cases[i].ms);
		kunit_info(test, "%llu Mbit/s, %u ms: %u, then %u of 1000\n",
			   cases[i].mbit, cases[i].rtt_ms, start, use);
		KUNIT_EXPECT_GE(test, use, 950U);
		KUNIT_EXPECT_GE(test, start, 750U);
		KUNIT_EXPECT_EQ(test, sim->spurious, 0ULL);
		KUNIT_EXPECT_GE(test, sim->cc.events, 2U);
	}
}

/* Largest window before the first reduction, and number of packets dropped. */
static u32 mptun_sim_test_first(struct mptun_sim *sim)
{
	u32 top = 0;
	int ms;

	for (ms = 0; ms < 5000 && !sim->cc.events; ms++) {
		top = max(top, sim->cc.cwnd);
		mptun_sim_run(sim, 1);
	}
	/* remaining losses */
	mptun_sim_run(sim, 100);
	return top;
}

/* Slow start does not overshoot a buffer of 100 ms by half a window, and hardly
 * at all if the path is shorter than the buffer.
 */
static void mptun_sim_test_start(struct kunit *test)
{
	static const struct {
		u64 mbit;
		u32 rtt_ms;
	} cases[] = {
		{ 5, 10 }, { 5, 40 }, { 5, 100 },
		{ 20, 10 }, { 20, 40 }, { 20, 100 },
		{ 100, 2 }, { 100, 10 }, { 100, 40 }, { 100, 100 },
		{ 300, 10 }, { 300, 40 },
	};
	struct mptun_sim_config c = mptun_sim_bdp;
	struct mptun_sim *sim;
	u32 room, top;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		c.rate = cases[i].mbit * MPTUN_SIM_MBIT;
		c.delay_us = cases[i].rtt_ms * 500;
		c.buffer = div_u64(c.rate, 10);
		room = c.buffer + div_u64(c.rate * cases[i].rtt_ms, 1000);
		sim = mptun_sim_path(test, &c);
		top = mptun_sim_test_first(sim);
		kunit_info(test, "%llu Mbit/s, %u ms: %u bytes into %u, %llu packets too many\n",
			   cases[i].mbit, cases[i].rtt_ms, top, room,
			   sim->dropped);
		KUNIT_EXPECT_LE(test, top, room + room / 2);
		KUNIT_EXPECT_LE(test, sim->dropped * MPTUN_SIM_MSS,
				(u64)room / 2);
		if (cases[i].rtt_ms <= 40) {
			KUNIT_EXPECT_LE(test, top, room + room / 20);
			KUNIT_EXPECT_LE(test, sim->dropped, 12ULL);
		}
		KUNIT_EXPECT_GE(test, mptun_sim_use(sim, 5000), 950U);
	}
}

/* Many packets lost in a row are one event, and the link is soon busy again. */
static void mptun_sim_test_burst(struct kunit *test)
{
	struct mptun_sim *sim = mptun_sim_path(test, &mptun_sim_bdp);
	u32 events;
	u64 lost;

	mptun_sim_run(sim, 10000);
	events = sim->cc.events;
	lost = sim->lost;
	sim->burst = 40;
	mptun_sim_run(sim, 200);
	KUNIT_EXPECT_EQ(test, sim->cc.events, events + 1);
	KUNIT_EXPECT_EQ(test, sim->lost, lost + 40);
	KUNIT_EXPECT_GE(test, mptun_sim_use(sim, 2000), 800U);
	KUNIT_EXPECT_GE(test, mptun_sim_use(sim, 20000), 950U);
	KUNIT_EXPECT_EQ(test, sim->spurious, 0ULL);
}

/* A blackout of two seconds: the window collapses, nothing stays in flight, and
 * the path recovers.
 */
static void mptun_sim_test_dark(struct kunit *test)
{
	struct mptun_sim *sim = mptun_sim_path(test, &mptun_sim_bdp);
	u32 ms;

	mptun_sim_run(sim, 10000);
	sim->dark_ns = sim->now + 2ULL * NSEC_PER_SEC;
	mptun_sim_run(sim, 2000);
	KUNIT_EXPECT_GE(test, sim->probes, 2U);
	/* probed with backoff: found alive after at most twice the time */
	for (ms = 0; ms < 2500 && sim->probes; ms++)
		mptun_sim_run(sim, 1);
	KUNIT_EXPECT_LT(test, ms, 2500U);
	mptun_sim_run(sim, 100);
	KUNIT_EXPECT_LE(test, sim->sent.in_flight, sim->cc.cwnd);
	mptun_sim_run(sim, 1000);
	KUNIT_EXPECT_GE(test, mptun_sim_use(sim, 2000), 700U);
	KUNIT_EXPECT_GE(test, mptun_sim_use(sim, 20000), 950U);
}

/* The last packets of a burst are lost, without successors. */
static void mptun_sim_test_tail(struct kunit *test)
{
	struct mptun_sim_config c = mptun_sim_bdp;
	struct mptun_sim *sim;

	c.app_rate = 2 * MPTUN_SIM_MBIT;
	sim = mptun_sim_path(test, &c);
	mptun_sim_run(sim, 1000);
	KUNIT_EXPECT_GT(test, sim->sent.in_flight, 0U);
	sim->dark_ns = sim->now + 20 * NSEC_PER_MSEC;
	mptun_sim_run(sim, 20);
	sim->config.app_rate = 1;
	mptun_sim_run(sim, 500);
	KUNIT_EXPECT_GE(test, sim->lost, 3ULL);
	KUNIT_EXPECT_EQ(test, sim->sent.in_flight, 0U);
	KUNIT_EXPECT_EQ(test, mptun_sent_pto_deadline(&sim->sent, &sim->rtt),
			U64_MAX);
}

/* Traffic below the window does not raise it. */
static void mptun_sim_test_app(struct kunit *test)
{
	struct mptun_sim_config c = mptun_sim_bdp;
	struct mptun_sim *sim;
	u32 most = 0;
	int i;

	c.app_rate = 10 * MPTUN_SIM_MBIT;
	sim = mptun_sim_path(test, &c);
	for (i = 0; i < 60000; i++) {
		mptun_sim_run(sim, 1);
		most = max(most, sim->sent.in_flight);
	}
	/* twice the bytes in flight, and those of one report */
	KUNIT_EXPECT_LE(test, sim->cc.cwnd, 2 * most + most / 4);
	KUNIT_EXPECT_EQ(test, sim->cc.events, 0U);
	KUNIT_EXPECT_EQ(test, sim->dropped, 0ULL);
	KUNIT_EXPECT_GE(test, mptun_sim_use(sim, 1000), 495U);
}

/* Reordered packets are declared lost until the thresholds adapt; the
 * reductions are undone.
 */
static void mptun_sim_test_jitter(struct kunit *test)
{
	struct mptun_sim_config c = mptun_sim_bdp;
	struct mptun_sim *sim;
	u64 spurious;
	u32 use;

	c.jitter_us = 15000;
	sim = mptun_sim_path(test, &c);
	mptun_sim_run(sim, 5000);
	KUNIT_EXPECT_GE(test, sim->spurious, 1ULL);
	KUNIT_EXPECT_GE(test, sim->sent.threshold, 15U);
	spurious = sim->spurious;
	use = mptun_sim_use(sim, 60000);
	kunit_info(test, "%llu false losses, then %llu in 100000 packets; threshold %u, use %u of 1000\n",
		   spurious, sim->spurious - spurious, sim->sent.threshold,
		   use);
	KUNIT_EXPECT_LE(test, sim->spurious - spurious, 20ULL);
	KUNIT_EXPECT_GE(test, use, 950U);
}

/* Random loss of 1 % leaves a loss-based controller 1.22 / sqrt(0.01) packets
 * per round trip: 18 % of this link.
 */
static void mptun_sim_test_loss(struct kunit *test)
{
	struct mptun_sim_config c = mptun_sim_bdp;
	struct mptun_sim *sim;
	u32 use;

	c.loss = 100;
	sim = mptun_sim_path(test, &c);
	mptun_sim_run(sim, 5000);
	use = mptun_sim_use(sim, 60000);
	KUNIT_EXPECT_GE(test, use, 140U);
	KUNIT_EXPECT_LE(test, use, 260U);
	KUNIT_EXPECT_EQ(test, sim->spurious, 0ULL);
}

static void mptun_sim_test_fixed(struct kunit *test)
{
	struct mptun_sim_config c = mptun_sim_bdp;
	struct mptun_sim *sim;

	c.cc = "fixed";
	c.fixed_rate = 10 * MPTUN_SIM_MBIT;
	sim = mptun_sim_path(test, &c);
	mptun_sim_run(sim, 1000);
	KUNIT_EXPECT_EQ(test, (mptun_sim_use(sim, 60000) + 5) / 10, 50U);
	KUNIT_EXPECT_EQ(test, sim->dropped, 0ULL);
	KUNIT_EXPECT_LE(test, sim->max_queue, 2 * MPTUN_SIM_MSS);

	/* Losses are ignored. */
	c.loss = 20;
	sim = mptun_sim_path(test, &c);
	mptun_sim_run(sim, 1000);
	KUNIT_EXPECT_GE(test, mptun_sim_use(sim, 60000), 470U);

	/* With a rate above the link's the window bounds the queue. */
	c.loss = 0;
	c.fixed_rate = 30 * MPTUN_SIM_MBIT;
	c.buffer = 10000000;
	sim = mptun_sim_path(test, &c);
	KUNIT_EXPECT_GE(test, mptun_sim_use(sim, 20000), 990U);
	KUNIT_EXPECT_LE(test, sim->max_queue, 30 * MPTUN_SIM_MBIT * 18 / 100);
	KUNIT_EXPECT_EQ(test, sim->dropped, 0ULL);
}

/* As much as the records hold, and no more. */
static void mptun_sim_test_none(struct kunit *test)
{
	struct mptun_sim_config c = mptun_sim_bdp;
	struct mptun_sim *sim;

	c.cc = "none";
	sim = mptun_sim_path(test, &c);
	mptun_sim_run(sim, 100);
	KUNIT_EXPECT_GE(test, mptun_sim_use(sim, 200), 950U);
	KUNIT_EXPECT_LE(test, sim->sent.packets, MPTUN_SENT_MAX);
	KUNIT_EXPECT_GT(test, sim->lost, 10000ULL);
	KUNIT_EXPECT_EQ(test, mptun_ring_size(&sim->sent.ring), MPTUN_SENT_MAX);
}

/* Runs are reproducible. */
static void mptun_sim_test_repeat(struct kunit *test)
{
	struct mptun_sim_config c = mptun_sim_bdp;
	struct mptun_sim *sim;
	u64 delivered, lost;
	struct mptun_cc cc;

	c.loss = 500;
	c.jitter_us = 3000;
	sim = mptun_sim_path(test, &c);
	mptun_sim_run(sim, 20000);
	delivered = sim->delivered;
	lost = sim->lost;
	cc = sim->cc;
	sim = mptun_sim_path(test, &c);
	mptun_sim_run(sim, 20000);
	KUNIT_EXPECT_EQ(test, sim->delivered, delivered);
	KUNIT_EXPECT_EQ(test, sim->lost, lost);
	KUNIT_EXPECT_EQ(test, memcmp(&sim->cc, &cc, sizeof(cc)), 0);
}

static struct kunit_case mptun_sim_cases[] = {
	KUNIT_CASE(mptun_sim_test_use),
	KUNIT_CASE(mptun_sim_test_start),
	KUNIT_CASE(mptun_sim_test_burst),
	KUNIT_CASE(mptun_sim_test_dark),
	KUNIT_CASE(mptun_sim_test_tail),
	KUNIT_CASE(mptun_sim_test_app),
	KUNIT_CASE(mptun_sim_test_jitter),
	KUNIT_CASE(mptun_sim_test_loss),
	KUNIT_CASE(mptun_sim_test_fixed),
	KUNIT_CASE(mptun_sim_test_none),
	KUNIT_CASE(mptun_sim_test_repeat),
	{}
};

static struct kunit_suite mptun_sim_suite = {
	.name = "mptun_cc_sim",
	.exit = mptun_sim_exit,
	.test_cases = mptun_sim_cases,
};

kunit_test_suite(mptun_sim_suite);
