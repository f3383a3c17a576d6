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
#define MPTUN_OPEN_SAMPLE	16

/* Headers that every packet of data has: ours, the smallest of IP. */
#define MPTUN_OPEN_PULL	(sizeof(struct mptun_packet) + sizeof(struct iphdr))

static void mptun_open_failed(struct mptun_tunnel *tunnel,
			      struct sk_buff *skb, int err)
{
	mptun_drop(&tunnel->drops, skb, err == -EBADMSG ?
		   MPTUN_A_DROP_STATS_RX_AUTH :
		   MPTUN_A_DROP_STATS_RX_NO_MEMORY);
}

/* A packet has been opened elsewhere, or could not be. */
static void mptun_open_elsewhere(struct sk_buff *skb, int err)
{
	struct mptun_session *session = mptun_rx_cb(skb)->session;

	if (err)
		mptun_open_failed(session->tunnel, skb, err);
	else if (READ_ONCE(session->dead))
		mptun_drop(&session->tunnel->drops, skb,
			   MPTUN_A_DROP_STATS_RX_NO_ASSOCIATION);
	else
		mptun_recv_opened(session, skb);
	mptun_session_put(session);
}

/* The same with one that an accelerator had. */
static void mptun_open_done(struct sk_buff *skb, int err)
{
	mptun_enter();
	mptun_open_elsewhere(skb, err);
	mptun_leave();
}

/* Lets a packet be opened elsewhere: nothing of the present context may be
 * needed then.  Control is not to wait; false for it, and for a session that
 * is gone.
 */
static bool mptun_open_detach(struct mptun_session *session,
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
	mptun_rx_cb(skb)->session = session;
	return true;
}

/* Opens a packet whose headers may be anywhere but the outer one.  What is
 * sealed is best left in one piece; then all headers that are looked at one by
 * one are brought into the head at once.
 */
static int mptun_open_packet(struct mptun_session *session,
			     struct sk_buff *skb, mptun_cipher_done_t done)
{
	int err;

	err = mptun_cipher_open(&session->open, skb, done);
	if (err)
		return err;
	return pskb_may_pull(skb, min_t(size_t, skb->len, MPTUN_OPEN_PULL)) ?
	       0 : -ENOMEM;
}

static struct mptun_spread_cb *mptun_open_cb(const struct sk_buff *skb)
{
	return &mptun_rx_cb(skb)->spread;
}

static void mptun_open_work(struct mptun_spread *spread, struct sk_buff *skb)
{
	struct mptun_rx_cb *cb = mptun_rx_cb(skb);

	cb->spread.err = mptun_open_packet(cb->session, skb, NULL);
}

static void mptun_open_leave(struct mptun_spread *spread,
			     struct sk_buff_head *list)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(list)))
		mptun_open_elsewhere(skb, mptun_rx_cb(skb)->spread.err);
}

static const struct mptun_spread_ops mptun_open_ops = {
	.cb = mptun_open_cb,
	.work = mptun_open_work,
	.leave = mptun_open_leave,
};

/* Puts a packet in line if it is to stand there. */
static bool mptun_open_line_up(struct mptun_session *session,
			       struct sk_buff *skb)
{
	struct mptun_tunnel *tunnel = session->tunnel;
	struct mptun_spread *spread = &tunnel->rx.spread;

	if (!mptun_spread_wanted(spread) || !mptun_open_detach(session, skb))
		return false;
	if (mptun_spread_full(spread)) {
		mptun_drop(&tunnel->drops, skb,
			   MPTUN_A_DROP_STATS_RX_OVERRUN);
		mptun_session_put(session);
		return true;
	}
	mptun_spread_add(spread, skb, 1, skb->len);
	mptun_spread_help(spread);
	return true;
}

/* Opens a packet here and now.  How long it takes is measured now and then. */
static int mptun_open_now(struct mptun_session *session, struct sk_buff *skb)
{
	const struct mptun_outer *outer = (const void *)skb->data;
	struct mptun_spread *spread = &session->tunnel->rx.spread;
	u64 from;
	int err;

	if (be64_to_cpu(outer->number) % MPTUN_OPEN_SAMPLE)
		return mptun_open_packet(session, skb, NULL);
	from = mptun_now();
	err = mptun_open_packet(session, skb, NULL);
	mptun_spread_spent(spread, from, mptun_now(), MPTUN_OPEN_SAMPLE);
	return err;
}

/* Opens what is sealed. Returns -EINPROGRESS if it is left to others. */
static int mptun_open_unseal(struct mptun_session *session,
			     struct sk_buff *skb)
{
	int err;

	if (!pskb_may_pull(skb, sizeof(struct mptun_outer)))
		return -ENOMEM;
	if (!mptun_cipher_later(&session->open)) {
		if (mptun_open_line_up(session, skb))
			return -EINPROGRESS;
		return mptun_open_now(session, skb);
	}
	if (!mptun_open_detach(session, skb))
		return mptun_open_packet(session, skb, NULL);
	err = mptun_open_packet(session, skb, mptun_open_done);
	if (err != -EINPROGRESS) {
		mptun_open_done(skb, err);
		err = -EINPROGRESS;
	}
	return err;
}

/**
 * mptun_open() - a PACKET names a session
 * @session: the session
 * @skb: the packet, at its outer header; consumed
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 */
void mptun_open(struct mptun_session *session, struct sk_buff *skb)
{
	struct mptun_tunnel *tunnel = session->tunnel;
	int err;

	if (skb->len < sizeof(struct mptun_packet) + session->open.ops->tag) {
		mptun_drop(&tunnel->drops, skb, MPTUN_A_DROP_STATS_RX_SHORT);
		return;
	}
	err = session->open.ops->tag ? mptun_open_unseal(session, skb) :
				       mptun_open_packet(session, skb, NULL);
	if (err == -EINPROGRESS)
		return;
	if (err) {
		mptun_open_failed(tunnel, skb, err);
		return;
	}
	mptun_recv_opened(session, skb);
}

/**
 * mptun_open_line_init() - make the way in of a tunnel
 * @tunnel: the tunnel
 */
void mptun_open_line_init(struct mptun_tunnel *tunnel)
{
	mptun_spread_init(&tunnel->rx.spread, &mptun_open_ops,
			  MPTUN_LINE_IN_MAX);
}
