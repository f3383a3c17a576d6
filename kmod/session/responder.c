// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Responder of handshakes.
 *
 * An INIT contains the instance of its sender and a counter.  To exclude
 * replays, an INIT of the associated instance is accepted only with a greater
 * counter than all before, one of another instance only with a cookie issued
 * within the last two minutes.  Former instances are refused even then, because
 * sessions are few and a replay would displace one.  An accepted INIT is
 * answered and creates a session, which is not used for sending until a valid
 * packet has arrived with it.
 *
 * Copies of an INIT arrive on every path.  The answer is kept and sent to each,
 * as no path is known to work in both directions yet.
 *
 * All functions are called under mptun_tunnel.lock.
 */
#include <linux/skbuff.h>
#include <linux/unaligned.h>

#include "core/session.h"
#include "core/lookup.h"
#include "core/tunnel.h"
#include "crypto/cookie.h"
#include "crypto/random.h"
#include "path/path.h"
#include "session/session.h"
#include "transport/transport.h"
#include "tx/tx.h"

/* Returns the number of the tunnel in a cookie. */
static u64 mptun_responder_context(const struct mptun_tunnel *tunnel,
				   const struct mptun_key *key)
{
	if (key)
		return get_unaligned_be64(key->secret.id);
	return (u64)tunnel->config.id << 32 | tunnel->config.peer_id;
}

/* Sends a message to the source of an INIT. */
static void mptun_responder_send(struct mptun_tunnel *tunnel,
				 const struct sk_buff *received,
				 const void *message, unsigned int len)
{
	struct mptun_endpoint ep;
	struct sk_buff *skb;

	mptun_endpoint_of(received, &ep);
	ep.port = mptun_path_port(tunnel, ep.local_port);
	ep.mark = tunnel->config.fwmark;
	ep.ifindex = mptun_endpoint_scope(&ep, tunnel->net);
	if (!ep.port)
		return;
	skb = mptun_control_alloc(len);
	if (!skb)
		return;
	skb_put_data(skb, message, len);
	mptun_output_reply(tunnel, &ep, skb);
}

static void mptun_responder_outer(struct mptun_outer *outer, u8 type,
				  __be32 receiver)
{
	outer->type = type;
	outer->version = MPTUN_VERSION;
	outer->receiver = receiver;
}

/* @hello is NULL if the INIT was not opened; then the cookie is for its source.
 * Returns false before random numbers can be trusted.
 */
static bool mptun_responder_cookie(struct mptun_tunnel *tunnel,
				   const struct sk_buff *skb,
				   const struct mptun_key *key,
				   const struct mptun_hello *hello)
{
	const struct mptun_init *init = (const void *)skb->data;
	struct mptun_cookies *cookies = &mptun_net(tunnel->net)->cookies;
	struct mptun_cookie cookie = {};
	bool made;

	mptun_responder_outer(&cookie.outer, MPTUN_TYPE_COOKIE,
			      key ? init->from : init->hello.sender);
	if (hello)
		made = mptun_cookie_instance(cookies, mptun_key_now(),
					     be64_to_cpu(hello->instance),
					     mptun_responder_context(tunnel,
								     key),
					     cookie.cookie);
	else
		made = mptun_cookie_source(cookies, mptun_key_now(), skb,
					   cookie.source);
	if (!made)
		return false;
	mptun_random_bytes(cookie.nonce, sizeof(cookie.nonce));
	mptun_cookie_seal(key ? &key->secret : NULL, init, &cookie);
	mptun_responder_send(tunnel, skb, &cookie, sizeof(cookie));
	return true;
}

/**
 * enum mptun_responder_verdict - reaction to an INIT
 * @MPTUN_RESPONDER_ACCEPT: create a session and answer
 * @MPTUN_RESPONDER_COOKIE: send a cookie
 * @MPTUN_RESPONDER_STALE: drop it
 */
enum mptun_responder_verdict {
	MPTUN_RESPONDER_ACCEPT,
	MPTUN_RESPONDER_COOKIE,
	MPTUN_RESPONDER_STALE,
};

static enum mptun_responder_verdict
mptun_responder_judge(struct mptun_tunnel *tunnel, const struct mptun_key *key,
		      const struct mptun_hello *hello)
{
	const struct mptun_responder *answer = &tunnel->responder;
	const struct mptun_assoc *assoc = &tunnel->assoc;
	u64 instance = be64_to_cpu(hello->instance);
	u64 counter = be64_to_cpu(hello->counter);
	unsigned int i;

	/* An INIT of a former instance is a replay even if its cookie is still
	 * valid.
	 */
	for (i = 0; i < MPTUN_FORMER_INSTANCES; i++)
		if (assoc->former[i] == instance)
			return MPTUN_RESPONDER_STALE;
	if (answer->valid && answer->instance == instance &&
	    counter <= answer->counter)
		return MPTUN_RESPONDER_STALE;
	if (assoc->established && assoc->peer_instance == instance)
		return counter > assoc->peer_counter ? MPTUN_RESPONDER_ACCEPT :
						       MPTUN_RESPONDER_STALE;
	if (mptun_cookie_instance_good(&mptun_net(tunnel->net)->cookies,
				       mptun_key_now(), instance,
				       mptun_responder_context(tunnel, key),
				       hello->cookie))
		return MPTUN_RESPONDER_ACCEPT;
	return MPTUN_RESPONDER_COOKIE;
}

