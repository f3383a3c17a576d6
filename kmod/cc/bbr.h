/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Congestion controller "bbr", shared by cc/bbr.c, cc/bbr_state.c,
 * cc/bbr_model.c, cc/bbr_loss.c and cc/bbr_rtt.c.
 */
#ifndef _MPTUN_CC_BBR_H
#define _MPTUN_CC_BBR_H

#include <linux/build_bug.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/time64.h>

#include "cc/cc.h"

/* No bound of the bandwidth or of the bytes in flight. */
#define MPTUN_BBR_NO_BW			U64_MAX
#define MPTUN_BBR_NO_LIMIT		U32_MAX

/* Upper limit of rates; keeps products with gains and round-trip times in 64
 * bits.
 */
#define MPTUN_BBR_BW_MAX		0x1000000000ULL

/* The smallest window, in packets (MinPipeCwnd). */
#define MPTUN_BBR_MIN_PACKETS		4U

/* Percentages: bounds after excessive loss (Beta), headroom left to other flows
 * (Headroom), pacing below the bandwidth (PacingMarginPercent).
 */
#define MPTUN_BBR_BETA_PERCENT		70U
#define MPTUN_BBR_HEADROOM_PERCENT	15U
#define MPTUN_BBR_MARGIN_PERCENT	1U

/**
 * enum mptun_bbr_state - state of the machine
 * @MPTUN_BBR_STARTUP: find the bandwidth, doubling the rate per round trip
 * @MPTUN_BBR_DRAIN: drain the queue of startup
 * @MPTUN_BBR_DOWN: drain the queue of a probe
 * @MPTUN_BBR_CRUISE: use the path as modelled
 * @MPTUN_BBR_REFILL: fill the path before a probe
 * @MPTUN_BBR_UP: probe for more bandwidth
 * @MPTUN_BBR_PROBE_RTT: measure the round-trip time without a queue
 * @MPTUN_BBR_STATES: number of states
 */
enum mptun_bbr_state {
	MPTUN_BBR_STARTUP,
	MPTUN_BBR_DRAIN,
	MPTUN_BBR_DOWN,
	MPTUN_BBR_CRUISE,
	MPTUN_BBR_REFILL,
	MPTUN_BBR_UP,
	MPTUN_BBR_PROBE_RTT,
	MPTUN_BBR_STATES,
};

/**
 * enum mptun_bbr_acks - phase of the packets being acknowledged
 * @MPTUN_BBR_ACKS_INIT: not sent by a probe
 * @MPTUN_BBR_ACKS_REFILLING: sent before a probe
 * @MPTUN_BBR_ACKS_STARTING: a probe runs, packets before it
 * @MPTUN_BBR_ACKS_FEEDBACK: a probe runs, its own packets
 * @MPTUN_BBR_ACKS_STOPPING: last packets of a probe
 */
enum mptun_bbr_acks {
	MPTUN_BBR_ACKS_INIT,
	MPTUN_BBR_ACKS_REFILLING,
	MPTUN_BBR_ACKS_STARTING,
	MPTUN_BBR_ACKS_FEEDBACK,
	MPTUN_BBR_ACKS_STOPPING,
};

