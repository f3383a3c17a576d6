/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Evidence of loss: turns the arrivals of one path into gaps.
 */
#ifndef _MPTUN_LOSS_PROOF_H
#define _MPTUN_LOSS_PROOF_H

#include <linux/types.h>

#include "reorder/reorder.h"

#define MPTUN_LOSS_PROOF_RUNS	44	/* runs of arrivals kept */
#define MPTUN_LOSS_PROOF_PROVED	8	/* gaps remembered to learn from */

/**
 * struct mptun_arrival - a data packet that arrived on a path
 * @pn: its packet number
 * @dsn: its data sequence number
 * @fseq: first transmissions of its path so far, mod 256; a copy repeats the
 *	number of the last one
 * @copy: not the first transmission of its dsn
 */
struct mptun_arrival {
	u64 pn;
	u32 dsn;
	u8 fseq;
	bool copy;
};

/**
 * struct mptun_loss_proof_run - neighbouring packet numbers that arrived
 * @first: lowest number of the run, its low 16 bits
 * @last: highest number of the run, its low 16 bits
 * @dsn_low: dsn of the first transmission with the lowest number
 * @dsn_high: dsn of the first transmission with the highest number
 * @time: when the earliest packet of the run arrived, in us
 * @fseq_low: first transmissions before the run, mod 256
 * @fseq_high: first transmissions up to the end of the run, mod 256
 * @firsts: the run holds a first transmission; if not, both dsns mean nothing
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
 * struct mptun_loss_proof_gap - a gap that was taken for a loss
 * @first: lowest number of the gap, its low 16 bits
 * @last: highest number of the gap, its low 16 bits
 * @time: when the first packet beyond it arrived, in us
 */
struct mptun_loss_proof_gap {
	u16 first;
	u16 last;
	u32 time;
};

/**
 * struct mptun_evidence - what one path has received
 * @top: highest packet number received
 * @lost: first transmissions lost since @dsn_high of the first run
 * @packets: packets that a gap must be followed by
 * @us: time that must pass after a gap, in us
 * @worst_packets: farthest that a packet came late in this epoch, in packets
 * @worst_us: longest that a packet came late in this epoch, in us
 * @epoch: packets received in this epoch
 * @clean: packets received since the last copy, saturating
 * @runs: number of runs kept; 0 before the first arrival
 * @oldest: next entry of @proved to be overwritten
 * @proved_gaps: number of entries of @proved in use
 * @run: the runs in ascending order; all below the end of the first one is
 *	decided
 * @proved: the newest gaps that were taken for losses
 */
struct mptun_evidence {
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

void mptun_evidence_init(struct mptun_evidence *e);
unsigned int mptun_evidence_receive(struct mptun_evidence *e,
				    const struct mptun_arrival *a, u64 now,
				    struct mptun_bracket *out,
				    unsigned int max);
u64 mptun_evidence_deadline(const struct mptun_evidence *e, u64 now);
unsigned int mptun_evidence_expire(struct mptun_evidence *e, u64 now,
				   struct mptun_bracket *out,
				   unsigned int max);

#endif /* _MPTUN_LOSS_PROOF_H */
