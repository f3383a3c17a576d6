// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Placement: each waiting packet gets a path, run by run.
 *
 *	mptun_xmit()	one GSO packet of the stack: class, lane, segments
 *	  "rest"	packets without a number
 *	mptun_place()	a path with room for the next run of segments
 *	mptun_stamp()	dsn, predecessor, packet number, header
 *	  "out"		numbered packets and runs, in the order of their
 *			numbers; also packets that are too big, without one
 *	mptun_send_flush()	without the lock: cut, encrypted and passed to
 *				the stack (tx/send.c)
 *
 * The tunnel behaves like a link with a rate: if no path has room the device's
 * queue stops, and its qdisc holds and manages the packets.  Behind the qdisc
 * wait at most the rest of one GSO packet, and lost packets that are due for
 * retransmission (tx/rtx.c), which come first.
 *
 * Packets of sparse flows (sched/sparse.c) do not wait for room: they are
 * placed as they come, ahead of what waits, and charged to window and pacer.
 *
 * That applies to each of the device's queues.  Class 0 uses the first one; the
 * other classes share the rest, and wait only for their own paths and for each
 * other.  Queues that compete for a path take turns, run by run.
 *
 * mptun_tx.lock protects everything here.
 */
#include "core/path.h"
#include "core/tunnel.h"
#include "tx/run.h"
#include "tx/tx.h"

static u32 mptun_place_bytes(const struct mptun_tunnel *tunnel,
			     const struct sk_buff *skb)
{
	return mptun_run_next(skb) + tunnel->overhead;
}

/* The next packet fits on the path chosen for the ones before it. */
static bool mptun_place_fits(const struct mptun_tunnel *tunnel,
			     const struct sk_buff *skb, unsigned int chosen,
			     u32 bytes)
{
	const struct mptun_sched_cand *cand = &tunnel->tx.cand[chosen];
	struct mptun_path *path = tunnel->tx.cand_path[chosen];

	return mptun_run_next(skb) <= cand->whole &&
	       bytes + mptun_place_bytes(tunnel, skb) <= cand->room &&
	       mptun_sent_can_add(&path->tx.sent);
}

/* Places a run of the first GSO packet in @rest.  Returns its bytes.
 *
 * What is placed is kept for retransmission or copied to other paths if its
 * class, the scheduler or a trial requires that.
 */
static u32 mptun_place_run(struct mptun_tunnel *tunnel,
			   struct sk_buff_head *rest, unsigned int n,
			   unsigned int chosen, u32 most, u64 now)
{
	struct sk_buff *gso = skb_peek(rest), *run;
	struct mptun_tx_cb *cb = mptun_tx_cb(gso);
	struct mptun_path *path = tunnel->tx.cand_path[chosen];
	struct mptun_packet *hdr;
	u32 bytes = 0, count = 0;

	run = mptun_run_new(&tunnel->tx, gso);
	if (!run) {
		__skb_unlink(gso, rest);
		mptun_classify_drop(tunnel, gso,
				    MPTUN_A_DROP_STATS_TX_NO_MEMORY);
		return 0;
	}
	hdr = skb_push(run, sizeof(*hdr));
	most = min(most, mptun_run_most(gso));
	do {
		bytes += mptun_stamp(path, gso, count ? NULL : hdr, now);
		count++;
		cb->offset += mptun_segment_payload(&cb->cut, cb->offset);
	} while (cb->offset < cb->cut.payload && count < most &&
		 mptun_place_fits(tunnel, gso, chosen, bytes));
	mptun_tx_cb(run)->count = count;
	mptun_avoid_flow(tunnel, cb->lane);
	mptun_stamp_out(path, run, count, now);
	mptun_duplicate(tunnel, run, n, chosen, now);
	mptun_rtx_protect(path, run, cb->lane, now);
	if (cb->offset == cb->cut.payload) {
		__skb_unlink(gso, rest);
		if (cb->keep)
			mptun_run_release(gso);
		consume_skb(gso);
	}
	return bytes;
}

/* Places the first packets in @rest, up to the next GSO packet or class.
 * Returns their bytes.
 */
