// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Handshakes: from the sockets to the worker of a tunnel.
 *
 * The worker of a tunnel processes its handshakes.  To protect its time, a
 * message that was not made with the key is dropped here, and an INIT may have
 * to prove its source address (crypto/ratelimit.c).
 */
#include <linux/jhash.h>
#include <linux/udp.h>
#include <net/sock.h>

#include "base/skb_cb.h"
#include "core/session.h"
#include "core/lookup.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "crypto/cookie.h"
#include "crypto/handshake.h"
#include "crypto/ratelimit.h"
#include "rx/rx.h"
#include "transport/transport.h"

/* Returns the tunnel of an INIT, or NULL and the reason to drop it. */
static struct mptun_tunnel *mptun_recv_init(struct mptun_net *mn,
					    const struct mptun_port *port,
					    const struct sk_buff *skb,
					    struct mptun_drops **drops,
					    unsigned int *reason)
{
	const struct mptun_init *init = (const void *)skb->data;
	u32 id = be32_to_cpu(init->to);
	const struct mptun_key *key;

	if (!memchr_inv(init->key_id, 0, sizeof(init->key_id)))
		return mptun_net_by_id(mn, port->number, id) ?:
		       mptun_net_by_id(mn, port->serves, id);
	key = mptun_net_key(mn, port->number, init->key_id);
	if (!key && port->serves != port->number)
		key = mptun_net_key(mn, port->serves, init->key_id);
	if (!key)
		return NULL;
	if (mptun_init_known(&key->secret, init))
		return key->tunnel;
	*drops = &key->tunnel->drops;
	*reason = MPTUN_A_DROP_STATS_RX_MAC;
	return NULL;
}

/* Returns 0, or the reason to drop a COOKIE: only those that were made with the
 * key for the INIT last sent get to the worker, and of copies the first one.
 */
static unsigned int mptun_recv_cookie(struct mptun_tunnel *tunnel,
				      const struct mptun_key *key,
				      const struct mptun_cookie *answer)
{
	struct mptun_initiator *attempt = &tunnel->initiator;
	u32 hash, index = be32_to_cpu(answer->outer.receiver);
	struct mptun_cookie cookie = *answer;
	struct mptun_init init;

	/* The worker may change the INIT meanwhile: then the tag is false. */
	data_race(init = attempt->init);
	if ((!key && mptun_tunnel_sealed(tunnel)) ||
	    !mptun_cookie_open(key ? &key->secret : NULL, &init, &cookie))
		return MPTUN_A_DROP_STATS_RX_MAC;
	hash = jhash(cookie.cookie, 2 * MPTUN_COOKIE_LEN, index);
	if (test_and_set_bit(hash % MPTUN_ANSWERS, attempt->answers))
		return MPTUN_A_DROP_STATS_RX_RATE;
	return 0;
}

/* Returns the tunnel of an answer, or NULL and the reason to drop it. */
static struct mptun_tunnel *mptun_recv_answer(struct mptun_net *mn,
					      const struct sk_buff *skb,
					      struct mptun_drops **drops,
					      unsigned int *reason)
{
	const struct mptun_outer *outer = (const void *)skb->data;
	struct mptun_tunnel *tunnel;
	const struct mptun_key *key;
	unsigned int bad = 0;

	tunnel = mptun_net_by_initiator(mn, be32_to_cpu(outer->receiver));
	if (!tunnel)
		return NULL;
	key = rcu_dereference(tunnel->keys.now);
	if (outer->type == MPTUN_TYPE_COOKIE)
		bad = mptun_recv_cookie(tunnel, key,
					(const void *)skb->data);
	else if (key && !mptun_response_known(&key->secret,
					      (const void *)skb->data))
		bad = MPTUN_A_DROP_STATS_RX_MAC;
	if (!bad)
		return tunnel;
	*drops = &tunnel->drops;
	*reason = bad;
	return NULL;
}

/* Returns false if an INIT exceeds the rate limits; it may have to prove its
 * source.
 */
static bool mptun_recv_limit(struct mptun_net *mn, struct mptun_tunnel *tunnel,
			     struct sk_buff *skb)
{
	const struct mptun_init *init = (const void *)skb->data;
	struct mptun_ratelimit_own *own = &tunnel->ratelimit;
	struct mptun_ratelimit *limit = mptun_net_ratelimit(mn);
	const struct mptun_endpoint *ep;
	const struct mptun_path *path;
	u64 now = mptun_now();
	bool known = false;

	if (!limit)
		return false;
	mptun_rxcb(skb)->prove = false;
	if (mptun_ratelimit_take(limit, own, MPTUN_RATELIMIT_ANY, now))
		return true;
	/* Known means that it seems to come from the remote of a path. */
	list_for_each_entry_rcu(path, &tunnel->paths, list) {
		ep = rcu_dereference(path->endpoint);
		known = known || mptun_endpoint_is_source(ep, skb);
	}
	if (known &&
	    mptun_ratelimit_take(limit, own, MPTUN_RATELIMIT_KNOWN, now))
		return true;
	if (mptun_cookie_source_good(&mn->cookies, mptun_key_now(), skb, init))
		return mptun_ratelimit_source(limit, own, skb, now);
	mptun_rxcb(skb)->prove = true;
	return mptun_ratelimit_take(limit, own, MPTUN_RATELIMIT_COOKIE, now);
}

/**
 * mptun_recv_handshake() - receive an INIT, RESPONSE or COOKIE
 * @mn: state of the namespace
 * @port: the port
 * @skb: the datagram, at its outer header; consumed
 */
void mptun_recv_handshake(struct mptun_net *mn, struct mptun_port *port,
			  struct sk_buff *skb)
{
	unsigned int reason = MPTUN_A_DROP_STATS_RX_SHORT;
	struct mptun_drops *drops = &port->drops;
	const struct mptun_outer *outer;
	struct mptun_tunnel *tunnel;
	unsigned int len;

	if (!pskb_may_pull(skb, sizeof(*outer)))
		goto drop;
	outer = (const void *)skb->data;
	if (outer->type == MPTUN_TYPE_INIT)
		len = sizeof(struct mptun_init);
	else if (outer->type == MPTUN_TYPE_RESPONSE)
		len = sizeof(struct mptun_response);
	else
		len = sizeof(struct mptun_cookie);
	/* Exact: no byte is left unauthenticated. */
	if (skb->len != len || skb_linearize(skb))
		goto drop;

	outer = (const void *)skb->data;
	reason = MPTUN_A_DROP_STATS_RX_VERSION;
	if (outer->number || (outer->type == MPTUN_TYPE_INIT &&
			      outer->receiver))
		goto drop;

	reason = MPTUN_A_DROP_STATS_RX_UNKNOWN;
	if (outer->type == MPTUN_TYPE_INIT)
		tunnel = mptun_recv_init(mn, port, skb, &drops, &reason);
	else
		tunnel = mptun_recv_answer(mn, skb, &drops, &reason);
	if (!tunnel)
		goto drop;
	if (outer->type == MPTUN_TYPE_INIT &&
	    !mptun_recv_limit(mn, tunnel, skb)) {
		drops = &tunnel->drops;
		reason = MPTUN_A_DROP_STATS_RX_RATE;
		goto drop;
	}
	mptun_tunnel_queue(tunnel, &tunnel->work_queue, skb,
			   MPTUN_A_DROP_STATS_RX_OVERRUN);
	return;

drop:
	mptun_drop(drops, skb, reason);
}
