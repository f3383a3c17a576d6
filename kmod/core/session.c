// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Sessions: the keys that result from a handshake.
 *
 * A session is a pair of keys, one for each direction.  Numbers, windows and
 * rings belong to the association and outlive it.  Sessions are ordered by the
 * counter of the handshake and then by the instance of the initiator, in case
 * both ends began one at the same time.  So both ends select the same session
 * for sending: the greatest that the peer is known to have.
 *
 * The RESPONSE proves that to the initiator, the first valid packet to the
 * responder, so a replayed handshake changes nothing.  Once the peer has used a
 * session, older ones are kept while their packets may be in flight.
 *
 * The age of a session counts from its first data packet.  Without data there
 * is nothing that new keys would protect: an idle tunnel keeps its session and
 * does not pay for handshakes.
 *
 * Sessions change under mptun_tx.lock, under which packets are numbered, so no
 * number is used twice with a key.  For the same reason a session of an epoch
 * that has ended (core/epoch.c) is not used for sending.
 */
#include <linux/slab.h>

#include "core/epoch.h"
#include "core/session.h"
#include "core/lookup.h"
#include "core/tunnel.h"

/* Sessions of all tunnels, those of tunnels that are being deleted included. */
static atomic_t mptun_session_count = ATOMIC_INIT(0);

static void mptun_session_free(struct mptun_session *session)
{
	mptun_cipher_destroy(&session->seal);
	mptun_cipher_destroy(&session->open);
	kfree_sensitive(session);
}

/* Frees a session after its last reader, where ciphers may sleep. */
static void mptun_session_free_work(struct work_struct *work)
{
	mptun_session_free(container_of(to_rcu_work(work), struct mptun_session,
					free));
}

/**
 * mptun_session_put() - drop a reference
 * @session: the session
 */
void mptun_session_put(struct mptun_session *session)
{
	struct mptun_tunnel *tunnel = session->tunnel;

	if (!refcount_dec_and_test(&session->refs))
		return;
	queue_rcu_work(mptun_wq, &session->free);
	if (atomic_dec_and_test(&mptun_session_count))
		wake_up_var(&mptun_session_count);
	/* The tunnel may be freed after this. */
	if (atomic_dec_and_test(&tunnel->n_sessions))
		wake_up_var(&tunnel->n_sessions);
}

/**
 * mptun_session_none() - check whether nothing refers to any session
 *
 * Return: true if so; RCU may still have to queue the work that frees them.
 */
bool mptun_session_none(void)
{
	return !atomic_read(&mptun_session_count);
}

/**
 * mptun_session_wait() - wait until nothing refers to any session
 *
 * All have been dropped, and none begins.
 */
void mptun_session_wait(void)
{
	wait_var_event(&mptun_session_count, mptun_session_none());
}

/**
 * mptun_session_new() - create a session
 * @tunnel: the tunnel
 * @seal: key for sending, MPTUN_CIPHER_KEY_LEN bytes
 * @open: key for receiving, MPTUN_CIPHER_KEY_LEN bytes
 *
 * The caller fills in the results of the handshake.
 *
 * Return: the session, or NULL.
 */
struct mptun_session *mptun_session_new(struct mptun_tunnel *tunnel,
					const u8 *seal, const u8 *open)
{
	u32 cipher = tunnel->config.cipher;
	struct mptun_session *session;

	session = kzalloc(sizeof(*session), GFP_KERNEL);
	if (!session)
		return NULL;
	if (mptun_cipher_init(&session->seal, cipher, seal) ||
	    mptun_cipher_init(&session->open, cipher, open)) {
		mptun_session_free(session);
		return NULL;
	}
	session->tunnel = tunnel;
	session->epoch = tunnel->assoc.epoch;
	session->used_ns = U64_MAX;
	session->retire_ns = U64_MAX;
	session->born_ns = mptun_key_now();
	refcount_set(&session->refs, 1);
	INIT_RCU_WORK(&session->free, mptun_session_free_work);
	return session;
}

static bool mptun_session_better(const struct mptun_session *a,
				 const struct mptun_session *b)
{
	if (a->counter != b->counter)
		return a->counter > b->counter;
	return a->initiator > b->initiator;
}

/**
 * mptun_session_matches() - check whether a session is of the association
 * @session: the session
 *
 * Return: true if its peer is the one the tunnel is associated with.
 */
bool mptun_session_matches(const struct mptun_session *session)
{
	const struct mptun_assoc *assoc = &session->tunnel->assoc;

	if (!READ_ONCE(assoc->established))
		return false;
	/* At the end of an association, 32 bit may see half an instance, which
	 * is that of no session.
	 */
	return data_race(assoc->peer_instance) == session->peer_instance;
}