static u32 mptun_place_packets(struct mptun_tunnel *tunnel,
			       struct sk_buff_head *rest, unsigned int n,
			       unsigned int chosen, u32 most, u64 now)
{
	struct mptun_path *path = tunnel->tx.cand_path[chosen];
	u8 class = mptun_tx_cb(skb_peek(rest))->class;
	struct mptun_packet hdr;
	struct sk_buff *skb;
	u32 bytes = 0;
	u16 lane;

	do {
		skb = __skb_dequeue(rest);
		lane = mptun_tx_cb(skb)->lane;
		bytes += mptun_stamp(path, skb, &hdr, now);
		memcpy(skb_push(skb, sizeof(hdr)), &hdr, sizeof(hdr));
		mptun_avoid_flow(tunnel, lane);
		mptun_stamp_out(path, skb, 1, now);
		mptun_duplicate(tunnel, skb, n, chosen, now);
		mptun_rtx_protect(path, skb, lane, now);
		skb = skb_peek(rest);
	} while (--most && skb && !skb_is_gso(skb) &&
		 mptun_tx_cb(skb)->class == class &&
		 mptun_place_fits(tunnel, skb, chosen, bytes));
	return bytes;
}

/* Drops a packet that no path takes.  One that is too big for all preferred
 * paths is fragmented or rejected.  Other paths, such as backups, do not count:
 * the packet may fit on them.  While the size of a path is being searched for
 * the first time, its sender gets no limit.
 * The ICMP error is sent later, without the lock, as it may reenter the tunnel.
 */
static void mptun_place_reject(struct mptun_tunnel *tunnel,
			       struct sk_buff_head *rest, unsigned int n,
			       int err)
{
	struct sk_buff *skb = skb_peek(rest);
	bool settled = true;
	u32 mtu = 0;

	if (err != -EMSGSIZE) {
		__skb_unlink(skb, rest);
		mptun_classify_drop(tunnel, skb, MPTUN_A_DROP_STATS_TX_NO_PATH);
		return;
	}
	while (n--) {
		if (!tunnel->tx.cand[n].best)
			continue;
		mtu = max(mtu, tunnel->tx.cand[n].mtu);
		settled &= mptun_path_size_settled(tunnel->tx.cand_path[n]);
	}
	if (mptun_fragment_inner(tunnel, rest, mtu))
		return;
	__skb_unlink(skb, rest);
	tunnel->tx.classes[mptun_tx_cb(skb)->class].drops +=
		mptun_run_packets(skb);
	mptun_tx_cb(skb)->parallel.err = -EMSGSIZE;
	mptun_tx_cb(skb)->mtu = settled ? mtu : 0;
	__skb_queue_tail(&tunnel->tx.out, skb);
}

/* Chooses a path for the next packet of a queue.  If none waits, that decides
 * about the first queue: it stops before it gets a packet without room.
 */
static int mptun_place_pick(struct mptun_tunnel *tunnel, unsigned int q,
			    const struct sk_buff *skb, unsigned int n, u64 now)
{
	const struct mptun_class *class = mptun_classify_of(tunnel, skb);
	unsigned int id = skb ? mptun_tx_cb(skb)->class : 0;
	u32 need = skb ? mptun_place_bytes(tunnel, skb) : 0;
	u32 len = skb ? mptun_run_next(skb) : 1;
	struct mptun_tx *tx = &tunnel->tx;
	int chosen;

	chosen = mptun_class_pick(class, &tx->classes[id], &tx->sched,
				  tx->cand, n, need ?: 1, len);
	if (chosen == -EAGAIN) {
		mptun_queue_stop(tunnel, q, now);
		mptun_cand_limited(tunnel, q, n, need, now);
	} else if (!skb) {
		mptun_queue_wake(tunnel, q, now);
	}
	return chosen;
}

/* Accounts for a run.  Returns whether it has used up the room of its path for
 * the next packet of the queue.
 */
static bool mptun_place_done(struct mptun_tunnel *tunnel, unsigned int q,
			     const struct mptun_class *class, unsigned int n,
			     unsigned int chosen, u32 bytes, u64 now)
{
	struct mptun_tx *tx = &tunnel->tx;
	const struct sk_buff *skb = skb_peek(&tx->queues[q].rest);
	u32 need = skb ? mptun_place_bytes(tunnel, skb) : 0;

	if (mptun_class_scheduled(class, n))
		mptun_sched_sent(&tx->sched, tx->cand, n, chosen, bytes);
	tx->sched.backlog -= min_t(u64, tx->sched.backlog, bytes);
	atomic64_set(&tx->active_ns, now);
	mptun_timer_update(tx->cand_path[chosen], now);
	return mptun_cand_room(tx->cand_path[chosen], need, now) < (need ?: 1);
}

/* Tests whether a path that the first queue waits for has room. */
static bool mptun_place_awaited(const struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_path *path;

	list_for_each_entry_rcu(path, &tunnel->paths, list)
		if (path->tx.awaited_ns == tunnel->tx.stop_ns &&
		    mptun_path_takes_data(path) &&
		    mptun_cand_room(path, 0, now))
			return true;
	return false;
}

