// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Sessions: the keys that a handshake led to.
 *
 * The model: a session is a pair of keys, one for each direction, and nothing
 * else: numbers, windows and rings belong to the association and go on when
 * the keys change.  Sessions are ordered by the counter of the attempt that
 * led to them, and where both ends began one at the same time by the instance
 * of who did.  So both agree, without a word, which one to send with: the
 * greatest of those that the peer is known to have.
 *
 * The initiator knows that from the RESPONSE; the responder from the first
 * valid packet, so that a handshake that somebody recorded changes nothing.
 * When the peer has been heard with a session the older ones are kept for as
 * long as a packet may be under way, and then forgotten, keys and all.
 *
 * Every change is made under mptun_tx.lock, under which packets are numbered:
 * so the numbers of an association and the keys they are used with begin and
 * end together, and no number is ever used twice with a key.
 */
#include <linux/slab.h>

#include "core/session.h"
#include "core/lookup.h"
#include "core/tunnel.h"

static void mptun_session_free_rcu(struct rcu_head *rcu)
{
	struct mptun_session *session;

	session = container_of(rcu, struct mptun_session, rcu);
	mptun_session_free(session);
}

/**
 * mptun_session_free() - free a session that nobody can see
 * @session: the session
 */
void mptun_session_free(struct mptun_session *session)
{
	mptun_cipher_destroy(&session->seal);
	mptun_cipher_destroy(&session->open);
	kfree_sensitive(session);
}

/**
 * mptun_session_put() - let go of a session
 * @session: the session
 */
void mptun_session_put(struct mptun_session *session)
{
	struct mptun_tunnel *tunnel = session->tunnel;

	if (!refcount_dec_and_test(&session->refs))
		return;
	call_rcu(&session->rcu, mptun_session_free_rcu);
	if (atomic_dec_and_test(&tunnel->n_sessions))
		wake_up_var(&tunnel->n_sessions);
}

/**
 * mptun_session_new() - make a session
 * @tunnel: the tunnel
 * @seal: key of what we send, MPTUN_CIPHER_KEY_LEN bytes
 * @open: key of what we receive, likewise
 *
 * The caller fills in what the handshake said.
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
	session->retire_ns = U64_MAX;
	session->born_ns = mptun_now();
	refcount_set(&session->refs, 1);
	return session;
}

/* May we send with it? */
static bool mptun_session_confirmed(const struct mptun_session *session)
{
	return session->ours || session->heard;
}

static bool mptun_session_better(const struct mptun_session *a,
				 const struct mptun_session *b)
{
	if (a->counter != b->counter)
		return a->counter > b->counter;
	return a->initiator > b->initiator;
}

/**
 * mptun_session_matches() - is it one of the present association?
 * @session: the session
 *
 * Return: true if it is.
 */
bool mptun_session_matches(const struct mptun_session *session)
{
	const struct mptun_assoc *assoc = &session->tunnel->assoc;

	return READ_ONCE(assoc->established) &&
	       READ_ONCE(assoc->peer_instance) == session->peer_instance;
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
	mptun_net_unhash_session(session);
	mptun_session_put(session);
}

/* The one that is missed least. */
static struct mptun_session *
mptun_session_least(struct mptun_tunnel *tunnel)
{
	struct mptun_session *session, *least = NULL;

	list_for_each_entry(session, &tunnel->sessions.list, list)
		if (session != rcu_access_pointer(tunnel->tx.session) &&
		    (!least || mptun_session_better(least, session)))
			least = session;
	return least;
}

/**
 * mptun_session_choose() - send with the greatest session
 * @tunnel: the tunnel
 */
void mptun_session_choose(struct mptun_tunnel *tunnel)
{
	struct mptun_session *session, *best = NULL;
	struct mptun_tx *tx = &tunnel->tx;

	lockdep_assert_held(&tx->lock);
	list_for_each_entry(session, &tunnel->sessions.list, list)
		if (mptun_session_confirmed(session) &&
		    mptun_session_matches(session) &&
		    (!best || mptun_session_better(session, best)))
			best = session;
	if (rcu_access_pointer(tx->session) == best)
		return;
	rcu_assign_pointer(tx->session, best);
	if (best)
		tunnel->sessions.count++;
}

