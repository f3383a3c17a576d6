// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tunnels: their life from creation to destruction, and their worker.
 */
#include <linux/rtnetlink.h>
#include <net/ip_tunnels.h>

#include "base/skb_cb.h"
#include "core/key.h"
#include "core/path.h"
#include "core/session.h"
#include "core/tunnel.h"
#include "ctl/netns.h"
#include "path/drain.h"
#include "path/learn.h"
#include "path/liveness.h"
#include "rx/decrypt.h"
#include "rx/deliver.h"
#include "rx/recv.h"
#include "session/assoc.h"
#include "session/initiator.h"
#include "session/responder.h"
#include "transport/endpoint.h"
#include "transport/socket.h"
#include "tx/cand.h"
#include "tx/flow.h"
#include "tx/queue.h"
#include "tx/send.h"
#include "tx/xmit.h"

/**
 * mptun_tunnel_active() - has there been data lately?
 * @tunnel: the tunnel
 * @now: time in ns
 *
 * Return: true if there has.
 */
bool mptun_tunnel_active(const struct mptun_tunnel *tunnel, u64 now)
{
	u64 last = max(READ_ONCE(tunnel->tx.active_ns),
		       READ_ONCE(tunnel->rx.active_ns));

	/* Who asks may have read the clock before another CPU wrote. */
	return last && (s64)(now - last) < (s64)MPTUN_ACTIVE_NS;
}

/**
 * mptun_tunnel_kick() - have the worker look at everything
 * @tunnel: the tunnel
 */
void mptun_tunnel_kick(struct mptun_tunnel *tunnel)
{
	mod_delayed_work(mptun_wq, &tunnel->work, 0);
}

/**
 * mptun_tunnel_queue_work() - leave a packet to the worker
 * @tunnel: the tunnel
 * @skb: the packet, at its outer header, headers before it in place; consumed
 */
void mptun_tunnel_queue_work(struct mptun_tunnel *tunnel, struct sk_buff *skb)
{
	if (skb_queue_len_lockless(&tunnel->work_queue) >= MPTUN_WORK_QUEUE) {
		mptun_drop(&tunnel->drops, skb, MPTUN_A_DROP_STATS_RX_OVERRUN);
		return;
	}
	/* It outlives the context that lent it route and device. */
	skb_dst_drop(skb);
	skb_ext_reset(skb);
	nf_reset_ct(skb);
	skb->dev = NULL;
	skb_queue_tail(&tunnel->work_queue, skb);
	mptun_tunnel_kick(tunnel);
}

/* Who sent a packet that was opened? Its session may have ended meanwhile. */
static struct mptun_session *
mptun_tunnel_session(struct mptun_tunnel *tunnel, const struct sk_buff *skb)
{
	const struct mptun_outer *outer = (const void *)skb->data;
	struct mptun_session *session;

	rcu_read_lock();
	session = mptun_net_session(mptun_net(tunnel->net),
				    be32_to_cpu(outer->receiver));
	rcu_read_unlock();
	/* It stays as long as we have the mutex. */
	return session && session->tunnel == tunnel ? session : NULL;
}

/* A PACKET of a peer that we do not know yet, of a path that we do not know, or
 * its last one.
 */
static unsigned int mptun_tunnel_work_packet(struct mptun_tunnel *tunnel,
					     struct sk_buff *skb,
					     struct list_head *dead)
{
	const struct mptun_packet *hdr = (const void *)skb->data;
	struct mptun_session *session;

	session = mptun_tunnel_session(tunnel, skb);
	if (!session)
		return MPTUN_A_DROP_STATS_RX_NO_ASSOCIATION;
	if (hdr->inner.kind_class >> 4 == MPTUN_KIND_PROBE) {
		if (!mptun_session_matches(session))
			mptun_assoc_begin(tunnel, session, dead);
		mptun_learn(tunnel, skb);
		return 0;
	}
	if (mptun_session_matches(session) &&
	    mptun_assoc_left(tunnel, skb, dead))
		return 0;
	return MPTUN_A_DROP_STATS_RX_HANDSHAKE;
}

static unsigned int mptun_tunnel_work_skb(struct mptun_tunnel *tunnel,
					  struct sk_buff *skb,
					  struct list_head *dead)
{
	unsigned int reason = MPTUN_A_DROP_STATS_RX_HANDSHAKE;
	const struct mptun_outer *outer;

	if (!tunnel->running || !tunnel->net || skb_linearize(skb))
		return reason;
	outer = (const void *)skb->data;
	switch (outer->type) {
	case MPTUN_TYPE_INIT:
		return mptun_answer_init(tunnel, skb, mptun_rx_cb(skb)->prove);
	case MPTUN_TYPE_RESPONSE:
		return mptun_attempt_response(tunnel, skb, dead) ? 0 : reason;
	case MPTUN_TYPE_COOKIE:
		return mptun_attempt_cookie(tunnel, skb) ? 0 : reason;
	default:
		return mptun_tunnel_work_packet(tunnel, skb, dead);
	}
}

