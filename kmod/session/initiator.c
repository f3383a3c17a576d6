// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Initiator of handshakes.
 *
 * An attempt has one ephemeral key.  The same INIT is sent on every path and
 * repeated until one copy is answered, so any path may be dead in either
 * direction.  Only the first INIT for new keys takes the best path alone: the
 * others may be metered.  A change of its content, usually a cookie, makes a
 * new attempt.
 *
 * Attempts are made while no path works, as the peer may have been restarted or
 * never have been up, and when this end must change the keys.  INITs that get
 * no answer become rarer (base/backoff.h).
 *
 *	initiator				responder
 *	INIT	------------------------------>		instance unknown
 *		<------------------------------ COOKIE	(no state yet)
 *	INIT with cookie ----------------------->	session, not used yet
 *		<------------------------------ RESPONSE
 *	session, association if the peer is a new one
 *	PACKET	------------------------------>		the same
 *
 * All functions are called under mptun_tunnel.lock.
 */
#include <linux/jiffies.h>
#include <linux/math64.h>

#include "base/backoff.h"
#include "core/session.h"
#include "core/lookup.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "crypto/random.h"
#include "path/path.h"
#include "session/session.h"
#include "transport/transport.h"
#include "tx/tx.h"

/* Learned paths lead to the peer only while they work. */
static bool mptun_initiator_leads(const struct mptun_path *path)
{
	if (!path->config.enabled ||
	    path->live.state == MPTUN_PATH_STATE_DRAINING)
		return false;
	return !path->learned || mptun_path_usable(path);
}

/* Returns jiffies until an attempt is needed and possible. */
static unsigned long mptun_initiator_wanted(struct mptun_tunnel *tunnel)
{
	bool possible = false, up = false;
	u64 at, now = mptun_key_now();
	struct mptun_path *path;

	if (!tunnel->running || !tunnel->net ||
	    (mptun_tunnel_sealed(tunnel) && !mptun_key_get(tunnel)))
		return MAX_JIFFY_OFFSET;
	list_for_each_entry(path, &tunnel->paths, list) {
		possible |= mptun_initiator_leads(path);
		up |= mptun_path_up(path);
	}
	if (!possible)
		return MAX_JIFFY_OFFSET;
	if (!up)
		return 0;
	at = mptun_session_rekey_at(tunnel);
	if (at == U64_MAX)
		return MAX_JIFFY_OFFSET;
	return at > now ? nsecs_to_jiffies(at - now) + 1 : 0;
}

/**
 * mptun_initiator_close() - end the attempt
 * @tunnel: the tunnel
 */
void mptun_initiator_close(struct mptun_tunnel *tunnel)
{
	struct mptun_initiator *attempt = &tunnel->initiator;

	lockdep_assert_held(&tunnel->lock);
	if (!attempt->index)
		return;
	mptun_net_hash_initiator(tunnel, 0);
	memzero_explicit(&attempt->noise, sizeof(attempt->noise));
}

/**
 * mptun_initiator_reset() - end the attempt and forget its state
 * @tunnel: the tunnel
 */
void mptun_initiator_reset(struct mptun_tunnel *tunnel)
{
	mptun_initiator_close(tunnel);
	tunnel->initiator.wait = 0;
	tunnel->initiator.cookie_valid = false;
}

/* Makes the INIT of a new attempt. */
static bool mptun_initiator_make(struct mptun_tunnel *tunnel)
{
	struct mptun_initiator *attempt = &tunnel->initiator;
	const struct mptun_key *key = mptun_key_get(tunnel);
	struct mptun_assoc *assoc = &tunnel->assoc;
	struct mptun_init *init = &attempt->init;
	u8 ephemeral[CURVE25519_KEY_SIZE];
	struct mptun_hello hello;
	u32 index;
	bool good;

	mptun_initiator_close(tunnel);
	index = mptun_net_index(mptun_net(tunnel->net));
	mptun_assoc_hello(tunnel, &hello, index, ++assoc->counter);
	if (attempt->cookie_valid)
		memcpy(hello.cookie, attempt->cookie, sizeof(hello.cookie));

	memset(init, 0, sizeof(*init));
	init->outer.type = MPTUN_TYPE_INIT;
	init->outer.version = MPTUN_VERSION;
	init->to = cpu_to_be32(key ? 0 : tunnel->config.peer_id);
	init->from = cpu_to_be32(key ? index : tunnel->config.id);
	good = mptun_random_ephemeral(ephemeral) &&
	       mptun_init_seal(key ? &key->secret : NULL,
			       &attempt->noise, ephemeral, init, &hello);
	memzero_explicit(ephemeral, sizeof(ephemeral));
	if (!good)
		return false;
	attempt->counter = assoc->counter;
	attempt->key_serial = key ? key->serial : 0;
	attempt->born_ns = mptun_key_now();
	mptun_net_hash_initiator(tunnel, index);
	return true;
}