static struct mptun_session *
mptun_responder_session(struct mptun_tunnel *tunnel,
			const struct mptun_noise *noise,
			const struct mptun_hello *hello)
{
	u8 seal[MPTUN_NOISE_KEY] = {}, open[MPTUN_NOISE_KEY] = {};
	struct mptun_session *session;

	if (mptun_tunnel_sealed(tunnel))
		mptun_noise_split(noise, open, seal);
	session = mptun_session_new(tunnel, seal, open);
	memzero_explicit(seal, sizeof(seal));
	memzero_explicit(open, sizeof(open));
	if (!session)
		return NULL;
	session->peer_index = be32_to_cpu(hello->sender);
	session->counter = be64_to_cpu(hello->counter);
	session->initiator = be64_to_cpu(hello->instance);
	session->peer_instance = be64_to_cpu(hello->instance);
	session->peer_first_dsn = be32_to_cpu(hello->first_dsn);
	session->peer_frag = hello->offers & MPTUN_OFFER_FRAG;
	session->peer_repair = hello->offers & MPTUN_OFFER_REPAIR;
	return session;
}

/* Completes the handshake; @noise is the state after the INIT. */
static bool mptun_responder_accept(struct mptun_tunnel *tunnel,
				   const struct mptun_init *init,
				   const struct mptun_key *key,
				   struct mptun_noise *noise,
				   const struct mptun_hello *theirs)
{
	u32 index = mptun_net_index(mptun_net(tunnel->net));
	struct mptun_responder *answer = &tunnel->responder;
	struct mptun_assoc *assoc = &tunnel->assoc;
	struct mptun_response response = {};
	u8 ephemeral[CURVE25519_KEY_SIZE];
	struct mptun_session *session;
	struct mptun_hello ours;
	bool good;

	mptun_responder_outer(&response.outer, MPTUN_TYPE_RESPONSE,
			      theirs->sender);
	mptun_assoc_hello(tunnel, &ours, index, be64_to_cpu(theirs->counter));
	ours.peer_instance = theirs->instance;
	good = mptun_random_ephemeral(ephemeral) &&
	       mptun_response_seal(key ? &key->secret : NULL, noise,
				   ephemeral, init, &response, &ours);
	memzero_explicit(ephemeral, sizeof(ephemeral));
	if (!good)
		return false;
	session = mptun_responder_session(tunnel, noise, theirs);
	if (!session)
		return false;
	session->index = index;
	session->key_serial = key ? key->serial : 0;
	mptun_session_add(session);

	answer->valid = true;
	answer->instance = be64_to_cpu(theirs->instance);
	answer->counter = be64_to_cpu(theirs->counter);
	answer->init = *init;
	answer->response = response;
	/* Our next attempt must supersede all of the peer's. */
	assoc->counter = max(assoc->counter, answer->counter);
	if (assoc->established && answer->instance == assoc->peer_instance)
		assoc->peer_counter = answer->counter;
	return true;
}

/* Processes an INIT that is no copy; its source need not be proved. */
static unsigned int mptun_responder_new(struct mptun_tunnel *tunnel,
					const struct sk_buff *skb,
					const struct mptun_key *key)
{
	const struct mptun_response *response = &tunnel->responder.response;
	const struct mptun_init *init = (const void *)skb->data;
	unsigned int reason = MPTUN_A_DROP_STATS_RX_HANDSHAKE;
	struct mptun_noise noise;
	struct mptun_hello hello;

	if (!mptun_init_open(key ? &key->secret : NULL, &noise, init,
			     &hello))
		return reason;
	reason = mptun_assoc_check(tunnel, &hello);
	if (reason)
		goto out;
	switch (mptun_responder_judge(tunnel, key, &hello)) {
	case MPTUN_RESPONDER_ACCEPT:
		if (mptun_responder_accept(tunnel, init, key, &noise, &hello))
			mptun_responder_send(tunnel, skb, response,
					     sizeof(*response));
		else
			reason = MPTUN_A_DROP_STATS_RX_HANDSHAKE;
		break;
	case MPTUN_RESPONDER_COOKIE:
		if (!mptun_responder_cookie(tunnel, skb, key, &hello))
			reason = MPTUN_A_DROP_STATS_RX_HANDSHAKE;
		break;
	case MPTUN_RESPONDER_STALE:
		reason = MPTUN_A_DROP_STATS_RX_HANDSHAKE;
		break;
	}
out:
	memzero_explicit(&noise, sizeof(noise));
	return reason;
}

/**
 * mptun_responder_init() - process an INIT
 * @tunnel: the tunnel, up
 * @skb: the message, linear and of the right length; not consumed
 * @prove: its source must be proved first
 *
 * Return: 0, or the reason to drop it.
 */
unsigned int mptun_responder_init(struct mptun_tunnel *tunnel,
				  const struct sk_buff *skb, bool prove)
{
	const struct mptun_responder *answer = &tunnel->responder;
	const struct mptun_init *init = (const void *)skb->data;
	const struct mptun_key *key = NULL;

	lockdep_assert_held(&tunnel->lock);
	if (mptun_tunnel_sealed(tunnel)) {
		key = mptun_key_by_id(tunnel, init->key_id);
		if (!key)
			return MPTUN_A_DROP_STATS_RX_HANDSHAKE;
	} else if (be32_to_cpu(init->from) != tunnel->config.peer_id) {
		return MPTUN_A_DROP_STATS_RX_HANDSHAKE;
	}
	if (prove) {
		mptun_responder_cookie(tunnel, skb, key, NULL);
		return MPTUN_A_DROP_STATS_RX_RATE;
	}
	if (answer->valid &&
	    !memcmp(&answer->init, init, offsetof(struct mptun_init, mac2))) {
		mptun_responder_send(tunnel, skb, &answer->response,
				     sizeof(answer->response));
		return 0;
	}
	return mptun_responder_new(tunnel, skb, key);
}
