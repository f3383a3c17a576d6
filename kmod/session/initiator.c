// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Attempts to open a session: the side that begins.
 *
 * The model: an attempt has one ephemeral key, and the same bytes leave on
 * every path, again and again until one of them is answered; so the first
 * path may be dead, and the answer may take any of them.  Whatever changes
 * what an INIT says, a cookie above all, makes a new attempt.
 *
 * An attempt is made when no path works, because the peer may have been
 * restarted or never have been there, and when it is our turn to change keys.
 *
 *	initiator				responder
 *	INIT	------------------------------>		instance unknown
 *		<------------------------------ COOKIE	(no state yet)
 *	INIT with cookie ----------------------->	session, not used yet
 *		<------------------------------ RESPONSE
 *	session, association if the peer is a new one
 *	PACKET	------------------------------>		the same
 *
 * Everything here runs in the worker of the tunnel, under its mutex.
 */
#include <linux/jiffies.h>
#include <linux/random.h>

#include "core/session.h"
#include "core/lookup.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "path/path.h"
#include "session/session.h"
#include "transport/transport.h"
#include "tx/tx.h"

/* Paths that the peer opened lead to it only while they work. */
static bool mptun_initiator_leads(const struct mptun_path *path)
{
	if (!path->config.enabled ||
	    path->live.state == MPTUN_PATH_STATE_DRAINING)
		return false;
	return !path->learned || mptun_path_usable(path);
}

static bool mptun_initiator_possible(struct mptun_tunnel *tunnel)
{
	struct mptun_path *path;

	if (!tunnel->running || !tunnel->net)
		return false;
	if (mptun_tunnel_sealed(tunnel) &&
	    !mptun_key_get(tunnel))
		return false;
	list_for_each_entry(path, &tunnel->paths, list)
		if (mptun_initiator_leads(path))
			return true;
	return false;
}

/* Jiffies until an attempt is wanted, 0 for now. */
static unsigned long mptun_initiator_wanted(struct mptun_tunnel *tunnel)
{
	u64 at, now = mptun_now();
	struct mptun_path *path;
	bool good = false;

	if (!mptun_initiator_possible(tunnel))
		return MAX_JIFFY_OFFSET;
	list_for_each_entry(path, &tunnel->paths, list)
		good |= mptun_path_up(path);
	if (!good)
		return 0;
	at = mptun_session_rekey_at(tunnel);
	if (at == U64_MAX)
		return MAX_JIFFY_OFFSET;
	return at > now ? nsecs_to_jiffies(at - now) + 1 : 0;
}

/**
 * mptun_initiator_close() - there is no attempt any more
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
 * mptun_initiator_reset() - a new instance, or the end of one
 * @tunnel: the tunnel
 */
void mptun_initiator_reset(struct mptun_tunnel *tunnel)
{
	mptun_initiator_close(tunnel);
	tunnel->initiator.wait = 0;
	tunnel->initiator.cookie_valid = false;
}

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
	curve25519_generate_secret(ephemeral);
	good = mptun_hello_seal_init(key ? &key->secret : NULL,
				     &attempt->noise, ephemeral, init, &hello);
	memzero_explicit(ephemeral, sizeof(ephemeral));
	if (!good)
		return false;
	attempt->counter = assoc->counter;
	attempt->key_serial = key ? key->serial : 0;
	attempt->born = jiffies;
	mptun_net_hash_initiator(tunnel, index);
	return true;
}

static void mptun_initiator_send_on(struct mptun_path *path)
{
	const struct mptun_init *init = &path->tunnel->initiator.init;
	struct mptun_init *copy;
	struct sk_buff *skb;
	int err;

	skb = mptun_control_alloc(sizeof(*init));
	if (!skb)
		return;
	copy = skb_put_data(skb, init, sizeof(*init));
	if (path->source_cookie_valid)
		mptun_hello_mac2(copy, path->source_cookie, copy->mac2);
	err = mptun_out_control(path, skb);
	if (err)
		mptun_path_unroutable(path, err);
	else
		mptun_liveness_routable(path);
}

