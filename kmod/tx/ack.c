// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Feedback: what the peer says about the packets we sent.
 *
 * REPORT, SET and flagged DATA packets carry blocks.  Those about numbers
 * that arrived feed loss detection, congestion control and liveness of the
 * path they are about, whatever path they came on; a round-trip time is only
 * taken from one that came back on its own path.
 *
 * In return the sender tells what no longer needs to be waited for, at once
 * when a loss has been passed: the lowest dsn that is not settled, and the
 * lowest number that counts on the path of the loss.
 */
#include "base/ecn.h"
#include "base/seq.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "ctl/timer.h"
#include "path/liveness.h"
#include "path/quota.h"
#include "rx/ack_send.h"
#include "rx/deliver.h"
#include "tx/ack.h"
#include "tx/avoid.h"
#include "tx/control.h"
#include "tx/park.h"
#include "tx/rtx.h"
#include "tx/sbd.h"
#include "tx/xmit.h"
#include "wire/parse.h"

/* Paths that lost packets, told of in one SET; others wait for the next. */
#define MPTUN_FEEDBACK_FLOORS	4

static void mptun_feedback_count(struct mptun_path_tx *tx,
				 const struct mptun_sent_result *res)
{
	tx->acked_packets += res->acked_packets + res->spurious;
	tx->acked_bytes += res->acked_bytes + res->spurious_bytes;
	tx->lost_packets += res->lost_packets;
	tx->lost_bytes += res->lost_bytes;
	tx->spurious += res->spurious;
	mptun_sample_lost(&tx->sample, res->lost_bytes, res->spurious_bytes);
}

/* Hands what was found out to the controller of the path; @rep is NULL if
 * there was no report, or none that acknowledges something newer.
 */
static void mptun_feedback_apply(struct mptun_path *path,
				 const struct mptun_sent_result *res,
				 const struct mptun_sample_report *rep,
				 u32 ce, u64 now)
{
	struct mptun_path_tx *tx = &path->tx;
	struct mptun_rate_sample sample;
	bool sampled;

	mptun_feedback_count(tx, res);
	mptun_repair_settle(path);
	mptun_avoid_news(path, res, now);
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
		path->tunnel->tx.settle_until = path->tunnel->tx.next_dsn;
		tx->floor_due = true;
	}
	if (res->acked_packets || res->lost_packets)
		mptun_feedback_settle(path->tunnel);
}

/**
 * mptun_feedback_settle() - find the lowest dsn that is not settled
 * @tunnel: the tunnel
 */
void mptun_feedback_settle(struct mptun_tunnel *tunnel)
{
	u32 lowest = tunnel->tx.next_dsn;
	struct mptun_path *path;
	u32 dsn;

	lockdep_assert_held(&tunnel->tx.lock);
	if (mptun_repair_oldest_dsn(tunnel, &dsn))
		lowest = dsn;
	rcu_read_lock();
	list_for_each_entry_rcu(path, &tunnel->paths, list)
		if (mptun_sent_oldest_dsn(&path->tx.sent, &dsn) &&
		    mptun_seq_before(dsn, lowest))
			lowest = dsn;
	rcu_read_unlock();
	if (mptun_seq_after(lowest, tunnel->tx.settled))
		WRITE_ONCE(tunnel->tx.settled, lowest);
}

/**
 * mptun_feedback_detect() - some packets of a path are overdue
 * @path: the path
 * @now: time in ns
 */
void mptun_feedback_detect(struct mptun_path *path, u64 now)
{
	struct mptun_sent_result res = {};

	lockdep_assert_held(&path->tunnel->tx.lock);
	mptun_sent_detect(&path->tx.sent, &path->tx.rtt, now, &res);
	mptun_feedback_apply(path, &res, NULL, 0, now);
}

/**
 * mptun_feedback_witness() - an answered probe says what came before it
 * @path: the path
 * @sent_ns: when the probe was sent
 * @now: time in ns
 */
