// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Generic netlink: the commands for paths.
 *
 * A request is merged into the settings of the path, or into the defaults, and
 * combinations of values are checked before anything is changed.
 */
#include <net/genetlink.h>
#include <net/ipv6.h>
#include <net/netlink.h>

#include "cc/cc.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "ctl/netlink.h"
#include "ctl/policy-gen.h"
#include "path/path.h"
#include "tx/tx.h"

/* Parses an address given by one of two attributes, if any. */
static int mptun_netlink_addr(struct genl_info *info, int type4, int type6,
			      sa_family_t *family, union mptun_addr *addr)
{
	struct nlattr *v4 = info->attrs[type4], *v6 = info->attrs[type6];

	if (!v4 && !v6)
		return 0;
	memset(addr, 0, sizeof(*addr));
	if (v4 && v6) {
		NL_SET_ERR_MSG_ATTR(info->extack, v6,
				    "an address is either IPv4 or IPv6");
		return -EINVAL;
	}
	*family = v4 ? AF_INET : AF_INET6;
	if (v4)
		addr->v4 = nla_get_in_addr(v4);
	else
		addr->v6 = nla_get_in6_addr(v6);
	return 0;
}

static bool mptun_netlink_addr_unusable(sa_family_t family,
					const union mptun_addr *addr)
{
	if (family == AF_INET)
		return !addr->v4 || ipv4_is_multicast(addr->v4) ||
		       ipv4_is_lbcast(addr->v4);
	return ipv6_addr_any(&addr->v6) || ipv6_addr_is_multicast(&addr->v6) ||
	       ipv6_addr_v4mapped(&addr->v6);
}

static int mptun_netlink_addrs(struct genl_info *info,
			       struct mptun_path_config *c)
{
	sa_family_t local_family = c->family, old_family = c->family;
	int err;

	err = mptun_netlink_addr(info, MPTUN_A_PATH_REMOTE4,
				 MPTUN_A_PATH_REMOTE6, &c->family, &c->remote);
	if (err)
		return err;
	if (c->family != old_family)
		memset(&c->local, 0, sizeof(c->local));
	local_family = c->family;
	err = mptun_netlink_addr(info, MPTUN_A_PATH_LOCAL4,
				 MPTUN_A_PATH_LOCAL6, &local_family,
				 &c->local);
	if (err)
		return err;
	if (!c->family) {
		NL_SET_ERR_MSG(info->extack,
			       "a path needs a remote address");
		return -EINVAL;
	}
	if (mptun_netlink_addr_unusable(c->family, &c->remote)) {
		NL_SET_ERR_MSG(info->extack,
			       "remote must be the address of one host");
		return -EINVAL;
	}
	if (local_family != c->family) {
		NL_SET_ERR_MSG(info->extack,
			       "local and remote must be of one family");
		return -EINVAL;
	}
	return 0;
}

static int mptun_netlink_scope(struct genl_info *info,
			       struct mptun_path_config *c)
{
	bool link_local = c->family == AF_INET6 &&
			  ipv6_addr_type(&c->remote.v6) & IPV6_ADDR_LINKLOCAL;

	struct nlattr *scope = info->attrs[MPTUN_A_PATH_REMOTE_SCOPE];

	if (scope && !link_local) {
		NL_SET_ERR_MSG_ATTR(info->extack, scope,
				    "only a link-local remote has a scope");
		return -EINVAL;
	}
	/* A learned path has that of its VRF, until it leads elsewhere. */
	if (!link_local && (info->attrs[MPTUN_A_PATH_REMOTE4] ||
			    info->attrs[MPTUN_A_PATH_REMOTE6]))
		c->scope = 0;
	if (scope)
		c->scope = nla_get_u32(scope);
	if (link_local && !c->scope && !c->dev[0]) {
		NL_SET_ERR_MSG(info->extack,
			       "a link-local remote needs dev or a scope");
		return -EINVAL;
	}
	return 0;
}

/* Bytes per second, from an attribute in bits per second. */
static u64 mptun_netlink_rate(const struct nlattr *attr)
{
	u64 bits = nla_get_u64(attr);

	return bits / 8 + !!(bits % 8);
}

static int mptun_netlink_numbers(struct genl_info *info,
				 struct mptun_path_config *c)
{
	struct nlattr **attrs = info->attrs;

