// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Congestion controller "bbr" over a simulated link: full use without a queue.
 */
#include <kunit/test.h>
#include <linux/math64.h>
#include <linux/time64.h>

#include "cc/bbr.h"
#include "test/cc/sim.h"

#define MPTUN_SIM_MBIT		125000ULL

/* Paths with a buffer of 100 ms. */
static const struct mptun_sim_bbr_path {
	u32 mbit;
	u32 rtt_ms;
} mptun_sim_bbr_paths[] = {
	{ 20, 40 }, { 5, 50 }, { 100, 10 },
};

static u64 mptun_sim_bbr_part(u64 rate, u32 percent)
{
	return div_u64(rate * percent, 100);
}

static struct mptun_sim_config
mptun_sim_bbr_config(const struct mptun_sim_bbr_path *path)
{
	return (struct mptun_sim_config){
		.cc = "bbr",
		.rate = path->mbit * MPTUN_SIM_MBIT,
		.buffer = mptun_sim_bbr_part(path->mbit * MPTUN_SIM_MBIT, 10),
		.delay_us = path->rtt_ms * 500,
	};
}

/* Replaces the path of the test and runs it for @ms. */
static struct mptun_sim *mptun_sim_bbr_new(struct kunit *test,
					   const struct mptun_sim_config *c,
					   u32 ms)
{
	struct mptun_sim *sim = mptun_sim_path(test, c);

	mptun_sim_run(sim, ms);
	mptun_sim_forget(sim);
	return sim;
}

/* The first path without extras. */
static struct mptun_sim *mptun_sim_bbr_plain(struct kunit *test, u32 ms)
{
	struct mptun_sim_config c;

	c = mptun_sim_bbr_config(&mptun_sim_bbr_paths[0]);
	return mptun_sim_bbr_new(test, &c, ms);
}

static u32 mptun_sim_bbr_mean_us(const struct mptun_sim *sim)
{
	return div64_u64(sim->wait_ns, sim->waits * NSEC_PER_USEC);
}

static u64 mptun_sim_bbr_bw(struct mptun_sim *sim)
{
	const struct mptun_bbr *b = mptun_bbr_priv(&sim->cc);

	return max(b->max_bw[0], b->max_bw[1]);
}

/* The link is busy with nearly no queue. */
static void mptun_sim_bbr_queue(struct kunit *test)
{
	const struct mptun_sim_bbr_path *path = mptun_sim_bbr_paths;
	struct mptun_sim_config c;
	struct mptun_sim *sim;
	u32 use, mean;
	int i;

	for (i = 0; i < ARRAY_SIZE(mptun_sim_bbr_paths); i++, path++) {
		c = mptun_sim_bbr_config(path);
		sim = mptun_sim_bbr_new(test, &c, 5000);
		use = mptun_sim_use(sim, 15000);
		mean = mptun_sim_bbr_mean_us(sim);
		kunit_info(test, "%u Mbit/s, %u ms: use %u of 1000, waits %u us, %llu at most, %llu of %llu long\n",
			   path->mbit, path->rtt_ms, use, mean,
			   div_u64(sim->max_wait_ns, NSEC_PER_USEC),
			   sim->long_waits, sim->waits);
		KUNIT_EXPECT_GE(test, use, 980U);
		KUNIT_EXPECT_LE(test, mean, 4000U);
		KUNIT_EXPECT_LE(test, sim->long_waits * 100, sim->waits * 12);
		KUNIT_EXPECT_LE(test, sim->max_wait_ns, 30 * NSEC_PER_MSEC);
		KUNIT_EXPECT_EQ(test, sim->dropped, 0ULL);
	}
}

/* The link is busy soon, and startup has at most in flight what the path and a
 * buffer of the same size hold.
 */
static void mptun_sim_bbr_start(struct kunit *test)
{
	const struct mptun_sim_bbr_path *path = mptun_sim_bbr_paths;
	struct mptun_sim_config c;
	struct mptun_sim *sim;
	u32 use;
	int i;

	for (i = 0; i < ARRAY_SIZE(mptun_sim_bbr_paths); i++, path++) {
		c = mptun_sim_bbr_config(path);
		sim = mptun_sim_bbr_new(test, &c, 0);
		use = mptun_sim_use(sim, 25 * path->rtt_ms);
		kunit_info(test, "%u Mbit/s, %u ms: use %u of 1000, waits %llu us at most\n",
			   path->mbit, path->rtt_ms, use,
			   div_u64(sim->max_wait_ns, NSEC_PER_USEC));
		KUNIT_EXPECT_GE(test, use, 800U);
		KUNIT_EXPECT_LE(test, sim->max_wait_ns,
				(path->rtt_ms * 3 / 2) * (u64)NSEC_PER_MSEC);
		KUNIT_EXPECT_EQ(test, sim->dropped, 0ULL);
	}
}

