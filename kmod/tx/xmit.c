// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Transmission: from the device's queue to numbered packets on paths.
 *
 * A packet walks in one direction:
 *
 *	mptun_xmit()	one GSO packet of the stack: class, lane, segments
 *	  "rest"	what has no number yet
 *	mptun_xmit_place()	a path with room for the next run of segments
 *	mptun_xmit_number()	dsn, predecessor, packet number, header
 *	  "out"		numbered packets and runs, in the order of their numbers
 *	mptun_send_flush()	out of the lock: cut, sealed, and into the stack
 *				(tx/send.c)
 *
 * The tunnel is a link with a rate: when no path has room the device's queue
 * stops and its qdisc holds and manages what follows.  Behind it waits at most
 * the rest of one GSO packet, and what was lost and is to be sent again
 * (tx/rtx.c), which comes first.
 *
 * That holds for each of the device's queues.  Class 0 has the first one; the
 * others are for the other classes, which so wait for none but their own paths
 * and each other.  Where several have something for a path they take turns,
 * run by run.
 */
#include <net/gso.h>
#include <net/ip_tunnels.h>

#include "base/ecn.h"
#include "core/session.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "tx/train.h"
#include "tx/tx.h"

/* Is it a packet socket's memory, which that writes to again when the packet is
 * gone?
 */
static bool mptun_xmit_lent(const struct sk_buff *skb)
{
	return skb->sk && skb->sk->sk_family == AF_PACKET;
}

/* What runs are cut from stays whole. The rest is cut into segments of the size
 * they have on the wire, with checksums.
 */
static int mptun_xmit_segment(const struct mptun_tunnel *tunnel,
			      struct sk_buff *skb, struct sk_buff_head *segs)
{
	u8 ds = mptun_ecn_outer(READ_ONCE(tunnel->config.dscp), skb);
	struct sk_buff *list = skb, *next;
	u16 lane = mptun_lane_of(skb);
	struct mptun_cut cut = {};
	bool order = true, repair = false;
	u8 class;

	class = mptun_classify(tunnel, skb, &order, &repair);
	repair &= !mptun_xmit_lent(skb);
	if (skb_is_gso(skb) && !mptun_cut_init(&cut, skb)) {
		list = skb_gso_segment(skb, 0);
		if (IS_ERR_OR_NULL(list))
			return -ENOMEM;
		consume_skb(skb);
	} else if (!skb_is_gso(skb) && skb->ip_summed == CHECKSUM_PARTIAL &&
		   skb_checksum_help(skb)) {
		return -ENOMEM;
	}
	skb_list_walk_safe(list, skb, next) {
		skb_mark_not_on_list(skb);
		*mptun_tx_cb(skb) = (struct mptun_tx_cb){
			.cut = cut,
			.lane = lane,
			.ds = ds,
			.class = class,
			.order = order,
			.repair = repair,
		};
		__skb_queue_tail(segs, skb);
	}
	return 0;
}

static u32 mptun_xmit_wire_bytes(const struct mptun_tunnel *tunnel,
				 const struct sk_buff *skb)
{
	return mptun_run_next(skb) + tunnel->overhead;
}

/**
 * mptun_xmit_need() - room that the next packet needs, of whatever queue
 * @tunnel: the tunnel
 *
 * Return: bytes, 0 if none waits.
 */
u32 mptun_xmit_need(const struct mptun_tunnel *tunnel)
{
	const struct mptun_tx *tx = &tunnel->tx;
	const struct sk_buff *skb;
	unsigned int q;
	u32 need = 0;

	lockdep_assert_held(&tx->lock);
	for (q = 0; q < tx->n_queues; q++) {
		skb = skb_peek(&tx->queues[q].rest);
		if (skb)
			need = max(need, mptun_xmit_wire_bytes(tunnel, skb));
	}
	return need;
}

/**
 * mptun_xmit_take() - a path takes a packet
 * @path: the path
 * @dsn: data sequence number of the packet
 * @bytes: its bytes, UDP header included
 * @now: time in ns
 *
 * Return: its number in the header.
 */
__be64 mptun_xmit_take(struct mptun_path *path, u32 dsn, u32 bytes, u64 now)
{
	struct mptun_path_tx *ptx = &path->tx;
	u64 number = mptun_sent_add(&ptx->sent, dsn, bytes, now);

	mptun_pacer_charge(&ptx->pacer, ptx->cc.pacing_rate, bytes, now);
	ptx->packets++;
	ptx->bytes += bytes;
	return cpu_to_be64((u64)path->wire_id << MPTUN_NUMBER_PATH_SHIFT |
			   number);
}

