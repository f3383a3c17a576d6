// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Encryption of data packets by an asynchronous cipher.
 *
 * The session of a packet is chosen together with its number, under
 * mptun_tx.lock, so that no number is used twice with a key.  Encryption itself
 * needs no lock.
 *
 * An asynchronous cipher sends the packet on completion.  It holds a reference
 * to the session until then, and looks the path up again, which may have been
 * deleted in the meantime.  Segments of a run are sealed in tx/run.c.
 */
#include <linux/skbuff.h>

#include "core/session.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "tx/tx.h"

/**
 * struct mptun_encrypt_cb - control block of a packet with an async cipher
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

/* Completion of an asynchronous cipher. */
static void mptun_encrypt_done(struct sk_buff *skb, int err)
{
	const struct mptun_outer *outer = (const void *)skb->data;
	struct mptun_session *session = mptun_encrypt_cb(skb)->session;
	struct mptun_tunnel *tunnel = session->tunnel;
	struct mptun_path *path;
	unsigned int reason;
	u16 wire_id;

	mptun_enter();
	wire_id = be64_to_cpu(outer->number) >> MPTUN_NUMBER_PATH_SHIFT;
	path = mptun_path_by_wire(tunnel, wire_id);
	if (err || !path) {
		reason = err ? MPTUN_A_DROP_STATS_TX_NO_MEMORY :
			       MPTUN_A_DROP_STATS_TX_NO_PATH;
		mptun_out_dropped(tunnel, reason, 1);
		mptun_drop_free(skb, reason);
	} else {
		err = mptun_out_data(path, skb, mptun_encrypt_cb(skb)->ds);
		if (err)
			mptun_timer_failed(path, err);
	}
	mptun_leave();
	mptun_session_put(session);
}

/**
 * mptun_encrypt_async() - encrypt data with an asynchronous cipher
 * @session: its session
 * @path: the path
 * @skb: a packet, or a segment after mptun_run_seal()
 * @ds: DS field of the outer header
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 *
 * Return: false if it is to be sent now.  Otherwise it has been consumed: it
 * leaves on completion, or was dropped and counted.
 */
bool mptun_encrypt_async(struct mptun_session *session, struct mptun_path *path,
			 struct sk_buff *skb, u8 ds)
{
	mptun_cipher_done_t done = NULL;
	int err;

	if (!mptun_cipher_async(&session->seal))
		return false;

	/* A session dropped in the meantime is used synchronously. */
	if (refcount_inc_not_zero(&session->refs)) {
		mptun_encrypt_cb(skb)->session = session;
		mptun_encrypt_cb(skb)->ds = ds;
		done = mptun_encrypt_done;
	}
	err = mptun_cipher_seal(&session->seal, skb, done);
	if (err == -EINPROGRESS)
		return true;
	if (done)
		mptun_session_put(session);
	if (!err)
		return false;
	mptun_out_dropped(path->tunnel, MPTUN_A_DROP_STATS_TX_NO_MEMORY, 1);
	kfree_skb(skb);
	return true;
}
