/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Generic netlink: commands, replies and events.
 */
#ifndef _MPTUN_NETLINK_H
#define _MPTUN_NETLINK_H

#include <linux/mptun.h>
#include <linux/netdevice.h>
#include <linux/types.h>

struct genl_family;
struct genl_info;
struct mptun_event_ops;
struct mptun_path;
struct mptun_tunnel;
struct net;
struct netlink_callback;
struct netlink_ext_ack;
struct nlattr;
struct sk_buff;

extern struct genl_family mptun_netlink_family;

/**
 * typedef mptun_netlink_dumper - append messages about objects of a tunnel
 * @skb: message to append to
 * @cb: state of the dump; args[0] is the number of objects appended before
 * @tunnel: the tunnel, locked
 * @index: index of the first object, advanced
 *
 * Return: 0, or -EMSGSIZE if there is no room.
 */
typedef int mptun_netlink_dumper(struct sk_buff *skb,
				 struct netlink_callback *cb,
				 struct mptun_tunnel *tunnel, int *index);

/**
 * typedef mptun_netlink_filler - fills the reply to a request for one object
 * @reply: message to fill
 * @tunnel: the tunnel, locked
 * @info: attributes of the request
 * @admin: the requester administrates the network
 *
 * Return: 0 or a negative error.
 */
typedef int mptun_netlink_filler(struct sk_buff *reply,
				 struct mptun_tunnel *tunnel,
				 struct genl_info *info, bool admin);

struct mptun_tunnel *mptun_netlink_get(struct net *net, struct nlattr **attrs,
				       netdevice_tracker *tracker,
				       struct netlink_ext_ack *extack);
struct mptun_tunnel *mptun_netlink_info_get(struct genl_info *info,
					    netdevice_tracker *tracker);
void mptun_netlink_put(struct mptun_tunnel *tunnel,
		       netdevice_tracker *tracker);
int mptun_netlink_reply(struct sk_buff *skb, struct genl_info *info,
			mptun_netlink_filler *fill);
int mptun_netlink_dump(struct sk_buff *skb, struct netlink_callback *cb,
		       mptun_netlink_dumper *dumper);

/**
 * struct mptun_netlink_figure - one u64 attribute of a nest
 * @type: attribute
 * @value: its value
 */
struct mptun_netlink_figure {
	int type;
	u64 value;
};

/* ctl/netlink_fill.c */
int mptun_netlink_put_figures(struct sk_buff *skb, int pad,
			      const struct mptun_netlink_figure *figure,
			      unsigned int n);
int mptun_netlink_fill_tunnel(struct sk_buff *skb,
			      struct mptun_tunnel *tunnel, u32 portid,
			      u32 seq, int flags, u8 cmd, bool admin);

/* ctl/netlink_fill_path.c */
int mptun_netlink_fill_path(struct sk_buff *skb, struct mptun_path *path,
			    u32 portid, u32 seq, int flags, u8 cmd,
			    int old_state, bool admin);

/* ctl/netlink_event.c */
extern const struct mptun_event_ops mptun_netlink_event_ops;

int mptun_netlink_init(void);
void mptun_netlink_exit(void);

#endif /* _MPTUN_NETLINK_H */