/* Gives the next segment of a packet its numbers; the first one of a run gets
 * its header at once, the numbers of the others follow from it.
 */
static u32 mptun_xmit_number(struct mptun_path *path,
			     const struct sk_buff *skb,
			     struct mptun_packet *hdr, u64 now)
{
	const struct mptun_tx_cb *cb = mptun_tx_cb(skb);
	struct mptun_tunnel *tunnel = path->tunnel;
	u32 bytes = mptun_xmit_wire_bytes(tunnel, skb);
	struct mptun_tx *tx = &tunnel->tx;
	u32 dsn = tx->next_dsn++;
	__be64 number;
	u16 prev = 0;

	if (cb->order)
		prev = mptun_lane_prev(tx, cb->lane, dsn);
	tx->classes[cb->class].packets++;
	tx->classes[cb->class].bytes += mptun_run_next(skb);
	number = mptun_xmit_take(path, dsn, bytes, now);
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
 * mptun_xmit_out() - what has its numbers is ready to be sent
 * @path: its path
 * @skb: a packet or a run, with its header
 * @packets: how many packets that is
 */
void mptun_xmit_out(struct mptun_path *path, struct sk_buff *skb, u32 packets)
{
	struct mptun_tx *tx = &path->tunnel->tx;

	mptun_tx_cb(skb)->wire_id = path->wire_id;
	mptun_tx_cb(skb)->session = mptun_session_take(path->tunnel, packets);
	__skb_queue_tail(&tx->out, skb);
	tx->n_out += packets;
}

/* What did not fit was sent by a sender limited by its windows, which is what
 * lets the windows grow.  A path that has room for it and is left out has less
 * to send than it could.
 */
static void mptun_xmit_limited(struct mptun_tunnel *tunnel, unsigned int n,
			       u32 need, u64 now)
{
	struct mptun_tx *tx = &tunnel->tx;
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct mptun_path_tx *ptx = &tx->cand_path[i]->tx;

		if (mptun_cc_room(&ptx->cc, ptx->sent.in_flight) < ptx->cc.mss)
			mptun_sent_limited(&ptx->sent);
		else if (tx->cand[i].room >= (need ?: 1))
			mptun_sample_limited(&ptx->sample, ptx->sent.next);
		if (!ptx->sent.in_flight)
			ptx->bad.idle = true;
		if (tx->sched.wake_ns != U64_MAX)
			mptun_timer_update(tx->cand_path[i], now);
	}
}

/* Before a packet of the stack is placed: which paths could have sent more?
 *
 * Those with room in their windows whose pacers have been ready for it.  That
 * the queue holds no more now says little: it is handed over packet by packet.
 * For the same reason it has some time to follow after it was woken.
 */
static void mptun_xmit_rested(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_path *path;

	lockdep_assert_held(&tx->lock);
	if (tx->queues[0].stopped || now < tx->wake_ns + MPTUN_WAKE_NS)
		return;
	list_for_each_entry_rcu(path, &tunnel->paths, list) {
		struct mptun_path_tx *ptx = &path->tx;

		if (ptx->pacer.next_ns >= now ||
		    mptun_cc_room(&ptx->cc, ptx->sent.in_flight) < ptx->cc.mss)
			continue;
		mptun_sample_limited(&ptx->sample, ptx->sent.next);
		if (!ptx->sent.in_flight)
			mptun_cc_on_restart(&ptx->cc, now);
	}
}

/* May the next segment follow on the path that was chosen for the first? */
static bool mptun_xmit_fits(const struct mptun_tunnel *tunnel,
			    const struct sk_buff *skb, unsigned int chosen,
			    u32 bytes)
{
	const struct mptun_sched_cand *cand = &tunnel->tx.cand[chosen];
	struct mptun_path *path = tunnel->tx.cand_path[chosen];

	return mptun_run_next(skb) <= cand->mtu &&
	       bytes + mptun_xmit_wire_bytes(tunnel, skb) <= cand->room &&
	       mptun_sent_can_add(&path->tx.sent);
}

/* What was placed on the path chosen is on its way, on others as well if its
 * class or the scheduler wants copies or a path is tried, and may have to be
 * sent again.
 */