static void mptun_tunnel_work_packets(struct mptun_tunnel *tunnel,
				      struct list_head *dead)
{
	unsigned int reason;
	struct sk_buff *skb;

	while ((skb = skb_dequeue(&tunnel->work_queue))) {
		reason = mptun_tunnel_work_skb(tunnel, skb, dead);
		if (reason)
			mptun_drop_count(&tunnel->drops, reason);
		consume_skb(skb);
	}
}

/* Returns jiffies until a path, a session or a key needs the worker again. */
static unsigned long mptun_tunnel_work_rest(struct mptun_tunnel *tunnel,
					    struct list_head *dead)
{
	struct mptun_path *path, *tmp;
	u64 next, now = mptun_now();

	next = min(mptun_key_expire(tunnel, now),
		   mptun_session_expire(tunnel, now));
	list_for_each_entry_safe(path, tmp, &tunnel->paths, list)
		next = min(next, mptun_drain_work(path, dead));
	if (next == U64_MAX)
		return MAX_JIFFY_OFFSET;
	return next > now ? nsecs_to_jiffies(next - now) + 1 : 1;
}

static void mptun_tunnel_work(struct work_struct *work)
{
	unsigned long attempt, wait;
	struct mptun_tunnel *tunnel;
	LIST_HEAD(dead);

	tunnel = container_of(work, struct mptun_tunnel, work.work);
	mutex_lock(&tunnel->lock);
	mptun_tunnel_work_packets(tunnel, &dead);
	wait = mptun_tunnel_work_rest(tunnel, &dead);
	mptun_assoc_renew(tunnel, &dead);
	attempt = mptun_attempt_work(tunnel);
	mutex_unlock(&tunnel->lock);
	mptun_drain_kill(&dead);

	mptun_enter();
	mptun_xmit_run(tunnel);
	mptun_leave();

	/* Does not put off a kick that came meanwhile. */
	wait = min(wait, attempt);
	if (wait != MAX_JIFFY_OFFSET)
		queue_delayed_work(mptun_wq, &tunnel->work, wait);
}

/**
 * mptun_tunnel_init() - make a tunnel
 * @tunnel: the tunnel, all zero but its device and settings
 * @net: transport namespace
 * @extack: where to explain an error
 *
 * Return: 0 or a negative error.
 */
int mptun_tunnel_init(struct mptun_tunnel *tunnel, struct net *net,
		      struct netlink_ext_ack *extack)
{
	struct mptun_net *mn = mptun_net(net);
	int err;

	ASSERT_RTNL();
	mutex_init(&tunnel->lock);
	hash_init(tunnel->by_wire);
	INIT_LIST_HEAD(&tunnel->paths);
	skb_queue_head_init(&tunnel->work_queue);
	INIT_DELAYED_WORK(&tunnel->work, mptun_tunnel_work);
	spin_lock_init(&tunnel->tx.lock);
	INIT_LIST_HEAD(&tunnel->tx.ccs);
	mptun_bottleneck_init(&tunnel->tx.bottlenecks);
	__skb_queue_head_init(&tunnel->tx.out);
	mptun_send_line_init(tunnel);
	mptun_open_line_init(tunnel);
	spin_lock_init(&tunnel->rx.lock);
	INIT_LIST_HEAD(&tunnel->sessions.list);
	tunnel->overhead = sizeof(struct mptun_packet) +
			   sizeof(struct udphdr) +
			   mptun_cipher_tag(tunnel->config.cipher);

	if (!mptun_tunnel_sealed(tunnel) &&
	    mptun_net_id_taken(mn, tunnel->config.port, tunnel->config.id)) {
		NL_SET_ERR_MSG(extack,
			       "another tunnel on this port has the same id");
		return -EEXIST;
	}
	err = mptun_reorder_init(&tunnel->rx.reorder);
	if (err)
		return err;
	err = mptun_queue_init(tunnel);
	if (err)
		goto err_queues;
	err = mptun_classify_init(tunnel);
	if (err)
		goto err_classes;
	tunnel->port = mptun_port_get(net, tunnel->config.port, extack);
	if (IS_ERR(tunnel->port)) {
		err = PTR_ERR(tunnel->port);
		goto err_port;
	}
	mptun_deliver_init(tunnel);
	mptun_deliver_configure(tunnel, &tunnel->config.reorder);
	tunnel->net = net;
	if (!mptun_tunnel_sealed(tunnel))
		mptun_net_hash_id(tunnel);
	list_add_tail_rcu(&tunnel->net_list, &mn->tunnels);
	return 0;

err_port:
	mptun_classify_destroy(tunnel);
err_classes:
	mptun_queue_free(tunnel);
err_queues:
	mptun_reorder_destroy(&tunnel->rx.reorder);
	return err;
}