/**
 * struct mptun_bbr - private data
 * @max_bw: largest delivery rate of this probe cycle and the previous one
 * @bw: bandwidth in use, bytes per second
 * @bw_latest: largest delivery rate of this loss round
 * @bw_shortterm: bound of the bandwidth after losses, until the next probe
 * @burst_bw: largest rate of a burst while the bandwidth is not known
 * @full_bw: delivery rate that startup or a probe must exceed to continue
 * @undo_bw_shortterm: @bw_shortterm before losses that may be spurious
 * @slower_ns: since when the link seems to be much slower, 0 if it does not
 * @slower_bytes: bytes acknowledged since then
 * @step_bw: largest delivery rate of the busy path since round trips became
 *	clearly longer, or the mean one of a link that seems to be much slower;
 *	0 if neither is known
 * @base_bw: delivery rate when the filter of @least_us started, 0 if unknown
 * @probe_bw: bandwidth before this probe
 * @pacing_rate: pacing rate before the core bounds it
 * @round_ns: packets sent from then on belong to the next round trip
 * @loss_round_ns: the same for loss rounds
 * @undo_ns: packets sent until then were lost in the current loss episode
 * @ce_ns: time of the last reaction to a congestion mark
 * @cycle_ns: start of the current probe cycle
 * @wait_ns: longest time from then to the next probe
 * @changed_ns: when the bandwidth was last found to have changed, 0 if never
 * @min_rtt_ns: when @min_rtt_us was measured
 * @probe_rtt_min_ns: when @probe_rtt_min_us was last measured or nearly
 *	measured
 * @probe_rtt_done_ns: end of PROBE_RTT, at first the earliest one; 0 while too
 *	much is in flight
 * @extra_ns: start of the current aggregation sample
 * @base_ns: start of the current epoch of @least_us, 0 to start again
 * @measured_ns: when a round-trip time was last measured
 * @share_lost: bytes lost in round trips not yet part of @loss_mean
 * @share_sent: bytes in flight in them
 * @rtt_sum_us: sum of the samples of this round trip
 * @rtt_samples: number of these
 * @mean_rtt_us: mean of the last round trip that had samples, 0 if unknown
 * @prior_rtt_us: @mean_rtt_us before PROBE_RTT
 * @base_us: round-trip time under load without a queue: smallest mean of a
 *	round trip, 0 if unknown
 * @least_us: smallest mean of this epoch and of the one before
 * @peak_us: largest queueing delay of the forward direction in this round trip
 * @least_peak_us: smallest of these in this epoch and in the one before
 * @excess_us: by how much that of the last round trip exceeds them
 * @up_rtt_us: round-trip time before this probe, or a smaller one since
 * @min_rtt_us: smallest sample of the last 10 s, 0 if unknown
 * @probe_rtt_min_us: smallest since PROBE_RTT became due, 0 if unknown
 * @rtt_us: smallest sample not processed yet, 0 if none
 * @round_rtt_us: smallest of this round trip, 0 if none
 * @inflight_latest: most bytes delivered in a round trip of this loss round
 * @inflight_longterm: most bytes in flight without excessive loss
 * @inflight_shortterm: bound of the bytes in flight after losses, until the
 *	next probe
 * @undo_inflight_longterm: @inflight_longterm before the losses
 * @undo_inflight_shortterm: @inflight_shortterm before the losses
 * @undo_lost: packets lost since then and not found spurious
 * @prior_cwnd: window before a temporary cut
 * @start_acked: bytes acknowledged, up to an initial window
 * @rounds: round trips so far
 * @drain_round: @rounds at the start of DRAIN
 * @probe_rounds: round trips since the last probe
 * @up_acked: bytes acknowledged in a probe that have not raised
 *	@inflight_longterm yet
 * @up_step: bytes that raise it by a packet
 * @extra_acked: bytes acknowledged since @extra_ns
 * @extra: most bytes acknowledged beyond the bandwidth, in the latest rounds
 *	and in those before
 * @extra_rounds: rounds of the first of these
 * @loss_reports: reports of losses in this loss round
 * @loss_mean: mean share of the bytes in flight that round trips without a
 *	queue and without a probe lose, in 1/65536
 * @loss_dev: mean deviation of that
 * @state: &enum mptun_bbr_state
 * @acks: &enum mptun_bbr_acks
 * @undo_state: state that the losses ended, MPTUN_BBR_STATES if none
 * @full_rounds: round trips without more bandwidth
 * @short_rounds: round trips with a short queue meanwhile
 * @up_rounds: round trips of this probe
 * @climb: &enum mptun_bbr_climb, or more
 * @full_now: the current probe found no more bandwidth
 * @full_reached: startup found the bandwidth
 * @round_start: this report begins a round trip
 * @loss_round_start: this report begins a loss round
 * @loss_in_round: packets were lost in this loss round
 * @queued: packets have queued in this round trip
 * @had_queue: packets have queued in the last one, or it was clearly longer
 *	than the base
 * @slowed: startup loses too much
 * @probe_sample: the acknowledged packets belong to a probe without excessive
 *	loss so far
 * @prev_too_high: the last probe ended with excessive loss
 * @prev_careful: the last probe ended early to avoid loss
 * @rtt_expired: @probe_rtt_min_us had expired when this report arrived
 * @was_full: the path has sent all it may since PROBE_RTT, or since
 *	@probe_rtt_min_us had expired
 * @moved: route or bandwidth seem to have changed; PROBE_RTT shows which
 * @no_queue: the last PROBE_RTT found no queue
 * @restarted: nothing has been acknowledged since the path was idle
 * @rtt_round_done: a round trip passed since @probe_rtt_done_ns was set
 * @collapsed: the window was cut for persistent congestion
 * @unsure: startup or the last probe ended while the path had too little to
 *	send, so the bandwidth may be larger
 * @light: startup ended with a queue of such a path that may be jitter, and
 *	bursts arrive faster, so the bandwidth is not known
 */
