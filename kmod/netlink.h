/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Generic netlink: the control plane of paths and settings.
 */
#ifndef _MPTUN_NETLINK_H
#define _MPTUN_NETLINK_H

#include <linux/mptun.h>
#include <linux/types.h>

struct genl_family;
struct mptun_path;
struct mptun_tunnel;
struct sk_buff;

extern struct genl_family mptun_netlink_family;

/* netlink_fill.c */
int mptun_netlink_fill_tunnel(struct sk_buff *skb,
			      struct mptun_tunnel *tunnel, u32 portid,
			      u32 seq, int flags, u8 cmd);
int mptun_netlink_fill_path(struct sk_buff *skb, struct mptun_path *path,
			    u32 portid, u32 seq, int flags, u8 cmd,
			    int old_state);

/* netlink_event.c */
void mptun_netlink_path_added(struct mptun_path *path);
void mptun_netlink_path_event(struct mptun_path *path,
			      enum mptun_path_state old);
void mptun_netlink_path_deleted(struct mptun_path *path);
void mptun_netlink_tunnel_event(struct mptun_tunnel *tunnel);

int mptun_netlink_init(void);
void mptun_netlink_exit(void);

#endif /* _MPTUN_NETLINK_H */
