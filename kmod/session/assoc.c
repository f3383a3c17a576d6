// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Associations: the scope of all sequence numbers of the protocol.
 *
 * Each end has an instance id, a random number chosen whenever the tunnel is
 * brought up, and when its memory has been copied (core/epoch.c).  A pair of
 * instances is an association.  It begins when a handshake with a new instance
 * of the peer results in a session that the peer is known to have, and lasts
 * through any number of sessions.  A restarted peer is thus recognised by its
 * new instance, whichever end initiates.
 *
 * Neither end uses a path id twice in an association: the replay window of a
 * path ends with its id, and that of a reused one would accept recorded
 * packets.
 *
 * Numbers begin again with each association, so one begins a grace period after
 * the last one has ended.  The worker waits for it without the lock, which
 * holders of RTNL wait for.
 *
 * All functions are called under mptun_tunnel.lock.
 */
#include <linux/bitmap.h>
#include <linux/random.h>
#include <linux/rcupdate.h>

#include "core/epoch.h"
#include "core/event.h"
#include "core/lookup.h"
#include "core/session.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "crypto/random.h"
#include "path/path.h"
#include "rx/rx.h"
#include "session/session.h"
#include "tx/tx.h"

/**
 * mptun_assoc_hello() - fill in our part of a handshake
 * @tunnel: the tunnel
 * @hello: filled
 * @sender: receiver index of the answer
 * @counter: counter of the handshake
 */
void mptun_assoc_hello(const struct mptun_tunnel *tunnel,
		       struct mptun_hello *hello, u32 sender, u64 counter)
{
	const struct mptun_assoc *assoc = &tunnel->assoc;

	lockdep_assert_held(&tunnel->lock);
	memset(hello, 0, sizeof(*hello));
	hello->sender = cpu_to_be32(sender);
	hello->first_dsn = cpu_to_be32(assoc->first_dsn);
	hello->instance = cpu_to_be64(assoc->instance);
	hello->peer_instance = cpu_to_be64(assoc->peer_instance);
	hello->counter = cpu_to_be64(counter);
	hello->cipher = tunnel->config.cipher;
	hello->offers = MPTUN_OFFER_FRAG;
	/* One forged number would make a decoder forget all packets. */
	if (mptun_tunnel_sealed(tunnel))
		hello->offers |= MPTUN_OFFER_REPAIR;
}

/**
 * mptun_assoc_check() - check whether a hello can be from the peer
 * @tunnel: the tunnel
 * @hello: the hello
 *
 * Return: 0, or the reason to drop it.
 */
unsigned int mptun_assoc_check(const struct mptun_tunnel *tunnel,
			       const struct mptun_hello *hello)
{
	lockdep_assert_held(&tunnel->lock);
	if (be64_to_cpu(hello->instance) == tunnel->assoc.instance)
		return MPTUN_A_DROP_STATS_RX_REFLECTED;
	if (!hello->instance || !hello->sender || hello->features ||
	    hello->cipher != tunnel->config.cipher)
		return MPTUN_A_DROP_STATS_RX_HANDSHAKE;
	return 0;
}

/* Resets all numbers of the sending side. */
static void mptun_assoc_restart_tx(struct mptun_tunnel *tunnel)
{
	struct mptun_tx *tx = &tunnel->tx;
	u32 dsn = tunnel->assoc.first_dsn;
	unsigned int lane;

	spin_lock_bh(&tx->lock);
	tx->next_dsn = dsn;
	WRITE_ONCE(tx->settled, dsn);
	tx->settled_notified = dsn;
	tx->settle_until = dsn;
	for (lane = 0; lane < MPTUN_LANES; lane++)
		tx->lanes[lane] = dsn - 1;
	bitmap_zero(tx->again, MPTUN_LANES);
	mptun_rtx_purge(tunnel);
	spin_unlock_bh(&tx->lock);
}

/* Records that the present instance of the peer is a former one; without a key
 * that could be forged.
 */
static void mptun_assoc_retire_peer(struct mptun_tunnel *tunnel)
{
	struct mptun_assoc *assoc = &tunnel->assoc;

	if (!assoc->established || !mptun_tunnel_sealed(tunnel))
		return;
	assoc->former[assoc->n_former++ % MPTUN_FORMER_INSTANCES] =
		assoc->peer_instance;
}

/**
 * mptun_assoc_end() - end the association
 * @tunnel: the tunnel
 * @next: instance of the peer in the next association, 0 for none; sessions
 *	with it are kept
 * @dead: receives paths opened by the peer, to be freed
 */
