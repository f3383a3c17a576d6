// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Associations: finding the peer, and noticing that it is another one.
 *
 * The model: each end has an instance id, random and new whenever the tunnel
 * is brought up.  A pair of them is an association, and every number of the
 * protocol belongs to one.  INIT and RESPONSE exchange the ids and what else
 * both ends need: the index to be addressed by and the first dsn.
 *
 *	initiator				responder
 *	INIT	------------------------------>		instance unknown
 *		<------------------------------ COOKIE	(no state yet)
 *	INIT with cookie ----------------------->	association begins
 *		<------------------------------ RESPONSE
 *	association begins, paths are probed
 *
 * Identical INITs leave on every path, so the first path may be dead.  From a
 * known instance an INIT changes nothing, it is only answered: the peer asks
 * whether we are still the same, because its paths have fallen silent.  So a
 * restarted peer is found from either side.  The cookie keeps an INIT that
 * somebody recorded or made up from ending an association.
 *
 * Both ends may open at once and each may lose any of its packets.  That is
 * harmless because whatever is said about an instance is always the same,
 * whichever message says it.
 *
 * Everything here runs in the worker of the tunnel, under its mutex.
 */
#include <linux/jiffies.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/siphash.h>

#include "assoc.h"
#include "control.h"
#include "deliver.h"
#include "drain.h"
#include "endpoint.h"
#include "lane.h"
#include "liveness.h"
#include "net.h"
#include "netlink.h"
#include "output.h"
#include "path.h"
#include "port.h"
#include "tunnel.h"

/* Both ends number paths; the larger instance takes the odd numbers. */
static u32 mptun_assoc_parity(const struct mptun_assoc *assoc)
{
	return assoc->instance > assoc->peer_instance;
}

/* By what PACKETs of an association address the end that chose this index: the
 * lower half depends on both instances.  So packets of an association that has
 * ended are told from those of the next, where every number begins anew.
 */
static u32 mptun_assoc_key(const struct mptun_assoc *assoc, u32 index)
{
	return index ^ (u16)(assoc->instance ^ assoc->peer_instance);
}

/**
 * mptun_assoc_wire_id() - a number for a path of ours
 * @tunnel: the tunnel, its association established
 *
 * Return: a number not used before in this association, 0 if there is none
 * left.
 */
u16 mptun_assoc_wire_id(struct mptun_tunnel *tunnel)
{
	struct mptun_assoc *assoc = &tunnel->assoc;
	u32 id = assoc->next_wire_id;

	lockdep_assert_held(&tunnel->lock);
	if (id > MPTUN_WIRE_ID_MAX)
		return 0;
	assoc->next_wire_id += 2;
	return id;
}

/**
 * mptun_assoc_is_peers() - did the peer choose this number?
 * @tunnel: the tunnel, its association established
 * @wire_id: number of a path
 *
 * Return: true if it is of the half from which the peer takes its numbers.
 */
bool mptun_assoc_is_peers(const struct mptun_tunnel *tunnel, u16 wire_id)
{
	return wire_id && (wire_id & 1) != mptun_assoc_parity(&tunnel->assoc);
}

/* A hello from us, from the outer header on. */
static struct sk_buff *mptun_assoc_make(struct mptun_tunnel *tunnel, u8 type,
					u32 receiver, u64 counter)
{
	struct mptun_assoc *assoc = &tunnel->assoc;
	struct mptun_outer *outer;
	struct mptun_hello *hello;
	struct sk_buff *skb;

	skb = alloc_skb(MPTUN_HEADROOM + LL_MAX_HEADER + sizeof(*outer) +
			sizeof(*hello), GFP_KERNEL);
	if (!skb)
		return NULL;
	skb_reserve(skb, MPTUN_HEADROOM + LL_MAX_HEADER);
	outer = skb_put_zero(skb, sizeof(*outer));
	outer->type = type;
	outer->version = MPTUN_VERSION;
	outer->receiver = cpu_to_be32(receiver);

	hello = skb_put_zero(skb, sizeof(*hello));
	hello->sender = cpu_to_be32(tunnel->index);
	hello->to = cpu_to_be32(tunnel->config.peer_id);
	hello->from = cpu_to_be32(tunnel->config.id);
	hello->instance = cpu_to_be64(assoc->instance);
	hello->peer_instance = cpu_to_be64(assoc->peer_instance);
	hello->counter = cpu_to_be64(counter);
	hello->first_dsn = cpu_to_be32(assoc->first_dsn);
	return skb;
}