static void mptun_xmit_placed(struct mptun_tunnel *tunnel, struct sk_buff *skb,
			      u32 packets, unsigned int n, unsigned int chosen,
			      u64 now)
{
	const struct mptun_class *class = mptun_classify_of(tunnel, skb);

	mptun_avoid_flow(&tunnel->tx.avoid, mptun_tx_cb(skb)->lane);
	mptun_xmit_out(tunnel->tx.cand_path[chosen], skb, packets);
	if (mptun_tx_cb(skb)->repair)
		mptun_repair_keep(tunnel->tx.cand_path[chosen], skb, packets,
				  now);
	if (mptun_class_copies(class, &tunnel->tx.sched) ||
	    tunnel->tx.park.tries || tunnel->tx.avoid.tries ||
	    tunnel->tx.sched.tries)
		mptun_copy(tunnel, skb, n, chosen, now);
}

/* Places a run of a GSO packet, which waits first. Returns its bytes. */
static u32 mptun_xmit_place_run(struct mptun_tunnel *tunnel,
				struct sk_buff_head *rest, unsigned int n,
				unsigned int chosen, u32 most, u64 now)
{
	struct sk_buff *gso = skb_peek(rest), *run;
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_tx_cb *cb = mptun_tx_cb(gso);
	struct mptun_packet *hdr;
	u32 bytes = 0, count = 0;

	run = mptun_run_new(gso);
	if (!run) {
		__skb_unlink(gso, rest);
		mptun_classify_drop(tunnel, gso,
				    MPTUN_A_DROP_STATS_TX_NO_MEMORY);
		return 0;
	}
	hdr = skb_push(run, sizeof(*hdr));
	most = min(most, mptun_run_most(gso));
	do {
		bytes += mptun_xmit_number(tx->cand_path[chosen], gso,
					   count ? NULL : hdr, now);
		count++;
		cb->offset += mptun_cut_payload(&cb->cut, cb->offset);
	} while (cb->offset < cb->cut.payload && count < most &&
		 mptun_xmit_fits(tunnel, gso, chosen, bytes));
	mptun_tx_cb(run)->count = count;
	mptun_xmit_placed(tunnel, run, count, n, chosen, now);
	if (cb->offset == cb->cut.payload) {
		__skb_unlink(gso, rest);
		if (cb->repair)
			mptun_run_release(gso);
		consume_skb(gso);
	}
	return bytes;
}

/* The same with packets that are none. */
static u32 mptun_xmit_place_packets(struct mptun_tunnel *tunnel,
				    struct sk_buff_head *rest, unsigned int n,
				    unsigned int chosen, u32 most, u64 now)
{
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_path *path = tx->cand_path[chosen];
	u8 class = mptun_tx_cb(skb_peek(rest))->class;
	struct mptun_packet hdr;
	struct sk_buff *skb;
	u32 bytes = 0;

	do {
		skb = __skb_dequeue(rest);
		bytes += mptun_xmit_number(path, skb, &hdr, now);
		memcpy(skb_push(skb, sizeof(hdr)), &hdr, sizeof(hdr));
		mptun_xmit_placed(tunnel, skb, 1, n, chosen, now);
		skb = skb_peek(rest);
	} while (--most && skb && !skb_is_gso(skb) &&
		 mptun_tx_cb(skb)->class == class &&
		 mptun_xmit_fits(tunnel, skb, chosen, bytes));
	return bytes;
}

/* Places what waits first on a path, and what can follow it there. */
static void mptun_xmit_place_on(struct mptun_tunnel *tunnel,
				struct sk_buff_head *rest, unsigned int n,
				unsigned int chosen, u64 now)
{
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_path *path = tx->cand_path[chosen];
	const struct mptun_class *class;
	u32 bytes, most;

	class = mptun_classify_of(tunnel, skb_peek(rest));
	most = mptun_sched_run_length(path->tx.cc.pacing_rate,
				      path->tx.cc.mss);
	if (skb_is_gso(skb_peek(rest)))
		bytes = mptun_xmit_place_run(tunnel, rest, n, chosen, most,
					     now);
	else
		bytes = mptun_xmit_place_packets(tunnel, rest, n, chosen, most,
						 now);
	if (!bytes)
		return;
	if (mptun_class_scheduled(class, n))
		mptun_sched_sent(&tx->sched, tx->cand, n, chosen, bytes);
	tx->active_ns = now;
	mptun_timer_update(path, now);
}