/* Random loss of 1 % is no congestion. */
static void mptun_sim_bbr_loss(struct kunit *test)
{
	const struct mptun_sim_bbr_path *path = mptun_sim_bbr_paths;
	struct mptun_sim_config c;
	struct mptun_sim *sim;
	u32 use, mean;
	int i;

	for (i = 0; i < ARRAY_SIZE(mptun_sim_bbr_paths); i++, path++) {
		c = mptun_sim_bbr_config(path);
		c.loss = 100;
		sim = mptun_sim_bbr_new(test, &c, 5000);
		use = mptun_sim_use(sim, 15000);
		mean = mptun_sim_bbr_mean_us(sim);
		kunit_info(test, "%u Mbit/s, %u ms: use %u of 1000, waits %u us\n",
			   path->mbit, path->rtt_ms, use, mean);
		KUNIT_EXPECT_GE(test, use, 900U);
		KUNIT_EXPECT_LE(test, mean, 4000U);
	}
}

/* Policers drop what exceeds their rate, without a queue. */
static void mptun_sim_bbr_policer(struct kunit *test)
{
	static const u32 buckets[] = { 16000, 64000 };
	static const u32 delays[] = { 15000, 30000 };
	unsigned int i;

	for (i = 0; i < 4; i++) {
		struct mptun_sim_config c = {
			.cc = "bbr",
			.rate = 16 * MPTUN_SIM_MBIT,
			.policer = true,
			.buffer = buckets[i / 2],
			.delay_us = delays[i % 2],
		};
		struct mptun_sim *sim = mptun_sim_path(test, &c);
		u64 got, lost;
		u32 use, part;

		mptun_sim_run(sim, 5000);
		got = sim->delivered;
		lost = sim->dropped;
		mptun_sim_run(sim, 20000);
		use = div_u64((sim->delivered - got) * 1000, 20 * c.rate);
		part = div_u64((sim->dropped - lost) * 1500 * 1000,
			       20 * c.rate);
		kunit_info(test, "bucket %u, %u us: %u of 1000, lost %u\n",
			   c.buffer, c.delay_us, use, part);
		KUNIT_EXPECT_GE(test, use, 900U);
		KUNIT_EXPECT_LE(test, part, 20U);
	}
}

/* Reordering makes the path look neither faster nor full. */
static void mptun_sim_bbr_jitter(struct kunit *test)
{
	struct mptun_sim_config c;
	struct mptun_sim *sim;

	c = mptun_sim_bbr_config(&mptun_sim_bbr_paths[0]);
	c.jitter_us = 15000;
	sim = mptun_sim_bbr_new(test, &c, 5000);
	KUNIT_EXPECT_GE(test, mptun_sim_use(sim, 15000), 980U);
	KUNIT_EXPECT_LE(test, mptun_sim_bbr_mean_us(sim), 2000U);
	KUNIT_EXPECT_LE(test, mptun_sim_bbr_bw(sim),
			mptun_sim_bbr_part(c.rate, 102));
}

/* Latency that varies and rises with load, as on radio links, leaves the link
 * busy: from the start, and after a time of light traffic.
 */
static void mptun_sim_bbr_spread(struct kunit *test)
{
	struct mptun_sim_config c = {
		.cc = "bbr",
		.rate = 50 * MPTUN_SIM_MBIT,
		.buffer = mptun_sim_bbr_part(50 * MPTUN_SIM_MBIT, 10),
		.delay_us = 20000,
	};
	struct mptun_sim *sim;
	u32 use, spread, light;

	for (spread = 5000; spread <= 20000; spread *= 2) {
		for (light = 0; light <= 1; light++) {
			c.spread_us = spread;
			c.app_rate = light * mptun_sim_bbr_part(c.rate, 1);
			sim = mptun_sim_bbr_new(test, &c, light * 20000);
			sim->config.app_rate = 0;
			mptun_sim_run(sim, 3000);
			use = mptun_sim_use(sim, 15000);
			kunit_info(test, "20 ms +- %u us, after %s: use %u of 1000, waits %u us\n",
				   spread, light ? "light traffic" : "nothing",
				   use, mptun_sim_bbr_mean_us(sim));
			KUNIT_EXPECT_GE(test, use, light ? 850U : 920U);
		}
	}
}

