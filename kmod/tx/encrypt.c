// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Sealing: a numbered packet gets the index and the tag of its session, and
 * leaves.
 *
 * Whoever numbers a packet chooses the session for it, under the same lock:
 * that is what keeps a number from being used twice with a key.  The work
 * itself is done outside of it.
 *
 * Data may be left to an accelerator, which hands it on to its path when it is
 * done.  That may be gone by then, and the session is held until then.
 */
#include <linux/skbuff.h>

#include "core/session.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "transport/transport.h"
#include "tx/tx.h"

/**
 * struct mptun_encrypt_cb - bookkeeping of a packet left to an accelerator
 * @session: its session, held
 * @ds: DS field of its outer header
 */
struct mptun_encrypt_cb {
	struct mptun_session *session;
	u8 ds;
};

static struct mptun_encrypt_cb *mptun_encrypt_cb(const struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct mptun_encrypt_cb) > sizeof(skb->cb));
	return (struct mptun_encrypt_cb *)skb->cb;
}

static void mptun_encrypt_address(struct mptun_session *session, u8 *packet)
{
	struct mptun_outer *outer = (void *)packet;

	outer->receiver = cpu_to_be32(session->peer_index);
}

static void mptun_encrypt_failed(struct mptun_tunnel *tunnel,
			      struct sk_buff *skb)
{
	mptun_drop(&tunnel->drops, skb, MPTUN_A_DROP_STATS_TX_NO_MEMORY);
}

static void mptun_encrypt_done(struct sk_buff *skb, int err)
{
	const struct mptun_outer *outer = (const void *)skb->data;
	struct mptun_session *session = mptun_encrypt_cb(skb)->session;
	struct mptun_tunnel *tunnel = session->tunnel;
	struct mptun_path *path;
	u16 wire_id;

	mptun_enter();
	wire_id = be64_to_cpu(outer->number) >> MPTUN_NUMBER_PATH_SHIFT;
	path = mptun_path_by_wire(tunnel, wire_id);
	if (err || !path) {
		mptun_encrypt_failed(tunnel, skb);
	} else {
		err = mptun_out_data(path, skb, mptun_encrypt_cb(skb)->ds);
		if (err)
			mptun_timer_failed(path, err);
	}
	mptun_leave();
	mptun_session_put(session);
}

/**
 * mptun_encrypt_at() - seal a DATA packet in memory
 * @session: its session
 * @packet: the packet, its headers complete but for the receiver, with room for
 *	a tag behind
 * @len: its length in bytes
 *
 * Return: length of the tag in bytes, or a negative error.
 */
int mptun_encrypt_at(struct mptun_session *session, u8 *packet, u32 len)
{
	int err;

	mptun_encrypt_address(session, packet);
	err = mptun_cipher_seal_at(&session->seal, packet, len);
	return err ?: mptun_cipher_tag_of(&session->seal);
}

/**
 * mptun_encrypt_from() - seal a DATA packet that ends elsewhere
 * @session: its session, for which mptun_cipher_gathers()
 * @packet: its headers, complete but for the receiver, with room for the rest
 *	and a tag behind
 * @head: their length in bytes
 * @rest: what follows them
 * @len: its length in bytes
 *
 * Return: length of the tag in bytes, or a negative error.
 */
int mptun_encrypt_from(struct mptun_session *session, u8 *packet, u32 head,
		    const u8 *rest, u32 len)
{
	int err;

	mptun_encrypt_address(session, packet);
	err = mptun_cipher_seal_from(&session->seal, packet, head, rest, len);
	return err ?: mptun_cipher_tag_of(&session->seal);
}

/**
 * mptun_encrypt_data() - seal a DATA packet, unless an accelerator is to do it
 * @session: its session
 * @skb: the packet, its headers complete but for the receiver
 *
 * Return: 0 or a negative error.
 */
int mptun_encrypt_data(struct mptun_session *session, struct sk_buff *skb)
{
	mptun_encrypt_address(session, skb->data);
	if (mptun_cipher_async(&session->seal))
		return 0;
	return mptun_cipher_seal(&session->seal, skb, NULL);
}

/* Has a packet sealed by an accelerator, and sent then or now. */
static int mptun_encrypt_later(struct mptun_session *session,
			    struct mptun_path *path, struct sk_buff *skb,
			    u8 ds)
{
	mptun_cipher_done_t done = NULL;
	int err;

	/* It may have been dropped since the packet was numbered. */
	if (refcount_inc_not_zero(&session->refs)) {
		mptun_encrypt_cb(skb)->session = session;
		mptun_encrypt_cb(skb)->ds = ds;
		done = mptun_encrypt_done;
	}
	err = mptun_cipher_seal(&session->seal, skb, done);
	if (err == -EINPROGRESS)
		return 0;
	if (done)
		mptun_session_put(session);
	if (err) {
		mptun_encrypt_failed(path->tunnel, skb);
		return 0;
	}
	return mptun_out_data(path, skb, ds);
}

/**
 * mptun_encrypt_output() - send data
 * @session: its session
 * @path: where
 * @skb: a packet after mptun_encrypt_data(), or several that mptun_encrypt_at()
 *	sealed, as UDP segments; consumed
 * @ds: DS field of the outer header
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 * Drops are counted.
 *
 * Return: 0, or a negative error of the route.
 */
int mptun_encrypt_output(struct mptun_session *session, struct mptun_path *path,
		      struct sk_buff *skb, u8 ds)
{
	if (mptun_cipher_async(&session->seal))
		return mptun_encrypt_later(session, path, skb, ds);
	return mptun_out_data(path, skb, ds);
}

/**
 * mptun_encrypt_control() - seal a control packet and send it
 * @session: its session, NULL if there is none
 * @path: where
 * @skb: the packet, its headers complete but for the receiver; consumed
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 *
 * Return: 0, or a negative error of the route.
 */
int mptun_encrypt_control(struct mptun_session *session, struct mptun_path *path,
		       struct sk_buff *skb)
{
	if (!session) {
		mptun_drop(&path->tunnel->drops, skb,
			   MPTUN_A_DROP_STATS_TX_NO_SESSION);
		return 0;
	}
	mptun_encrypt_address(session, skb->data);
	if (!mptun_cipher_seal(&session->seal, skb, NULL))
		return mptun_out_control(path, skb);
	mptun_encrypt_failed(path->tunnel, skb);
	return 0;
}

/**
 * mptun_encrypt_reply() - seal a control packet that belongs to no path
 * @session: its session
 * @ep: where to send it
 * @skb: the packet, its headers complete but for the receiver; consumed
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 *
 * Return: 0, or a negative error of the route.
 */
int mptun_encrypt_reply(struct mptun_session *session,
		     const struct mptun_endpoint *ep, struct sk_buff *skb)
{
	struct mptun_tunnel *tunnel = session->tunnel;

	mptun_encrypt_address(session, skb->data);
	if (!mptun_cipher_seal(&session->seal, skb, NULL))
		return mptun_output_reply(tunnel, ep, skb);
	mptun_encrypt_failed(tunnel, skb);
	return 0;
}
