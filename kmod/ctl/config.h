/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Settings of a tunnel that can be changed at any time.
 */
#ifndef _MPTUN_SETTINGS_H
#define _MPTUN_SETTINGS_H

struct mptun_tunnel;
struct mptun_tunnel_config;
struct netlink_ext_ack;
struct nlattr;

/* Limits of the memory of packets that wait, in bytes; as in the netlink
 * specification.
 */
#define MPTUN_BUFFER_MIN	65536
#define MPTUN_BUFFER_MAX	268435456

/* Limits of the time between changes of keys, in seconds; likewise. */
#define MPTUN_REKEY_MIN_S	1
#define MPTUN_REKEY_MAX_S	86400

/**
 * struct mptun_settings - attributes of a request, each NULL if absent
 * @sched: name of the scheduler
 * @cc: name of the congestion controller
 * @reorder: u32, &enum mptun_reorder_mode
 * @hold: u32, hold time in us
 * @buffer: u32, memory of packets that wait, in bytes
 * @learn: u8, accept paths the peer opens
 * @key: MPTUN_KEY_LEN bytes, key shared with the peer
 * @grace: u32, for how long the key before is still accepted, in seconds
 * @rekey: u32, time after which a session gets new keys, in seconds
 * @dscp: u32, DSCP of outer packets, or MPTUN_DSCP_INHERIT
 * @park: u32, one part in so many makes a path bad, 0 for never
 * @auto_group: u8, find out which paths share a bottleneck
 *
 * The same whether they come by rtnetlink or by generic netlink, their values
 * checked against a policy.
 */
struct mptun_settings {
	const struct nlattr *sched;
	const struct nlattr *cc;
	const struct nlattr *reorder;
	const struct nlattr *hold;
	const struct nlattr *buffer;
	const struct nlattr *learn;
	const struct nlattr *key;
	const struct nlattr *grace;
	const struct nlattr *rekey;
	const struct nlattr *dscp;
	const struct nlattr *park;
	const struct nlattr *auto_group;
};

void mptun_settings_default(struct mptun_tunnel_config *config);
int mptun_settings_check(const struct mptun_tunnel_config *config,
			 const struct mptun_settings *settings,
			 struct netlink_ext_ack *extack);
int mptun_settings_first(struct mptun_tunnel *tunnel,
			 const struct mptun_settings *settings);
int mptun_settings_change(struct mptun_tunnel *tunnel,
			  const struct mptun_settings *settings,
			  struct netlink_ext_ack *extack);

#endif /* _MPTUN_SETTINGS_H */