	if (attrs[MPTUN_A_PATH_REMOTE_PORT])
		c->remote_port = nla_get_u16(attrs[MPTUN_A_PATH_REMOTE_PORT]);
	if (attrs[MPTUN_A_PATH_LOCAL_PORT])
		c->local_port = nla_get_u16(attrs[MPTUN_A_PATH_LOCAL_PORT]);
	if (attrs[MPTUN_A_PATH_WEIGHT])
		c->weight = nla_get_u32(attrs[MPTUN_A_PATH_WEIGHT]);
	if (attrs[MPTUN_A_PATH_PRIORITY])
		c->priority = nla_get_u32(attrs[MPTUN_A_PATH_PRIORITY]);
	if (attrs[MPTUN_A_PATH_SPILL])
		c->spill_us = nla_get_u32(attrs[MPTUN_A_PATH_SPILL]);
	if (attrs[MPTUN_A_PATH_BACKUP])
		c->backup = nla_get_u8(attrs[MPTUN_A_PATH_BACKUP]);
	if (attrs[MPTUN_A_PATH_CAP])
		c->cap = nla_get_u64(attrs[MPTUN_A_PATH_CAP]);
	if (attrs[MPTUN_A_PATH_CAP_ACTION])
		c->cap_action = nla_get_u32(attrs[MPTUN_A_PATH_CAP_ACTION]);
	if (attrs[MPTUN_A_PATH_MTU])
		c->mtu = nla_get_u32(attrs[MPTUN_A_PATH_MTU]);
	if (attrs[MPTUN_A_PATH_RATE])
		c->rate = mptun_netlink_rate(attrs[MPTUN_A_PATH_RATE]);
	if (attrs[MPTUN_A_PATH_RATE_DOWN])
		c->rate_down =
			mptun_netlink_rate(attrs[MPTUN_A_PATH_RATE_DOWN]);
	if (attrs[MPTUN_A_PATH_ENABLED])
		c->enabled = nla_get_u8(attrs[MPTUN_A_PATH_ENABLED]);
	if (attrs[MPTUN_A_PATH_KEEPALIVE])
		c->keepalive = nla_get_u32(attrs[MPTUN_A_PATH_KEEPALIVE]);
	if (attrs[MPTUN_A_PATH_GROUP])
		c->group = nla_get_u32(attrs[MPTUN_A_PATH_GROUP]);
	if (attrs[MPTUN_A_PATH_FWMARK])
		c->fwmark = nla_get_u32(attrs[MPTUN_A_PATH_FWMARK]);
	if (c->mtu && c->mtu < IPV6_MIN_MTU) {
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[MPTUN_A_PATH_MTU],
				    "mtu is 0 or at least 1280 bytes");
		return -ERANGE;
	}
	return 0;
}

static int mptun_netlink_cc(struct genl_info *info, struct mptun_tunnel *tunnel,
			    struct mptun_path_config *c)
{
	struct nlattr *cc = info->attrs[MPTUN_A_PATH_CC];

	if (cc)
		nla_strscpy(c->cc, cc, sizeof(c->cc));
	if (c->cc[0] && !mptun_cc_find(c->cc)) {
		NL_SET_ERR_MSG_ATTR(info->extack, cc,
				    "no congestion controller of this name");
		return -ENOENT;
	}
	if (!strcmp(c->cc[0] ? c->cc : tunnel->config.cc, "fixed") &&
	    !c->rate) {
		NL_SET_ERR_MSG(info->extack,
			       "controller fixed needs a rate");
		return -EINVAL;
	}
	return 0;
}

/* Warns of a setting that was applied, and has no effect at this end now. */
static void mptun_netlink_idle(struct mptun_tunnel *tunnel,
			       struct genl_info *info,
			       const struct mptun_path_config *c)
{
	struct nlattr *weight = info->attrs[MPTUN_A_PATH_WEIGHT];
	struct nlattr *group = info->attrs[MPTUN_A_PATH_GROUP];
	struct mptun_path *path;

	if (weight && c->weight != MPTUN_DEFAULT_WEIGHT &&
	    !tunnel->tx.sched.ops->weighs)
		NL_SET_ERR_MSG_ATTR(info->extack, weight,
				    "only schedulers wrr, wrr-auto and flow use a weight");
	if (!group || !c->group)
		return;
	list_for_each_entry(path, &tunnel->paths, list)
		if (mptun_cc_find(mptun_path_cc_name(path))->couples)
			return;
	NL_SET_ERR_MSG_ATTR(info->extack, group,
			    "only controllers lia and residual use a group");
}

/* Merges a request into the settings of a path. */
static int mptun_netlink_path_config(struct genl_info *info,
				     struct mptun_tunnel *tunnel,
				     struct mptun_path_config *c)
{
	struct nlattr *dev = info->attrs[MPTUN_A_PATH_DEV];

