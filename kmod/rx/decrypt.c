// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Decrypt: authenticate a PACKET and decrypt it in place.
 *
 * Usually that happens where the packet arrived.  Where decryption takes a good
 * part of a CPU's time, DATA is queued and several CPUs decrypt it
 * (base/parallel.c).  An asynchronous cipher completes later, in
 * mptun_decrypt_done().  All of them pass authentic packets to
 * mptun_recv_opened() in the order of arrival.
 *
 * A packet that leaves its context holds a reference to its session, and
 * nothing of route, device or socket.
 */
#include <linux/ip.h>
#include <linux/skbuff.h>

#include "base/skb_cb.h"
#include "core/session.h"
#include "core/tunnel.h"
#include "rx/rx.h"

/* The time of one in this many packets is measured. */
#define MPTUN_DECRYPT_SAMPLE	16

/* Headers of every DATA packet: ours, and the smallest of IP. */
#define MPTUN_DECRYPT_PULL	(sizeof(struct mptun_packet) + \
				 sizeof(struct iphdr))

/* Passes on a packet with the result of its decryption. */
static void mptun_decrypt_finish(struct mptun_session *session,
				 struct sk_buff *skb, int err)
{
	unsigned int reason;

	if (err == -EBADMSG) {
		reason = MPTUN_A_DROP_STATS_RX_AUTH;
	} else if (err) {
		reason = MPTUN_A_DROP_STATS_RX_NO_MEMORY;
	} else if (READ_ONCE(session->dead)) {
		reason = MPTUN_A_DROP_STATS_RX_NO_ASSOCIATION;
	} else {
		mptun_recv_opened(session, skb);
		return;
	}
	mptun_drop(&session->tunnel->drops, skb, reason);
}

/* Completion of an asynchronous cipher. */
static void mptun_decrypt_done(struct sk_buff *skb, int err)
{
	struct mptun_session *session = mptun_rxcb(skb)->session;

	mptun_enter();
	mptun_decrypt_finish(session, skb, err);
	mptun_session_put(session);
	mptun_leave();
}

/* Prepares a packet for decryption in another context.  Returns false for
 * control, which must not be queued, and for a session being freed.
 */
static bool mptun_decrypt_detach(struct mptun_session *session,
				 struct sk_buff *skb)
{
	const struct mptun_outer *outer = (const void *)skb->data;

	if (be64_to_cpu(outer->number) & MPTUN_NUMBER_CONTROL ||
	    !refcount_inc_not_zero(&session->refs))
		return false;
	skb_dst_drop(skb);
	skb_ext_reset(skb);
	nf_reset_ct(skb);
	skb->dev = NULL;
	mptun_rxcb(skb)->session = session;
	return true;
}

/* Decrypts a packet, of which only the outer header has to be linear.  The
 * other headers are pulled after that: the cipher copies nothing as long as the
 * linear part is just the outer header.
 */
static int mptun_decrypt_packet(struct mptun_session *session,
				struct sk_buff *skb, mptun_cipher_done_t done)
{
	int err;

	err = mptun_cipher_open(&session->open, skb, done);
	if (err)
		return err;
	return pskb_may_pull(skb, min_t(size_t, skb->len, MPTUN_DECRYPT_PULL)) ?
	       0 : -ENOMEM;
}

static struct mptun_parallel_cb *mptun_decrypt_cb(const struct sk_buff *skb)
{
	return &mptun_rxcb(skb)->parallel;
}

static void mptun_decrypt_work(struct mptun_parallel *parallel,
			       struct sk_buff *skb)
{
	struct mptun_rx_cb *cb = mptun_rxcb(skb);

	cb->parallel.err = mptun_decrypt_packet(cb->session, skb, NULL);
}

static void mptun_decrypt_leave(struct mptun_parallel *parallel,
				struct sk_buff_head *list)
{
	struct mptun_session *session;
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(list))) {
		session = mptun_rxcb(skb)->session;
		mptun_decrypt_finish(session, skb,
				     mptun_rxcb(skb)->parallel.err);
		mptun_session_put(session);
	}
}

const struct mptun_parallel_ops mptun_decrypt_ops = {
	.cb = mptun_decrypt_cb,
	.work = mptun_decrypt_work,
	.leave = mptun_decrypt_leave,
};

/* Queues a packet for parallel decryption, if that is worth it. */
static bool mptun_decrypt_queue(struct mptun_session *session,
				struct sk_buff *skb)
{
	struct mptun_tunnel *tunnel = session->tunnel;
	struct mptun_parallel *parallel = &tunnel->rx.parallel;

	if (!mptun_parallel_wanted(parallel) ||
	    !mptun_decrypt_detach(session, skb))
		return false;
	if (mptun_parallel_full(parallel)) {
		mptun_drop(&tunnel->drops, skb, MPTUN_A_DROP_STATS_RX_OVERRUN);
		mptun_session_put(session);
		return true;
	}
	mptun_rxcb(skb)->parallel.err = 0;
	mptun_parallel_add(parallel, skb, 1, skb->len);
	mptun_parallel_help(parallel);
	return true;
}

/**
 * mptun_decrypt() - receive a PACKET of a session
 * @session: the session
 * @skb: the packet, at its outer header; consumed
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 */
void mptun_decrypt(struct mptun_session *session, struct sk_buff *skb)
{
	const struct mptun_cipher_ops *ops = session->open.ops;
	struct mptun_tunnel *tunnel = session->tunnel;
	const struct mptun_outer *outer;
	bool sample = false;
	u64 start = 0;
	int err;

	if (skb->len < sizeof(struct mptun_packet) + ops->tag) {
		mptun_drop(&tunnel->drops, skb, MPTUN_A_DROP_STATS_RX_SHORT);
		return;
	}
	if (ops->tag && !pskb_may_pull(skb, sizeof(*outer))) {
		mptun_drop(&tunnel->drops, skb,
			   MPTUN_A_DROP_STATS_RX_NO_MEMORY);
		return;
	}
	if (ops->tag && mptun_cipher_async(&session->open)) {
		if (mptun_decrypt_detach(session, skb)) {
			err = mptun_decrypt_packet(session, skb,
						   mptun_decrypt_done);
			if (err != -EINPROGRESS)
				mptun_decrypt_done(skb, err);
			return;
		}
	} else if (ops->tag) {
		if (mptun_decrypt_queue(session, skb))
			return;
		outer = (const void *)skb->data;
		sample = !(be64_to_cpu(outer->number) % MPTUN_DECRYPT_SAMPLE);
	}

	if (sample)
		start = mptun_now();
	err = mptun_decrypt_packet(session, skb, NULL);
	if (sample)
		mptun_parallel_spent(&tunnel->rx.parallel, start, mptun_now(),
				     MPTUN_DECRYPT_SAMPLE);
	mptun_decrypt_finish(session, skb, err);
}