/* No path that is to be used carries a packet of this size.  Others, a backup
 * say, do not count: an MTU that the packet does not exceed tells its sender
 * nothing.  The sender is told later: that may lead back here, and the lock is
 * held now.
 */
static void mptun_xmit_reject(struct mptun_tunnel *tunnel,
			      struct sk_buff *skb, unsigned int n)
{
	u32 mtu = 0;

	tunnel->tx.classes[mptun_tx_cb(skb)->class].drops +=
		mptun_run_packets(skb);
	while (n--)
		if (tunnel->tx.cand[n].best)
			mtu = max(mtu, tunnel->tx.cand[n].mtu);
	mptun_tx_cb(skb)->wire_id = MPTUN_WIRE_ID_NONE;
	mptun_tx_cb(skb)->mtu = mtu;
	__skb_queue_tail(&tunnel->tx.out, skb);
}

/* Places a run of what waits first in a queue, or drops it if no path will ever
 * take it.  Returns false if there is nothing to place, or no room.
 *
 * The first queue stops before it has a packet that nobody takes.  Of the
 * others nobody knows what class the next packet will have, so they have to be
 * given it.
 */
static bool mptun_xmit_place_next(struct mptun_tunnel *tunnel, unsigned int q,
				  u64 now)
{
	struct sk_buff_head *rest = &tunnel->tx.queues[q].rest;
	struct sk_buff *skb = skb_peek(rest);
	u32 need = skb ? mptun_xmit_wire_bytes(tunnel, skb) : 0;
	u32 len = skb ? mptun_run_next(skb) : 1;
	int chosen = 0;
	unsigned int n;

	if (skb || !q) {
		n = mptun_cand_list(tunnel, q, need, now);
		n = mptun_classify_cands(tunnel, skb, n, len);
		chosen = mptun_classify_pick(tunnel, skb, n, need ?: 1, len);
	}
	if (chosen == -EAGAIN) {
		mptun_queue_stop(tunnel, q, now);
		mptun_xmit_limited(tunnel, n, need, now);
		return false;
	}
	if (!skb) {
		mptun_queue_wake(tunnel, q, now);
		return false;
	}
	if (chosen >= 0) {
		mptun_xmit_place_on(tunnel, rest, n, chosen, now);
		return true;
	}
	__skb_unlink(skb, rest);
	if (chosen == -EMSGSIZE)
		mptun_xmit_reject(tunnel, skb, n);
	else
		mptun_classify_drop(tunnel, skb,
				    MPTUN_A_DROP_STATS_TX_NO_PATH);
	return true;
}

/* The same with what was lost of a queue. */
static bool mptun_xmit_place_lost(struct mptun_tunnel *tunnel, unsigned int q,
				  struct sk_buff *skb, u64 now)
{
	u32 len = mptun_run_placed(skb, 0);
	u32 need = len + tunnel->overhead;
	unsigned int n;
	int chosen;

	n = mptun_cand_list(tunnel, q, need, now);
	n = mptun_classify_cands(tunnel, skb, n, len);
	chosen = mptun_repair_pick(tunnel, skb, n, need, len);
	if (chosen == -EAGAIN) {
		mptun_queue_stop(tunnel, q, now);
		mptun_xmit_limited(tunnel, n, need, now);
		return false;
	}
	mptun_repair_place(tunnel, q, skb, chosen, now);
	return true;
}

/**
 * mptun_xmit_place() - place what can be placed
 * @tunnel: the tunnel
 * @now: time in ns
 *
 * Stops or wakes the queues accordingly.  Windows open under the same lock, so
 * no wake-up is lost.
 */
void mptun_xmit_place(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_tx *tx = &tunnel->tx;
	unsigned int done = 0;
	struct sk_buff *lost;

	lockdep_assert_held(&tx->lock);
	while (done < tx->n_queues) {
		if (mptun_send_behind(tunnel)) {
			mptun_queue_stop_all(tunnel, now);
			return;
		}
		lost = mptun_repair_first(tunnel, tx->turn, now);
		if (lost ? mptun_xmit_place_lost(tunnel, tx->turn, lost, now) :
			   mptun_xmit_place_next(tunnel, tx->turn, now))
			done = 0;
		else
			done++;
		if (++tx->turn == tx->n_queues)
			tx->turn = 0;
	}
}

