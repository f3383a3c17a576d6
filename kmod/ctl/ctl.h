/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * The control plane: devices, settings, namespaces, notifiers.
 */
#ifndef _MPTUN_CTL_CTL_H
#define _MPTUN_CTL_CTL_H

#include <linux/hrtimer.h>
#include <linux/types.h>

struct mptun_net;
struct mptun_tunnel;
struct mptun_tunnel_config;
struct net;
struct net_device;
struct netlink_ext_ack;
struct nlattr;
struct rtnl_link_ops;
struct work_struct;

/* ctl/device.c */
bool mptun_device_is(const struct net_device *dev);

extern struct rtnl_link_ops mptun_device_link_ops;

/* ctl/config.c */
/**
 * struct mptun_config_request - attributes of a request, each NULL if absent
 * @sched: name of the scheduler
 * @cc: name of the congestion controller
 * @reorder: u32, &enum mptun_reorder_mode
 * @hold: u32, hold time in us
 * @buffer: u32, memory of waiting packets in bytes
 * @psmc_factor: u32, target of mode psmc in percent of its lower bound
 * @psmc_period: u32, period of its bounds in us
 * @learn: u8, accept paths opened by the peer
 * @follow: u8, use these paths as the peer says
 * @key: MPTUN_KEY_LEN bytes, key shared with the peer
 * @grace: u32, grace period of the previous key in seconds
 * @rekey: u32, lifetime of the keys of a session in seconds
 * @dscp: u32, DSCP of outer packets, or MPTUN_DSCP_INHERIT
 * @park: u32, reciprocal share below which a path is not used, 0 for never
 * @auto_group: u8, detect shared bottlenecks
 * @fwmark: u32, firewall mark of outer packets, 0 for none
 * @allowed: inner source addresses that the peer may use
 * @mtu: u32, MTU of the device, 0 to follow the paths
 * @frag: u32, &enum mptun_frag_mode
 * @mss_clamp: u32, &enum mptun_mss_clamp_mode
 *
 * Used for both rtnetlink and generic netlink, with values checked by their
 * policies.
 */
struct mptun_config_request {
	const struct nlattr *sched;
	const struct nlattr *cc;
	const struct nlattr *reorder;
	const struct nlattr *hold;
	const struct nlattr *buffer;
	const struct nlattr *psmc_factor;
	const struct nlattr *psmc_period;
	const struct nlattr *learn;
	const struct nlattr *follow;
	const struct nlattr *key;
	const struct nlattr *grace;
	const struct nlattr *rekey;
	const struct nlattr *dscp;
	const struct nlattr *park;
	const struct nlattr *auto_group;
	const struct nlattr *fwmark;
	const struct nlattr *allowed;
	const struct nlattr *mtu;
	const struct nlattr *frag;
	const struct nlattr *mss_clamp;
};

void mptun_config_default(struct mptun_tunnel_config *config);
int mptun_config_check(const struct mptun_tunnel_config *config,
		       const struct mptun_config_request *settings,
		       struct netlink_ext_ack *extack);
int mptun_config_first(struct mptun_tunnel *tunnel,
		       const struct mptun_config_request *settings);
int mptun_config_change(struct mptun_tunnel *tunnel,
			const struct mptun_config_request *settings,
			struct netlink_ext_ack *extack);

/* ctl/tunnel.c */
int mptun_tunnel_init(struct mptun_tunnel *tunnel, struct net *net,
		      struct netlink_ext_ack *extack);
void mptun_tunnel_unlink(struct mptun_tunnel *tunnel);
void mptun_tunnel_destroy(struct mptun_tunnel *tunnel);
int mptun_tunnel_open(struct net_device *dev);
int mptun_tunnel_stop(struct net_device *dev);
void mptun_tunnel_detach(struct mptun_tunnel *tunnel, struct list_head *dead);

/* ctl/worker.c */
void mptun_worker(struct work_struct *work);

/* ctl/mtu.c */
u64 mptun_mtu_follow(struct mptun_tunnel *tunnel, u64 now);
int mptun_mtu_set(struct net_device *dev, u32 mtu,
		  struct netlink_ext_ack *extack);
void mptun_mtu_work(struct work_struct *work);

/* ctl/netns.c */
int mptun_net_init(void);
void mptun_net_exit(void);

/* ctl/notifier.c */
void mptun_notifier_net_init(struct mptun_net *mn);
void mptun_notifier_net_exit(struct mptun_net *mn);
void mptun_notifier_net_follow(struct mptun_net *mn);
int mptun_notifier_init(void);
void mptun_notifier_exit(void);

/* ctl/snapshot.c */
int mptun_snapshot_init(void);
void mptun_snapshot_exit(void);

/* ctl/path_timer.c */
enum hrtimer_restart mptun_timer_fired(struct hrtimer *timer);

#endif /* _MPTUN_CTL_CTL_H */
