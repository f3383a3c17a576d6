// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Generic netlink: the commands for classes.
 *
 * A request is merged into the settings of the class, or into the defaults, and
 * checked as a whole before anything is changed.  A new policy resets the
 * settings that only the old one has.
 */
#include <linux/in.h>
#include <net/genetlink.h>
#include <net/netlink.h>

#include "core/tunnel.h"
#include "ctl/netlink.h"
#include "ctl/policy-gen.h"
#include "rx/rx.h"
#include "tx/tx.h"

/* A mark without a mask must match in all bits. */
static int mptun_netlink_class_mark(struct genl_info *info,
				    struct mptun_class *c)
{
	struct nlattr *mark = info->attrs[MPTUN_A_CLASS_MARK];
	struct nlattr *mask = info->attrs[MPTUN_A_CLASS_MASK];

	if (mark)
		c->mark = nla_get_u32(mark);
	if (mask)
		c->mask = nla_get_u32(mask);
	else if (mark && !c->mask)
		c->mask = U32_MAX;
	if (!mark && !c->mask)
		c->mark = 0;
	if (c->mark & ~c->mask) {
		NL_SET_ERR_MSG_ATTR(info->extack, mark ?: mask,
				    "mark has bits that mask does not have");
		return -EINVAL;
	}
	return 0;
}

static bool mptun_netlink_class_lacks_ports(u16 protocol)
{
	switch (protocol) {
	case MPTUN_CLASS_ANY_PROTOCOL:
	case IPPROTO_TCP:
	case IPPROTO_UDP:
	case IPPROTO_UDPLITE:
	case IPPROTO_DCCP:
	case IPPROTO_SCTP:
		return false;
	default:
		return true;
	}
}

/* The packets of the class. */
static int mptun_netlink_class_match(struct genl_info *info,
				     struct mptun_class *c)
{
	struct nlattr **attrs = info->attrs;

	if (attrs[MPTUN_A_CLASS_DSCP])
		c->dscp = nla_get_u32(attrs[MPTUN_A_CLASS_DSCP]);
	if (attrs[MPTUN_A_CLASS_PROTOCOL])
		c->protocol = nla_get_u32(attrs[MPTUN_A_CLASS_PROTOCOL]);
	if (attrs[MPTUN_A_CLASS_PORT])
		c->port = nla_get_u16(attrs[MPTUN_A_CLASS_PORT]);
	if (c->port && mptun_netlink_class_lacks_ports(c->protocol)) {
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[MPTUN_A_CLASS_PORT],
				    "packets of this protocol have no ports");
		return -EINVAL;
	}
	if (!c->mask && !c->port && c->dscp == MPTUN_CLASS_ANY_DSCP &&
	    c->protocol == MPTUN_CLASS_ANY_PROTOCOL) {
		NL_SET_ERR_MSG(info->extack,
			       "a class needs a mark, dscp, protocol or port");
		return -EINVAL;
	}
	return 0;
}

static int mptun_netlink_class_pin(struct genl_info *info,
				   struct mptun_class *c)
{
	struct nlattr *strict = info->attrs[MPTUN_A_CLASS_STRICT];
	struct nlattr *path = info->attrs[MPTUN_A_CLASS_PATH];

	if (path)
		nla_strscpy(c->path, path, sizeof(c->path));
	if (strict)
		c->strict = nla_get_u8(strict);
	if (c->policy == MPTUN_CLASS_POLICY_PIN) {
		/* The same rules as for the names of paths. */
		if (dev_valid_name(c->path))
			return 0;
		NL_SET_ERR_MSG_ATTR(info->extack, path,
				    "policy pin needs the name of a path");
		return -EINVAL;
	}
	if (c->path[0]) {
		NL_SET_ERR_MSG_ATTR(info->extack, path,
				    "only policy pin takes a path");
		return -EINVAL;
	}
	if (c->strict) {
		NL_SET_ERR_MSG_ATTR(info->extack, strict,
				    "only policy pin can be strict");
		return -EINVAL;
	}
	return 0;
}

/* Settings that class 0 has as well. */
static int mptun_netlink_class_any(struct genl_info *info,
				   struct mptun_class *c)
{
	struct nlattr *playout = info->attrs[MPTUN_A_CLASS_PLAYOUT];
	struct nlattr *repair = info->attrs[MPTUN_A_CLASS_REPAIR];
	struct nlattr *code = info->attrs[MPTUN_A_CLASS_CODE];

