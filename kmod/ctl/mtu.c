// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * MTU of the device: follows the paths, unless the administrator sets it.
 *
 * The worker chooses (recovery/mtu.c).  The change needs RTNL, which announces
 * it, and which the worker must not wait for: a work item of the namespace, not
 * on mptun_wq, applies what all tunnels have chosen.
 */
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>

#include "core/lookup.h"
#include "core/path.h"
#include "core/session.h"
#include "core/tunnel.h"
#include "ctl/ctl.h"

/**
 * mptun_mtu_work() - apply the MTUs that the tunnels of a namespace have chosen
 * @work: &mptun_net.mtu_work
 */
void mptun_mtu_work(struct work_struct *work)
{
	struct mptun_net *mn = container_of(work, struct mptun_net, mtu_work);
	struct mptun_tunnel *tunnel;
	u32 mtu;

	rtnl_lock();
	list_for_each_entry(tunnel, &mn->tunnels, net_list) {
		mtu = READ_ONCE(tunnel->mtu_wanted);
		WRITE_ONCE(tunnel->mtu_wanted, 0);
		if (!mtu || !READ_ONCE(tunnel->config.mtu_auto) ||
		    mtu == tunnel->dev->mtu)
			continue;
		/* This does not end automatic mode. */
		tunnel->mtu_own = true;
		if (!dev_set_mtu(tunnel->dev, mtu))
			netdev_dbg(tunnel->dev, "MTU %u, as the paths carry\n",
				   mtu);
		tunnel->mtu_own = false;
	}
	rtnl_unlock();
}

/**
 * mptun_mtu_follow() - choose the MTU of a tunnel's device
 * @tunnel: the tunnel
 * @now: time in ns
 *
 * Return: when to choose again, U64_MAX for not before something changes.
 */
u64 mptun_mtu_follow(struct mptun_tunnel *tunnel, u64 now)
{
	u32 mtu = READ_ONCE(tunnel->dev->mtu), smallest = U32_MAX;
	const struct mptun_session *session;
	bool searching = false, frag;
	struct mptun_path *path;
	u32 want;

	lockdep_assert_held(&tunnel->lock);
	if (!tunnel->config.mtu_auto || !tunnel->running || !tunnel->net)
		return U64_MAX;
	rcu_read_lock();
	session = rcu_dereference(tunnel->tx.session);
	/* Without a session nothing is sent. */
	frag = (!session || session->peer_frag) &&
	       tunnel->config.frag != MPTUN_FRAG_MODE_OFF;
	rcu_read_unlock();
	list_for_each_entry(path, &tunnel->paths, list) {
		if (!mptun_path_takes_data(path))
			continue;
		frag &= mptun_path_takes(path, frag) >= mtu;
		if (mptun_path_size_settled(path))
			smallest = min(smallest, mptun_path_inner_mtu(path));
		else
			searching = true;
	}
	want = mptun_mtu_choose(&tunnel->mtu, mtu, smallest, searching, frag,
				now);
	if (want != mtu) {
		WRITE_ONCE(tunnel->mtu_wanted, want);
		queue_work(system_freezable_wq,
			   &mptun_net(tunnel->net)->mtu_work);
	}
	return tunnel->mtu.again_ns;
}

/**
 * mptun_mtu_set() - set the MTU, or let it follow the paths
 * @dev: the device of a tunnel
 * @mtu: the MTU, 0 to follow the paths
 * @extack: error message
 *
 * Return: 0 or a negative error.
 */
int mptun_mtu_set(struct net_device *dev, u32 mtu,
		  struct netlink_ext_ack *extack)
{
	struct mptun_tunnel *tunnel = netdev_priv(dev);
	int err;

	ASSERT_RTNL();
	if (mtu) {
		err = dev_set_mtu(dev, mtu);
		if (err)
			NL_SET_ERR_MSG(extack, "the device refuses the MTU");
		else
			WRITE_ONCE(tunnel->config.mtu_auto, false);
		return err;
	}
	mutex_lock(&tunnel->lock);
	mptun_mtu_start(&tunnel->mtu);
	WRITE_ONCE(tunnel->config.mtu_auto, true);
	mutex_unlock(&tunnel->lock);
	mptun_tunnel_kick(tunnel);
	return 0;
}
