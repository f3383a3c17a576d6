/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Loss proofs: derives gaps in the dsns of a path from its arrivals.
 */
#ifndef _MPTUN_LOSS_PROOF_H
#define _MPTUN_LOSS_PROOF_H

#include <linux/types.h>

#include "reorder/reorder.h"

#define MPTUN_LOSS_PROOF_RUNS	44	/* runs of arrivals kept */
#define MPTUN_LOSS_PROOF_PROVED	8	/* decided losses kept to learn from */

/* Packets that must follow, as in TCP and QUIC. */
#define MPTUN_LOSS_PROOF_PACKETS	3
#define MPTUN_LOSS_PROOF_PACKETS_MAX	1024

/* Largest tolerance; a later packet is as good as lost. */
#define MPTUN_LOSS_PROOF_US_MAX		250000

/* Time that proves a loss with few packets behind it on a path without known
 * reordering: more than batching and parallel queues delay.
 */
#define MPTUN_LOSS_PROOF_FLUSH_US		5000

/* Packets after which the tolerances shrink. */
#define MPTUN_LOSS_PROOF_EPOCH		1024

/**
 * struct mptun_arrival - a data packet that arrived on a path
 * @pn: packet number
 * @dsn: data sequence number
 * @fseq: first transmissions of its path so far, mod 256; a copy repeats the
 *	previous value
 * @copy: not the first transmission of its dsn
 */
struct mptun_arrival {
	u64 pn;
	u32 dsn;
	u8 fseq;
	bool copy;
};

/**
 * struct mptun_loss_proof_run - consecutive packet numbers that arrived
 * @first: lowest number, low 16 bits
 * @last: highest number, low 16 bits
 * @dsn_low: dsn of the first transmission with the lowest number
 * @dsn_high: dsn of the first transmission with the highest number
 * @time: earliest arrival, in us
 * @fseq_low: first transmissions before the run, mod 256
 * @fseq_high: first transmissions up to the end of the run, mod 256
 * @firsts: the run contains a first transmission; if not, both dsns are
 *	undefined
 */
struct mptun_loss_proof_run {
	u16 first;
	u16 last;
	u32 dsn_low;
	u32 dsn_high;
	u32 time;
	u8 fseq_low;
	u8 fseq_high;
	bool firsts;
};

/**
 * struct mptun_loss_proof_gap - packet numbers declared lost
 * @first: lowest number, low 16 bits
 * @last: highest number, low 16 bits
 * @time: earliest arrival of a higher number, in us
 */
struct mptun_loss_proof_gap {
	u16 first;
	u16 last;
	u32 time;
};

/**
 * struct mptun_loss_proof - arrivals of one path
 * @top: highest packet number received
 * @lost: first transmissions lost since @dsn_high of the first run
 * @packets: packets that must follow a missing number
 * @us: time that must pass, in us
 * @worst_packets: largest lateness of this epoch, in packets
 * @worst_us: largest lateness of this epoch, in us
 * @epoch: packets received in this epoch
 * @clean: packets received since the last copy, saturating
 * @runs: number of runs kept; 0 before the first arrival
 * @oldest: next entry of @proved to be overwritten
 * @proved_gaps: number of entries of @proved in use
 * @run: the runs in ascending order; all numbers up to the end of the first are
 *	decided
 * @proved: the latest numbers declared lost
 */
struct mptun_loss_proof {
	u64 top;
	u32 lost;
	u32 packets;
	u32 us;
	u32 worst_packets;
	u32 worst_us;
	u16 epoch;
	u16 clean;
	u8 runs;
	u8 oldest;
	u8 proved_gaps;
	struct mptun_loss_proof_run run[MPTUN_LOSS_PROOF_RUNS];
	struct mptun_loss_proof_gap proved[MPTUN_LOSS_PROOF_PROVED];
};

void mptun_loss_proof_init(struct mptun_loss_proof *e);
unsigned int mptun_loss_proof_receive(struct mptun_loss_proof *e,
				    const struct mptun_arrival *a, u64 now,
				    struct mptun_gap *out,
				    unsigned int max);
u64 mptun_loss_proof_deadline(const struct mptun_loss_proof *e, u64 now);
unsigned int mptun_loss_proof_expire(struct mptun_loss_proof *e, u64 now,
				   struct mptun_gap *out,
				   unsigned int max);

#endif /* _MPTUN_LOSS_PROOF_H */