static void mptun_assoc_send_init(struct mptun_tunnel *tunnel)
{
	struct mptun_assoc *assoc = &tunnel->assoc;
	struct mptun_outer *outer;
	struct mptun_hello *hello;
	struct mptun_path *path;
	struct sk_buff *skb, *copy;
	int err;

	skb = mptun_assoc_make(tunnel, MPTUN_TYPE_INIT, 0, assoc->counter);
	if (!skb)
		return;
	hello = (void *)(skb->data + sizeof(*outer));
	if (assoc->cookie_valid)
		memcpy(hello->cookie, assoc->cookie, sizeof(hello->cookie));

	mptun_enter();
	list_for_each_entry_rcu(path, &tunnel->paths, list) {
		if (path->learned || !path->config.enabled ||
		    path->live.state == MPTUN_PATH_STATE_DRAINING)
			continue;
		copy = skb_copy(skb, GFP_ATOMIC);
		if (!copy)
			continue;
		err = mptun_output(path, copy);
		if (err)
			mptun_liveness_unroutable(path, err);
		else
			mptun_liveness_routable(path);
	}
	mptun_leave();
	consume_skb(skb);
}

static bool mptun_assoc_wanted(struct mptun_tunnel *tunnel)
{
	struct mptun_path *path;
	bool ours = false;

	if (!tunnel->running || !tunnel->net)
		return false;
	list_for_each_entry(path, &tunnel->paths, list) {
		if (mptun_liveness_good(path))
			return false;
		if (!path->learned && path->config.enabled &&
		    path->live.state != MPTUN_PATH_STATE_DRAINING)
			ours = true;
	}
	return ours;
}

/**
 * mptun_assoc_hello() - look for the peer, if no path works
 * @tunnel: the tunnel
 *
 * Return: jiffies until it should be called again, MAX_JIFFY_OFFSET for never.
 */
unsigned long mptun_assoc_hello(struct mptun_tunnel *tunnel)
{
	struct mptun_assoc *assoc = &tunnel->assoc;

	lockdep_assert_held(&tunnel->lock);
	if (!mptun_assoc_wanted(tunnel)) {
		assoc->hello_wait = 0;
		return MAX_JIFFY_OFFSET;
	}
	if (assoc->hello_wait && time_before(jiffies, assoc->hello_at))
		return assoc->hello_at - jiffies;
	assoc->hello_wait = clamp_t(unsigned int, 2 * assoc->hello_wait,
				    MPTUN_HELLO_FIRST_MS, MPTUN_HELLO_MAX_MS);

	assoc->counter++;
	mptun_assoc_send_init(tunnel);
	assoc->hello_at = jiffies + msecs_to_jiffies(assoc->hello_wait);
	return msecs_to_jiffies(assoc->hello_wait);
}

static void mptun_assoc_cookie(struct mptun_tunnel *tunnel,
			       const struct mptun_hello *hello,
			       u64 period, u8 *cookie)
{
	const siphash_key_t *key = &mptun_net(tunnel->net)->cookie_key;
	u64 instance = be64_to_cpu(hello->instance);
	u64 ids = (u64)tunnel->config.id << 32 | tunnel->config.peer_id;
	__le64 half[2];

	half[0] = cpu_to_le64(siphash_4u64(instance, ids, period, 0, key));
	half[1] = cpu_to_le64(siphash_4u64(instance, ids, period, 1, key));
	memcpy(cookie, half, sizeof(half));
}

static u64 mptun_assoc_period(void)
{
	return div_u64(ktime_get_seconds(), MPTUN_COOKIE_PERIOD_S);
}

