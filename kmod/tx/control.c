// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Control packets: allocation, numbering and sending.
 *
 * They have a number space of their own on each path, because they leave from
 * other CPUs than data does: a report that overtook a burst of data in a common
 * number space would look like the loss of that burst.  Numbers are assigned
 * under mptun_tx.lock, together with the session.
 */
#include "base/ecn.h"
#include "core/session.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "transport/transport.h"
#include "tx/tx.h"

/**
 * mptun_control_alloc() - allocate a control packet
 * @body: largest size of its body in bytes
 *
 * Return: an empty packet with room for headers and body, or NULL.
 */
struct sk_buff *mptun_control_alloc(unsigned int body)
{
	struct sk_buff *skb;

	skb = alloc_skb(MPTUN_HEADROOM + LL_MAX_HEADER + body + MPTUN_TAG_LEN,
			GFP_ATOMIC | __GFP_NOWARN);
	if (skb)
		skb_reserve(skb, MPTUN_HEADROOM + LL_MAX_HEADER);
	return skb;
}

/**
 * mptun_control_block() - append a block
 * @skb: control packet
 * @type: type of the block
 * @len: its length in bytes, a multiple of 4
 *
 * Return: its zeroed content, or NULL if there is no room.
 */
void *mptun_control_block(struct sk_buff *skb, enum mptun_block_type type,
			  unsigned int len)
{
	struct mptun_block *block;

	if (skb_tailroom(skb) < (int)(sizeof(*block) + len + MPTUN_TAG_LEN) ||
	    skb->len + sizeof(*block) + len > MPTUN_CONTROL_MAX)
		return NULL;
	block = skb_put_zero(skb, sizeof(*block) + len);
	block->type = type;
	block->len = cpu_to_be16(len);
	return block + 1;
}

/* Assigns a number and the session to use it with.
 *
 * With a key all paths of an association share one counter, whatever path id a
 * packet carries, so that no number is used twice with a key.  In clear mode
 * each path has its own: there a receiver rejects large jumps.
 */
static struct mptun_session *
mptun_control_take(struct mptun_tunnel *tunnel, struct mptun_path *path,
		   u64 *number)
{
	atomic64_t *next = &tunnel->assoc.number;

	lockdep_assert_held(&tunnel->tx.lock);
	if (path && !mptun_tunnel_sealed(tunnel))
		next = &path->control_number;
	*number = atomic64_inc_return(next) - 1;
	return mptun_session_take(tunnel, 1);
}

static void mptun_control_header(struct sk_buff *skb, enum mptun_kind kind,
				 u16 wire_id, u64 number)
{
	u32 now = mptun_now_us(mptun_now());
	struct mptun_packet *hdr;

	hdr = skb_push(skb, sizeof(*hdr));
	memset(hdr, 0, sizeof(*hdr));
	hdr->outer.type = MPTUN_TYPE_PACKET;
	hdr->outer.version = MPTUN_VERSION;
	hdr->outer.number =
		cpu_to_be64((u64)wire_id << MPTUN_NUMBER_PATH_SHIFT |
			    MPTUN_NUMBER_CONTROL |
			    (number & MPTUN_NUMBER_PN_MASK));
	hdr->inner.kind_class = kind << 4;
	hdr->inner.flags_time = cpu_to_be32(now & MPTUN_TIME_MASK);
}

/* Counts a packet with its headers, before it is encrypted. */
static void mptun_control_count(struct mptun_path *path,
				const struct mptun_session *session,
				const struct sk_buff *skb)
{
	unsigned int tag = session ? session->seal.ops->tag : 0;

	atomic64_inc(&path->tx_control);
	atomic64_add(skb->len + tag + sizeof(struct udphdr),
		     &path->control_bytes);
}

/* Encrypts a packet, or drops and counts it. */
static bool mptun_control_seal(struct mptun_tunnel *tunnel,
			       struct mptun_session *session,
			       struct sk_buff *skb)
{
	struct mptun_outer *outer = (void *)skb->data;

	if (!session) {
		mptun_drop(&tunnel->drops, skb,
			   MPTUN_A_DROP_STATS_TX_NO_SESSION);
		return false;
	}
	outer->receiver = cpu_to_be32(session->peer_index);
	if (!mptun_cipher_seal(&session->seal, skb, NULL))
		return true;
	mptun_drop(&tunnel->drops, skb, MPTUN_A_DROP_STATS_TX_NO_MEMORY);
	return false;
}

/**
 * mptun_control_send_to() - send a control packet to an endpoint that is not
 *	that of its path
 * @tunnel: the tunnel
 * @path: the path, NULL if the packet belongs to none
 * @wire_id: the path's, or the one by which the peer knows it
 * @ep: the endpoint
 * @skb: the packet, its body complete; consumed
 * @kind: its kind
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 */
void mptun_control_send_to(struct mptun_tunnel *tunnel,
			   struct mptun_path *path, u16 wire_id,
			   const struct mptun_endpoint *ep,
			   struct sk_buff *skb, enum mptun_kind kind)
{
	struct mptun_session *session;
	u64 number;

	spin_lock(&tunnel->tx.lock);
	session = mptun_control_take(tunnel, path, &number);
	spin_unlock(&tunnel->tx.lock);
	mptun_control_header(skb, kind, wire_id, number);
	if (path && session)
		mptun_control_count(path, session, skb);
	if (mptun_control_seal(tunnel, session, skb))
		mptun_output_reply(tunnel, ep, skb);
}