	if (dev)
		nla_strscpy(c->dev, dev, sizeof(c->dev));
	if (c->dev[0] && !dev_valid_name(c->dev)) {
		NL_SET_ERR_MSG_ATTR(info->extack, dev,
				    "not a valid name of a device");
		return -EINVAL;
	}
	return mptun_netlink_addrs(info, c) ?:
	       mptun_netlink_scope(info, c) ?:
	       mptun_netlink_numbers(info, c) ?:
	       mptun_netlink_cc(info, tunnel, c);
}

static int mptun_netlink_name(struct genl_info *info,
			      struct mptun_path_config *c)
{
	struct nlattr *name = info->attrs[MPTUN_A_PATH_NAME];

	if (!name) {
		NL_SET_ERR_MSG(info->extack, "name the path");
		return -EINVAL;
	}
	nla_strscpy(c->name, name, sizeof(c->name));
	/* The same rules as for devices: no space, slash or colon. */
	if (!dev_valid_name(c->name)) {
		NL_SET_ERR_MSG_ATTR(info->extack, name,
				    "not a valid name of a path");
		return -EINVAL;
	}
	return 0;
}

/* Paths open ports and use devices of the transport namespace, so its privilege
 * is required even if the device was moved to another namespace.
 */
static int mptun_netlink_capable(struct sk_buff *skb, struct genl_info *info,
				 const struct mptun_tunnel *tunnel)
{
	lockdep_assert_held(&tunnel->lock);
	if (!tunnel->net ||
	    netlink_ns_capable(skb, tunnel->net->user_ns, CAP_NET_ADMIN))
		return 0;
	NL_SET_ERR_MSG(info->extack,
		       "paths need CAP_NET_ADMIN in the namespace of the sockets");
	return -EPERM;
}

/* Applies the cap of a path and its reported use.  Looks the path up again, as
 * another one may have taken over its name.  The peer gets the settings of a
 * path of ours; those of a learned path last until it is deleted here.
 */
static void mptun_netlink_keep(struct mptun_tunnel *tunnel, const char *name,
			       struct genl_info *info)
{
	const struct nlattr *attr = info->attrs[MPTUN_A_PATH_USED];
	struct mptun_path *path = mptun_path_find(tunnel, name);
	u64 given = 0, used = attr ? nla_get_u64(attr) : 0;
	unsigned int i;

	if (!path)
		return;
	/* Up to the last attribute that requests have: there is no room for
	 * others.
	 */
	for (i = MPTUN_A_PATH_NAME + 1; i <= MPTUN_A_PATH_RATE_DOWN; i++)
		if (info->attrs[i])
			given |= BIT_ULL(i);
	mptun_override_set(path, given);
	mptun_path_cap_set(path, attr ? &used : NULL);
	mptun_tunnel_kick(tunnel);
}

/**
 * mptun_nl_path_new_doit() - add a path
 * @skb: the request
 * @info: its attributes
 *
 * Return: 0 or a negative error.
 */
int mptun_nl_path_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct mptun_path_config config = {
		.remote_port = MPTUN_PORT_DEFAULT,
		.weight = MPTUN_WEIGHT_DEFAULT,
		.spill_us = MPTUN_SPILL_OFF,
		.enabled = true,
	};
	struct mptun_tunnel *tunnel;
	netdevice_tracker tracker;
	struct mptun_path *path;
	int err;

	err = mptun_netlink_name(info, &config);
	if (err)
		return err;
	tunnel = mptun_netlink_info_get(info, &tracker);
	if (IS_ERR(tunnel))
		return PTR_ERR(tunnel);
	config.local_port = tunnel->config.port;
	err = mptun_netlink_capable(skb, info, tunnel) ?:
	      mptun_netlink_path_config(info, tunnel, &config);
	if (err)
		goto out;
	path = mptun_path_create(tunnel, &config, false, info->extack);
	if (IS_ERR(path)) {
		err = PTR_ERR(path);
		goto out;
	}
	mptun_netlink_keep(tunnel, config.name, info);
	mptun_path_open(path);
	mptun_netlink_idle(tunnel, info, &config);
out:
	mptun_netlink_put(tunnel, &tracker);
	return err;
}

/* Finds the path named in a request. */
static struct mptun_path *mptun_netlink_path(struct mptun_tunnel *tunnel,
					     struct genl_info *info)
{
	struct nlattr *name = info->attrs[MPTUN_A_PATH_NAME];
	struct mptun_path *path;

	if (!name) {
		NL_SET_ERR_MSG(info->extack, "name the path");
		return ERR_PTR(-EINVAL);
	}
	path = mptun_path_find(tunnel, nla_data(name));
	if (!path) {
		NL_SET_ERR_MSG_ATTR(info->extack, name,
				    "no path of this name");
		return ERR_PTR(-ENOENT);
	}
	return path;
}