/* A buffer of 10 ms suffices, and is rarely full. */
static void mptun_sim_bbr_shallow(struct kunit *test)
{
	struct mptun_sim_config c;
	struct mptun_sim *sim;
	u64 lost;

	c = mptun_sim_bbr_config(&mptun_sim_bbr_paths[0]);
	c.buffer /= 10;
	sim = mptun_sim_bbr_new(test, &c, 5000);
	lost = sim->lost;
	KUNIT_EXPECT_GE(test, mptun_sim_use(sim, 15000), 950U);
	KUNIT_EXPECT_LE(test, (sim->lost - lost) * 100, sim->waits);
	KUNIT_EXPECT_LE(test, mptun_sim_bbr_mean_us(sim), 3000U);
}

/* A long application-limited phase keeps the model, and the path is full at
 * once afterwards.
 */
static void mptun_sim_bbr_app(struct kunit *test)
{
	struct mptun_sim *sim = mptun_sim_bbr_plain(test, 5000);
	u64 rate = sim->config.rate, us;
	u32 percent;

	for (percent = 5; percent <= 75; percent += 35) {
		sim->config.app_rate = mptun_sim_bbr_part(rate, percent);
		us = div_u64(sim->now - MPTUN_SIM_START, NSEC_PER_USEC);
		sim->app_bytes = div_u64(us * sim->config.app_rate,
					 USEC_PER_SEC);
		KUNIT_EXPECT_LE(test, mptun_sim_use(sim, 10000),
				percent * 10 + 5);
		KUNIT_EXPECT_GE(test, mptun_sim_bbr_bw(sim),
				mptun_sim_bbr_part(rate, 98));
		sim->config.app_rate = 0;
		mptun_sim_run(sim, 60);
		KUNIT_EXPECT_GE(test, mptun_sim_use(sim, 500), 950U);
	}
	/* and from the start */
	sim = mptun_sim_bbr_new(test, &(struct mptun_sim_config){
		.cc = "bbr",
		.rate = rate,
		.buffer = mptun_sim_bbr_part(rate, 10),
		.delay_us = 20000,
		.app_rate = rate / 2,
	}, 1000);
	KUNIT_EXPECT_GE(test, mptun_sim_use(sim, 10000), 495U);
	KUNIT_EXPECT_FALSE(test, mptun_bbr_priv(&sim->cc)->full_reached);
}

/* The overflow of a low-latency path comes in bursts and never fills a round
 * trip.  Startup still ends, as such fast bursts build a queue.
 */
static void mptun_sim_bbr_bursts(struct kunit *test)
{
	struct mptun_sim_config c = {
		.cc = "bbr",
		.rate = 10 * MPTUN_SIM_MBIT,
		.buffer = 10 * MPTUN_SIM_MBIT,
		.delay_us = 50000,
	};
	struct mptun_sim *sim = mptun_sim_path(test, &c);
	u32 ms;
	u64 us;

	for (ms = 0; ms < 10000; ms += 50) {
		if (ms == 5000)
			mptun_sim_forget(sim);
		us = div_u64(sim->now - MPTUN_SIM_START, NSEC_PER_USEC);
		sim->config.app_rate =
			mptun_sim_bbr_part(c.rate, ms % 100 ? 5 : 150);
		sim->app_bytes = div_u64(us * sim->config.app_rate,
					 USEC_PER_SEC);
		mptun_sim_run(sim, 50);
	}
	kunit_info(test, "waits %u us, %llu at most, %llu of 10000000 bits/s\n",
		   mptun_sim_bbr_mean_us(sim),
		   div_u64(sim->max_wait_ns, NSEC_PER_USEC),
		   mptun_sim_bbr_bw(sim) * 8);
	KUNIT_EXPECT_TRUE(test, mptun_bbr_priv(&sim->cc)->full_reached);
	KUNIT_EXPECT_GE(test, mptun_sim_bbr_bw(sim),
			mptun_sim_bbr_part(c.rate, 80));
	KUNIT_EXPECT_LE(test, sim->max_wait_ns, 15 * NSEC_PER_MSEC);
}