	if (repair)
		c->repair = nla_get_u32(repair);
	if (playout)
		c->playout = nla_get_u8(playout);
	if (!code)
		return 0;
	c->code = nla_get_u32(code);
	if (c->code <= MPTUN_CLASS_CODE_MAX || c->code == MPTUN_CLASS_CODE_OFF)
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, code,
			    "at most 100 repair symbols per 100 packets");
	return -EINVAL;
}

/* How its packets are sent. */
static int mptun_netlink_class_policy(struct genl_info *info,
				      struct mptun_class *c)
{
	struct nlattr *policy = info->attrs[MPTUN_A_CLASS_POLICY];
	struct nlattr *order = info->attrs[MPTUN_A_CLASS_ORDER];
	struct nlattr *paths = info->attrs[MPTUN_A_CLASS_PATHS];
	struct nlattr *rate = info->attrs[MPTUN_A_CLASS_RATE];
	int err;

	if (policy && nla_get_u32(policy) != c->policy) {
		c->policy = nla_get_u32(policy);
		c->paths = MPTUN_CLASS_PATHS_DEFAULT;
		c->strict = false;
		memset(c->path, 0, sizeof(c->path));
	}
	if (order)
		c->order = nla_get_u8(order);
	if (rate)
		c->rate = nla_get_u64(rate) / 8 + !!(nla_get_u64(rate) % 8);
	err = mptun_netlink_class_any(info, c) ?:
	      mptun_netlink_class_pin(info, c);
	if (err || !paths)
		return err;
	c->paths = nla_get_u32(paths);
	if (c->policy == MPTUN_CLASS_POLICY_DUPLICATE)
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, paths,
			    "only policy duplicate takes a number of paths");
	return -EINVAL;
}

/* Class 0 uses the settings of the tunnel otherwise. */
static int mptun_netlink_class_zero(struct genl_info *info,
				    struct mptun_class *c)
{
	unsigned int attr;

	for (attr = MPTUN_A_CLASS_MARK; attr <= MPTUN_A_CLASS_ORDER; attr++) {
		if (!info->attrs[attr])
			continue;
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[attr],
				    "class 0 takes repair, playout and code, nothing else");
		return -EINVAL;
	}
	if (info->attrs[MPTUN_A_CLASS_RATE]) {
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[MPTUN_A_CLASS_RATE],
				    "class 0 takes repair, playout and code, nothing else");
		return -EINVAL;
	}
	return mptun_netlink_class_any(info, c);
}

/* Returns the id of the class in a request, or a negative error. */
static int mptun_netlink_class_id(struct genl_info *info)
{
	struct nlattr *id = info->attrs[MPTUN_A_CLASS_ID];

	if (!id) {
		NL_SET_ERR_MSG(info->extack, "name the class by its id");
		return -EINVAL;
	}
	return nla_get_u32(id);
}

/* Like mptun_netlink_class_id() for a class to be added or deleted. */
static int mptun_netlink_class_own_id(struct genl_info *info)
{
	int id = mptun_netlink_class_id(info);

	if (id)
		return id;
	NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[MPTUN_A_CLASS_ID],
			    "class 0 cannot be added or deleted");
	return -EINVAL;
}

/* Checks that a class exists, or that it does not. */
static int mptun_netlink_class_exists(struct genl_info *info,
				      const struct mptun_class_list *list,
				      unsigned int id, bool wanted)
{
	struct nlattr *attr = info->attrs[MPTUN_A_CLASS_ID];

	if (mptun_class_exists(list, id) == wanted)
		return 0;
	if (wanted) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "no class of this id");
		return -ENOENT;
	}
	NL_SET_ERR_MSG_ATTR(info->extack, attr,
			    "there is a class of this id");
	return -EEXIST;
}

/* Packets in a queue may have room now that no acknowledgment would announce.
 * If playout was switched, flows react differently to high-latency paths, which
 * must be judged again.
 */
static int mptun_netlink_class_apply(struct mptun_tunnel *tunnel,
				     unsigned int id,
				     const struct mptun_class *class)
{
	int err = mptun_classify_change(tunnel, id, class);

	if (err)
		return err;
	mptun_code_set_classes(tunnel);
	/* The peer gets the rates. */
	mptun_tunnel_kick(tunnel);
	if (mptun_rx_set_classes(tunnel)) {
		spin_lock_bh(&tunnel->tx.lock);
		mptun_avoid_forget(tunnel, mptun_now());
		spin_unlock_bh(&tunnel->tx.lock);
	}
	mptun_enter();
	mptun_place_ready(tunnel);
	mptun_leave();
	return 0;
}