void mptun_feedback_witness(struct mptun_path *path, u64 sent_ns, u64 now)
{
	struct mptun_sent_result res = {};

	lockdep_assert_held(&path->tunnel->tx.lock);
	mptun_sent_witness(&path->tx.sent, &path->tx.rtt, sent_ns, now, &res);
	mptun_feedback_apply(path, &res, NULL, 0, now);
}

/**
 * mptun_feedback_abandon() - a path died: what is in flight is lost
 * @path: the path
 * @now: time in ns
 */
void mptun_feedback_abandon(struct mptun_path *path, u64 now)
{
	struct mptun_sent_result res = {};

	lockdep_assert_held(&path->tunnel->tx.lock);
	mptun_sent_abandon(&path->tx.sent, &res);
	mptun_feedback_apply(path, &res, NULL, 0, now);
}

/* The new marks in a report that the controller has to answer. */
static u32 mptun_feedback_marks(struct mptun_path_tx *tx,
				const struct mptun_ack *ack)
{
	const struct mptun_ecn_marks told = {
		.ce = be32_to_cpu(ack->ce),
		.l4s = be32_to_cpu(ack->ce_l4s),
	};
	struct mptun_ecn_marks news = mptun_ecn_news(&tx->marks, &told);

	tx->marked += news.ce;
	return news.ce - news.l4s;
}

/* Takes in a report that has been found to be right. */
static void mptun_feedback_report(struct mptun_path *path,
				  const struct mptun_ack *ack,
				  const struct mptun_sent_result *res, u64 now)
{
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
		.srtt_us = tx->rtt.srtt_us,
	};

	if (res->timed)
		mptun_rtt_alone(&tx->rtt,
				res->rtt_in_flight <= tx->cc.mss, now);
	if (res->rtt_valid)
		mptun_group_report(path, &rep);
	mptun_rate_report(&tx->rate, rep.bytes, rep.arrival_us, &tx->rtt);
	if (res->timed)
		mptun_cc_on_rtt(&tx->cc, &tx->rtt);
	mptun_feedback_apply(path, res, res->rtt_valid ? &rep : NULL,
			     mptun_feedback_marks(tx, ack), now);
	if (res->acked_packets || res->spurious)
		mptun_liveness_acked(path, res->newest_acked_ns, now);
}

static int mptun_feedback_ack(struct mptun_tunnel *tunnel,
			      struct mptun_path *from, const u8 *data,
			      unsigned int len)
{
	const struct mptun_ack *ack = mptun_parse_ack(data, len);
	struct mptun_sent_result res = {};
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_path *path;
	u64 now = mptun_now();
	int err;

	if (!ack)
		return -EINVAL;
	path = mptun_path_by_wire(tunnel, be16_to_cpu(ack->path));
	if (!path)
		return 0; /* deleted meanwhile */

	spin_lock(&tx->lock);
	err = mptun_parse_spans(ack, tx->spans);
	if (!err)
		err = mptun_sent_ack(&path->tx.sent, tx->spans, ack->ranges,
				     now, &path->tx.rtt,
				     be32_to_cpu(ack->delay), path == from,
				     &res);
	if (err)
		goto out;
	mptun_feedback_report(path, ack, &res, now);
	mptun_park_run(tunnel, now);
	mptun_avoid_run(tunnel, now);
	mptun_group_run(tunnel, now);
	if (path->live.state == MPTUN_PATH_STATE_DRAINING)
		mptun_tunnel_kick(tunnel);
	mptun_timer_update(path, now);
out:
	spin_unlock(&tx->lock);
	mptun_cap_check(path, now);
	return err;
}