void mptun_assoc_end(struct mptun_tunnel *tunnel, u64 next,
		     struct list_head *dead)
{
	struct mptun_path *path, *tmp;

	lockdep_assert_held(&tunnel->lock);
	/* Also unconfirmed sessions: an attacker may have delayed their first
	 * packet since before the peer was restarted.
	 */
	mptun_session_drop_all(tunnel, next);
	tunnel->assoc.next = 0;
	if (!tunnel->assoc.established)
		return;
	WRITE_ONCE(tunnel->assoc.established, false);
	tunnel->assoc.peer_instance = 0;
	list_for_each_entry_safe(path, tmp, &tunnel->paths, list) {
		if (path->learned ||
		    path->live.state == MPTUN_PATH_STATE_DRAINING)
			mptun_delete_unlink(path, dead);
		else
			mptun_path_dissociate(path);
	}
	mptun_rx_dissociate(tunnel);
	/* Paths have no ids now, and their packets no session. */
	tunnel->assoc.readers = start_poll_synchronize_rcu();
	netdev_dbg(tunnel->dev, "association ended\n");
	mptun_event_tunnel(tunnel);
}

/* Begins an association, no packet of the last one being processed. */
static void mptun_assoc_begin_now(struct mptun_tunnel *tunnel,
				  struct mptun_session *session)
{
	struct mptun_assoc *assoc = &tunnel->assoc;
	struct mptun_path *path;

	assoc->peer_counter = session->ours ? 0 : session->counter;
	assoc->next_wire_id = assoc->instance > session->peer_instance ? 1 : 2;
	WRITE_ONCE(assoc->count, assoc->count + 1);
	bitmap_zero(assoc->claimed, MPTUN_WIRE_ID_HALF);
	atomic64_set(&assoc->number, 0);
	spin_lock_bh(&tunnel->rx.lock);
	mptun_replay_start(&assoc->window);
	mptun_replay_rate_init(&assoc->rate);
	spin_unlock_bh(&tunnel->rx.lock);

	list_for_each_entry(path, &tunnel->paths, list)
		mptun_path_associate(path, mptun_wire_id_next(tunnel));
	mptun_assoc_restart_tx(tunnel);
	mptun_tunnel_policy_associate(tunnel);
	mptun_rx_associate(tunnel, session->peer_first_dsn);
	spin_lock_bh(&tunnel->tx.lock);
	assoc->peer_instance = session->peer_instance;
	WRITE_ONCE(assoc->established, true);
	spin_unlock_bh(&tunnel->tx.lock);
	mptun_session_heard(session);
	netdev_dbg(tunnel->dev, "association begun\n");
	mptun_event_tunnel(tunnel);

	list_for_each_entry(path, &tunnel->paths, list) {
		mptun_heal_answered(path);
		mptun_path_try(path, MPTUN_PATH_REASON_ASSOCIATED);
	}
}

/**
 * mptun_assoc_begin() - begin an association
 * @tunnel: the tunnel
 * @session: its first session, which the peer is known to have
 * @dead: receives paths opened by the peer before, to be freed
 *
 * Return: false if packets of the last association may still be processed; then
 * the worker waits for them, and mptun_assoc_work() begins it.
 */
bool mptun_assoc_begin(struct mptun_tunnel *tunnel,
		       struct mptun_session *session, struct list_head *dead)
{
	lockdep_assert_held(&tunnel->lock);
	mptun_assoc_retire_peer(tunnel);
	mptun_assoc_end(tunnel, session->peer_instance, dead);
	if (!poll_state_synchronize_rcu(tunnel->assoc.readers)) {
		tunnel->assoc.next = session->index;
		return false;
	}
	mptun_assoc_begin_now(tunnel, session);
	return true;
}

/**
 * mptun_assoc_work() - begin the association that had to wait, if there is one
 * @tunnel: the tunnel
 *
 * Called in the next run of the worker, which has waited meanwhile.
 */
void mptun_assoc_work(struct mptun_tunnel *tunnel)
{
	struct mptun_session *session;

	lockdep_assert_held(&tunnel->lock);
	if (!tunnel->assoc.next)
		return;
	rcu_read_lock();
	session = mptun_net_session(mptun_net(tunnel->net),
				    tunnel->assoc.next);
	rcu_read_unlock();
	tunnel->assoc.next = 0;
	/* The mutex keeps a session of this tunnel. */
	if (session && session->tunnel == tunnel)
		mptun_assoc_begin_now(tunnel, session);
}