/* Returns true if it has left. */
static bool mptun_initiator_send_on(struct mptun_path *path)
{
	const struct mptun_init *init = &path->tunnel->initiator.init;
	struct mptun_tx *tx = &path->tunnel->tx;
	struct mptun_init *copy;
	struct sk_buff *skb;
	int err;

	skb = mptun_control_alloc(sizeof(*init));
	if (!skb)
		return false;
	copy = skb_put_data(skb, init, sizeof(*init));
	if (path->source_cookie_valid)
		mptun_init_mac2(copy, path->source_cookie, copy->mac2);
	err = mptun_out_control(path, skb, mptun_control_ds(path->tunnel));
	if (err) {
		mptun_path_unroutable(path, err);
		return false;
	}
	/* A path without a peer has a route now. */
	spin_lock_bh(&tx->lock);
	if (path->live.state == MPTUN_PATH_STATE_NOROUTE && !path->wire_id)
		mptun_liveness_set(path, MPTUN_PATH_STATE_NEW,
				   MPTUN_PATH_REASON_ROUTE, mptun_now());
	spin_unlock_bh(&tx->lock);
	return true;
}

/* Sends the INIT on all paths, or on the best one only if that works. */
static void mptun_initiator_send(struct mptun_tunnel *tunnel, bool best)
{
	struct mptun_initiator *attempt = &tunnel->initiator;
	unsigned long *answers = attempt->answers;
	struct mptun_path *path, *only;
	bool left = false;
	int i;

	/* The peer may have to repeat its answer. */
	for (i = 0; i < BITS_TO_LONGS(MPTUN_ANSWERS); i++)
		WRITE_ONCE(answers[i], 0);
	mptun_enter();
	only = best ? mptun_control_path(tunnel, NULL) : NULL;
	list_for_each_entry_rcu(path, &tunnel->paths, list)
		if (mptun_initiator_leads(path) && (!only || path == only))
			left |= mptun_initiator_send_on(path);
	mptun_leave();
	if (!left)
		attempt->rare_ns = mptun_backoff_again(attempt->rare_ns,
						       mptun_now());
}

/* Returns jiffies until the worker has to look at the attempt again.  Ends the
 * attempt after its life if the next INIT is later than that.
 */
static unsigned long mptun_initiator_wait(struct mptun_tunnel *tunnel,
					  unsigned long left)
{
	struct mptun_initiator *attempt = &tunnel->initiator;
	u64 age = mptun_key_now() - attempt->born_ns;

	if (!attempt->index || attempt->wait <= MPTUN_INIT_MAX_MS)
		return left;
	if (age < MPTUN_ATTEMPT_LIFE_NS)
		return min(left, nsecs_to_jiffies(MPTUN_ATTEMPT_LIFE_NS - age) +
				 1);
	mptun_initiator_close(tunnel);
	return left;
}

/* Sets the interval until the next INIT. */
static void mptun_initiator_backoff(struct mptun_initiator *attempt)
{
	u64 limit, now = mptun_now();

	if (!attempt->wait)
		attempt->rare_ns = mptun_backoff_begin(now);
	limit = mptun_backoff_limit((u64)MPTUN_INIT_MAX_MS * NSEC_PER_MSEC,
				    (u64)MPTUN_INIT_RARE_MS * NSEC_PER_MSEC,
				    attempt->rare_ns, now);
	attempt->wait = clamp_t(unsigned int, 2 * attempt->wait,
				MPTUN_INIT_FIRST_MS,
				div_u64(limit, NSEC_PER_MSEC));
}

/**
 * mptun_initiator_work() - open a session if one is needed
 * @tunnel: the tunnel
 *
 * Return: jiffies after which to call again, MAX_JIFFY_OFFSET for never.
 */
