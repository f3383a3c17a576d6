// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Generic netlink: the family, and the commands for tunnels.
 *
 * Documentation/netlink/specs/mptun.yaml describes the interface.  The policies
 * generated from it have checked each single value before a command is called.
 * A command holds mptun_tunnel.lock of the tunnel it names.
 */
#include <net/genetlink.h>
#include <net/netlink.h>

#include "core/event.h"
#include "core/tunnel.h"
#include "ctl/ctl.h"
#include "ctl/netlink.h"
#include "ctl/policy-gen.h"

static_assert((int)MPTUN_A_TUNNEL_IFINDEX == (int)MPTUN_A_PATH_IFINDEX);
static_assert((int)MPTUN_A_TUNNEL_IFNAME == (int)MPTUN_A_PATH_IFNAME);
static_assert((int)MPTUN_A_TUNNEL_IFINDEX == (int)MPTUN_A_CLASS_IFINDEX);
static_assert((int)MPTUN_A_TUNNEL_IFNAME == (int)MPTUN_A_CLASS_IFNAME);

struct genl_family mptun_netlink_family __ro_after_init = {
	.name = MPTUN_FAMILY_NAME,
	.version = MPTUN_FAMILY_VERSION,
	.netnsok = true,
	.parallel_ops = true,
	.module = THIS_MODULE,
	.ops = mptun_nl_ops,
	.n_ops = ARRAY_SIZE(mptun_nl_ops),
	.resv_start_op = MPTUN_CMD_TUNNEL_GET,
	.mcgrps = mptun_nl_mcgrps,
	.n_mcgrps = ARRAY_SIZE(mptun_nl_mcgrps),
};

/**
 * mptun_netlink_get() - find and lock the tunnel named in a request
 * @net: namespace of the request
 * @attrs: attributes of the request
 * @tracker: for the reference to its device
 * @extack: error message
 *
 * Return: the tunnel, for mptun_netlink_put(), or an ERR_PTR.
 */
struct mptun_tunnel *mptun_netlink_get(struct net *net, struct nlattr **attrs,
				       netdevice_tracker *tracker,
				       struct netlink_ext_ack *extack)
{
	struct nlattr *index = attrs[MPTUN_A_TUNNEL_IFINDEX];
	struct nlattr *name = attrs[MPTUN_A_TUNNEL_IFNAME];
	struct mptun_tunnel *tunnel;
	struct net_device *dev;

	if (!index == !name) {
		NL_SET_ERR_MSG(extack,
			       "name the tunnel by either ifindex or ifname");
		return ERR_PTR(-EINVAL);
	}
	if (index)
		dev = netdev_get_by_index(net, nla_get_u32(index), tracker,
					  GFP_KERNEL);
	else
		dev = netdev_get_by_name(net, nla_data(name), tracker,
					 GFP_KERNEL);
	if (!dev) {
		NL_SET_ERR_MSG_ATTR(extack, index ?: name, "no such device");
		return ERR_PTR(-ENODEV);
	}
	tunnel = netdev_priv(dev);
	if (mptun_device_is(dev)) {
		mutex_lock(&tunnel->lock);
		if (!tunnel->unlinked &&
		    mptun_compat_reg_state(dev) == NETREG_REGISTERED)
			return tunnel;
		mutex_unlock(&tunnel->lock);
	}
	NL_SET_ERR_MSG_ATTR(extack, index ?: name,
			    "the device is not a multipath tunnel");
	netdev_put(dev, tracker);
	return ERR_PTR(-EOPNOTSUPP);
}

/**
 * mptun_netlink_info_get() - find and lock the tunnel named in a command
 * @info: the command
 * @tracker: for the reference to its device
 *
 * Return: the tunnel, for mptun_netlink_put(), or an ERR_PTR.
 */
struct mptun_tunnel *mptun_netlink_info_get(struct genl_info *info,
					    netdevice_tracker *tracker)
{
	return mptun_netlink_get(genl_info_net(info), info->attrs, tracker,
				 info->extack);
}

/**
 * mptun_netlink_put() - undo mptun_netlink_get()
 * @tunnel: the tunnel
 * @tracker: tracker of the reference
 */
void mptun_netlink_put(struct mptun_tunnel *tunnel, netdevice_tracker *tracker)
{
	mutex_unlock(&tunnel->lock);
	netdev_put(tunnel->dev, tracker);
}