static void mptun_session_drop(struct mptun_session *session)
{
	struct mptun_tunnel *tunnel = session->tunnel;
	struct mptun_tx *tx = &tunnel->tx;

	lockdep_assert_held(&tx->lock);
	WRITE_ONCE(session->dead, true);
	if (rcu_access_pointer(tx->session) == session)
		rcu_assign_pointer(tx->session, NULL);
	list_del(&session->list);
	tunnel->sessions.n--;
	mptun_net_unhash(tunnel, &session->node);
	mptun_session_put(session);
}

/**
 * mptun_session_choose() - select the session for sending
 * @tunnel: the tunnel
 */
void mptun_session_choose(struct mptun_tunnel *tunnel)
{
	struct mptun_session *session, *best = NULL;
	struct mptun_tx *tx = &tunnel->tx;

	lockdep_assert_held(&tx->lock);
	list_for_each_entry(session, &tunnel->sessions.list, list)
		if ((session->ours || session->heard) &&
		    mptun_session_matches(session) &&
		    (!best || mptun_session_better(session, best)))
			best = session;
	if (rcu_access_pointer(tx->session) == best)
		return;
	rcu_assign_pointer(tx->session, best);
	if (best)
		WRITE_ONCE(tunnel->sessions.count, tunnel->sessions.count + 1);
}

/**
 * mptun_session_take() - get the session for packets that are being numbered
 * @tunnel: the tunnel
 * @n: number of packets
 *
 * Requests a new session after MPTUN_REKEY_PACKETS.
 *
 * Return: the session, or NULL if there is none, if memory may have been copied
 * since it was created, or if its keys are exhausted.
 */
struct mptun_session *mptun_session_take(struct mptun_tunnel *tunnel, u32 n)
{
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_session *session;

	lockdep_assert_held(&tx->lock);
	session = rcu_dereference_protected(tx->session,
					    lockdep_is_held(&tx->lock));
	if (!session || !mptun_epoch_valid(session->epoch))
		return NULL;
	session->sent += n;
	if (likely(session->sent < MPTUN_REKEY_PACKETS) ||
	    !mptun_tunnel_sealed(tunnel))
		return session;
	if (session->sent - n < MPTUN_REKEY_PACKETS)
		mptun_tunnel_kick(tunnel);
	return session->sent <= MPTUN_REJECT_PACKETS ? session : NULL;
}

/**
 * mptun_session_add() - add the session of a completed handshake
 * @session: the session, complete
 *
 * Replaces the least session if there are too many.
 */
void mptun_session_add(struct mptun_session *session)
{
	struct mptun_tunnel *tunnel = session->tunnel;
	struct mptun_session *other, *least = NULL;
	struct mptun_tx *tx = &tunnel->tx;

	lockdep_assert_held(&tunnel->lock);
	atomic_inc(&mptun_session_count);
	atomic_inc(&tunnel->n_sessions);
	spin_lock_bh(&tx->lock);
	list_for_each_entry(other, &tunnel->sessions.list, list)
		if (other != rcu_access_pointer(tx->session) &&
		    (!least || mptun_session_better(least, other)))
			least = other;
	if (tunnel->sessions.n == MPTUN_SESSIONS_MAX)
		mptun_session_drop(least);
	list_add(&session->list, &tunnel->sessions.list);
	tunnel->sessions.n++;
	mptun_net_hash_session(session);
	mptun_session_choose(tunnel);
	spin_unlock_bh(&tx->lock);
}

/**
 * mptun_session_heard() - handle the first valid packet of a session
 * @session: the session, of the present association
 */
void mptun_session_heard(struct mptun_session *session)
{
	struct mptun_tunnel *tunnel = session->tunnel;
	u64 end = mptun_key_now() + MPTUN_SESSION_LINGER_NS;
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_session *other;

	spin_lock_bh(&tx->lock);
	if (!session->dead && !session->heard) {
		WRITE_ONCE(session->heard, true);
		mptun_session_choose(tunnel);
		list_for_each_entry(other, &tunnel->sessions.list, list)
			if (mptun_session_better(session, other))
				other->retire_ns = min(other->retire_ns, end);
		mptun_tunnel_kick(tunnel);
	}
	spin_unlock_bh(&tx->lock);
}

/**
 * mptun_session_use() - handle data that is sent or was received in a session
 * @session: the session
 *
 * Its age counts from the first data packet.
 */
