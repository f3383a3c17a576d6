// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Notifiers of copies of this machine's memory, and of suspend.
 *
 * A virtual machine is notified after it has been restored or cloned, if it has
 * a device for that (CONFIG_VMGENID).  Hibernation is notified before the image
 * is made.  Softirqs send until the machine stops, and do so again before tasks
 * run in a resumed one, so all sessions end before the image, and none begins
 * until tasks run again.
 *
 * Suspend to memory copies nothing.  But timers stand still meanwhile, and the
 * lifetimes of keys do not, so the workers check them.
 */
#include <linux/notifier.h>
#include <linux/random.h>
#include <linux/suspend.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>

#include "core/epoch.h"
#include "core/lookup.h"
#include "core/session.h"
#include "core/tunnel.h"
#include "ctl/ctl.h"

/* Lets the workers of all tunnels act on what has changed. */
static void mptun_snapshot_kick(void)
{
	struct mptun_tunnel *tunnel;
	struct net *net;

	rcu_read_lock();
	for_each_net_rcu(net)
		list_for_each_entry_rcu(tunnel, &mptun_net(net)->tunnels,
					net_list)
			mptun_tunnel_kick(tunnel);
	rcu_read_unlock();
}

/* Ends the epoch of cookies: an INIT with one of them may be a recording. */
static void mptun_snapshot_forget(void)
{
	struct net *net;

	rcu_read_lock();
	for_each_net_rcu(net)
		mptun_cookies_forget(&mptun_net(net)->cookies);
	rcu_read_unlock();
}

static int mptun_snapshot_vmfork(struct notifier_block *nb,
				 unsigned long event, void *ptr)
{
	mptun_epoch_end();
	mptun_snapshot_forget();
	mptun_snapshot_kick();
	return NOTIFY_DONE;
}

static struct notifier_block mptun_snapshot_vmfork_block = {
	.notifier_call = mptun_snapshot_vmfork,
};

/* Before the image is made, the keys of all sessions are wiped, so that it has
 * none of them.  A packet with a number that has not been encrypted by then is
 * in line, or in the crypto API, and holds its session: so wait until there is
 * none.  That includes tunnels that are being deleted: their sessions have been
 * dropped before they left the list of tunnels, so only such packets hold them.
 * A packet that has been encrypted may wait in a device, and may leave twice:
 * it is the same to the bit.
 *
 * Drivers register notifiers under RTNL, so nothing may wait for it here: no
 * work of mptun_wq does.
 */
static int mptun_snapshot_pm(struct notifier_block *nb, unsigned long event,
			     void *ptr)
{
	switch (event) {
	case PM_HIBERNATION_PREPARE:
		mptun_epoch_freeze();
		mptun_snapshot_forget();
		mptun_snapshot_kick();
		flush_workqueue(mptun_wq);
		/* The workers have dropped the sessions; RCU queues work to
		 * free them.
		 */
		mptun_session_wait();
		rcu_barrier();
		flush_workqueue(mptun_wq);
		WARN_ON_ONCE(!mptun_session_none());
		break;
	case PM_POST_HIBERNATION:
		mptun_epoch_thaw();
		mptun_snapshot_kick();
		break;
	case PM_POST_SUSPEND:
		mptun_snapshot_kick();
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block mptun_snapshot_pm_block = {
	.notifier_call = mptun_snapshot_pm,
};

/**
 * mptun_snapshot_init() - register for copies of memory
 *
 * Return: 0 or a negative error.
 */
int __init mptun_snapshot_init(void)
{
	int err;

	err = register_random_vmfork_notifier(&mptun_snapshot_vmfork_block);
	if (err)
		return err;
	err = register_pm_notifier(&mptun_snapshot_pm_block);
	if (err)
		unregister_random_vmfork_notifier(&mptun_snapshot_vmfork_block);
	return err;
}

/**
 * mptun_snapshot_exit() - undo mptun_snapshot_init()
 */
void mptun_snapshot_exit(void)
{
	unregister_pm_notifier(&mptun_snapshot_pm_block);
	unregister_random_vmfork_notifier(&mptun_snapshot_vmfork_block);
}