/* Adds a class or changes it. */
static int mptun_netlink_class_write(struct genl_info *info, bool is_new)
{
	const struct mptun_class_list *list;
	struct mptun_tunnel *tunnel;
	netdevice_tracker tracker;
	struct mptun_class class;
	int err, id;

	id = is_new ? mptun_netlink_class_own_id(info) :
		      mptun_netlink_class_id(info);
	if (id < 0)
		return id;
	tunnel = mptun_netlink_info_get(info, &tracker);
	if (IS_ERR(tunnel))
		return PTR_ERR(tunnel);
	list = mptun_classify_list(tunnel);
	class = list->class[id];
	err = mptun_netlink_class_exists(info, list, id, !is_new) ?:
	      (!id ? mptun_netlink_class_zero(info, &class) :
	       mptun_netlink_class_mark(info, &class) ?:
	       mptun_netlink_class_match(info, &class) ?:
	       mptun_netlink_class_policy(info, &class)) ?:
	      mptun_netlink_class_apply(tunnel, id, &class);
	mptun_netlink_put(tunnel, &tracker);
	return err;
}

/**
 * mptun_nl_class_new_doit() - add a class
 * @skb: the request
 * @info: its attributes
 *
 * Return: 0 or a negative error.
 */
int mptun_nl_class_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	return mptun_netlink_class_write(info, true);
}

/**
 * mptun_nl_class_set_doit() - change a class
 * @skb: the request
 * @info: its attributes
 *
 * Return: 0 or a negative error.
 */
int mptun_nl_class_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	return mptun_netlink_class_write(info, false);
}

/**
 * mptun_nl_class_del_doit() - delete a class
 * @skb: the request
 * @info: its attributes
 *
 * Return: 0 or a negative error.
 */
int mptun_nl_class_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct mptun_tunnel *tunnel;
	netdevice_tracker tracker;
	int err, id;

	id = mptun_netlink_class_own_id(info);
	if (id < 0)
		return id;
	tunnel = mptun_netlink_info_get(info, &tracker);
	if (IS_ERR(tunnel))
		return PTR_ERR(tunnel);
	err = mptun_netlink_class_exists(info, mptun_classify_list(tunnel), id,
					 true) ?:
	      mptun_netlink_class_apply(tunnel, id, NULL);
	mptun_netlink_put(tunnel, &tracker);
	return err;
}

static int mptun_netlink_put_class_counts(struct sk_buff *skb,
					  const struct mptun_class_state *s)
{
	const struct mptun_netlink_figure figures[] = {
		{ MPTUN_A_CLASS_STATS_TX_PACKETS, s->packets },
		{ MPTUN_A_CLASS_STATS_TX_BYTES, s->bytes },
		{ MPTUN_A_CLASS_STATS_TX_COPIES, s->copies },
		{ MPTUN_A_CLASS_STATS_DROPS, s->drops },
		{ MPTUN_A_CLASS_STATS_TX_RESENT, s->resent },
		{ MPTUN_A_CLASS_STATS_LAPSED, s->lapsed },
		{ MPTUN_A_CLASS_STATS_TX_SPARSE, s->sparse },
		{ MPTUN_A_CLASS_STATS_TX_CODED, s->coded },
		{ MPTUN_A_CLASS_STATS_TX_SYMBOLS, s->symbols },
		{ MPTUN_A_CLASS_STATS_TX_UNCODED, s->uncoded },
	};

	return mptun_netlink_put_figures(skb, MPTUN_A_CLASS_STATS_PAD, figures,
					 ARRAY_SIZE(figures));
}

static int mptun_netlink_put_class_stats(struct sk_buff *skb,
					 struct mptun_tx *tx, unsigned int id)
{
	struct nlattr *nest = nla_nest_start(skb, MPTUN_A_CLASS_STATS);
	const struct mptun_coder *coder;
	int err = -EMSGSIZE;
	u64 symbols = 0;

	if (!nest)
		return err;
	spin_lock_bh(&tx->lock);
	coder = tx->code.coder[id];
	if (coder)
		symbols = (u64)coder->overhead * 1000 / MPTUN_ENCODER_ONE;
	err = mptun_netlink_put_class_counts(skb, &tx->classes[id]) ?:
	      nla_put_u32(skb, MPTUN_A_CLASS_STATS_SYMBOLS_NOW, symbols);
	spin_unlock_bh(&tx->lock);
	if (err) {
		nla_nest_cancel(skb, nest);
		return err;
	}
	nla_nest_end(skb, nest);
	return 0;
}

