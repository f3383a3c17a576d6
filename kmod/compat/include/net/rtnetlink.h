/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Before v6.15 newlink() took its parameters one by one.  MPTUN_NEWLINK()
 * makes what such a kernel calls, MPTUN_NEWLINK_OP() names it.
 */
#ifndef _MPTUN_COMPAT_NET_RTNETLINK_H
#define _MPTUN_COMPAT_NET_RTNETLINK_H

#include_next <net/rtnetlink.h>

#ifdef MPTUN_HAVE_NEWLINK_PARAMS
#define MPTUN_NEWLINK(fn)
#define MPTUN_NEWLINK_OP(fn)	fn
#else
struct rtnl_newlink_params {
	struct net *src_net;
	struct nlattr **tb;
	struct nlattr **data;
};

static inline struct net *rtnl_newlink_link_net(struct rtnl_newlink_params *p)
{
	return p->src_net;
}

#define MPTUN_NEWLINK(fn)						\
static int fn##_compat(struct net *src_net, struct net_device *dev,	\
		       struct nlattr *tb[], struct nlattr *data[],	\
		       struct netlink_ext_ack *extack)			\
{									\
	return fn(dev, &(struct rtnl_newlink_params) {			\
			.src_net = src_net, .tb = tb, .data = data,	\
		  }, extack);						\
}

#define MPTUN_NEWLINK_OP(fn)	fn##_compat
#endif

#endif /* _MPTUN_COMPAT_NET_RTNETLINK_H */
