// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Opening: is a PACKET of a session genuine?
 *
 * It is opened where it arrived; or, where opening takes a good part of a
 * processor's time, data stands in line, and several processors open it
 * (base/parallel.c); or an accelerator has it, and answers later.  What is genuine
 * goes on to mptun_recv_opened(), in the order in which it came.
 */
#include <linux/ip.h>
#include <linux/skbuff.h>

#include "base/skb_cb.h"
#include "core/session.h"
#include "core/tunnel.h"
#include "rx/rx.h"

/* One in so many packets tells how long it takes to open one. */
#define MPTUN_DECRYPT_SAMPLE	16

/* Headers that every packet of data has: ours, the smallest of IP. */
#define MPTUN_DECRYPT_PULL	(sizeof(struct mptun_packet) + sizeof(struct iphdr))

static void mptun_decrypt_failed(struct mptun_tunnel *tunnel,
			      struct sk_buff *skb, int err)
{
	mptun_drop(&tunnel->drops, skb, err == -EBADMSG ?
		   MPTUN_A_DROP_STATS_RX_AUTH :
		   MPTUN_A_DROP_STATS_RX_NO_MEMORY);
}

/* A packet has been opened elsewhere, or could not be. */
static void mptun_decrypt_elsewhere(struct sk_buff *skb, int err)
{
	struct mptun_session *session = mptun_rxcb(skb)->session;

	if (err)
		mptun_decrypt_failed(session->tunnel, skb, err);
	else if (READ_ONCE(session->dead))
		mptun_drop(&session->tunnel->drops, skb,
			   MPTUN_A_DROP_STATS_RX_NO_ASSOCIATION);
	else
		mptun_recv_opened(session, skb);
	mptun_session_put(session);
}

/* The same with one that an accelerator had. */
static void mptun_decrypt_done(struct sk_buff *skb, int err)
{
	mptun_enter();
	mptun_decrypt_elsewhere(skb, err);
	mptun_leave();
}

/* Lets a packet be opened elsewhere: nothing of the present context may be
 * needed then.  Control is not to wait; false for it, and for a session that
 * is gone.
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

/* Opens a packet whose headers may be anywhere but the outer one.  What is
 * sealed is best left in one piece; then all headers that are looked at one by
 * one are brought into the head at once.
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
	return &mptun_rxcb(skb)->spread;
}

static void mptun_decrypt_work(struct mptun_parallel *spread, struct sk_buff *skb)
{
	struct mptun_rx_cb *cb = mptun_rxcb(skb);

	cb->spread.err = mptun_decrypt_packet(cb->session, skb, NULL);
}

static void mptun_decrypt_leave(struct mptun_parallel *spread,
			     struct sk_buff_head *list)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(list)))
		mptun_decrypt_elsewhere(skb, mptun_rxcb(skb)->spread.err);
}

static const struct mptun_parallel_ops mptun_decrypt_ops = {
	.cb = mptun_decrypt_cb,
	.work = mptun_decrypt_work,
	.leave = mptun_decrypt_leave,
};

/* Puts a packet in line if it is to stand there. */
static bool mptun_decrypt_line_up(struct mptun_session *session,
			       struct sk_buff *skb)
{
	struct mptun_tunnel *tunnel = session->tunnel;
	struct mptun_parallel *spread = &tunnel->rx.spread;

	if (!mptun_parallel_wanted(spread) || !mptun_decrypt_detach(session, skb))
		return false;
	if (mptun_parallel_full(spread)) {
		mptun_drop(&tunnel->drops, skb,
			   MPTUN_A_DROP_STATS_RX_OVERRUN);
		mptun_session_put(session);
		return true;
	}
	mptun_parallel_add(spread, skb, 1, skb->len);
	mptun_parallel_help(spread);
	return true;
}

/* Opens a packet here and now.  How long it takes is measured now and then. */
static int mptun_decrypt_now(struct mptun_session *session, struct sk_buff *skb)
{
	const struct mptun_outer *outer = (const void *)skb->data;
	struct mptun_parallel *spread = &session->tunnel->rx.spread;
	u64 from;
	int err;

	if (be64_to_cpu(outer->number) % MPTUN_DECRYPT_SAMPLE)
		return mptun_decrypt_packet(session, skb, NULL);
	from = mptun_now();
	err = mptun_decrypt_packet(session, skb, NULL);
	mptun_parallel_spent(spread, from, mptun_now(), MPTUN_DECRYPT_SAMPLE);
	return err;
}

/* Opens what is sealed. Returns -EINPROGRESS if it is left to others. */
static int mptun_decrypt_unseal(struct mptun_session *session,
			     struct sk_buff *skb)
{
	int err;

	if (!pskb_may_pull(skb, sizeof(struct mptun_outer)))
		return -ENOMEM;
	if (!mptun_cipher_async(&session->open)) {
		if (mptun_decrypt_line_up(session, skb))
			return -EINPROGRESS;
		return mptun_decrypt_now(session, skb);
	}
	if (!mptun_decrypt_detach(session, skb))
		return mptun_decrypt_packet(session, skb, NULL);
	err = mptun_decrypt_packet(session, skb, mptun_decrypt_done);
	if (err != -EINPROGRESS) {
		mptun_decrypt_done(skb, err);
		err = -EINPROGRESS;
	}
	return err;
}

/**
 * mptun_decrypt() - a PACKET names a session
 * @session: the session
 * @skb: the packet, at its outer header; consumed
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 */
void mptun_decrypt(struct mptun_session *session, struct sk_buff *skb)
{
	struct mptun_tunnel *tunnel = session->tunnel;
	int err;

	if (skb->len < sizeof(struct mptun_packet) + session->open.ops->tag) {
		mptun_drop(&tunnel->drops, skb, MPTUN_A_DROP_STATS_RX_SHORT);
		return;
	}
	err = session->open.ops->tag ? mptun_decrypt_unseal(session, skb) :
				       mptun_decrypt_packet(session, skb, NULL);
	if (err == -EINPROGRESS)
		return;
	if (err) {
		mptun_decrypt_failed(tunnel, skb, err);
		return;
	}
	mptun_recv_opened(session, skb);
}

/**
 * mptun_decrypt_line_init() - make the way in of a tunnel
 * @tunnel: the tunnel
 */
void mptun_decrypt_line_init(struct mptun_tunnel *tunnel)
{
	mptun_parallel_init(&tunnel->rx.spread, &mptun_decrypt_ops,
			  MPTUN_LINE_IN_MAX);
}