/**
 * mptun_nl_path_set_doit() - change a path
 * @skb: the request
 * @info: its attributes
 *
 * Return: 0 or a negative error.
 */
int mptun_nl_path_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct mptun_path_config config;
	struct mptun_tunnel *tunnel;
	netdevice_tracker tracker;
	struct mptun_path *path;
	int err;

	tunnel = mptun_netlink_info_get(info, &tracker);
	if (IS_ERR(tunnel))
		return PTR_ERR(tunnel);
	path = mptun_netlink_path(tunnel, info);
	if (IS_ERR(path)) {
		err = PTR_ERR(path);
		goto out;
	}
	config = path->config;
	err = mptun_netlink_capable(skb, info, tunnel) ?:
	      mptun_netlink_path_config(info, tunnel, &config) ?:
	      mptun_override_reserve(path) ?:
	      mptun_path_configure(path, &config, info->extack);
	if (err)
		goto out;
	mptun_netlink_keep(tunnel, config.name, info);
	mptun_netlink_idle(tunnel, info, &config);
	/* There may be room now that no acknowledgment would announce. */
	mptun_enter();
	mptun_place_ready(tunnel);
	mptun_leave();
out:
	mptun_netlink_put(tunnel, &tracker);
	return err;
}

/**
 * mptun_nl_path_del_doit() - delete a path
 * @skb: the request
 * @info: its attributes
 *
 * Return: 0 or a negative error.
 */
int mptun_nl_path_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *name = info->attrs[MPTUN_A_PATH_NAME];
	struct mptun_tunnel *tunnel;
	netdevice_tracker tracker;
	struct mptun_path *path;
	LIST_HEAD(dead);
	int err;

	tunnel = mptun_netlink_info_get(info, &tracker);
	if (IS_ERR(tunnel))
		return PTR_ERR(tunnel);
	err = mptun_netlink_capable(skb, info, tunnel);
	if (err)
		goto out;
	/* Settings of a learned path, which may not exist now */
	if (name && mptun_override_forget(tunnel, nla_data(name)) &&
	    !mptun_path_find(tunnel, nla_data(name)))
		goto out;
	path = mptun_netlink_path(tunnel, info);
	if (IS_ERR(path))
		err = PTR_ERR(path);
	else
		mptun_delete_path(path, &dead);
out:
	mutex_unlock(&tunnel->lock);
	mptun_delete_free(&dead);
	netdev_put(tunnel->dev, &tracker);
	return err;
}

static int mptun_netlink_reply_path(struct sk_buff *reply,
				    struct mptun_tunnel *tunnel,
				    struct genl_info *info, bool admin)
{
	struct mptun_path *path = mptun_netlink_path(tunnel, info);

	if (IS_ERR(path))
		return PTR_ERR(path);
	return mptun_netlink_fill_path(reply, path, info->snd_portid,
				       info->snd_seq, 0, MPTUN_CMD_PATH_GET,
				       -1, admin);
}

/**
 * mptun_nl_path_get_doit() - report one path
 * @skb: the request
 * @info: its attributes
 *
 * Return: 0 or a negative error.
 */
int mptun_nl_path_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return mptun_netlink_reply(skb, info, mptun_netlink_reply_path);
}

/* Appends the paths of one tunnel that have not been dumped yet. */
static int mptun_netlink_dump_paths(struct sk_buff *skb,
				    struct netlink_callback *cb,
				    struct mptun_tunnel *tunnel, int *index)
{
	bool admin = netlink_net_capable(cb->skb, CAP_NET_ADMIN);
	struct mptun_path *path;
	int err;

	lockdep_assert_held(&tunnel->lock);
	list_for_each_entry(path, &tunnel->paths, list) {
		if ((*index)++ < cb->args[0])
			continue;
		err = mptun_netlink_fill_path(skb, path,
					      NETLINK_CB(cb->skb).portid,
					      cb->nlh->nlmsg_seq, NLM_F_MULTI,
					      MPTUN_CMD_PATH_GET, -1, admin);
		if (err)
			return err;
		nl_dump_check_consistent(cb, nlmsg_hdr(skb));
		cb->args[0] = *index;
	}
	return 0;
}

/**
 * mptun_nl_path_get_dumpit() - report paths of one tunnel, or of all tunnels
 * @skb: message to append to
 * @cb: state of the dump
 *
 * Return: length of the message, or a negative error.
 */
int mptun_nl_path_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return mptun_netlink_dump(skb, cb, mptun_netlink_dump_paths);
}