struct mptun_bbr {
	u64 max_bw[2];
	u64 bw;
	u64 bw_latest;
	u64 bw_shortterm;
	u64 burst_bw;
	u64 full_bw;
	u64 undo_bw_shortterm;
	u64 step_bw;
	u64 base_bw;
	u64 probe_bw;
	u64 pacing_rate;

	u64 round_ns;
	u64 loss_round_ns;
	u64 undo_ns;
	u64 ce_ns;
	u64 cycle_ns;
	u64 wait_ns;
	u64 changed_ns;
	u64 min_rtt_ns;
	u64 probe_rtt_min_ns;
	u64 probe_rtt_done_ns;
	u64 extra_ns;
	u64 base_ns;
	u64 measured_ns;
	u64 slower_ns;
	u64 slower_bytes;
	u64 share_lost;
	u64 share_sent;
	u64 rtt_sum_us;

	u32 rtt_samples;
	u32 mean_rtt_us;
	u32 prior_rtt_us;
	u32 base_us;
	u32 least_us[2];
	u32 peak_us;
	u32 least_peak_us[2];
	u32 excess_us;
	u32 up_rtt_us;
	u32 min_rtt_us;
	u32 probe_rtt_min_us;
	u32 rtt_us;
	u32 round_rtt_us;
	u32 inflight_latest;
	u32 inflight_longterm;
	u32 inflight_shortterm;
	u32 undo_inflight_longterm;
	u32 undo_inflight_shortterm;
	u32 undo_lost;
	u32 prior_cwnd;
	u32 start_acked;
	u32 rounds;
	u32 drain_round;
	u32 probe_rounds;
	u32 up_acked;
	u32 up_step;
	u32 extra_acked;
	u32 extra[2];
	u32 loss_reports;
	u16 loss_mean;
	u16 loss_dev;

	u8 state;
	u8 acks;
	u8 undo_state;
	u8 full_rounds;
	u8 short_rounds;
	u8 up_rounds;
	u8 extra_rounds;
	u8 climb;
	bool full_now;
	bool full_reached;
	bool round_start;
	bool loss_round_start;
	bool loss_in_round;
	bool queued;
	bool had_queue;
	bool slowed;
	bool probe_sample;
	bool prev_too_high;
	bool prev_careful;
	bool rtt_expired;
	bool was_full;
	bool moved;
	bool no_queue;
	bool restarted;
	bool rtt_round_done;
	bool collapsed;
	bool unsure;
	bool light;
};

static_assert(sizeof(struct mptun_bbr) <= sizeof_field(struct mptun_cc, priv));

static inline struct mptun_bbr *mptun_bbr_priv(struct mptun_cc *cc)
{
	return (struct mptun_bbr *)cc->priv;
}