unsigned long mptun_initiator_work(struct mptun_tunnel *tunnel)
{
	struct mptun_initiator *attempt = &tunnel->initiator;
	const struct mptun_key *key = mptun_key_get(tunnel);
	unsigned long wanted, now = jiffies;
	bool stale, first;

	lockdep_assert_held(&tunnel->lock);
	wanted = mptun_initiator_wanted(tunnel);
	if (wanted) {
		mptun_initiator_close(tunnel);
		attempt->wait = 0;
		return wanted;
	}
	if (attempt->wait && time_before(now, attempt->at))
		return mptun_initiator_wait(tunnel, attempt->at - now);
	first = !attempt->wait;
	mptun_initiator_backoff(attempt);
	stale = !attempt->index ||
		(key && key->serial != attempt->key_serial) ||
		mptun_key_now() - attempt->born_ns >= MPTUN_ATTEMPT_LIFE_NS;
	attempt->inits = 0;
	if (!stale || mptun_initiator_make(tunnel))
		mptun_initiator_send(tunnel, first);
	attempt->at = now + msecs_to_jiffies(attempt->wait);
	return mptun_initiator_wait(tunnel, msecs_to_jiffies(attempt->wait));
}

static struct mptun_session *
mptun_initiator_session(struct mptun_tunnel *tunnel,
			const struct mptun_hello *hello)
{
	u8 seal[MPTUN_NOISE_KEY] = {}, open[MPTUN_NOISE_KEY] = {};
	struct mptun_initiator *attempt = &tunnel->initiator;
	struct mptun_session *session;

	if (mptun_tunnel_sealed(tunnel))
		mptun_noise_split(&attempt->noise, seal, open);
	session = mptun_session_new(tunnel, seal, open);
	memzero_explicit(seal, sizeof(seal));
	memzero_explicit(open, sizeof(open));
	if (!session)
		return NULL;
	session->index = attempt->index;
	session->peer_index = be32_to_cpu(hello->sender);
	session->ours = true;
	session->counter = attempt->counter;
	session->initiator = tunnel->assoc.instance;
	session->peer_instance = be64_to_cpu(hello->instance);
	session->peer_first_dsn = be32_to_cpu(hello->first_dsn);
	session->peer_frag = hello->offers & MPTUN_OFFER_FRAG;
	session->peer_repair = hello->offers & MPTUN_OFFER_REPAIR;
	session->key_serial = attempt->key_serial;
	return session;
}

/* Confirms the session with a packet, so that the peer uses it as well. */
static void mptun_initiator_announce(struct mptun_tunnel *tunnel)
{
	struct mptun_path *path;
	struct sk_buff *skb;

	mptun_enter();
	list_for_each_entry_rcu(path, &tunnel->paths, list) {
		if (!mptun_path_usable(path))
			continue;
		skb = mptun_control_alloc(0);
		if (skb)
			mptun_control_send(path, skb, MPTUN_KIND_SET);
	}
	mptun_leave();
}

/* The peer has answered while no path works: one of them leads to it again. */
static void mptun_initiator_rouse(struct mptun_tunnel *tunnel)
{
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_path *path;

	list_for_each_entry(path, &tunnel->paths, list)
		if (mptun_path_usable(path))
			return;
	spin_lock_bh(&tx->lock);
	mptun_liveness_others(tunnel, NULL, mptun_now());
	spin_unlock_bh(&tx->lock);
}

/**
 * mptun_initiator_response() - process a RESPONSE
 * @tunnel: the tunnel, up
 * @skb: the message, linear and of the right length; not consumed
 * @dead: receives paths to be freed
 *
 * Return: false if it does not match the attempt.
 */
bool mptun_initiator_response(struct mptun_tunnel *tunnel,
			      const struct sk_buff *skb,
			      struct list_head *dead)
{
	const struct mptun_response *response = (const void *)skb->data;
	struct mptun_initiator *attempt = &tunnel->initiator;
	const struct mptun_key *key = mptun_key_get(tunnel);
	struct mptun_session *session;
	struct mptun_hello hello;