void mptun_session_use(struct mptun_session *session)
{
	lockdep_assert_held(&session->tunnel->tx.lock);
	if (session->used)
		return;
	session->used_ns = mptun_key_now();
	WRITE_ONCE(session->used, true);
	mptun_tunnel_kick(session->tunnel);
}

/* Returns when a session reaches an age, U64_MAX for never.  One that the peer
 * has not used, and so may not have, ages from the beginning.
 */
static u64 mptun_session_aged(const struct mptun_session *session, u64 age)
{
	u64 from = session->ours || session->heard ? session->used_ns :
						     session->born_ns;

	return from == U64_MAX ? U64_MAX : from + age;
}

/**
 * mptun_session_expire() - drop sessions at the end of their lifetime
 * @tunnel: the tunnel
 * @now: mptun_key_now()
 *
 * Return: time of that clock at which to call again, U64_MAX for never.
 */
u64 mptun_session_expire(struct mptun_tunnel *tunnel, u64 now)
{
	u64 rekey = tunnel->config.rekey_s * (u64)NSEC_PER_SEC;
	struct mptun_session *session, *tmp;
	struct mptun_tx *tx = &tunnel->tx;
	u64 end, life, next = U64_MAX;

	lockdep_assert_held(&tunnel->lock);
	/* Keys do not outlive a peer that never changes them. */
	life = mptun_tunnel_sealed(tunnel) ?
	       max_t(u64, MPTUN_SESSION_REKEYS * rekey, MPTUN_SESSION_LIFE_NS) :
	       U64_MAX / 2;
	spin_lock_bh(&tx->lock);
	list_for_each_entry_safe(session, tmp, &tunnel->sessions.list, list) {
		end = min(session->retire_ns,
			  mptun_session_aged(session, life));
		if (end <= now)
			mptun_session_drop(session);
		else
			next = min(next, end);
	}
	spin_unlock_bh(&tx->lock);
	return next;
}

/**
 * mptun_session_rekey_at() - time at which this end must open a new session
 * @tunnel: the tunnel
 *
 * Return: time of mptun_key_now(), U64_MAX for never, 0 for at once.
 */
u64 mptun_session_rekey_at(struct mptun_tunnel *tunnel)
{
	u64 at = U64_MAX, rekey = tunnel->config.rekey_s * (u64)NSEC_PER_SEC;
	struct mptun_session *session;
	struct mptun_tx *tx = &tunnel->tx;
	const struct mptun_key *key;

	lockdep_assert_held(&tunnel->lock);
	if (!mptun_tunnel_sealed(tunnel))
		return U64_MAX;
	key = mptun_key_get(tunnel);
	if (!key)
		return U64_MAX;
	spin_lock_bh(&tx->lock);
	session = rcu_dereference_protected(tx->session,
					    lockdep_is_held(&tx->lock));
	if (!session)
		at = 0;
	else if (key->serial != session->key_serial ||
		 session->sent >= MPTUN_REKEY_PACKETS)
		at = 0;
	else if (session->ours)
		at = mptun_session_aged(session, rekey);
	else
		at = mptun_session_aged(session, rekey + rekey / 4 +
					MPTUN_REKEY_PATIENCE_NS);
	spin_unlock_bh(&tx->lock);
	return at;
}

/**
 * mptun_session_drop_all() - drop the sessions of an association that ended
 * @tunnel: the tunnel
 * @next: instance of the peer in the next association, 0 for none; sessions
 *	with it are kept, as both ends may have opened one
 */
void mptun_session_drop_all(struct mptun_tunnel *tunnel, u64 next)
{
	struct mptun_session *session, *tmp;
	struct mptun_tx *tx = &tunnel->tx;

	lockdep_assert_held(&tunnel->lock);
	spin_lock_bh(&tx->lock);
	rcu_assign_pointer(tx->session, NULL);
	list_for_each_entry_safe(session, tmp, &tunnel->sessions.list, list)
		if (session->peer_instance != next)
			mptun_session_drop(session);
	spin_unlock_bh(&tx->lock);
}

/**
 * mptun_session_drop_key() - drop the sessions of a key
 * @tunnel: the tunnel
 * @serial: &mptun_key.serial
 */
void mptun_session_drop_key(struct mptun_tunnel *tunnel, u32 serial)
{
	struct mptun_session *session, *tmp;
	struct mptun_tx *tx = &tunnel->tx;

	lockdep_assert_held(&tunnel->lock);
	spin_lock_bh(&tx->lock);
	list_for_each_entry_safe(session, tmp, &tunnel->sessions.list, list)
		if (session->key_serial == serial)
			mptun_session_drop(session);
	mptun_session_choose(tunnel);
	spin_unlock_bh(&tx->lock);
}