/* Places a run of the first packet of a queue, or drops it if no path will ever
 * take it.  Returns whether to look at the queues again.
 *
 * The first queue stops before it gets a packet without room, and wakes when a
 * path has room that it waits for.  The class of the next packet of any other
 * queue is not known, so such a queue has to get it first.
 *
 * If the run has used up the room of its path, the same candidates are asked
 * for the next packet, so that a queue that finds no room stops without another
 * scheduling pass.
 */
static bool mptun_place_next(struct mptun_tunnel *tunnel, unsigned int q,
			     u64 now)
{
	struct mptun_tx *tx = &tunnel->tx;
	struct sk_buff_head *rest = &tx->queues[q].rest;
	struct sk_buff *skb = skb_peek(rest);
	u32 need = skb ? mptun_place_bytes(tunnel, skb) : 0;
	u32 len = skb ? mptun_run_next(skb) : 1;
	unsigned int n, id = skb ? mptun_tx_cb(skb)->class : 0;
	const struct mptun_class *class;
	struct mptun_path *path;
	u32 bytes, most;
	bool used_up;
	int chosen;

	if (!skb && (q || (tx->queues[q].stopped ?
			   mptun_place_awaited(tunnel, now) : !tx->used_up))) {
		mptun_queue_wake(tunnel, q, now);
		return false;
	}
	class = mptun_classify_of(tunnel, skb);
	n = mptun_cand_list(tunnel, q, need, now);
	n = mptun_classify_cands(tunnel, class, n, len);
	chosen = mptun_place_pick(tunnel, q, skb, n, now);
	trace_mptun_sched(tunnel, q, need, chosen);
	if (!q)
		tx->used_up = false;
	if (!skb || chosen == -EAGAIN)
		return false;
	if (chosen < 0) {
		mptun_place_reject(tunnel, rest, n, chosen);
		return true;
	}
	path = tx->cand_path[chosen];
	most = mptun_sched_run_length(path->tx.cc.pacing_rate, path->tx.cc.mss);
	if (len > tx->cand[chosen].whole)
		bytes = mptun_fragment_place(tunnel, rest, n, chosen, now);
	else if (skb_is_gso(skb))
		bytes = mptun_place_run(tunnel, rest, n, chosen, most, now);
	else
		bytes = mptun_place_packets(tunnel, rest, n, chosen, most, now);
	if (!bytes)
		return true;
	used_up = mptun_place_done(tunnel, q, class, n, chosen, bytes, now);
	skb = skb_peek(rest);
	if (!skb && (q || !used_up)) {
		tx->used_up |= used_up;
		mptun_queue_wake(tunnel, q, now);
		return used_up;
	}
	if (!used_up)
		return true;
	if (id != (skb ? mptun_tx_cb(skb)->class : 0)) {
		tx->used_up = true;
		return true;
	}
	need = skb ? mptun_place_bytes(tunnel, skb) : 0;
	mptun_cand_update(tunnel, skb, n, need, now);
	return mptun_place_pick(tunnel, q, skb, n, now) != -EAGAIN && skb;
}

/* Lists the paths, each with what it carries without fragments only. */
static unsigned int mptun_place_whole(struct mptun_tunnel *tunnel,
				      unsigned int q, u32 need, u64 now)
{
	unsigned int i, n = mptun_cand_list(tunnel, q, need, now);

	for (i = 0; i < n; i++) {
		tunnel->tx.cand[i].mtu = tunnel->tx.cand[i].whole;
		tunnel->tx.cand[i].cut = 0;
	}
	return n;
}

/* Places a packet of a queue that is due for retransmission.  Returns false if
 * no path has room.
 */
static bool mptun_place_lost(struct mptun_tunnel *tunnel, unsigned int q,
			     struct sk_buff *skb, u64 now)
{
	u32 len = mptun_run_placed(skb, 0);
	u32 need = len + tunnel->overhead;
	unsigned int n;
	int chosen;

	tunnel->tx.used_up = true;
	/* It has a dsn already, so it cannot be sent in fragments. */
	n = mptun_place_whole(tunnel, q, need, now);
	n = mptun_classify_cands(tunnel, mptun_classify_of(tunnel, skb), n,
				 len);
	chosen = mptun_rtx_pick(tunnel, skb, n, need, len);
	trace_mptun_sched(tunnel, q, need, chosen);
	if (chosen == -EAGAIN) {
		mptun_queue_stop(tunnel, q, now);
		mptun_cand_limited(tunnel, q, n, need, now);
		return false;
	}
	mptun_rtx_place(tunnel, q, skb, chosen, now);
	return true;
}

