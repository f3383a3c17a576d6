// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Acknowledgments of sent packets, and losses.
 *
 * They drive loss detection and congestion control of the path they are about,
 * whatever path the report arrived on; a round-trip time is only sampled from a
 * report that arrived on the same path.  mptun_tx.lock protects everything.
 */
#include <linux/hrtimer.h>

#include "base/ecn.h"
#include "base/seq.h"
#include "cc/shared_bottleneck.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "tx/tx.h"
#include "wire/parse.h"

/* How far what the peer was notified of may lie behind what is settled; dsns
 * are comparable at up to twice that distance.
 */
#define MPTUN_SETTLED_BEHIND	BIT(30)

/**
 * mptun_ack_settle() - update the lowest dsn that is not settled
 * @tunnel: the tunnel
 */
void mptun_ack_settle(struct mptun_tunnel *tunnel)
{
	struct mptun_tx *tx = &tunnel->tx;
	u32 dsn, behind, lowest = tx->next_dsn;
	struct mptun_path *path;

	lockdep_assert_held(&tx->lock);
	if (mptun_rtx_oldest_dsn(tunnel, &dsn))
		lowest = dsn;
	rcu_read_lock();
	list_for_each_entry_rcu(path, &tunnel->paths, list)
		if (mptun_sent_oldest_dsn(&path->tx.sent, &dsn) &&
		    mptun_seq_before(dsn, lowest))
			lowest = dsn;
	rcu_read_unlock();
	if (mptun_seq_after(lowest, tx->settled))
		tx->settled = lowest;
	/* Comparable, however long nothing is lost or reported. */
	behind = tx->settled - MPTUN_SETTLED_BEHIND;
	if (mptun_seq_before(tx->settle_until, behind))
		tx->settle_until = behind;
	if (mptun_seq_before(tx->settled_notified, behind))
		tx->settled_notified = behind;
}

/* Passes what is lost and what arrives, by size, to the path's MTU. */
static void mptun_ack_sizes(struct mptun_path *path, u64 now)
{
	u32 lost = path->tx.sent.doubt;

	if (lost)
		mptun_pmtu_doubt(&path->pmtu, mptun_path_outer(path, lost),
				 now + MPTUN_PMTU_DOUBT_NS);
	else if (mptun_pmtu_doubted(&path->pmtu))
		mptun_pmtu_passes(&path->pmtu, now);
}

/* Derives how often our own reports may leave from the rate of a path. */
static void mptun_ack_reports(struct mptun_path_tx *tx)
{
	u64 us = 0;

	if (tx->cc.bw)
		us = div64_u64(MPTUN_REPORT_EIGHT * (u64)USEC_PER_SEC,
			       tx->cc.bw);
	WRITE_ONCE(tx->report_us, min_t(u64, us, MPTUN_RTT_REPORT_MAX_US));
}

/* Passes a result to the counters and the congestion controller of a path.
 * @rep is NULL unless a report acknowledges a larger number than before.
 */
static void mptun_ack_apply(struct mptun_path *path,
			    const struct mptun_sent_result *res,
			    const struct mptun_sample_report *rep,
			    u32 ce, u64 now)
{
	struct mptun_path_tx *tx = &path->tx;
	struct mptun_rate_sample sample;
	bool sampled;

	tx->acked_packets += res->acked_packets + res->spurious;
	tx->acked_bytes += res->acked_bytes + res->spurious_bytes;
	tx->lost_packets += res->lost_packets;
	tx->lost_bytes += res->lost_bytes;
	tx->spurious += res->spurious;
	mptun_recent_add(&tx->recent, res, now);
	/* What an outage costs is no property of the path, nor does a symbol
	 * help against it.
	 */
	if (mptun_path_up(path))
		mptun_code_loss_add(&tx->loss,
				    res->acked_packets + res->lost_packets,
				    res->lost_packets, res->retracted);
	else
		tx->sent.outage = tx->sent.oldest;
	mptun_sample_lost(&tx->sample, res);
	mptun_rtx_settle(path, false);
	mptun_ack_sizes(path, now);
	sampled = rep && mptun_sample_report(&tx->sample, rep, &sample);
	if (res->acked_packets || res->spurious || ce) {
		struct mptun_cc_ack ack = {
			.now = now,
			.newest_sent_ns = res->newest_acked_ns,
			.bytes = res->acked_bytes,
			.packets = res->acked_packets,
			.prior_in_flight = res->prior_in_flight,
			.in_flight = tx->sent.in_flight,
			.spurious = res->spurious,
			.ce = ce,
			.queue_us = mptun_oneway_queue_us(&tx->sample.oneway),
			.window_limited = res->window_limited,
			.rtt = &tx->rtt,
			.sample = sampled ? &sample : NULL,
		};

		if (mptun_cc_on_ack(&tx->cc, &ack))
			tx->loss_events++;
		mptun_ack_reports(tx);
		if (tx->cc.held)
			mptun_sample_limited(&tx->sample, tx->sent.next);
	}
	if (res->lost_packets) {
		struct mptun_cc_loss loss = {
			.now = now,
			.newest_sent_ns = res->newest_lost_ns,
			.bytes = res->lost_bytes,
			.packets = res->lost_packets,
			.in_flight = tx->sent.in_flight,
			.persistent = res->persistent,
			.rtt = &tx->rtt,
		};

		if (mptun_cc_on_loss(&tx->cc, &loss))
			tx->loss_events++;
		trace_mptun_loss(path, res);
		tx->loses_ns = now + MPTUN_RTX_LOSES_NS;
		if (path->tunnel->tx.code.follows)
			path->tunnel->tx.code.until_ns = tx->loses_ns;
		path->tunnel->tx.settle_until = path->tunnel->tx.next_dsn;
		tx->floor_due = true;
	}
	if (res->acked_packets || res->lost_packets)
		mptun_ack_settle(path->tunnel);
}