static void mptun_initiator_send(struct mptun_tunnel *tunnel)
{
	struct mptun_path *path;

	mptun_enter();
	list_for_each_entry_rcu(path, &tunnel->paths, list)
		if (mptun_initiator_leads(path))
			mptun_initiator_send_on(path);
	mptun_leave();
}

/* Is the attempt no longer worth repeating? */
static bool mptun_initiator_stale(struct mptun_tunnel *tunnel)
{
	const struct mptun_initiator *attempt = &tunnel->initiator;
	const struct mptun_key *key = mptun_key_get(tunnel);

	return !attempt->index || (key && key->serial != attempt->key_serial) ||
	       time_after_eq(jiffies, attempt->born +
				      MPTUN_ATTEMPT_LIFE_S * HZ);
}

/**
 * mptun_initiator_work() - open a session if one is wanted
 * @tunnel: the tunnel
 *
 * Return: jiffies until it should be called again, MAX_JIFFY_OFFSET for never.
 */
unsigned long mptun_initiator_work(struct mptun_tunnel *tunnel)
{
	struct mptun_initiator *attempt = &tunnel->initiator;
	unsigned long wanted;

	lockdep_assert_held(&tunnel->lock);
	wanted = mptun_initiator_wanted(tunnel);
	if (wanted) {
		mptun_initiator_close(tunnel);
		attempt->wait = 0;
		return wanted;
	}
	if (attempt->wait && time_before(jiffies, attempt->at))
		return attempt->at - jiffies;
	attempt->wait = clamp_t(unsigned int, 2 * attempt->wait,
				MPTUN_HELLO_FIRST_MS, MPTUN_HELLO_MAX_MS);
	if (!mptun_initiator_stale(tunnel) || mptun_initiator_make(tunnel))
		mptun_initiator_send(tunnel);
	attempt->at = jiffies + msecs_to_jiffies(attempt->wait);
	return msecs_to_jiffies(attempt->wait);
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
	session->key_serial = attempt->key_serial;
	return session;
}

/* Lets the peer know that we have the session, so that it uses it, too. */
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

/**
 * mptun_initiator_response() - take in a RESPONSE
 * @tunnel: the tunnel, up
 * @skb: the message, linear and of the right length; stays the caller's
 * @dead: paths that came to an end are put there, to be freed
 *
 * Return: false if it does not fit.
 */
bool mptun_initiator_response(struct mptun_tunnel *tunnel,
			    const struct sk_buff *skb, struct list_head *dead)
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
	if (!mptun_hello_open_response(key ? &key->secret : NULL,
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
	attempt->wait = MPTUN_HELLO_FIRST_MS;
	attempt->at = jiffies + msecs_to_jiffies(MPTUN_HELLO_FIRST_MS);
	if (mptun_session_matches(session))
		mptun_initiator_announce(tunnel);
	else
		mptun_assoc_begin(tunnel, session, dead);
	return true;
}

/**
 * mptun_initiator_cookie() - take in a COOKIE
 * @tunnel: the tunnel, up
 * @skb: the message, linear and of the right length; stays the caller's, but
 *	is opened in place
 *
 * Return: false if it does not fit.
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
	    !mptun_hello_open_cookie(key ? &key->secret : NULL,
				     &attempt->init, cookie))
		return false;
	if (memchr_inv(cookie->source, 0, sizeof(cookie->source))) {
		mptun_endpoint_of(skb, &from);
		path = mptun_path_by_tuple(tunnel, &from);
		if (!path)
			return false;
		memcpy(path->source_cookie, cookie->source,
		       sizeof(path->source_cookie));
		path->source_cookie_valid = true;
		mptun_enter();
		mptun_initiator_send_on(path);
		mptun_leave();
	}
	if (!memchr_inv(cookie->cookie, 0, sizeof(cookie->cookie)))
		return true;
	/* Another one may help, the same one again does not. */
	if (!attempt->cookie_valid ||
	    memcmp(cookie->cookie, attempt->cookie,
		   sizeof(attempt->cookie))) {
		memcpy(attempt->cookie, cookie->cookie,
		       sizeof(attempt->cookie));
		attempt->cookie_valid = true;
		if (mptun_initiator_make(tunnel))
			mptun_initiator_send(tunnel);
	}
	return true;
}