/**
 * mptun_control_ds() - DS field of control packets
 * @tunnel: the tunnel
 *
 * Return: DSCP and ECN field.
 */
u8 mptun_control_ds(const struct mptun_tunnel *tunnel)
{
	return mptun_ecn_control(READ_ONCE(tunnel->config.dscp));
}

static int mptun_control_leave(struct mptun_path *path, u16 wire_id,
			       struct sk_buff *skb, enum mptun_kind kind,
			       u8 ds)
	__releases(&path->tunnel->tx.lock)
{
	const struct mptun_cc *cc = &path->tx.cc;
	struct mptun_tunnel *tunnel = path->tunnel;
	u32 bytes = skb->len + tunnel->overhead;
	struct mptun_session *session;
	bool proved;
	u64 number;
	int err;

	lockdep_assert_held(&tunnel->tx.lock);
	/* Little may be sent to an address that has not been proved. */
	proved = path->allowance == MPTUN_ALLOWANCE_PROVED;
	if (!proved && bytes > path->allowance) {
		spin_unlock(&tunnel->tx.lock);
		mptun_drop(&tunnel->drops, skb, MPTUN_A_DROP_STATS_TX_NO_PATH);
		return 0;
	}
	if (!proved)
		WRITE_ONCE(path->allowance, path->allowance - bytes);
	/* Reports use up the path's rate: charge them to the pacer of data. */
	if (kind == MPTUN_KIND_REPORT) {
		path->tx.reports += bytes;
		mptun_pacer_owe(&path->tx.pacer, cc->pacing_rate,
				mptun_pacer_burst(cc->pacing_rate, cc->mss,
						  cc->tick_ns), bytes);
	}
	session = mptun_control_take(tunnel, path, &number);
	spin_unlock(&tunnel->tx.lock);
	mptun_control_header(skb, kind, wire_id, number);
	mptun_control_count(path, session, skb);
	if (!mptun_control_seal(tunnel, session, skb))
		return 0;
	err = mptun_out_control(path, skb, ds);
	if (err)
		mptun_timer_failed(path, err);
	return err;
}

/**
 * mptun_control_finish() - send a control packet whose body needed the lock
 * @path: the path
 * @wire_id: the path's, or the one by which the peer knows it
 * @skb: the packet, its body complete; consumed
 * @kind: its kind
 *
 * Called between mptun_enter() and mptun_leave() with mptun_tx.lock held, which
 * it releases.
 *
 * Return: 0 or a negative error, already reported to the path.
 */
int mptun_control_finish(struct mptun_path *path, u16 wire_id,
			 struct sk_buff *skb, enum mptun_kind kind)
	__releases(&path->tunnel->tx.lock)
{
	return mptun_control_leave(path, wire_id, skb, kind,
				   mptun_control_ds(path->tunnel));
}

/**
 * mptun_control_send_as() - send a control packet with given properties
 * @path: the path
 * @wire_id: the path's, or the one by which the peer knows it
 * @skb: the packet, its body complete; consumed
 * @kind: its kind
 * @ds: DS field of the outer header
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 *
 * Return: 0 or a negative error, already reported to the path.
 */
int mptun_control_send_as(struct mptun_path *path, u16 wire_id,
			  struct sk_buff *skb, enum mptun_kind kind, u8 ds)
{
	spin_lock(&path->tunnel->tx.lock);
	return mptun_control_leave(path, wire_id, skb, kind, ds);
}

/**
 * mptun_control_send() - send a control packet
 * @path: the path
 * @skb: the packet, its body complete; consumed
 * @kind: its kind
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 *
 * Return: 0 or a negative error, already reported to the path.
 */
int mptun_control_send(struct mptun_path *path, struct sk_buff *skb,
		       enum mptun_kind kind)
{
	return mptun_control_send_as(path, READ_ONCE(path->wire_id), skb, kind,
				     mptun_control_ds(path->tunnel));
}

static bool mptun_control_better(const struct mptun_path *path,
				 const struct mptun_path *best)
{
	u32 rank = mptun_path_rank(path), best_rank = mptun_path_rank(best);
	bool open = mptun_path_takes_data(path);

	if (open != mptun_path_takes_data(best))
		return open;
	if (rank != best_rank)
		return rank < best_rank;
	return READ_ONCE(path->tx.rtt.srtt_us) <
	       READ_ONCE(best->tx.rtt.srtt_us);
}

/**
 * mptun_control_path() - choose a path for a control packet
 * @tunnel: the tunnel
 * @wish: preferred path, or NULL
 *
 * Called under rcu_read_lock().
 *
 * Return: @wish if it works, else the working path with the lowest round-trip
 * time of those that data would take, which leaves paths at rest alone, else
 * @wish.
 */
struct mptun_path *mptun_control_path(struct mptun_tunnel *tunnel,
				      struct mptun_path *wish)
{
	struct mptun_path *path, *best = NULL;

	if (wish && mptun_path_up(wish))
		return wish;
	list_for_each_entry_rcu(path, &tunnel->paths, list) {
		if (!mptun_path_up(path))
			continue;
		if (!best || mptun_control_better(path, best))
			best = path;
	}
	return best ?: wish;
}