static bool mptun_assoc_cookie_good(struct mptun_tunnel *tunnel,
				    const struct mptun_hello *hello)
{
	u64 period = mptun_assoc_period();
	u8 cookie[16];
	int i;

	for (i = 0; i < 2; i++, period--) {
		mptun_assoc_cookie(tunnel, hello, period, cookie);
		if (!memcmp(cookie, hello->cookie, sizeof(cookie)))
			return true;
	}
	return false;
}

/* To where an INIT came from, in whose number space it is. */
static void mptun_assoc_reply(struct mptun_tunnel *tunnel,
			      struct sk_buff *received, struct sk_buff *skb)
{
	struct mptun_endpoint ep;

	mptun_endpoint_of(received, &ep);
	ep.port = tunnel->port;
	if (htons(ep.port->number) != ep.local_port) {
		kfree_skb(skb);
		return;
	}
	mptun_output_reply(tunnel, &ep, skb);
}

static void mptun_assoc_send_cookie(struct mptun_tunnel *tunnel,
				    struct sk_buff *received,
				    const struct mptun_hello *hello)
{
	struct mptun_cookie *cookie;
	struct mptun_outer *outer;
	struct sk_buff *skb;

	skb = alloc_skb(MPTUN_HEADROOM + LL_MAX_HEADER + sizeof(*outer) +
			sizeof(*cookie), GFP_KERNEL);
	if (!skb)
		return;
	skb_reserve(skb, MPTUN_HEADROOM + LL_MAX_HEADER);
	outer = skb_put_zero(skb, sizeof(*outer));
	outer->type = MPTUN_TYPE_COOKIE;
	outer->version = MPTUN_VERSION;
	outer->receiver = hello->sender;
	cookie = skb_put_zero(skb, sizeof(*cookie));
	cookie->counter = hello->counter;
	mptun_assoc_cookie(tunnel, hello, mptun_assoc_period(),
			   cookie->cookie);
	mptun_assoc_reply(tunnel, received, skb);
}

/* All numbers of the sending side begin anew. */
static void mptun_assoc_restart_tx(struct mptun_tunnel *tunnel)
{
	struct mptun_tx *tx = &tunnel->tx;
	u32 dsn = tunnel->assoc.first_dsn;

	spin_lock_bh(&tx->lock);
	tx->next_dsn = dsn;
	WRITE_ONCE(tx->settled, dsn);
	tx->settled_told = dsn;
	tx->settle_until = dsn;
	mptun_lane_start(tx);
	spin_unlock_bh(&tx->lock);
}

/**
 * mptun_assoc_end() - forget the peer
 * @tunnel: the tunnel
 * @dead: paths that the peer had opened are put there, to be freed
 */
void mptun_assoc_end(struct mptun_tunnel *tunnel, struct list_head *dead)
{
	struct mptun_path *path, *tmp;

	lockdep_assert_held(&tunnel->lock);
	if (!tunnel->assoc.established)
		return;
	WRITE_ONCE(tunnel->assoc.established, false);
	tunnel->assoc.peer_instance = 0;
	list_for_each_entry_safe(path, tmp, &tunnel->paths, list) {
		if (path->learned ||
		    path->live.state == MPTUN_PATH_STATE_DRAINING)
			mptun_drain_unlink(path, dead);
		else
			mptun_path_dissociate(path);
	}
	mptun_deliver_end(tunnel);
	netdev_dbg(tunnel->dev, "association ended\n");
	mptun_netlink_tunnel_event(tunnel);
}

static void mptun_assoc_begin(struct mptun_tunnel *tunnel,
			      const struct mptun_hello *hello,
			      struct list_head *dead)
{
	struct mptun_assoc *assoc = &tunnel->assoc;
	struct mptun_path *path;

	/* No path sends or receives until all have their new numbers; wait for
	 * packets that are half way through with the old ones.
	 */
	mptun_assoc_end(tunnel, dead);
	synchronize_net();