	lockdep_assert_held(&tunnel->lock);
	if (!attempt->index ||
	    be32_to_cpu(response->outer.receiver) != attempt->index ||
	    (key && key->serial != attempt->key_serial))
		return false;
	if (!mptun_response_open(key ? &key->secret : NULL,
				 &attempt->noise, response, &hello))
		return false;
	if (mptun_assoc_check(tunnel, &hello) ||
	    be64_to_cpu(hello.peer_instance) != tunnel->assoc.instance ||
	    be64_to_cpu(hello.counter) != attempt->counter)
		return false;

	session = mptun_initiator_session(tunnel, &hello);
	if (!session)
		return false;
	mptun_session_add(session);
	mptun_initiator_close(tunnel);
	attempt->wait = MPTUN_INIT_FIRST_MS;
	attempt->at = jiffies + msecs_to_jiffies(MPTUN_INIT_FIRST_MS);
	attempt->rare_ns = mptun_backoff_begin(mptun_now());
	if (mptun_session_matches(session)) {
		mptun_initiator_announce(tunnel);
		mptun_initiator_rouse(tunnel);
	} else {
		mptun_assoc_begin(tunnel, session, dead);
	}
	return true;
}

/* Returns false if COOKIEs have caused enough INITs since the last repetition:
 * on each path one for a cookie of its source and one for that of the instance.
 */
static bool mptun_initiator_may_answer(struct mptun_tunnel *tunnel,
				       unsigned int inits)
{
	struct mptun_initiator *attempt = &tunnel->initiator;

	if (attempt->inits + inits > 2 * tunnel->n_paths_all)
		return false;
	attempt->inits += inits;
	return true;
}

/* Takes the cookie of a source, for the path that the COOKIE came on.  A known
 * one is a copy: the INIT has been repeated with it.
 */
static bool mptun_initiator_source(struct mptun_path *path,
				   const struct sk_buff *skb)
{
	const struct mptun_cookie *cookie = (const void *)skb->data;

	if (path->source_cookie_valid &&
	    !memcmp(path->source_cookie, cookie->source,
		    sizeof(path->source_cookie)))
		return true;
	if (!mptun_initiator_may_answer(path->tunnel, 1))
		return false;
	memcpy(path->source_cookie, cookie->source,
	       sizeof(path->source_cookie));
	path->source_cookie_valid = true;
	mptun_enter();
	mptun_initiator_send_on(path);
	mptun_leave();
	return true;
}

/**
 * mptun_initiator_cookie() - process a COOKIE
 * @tunnel: the tunnel, up
 * @skb: the message, linear and of the right length; decrypted in place, not
 *	consumed
 *
 * Return: false if it does not match the attempt.
 */
bool mptun_initiator_cookie(struct mptun_tunnel *tunnel, struct sk_buff *skb)
{
	struct mptun_cookie *cookie = (void *)skb->data;
	struct mptun_initiator *attempt = &tunnel->initiator;
	const struct mptun_key *key = mptun_key_get(tunnel);
	struct mptun_endpoint from;
	struct mptun_path *path;

	lockdep_assert_held(&tunnel->lock);
	if (!attempt->index ||
	    be32_to_cpu(cookie->outer.receiver) != attempt->index ||
	    !mptun_cookie_open(key ? &key->secret : NULL,
			       &attempt->init, cookie))
		return false;
	attempt->rare_ns = mptun_backoff_begin(mptun_now());
	mptun_tunnel_retry(tunnel);
	mptun_endpoint_of(skb, &from);
	path = mptun_path_by_tuple(tunnel, &from);
	if (path)
		mptun_heal_answered(path);
	if (memchr_inv(cookie->source, 0, sizeof(cookie->source)) &&
	    (!path || !mptun_initiator_source(path, skb)))
		return false;
	if (!memchr_inv(cookie->cookie, 0, sizeof(cookie->cookie)))
		return true;
	/* Repeating an INIT with the same cookie would not help. */
	if (!attempt->cookie_valid ||
	    memcmp(cookie->cookie, attempt->cookie,
		   sizeof(attempt->cookie))) {
		if (!mptun_initiator_may_answer(tunnel, tunnel->n_paths_all))
			return false;
		memcpy(attempt->cookie, cookie->cookie,
		       sizeof(attempt->cookie));
		attempt->cookie_valid = true;
		if (mptun_initiator_make(tunnel))
			mptun_initiator_send(tunnel, false);
	}
	return true;
}
