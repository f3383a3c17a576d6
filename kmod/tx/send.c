// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Sending: numbered packets are cut, encrypted and passed to the stack.
 *
 *	mptun_send_flush()	what has been numbered: at once, or in line
 *	mptun_send_seal()	cut and encrypt, on any CPU
 *	mptun_send_leave()	into the stack, in the order of the numbers
 *
 * The device's CPU and the one that opens a window both place packets under
 * mptun_tx.lock, but pass them to the stack without it, and must not overtake
 * each other there.  So one of them sends for both (mptun_tx.busy): a CPU that
 * finds another one sending leaves its packets in mptun_tx.out.
 *
 * If encryption takes a large part of a CPU's time, packets are queued in line
 * instead, and several CPUs encrypt them (base/parallel.c).
 *
 * A numbered packet holds the id of its path, not the path, which may be
 * deleted before the packet has been encrypted.
 */
#include <linux/cpumask.h>
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/ipv6.h>
#include <net/icmp.h>
#include <net/ip_tunnels.h>

#include "core/session.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "tx/run.h"
#include "tx/tx.h"

static struct mptun_tunnel *mptun_send_tunnel(struct mptun_parallel *parallel)
{
	return container_of(parallel, struct mptun_tunnel, tx.parallel);
}

/* Cuts and encrypts a packet that has a session and a path.  An asynchronous
 * cipher follows later (tx/encrypt_async.c).
 */
static void mptun_send_seal(struct mptun_parallel *parallel,
			    struct sk_buff *skb)
{
	struct mptun_tx_cb *cb = mptun_tx_cb(skb);
	struct mptun_outer *outer;

	if (!cb->session || cb->parallel.err)
		return;
	if (cb->count) {
		mptun_run_seal(skb);
		return;
	}
	outer = (void *)skb->data;
	outer->receiver = cpu_to_be32(cb->session->peer_index);
	if (!mptun_cipher_async(&cb->session->seal))
		cb->parallel.err = mptun_cipher_seal(&cb->session->seal, skb,
						     NULL);
}

/* Reports the MTU to the sender of a packet that is too big for all paths. */
static void mptun_send_too_big(struct mptun_tunnel *tunnel,
			       struct sk_buff *skb)
{
	u32 mtu = mptun_tx_cb(skb)->mtu;

	if (!mtu)
		; /* not known yet */
	else if (skb->protocol == htons(ETH_P_IP))
		icmp_ndo_send(skb, ICMP_DEST_UNREACH, ICMP_FRAG_NEEDED,
			      htonl(mtu));
	else if (ipv6_mod_enabled())
		icmpv6_ndo_send(skb, ICMPV6_PKT_TOOBIG, 0, mtu);
	mptun_run_drop(tunnel, skb, MPTUN_A_DROP_STATS_TX_TOO_BIG);
}

/* Passes a packet or run to the stack after mptun_send_seal(). */
static void mptun_send_leave(struct mptun_tunnel *tunnel, struct sk_buff *skb)
{
	const struct mptun_tx_cb *cb = mptun_tx_cb(skb);
	struct mptun_session *session = cb->session;
	struct sk_buff *list = skb, *next;
	unsigned int reason = 0;
	struct mptun_path *path;
	int err, failed = 0;
	u8 ds = cb->ds_path;

	if (cb->parallel.err == -EMSGSIZE) {
		mptun_send_too_big(tunnel, skb);
		return;
	}
	path = mptun_path_by_wire(tunnel, cb->wire_id);
	if (!session)
		reason = MPTUN_A_DROP_STATS_TX_NO_SESSION;
	else if (cb->parallel.err)
		reason = MPTUN_A_DROP_STATS_TX_NO_MEMORY;
	else if (!path)
		reason = MPTUN_A_DROP_STATS_TX_NO_PATH;
	if (reason) {
		mptun_run_drop(tunnel, skb, reason);
		return;
	}
	if (cb->count && !skb_is_gso(skb)) {
		list = skb_shinfo(skb)->frag_list;
		skb_shinfo(skb)->frag_list = NULL;
		consume_skb(skb);
	}
	skb_list_walk_safe(list, skb, next) {
		skb_mark_not_on_list(skb);
		if (mptun_encrypt_async(session, path, skb, ds))
			continue;
		err = mptun_out_data(path, skb, ds);
		failed = err ?: failed;
	}
	if (failed)
		mptun_timer_failed(path, failed);
}

static void mptun_send_leave_line(struct mptun_parallel *parallel,
				  struct sk_buff_head *list)
{
	struct mptun_session *session;
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(list))) {
		session = mptun_tx_cb(skb)->session;
		mptun_send_leave(mptun_send_tunnel(parallel), skb);
		if (session)
			mptun_session_put(session);
	}
}