/**
 * mptun_xmit_finish() - windows may have opened, and losses may be settled
 * @tunnel: the tunnel, its mptun_tx.lock held; let go of
 * @now: time in ns
 *
 * Places and sends what there is room for, and tells the peer what it need not
 * wait for.  Called between mptun_enter() and mptun_leave().
 */
void mptun_xmit_finish(struct mptun_tunnel *tunnel, u64 now)
	__releases(&tunnel->tx.lock)
{
	struct mptun_tx *tx = &tunnel->tx;
	bool tell;
	u32 dsn;

	tell = mptun_tell_take(tunnel, now, &dsn);
	if (tx->stopped || mptun_repair_waits(&tx->repair)) {
		mptun_xmit_place(tunnel, now);
		mptun_send_flush(tunnel);
	}
	spin_unlock(&tx->lock);
	if (tell)
		mptun_tell_send(tunnel, dsn);
}

/**
 * mptun_xmit_run() - a window may have opened
 * @tunnel: the tunnel
 *
 * Called between mptun_enter() and mptun_leave() without a spinlock of ours.
 */
void mptun_xmit_run(struct mptun_tunnel *tunnel)
{
	spin_lock(&tunnel->tx.lock);
	mptun_xmit_finish(tunnel, mptun_now());
}

/* Counts what the device is given, as segments. */
static void mptun_xmit_count(struct net_device *dev,
			     const struct sk_buff_head *segs)
{
	u32 bytes = 0, packets = 0, n;
	struct sk_buff *skb;

	skb_queue_walk(segs, skb) {
		n = mptun_run_packets(skb);
		packets += n;
		bytes += skb->len + (n - 1) * mptun_tx_cb(skb)->cut.head;
	}
	dev_sw_netstats_tx_add(dev, packets, bytes);
}

/* Packets need room for our headers; runs get buffers of their own. */
static int mptun_xmit_headroom(struct mptun_tunnel *tunnel,
			       struct sk_buff_head *segs)
{
	struct sk_buff *skb;

	skb_queue_walk(segs, skb)
		if (!skb_is_gso(skb) &&
		    skb_cow_head(skb, MPTUN_HEADROOM + LL_MAX_HEADER))
			return -ENOMEM;
	return 0;
}

/**
 * mptun_xmit() - ndo_start_xmit of a tunnel
 * @skb: a packet of the stack, possibly GSO
 * @dev: the device
 *
 * Return: NETDEV_TX_OK, always: what cannot be sent is dropped and counted,
 * and what has to wait for room has been taken.
 */
netdev_tx_t mptun_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct mptun_tunnel *tunnel = netdev_priv(dev);
	struct mptun_tx *tx = &tunnel->tx;
	u16 q = skb_get_queue_mapping(skb);
	struct sk_buff_head segs;
	u64 now;

	__skb_queue_head_init(&segs);
	if (skb->protocol != ip_tunnel_parse_protocol(skb)) {
		DEV_STATS_INC(dev, tx_dropped);
		mptun_drop(&tunnel->drops, skb, MPTUN_A_DROP_STATS_TX_NOT_IP);
		return NETDEV_TX_OK;
	}
	if (mptun_xmit_segment(tunnel, skb, &segs)) {
		DEV_STATS_INC(dev, tx_dropped);
		mptun_drop(&tunnel->drops, skb,
			   MPTUN_A_DROP_STATS_TX_NO_MEMORY);
		return NETDEV_TX_OK;
	}
	if (mptun_xmit_headroom(tunnel, &segs)) {
		DEV_STATS_INC(dev, tx_dropped);
		mptun_drop_count(&tunnel->drops,
				 MPTUN_A_DROP_STATS_TX_NO_MEMORY);
		__skb_queue_purge(&segs);
		return NETDEV_TX_OK;
	}
	mptun_xmit_count(dev, &segs);

	/* A packet socket need not ask which queue there is. */
	if (q >= tx->n_queues)
		q = 0;
	mptun_enter();
	spin_lock(&tx->lock);
	now = mptun_now();
	mptun_xmit_rested(tunnel, now);
	skb_queue_splice_tail(&segs, &tx->queues[q].rest);
	mptun_xmit_place(tunnel, now);
	mptun_send_flush(tunnel);
	spin_unlock(&tx->lock);
	mptun_leave();
	return NETDEV_TX_OK;
}