	assoc->peer_instance = be64_to_cpu(hello->instance);
	WRITE_ONCE(assoc->index, mptun_assoc_key(assoc, tunnel->index));
	WRITE_ONCE(assoc->peer_index,
		   mptun_assoc_key(assoc, be32_to_cpu(hello->sender)));
	assoc->next_wire_id = mptun_assoc_parity(assoc) ? 1 : 2;
	assoc->hello_wait = MPTUN_HELLO_FIRST_MS;
	assoc->hello_at = jiffies + msecs_to_jiffies(MPTUN_HELLO_FIRST_MS);
	assoc->count++;

	list_for_each_entry(path, &tunnel->paths, list)
		mptun_path_associate(path, mptun_assoc_wire_id(tunnel));
	mptun_assoc_restart_tx(tunnel);
	mptun_deliver_associate(tunnel, be32_to_cpu(hello->first_dsn));
	WRITE_ONCE(assoc->established, true);
	netdev_dbg(tunnel->dev, "association begun\n");
	mptun_netlink_tunnel_event(tunnel);

	list_for_each_entry(path, &tunnel->paths, list)
		mptun_path_try(path, MPTUN_PATH_REASON_ASSOCIATED);
}

static void mptun_assoc_receive_init(struct mptun_tunnel *tunnel,
				     struct sk_buff *skb,
				     const struct mptun_hello *hello,
				     struct list_head *dead)
{
	struct mptun_assoc *assoc = &tunnel->assoc;
	u64 instance = be64_to_cpu(hello->instance);
	struct sk_buff *answer;

	if (!assoc->established || instance != assoc->peer_instance) {
		if (!mptun_assoc_cookie_good(tunnel, hello)) {
			mptun_assoc_send_cookie(tunnel, skb, hello);
			return;
		}
		mptun_assoc_begin(tunnel, hello, dead);
	}
	answer = mptun_assoc_make(tunnel, MPTUN_TYPE_RESPONSE,
				  be32_to_cpu(hello->sender),
				  be64_to_cpu(hello->counter));
	if (answer)
		mptun_assoc_reply(tunnel, skb, answer);
}

/* Does an answer bear the number of an INIT that may still be answered? */
static bool mptun_assoc_open(const struct mptun_assoc *assoc, __be64 counter)
{
	return counter && assoc->counter - be64_to_cpu(counter) <
			  MPTUN_HELLO_OPEN;
}

static bool mptun_assoc_receive_response(struct mptun_tunnel *tunnel,
					 const struct mptun_hello *hello,
					 struct list_head *dead)
{
	struct mptun_assoc *assoc = &tunnel->assoc;

	if (be64_to_cpu(hello->peer_instance) != assoc->instance ||
	    !mptun_assoc_open(assoc, hello->counter))
		return false;
	if (!assoc->established ||
	    be64_to_cpu(hello->instance) != assoc->peer_instance)
		mptun_assoc_begin(tunnel, hello, dead);
	return true;
}

static bool mptun_assoc_receive_cookie(struct mptun_tunnel *tunnel,
				       const struct mptun_cookie *cookie)
{
	struct mptun_assoc *assoc = &tunnel->assoc;

	if (!mptun_assoc_open(assoc, cookie->counter))
		return false;
	if (assoc->cookie_valid &&
	    !memcmp(assoc->cookie, cookie->cookie, sizeof(assoc->cookie)))
		return true; /* came on every path */
	memcpy(assoc->cookie, cookie->cookie, sizeof(assoc->cookie));
	assoc->cookie_valid = true;
	mptun_assoc_send_init(tunnel);
	return true;
}

static bool mptun_assoc_receive_bye(struct mptun_tunnel *tunnel,
				    const struct mptun_packet *hdr,
				    struct list_head *dead)
{
	const struct mptun_bye *bye = (const void *)(hdr + 1);

	if (hdr->inner.kind_class >> 4 != MPTUN_KIND_BYE ||
	    be64_to_cpu(bye->instance) != tunnel->assoc.peer_instance)
		return false;
	mptun_assoc_end(tunnel, dead);
	return true;
}