static void mptun_tunnel_unhash(struct mptun_tunnel *tunnel)
{
	if (!tunnel->net)
		return;
	mptun_attempt_reset(tunnel);
	mptun_session_drop_all(tunnel, 0);
	mptun_key_forget(tunnel);
	mptun_net_unhash_id(tunnel);
	list_del_rcu(&tunnel->net_list);
	tunnel->net = NULL;
}

/**
 * mptun_tunnel_destroy() - free what a tunnel holds
 * @tunnel: the tunnel, stopped
 */
void mptun_tunnel_destroy(struct mptun_tunnel *tunnel)
{
	struct mptun_path *path, *tmp;
	LIST_HEAD(dead);

	ASSERT_RTNL();
	mutex_lock(&tunnel->lock);
	mptun_tunnel_unhash(tunnel);
	list_for_each_entry_safe(path, tmp, &tunnel->paths, list)
		mptun_drain_unlink(path, &dead);
	mutex_unlock(&tunnel->lock);

	mptun_drain_kill(&dead);
	synchronize_net();
	wait_var_event(&tunnel->n_sessions, !atomic_read(&tunnel->n_sessions));
	mptun_spread_finish(&tunnel->tx.spread);
	mptun_spread_finish(&tunnel->rx.spread);
	cancel_delayed_work_sync(&tunnel->work);
	skb_queue_purge(&tunnel->work_queue);
	mptun_queue_purge(tunnel);
	spin_lock_bh(&tunnel->tx.lock);
	mptun_repair_purge(tunnel);
	WARN_ON_ONCE(tunnel->tx.repair.kept);
	spin_unlock_bh(&tunnel->tx.lock);
	WARN_ON_ONCE(!skb_queue_empty(&tunnel->tx.out));
	mptun_deliver_destroy(tunnel);
	mptun_reorder_destroy(&tunnel->rx.reorder);
	mptun_cand_free(tunnel);
	mptun_queue_free(tunnel);
	mptun_classify_destroy(tunnel);
	mptun_port_put(tunnel->port);
}

/**
 * mptun_tunnel_start() - the device comes up
 * @tunnel: the tunnel
 */
void mptun_tunnel_start(struct mptun_tunnel *tunnel)
{
	mutex_lock(&tunnel->lock);
	mptun_assoc_start(tunnel);
	mptun_deliver_start(tunnel);
	mptun_queue_start(tunnel);
	tunnel->running = true;
	mutex_unlock(&tunnel->lock);
	netif_tx_start_all_queues(tunnel->dev);
	mptun_tunnel_kick(tunnel);
}

/**
 * mptun_tunnel_stop() - the device goes down
 * @tunnel: the tunnel
 */
void mptun_tunnel_stop(struct mptun_tunnel *tunnel)
{
	LIST_HEAD(dead);

	mutex_lock(&tunnel->lock);
	mptun_assoc_bye(tunnel);
	mptun_assoc_end(tunnel, &dead);
	if (tunnel->net)
		mptun_attempt_reset(tunnel);
	tunnel->running = false;
	mutex_unlock(&tunnel->lock);

	netif_tx_stop_all_queues(tunnel->dev);
	netif_carrier_off(tunnel->dev);
	mptun_deliver_stop(tunnel);
	mptun_drain_kill(&dead);
	spin_lock_bh(&tunnel->tx.lock);
	mptun_queue_purge(tunnel);
	mptun_repair_purge(tunnel);
	spin_unlock_bh(&tunnel->tx.lock);
}

/**
 * mptun_tunnel_detach() - the transport namespace goes
 * @tunnel: the tunnel
 *
 * Its ports are closed already, so that no cached route is in use.  The device
 * may live on elsewhere, but nothing can be sent or received.
 */
void mptun_tunnel_detach(struct mptun_tunnel *tunnel)
{
	struct mptun_endpoint *ep;
	struct mptun_path *path;
	LIST_HEAD(dead);

	ASSERT_RTNL();
	mutex_lock(&tunnel->lock);
	mptun_assoc_end(tunnel, &dead);
	mptun_tunnel_unhash(tunnel);
	list_for_each_entry(path, &tunnel->paths, list) {
		ep = rcu_dereference_protected(path->endpoint,
					       lockdep_is_held(&tunnel->lock));
		dst_cache_reset_now(&ep->cache);
	}
	mutex_unlock(&tunnel->lock);
	mptun_drain_kill(&dead);
	netdev_dbg(tunnel->dev, "namespace of the sockets is gone\n");
}
