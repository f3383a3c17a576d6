/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Simulated path: sender, bottleneck and receiver in virtual time.
 *
 * The sender is the real code: sent records, round-trip time, congestion
 * control and pacing, used as a tunnel uses them.  The bottleneck serves
 * packets at a rate from a drop-tail buffer; the rest of the path is a delay in
 * each direction.  The receiver reports as the protocol demands: at most once
 * per eighth of a round trip, at once on a new gap, newest ranges first.
 * Events are processed in the order of their times, and only a seed is random,
 * so runs are reproducible.  Several paths can share a timeline, and a
 * bottleneck with its queue.
 */
#ifndef _MPTUN_TEST_CC_SIM_H
#define _MPTUN_TEST_CC_SIM_H

#include <linux/prandom.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "cc/cc.h"
#include "recovery/pacing.h"
#include "recovery/rate_sample.h"
#include "recovery/sent.h"

struct kunit;
struct kunit_suite;

#define MPTUN_SIM_MSS		1500U
#define MPTUN_SIM_START		(1000ULL * NSEC_PER_SEC)
#define MPTUN_SIM_SPANS		64
#define MPTUN_SIM_WAY		131072U
#define MPTUN_SIM_REPORTS	1024U
#define MPTUN_SIM_LONG_WAIT	(10 * NSEC_PER_MSEC)

/**
 * struct mptun_sim_config - a path and its traffic
 * @cc: name of the controller
 * @rate: rate of the bottleneck in bytes per second
 * @buffer: its buffer in bytes, or the bucket of a policer
 * @policer: packets do not wait there
 * @delay_us: delay of one direction
 * @app_rate: rate of the traffic in bytes per second, 0 for unlimited
 * @fixed_rate: configured rate in bytes per second, 0 for none
 * @jitter_us: largest delay added to one packet in 50
 * @spread_us: standard deviation of the delay of each packet and report, which
 *	keep their order
 * @loss: one packet in this many is lost at random, 0 for none
 */
struct mptun_sim_config {
	const char *cc;
	u64 rate;
	u32 buffer;
	bool policer;
	u32 delay_us;
	u64 app_rate;
	u64 fixed_rate;
	u32 jitter_us;
	u32 spread_us;
	u32 loss;
};

/**
 * struct mptun_sim_packet - a packet in flight
 * @at: arrival time in ns
 * @number: its number
 * @sent_ns: when it was sent
 * @probe: it is a probe and has no number
 */
struct mptun_sim_packet {
	u64 at;
	u64 number;
	u64 sent_ns;
	bool probe;
};

/**
 * struct mptun_sim_report - a report or the answer to a probe in flight
 * @at: arrival time in ns
 * @probe_ns: send time of the probe that it answers, 0 if none
 * @delay_us: age of the largest number
 * @arrival_us: receiver's time of the arrival of the largest number
 * @bytes: bytes received
 * @n: number of @spans
 * @spans: numbers received
 */
struct mptun_sim_report {
	u64 at;
	u64 probe_ns;
	u32 delay_us;
	u32 arrival_us;
	u64 bytes;
	u32 n;
	struct mptun_ack_span spans[MPTUN_SIM_SPANS];
};

/**
 * struct mptun_sim - a simulated path
 * @test: the test
 * @lock: held as the tunnel's lock, to detect code that sleeps
 * @broken: the first failed assertion, NULL if there is none
 * @config: path and traffic
 * @next: next path of the timeline, NULL if there is none
 * @link: the path whose bottleneck it uses, usually itself
 * @rnd: random state
 * @now: time in ns
 * @sent: records of the sender
 * @rtt: its round-trip time
 * @cc: its congestion control
 * @pacer: its pacer
 * @sample: its delivery rate
 * @idle: the sender is idle
 * @pace_ns: when it may send again
 * @probe_ns: when the next probe may be sent
 * @probes: probes sent since the last progress
 * @app_bytes: bytes sent by the application
 * @free_ns: when the bottleneck becomes idle
 * @last_ns: latest arrival of a packet on the way
 * @dark_ns: end of a blackout
 * @burst: packets to lose in a row
 * @way: packets in flight, by arrival
 * @way_head: first of them
 * @way_tail: end of them
 * @back: reports in flight
 * @back_head: first of them
 * @back_tail: end of them
 * @got: numbers received, one bit for each of the last MPTUN_SIM_WAY
 * @largest: largest number received
 * @largest_ns: when it arrived
 * @any: @largest is valid
 * @report_ns: when the next report is due
 * @reported_ns: when the last report left
 * @delivered: bytes received
 * @acked: bytes acknowledged
 * @dropped: packets dropped at the buffer
 * @lost: packets declared lost
 * @spurious: packets declared lost that arrived
 * @max_queue: largest content of the buffer in bytes
 * @waits: packets that went through the buffer
 * @wait_ns: sum of their waiting times
 * @max_wait_ns: longest of them
 * @long_waits: packets that waited longer than MPTUN_SIM_LONG_WAIT
 */
struct mptun_sim {
	struct kunit *test;
	spinlock_t lock; /* never contended */
	const char *broken;
	struct mptun_sim_config config;
	struct mptun_sim *next;
	struct mptun_sim *link;
	struct rnd_state rnd;
	u64 now;

	/* Sender */
	struct mptun_sent sent;
	struct mptun_rtt rtt;
	struct mptun_cc cc;
	struct mptun_pacer pacer;
	struct mptun_sample sample;
	bool idle;
	u64 pace_ns;
	u64 probe_ns;
	u32 probes;
	u64 app_bytes;

	/* Path */
	u64 free_ns;
	u64 last_ns;
	u64 dark_ns;
	u32 burst;
	struct mptun_sim_packet *way;
	u32 way_head;
	u32 way_tail;
	struct mptun_sim_report *back;
	u32 back_head;
	u32 back_tail;

	/* Receiver */
	unsigned long *got;
	u64 largest;
	u64 largest_ns;
	bool any;
	u64 report_ns;
	u64 reported_ns;

	/* Statistics */
	u64 delivered;
	u64 acked;
	u64 dropped;
	u64 lost;
	u64 spurious;
	u32 max_queue;
	u64 waits;
	u64 wait_ns;
	u64 max_wait_ns;
	u64 long_waits;
};

struct mptun_sim *mptun_sim_new(struct kunit *test,
				const struct mptun_sim_config *config);
void mptun_sim_free(struct mptun_sim *sim);
struct mptun_sim *mptun_sim_path(struct kunit *test,
				 const struct mptun_sim_config *config);
struct mptun_sim *mptun_sim_beside(struct mptun_sim *sim,
				   const struct mptun_sim_config *config,
				   struct mptun_sim *link);
void mptun_sim_exit(struct kunit *test);
void mptun_sim_run(struct mptun_sim *sim, u32 ms);
void mptun_sim_forget(struct mptun_sim *sim);
u32 mptun_sim_use(struct mptun_sim *sim, u32 ms);

#endif /* _MPTUN_TEST_CC_SIM_H */
