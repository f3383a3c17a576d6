// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Module init and exit.
 */
#include <linux/module.h>
#include <net/genetlink.h>
#include <net/rtnetlink.h>

#include "base/parallel.h"
#include "base/version.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "ctl/ctl.h"
#include "ctl/netlink.h"
#include "path/path.h"

struct workqueue_struct *mptun_wq;

static int __init mptun_init(void)
{
	int err;

	/* Nothing waits for handshakes during suspend.  No WQ_MEM_RECLAIM: a
	 * worker allocates memory, and waits for a mutex whose holders do, so
	 * a rescuer could not promise progress.
	 */
	mptun_wq = alloc_workqueue("mptun", WQ_UNBOUND | WQ_FREEZABLE, 0);
	if (!mptun_wq)
		return -ENOMEM;

	err = mptun_parallel_setup();
	if (err)
		goto err_wq;
	err = mptun_path_setup();
	if (err)
		goto err_parallel;
	err = mptun_net_init();
	if (err)
		goto err_path;
	err = mptun_notifier_init();
	if (err)
		goto err_net;
	err = mptun_snapshot_init();
	if (err)
		goto err_notifier;
	err = mptun_netlink_init();
	if (err)
		goto err_snapshot;
	err = rtnl_link_register(&mptun_device_link_ops);
	if (err)
		goto err_netlink;
	return 0;

err_netlink:
	mptun_netlink_exit();
err_snapshot:
	mptun_snapshot_exit();
err_notifier:
	mptun_notifier_exit();
err_net:
	mptun_net_exit();
err_path:
	mptun_path_cleanup();
err_parallel:
	mptun_parallel_cleanup();
err_wq:
	destroy_workqueue(mptun_wq);
	return err;
}

static void __exit mptun_exit(void)
{
	/* Deletes all tunnels. */
	rtnl_link_unregister(&mptun_device_link_ops);
	mptun_netlink_exit();
	mptun_snapshot_exit();
	mptun_notifier_exit();
	mptun_net_exit();
	mptun_path_cleanup();
	mptun_parallel_cleanup();
	/* RCU queues work that frees sessions. */
	rcu_barrier();
	destroy_workqueue(mptun_wq);
}

module_init(mptun_init);
module_exit(mptun_exit);

MODULE_DESCRIPTION("Multipath tunnel");
MODULE_AUTHOR("The mptun authors");
MODULE_LICENSE("GPL");
MODULE_VERSION(MPTUN_RELEASE);
MODULE_ALIAS_RTNL_LINK("mptun");
MODULE_ALIAS_GENL_FAMILY(MPTUN_FAMILY_NAME);
