// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Numbers and header of a packet that has been placed on a path.
 *
 * The numbers are the data sequence number (dsn), the distance to the previous
 * packet of the same lane, and the packet number of the path.  All are assigned
 * under mptun_tx.lock, after the path has been chosen.
 *
 * Inner flows are hashed into a fixed number of lanes, and each lane stores the
 * last dsn sent in it.  So the receiver needs no flow table: it may deliver a
 * packet once that one dsn is settled, and a loss delays its own lane only.
 */
#include "base/seq.h"
#include "core/path.h"
#include "core/session.h"
#include "core/tunnel.h"
#include "tx/run.h"
#include "tx/tx.h"

/**
 * mptun_stamp_number() - account a packet on a path
 * @path: the path
 * @number: its packet number, from mptun_sent_add()
 * @dsn: data sequence number of the packet
 * @bytes: its size, UDP header included
 * @now: time in ns
 *
 * Return: the number as in the header.
 */
__be64 mptun_stamp_number(struct mptun_path *path, u64 number, u32 dsn,
			  u32 bytes, u64 now)
{
	struct mptun_path_tx *ptx = &path->tx;

	lockdep_assert_held(&path->tunnel->tx.lock);
	mptun_pacer_charge(&ptx->pacer, ptx->cc.pacing_rate, bytes, now);
	ptx->packets++;
	ptx->bytes += bytes;
	trace_mptun_place(path, number, dsn, bytes);
	return cpu_to_be64((u64)path->wire_id << MPTUN_NUMBER_PATH_SHIFT |
			   (number & MPTUN_NUMBER_PN_MASK));
}

/**
 * mptun_stamp() - number the next segment of a packet
 * @path: the path it leaves on
 * @skb: the packet, possibly a GSO packet placed in part
 * @hdr: filled in with its header; NULL for a segment of a run after the first,
 *	whose header follows from that of the first
 * @now: time in ns
 *
 * Return: its size on the path, UDP header included.
 */
u32 mptun_stamp(struct mptun_path *path, const struct sk_buff *skb,
		struct mptun_packet *hdr, u64 now)
{
	const struct mptun_tx_cb *cb = mptun_tx_cb(skb);
	struct mptun_tunnel *tunnel = path->tunnel;
	u32 len = mptun_run_next(skb);
	u32 bytes = len + tunnel->overhead;
	struct mptun_tx *tx = &tunnel->tx;
	u32 last, dsn = tx->next_dsn++;
	bool again = false;
	__be64 number;
	u16 prev = 0;
	u64 pn;

	lockdep_assert_held(&tx->lock);
	/* The distance to the predecessor in the lane.  One within range is
	 * named even if it is settled: the receiver may have acknowledged it
	 * and still hold it, behind a loss not yet detected.  REPAIRABLE is
	 * about the predecessor, too.
	 */
	if (cb->order) {
		again = test_bit(cb->lane, tx->again);
		last = tx->lanes[cb->lane];
		tx->lanes[cb->lane] = dsn;
		if (dsn - last < MPTUN_PREV_MAX)
			prev = dsn - last;
		else if (!mptun_seq_before(last, tx->settled))
			prev = MPTUN_PREV_MAX;
	}
	tx->classes[cb->class].packets++;
	tx->classes[cb->class].bytes += len;
	pn = mptun_sent_add(&path->tx.sent, dsn, bytes, now);
	number = mptun_stamp_number(path, pn, dsn, bytes, now);
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
	if (again)
		hdr->inner.flags_time |= MPTUN_FLAGS(MPTUN_F_REPAIRABLE);
	return bytes;
}

/**
 * mptun_stamp_repair() - number a repair symbol
 * @path: the path it leaves on
 * @skb: its body; gets a header
 * @dsn: newest packet in it
 * @now: time in ns
 *
 * Nothing waits for it, so its record has the next dsn: all before are settled
 * or outstanding elsewhere.  To the receiver it is no first transmission.
 */
void mptun_stamp_repair(struct mptun_path *path, struct sk_buff *skb, u32 dsn,
			u64 now)
{
	u32 bytes = skb->len + path->tunnel->overhead;
	struct mptun_tx *tx = &path->tunnel->tx;
	struct mptun_packet *hdr;
	u64 pn;

	lockdep_assert_held(&tx->lock);
	pn = mptun_sent_add(&path->tx.sent, tx->next_dsn, bytes, now);
	path->tx.symbols++;
	hdr = skb_push(skb, sizeof(*hdr));
	memset(hdr, 0, sizeof(*hdr));
	hdr->outer.type = MPTUN_TYPE_PACKET;
	hdr->outer.version = MPTUN_VERSION;
	hdr->outer.number = mptun_stamp_number(path, pn, dsn, bytes, now);
	hdr->inner.kind_class = MPTUN_KIND_REPAIR << 4;
	hdr->inner.fseq = path->tx.fseq;
	hdr->inner.dsn = cpu_to_be32(dsn);
	hdr->inner.flags_time = cpu_to_be32(mptun_now_us(now) &
					    MPTUN_TIME_MASK);
}

/**
 * mptun_stamp_out() - queue a numbered packet or run for sending
 * @path: its path
 * @skb: the packet or run, with its header
 * @packets: its number of packets
 * @now: time in ns
 */
void mptun_stamp_out(struct mptun_path *path, struct sk_buff *skb, u32 packets,
		     u64 now)
{
	u8 plain = mptun_control_ds(path->tunnel);
	struct mptun_tx_cb *cb = mptun_tx_cb(skb);
	struct mptun_tx *tx = &path->tunnel->tx;

	lockdep_assert_held(&tx->lock);
	cb->code = MPTUN_CODE_MARK_NONE;
	cb->ds_path = mptun_dsfield_use(&path->dsfield, cb->ds, plain, now);
	if (cb->ds_path != cb->ds)
		path->tx.ds_cleared += packets;
	cb->wire_id = path->wire_id;
	cb->join = READ_ONCE(path->takes_runs);
	cb->session = mptun_session_take(path->tunnel, packets);
	if (cb->session)
		mptun_session_use(cb->session);
	__skb_queue_tail(&tx->out, skb);
	tx->n_out += packets;
}
