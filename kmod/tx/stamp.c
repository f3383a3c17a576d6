// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Stamp: a packet that has a path gets its numbers and its header.
 *
 * The numbers are the data sequence number (dsn), the distance to the previous
 * packet of the same lane, and the packet number of the path.  All of them are
 * drawn under the lock of the sending side, after the path has been chosen.
 *
 * The inner flows are hashed into a fixed number of lanes, and a lane keeps the
 * last dsn that was sent in it.  The receiver needs no table of flows: a packet
 * may be delivered as soon as that one dsn is settled.  A loss delays its own
 * lane only.
 */
#include "base/seq.h"
#include "core/path.h"
#include "core/session.h"
#include "core/tunnel.h"
#include "tx/run.h"
#include "tx/tx.h"

/**
 * mptun_lane_start() - nothing has been sent in any lane
 * @tx: sending side, its next dsn set
 */
void mptun_lane_start(struct mptun_tx *tx)
{
	unsigned int i;

	lockdep_assert_held(&tx->lock);
	for (i = 0; i < MPTUN_LANES; i++)
		tx->lanes[i] = tx->next_dsn - 1;
}

/* Distance to the predecessor in the lane: 0 if that is settled and too far to
 * be named, MPTUN_PREV_MAX if it is not settled.
 *
 * A predecessor that is settled and near is named all the same: what was
 * acknowledged may still be held by the receiver, behind a loss that the
 * receiver does not know of yet.
 */
static u16 mptun_lane_prev(struct mptun_tx *tx, u16 lane, u32 dsn)
{
	u32 last = tx->lanes[lane];

	tx->lanes[lane] = dsn;
	if (dsn - last < MPTUN_PREV_MAX)
		return dsn - last;
	return mptun_seq_before(last, tx->settled) ? 0 : MPTUN_PREV_MAX;
}

/**
 * mptun_stamp_number() - account a packet on a path
 * @path: the path
 * @dsn: data sequence number of the packet
 * @bytes: its size, UDP header included
 * @now: time in ns
 *
 * Return: its number in the header.
 */
__be64 mptun_stamp_number(struct mptun_path *path, u32 dsn, u32 bytes, u64 now)
{
	struct mptun_path_tx *ptx = &path->tx;
	u64 number = mptun_sent_add(&ptx->sent, dsn, bytes, now);

	mptun_pacer_charge(&ptx->pacer, ptx->cc.pacing_rate, bytes, now);
	ptx->packets++;
	ptx->bytes += bytes;
	return cpu_to_be64((u64)path->wire_id << MPTUN_NUMBER_PATH_SHIFT |
			   number);
}

/**
 * mptun_stamp() - give the next segment of a packet its numbers
 * @path: the path it leaves on
 * @skb: the packet, possibly a GSO packet that is placed in part
 * @hdr: where its header goes; NULL for a segment of a run that is not the
 *	first, whose header follows from that of the first
 * @now: time in ns
 *
 * Return: bytes that it takes on the path, UDP header included.
 */
u32 mptun_stamp(struct mptun_path *path, const struct sk_buff *skb,
		struct mptun_packet *hdr, u64 now)
{
	const struct mptun_tx_cb *cb = mptun_tx_cb(skb);
	struct mptun_tunnel *tunnel = path->tunnel;
	u32 len = mptun_run_next(skb);
	u32 bytes = len + tunnel->overhead;
	struct mptun_tx *tx = &tunnel->tx;
	u32 dsn = tx->next_dsn++;
	__be64 number;
	u16 prev = 0;

	lockdep_assert_held(&tx->lock);
	if (cb->order)
		prev = mptun_lane_prev(tx, cb->lane, dsn);
	tx->classes[cb->class].packets++;
	tx->classes[cb->class].bytes += len;
	number = mptun_stamp_number(path, dsn, bytes, now);
	path->tx.fseq++;
	if (!hdr)
		return bytes;

	hdr->outer.type = MPTUN_TYPE_PACKET;
	hdr->outer.version = MPTUN_VERSION;
	hdr->outer.flags = 0;
	hdr->outer.number = number;
	hdr->inner.kind_class = MPTUN_KIND_DATA << 4 | cb->class;
	hdr->inner.fseq = path->tx.fseq;
	hdr->inner.prev = cpu_to_be16(prev);
	hdr->inner.dsn = cpu_to_be32(dsn);
	hdr->inner.flags_time = cpu_to_be32(mptun_now_us(now) &
					    MPTUN_TIME_MASK);
	return bytes;
}

/**
 * mptun_stamp_out() - queue what has its numbers for sending
 * @path: its path
 * @skb: a packet or a run, with its header
 * @packets: how many packets that is
 */
void mptun_stamp_out(struct mptun_path *path, struct sk_buff *skb, u32 packets)
{
	struct mptun_tx_cb *cb = mptun_tx_cb(skb);
	struct mptun_tx *tx = &path->tunnel->tx;

	lockdep_assert_held(&tx->lock);
	cb->wire_id = path->wire_id;
	cb->join = READ_ONCE(path->takes_runs);
	cb->session = mptun_session_take(path->tunnel, packets);
	__skb_queue_tail(&tx->out, skb);
	tx->n_out += packets;
}