static int mptun_feedback_status(struct mptun_tunnel *tunnel, const u8 *data,
				 unsigned int len)
{
	const struct mptun_status *status = (const void *)data;
	struct mptun_path *path;

	if (len != sizeof(*status))
		return -EINVAL;
	path = mptun_path_by_wire(tunnel, be16_to_cpu(status->path));
	if (!path)
		return 0;

	switch (be16_to_cpu(status->status)) {
	case MPTUN_STATUS_AVAILABLE:
	case MPTUN_STATUS_BACKUP:
	case MPTUN_STATUS_STANDBY:
		spin_lock(&tunnel->tx.lock);
		WRITE_ONCE(path->peer_status, be16_to_cpu(status->status));
		mptun_liveness_carrier(tunnel);
		spin_unlock(&tunnel->tx.lock);
		break;
	case MPTUN_STATUS_ABANDON:
	case MPTUN_STATUS_ABANDONED:
		WRITE_ONCE(path->peer_status, be16_to_cpu(status->status));
		mptun_tunnel_kick(tunnel);
		break;
	default:
		return -EINVAL;
	}
	return 0;
}

static int mptun_feedback_block(struct mptun_tunnel *tunnel,
				struct mptun_path *path,
				const struct mptun_parse_block *b)
{
	switch (b->type) {
	case MPTUN_BLOCK_ACK:
		return mptun_feedback_ack(tunnel, path, b->data, b->len);
	case MPTUN_BLOCK_ROOM:
		return b->len == sizeof(struct mptun_room) ? 0 : -EINVAL;
	case MPTUN_BLOCK_FLOOR:
		return mptun_deliver_prune(tunnel, b->data, b->len);
	case MPTUN_BLOCK_SETTLED:
		return mptun_deliver_settled(tunnel, b->data, b->len);
	case MPTUN_BLOCK_STATUS:
		return mptun_feedback_status(tunnel, b->data, b->len);
	default:
		return 0; /* from the future */
	}
}

/**
 * mptun_feedback_blocks() - take in the blocks of a packet
 * @tunnel: the tunnel
 * @path: path it arrived on, NULL for none
 * @data: the blocks
 * @len: their length in bytes
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 *
 * Return: 0, or -EINVAL if something does not parse; blocks before it count.
 */
int mptun_feedback_blocks(struct mptun_tunnel *tunnel, struct mptun_path *path,
			  const u8 *data, unsigned int len)
{
	struct mptun_parse_block block;
	int err = 0;

	while (len && !err) {
		err = mptun_parse_block(&data, &len, &block);
		if (!err)
			err = mptun_feedback_block(tunnel, path, &block);
	}
	return err;
}

/**
 * mptun_feedback_tell() - tell the peer what has been settled, if it is due
 * @tunnel: the tunnel
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 */
void mptun_feedback_tell(struct mptun_tunnel *tunnel)
{
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_path *path, *lossy;
	struct mptun_settled *settled;
	u64 now = mptun_now();
	struct sk_buff *skb;
	u32 dsn;

	spin_lock(&tx->lock);
	dsn = tx->settled;
	if (!mptun_seq_before(tx->settled_told, tx->settle_until) ||
	    !mptun_seq_after(dsn, tx->settled_told) ||
	    now < tx->settle_ns + MPTUN_REPORT_MIN_NS) {
		spin_unlock(&tx->lock);
		return;
	}
	tx->settled_told = dsn;
	tx->settle_ns = now;
	spin_unlock(&tx->lock);

	path = mptun_control_path(tunnel, NULL);
	if (!path)
		return;
	skb = mptun_control_alloc(sizeof(struct mptun_block) +
				  sizeof(*settled) + MPTUN_FEEDBACK_FLOORS *
				  (sizeof(struct mptun_block) +
				   sizeof(struct mptun_floor)));
	if (!skb)
		return;
	settled = mptun_control_block(skb, MPTUN_BLOCK_SETTLED,
				      sizeof(*settled));
	settled->dsn = cpu_to_be32(dsn);
	list_for_each_entry_rcu(lossy, &tunnel->paths, list)
		if (READ_ONCE(lossy->tx.floor_due))
			mptun_report_floor(skb, lossy);
	mptun_control_send(path, skb, MPTUN_KIND_SET);
}