static int mptun_netlink_fill_class(struct sk_buff *skb,
				    struct mptun_tunnel *tunnel,
				    unsigned int id, u32 portid, u32 seq,
				    int flags)
{
	const struct mptun_class *c = &mptun_classify_list(tunnel)->class[id];
	void *hdr;

	hdr = genlmsg_put(skb, portid, seq, &mptun_netlink_family, flags,
			  MPTUN_CMD_CLASS_GET);
	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_u32(skb, MPTUN_A_CLASS_IFINDEX, tunnel->dev->ifindex) ||
	    nla_put_string(skb, MPTUN_A_CLASS_IFNAME, tunnel->dev->name) ||
	    nla_put_u32(skb, MPTUN_A_CLASS_ID, id) ||
	    (id && (nla_put_u32(skb, MPTUN_A_CLASS_MARK, c->mark) ||
		    nla_put_u32(skb, MPTUN_A_CLASS_MASK, c->mask) ||
		    nla_put_u32(skb, MPTUN_A_CLASS_DSCP, c->dscp) ||
		    nla_put_u32(skb, MPTUN_A_CLASS_PROTOCOL, c->protocol) ||
		    nla_put_u16(skb, MPTUN_A_CLASS_PORT, c->port))) ||
	    nla_put_u32(skb, MPTUN_A_CLASS_POLICY, c->policy) ||
	    (c->policy == MPTUN_CLASS_POLICY_PIN &&
	     (nla_put_string(skb, MPTUN_A_CLASS_PATH, c->path) ||
	      nla_put_u8(skb, MPTUN_A_CLASS_STRICT, c->strict))) ||
	    (c->policy == MPTUN_CLASS_POLICY_DUPLICATE &&
	     nla_put_u32(skb, MPTUN_A_CLASS_PATHS, c->paths)) ||
	    nla_put_u8(skb, MPTUN_A_CLASS_ORDER, c->order) ||
	    nla_put_u32(skb, MPTUN_A_CLASS_REPAIR, c->repair) ||
	    nla_put_u8(skb, MPTUN_A_CLASS_PLAYOUT, c->playout) ||
	    nla_put_u32(skb, MPTUN_A_CLASS_CODE, c->code) ||
	    (id && nla_put_u64_64bit(skb, MPTUN_A_CLASS_RATE, c->rate * 8,
				     MPTUN_A_CLASS_PAD)) ||
	    mptun_netlink_put_class_stats(skb, &tunnel->tx, id)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

static int mptun_netlink_reply_class(struct sk_buff *reply,
				     struct mptun_tunnel *tunnel,
				     struct genl_info *info, bool admin)
{
	int err, id = mptun_netlink_class_id(info);

	if (id < 0)
		return id;
	err = mptun_netlink_class_exists(info, mptun_classify_list(tunnel), id,
					 true);
	if (err)
		return err;
	return mptun_netlink_fill_class(reply, tunnel, id, info->snd_portid,
					info->snd_seq, 0);
}

/**
 * mptun_nl_class_get_doit() - report one class
 * @skb: the request
 * @info: its attributes
 *
 * Return: 0 or a negative error.
 */
int mptun_nl_class_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return mptun_netlink_reply(skb, info, mptun_netlink_reply_class);
}

/* Appends the classes of one tunnel that have not been dumped yet. */
static int mptun_netlink_dump_classes(struct sk_buff *skb,
				      struct netlink_callback *cb,
				      struct mptun_tunnel *tunnel, int *index)
{
	unsigned int id;
	int err;

	lockdep_assert_held(&tunnel->lock);
	for (id = 0; id < MPTUN_CLASSES_MAX; id++) {
		if (!mptun_class_exists(mptun_classify_list(tunnel), id) ||
		    (*index)++ < cb->args[0])
			continue;
		err = mptun_netlink_fill_class(skb, tunnel, id,
					       NETLINK_CB(cb->skb).portid,
					       cb->nlh->nlmsg_seq,
					       NLM_F_MULTI);
		if (err)
			return err;
		nl_dump_check_consistent(cb, nlmsg_hdr(skb));
		cb->args[0] = *index;
	}
	return 0;
}

/**
 * mptun_nl_class_get_dumpit() - report classes of one tunnel, or of all tunnels
 * @skb: message to append to
 * @cb: state of the dump
 *
 * Return: length of the message, or a negative error.
 */
int mptun_nl_class_get_dumpit(struct sk_buff *skb,
			      struct netlink_callback *cb)
{
	return mptun_netlink_dump(skb, cb, mptun_netlink_dump_classes);
}