/* Time until the link was busy for 200 ms with a short queue. */
static u32 mptun_sim_bbr_settle(struct mptun_sim *sim, u32 limit_ms)
{
	u32 ms, good = 0;

	for (ms = 0; ms < limit_ms && good < 4; ms += 50) {
		mptun_sim_forget(sim);
		good++;
		if (mptun_sim_use(sim, 50) < 920 || sim->long_waits)
			good = 0;
	}
	return ms;
}

/* Doubling the rate is found with the next probe, halving it within a second
 * and a half.
 */
static void mptun_sim_bbr_step(struct kunit *test)
{
	struct mptun_sim *sim = mptun_sim_bbr_plain(test, 10000);
	u64 rate = sim->config.rate;
	u32 up, down;

	sim->config.rate = 2 * rate;
	up = mptun_sim_bbr_settle(sim, 10000);
	KUNIT_EXPECT_GE(test, mptun_sim_bbr_bw(sim),
			mptun_sim_bbr_part(rate, 190));
	mptun_sim_run(sim, 10000);
	sim->config.rate = rate;
	down = mptun_sim_bbr_settle(sim, 20000);
	kunit_info(test, "twice as fast found after %u ms, half as fast after %u ms\n",
		   up, down);
	KUNIT_EXPECT_LE(test, up, 4000U);
	KUNIT_EXPECT_LE(test, down, 1500U);
	KUNIT_EXPECT_LE(test, mptun_sim_bbr_bw(sim),
			mptun_sim_bbr_part(rate, 110));
}

/* Time until the link was busy for 200 ms, and no packet waited for longer. */
static u32 mptun_sim_bbr_busy(struct mptun_sim *sim, u64 wait_ns, u32 limit_ms)
{
	u32 ms, good = 0;

	for (ms = 0; ms < limit_ms && good < 4; ms += 50) {
		mptun_sim_forget(sim);
		good++;
		if (mptun_sim_use(sim, 50) < 900 || sim->max_wait_ns > wait_ns)
			good = 0;
	}
	return ms;
}

/* LTE at the edge of a cell: a fifteenth of the rate for 10 s, behind a buffer
 * of seconds.  The queue is gone soon, whatever the controller was doing, and
 * the path is full again within 4 s of the return.
 */
static void mptun_sim_bbr_falls(struct kunit *test)
{
	struct mptun_sim_config c = {
		.cc = "bbr",
		.rate = 30 * MPTUN_SIM_MBIT,
		.buffer = 1500000,
		.delay_us = 30000,
	};
	struct mptun_sim *sim;
	u32 ms, down, up;

	for (ms = 10000; ms < 16000; ms += 700) {
		sim = mptun_sim_bbr_new(test, &c, ms);
		sim->config.rate = div_u64(c.rate, 15);
		down = mptun_sim_bbr_busy(sim, 60 * NSEC_PER_MSEC, 10000);
		mptun_sim_run(sim, 10000 - down);
		sim->config.rate = c.rate;
		up = mptun_sim_bbr_busy(sim, NSEC_PER_SEC, 10000);
		kunit_info(test, "fallen after %u ms: found after %u ms, the return after %u ms\n",
			   ms, down, up);
		KUNIT_EXPECT_LE(test, down, 3000U);
		KUNIT_EXPECT_LE(test, up, 4000U);
	}
}