static void mptun_send_room(struct mptun_parallel *parallel)
{
	mptun_place_ready(mptun_send_tunnel(parallel));
}

static struct mptun_parallel_cb *mptun_send_cb(const struct sk_buff *skb)
{
	return &mptun_tx_cb(skb)->parallel;
}

const struct mptun_parallel_ops mptun_send_ops = {
	.cb = mptun_send_cb,
	.work = mptun_send_seal,
	.leave = mptun_send_leave_line,
	.room = mptun_send_room,
};

/* Queues all numbered packets in line.  Each holds its session, whose keys may
 * be replaced before the packet leaves.  Releases mptun_tx.lock for a moment.
 */
static void mptun_send_line_up(struct mptun_tunnel *tunnel)
{
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_tx_cb *cb;
	struct sk_buff *skb;

	lockdep_assert_held(&tx->lock);
	if (unlikely(tx->code.marked)) {
		tx->code.marked = 0;
		mptun_code_add(tunnel, &tx->out);
		mptun_code_place(tunnel);
	}
	while ((skb = __skb_dequeue(&tx->out))) {
		cb = mptun_tx_cb(skb);
		if (cb->session && !refcount_inc_not_zero(&cb->session->refs))
			cb->session = NULL;
		mptun_parallel_add(&tx->parallel, skb, cb->count ?: 1,
				   cb->count ? cb->count * cb->cut.size :
				   skb->len);
	}
	tx->n_out = 0;
	spin_unlock(&tx->lock);
	mptun_parallel_help(&tx->parallel);
	spin_lock(&tx->lock);
}

/**
 * mptun_send_flush() - send what has been numbered
 * @tunnel: the tunnel
 *
 * Does nothing if another CPU is sending.  Otherwise sends what other CPUs
 * number in the meantime as well; after MPTUN_OUT_ROUNDS it stops the queues,
 * sends the remainder and lets the worker restart them.
 *
 * Called between mptun_enter() and mptun_leave() with mptun_tx.lock held, which
 * it releases while it sends.
 */
void mptun_send_flush(struct mptun_tunnel *tunnel)
	__must_hold(&tunnel->tx.lock)
{
	/* The time it takes only matters if other CPUs could help. */
	bool measured = mptun_tunnel_sealed(tunnel) && num_online_cpus() > 1;
	const struct mptun_session *session;
	struct mptun_tx *tx = &tunnel->tx;
	struct sk_buff_head out;
	unsigned int rounds = 0;
	struct sk_buff *skb;
	bool coded;
	u64 start;

	lockdep_assert_held(&tx->lock);
	if (tx->busy || skb_queue_empty(&tx->out))
		return;
	session = rcu_dereference(tx->session);
	if (session && !mptun_cipher_async(&session->seal) &&
	    mptun_parallel_wanted(&tx->parallel)) {
		mptun_send_line_up(tunnel);
		return;
	}
	tx->busy = true;
	while (!skb_queue_empty(&tx->out)) {
		__skb_queue_head_init(&out);
		skb_queue_splice_init(&tx->out, &out);
		tx->n_out = 0;
		coded = tx->code.marked;
		tx->code.marked = 0;
		spin_unlock(&tx->lock);
		start = measured ? mptun_now() : 0;
		if (unlikely(coded))
			mptun_code_add(tunnel, &out);
		skb_queue_walk(&out, skb)
			mptun_send_seal(&tx->parallel, skb);
		if (measured)
			mptun_parallel_spent(&tx->parallel, start, mptun_now(),
					     1);
		while ((skb = __skb_dequeue(&out)))
			mptun_send_leave(tunnel, skb);
		spin_lock(&tx->lock);
		if (unlikely(coded))
			mptun_code_place(tunnel);
		if (++rounds >= MPTUN_OUT_ROUNDS) {
			tx->behind = true;
			mptun_queue_stop_all(tunnel, mptun_now());
		} else if (tx->behind && skb_queue_empty(&tx->out)) {
			tx->behind = false;
			mptun_place(tunnel, true, mptun_now());
		}
	}
	if (tx->behind)
		mptun_tunnel_kick(tunnel);
	tx->behind = false;
	tx->busy = false;
}

/**
 * mptun_send_behind() - check whether too many numbered packets are unsent
 * @tunnel: the tunnel
 *
 * Return: true if no more may be numbered; mptun_place() is called again when
 * there is room.
 */
bool mptun_send_behind(struct mptun_tunnel *tunnel)
{
	struct mptun_tx *tx = &tunnel->tx;

	lockdep_assert_held(&tx->lock);
	if (mptun_parallel_full(&tx->parallel))
		return true;
	if (!tx->busy || tx->n_out < MPTUN_OUT_MAX)
		return false;
	tx->behind = true;
	return true;
}