/* Is this hello from our peer, for us, and not one of our own? */
static unsigned int mptun_assoc_check(struct mptun_tunnel *tunnel,
				      const struct mptun_hello *hello)
{
	if (be32_to_cpu(hello->to) != tunnel->config.id ||
	    be32_to_cpu(hello->from) != tunnel->config.peer_id ||
	    !hello->instance)
		return MPTUN_A_DROP_STATS_RX_HANDSHAKE;
	if (be64_to_cpu(hello->instance) == tunnel->assoc.instance)
		return MPTUN_A_DROP_STATS_RX_REFLECTED;
	return 0;
}

/**
 * mptun_assoc_receive() - take in a packet of the handshake, or a BYE
 * @tunnel: the tunnel, up
 * @skb: the packet, at its outer header; stays the caller's
 * @dead: paths that came to an end are put there, to be freed
 */
void mptun_assoc_receive(struct mptun_tunnel *tunnel, struct sk_buff *skb,
			 struct list_head *dead)
{
	unsigned int reason = MPTUN_A_DROP_STATS_RX_HANDSHAKE;
	const struct mptun_outer *outer = (void *)skb->data;
	const void *body = outer + 1;
	bool good = false;

	lockdep_assert_held(&tunnel->lock);
	switch (outer->type) {
	case MPTUN_TYPE_INIT:
	case MPTUN_TYPE_RESPONSE:
		if (skb->len < sizeof(*outer) + sizeof(struct mptun_hello))
			break;
		reason = mptun_assoc_check(tunnel, body);
		if (reason)
			break;
		reason = MPTUN_A_DROP_STATS_RX_HANDSHAKE;
		good = true;
		if (outer->type == MPTUN_TYPE_INIT)
			mptun_assoc_receive_init(tunnel, skb, body, dead);
		else
			good = mptun_assoc_receive_response(tunnel, body,
							    dead);
		break;
	case MPTUN_TYPE_COOKIE:
		if (skb->len >= sizeof(*outer) + sizeof(struct mptun_cookie))
			good = mptun_assoc_receive_cookie(tunnel, body);
		break;
	case MPTUN_TYPE_PACKET:
		if (skb->len >= sizeof(struct mptun_packet) +
				sizeof(struct mptun_bye))
			good = mptun_assoc_receive_bye(tunnel,
						       (void *)skb->data,
						       dead);
		break;
	}
	if (!good)
		mptun_drop_count(&tunnel->drops, reason);
}

/**
 * mptun_assoc_bye() - tell the peer that we leave
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
		if (!mptun_liveness_usable(path))
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
 * mptun_assoc_start() - the device comes up: a new instance
 * @tunnel: the tunnel
 */
void mptun_assoc_start(struct mptun_tunnel *tunnel)
{
	struct mptun_assoc *assoc = &tunnel->assoc;

	lockdep_assert_held(&tunnel->lock);
	do {
		assoc->instance = get_random_u64();
	} while (!assoc->instance);
	assoc->first_dsn = get_random_u32();
	assoc->counter = 0;
	assoc->cookie_valid = false;
	assoc->hello_wait = 0;
}

/**
 * mptun_assoc_renew() - begin anew if a path of ours waits for a number and
 *	none is left
 * @tunnel: the tunnel, its paths looked at by mptun_drain_work()
 * @dead: paths that the peer had opened are put there, to be freed
 *
 * The caller goes on with mptun_assoc_hello().
 */
void mptun_assoc_renew(struct mptun_tunnel *tunnel, struct list_head *dead)
{
	struct mptun_assoc *assoc = &tunnel->assoc;
	struct mptun_path *path;
	bool waits = false;

	lockdep_assert_held(&tunnel->lock);
	if (!assoc->established || assoc->next_wire_id <= MPTUN_WIRE_ID_MAX)
		return;
	list_for_each_entry(path, &tunnel->paths, list)
		waits |= !path->learned && !path->wire_id;
	if (!waits)
		return;
	mptun_assoc_bye(tunnel);
	mptun_assoc_end(tunnel, dead);
	mptun_assoc_start(tunnel);
}