/**
 * mptun_session_take() - the session for packets that are being numbered
 * @tunnel: the tunnel
 * @n: how many
 *
 * A session whose keys have been used too often takes no more packets.  Long
 * before that another one is asked for.
 *
 * Return: the session, or NULL if there is none to send with.
 */
struct mptun_session *mptun_session_take(struct mptun_tunnel *tunnel, u32 n)
{
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_session *session;

	lockdep_assert_held(&tx->lock);
	session = rcu_dereference_protected(tx->session,
					    lockdep_is_held(&tx->lock));
	if (!session)
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
 * mptun_session_add() - a handshake is complete
 * @session: the session, its index chosen
 */
void mptun_session_add(struct mptun_session *session)
{
	struct mptun_tunnel *tunnel = session->tunnel;
	struct mptun_tx *tx = &tunnel->tx;

	lockdep_assert_held(&tunnel->lock);
	atomic_inc(&tunnel->n_sessions);
	spin_lock_bh(&tx->lock);
	if (tunnel->sessions.n == MPTUN_SESSIONS_MAX)
		mptun_session_drop(mptun_session_least(tunnel));
	list_add(&session->list, &tunnel->sessions.list);
	tunnel->sessions.n++;
	mptun_net_hash_session(session);
	mptun_session_choose(tunnel);
	spin_unlock_bh(&tx->lock);
}

/**
 * mptun_session_heard() - the first valid packet of a session arrived
 * @session: the session, one of the present association
 */
void mptun_session_heard(struct mptun_session *session)
{
	struct mptun_tunnel *tunnel = session->tunnel;
	u64 end = mptun_now() + MPTUN_SESSION_LINGER_NS;
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

/* However things go, keys do not live for ever. */
static u64 mptun_session_end(const struct mptun_session *session)
{
	u64 rekey = session->tunnel->config.rekey_s * (u64)NSEC_PER_SEC;
	u64 life = max_t(u64, MPTUN_SESSION_REKEYS * rekey,
			 MPTUN_SESSION_LIFE_NS);

	if (!mptun_tunnel_sealed(session->tunnel))
		life = U64_MAX / 2;
	return min(session->retire_ns, session->born_ns + life);
}

/**
 * mptun_session_expire() - forget sessions whose time is over
 * @tunnel: the tunnel
 * @now: time in ns
 *
 * Return: time in ns at which to call again, U64_MAX for never.
 */
u64 mptun_session_expire(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_session *session, *tmp;
	struct mptun_tx *tx = &tunnel->tx;
	u64 end, next = U64_MAX;

	lockdep_assert_held(&tunnel->lock);
	spin_lock_bh(&tx->lock);
	list_for_each_entry_safe(session, tmp, &tunnel->sessions.list, list) {
		end = mptun_session_end(session);
		if (end <= now)
			mptun_session_drop(session);
		else
			next = min(next, end);
	}
	spin_unlock_bh(&tx->lock);
	return next;
}

/**
 * mptun_session_rekey_at() - when is it our turn to begin a new session?
 * @tunnel: the tunnel
 *
 * Return: time in ns, U64_MAX for never, 0 if a limit has been reached.
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
		at = session->born_ns + rekey;
	else
		at = session->born_ns + rekey + rekey / 4 +
		     MPTUN_REKEY_PATIENCE_NS;
	spin_unlock_bh(&tx->lock);
	return at;
}

/**
 * mptun_session_drop_all() - the association has ended
 * @tunnel: the tunnel
 * @next: instance of the peer with which the next one begins, 0 for none; both
 *	ends may have opened a session with each other, and those are kept
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
 * mptun_session_drop_key() - a key is not accepted any more
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
