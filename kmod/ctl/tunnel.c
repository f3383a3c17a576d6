// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tunnels: creation, start, stop and destruction.
 */
#include <linux/rtnetlink.h>
#include <net/ip_tunnels.h>

#include "core/lookup.h"
#include "core/path.h"
#include "core/session.h"
#include "core/tunnel.h"
#include "ctl/ctl.h"
#include "path/path.h"
#include "rx/rx.h"
#include "session/session.h"
#include "transport/transport.h"
#include "tx/tx.h"

/**
 * mptun_tunnel_init() - initialise a tunnel
 * @tunnel: the tunnel, zero except for its device and settings
 * @net: transport namespace
 * @extack: error message
 *
 * Return: 0 or a negative error.
 */
int mptun_tunnel_init(struct mptun_tunnel *tunnel, struct net *net,
		      struct netlink_ext_ack *extack)
{
	struct mptun_net *mn = mptun_net(net);
	int err;

	ASSERT_RTNL();
	err = mptun_net_open(mn);
	if (err)
		return err;
	tunnel->pool = mn->pool;
	refcount_inc(&tunnel->pool->refs);
	tunnel->rx.share.pool = tunnel->pool;
	tunnel->rx.arrived_share.pool = tunnel->pool;
	tunnel->tx.rtx.share.pool = tunnel->pool;
	mptun_replay_limit(&tunnel->assoc.window, tunnel->pool);
	mutex_init(&tunnel->lock);
	hash_init(tunnel->by_wire);
	INIT_LIST_HEAD(&tunnel->paths);
	INIT_LIST_HEAD(&tunnel->overrides);
	INIT_LIST_HEAD(&tunnel->dead);
	INIT_LIST_HEAD(&tunnel->net_list);
	tunnel->assoc.readers = get_completed_synchronize_rcu();
	tunnel->path_timer = mptun_timer_fired;
	skb_queue_head_init(&tunnel->work_queue);
	skb_queue_head_init(&tunnel->work_probes);
	INIT_DELAYED_WORK(&tunnel->work, mptun_worker);
	spin_lock_init(&tunnel->tx.lock);
	INIT_LIST_HEAD(&tunnel->tx.ccs);
	mptun_sbd_init(&tunnel->tx.bottlenecks);
	__skb_queue_head_init(&tunnel->tx.out);
	mptun_parallel_init(&tunnel->tx.parallel, &mptun_send_ops,
			    MPTUN_LINE_OUT_MAX);
	/* as all classes have code auto */
	tunnel->tx.code.follows = true;
	tunnel->tx.code.timer_ns = U64_MAX;
	hrtimer_setup(&tunnel->tx.code.timer, mptun_code_fired, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
	mptun_parallel_init(&tunnel->rx.parallel, &mptun_decrypt_ops,
			    MPTUN_LINE_IN_MAX);
	tunnel->rx.parallel.share.pool = tunnel->pool;
	spin_lock_init(&tunnel->rx.lock);
	INIT_LIST_HEAD(&tunnel->sessions.list);
	tunnel->overhead = sizeof(struct mptun_packet) +
			   sizeof(struct udphdr) +
			   mptun_cipher_tag(tunnel->config.cipher);

	if (!mptun_tunnel_sealed(tunnel) &&
	    mptun_net_id_taken(mn, tunnel->config.port, tunnel->config.id)) {
		NL_SET_ERR_MSG(extack,
			       "another tunnel on this port has the same id");
		err = -EEXIST;
		goto err_net;
	}
	err = mptun_reorder_init(&tunnel->rx.reorder);
	if (err)
		goto err_net;
	mptun_reorder_limit_ring(&tunnel->rx.reorder, tunnel->pool);
	err = mptun_queue_init(tunnel);
	if (err)
		goto err_queues;
	err = mptun_classify_init(tunnel);
	if (err)
		goto err_classes;
	err = mptun_flow_init(tunnel);
	if (err)
		goto err_port;
	tunnel->port = mptun_port_get(net, tunnel->config.port, extack);
	if (IS_ERR(tunnel->port)) {
		err = PTR_ERR(tunnel->port);
		goto err_port;
	}
	mptun_rx_init(tunnel);
	mptun_rx_configure(tunnel, &tunnel->config.reorder);
	WRITE_ONCE(tunnel->net, net);
	return 0;

err_port:
	mptun_flow_destroy(tunnel);
	mptun_classify_destroy(tunnel);
err_classes:
	mptun_queue_free(tunnel);
err_queues:
	mptun_reorder_destroy(&tunnel->rx.reorder);
err_net:
	mptun_net_pool_put(tunnel->pool);
	mptun_net_close(mn);
	return err;
}

/* Cuts a tunnel off its transport namespace. */
static void mptun_tunnel_unhash(struct mptun_tunnel *tunnel)
{
	struct mptun_path *path;
	struct mptun_net *mn;

	if (!tunnel->net)
		return;
	mn = mptun_net(tunnel->net);
	list_for_each_entry(path, &tunnel->paths, list)
		mptun_path_unwatch(path);
	mptun_initiator_reset(tunnel);
	mptun_session_drop_all(tunnel, 0);
	mptun_key_forget(tunnel);
	mptun_net_unhash(tunnel, &tunnel->id_node);
	list_del_rcu(&tunnel->net_list);
	WRITE_ONCE(tunnel->net, NULL);
	mptun_net_close(mn);
	mptun_notifier_net_follow(mn);
}

/**
 * mptun_tunnel_unlink() - make a tunnel unreachable, as it will be destroyed
 * @tunnel: the tunnel, up or down
 *
 * Its memory may be freed a grace period later.  When devices are deleted the
 * core waits for one between this and ndo_uninit, for any number of them.
 */
void mptun_tunnel_unlink(struct mptun_tunnel *tunnel)
{
	struct mptun_path *path, *tmp;

	ASSERT_RTNL();
	mutex_lock(&tunnel->lock);
	mptun_assoc_bye(tunnel);
	mptun_assoc_end(tunnel, 0, &tunnel->dead);
	mptun_tunnel_unhash(tunnel);
	list_for_each_entry_safe(path, tmp, &tunnel->paths, list)
		mptun_delete_unlink(path, &tunnel->dead);
	tunnel->unlinked = true;
	mutex_unlock(&tunnel->lock);
}

/**
 * mptun_tunnel_destroy() - free all resources of a tunnel
 * @tunnel: the tunnel, stopped
 */
void mptun_tunnel_destroy(struct mptun_tunnel *tunnel)
{
	ASSERT_RTNL();
	/* Its registration has failed, so it was never reachable. */
	if (!tunnel->unlinked)
		mptun_tunnel_unlink(tunnel);
	mptun_delete_unread(&tunnel->dead);
	wait_var_event(&tunnel->n_sessions, !atomic_read(&tunnel->n_sessions));
	mptun_parallel_finish(&tunnel->tx.parallel);
	mptun_parallel_finish(&tunnel->rx.parallel);
	cancel_delayed_work_sync(&tunnel->work);
	skb_queue_purge(&tunnel->work_queue);
	skb_queue_purge(&tunnel->work_probes);
	mptun_override_destroy(tunnel);
	hrtimer_cancel(&tunnel->tx.code.timer);
	mptun_code_work(tunnel, U64_MAX);
	mptun_code_rx_work(tunnel, U64_MAX);
	mptun_queue_purge(tunnel);
	spin_lock_bh(&tunnel->tx.lock);
	mptun_rtx_purge(tunnel);
	WARN_ON_ONCE(tunnel->tx.rtx.kept);
	spin_unlock_bh(&tunnel->tx.lock);
	WARN_ON_ONCE(!skb_queue_empty(&tunnel->tx.out));
	/* The core waits for a grace period before the device is freed. */
	__netif_napi_del(&tunnel->rx.napi);
	mptun_reorder_destroy(&tunnel->rx.reorder);
	mptun_replay_free(&tunnel->assoc.window);
	kfree(tunnel->tx.cand);
	kfree(tunnel->tx.cand_path);
	mptun_queue_free(tunnel);
	mptun_flow_destroy(tunnel);
	mptun_classify_destroy(tunnel);
	kfree(rcu_dereference_protected(tunnel->allowed, true));
	mptun_port_put(tunnel->port);
	mptun_pool_settle(&tunnel->rx.share, 0);
	mptun_pool_settle(&tunnel->tx.rtx.share, 0);
}

/**
 * mptun_tunnel_open() - ndo_open of a tunnel
 * @dev: its device
 *
 * Return: 0.
 */
int mptun_tunnel_open(struct net_device *dev)
{
	struct mptun_tunnel *tunnel = netdev_priv(dev);
	struct mptun_tx *tx = &tunnel->tx;
	unsigned int q;

	mutex_lock(&tunnel->lock);
	mptun_assoc_start(tunnel);
	mptun_initiator_reset(tunnel);
	mptun_rx_start(tunnel);
	spin_lock_bh(&tx->lock);
	for (q = 0; q < tx->n_queues; q++)
		tx->queues[q].stopped = false;
	tx->stopped = 0;
	spin_unlock_bh(&tx->lock);
	mptun_mtu_start(&tunnel->mtu);
	tunnel->running = true;
	mutex_unlock(&tunnel->lock);
	netif_tx_start_all_queues(dev);
	mptun_tunnel_kick(tunnel);
	return 0;
}

/**
 * mptun_tunnel_stop() - ndo_stop of a tunnel
 * @dev: its device
 *
 * Return: 0.
 */
int mptun_tunnel_stop(struct net_device *dev)
{
	struct mptun_tunnel *tunnel = netdev_priv(dev);
	bool dead;

	mutex_lock(&tunnel->lock);
	mptun_assoc_bye(tunnel);
	mptun_assoc_end(tunnel, 0, &tunnel->dead);
	if (tunnel->net)
		mptun_initiator_reset(tunnel);
	tunnel->running = false;
	/* A deletion would have to wait for the worker. */
	dead = !tunnel->unlinked && !list_empty(&tunnel->dead);
	mutex_unlock(&tunnel->lock);
	if (dead)
		mptun_tunnel_kick(tunnel);

	netif_tx_stop_all_queues(dev);
	netif_carrier_off(dev);
	mptun_rx_stop(tunnel);
	spin_lock_bh(&tunnel->tx.lock);
	mptun_queue_purge(tunnel);
	mptun_rtx_purge(tunnel);
	spin_unlock_bh(&tunnel->tx.lock);
	return 0;
}

/**
 * mptun_tunnel_detach() - detach a tunnel from a namespace being deleted
 * @tunnel: the tunnel
 * @dead: receives paths to be freed
 *
 * The ports are closed already, so no cached route is in use.  The device may
 * survive in another namespace, but can neither send nor receive.
 */
void mptun_tunnel_detach(struct mptun_tunnel *tunnel, struct list_head *dead)
{
	struct mptun_endpoint *ep;
	struct mptun_path *path;

	ASSERT_RTNL();
	mutex_lock(&tunnel->lock);
	mptun_assoc_end(tunnel, 0, dead);
	mptun_tunnel_unhash(tunnel);
	list_for_each_entry(path, &tunnel->paths, list) {
		ep = mptun_path_endpoint(path);
		dst_cache_reset_now(&ep->cache);
	}
	mutex_unlock(&tunnel->lock);
	netdev_dbg(tunnel->dev, "namespace of the sockets is gone\n");
}
