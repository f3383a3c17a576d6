// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Reception of handshakes: from the sockets to the worker of a tunnel.
 *
 * The worker is where handshakes are dealt with, and its time is the tunnel's.
 * So what is not made by one who knows the key ends here, and what was may
 * have to prove where it came from (crypto/ratelimit.c).
 */
#include <linux/udp.h>
#include <net/sock.h>

#include "base/skb_cb.h"
#include "core/session.h"
#include "core/lookup.h"
#include "core/tunnel.h"
#include "crypto/cookie.h"
#include "crypto/handshake.h"
#include "crypto/ratelimit.h"
#include "rx/rx.h"
#include "transport/transport.h"

/* Lengths are exact: there is no byte that nobody vouches for. */
static bool mptun_recv_handshake_length(const struct sk_buff *skb)
{
	const struct mptun_outer *outer = (const void *)skb->data;

	switch (outer->type) {
	case MPTUN_TYPE_INIT:
		return skb->len == sizeof(struct mptun_init);
	case MPTUN_TYPE_RESPONSE:
		return skb->len == sizeof(struct mptun_response);
	default:
		return skb->len == sizeof(struct mptun_cookie);
	}
}

/* An INIT may have to prove its source, or to be dropped. */
static bool mptun_recv_handshake_limit(struct mptun_net *mn, struct sk_buff *skb)
{
	const struct mptun_init *init = (const void *)skb->data;
	struct mptun_ratelimit *guard = &mn->guard;
	u64 now = mptun_now();

	mptun_rxcb(skb)->prove = false;
	if (mptun_ratelimit_all(guard, now))
		return true;
	if (mptun_cookie_source_good(&mn->cookie_key, skb, init))
		return mptun_ratelimit_source(guard, skb, now);
	mptun_rxcb(skb)->prove = true;
	return mptun_ratelimit_cookie(guard, now);
}

/* The tunnel an INIT is for, or the reason why there is none. */
static struct mptun_tunnel *mptun_recv_init(struct mptun_net *mn,
					    const struct mptun_port *port,
					    const struct sk_buff *skb,
					    struct mptun_drops **drops,
					    unsigned int *reason)
{
	const struct mptun_init *init = (const void *)skb->data;
	const struct mptun_key *key;

	if (!memchr_inv(init->key_id, 0, sizeof(init->key_id)))
		return mptun_net_by_id(mn, port->number,
				       be32_to_cpu(init->to));
	key = mptun_net_key(mn, port->number, init->key_id);
	if (!key)
		return NULL;
	if (mptun_hello_init_known(&key->secret, init))
		return key->tunnel;
	*drops = &key->tunnel->drops;
	*reason = MPTUN_A_DROP_STATS_RX_MAC;
	return NULL;
}

/* The tunnel an answer is for, or the reason why there is none. */
static struct mptun_tunnel *mptun_recv_answer(struct mptun_net *mn,
					      const struct sk_buff *skb,
					      struct mptun_drops **drops,
					      unsigned int *reason)
{
	const struct mptun_outer *outer = (const void *)skb->data;
	struct mptun_tunnel *tunnel;
	const struct mptun_key *key;

	tunnel = mptun_net_by_initiator(mn, be32_to_cpu(outer->receiver));
	if (!tunnel || outer->type == MPTUN_TYPE_COOKIE)
		return tunnel;
	key = rcu_dereference(tunnel->keys.now);
	if (!key || mptun_hello_response_known(&key->secret,
					       (const void *)skb->data))
		return tunnel;
	*drops = &tunnel->drops;
	*reason = MPTUN_A_DROP_STATS_RX_MAC;
	return NULL;
}

/**
 * mptun_recv_handshake() - an INIT, RESPONSE or COOKIE arrived at a port
 * @mn: state of the namespace
 * @port: the port
 * @skb: the datagram, at its outer header; consumed
 */
void mptun_recv_handshake(struct mptun_net *mn, struct mptun_port *port,
		      struct sk_buff *skb)
{
	unsigned int reason = MPTUN_A_DROP_STATS_RX_UNKNOWN;
	struct mptun_drops *drops = &port->drops;
	struct mptun_tunnel *tunnel = NULL;
	const struct mptun_outer *outer;

	if (!pskb_may_pull(skb, sizeof(*outer)) ||
	    !mptun_recv_handshake_length(skb) || skb_linearize(skb)) {
		mptun_drop(drops, skb, MPTUN_A_DROP_STATS_RX_SHORT);
		return;
	}
	outer = (const void *)skb->data;
	if (outer->number || (outer->type == MPTUN_TYPE_INIT &&
			      outer->receiver)) {
		mptun_drop(drops, skb, MPTUN_A_DROP_STATS_RX_VERSION);
		return;
	}
	if (outer->type == MPTUN_TYPE_INIT)
		tunnel = mptun_recv_init(mn, port, skb, &drops, &reason);
	else
		tunnel = mptun_recv_answer(mn, skb, &drops, &reason);
	if (tunnel && outer->type == MPTUN_TYPE_INIT &&
	    !mptun_recv_handshake_limit(mn, skb)) {
		drops = &tunnel->drops;
		reason = MPTUN_A_DROP_STATS_RX_RATE;
		tunnel = NULL;
	}
	if (tunnel)
		mptun_tunnel_queue_work(tunnel, skb);
	else
		mptun_drop(drops, skb, reason);
}
