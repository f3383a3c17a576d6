// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Sending: numbered packets are cut and sealed, and leave.
 *
 * A packet walks in one direction:
 *
 *	mptun_send_flush()	what has been numbered: at once, or in line
 *	mptun_send_seal()	cut and sealed, by whom does not matter
 *	mptun_send_leave()	into the stack, in the order of the numbers
 *
 * Both the device's CPU and the one that opens a window place segments, under
 * one lock, and must not overtake each other on their way into the stack,
 * which is not under the lock.  So one of them sends for both: who finds
 * "out" served by another CPU leaves its segments there.
 *
 * Where sealing takes a good part of a processor's time, packets stand in line
 * instead, and several processors seal them (base/parallel.c).
 *
 * A packet knows the number of its path, not the path: that may be gone when
 * the packet is sealed.
 */
#include <linux/cpumask.h>
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <net/icmp.h>
#include <net/ip_tunnels.h>

#include "core/session.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "tx/run.h"
#include "tx/tx.h"

static struct mptun_tunnel *mptun_send_tunnel(struct mptun_parallel *spread)
{
	return container_of(spread, struct mptun_tunnel, tx.spread);
}

/* Is there a session to seal a packet with, and a path that carries it? */
static bool mptun_send_placed(const struct mptun_tx_cb *cb)
{
	return cb->session && cb->wire_id != MPTUN_WIRE_ID_NONE;
}

/* Cuts and seals. */
static void mptun_send_seal(struct mptun_parallel *spread, struct sk_buff *skb)
{
	struct mptun_tx_cb *cb = mptun_tx_cb(skb);

	if (!mptun_send_placed(cb))
		return;
	if (cb->count)
		mptun_run_seal(skb);
	else
		cb->spread.err = mptun_encrypt_data(cb->session, skb);
}

/* Tells the sender of a packet that no path carries what size it may have. */
static void mptun_send_too_big(struct mptun_tunnel *tunnel,
			       struct sk_buff *skb)
{
	u32 mtu = mptun_tx_cb(skb)->mtu;

	if (skb->protocol == htons(ETH_P_IP))
		icmp_ndo_send(skb, ICMP_DEST_UNREACH, ICMP_FRAG_NEEDED,
			      htonl(mtu));
	else
		icmpv6_ndo_send(skb, ICMPV6_PKT_TOOBIG, 0, mtu);
	mptun_run_drop(tunnel, skb, MPTUN_A_DROP_STATS_TX_TOO_BIG);
}

/* Sends the packets behind a run that is not one packet. */
static int mptun_send_each(struct mptun_session *session,
			   struct mptun_path *path, struct sk_buff *run)
{
	struct sk_buff *skb, *next, *list = skb_shinfo(run)->frag_list;
	u8 ds = mptun_tx_cb(run)->ds;
	int err, ret = 0;

	skb_shinfo(run)->frag_list = NULL;
	consume_skb(run);
	skb_list_walk_safe(list, skb, next) {
		skb_mark_not_on_list(skb);
		err = mptun_encrypt_output(session, path, skb, ds);
		ret = err ?: ret;
	}
	return ret;
}

/* Why is a packet not to be sent? Returns MPTUN_A_DROP_STATS_*, or 0. */
static unsigned int mptun_send_refused(const struct mptun_tx_cb *cb,
				       const struct mptun_path *path)
{
	if (!cb->session)
		return MPTUN_A_DROP_STATS_TX_NO_SESSION;
	if (cb->spread.err)
		return MPTUN_A_DROP_STATS_TX_NO_MEMORY;
	return path ? 0 : MPTUN_A_DROP_STATS_TX_NO_PATH;
}

/* Sends what has been cut and sealed. */
static void mptun_send_leave(struct mptun_parallel *spread, struct sk_buff *skb)
{
	struct mptun_tunnel *tunnel = mptun_send_tunnel(spread);
	const struct mptun_tx_cb *cb = mptun_tx_cb(skb);
	struct mptun_path *path;
	unsigned int reason;
	int err;

	if (cb->wire_id == MPTUN_WIRE_ID_NONE) {
		mptun_send_too_big(tunnel, skb);
		return;
	}
	path = mptun_path_by_wire(tunnel, cb->wire_id);
	reason = mptun_send_refused(cb, path);
	if (reason) {
		mptun_run_drop(tunnel, skb, reason);
		return;
	}
	if (cb->count && !skb_is_gso(skb))
		err = mptun_send_each(cb->session, path, skb);
	else
		err = mptun_encrypt_output(cb->session, path, skb, cb->ds);
	if (err)
		mptun_timer_failed(path, err);
}

/* The same with some that stood in line. */
static void mptun_send_leave_line(struct mptun_parallel *spread,
				  struct sk_buff_head *list)
{
	struct mptun_session *session;
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(list))) {
		session = mptun_tx_cb(skb)->session;
		mptun_send_leave(spread, skb);
		if (session)
			mptun_session_put(session);
	}
}

static void mptun_send_room(struct mptun_parallel *spread)
{
	mptun_place_ready(mptun_send_tunnel(spread));
}