/* Tests whether sparse flows are recognised.  Where they are not, no flow is
 * charged, and all of them would seem sparse.
 */
static bool mptun_place_tells_sparse(const struct mptun_tunnel *tunnel,
				     const struct sk_buff *skb)
{
	return tunnel->tx.sched.ops->high_rate_first &&
	       mptun_classify_of(tunnel, skb)->policy ==
	       MPTUN_CLASS_POLICY_AGGREGATE;
}

/* Tests whether a packet may pass those that wait: its flow has been sparse,
 * none of its packets waits, and it is not longer than a run.
 */
static bool mptun_place_may_pass(const struct mptun_tunnel *tunnel,
				 const struct sk_buff_head *rest,
				 const struct sk_buff_head *segs, u64 now)
{
	const struct mptun_sparse *sparse = &mptun_flow_state(tunnel)->sparse;
	u16 lane = mptun_tx_cb(skb_peek(segs))->lane;
	const struct sk_buff *skb;

	if (skb_queue_len(segs) > 1 || !mptun_sparse_may(sparse, lane, now))
		return false;
	skb_queue_walk(rest, skb)
		if (mptun_tx_cb(skb)->lane == lane)
			return false;
	return true;
}

/* Chooses the path for a packet of a sparse flow and charges the flow.  Only a
 * measured rate gives the cost of the packet: with one guessed from the pacing
 * of a low-rate uplink, acknowledgments of a download displaced an upload.
 *
 * Returns an index into mptun_tx.cand, or -EAGAIN if the packet waits like any
 * other.
 */
static int mptun_place_pick_sparse(struct mptun_tunnel *tunnel, unsigned int q,
				   const struct sk_buff *skb, unsigned int *n,
				   u64 now)
{
	struct mptun_sparse *sparse = &mptun_flow_state(tunnel)->sparse;
	u32 need = mptun_place_bytes(tunnel, skb), len = mptun_run_next(skb);
	u32 packets = mptun_run_packets(skb), bytes = packets * need;
	u16 lane = mptun_tx_cb(skb)->lane;
	const struct mptun_sched_cand *c;
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_path *path;
	int chosen;
	u64 rate;

	*n = 0;
	if (tx->rate_unknown)
		return -EAGAIN;
	*n = mptun_place_whole(tunnel, q, need, now);
	*n = mptun_classify_cands(tunnel, mptun_classify_of(tunnel, skb), *n,
				  len);
	if (mptun_sched_filter(&tx->sched, tx->cand, *n, need, len))
		return -EAGAIN;
	chosen = mptun_sparse_pick(tx->cand, *n);
	trace_mptun_sched(tunnel, q, need, chosen);
	if (chosen < 0)
		return chosen;
	c = &tx->cand[chosen];
	path = tx->cand_path[chosen];
	if (mptun_path_stalled(path))
		return -EAGAIN;
	rate = c->rate;
	tx->rate_unknown = !rate;
	if (packets > mptun_sched_run_length(rate, path->tx.cc.mss)) {
		mptun_sparse_bulk(sparse, lane, now);
		return -EAGAIN;
	}
	if (!rate || !mptun_sparse_charge(sparse, lane, bytes, rate, now) ||
	    !mptun_sparse_fits(c, bytes) ||
	    !mptun_sent_can_add(&path->tx.sent))
		return -EAGAIN;
	return chosen;
}

/* Places a packet of a sparse flow.  Returns its path, or NULL if the packet
 * waits like any other.
 */
static struct mptun_path *mptun_place_sparse(struct mptun_tunnel *tunnel,
					     unsigned int q,
					     struct sk_buff_head *segs, u64 now)
{
	struct mptun_flows *flows = mptun_flow_state(tunnel);
	struct sk_buff *skb = skb_peek(segs);
	struct mptun_tx *tx = &tunnel->tx;
	u32 packets = mptun_run_packets(skb);
	u8 id = mptun_tx_cb(skb)->class;
	struct mptun_path *path;
	unsigned int n;
	int chosen;

	if (!mptun_place_tells_sparse(tunnel, skb) || mptun_send_behind(tunnel))
		return NULL;
	if (!mptun_place_may_pass(tunnel, &tx->queues[q].rest, segs, now)) {
		mptun_sparse_bulk(&flows->sparse, mptun_tx_cb(skb)->lane, now);
		return NULL;
	}
	chosen = mptun_place_pick_sparse(tunnel, q, skb, &n, now);
	if (chosen < 0)
		return NULL;
	path = tx->cand_path[chosen];
	tx->cand[chosen].room = U32_MAX;
	tx->code.passes = true;
	if (skb_is_gso(skb))
		mptun_place_run(tunnel, segs, n, chosen, packets, now);
	else
		mptun_place_packets(tunnel, segs, n, chosen, 1, now);
	tx->code.passes = false;
	tx->classes[id].sparse += packets;
	atomic64_set(&tx->active_ns, now);
	mptun_timer_update(path, now);
	return path;
}