/**
 * mptun_assoc_recv_bye() - handle a BYE of the peer
 * @tunnel: the tunnel
 * @skb: the BYE, decrypted and linear, at its mptun header
 * @dead: receives paths opened by the peer, to be freed
 *
 * Return: false if it is not of this association.
 */
bool mptun_assoc_recv_bye(struct mptun_tunnel *tunnel,
			  const struct sk_buff *skb,
			  struct list_head *dead)
{
	const struct mptun_packet *hdr = (const void *)skb->data;
	const struct mptun_bye *bye = (const void *)(hdr + 1);

	lockdep_assert_held(&tunnel->lock);
	if (skb->len < sizeof(*hdr) + sizeof(*bye) ||
	    !tunnel->assoc.established ||
	    be64_to_cpu(bye->instance) != tunnel->assoc.peer_instance)
		return false;
	mptun_assoc_retire_peer(tunnel);
	mptun_assoc_end(tunnel, 0, dead);
	return true;
}

/**
 * mptun_assoc_bye() - notify the peer of the end of the association
 * @tunnel: the tunnel
 */
void mptun_assoc_bye(struct mptun_tunnel *tunnel)
{
	struct mptun_path *path;
	struct mptun_bye *bye;
	struct sk_buff *skb;

	lockdep_assert_held(&tunnel->lock);
	if (!tunnel->assoc.established)
		return;
	mptun_enter();
	list_for_each_entry_rcu(path, &tunnel->paths, list) {
		if (!mptun_path_usable(path))
			continue;
		skb = mptun_control_alloc(sizeof(*bye));
		if (!skb)
			continue;
		bye = skb_put_zero(skb, sizeof(*bye));
		bye->instance = cpu_to_be64(tunnel->assoc.instance);
		mptun_control_send(path, skb, MPTUN_KIND_BYE);
	}
	mptun_leave();
}

/**
 * mptun_assoc_start() - choose a new instance
 * @tunnel: the tunnel
 */
void mptun_assoc_start(struct mptun_tunnel *tunnel)
{
	struct mptun_assoc *assoc = &tunnel->assoc;

	lockdep_assert_held(&tunnel->lock);
	assoc->epoch = mptun_epoch_begin();
	do {
		mptun_random_bytes(&assoc->instance, sizeof(assoc->instance));
	} while (!assoc->instance);
	assoc->first_dsn = get_random_u32();
	assoc->moved = false;
	assoc->counter = 0;
	tunnel->responder.valid = false;
}

/* Paths were moved, and their new remotes do not answer.  They may belong to an
 * end that knows our instance as a former one, and takes INITs for recordings.
 */
static bool mptun_assoc_refused(struct mptun_tunnel *tunnel)
{
	const struct mptun_initiator *attempt = &tunnel->initiator;
	struct mptun_assoc *assoc = &tunnel->assoc;
	struct mptun_path *path;

	lockdep_assert_held(&tunnel->lock);
	if (!assoc->moved)
		return false;
	list_for_each_entry(path, &tunnel->paths, list)
		if (mptun_path_usable(path))
			assoc->moved = false;
	return assoc->moved && attempt->index &&
	       2 * attempt->wait > MPTUN_INIT_MAX_MS;
}

/**
 * mptun_assoc_renew() - take a new instance if this one can no longer be used
 * @tunnel: the tunnel, its paths processed by mptun_path_work()
 * @dead: receives paths opened by the peer, to be freed
 *
 * Path ids and counters of attempts are not used twice.  A counter gets to its
 * end only if the peer has sent it.  After a move the peer there may know the
 * instance as a former one.
 *
 * Return: true if it did; the caller resets the initiator.
 */
bool mptun_assoc_renew(struct mptun_tunnel *tunnel, struct list_head *dead)
{
	struct mptun_assoc *assoc = &tunnel->assoc;
	struct mptun_path *path;
	bool wanted = assoc->counter == U64_MAX ||
		      mptun_assoc_refused(tunnel);

	lockdep_assert_held(&tunnel->lock);
	if (assoc->established && assoc->next_wire_id > MPTUN_WIRE_ID_MAX)
		list_for_each_entry(path, &tunnel->paths, list)
			wanted |= !path->learned && !path->wire_id;
	if (!wanted)
		return false;
	mptun_assoc_bye(tunnel);
	mptun_assoc_end(tunnel, 0, dead);
	mptun_assoc_start(tunnel);
	return true;
}