/**
 * mptun_ack_detect() - declare overdue packets of a path lost
 * @path: the path
 * @now: time in ns
 */
void mptun_ack_detect(struct mptun_path *path, u64 now)
{
	struct mptun_sent_result res = {};

	lockdep_assert_held(&path->tunnel->tx.lock);
	mptun_sent_detect(&path->tx.sent, &path->tx.rtt, now, &res);
	mptun_ack_apply(path, &res, NULL, 0, now);
}

/**
 * mptun_ack_witness() - detect losses by an answered probe
 * @path: the path
 * @sent_ns: when the probe was sent
 * @now: time in ns
 */
void mptun_ack_witness(struct mptun_path *path, u64 sent_ns, u64 now)
{
	struct mptun_sent_result res = {};

	lockdep_assert_held(&path->tunnel->tx.lock);
	mptun_sent_witness(&path->tx.sent, &path->tx.rtt, sent_ns, now, &res);
	mptun_ack_apply(path, &res, NULL, 0, now);
}

/**
 * mptun_ack_abandon() - declare everything in flight on a dead path lost
 * @path: the path; its state says so already
 * @now: time in ns
 *
 * What is kept of it is retransmitted, like that of a silent path.
 */
void mptun_ack_abandon(struct mptun_path *path, u64 now)
{
	struct mptun_sent_result res = {};

	lockdep_assert_held(&path->tunnel->tx.lock);
	rcu_read_lock();
	mptun_rtx_suspect(path);
	rcu_read_unlock();
	mptun_sent_abandon(&path->tx.sent, &res);
	mptun_ack_apply(path, &res, NULL, 0, now);
}

/* Evaluates a valid report. */
static void mptun_ack_report(struct mptun_path *path,
			     const struct mptun_ack *ack,
			     const struct mptun_sent_result *res, u64 now)
{
	const struct mptun_ecn_marks total = {
		.ce = be32_to_cpu(ack->ce),
		.l4s = be32_to_cpu(ack->ce_l4s),
	};
	struct mptun_path_tx *tx = &path->tx;
	struct mptun_sample_report rep = {
		.now = now,
		.newest = be64_to_cpu(ack->largest),
		.sent_ns = res->newest_acked_ns,
		.next = tx->sent.next,
		.bytes = be64_to_cpu(ack->bytes),
		.late = mptun_sent_late(&tx->sent) * tx->cc.mss,
		.arrival_us = be32_to_cpu(ack->arrival),
		.prior_in_flight = res->prior_in_flight,
		.reports = tx->reports,
		.srtt_us = tx->rtt.srtt_us,
	};
	struct mptun_ecn_marks marks;

	if (res->timed)
		mptun_rtt_alone(&tx->rtt,
				res->rtt_in_flight <= tx->cc.mss, now);
	if (res->rtt_valid && tx->cc.group_found)
		mptun_sbd_sample(&path->tunnel->tx.bottlenecks, tx->bottleneck,
				 rep.sent_ns, rep.arrival_us);
	mptun_rate_report(&tx->rate, rep.bytes, rep.arrival_us, &tx->rtt,
			  tx->sample.bubble);
	/* A kernel switches to fine timers some time after it has started. */
	tx->cc.tick_ns = hrtimer_resolution;
	if (res->timed)
		mptun_cc_on_rtt(&tx->cc, &tx->rtt);
	/* Marks of L4S packets are left to their inner flows. */
	marks = mptun_ecn_new_marks(&tx->marks, &total);
	tx->marked += marks.ce;
	mptun_ack_apply(path, res, res->rtt_valid ? &rep : NULL,
			marks.ce - marks.l4s, now);
	if (mptun_cc_rate(&tx->cc, mptun_rate_get(&tx->rate)))
		path->tunnel->tx.rate_unknown = false;
	trace_mptun_ack(path, res);
}

/**
 * mptun_ack_receive() - process an ACK block of the peer
 * @path: the path it is about
 * @ack: as mptun_parse_ack() returned it
 * @same_path: it arrived on that path
 * @now: time in ns
 * @res: filled in with the result
 *
 * Return: 0, or -EINVAL if it acknowledges packets never sent.
 */
int mptun_ack_receive(struct mptun_path *path, const struct mptun_ack *ack,
		      bool same_path, u64 now, struct mptun_sent_result *res)
{
	struct mptun_tx *tx = &path->tunnel->tx;
	const struct mptun_sent_origin from = {
		.arrival_us = be32_to_cpu(ack->arrival),
		.delay_us = be32_to_cpu(ack->delay),
		.same_path = same_path,
	};
	int err;

	lockdep_assert_held(&tx->lock);
	err = mptun_parse_spans(ack, tx->spans);
	if (!err)
		err = mptun_sent_ack(&path->tx.sent, tx->spans, ack->ranges,
				     now, &path->tx.rtt, &from, res);
	if (!err)
		mptun_ack_report(path, ack, res, now);
	return err;
}