/* Decides about retransmission for packets whose class leaves that to their
 * flow.  BULK remains for those that the path decides about.
 */
static void mptun_place_keep(struct mptun_tunnel *tunnel,
			     struct sk_buff_head *segs, u64 now)
{
	const struct mptun_sparse *sparse = &mptun_flow_state(tunnel)->sparse;
	struct mptun_tx_cb *cb = mptun_tx_cb(skb_peek(segs));
	struct sk_buff *skb;
	bool is_sparse;
	u8 keep;

	if (cb->keep != MPTUN_CLASS_KEEP_BULK)
		return;
	is_sparse = mptun_sparse_may(sparse, cb->lane, now);
	keep = mptun_place_tells_sparse(tunnel, skb_peek(segs)) ?
	       MPTUN_CLASS_KEEP_SILENT : MPTUN_CLASS_KEEP_NEVER;
	skb_queue_walk(segs, skb) {
		cb = mptun_tx_cb(skb);
		if (is_sparse)
			cb->keep = keep;
		else if (skb_is_gso(skb))
			cb->keep = MPTUN_CLASS_KEEP_ALONE;
	}
}

/**
 * mptun_place() - place what the queues have, in turns
 * @tunnel: the tunnel
 * @opened: room may have opened; otherwise those that are stopped wait
 * @now: time in ns
 *
 * Stops or wakes the queues accordingly.  Windows open under the same lock, so
 * no wake-up is lost.
 */
void mptun_place(struct mptun_tunnel *tunnel, bool opened, u64 now)
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
		lost = mptun_rtx_first(tunnel, tx->turn, now);
		if (tx->queues[tx->turn].stopped && !opened)
			done++;
		else if (lost ? mptun_place_lost(tunnel, tx->turn, lost, now) :
			 mptun_place_next(tunnel, tx->turn, now))
			done = 0;
		else
			done++;
		if (++tx->turn == tx->n_queues)
			tx->turn = 0;
	}
}

/**
 * mptun_place_new() - place a packet of the stack, or let it wait
 * @tunnel: the tunnel
 * @q: the device's queue it is from
 * @segs: its segments
 * @now: time in ns
 *
 * It waits if its queue is stopped, unless its flow is sparse.
 *
 * Return: true if mptun_place() is to be called.
 */
bool mptun_place_new(struct mptun_tunnel *tunnel, unsigned int q,
		     struct sk_buff_head *segs, u64 now)
{
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_path *path;

	lockdep_assert_held(&tx->lock);
	mptun_place_keep(tunnel, segs, now);
	path = mptun_place_sparse(tunnel, q, segs, now);
	skb_queue_splice_tail_init(segs, &tx->queues[q].rest);
	if (path && !mptun_cand_room(path, 0, now))
		tx->used_up = true;
	if (tx->queues[q].stopped) {
		mptun_queue_stop(tunnel, q, now);
		return false;
	}
	return !path || tx->used_up;
}

/**
 * mptun_place_finish_unlock() - act on opened windows and settled losses
 * @tunnel: the tunnel
 *
 * Places and sends what there is room for, and notifies the peer of what has
 * been settled.  Called between mptun_enter() and mptun_leave() with
 * mptun_tx.lock held, which it releases.
 */
void mptun_place_finish_unlock(struct mptun_tunnel *tunnel)
	__releases(&tunnel->tx.lock)
{
	struct mptun_tx *tx = &tunnel->tx;
	u64 now = mptun_now();
	bool notify;

	notify = mptun_notify_take(tunnel, now);
	if (tx->stopped || mptun_rtx_waits(&tx->rtx)) {
		mptun_place(tunnel, true, now);
		mptun_send_flush(tunnel);
	}
	spin_unlock(&tx->lock);
	if (notify)
		mptun_notify_send(tunnel, now);
}

/**
 * mptun_place_ready() - place and send after a window may have opened
 * @tunnel: the tunnel
 *
 * Called between mptun_enter() and mptun_leave() without a spinlock of ours.
 */
void mptun_place_ready(struct mptun_tunnel *tunnel)
{
	spin_lock(&tunnel->tx.lock);
	mptun_place_finish_unlock(tunnel);
}