/**
 * mptun_netlink_reply() - reply to a request for one object of a tunnel
 * @skb: the request
 * @info: its attributes
 * @fill: fills the reply
 *
 * Return: 0 or a negative error.
 */
int mptun_netlink_reply(struct sk_buff *skb, struct genl_info *info,
			mptun_netlink_filler *fill)
{
	struct mptun_tunnel *tunnel;
	netdevice_tracker tracker;
	struct sk_buff *reply;
	int err;

	reply = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (!reply)
		return -ENOMEM;
	tunnel = mptun_netlink_info_get(info, &tracker);
	if (IS_ERR(tunnel)) {
		nlmsg_free(reply);
		return PTR_ERR(tunnel);
	}
	err = fill(reply, tunnel, info,
		   netlink_net_capable(skb, CAP_NET_ADMIN));
	mptun_netlink_put(tunnel, &tracker);
	if (err) {
		nlmsg_free(reply);
		return err;
	}
	return genlmsg_reply(reply, info);
}

static int mptun_netlink_reply_tunnel(struct sk_buff *reply,
				      struct mptun_tunnel *tunnel,
				      struct genl_info *info, bool admin)
{
	return mptun_netlink_fill_tunnel(reply, tunnel, info->snd_portid,
					 info->snd_seq, 0,
					 MPTUN_CMD_TUNNEL_GET, admin);
}

/**
 * mptun_nl_tunnel_get_doit() - report one tunnel
 * @skb: the request
 * @info: its attributes
 *
 * Return: 0 or a negative error.
 */
int mptun_nl_tunnel_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return mptun_netlink_reply(skb, info, mptun_netlink_reply_tunnel);
}

/**
 * mptun_nl_tunnel_get_dumpit() - report all tunnels of the namespace
 * @skb: message to append to
 * @cb: state of the dump
 *
 * Return: length of the message, or a negative error.
 */
int mptun_nl_tunnel_get_dumpit(struct sk_buff *skb,
			       struct netlink_callback *cb)
{
	bool admin = netlink_net_capable(cb->skb, CAP_NET_ADMIN);
	struct net *net = sock_net(skb->sk);
	struct net_device *dev;
	int err = 0, index = 0;

	/* The list of devices may change between the parts of a dump. */
	rtnl_lock();
	cb->seq = net->dev_base_seq;
	for_each_netdev(net, dev) {
		struct mptun_tunnel *tunnel = netdev_priv(dev);

		if (!mptun_device_is(dev) || index++ < cb->args[0])
			continue;
		mutex_lock(&tunnel->lock);
		err = mptun_netlink_fill_tunnel(skb, tunnel,
						NETLINK_CB(cb->skb).portid,
						cb->nlh->nlmsg_seq,
						NLM_F_MULTI,
						MPTUN_CMD_TUNNEL_GET, admin);
		mutex_unlock(&tunnel->lock);
		if (err)
			break;
		nl_dump_check_consistent(cb, nlmsg_hdr(skb));
		cb->args[0] = index;
	}
	rtnl_unlock();
	return skb->len ?: err;
}

static int mptun_netlink_dump_all(struct sk_buff *skb,
				  struct netlink_callback *cb,
				  mptun_netlink_dumper *dumper)
{
	struct net *net = sock_net(skb->sk);
	struct mptun_tunnel *tunnel;
	struct net_device *dev;
	int err = 0, index = 0;
	u32 generation;

	rtnl_lock();
	/* The number of changes of devices, paths and classes so far */
	generation = net->dev_base_seq;
	for_each_netdev(net, dev) {
		tunnel = netdev_priv(dev);
		if (mptun_device_is(dev))
			generation += READ_ONCE(tunnel->generation);
	}
	cb->seq = generation ?: 1;
	for_each_netdev(net, dev) {
		tunnel = netdev_priv(dev);
		if (!mptun_device_is(dev))
			continue;
		mutex_lock(&tunnel->lock);
		err = dumper(skb, cb, tunnel, &index);
		mutex_unlock(&tunnel->lock);
		if (err)
			break;
	}
	rtnl_unlock();
	return skb->len ?: err;
}

/**
 * mptun_netlink_dump() - report objects of one tunnel, or of all tunnels
 * @skb: message to append to
 * @cb: state of the dump
 * @dumper: appends the objects of a tunnel
 *
 * Return: length of the message, or a negative error.
 */