static struct mptun_parallel_cb *mptun_send_cb(const struct sk_buff *skb)
{
	return &mptun_tx_cb(skb)->spread;
}

static const struct mptun_parallel_ops mptun_send_ops = {
	.cb = mptun_send_cb,
	.work = mptun_send_seal,
	.leave = mptun_send_leave_line,
	.room = mptun_send_room,
};

/* Seals and sends at once.  How long sealing takes matters only where others
 * could help.
 */
static void mptun_send_now(struct mptun_tunnel *tunnel,
			   struct sk_buff_head *out)
{
	bool measured = mptun_tunnel_sealed(tunnel) && num_online_cpus() > 1;
	struct mptun_parallel *spread = &tunnel->tx.spread;
	struct sk_buff *skb;
	u64 from;

	from = measured ? mptun_now() : 0;
	skb_queue_walk(out, skb)
		mptun_send_seal(spread, skb);
	if (measured)
		mptun_parallel_spent(spread, from, mptun_now(), 1);
	while ((skb = __skb_dequeue(out)))
		mptun_send_leave(spread, skb);
}

/* Puts all that has been numbered in line.  It keeps its session: its keys may
 * be changed before it leaves.
 */
static void mptun_send_line_up(struct mptun_tunnel *tunnel)
{
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_tx_cb *cb;
	struct sk_buff *skb;

	lockdep_assert_held(&tx->lock);
	while ((skb = __skb_dequeue(&tx->out))) {
		cb = mptun_tx_cb(skb);
		if (cb->session && !refcount_inc_not_zero(&cb->session->refs))
			cb->session = NULL;
		mptun_parallel_add(&tx->spread, skb, cb->count ?: 1,
				 cb->count ? cb->count * cb->cut.size :
					     skb->len);
	}
	tx->n_out = 0;
	spin_unlock(&tx->lock);
	mptun_parallel_help(&tx->spread);
	spin_lock(&tx->lock);
}

/* An accelerator needs nobody's help. */
static bool mptun_send_spreads(struct mptun_tunnel *tunnel)
{
	const struct mptun_session *session;

	session = rcu_dereference(tunnel->tx.session);
	return session && !mptun_cipher_async(&session->seal) &&
	       mptun_parallel_wanted(&tunnel->tx.spread);
}

/* Sends what others number meanwhile as well.  A CPU that has sent for them for
 * long lets the queue run dry, and the worker go on.
 */
static void mptun_send_rounds(struct mptun_tunnel *tunnel)
{
	struct mptun_tx *tx = &tunnel->tx;
	struct sk_buff_head out;
	unsigned int rounds = 0;

	lockdep_assert_held(&tx->lock);
	tx->busy = true;
	while (!skb_queue_empty(&tx->out)) {
		__skb_queue_head_init(&out);
		skb_queue_splice_init(&tx->out, &out);
		tx->n_out = 0;
		spin_unlock(&tx->lock);
		mptun_send_now(tunnel, &out);
		spin_lock(&tx->lock);
		if (++rounds >= MPTUN_OUT_ROUNDS) {
			tx->behind = true;
			mptun_queue_stop_all(tunnel, mptun_now());
		} else if (tx->behind && skb_queue_empty(&tx->out)) {
			tx->behind = false;
			mptun_place(tunnel, mptun_now());
		}
	}
	if (tx->behind)
		mptun_tunnel_kick(tunnel);
	tx->behind = false;
	tx->busy = false;
}

/**
 * mptun_send_flush() - send what has been numbered
 * @tunnel: the tunnel
 *
 * Unless another CPU is at it and will.  Called between mptun_enter() and
 * mptun_leave(); the lock is let go of meanwhile.
 */
void mptun_send_flush(struct mptun_tunnel *tunnel)
{
	struct mptun_tx *tx = &tunnel->tx;

	lockdep_assert_held(&tx->lock);
	if (tx->busy || skb_queue_empty(&tx->out))
		return;
	if (mptun_send_spreads(tunnel))
		mptun_send_line_up(tunnel);
	else
		mptun_send_rounds(tunnel);
}

/**
 * mptun_send_behind() - has too much been numbered that is not sent?
 * @tunnel: the tunnel
 *
 * Return: true if no more is to be numbered; then mptun_place() is called
 * when there is room.
 */
bool mptun_send_behind(struct mptun_tunnel *tunnel)
{
	struct mptun_tx *tx = &tunnel->tx;

	lockdep_assert_held(&tx->lock);
	if (mptun_parallel_full(&tx->spread))
		return true;
	if (!tx->busy || tx->n_out < MPTUN_OUT_MAX)
		return false;
	tx->behind = true;
	return true;
}

/**
 * mptun_send_line_init() - make the way out of a tunnel
 * @tunnel: the tunnel
 */
void mptun_send_line_init(struct mptun_tunnel *tunnel)
{
	mptun_parallel_init(&tunnel->tx.spread, &mptun_send_ops,
			  MPTUN_LINE_OUT_MAX);
}