/* LTE whose rate is another one each second: the path follows it. */
static void mptun_sim_bbr_walks(struct kunit *test)
{
	static const u8 mbit[] = {
		11, 6, 8, 5, 7, 10, 12, 6, 6, 10, 15, 13, 10, 6, 6, 7, 8, 14,
		8, 5, 6, 12, 7, 9, 17, 24, 14, 20, 38, 30, 16, 9, 18, 11, 5, 2,
		3, 4, 7, 4, 3, 6, 9, 16, 24, 36, 22, 13, 25, 12, 7, 14, 9, 18,
	};
	struct mptun_sim_config c = {
		.cc = "bbr",
		.rate = 10 * MPTUN_SIM_MBIT,
		.buffer = 500 * MPTUN_SIM_MSS,
		.delay_us = 30000,
	};
	struct mptun_sim *sim = mptun_sim_bbr_new(test, &c, 5000);
	u64 before = sim->delivered, most = 0;
	u32 use, mean;
	int i;

	for (i = 0; i < ARRAY_SIZE(mbit); i++) {
		sim->config.rate = mbit[i] * MPTUN_SIM_MBIT;
		mptun_sim_run(sim, 1000);
		most += sim->config.rate;
	}
	use = div64_u64((sim->delivered - before) * 1000, most);
	mean = mptun_sim_bbr_mean_us(sim);
	kunit_info(test, "another rate each second: use %u of 1000, mean queue %u us\n",
		   use, mean);
	KUNIT_EXPECT_GE(test, use, 880U);
	KUNIT_EXPECT_LE(test, mean, 80000U);
}

/* A link that pauses, as in a handover or a scan, has not become slower. */
static void mptun_sim_bbr_pauses(struct kunit *test)
{
	struct mptun_sim_config c = {
		.cc = "bbr",
		.rate = 100 * MPTUN_SIM_MBIT,
		.buffer = 10000000,
		.delay_us = 15000,
	};
	struct mptun_sim *sim = mptun_sim_bbr_new(test, &c, 10000);
	u32 use;

	sim->free_ns = sim->now + 200 * NSEC_PER_MSEC;
	mptun_sim_run(sim, 500);
	use = mptun_sim_use(sim, 2000);
	kunit_info(test, "after a pause of 200 ms: use %u of 1000\n", use);
	KUNIT_EXPECT_GE(test, use, 900U);
}

/* PROBE_RTT ends beside flows that keep the queue full. */
static void mptun_sim_bbr_crowd(struct kunit *test)
{
	struct mptun_sim_config c = {
		.cc = "bbr",
		.rate = 2 * MPTUN_SIM_MBIT,
		.buffer = 250000,
		.delay_us = 5000,
	};
	struct mptun_sim *sim = mptun_sim_path(test, &c);
	u32 part;

	c.cc = "cubic";
	mptun_sim_beside(sim, &c, sim);
	mptun_sim_beside(sim, &c, sim);
	mptun_sim_run(sim, 60000);
	part = div64_u64(sim->delivered * 1000, sim->config.rate * 60);
	kunit_info(test, "beside two flows with cubic: %u of 1000\n", part);
	KUNIT_EXPECT_GE(test, part, 100U);
}

static void mptun_sim_bbr_longer(struct kunit *test, u32 times, u32 wait_us)
{
	struct mptun_sim *sim = mptun_sim_bbr_plain(test, 10000);
	u32 rtt_us = times * mptun_bbr_priv(&sim->cc)->min_rtt_us;

	sim->config.delay_us *= times;
	mptun_sim_run(sim, 1500);
	KUNIT_EXPECT_GE(test, mptun_bbr_priv(&sim->cc)->min_rtt_us,
			rtt_us - rtt_us / 40);
	KUNIT_EXPECT_LE(test, mptun_bbr_priv(&sim->cc)->min_rtt_us,
			rtt_us + rtt_us / 40);
	KUNIT_EXPECT_GE(test, mptun_sim_use(sim, 2000), 900U);
	mptun_sim_forget(sim);
	KUNIT_EXPECT_GE(test, mptun_sim_use(sim, 20000), 950U);
	KUNIT_EXPECT_LE(test, mptun_sim_bbr_mean_us(sim), wait_us);
}

/* A longer route looks like a queue first, then is adopted. */
static void mptun_sim_bbr_route(struct kunit *test)
{
	mptun_sim_bbr_longer(test, 2, 4000);
	mptun_sim_bbr_longer(test, 4, 6000);
}

/* Many packets lost in a row, and a blackout of two seconds. */
static void mptun_sim_bbr_holes(struct kunit *test)
{
	struct mptun_sim *sim = mptun_sim_bbr_plain(test, 5000);
	u32 ms;

	sim->burst = 40;
	mptun_sim_run(sim, 200);
	KUNIT_EXPECT_EQ(test, sim->lost, 40ULL);
	KUNIT_EXPECT_GE(test, mptun_sim_use(sim, 2000), 600U);
	KUNIT_EXPECT_GE(test, mptun_sim_use(sim, 10000), 950U);

	sim->dark_ns = sim->now + 2ULL * NSEC_PER_SEC;
	mptun_sim_run(sim, 2000);
	KUNIT_EXPECT_GE(test, sim->probes, 2U);
	for (ms = 0; ms < 2500 && sim->probes; ms++)
		mptun_sim_run(sim, 1);
	KUNIT_EXPECT_LT(test, ms, 2500U);
	mptun_sim_run(sim, 3000);
	KUNIT_EXPECT_GE(test, mptun_sim_use(sim, 10000), 950U);
}