int mptun_netlink_dump(struct sk_buff *skb, struct netlink_callback *cb,
		       mptun_netlink_dumper *dumper)
{
	struct nlattr **attrs = mptun_compat_dump_attrs(cb);
	struct mptun_tunnel *tunnel;
	netdevice_tracker tracker;
	int err, index = 0;

	if (!attrs[MPTUN_A_TUNNEL_IFINDEX] && !attrs[MPTUN_A_TUNNEL_IFNAME])
		return mptun_netlink_dump_all(skb, cb, dumper);
	tunnel = mptun_netlink_get(sock_net(skb->sk), attrs, &tracker,
				   cb->extack);
	if (IS_ERR(tunnel))
		return PTR_ERR(tunnel);
	cb->seq = tunnel->generation ?: 1;
	err = dumper(skb, cb, tunnel, &index);
	mptun_netlink_put(tunnel, &tracker);
	return skb->len ?: err;
}

/**
 * mptun_nl_tunnel_set_doit() - change settings of a tunnel
 * @skb: the request
 * @info: its attributes
 *
 * Return: 0 or a negative error.
 */
int mptun_nl_tunnel_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct mptun_config_request settings = {
		.sched = info->attrs[MPTUN_A_TUNNEL_SCHED],
		.cc = info->attrs[MPTUN_A_TUNNEL_CC],
		.reorder = info->attrs[MPTUN_A_TUNNEL_REORDER],
		.hold = info->attrs[MPTUN_A_TUNNEL_HOLD],
		.buffer = info->attrs[MPTUN_A_TUNNEL_BUFFER],
		.psmc_factor = info->attrs[MPTUN_A_TUNNEL_PSMC_FACTOR],
		.psmc_period = info->attrs[MPTUN_A_TUNNEL_PSMC_PERIOD],
		.learn = info->attrs[MPTUN_A_TUNNEL_LEARN],
		.follow = info->attrs[MPTUN_A_TUNNEL_FOLLOW],
		.key = info->attrs[MPTUN_A_TUNNEL_KEY],
		.grace = info->attrs[MPTUN_A_TUNNEL_KEY_GRACE],
		.rekey = info->attrs[MPTUN_A_TUNNEL_REKEY],
		.dscp = info->attrs[MPTUN_A_TUNNEL_DSCP],
		.park = info->attrs[MPTUN_A_TUNNEL_PARK],
		.auto_group = info->attrs[MPTUN_A_TUNNEL_AUTO_GROUP],
		.fwmark = info->attrs[MPTUN_A_TUNNEL_FWMARK],
		.allowed = info->attrs[MPTUN_A_TUNNEL_ALLOWED_IPS],
		.mtu = info->attrs[MPTUN_A_TUNNEL_MTU],
		.frag = info->attrs[MPTUN_A_TUNNEL_FRAG],
		.mss_clamp = info->attrs[MPTUN_A_TUNNEL_MSS_CLAMP],
	};
	struct mptun_tunnel *tunnel;
	netdevice_tracker tracker;
	struct nlattr *attr;
	int err, len;

	/* It also keeps the device. */
	if (settings.mtu)
		rtnl_lock();
	tunnel = mptun_netlink_info_get(info, &tracker);
	if (IS_ERR(tunnel)) {
		err = PTR_ERR(tunnel);
	} else {
		err = mptun_config_change(tunnel, &settings, info->extack);
		mptun_netlink_put(tunnel, &tracker);
	}
	if (!err && settings.mtu)
		err = mptun_mtu_set(tunnel->dev, nla_get_u32(settings.mtu),
				    info->extack);
	if (settings.mtu)
		rtnl_unlock();
	/* Wipe all keys; the last one was used. */
	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, len)
		if (nla_type(attr) == MPTUN_A_TUNNEL_KEY)
			memzero_explicit(nla_data(attr), nla_len(attr));
	return err;
}

/**
 * mptun_netlink_init() - register the family
 *
 * Return: 0 or a negative error.
 */
int __init mptun_netlink_init(void)
{
	mptun_event_setup(&mptun_netlink_event_ops);
	return genl_register_family(&mptun_netlink_family);
}

/**
 * mptun_netlink_exit() - unregister the family
 */
void mptun_netlink_exit(void)
{
	genl_unregister_family(&mptun_netlink_family);
}