static inline const struct mptun_bbr *mptun_bbr_const(const struct mptun_cc *cc)
{
	return (const struct mptun_bbr *)cc->priv;
}

/* What excessive loss leaves of a bound. */
static inline u64 mptun_bbr_beta(u64 value)
{
	return div_u64(value * MPTUN_BBR_BETA_PERCENT, 100);
}

/* cc/bbr_model.c: the model of the path */
u64 mptun_bbr_max_bw(const struct mptun_bbr *b);
u32 mptun_bbr_product(const struct mptun_cc *cc, u64 bw, u32 rtt_us,
		      u32 percent);
u32 mptun_bbr_bdp(const struct mptun_cc *cc, u64 bw, u32 percent);
u32 mptun_bbr_quantized(const struct mptun_cc *cc, u64 bytes);
u32 mptun_bbr_inflight(const struct mptun_cc *cc, u64 bw);
u32 mptun_bbr_target(const struct mptun_cc *cc);
u32 mptun_bbr_with_headroom(const struct mptun_cc *cc);
void mptun_bbr_begin_round(struct mptun_bbr *b, u64 now);
void mptun_bbr_reset_full_bw(struct mptun_bbr *b, u64 rate);
void mptun_bbr_update_model(struct mptun_cc *cc, const struct mptun_cc_ack *ack,
			    const struct mptun_rate_sample *s);

/* cc/bbr_loss.c: what losses mean */
bool mptun_bbr_too_high(const struct mptun_bbr *b,
			const struct mptun_rate_sample *s);
void mptun_bbr_update_usual(struct mptun_cc *cc,
			    const struct mptun_rate_sample *s);
void mptun_bbr_reset_shortterm(struct mptun_bbr *b);
void mptun_bbr_update_shortterm(struct mptun_cc *cc,
				const struct mptun_rate_sample *s);
void mptun_bbr_note_loss(struct mptun_cc *cc, u64 sent_ns, u64 now);
void mptun_bbr_undo(struct mptun_cc *cc, const struct mptun_cc_ack *ack);
void mptun_bbr_check_loss(struct mptun_cc *cc, const struct mptun_cc_ack *ack,
			  const struct mptun_rate_sample *s);
void mptun_bbr_check_ce(struct mptun_cc *cc, const struct mptun_cc_ack *ack);

/* cc/bbr_rtt.c: the round-trip time of the path */
bool mptun_bbr_rtt_low(const struct mptun_bbr *b, u32 rtt_us);
void mptun_bbr_update_rtt(struct mptun_cc *cc, const struct mptun_cc_ack *ack,
			  const struct mptun_rate_sample *s);
void mptun_bbr_update_base(struct mptun_bbr *b,
			   const struct mptun_rate_sample *s, u64 now);
void mptun_bbr_update_no_queue(struct mptun_bbr *b);
void mptun_bbr_update_moved(struct mptun_bbr *b, u64 now);

/* cc/bbr_state.c: the state machine */
void mptun_bbr_enter_startup(struct mptun_cc *cc);
void mptun_bbr_restart(struct mptun_cc *cc, u32 in_flight);
void mptun_bbr_start_down(struct mptun_cc *cc, u64 now);
void mptun_bbr_start_refill(struct mptun_cc *cc, u64 now);
void mptun_bbr_step(struct mptun_cc *cc, const struct mptun_cc_ack *ack,
		    const struct mptun_rate_sample *s);
void mptun_bbr_step_probe_rtt(struct mptun_cc *cc,
			      const struct mptun_cc_ack *ack);
void mptun_bbr_probe_rtt_done(struct mptun_cc *cc, u64 now);

/* cc/bbr.c: window and pacing rate */
void mptun_bbr_save_cwnd(struct mptun_cc *cc);
void mptun_bbr_restore_cwnd(struct mptun_cc *cc);
u32 mptun_bbr_probe_rtt_cwnd(const struct mptun_cc *cc);

#endif /* _MPTUN_CC_BBR_H */
