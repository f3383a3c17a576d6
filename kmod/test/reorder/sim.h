/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Simulated paths of the reorder buffer: what is sent, and when it arrives.
 *
 * Each path sends a packet (or a burst) at a fixed interval with the next dsn
 * of the tunnel.  It takes the path's delay, its place in the burst, and a
 * random jitter, unless it is lost.  Arrivals go to the loss proofs of their
 * path and to the buffer in the order of arrival; the timers of both fire when
 * due.  The hold time is longer than any run: only a proof gives up a hole.
 * Time is virtual and randomness seeded, so runs are reproducible.
 */
#ifndef _MPTUN_TEST_REORDER_SIM_H
#define _MPTUN_TEST_REORDER_SIM_H

#include <kunit/test.h>
#include <linux/prandom.h>

#include "reorder/loss_proof.h"
#include "reorder/reorder.h"

#define MPTUN_RSIM_PACKETS	20000
#define MPTUN_RSIM_PATHS		3
#define MPTUN_RSIM_LANES		8
#define MPTUN_RSIM_DSN		0xfffff000U	/* wraps early in each run */
#define MPTUN_RSIM_START_US	5000000ULL

/**
 * struct mptun_rsim_path - a simulated path
 * @delay_us: one-way delay
 * @gap_us: interval of packets, 0 if it sends none
 * @jitter_us: largest random addition to the delay
 * @loss: packets lost of 1000
 * @begin_us: time of its first packet
 */
struct mptun_rsim_path {
	u32 delay_us;
	u32 gap_us;
	u32 jitter_us;
	u32 loss;
	u32 begin_us;
};

/**
 * struct mptun_rsim_case - a scenario and its expectations
 * @path: the paths
 * @burst: packets a path sends at once
 * @copies: packets of 1000 that are also sent on the next path
 * @resend_us: time until a lost packet is retransmitted, 0 for never
 * @settle_us: time until the sender reports a packet as settled, 0 for never
 * @proved: least number of losses proved, of 1000
 * @false_proofs: largest number of first transmissions that arrived after they
 *	were given up
 * @slots: largest ring
 */
struct mptun_rsim_case {
	struct mptun_rsim_path path[MPTUN_RSIM_PATHS];
	u32 burst;
	u32 copies;
	u32 resend_us;
	u32 settle_us;
	u32 proved;
	u32 false_proofs;
	u32 slots;
};

/**
 * struct mptun_rsim_pkt - a transmission
 * @arrival_us: when it arrives
 * @number: packet number on its path
 * @index: its dsn, from 0
 * @path: its path
 * @fseq: first transmissions of its path
 * @copy: not the first transmission
 */
struct mptun_rsim_pkt {
	u64 arrival_us;
	u64 number;
	u32 index;
	u8 path;
	u8 fseq;
	bool copy;
};

/**
 * struct mptun_rsim - a run
 * @test: the test
 * @c: the scenario
 * @rnd: random state
 * @reorder: the buffer
 * @proof: loss proofs of each path
 * @number: last packet number of each path
 * @fseq: first transmissions of each path
 * @send_us: time of the next packet of each path
 * @pkt: transmissions that arrive, by arrival
 * @pkts: number of them
 * @sent: number of dsns
 * @sent_us: send time of each dsn
 * @floor: the sender's lowest unsettled dsn
 * @lane: lane of each dsn
 * @prev: distance of each dsn to its predecessor in the lane
 * @arrives: some transmission of this dsn arrives
 * @lost: the first transmission of this dsn is lost
 * @delivered: deliveries of each dsn
 * @last: newest dsn delivered in each lane, from 1
 * @broken: newest dsn given up in each lane, from 1
 * @overtaken: packets delivered after a newer one of their lane
 * @disorder: those of them without a packet given up in between
 * @false_proofs: first transmissions that arrived after they were given up
 * @false_later: those of them in the second half
 * @losses: first transmissions lost
 * @slots: largest ring
 * @now: the clock in ns
 */
struct mptun_rsim {
	struct kunit *test;
	const struct mptun_rsim_case *c;
	struct rnd_state rnd;
	struct mptun_reorder reorder;
	struct mptun_loss_proof proof[MPTUN_RSIM_PATHS];
	u64 number[MPTUN_RSIM_PATHS];
	u8 fseq[MPTUN_RSIM_PATHS];
	u64 send_us[MPTUN_RSIM_PATHS];
	struct mptun_rsim_pkt pkt[3 * MPTUN_RSIM_PACKETS];
	u32 pkts;
	u32 sent;
	u64 sent_us[MPTUN_RSIM_PACKETS];
	u32 floor;
	u8 lane[MPTUN_RSIM_PACKETS];
	u16 prev[MPTUN_RSIM_PACKETS];
	bool arrives[MPTUN_RSIM_PACKETS];
	bool lost[MPTUN_RSIM_PACKETS];
	u8 delivered[MPTUN_RSIM_PACKETS];
	u32 last[MPTUN_RSIM_LANES];
	u32 broken[MPTUN_RSIM_LANES];
	u32 overtaken;
	u32 disorder;
	u32 false_proofs;
	u32 false_later;
	u32 losses;
	u32 slots;
	u64 now;
};

void mptun_rsim_schedule(struct mptun_rsim *s);

#endif /* _MPTUN_TEST_REORDER_SIM_H */