/* The bandwidth is known after startup, whatever jitter makes of the delivery
 * rate.
 */
static void mptun_sim_bbr_known(struct kunit *test)
{
	const struct mptun_sim_bbr_path *path = mptun_sim_bbr_paths;
	struct mptun_sim_config c;
	struct mptun_sim *sim;
	u64 bw;
	int i;

	for (i = 0; i < ARRAY_SIZE(mptun_sim_bbr_paths); i++, path++) {
		c = mptun_sim_bbr_config(path);
		sim = mptun_sim_bbr_new(test, &c, 0);
		KUNIT_EXPECT_EQ(test, mptun_cc_rate(&sim->cc, 0), 0ULL);
		KUNIT_EXPECT_EQ(test, mptun_cc_rate(&sim->cc, 1), 1ULL);
		mptun_sim_run(sim, 5000);
		bw = mptun_cc_rate(&sim->cc, div_u64(c.rate, 60));
		kunit_info(test, "%u Mbit/s, %u ms: bw %llu of %llu\n",
			   path->mbit, path->rtt_ms, bw, c.rate);
		KUNIT_EXPECT_GE(test, bw, mptun_sim_bbr_part(c.rate, 90));
		KUNIT_EXPECT_LE(test, bw, mptun_sim_bbr_part(c.rate, 110));
		KUNIT_EXPECT_EQ(test, mptun_cc_rate(&sim->cc, 2 * c.rate),
				2 * c.rate);
	}
}

/* Runs are reproducible. */
static void mptun_sim_bbr_repeat(struct kunit *test)
{
	struct mptun_sim_config c;
	struct mptun_sim *sim;
	struct mptun_cc cc;
	u64 acked;

	c = mptun_sim_bbr_config(&mptun_sim_bbr_paths[0]);
	c.loss = 500;
	c.jitter_us = 3000;
	sim = mptun_sim_bbr_new(test, &c, 10000);
	cc = sim->cc;
	acked = sim->acked;
	sim = mptun_sim_bbr_new(test, &c, 10000);
	KUNIT_EXPECT_EQ(test, memcmp(&sim->cc, &cc, sizeof(cc)), 0);
	KUNIT_EXPECT_EQ(test, sim->acked, acked);
}

static struct kunit_case mptun_sim_bbr_cases[] = {
	KUNIT_CASE(mptun_sim_bbr_queue),
	KUNIT_CASE(mptun_sim_bbr_start),
	KUNIT_CASE(mptun_sim_bbr_loss),
	KUNIT_CASE(mptun_sim_bbr_policer),
	KUNIT_CASE(mptun_sim_bbr_jitter),
	KUNIT_CASE(mptun_sim_bbr_spread),
	KUNIT_CASE(mptun_sim_bbr_shallow),
	KUNIT_CASE(mptun_sim_bbr_app),
	KUNIT_CASE(mptun_sim_bbr_bursts),
	KUNIT_CASE(mptun_sim_bbr_step),
	KUNIT_CASE(mptun_sim_bbr_falls),
	KUNIT_CASE(mptun_sim_bbr_walks),
	KUNIT_CASE(mptun_sim_bbr_pauses),
	KUNIT_CASE(mptun_sim_bbr_crowd),
	KUNIT_CASE(mptun_sim_bbr_route),
	KUNIT_CASE(mptun_sim_bbr_holes),
	KUNIT_CASE(mptun_sim_bbr_known),
	KUNIT_CASE(mptun_sim_bbr_repeat),
	{}
};

static struct kunit_suite mptun_sim_bbr_suite = {
	.name = "mptun_cc_sim_bbr",
	.exit = mptun_sim_exit,
	.test_cases = mptun_sim_bbr_cases,
};

kunit_test_suite(mptun_sim_bbr_suite);
