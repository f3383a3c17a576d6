// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * The network device and its link kind.
 */
#include <linux/ethtool.h>
#include <linux/if_arp.h>
#include <linux/mptun_link.h>
#include <linux/netdevice.h>
#include <net/ip.h>
#include <net/ip_tunnels.h>
#include <net/rtnetlink.h>

#include "base/version.h"
#include "cc/cc.h"
#include "core/lookup.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "crypto/cipher.h"
#include "ctl/ctl.h"
#include "ctl/policy-gen.h"
#include "tx/tx.h"

/* Logged in ndo_init, so that the message pairs with that of ndo_uninit. */
static int mptun_device_init_one(struct net_device *dev)
{
	netdev_dbg(dev, "tunnel created\n");
	return 0;
}

static void mptun_device_uninit(struct net_device *dev)
{
	mptun_tunnel_destroy(netdev_priv(dev));
	netdev_dbg(dev, "tunnel destroyed\n");
}

static int mptun_device_change_mtu(struct net_device *dev, int mtu)
{
	struct mptun_tunnel *tunnel = netdev_priv(dev);
	struct mptun_path *path;

	if (!tunnel->mtu_own)
		WRITE_ONCE(tunnel->config.mtu_auto, false);
	WRITE_ONCE(dev->mtu, mtu);
	mptun_enter();
	spin_lock(&tunnel->tx.lock);
	list_for_each_entry_rcu(path, &tunnel->paths, list)
		mptun_out_resize(path);
	spin_unlock(&tunnel->tx.lock);
	mptun_place_ready(tunnel);
	mptun_leave();
	return 0;
}

/* Called when neither a path nor anything else holds the device, or if it could
 * not be registered.
 */
static void mptun_device_free(struct net_device *dev)
{
	struct mptun_tunnel *tunnel = netdev_priv(dev);

	mptun_net_pool_put(tunnel->pool);
	tunnel->pool = NULL;
}

static const struct net_device_ops mptun_device_ops = {
	.ndo_init = mptun_device_init_one,
	.ndo_open = mptun_tunnel_open,
	.ndo_stop = mptun_tunnel_stop,
	.ndo_uninit = mptun_device_uninit,
	.ndo_start_xmit = mptun_xmit,
	.ndo_select_queue = mptun_queue_select,
	.ndo_change_mtu = mptun_device_change_mtu,
	.ndo_get_stats64 = dev_get_tstats64,
};

static void mptun_device_drvinfo(struct net_device *dev,
				 struct ethtool_drvinfo *info)
{
	strscpy(info->driver, "mptun", sizeof(info->driver));
	strscpy(info->version, MPTUN_RELEASE, sizeof(info->version));
}

static const struct ethtool_ops mptun_device_ethtool_ops = {
	.get_drvinfo = mptun_device_drvinfo,
	.get_link = ethtool_op_get_link,
};

static const struct device_type mptun_device_type = { .name = "mptun" };

/**
 * mptun_device_is() - check whether a device is a tunnel
 * @dev: the device
 *
 * Return: true if it is.
 */
bool mptun_device_is(const struct net_device *dev)
{
	return dev->netdev_ops == &mptun_device_ops;
}

static void mptun_device_setup(struct net_device *dev)
{
	const netdev_features_t features = NETIF_F_SG | NETIF_F_GSO |
					   NETIF_F_GSO_SOFTWARE |
					   NETIF_F_HIGHDMA | NETIF_F_HW_CSUM |
					   NETIF_F_RXCSUM;

	dev->netdev_ops = &mptun_device_ops;
	dev->ethtool_ops = &mptun_device_ethtool_ops;
	dev->header_ops = &ip_tunnel_header_ops;
	dev->type = ARPHRD_NONE;
	dev->flags = IFF_POINTOPOINT | IFF_NOARP;
	dev->hard_header_len = 0;
	dev->addr_len = 0;
	dev->needed_headroom = MPTUN_HEADROOM + LL_MAX_HEADER;
	dev->mtu = MPTUN_DEFAULT_MTU;
	dev->min_mtu = IPV4_MIN_MTU;
	dev->max_mtu = MPTUN_DEVICE_MTU_MAX;
	/* Unlike other tunnels it stops its queues when the paths are full. */
	dev->tx_queue_len = MPTUN_TX_QUEUE_LEN;
	dev->features |= features;
	dev->hw_features |= features;
	dev->pcpu_stat_type = NETDEV_PCPU_STAT_TSTATS;
	dev->needs_free_netdev = true;
	dev->priv_destructor = mptun_device_free;
	mptun_compat_set_lltx(dev);
	SET_NETDEV_DEVTYPE(dev, &mptun_device_type);
	/* The route is used to answer packets that are too big. */
	netif_keep_dst(dev);
	netif_carrier_off(dev);
}

static struct netlink_range_validation mptun_device_hold_range = {
	.max = MPTUN_HOLD_MAX_US,
};

static struct netlink_range_validation mptun_device_buffer_range = {
	.min = MPTUN_BUFFER_MIN,
	.max = MPTUN_BUFFER_MAX,
};

static struct netlink_range_validation mptun_device_rekey_range = {
	.min = MPTUN_REKEY_MIN_S,
	.max = MPTUN_REKEY_MAX_S,
};

static struct netlink_range_validation mptun_device_period_range = {
	.min = MPTUN_PSMC_PERIOD_MIN_US,
	.max = MPTUN_PSMC_PERIOD_MAX_US,
};

static const struct nla_policy mptun_device_policy[IFLA_MPTUN_MAX + 1] = {
	[IFLA_MPTUN_UNSPEC] = { .strict_start_type = IFLA_MPTUN_PORT },
	[IFLA_MPTUN_PORT] = NLA_POLICY_MIN(NLA_U16, 1),
	[IFLA_MPTUN_ID] = NLA_POLICY_MIN(NLA_U32, 1),
	[IFLA_MPTUN_PEER_ID] = NLA_POLICY_MIN(NLA_U32, 1),
	[IFLA_MPTUN_CIPHER] = NLA_POLICY_RANGE(NLA_U32, MPTUN_CIPHER_CLEAR,
					       MPTUN_CIPHER_AUTH_ONLY),
	[IFLA_MPTUN_SCHED] = { .type = NLA_NUL_STRING,
			       .len = MPTUN_ALGO_NAME_MAX },
	[IFLA_MPTUN_CC] = { .type = NLA_NUL_STRING,
			    .len = MPTUN_ALGO_NAME_MAX },
	[IFLA_MPTUN_REORDER] = NLA_POLICY_MAX(NLA_U32,
					      MPTUN_REORDER_MODE_PSMC),
	[IFLA_MPTUN_HOLD] = NLA_POLICY_FULL_RANGE(NLA_U32,
						  &mptun_device_hold_range),
	[IFLA_MPTUN_BUFFER] = NLA_POLICY_FULL_RANGE(NLA_U32,
						    &mptun_device_buffer_range),
	[IFLA_MPTUN_LEARN] = NLA_POLICY_MAX(NLA_U8, 1),
	[IFLA_MPTUN_REKEY] = NLA_POLICY_FULL_RANGE(NLA_U32,
						   &mptun_device_rekey_range),
	[IFLA_MPTUN_DSCP] = NLA_POLICY_MAX(NLA_U32, MPTUN_DSCP_INHERIT),
	[IFLA_MPTUN_PARK] = NLA_POLICY_MAX(NLA_U32, MPTUN_PARK_MAX),
	[IFLA_MPTUN_AUTO_GROUP] = NLA_POLICY_MAX(NLA_U8, 1),
	[IFLA_MPTUN_FWMARK] = { .type = NLA_U32 },
	[IFLA_MPTUN_FRAG] = NLA_POLICY_MAX(NLA_U32, MPTUN_FRAG_MODE_OFF),
	[IFLA_MPTUN_MSS_CLAMP] = NLA_POLICY_MAX(NLA_U32,
						MPTUN_MSS_CLAMP_MODE_AUTO),
	[IFLA_MPTUN_FOLLOW] = NLA_POLICY_MAX(NLA_U8, 1),
	[IFLA_MPTUN_PSMC_FACTOR] = NLA_POLICY_RANGE(NLA_U32, 100, 10000),
	[IFLA_MPTUN_PSMC_PERIOD] =
		NLA_POLICY_FULL_RANGE(NLA_U32, &mptun_device_period_range),
};

/* The ids that select a tunnel on its port in clear mode. */
static int mptun_device_fixed_ids(struct mptun_tunnel_config *config,
				  struct nlattr *data[],
				  struct netlink_ext_ack *extack)
{
	struct nlattr *id = data[IFLA_MPTUN_ID];
	struct nlattr *peer_id = data[IFLA_MPTUN_PEER_ID];

	if (config->cipher != MPTUN_CIPHER_CLEAR) {
		if (!id && !peer_id)
			return 0;
		NL_SET_ERR_MSG_ATTR(extack, id ?: peer_id,
				    "id and peer-id are only for cipher clear");
		return -EINVAL;
	}
	if (!id) {
		NL_SET_ERR_MSG(extack,
			       "a tunnel without encryption needs an id");
		return -EINVAL;
	}
	config->id = nla_get_u32(id);
	config->peer_id = peer_id ? nla_get_u32(peer_id) : config->id;
	return 0;
}

/* Settings that cannot be changed after creation. */
static int mptun_device_fixed(struct mptun_tunnel_config *config,
			      struct nlattr *data[],
			      struct netlink_ext_ack *extack)
{
	config->cipher = MPTUN_DEFAULT_CIPHER;
	config->port = MPTUN_PORT_DEFAULT;
	if (!data)
		return 0;
	if (data[IFLA_MPTUN_PORT])
		config->port = nla_get_u16(data[IFLA_MPTUN_PORT]);
	if (data[IFLA_MPTUN_CIPHER])
		config->cipher = nla_get_u32(data[IFLA_MPTUN_CIPHER]);
	if (!mptun_cipher_available(config->cipher)) {
		NL_SET_ERR_MSG_ATTR(extack, data[IFLA_MPTUN_CIPHER],
				    "this kernel does not have the cipher");
		return -EOPNOTSUPP;
	}
	return mptun_device_fixed_ids(config, data, extack);
}

static void mptun_device_parse(struct mptun_config_request *settings,
			       struct nlattr *data[])
{
	if (!data) {
		memset(settings, 0, sizeof(*settings));
		return;
	}
	*settings = (struct mptun_config_request) {
		.sched = data[IFLA_MPTUN_SCHED],
		.cc = data[IFLA_MPTUN_CC],
		.reorder = data[IFLA_MPTUN_REORDER],
		.hold = data[IFLA_MPTUN_HOLD],
		.buffer = data[IFLA_MPTUN_BUFFER],
		.learn = data[IFLA_MPTUN_LEARN],
		.rekey = data[IFLA_MPTUN_REKEY],
		.dscp = data[IFLA_MPTUN_DSCP],
		.park = data[IFLA_MPTUN_PARK],
		.auto_group = data[IFLA_MPTUN_AUTO_GROUP],
		.fwmark = data[IFLA_MPTUN_FWMARK],
		.frag = data[IFLA_MPTUN_FRAG],
		.mss_clamp = data[IFLA_MPTUN_MSS_CLAMP],
		.follow = data[IFLA_MPTUN_FOLLOW],
		.psmc_factor = data[IFLA_MPTUN_PSMC_FACTOR],
		.psmc_period = data[IFLA_MPTUN_PSMC_PERIOD],
	};
}

static int mptun_device_newlink(struct net_device *dev,
				struct rtnl_newlink_params *params,
				struct netlink_ext_ack *extack)
{
	struct mptun_tunnel *tunnel = netdev_priv(dev);
	struct mptun_config_request settings;
	struct mptun_net *mn;
	int err;

	tunnel->dev = dev;
	err = netif_set_real_num_tx_queues(dev, min_t(u32, dev->num_tx_queues,
						      MPTUN_CLASSES_MAX));
	if (err)
		return err;
	err = mptun_device_fixed(&tunnel->config, params->data, extack);
	if (err)
		return err;
	mptun_device_parse(&settings, params->data);
	err = mptun_config_check(&tunnel->config, &settings, extack);
	if (err)
		return err;
	mptun_config_default(&tunnel->config);
	tunnel->config.mtu_auto = !params->tb[IFLA_MTU];

	err = mptun_tunnel_init(tunnel, rtnl_newlink_link_net(params), extack);
	if (err)
		return err;
	mutex_lock(&tunnel->lock);
	err = mptun_config_first(tunnel, &settings);
	mutex_unlock(&tunnel->lock);
	if (!err)
		err = register_netdevice(dev);
	if (err) {
		/* A failed registration may have called ndo_uninit. */
		if (tunnel->net)
			mptun_tunnel_destroy(tunnel);
		mptun_device_free(dev);
		return err;
	}
	/* Nothing that can fail follows: the memory would have to be freed
	 * under RTNL, which must not wait for readers.
	 */
	if (!mptun_tunnel_sealed(tunnel))
		mptun_net_hash_id(tunnel);
	mn = mptun_net(tunnel->net);
	list_add_tail_rcu(&tunnel->net_list, &mn->tunnels);
	mptun_notifier_net_follow(mn);
	return 0;
}

MPTUN_NEWLINK(mptun_device_newlink)

static void mptun_device_dellink(struct net_device *dev, struct list_head *head)
{
	mptun_tunnel_unlink(netdev_priv(dev));
	unregister_netdevice_queue(dev, head);
}

static int mptun_device_changelink(struct net_device *dev,
				   struct nlattr *tb[], struct nlattr *data[],
				   struct netlink_ext_ack *extack)
{
	struct mptun_tunnel *tunnel = netdev_priv(dev);
	struct mptun_config_request settings;
	int err;

	if (!data)
		return 0;
	if (data[IFLA_MPTUN_PORT] || data[IFLA_MPTUN_ID] ||
	    data[IFLA_MPTUN_PEER_ID] || data[IFLA_MPTUN_CIPHER]) {
		NL_SET_ERR_MSG(extack,
			       "port, id, peer-id and cipher cannot be changed");
		return -EOPNOTSUPP;
	}
	mptun_device_parse(&settings, data);
	mutex_lock(&tunnel->lock);
	err = mptun_config_change(tunnel, &settings, extack);
	mutex_unlock(&tunnel->lock);
	return err;
}

static unsigned int mptun_device_tx_queues(void)
{
	return MPTUN_TX_QUEUES;
}

static size_t mptun_device_get_size(const struct net_device *dev)
{
	return nla_total_size(sizeof(u16)) +		/* port */
	       nla_total_size(sizeof(u32)) * 12 +	/* other numbers */
	       nla_total_size(MPTUN_ALGO_NAME_MAX + 1) * 2 + /* sched, cc */
	       nla_total_size(sizeof(u8)) * 3;	/* learn, auto-group, follow */
}

/* Every user may read these.  Ids are for administrators, like fingerprints of
 * keys; generic netlink reports them, as it knows the reader.
 */
static int mptun_device_fill_info(struct sk_buff *skb,
				  const struct net_device *dev)
{
	struct mptun_tunnel *tunnel = netdev_priv(dev);
	const struct mptun_tunnel_config *config = &tunnel->config;
	int err = 0;

	mutex_lock(&tunnel->lock);
	if (nla_put_u16(skb, IFLA_MPTUN_PORT, config->port) ||
	    nla_put_u32(skb, IFLA_MPTUN_CIPHER, config->cipher) ||
	    (mptun_tunnel_sealed(tunnel) &&
	     nla_put_u32(skb, IFLA_MPTUN_REKEY, config->rekey_s)) ||
	    nla_put_string(skb, IFLA_MPTUN_SCHED, config->sched) ||
	    nla_put_string(skb, IFLA_MPTUN_CC, config->cc) ||
	    nla_put_u32(skb, IFLA_MPTUN_REORDER, config->reorder.mode) ||
	    nla_put_u32(skb, IFLA_MPTUN_HOLD, config->reorder.hold_us) ||
	    nla_put_u32(skb, IFLA_MPTUN_BUFFER, config->reorder.limit_bytes) ||
	    nla_put_u8(skb, IFLA_MPTUN_LEARN, config->learn) ||
	    nla_put_u32(skb, IFLA_MPTUN_DSCP, config->dscp) ||
	    nla_put_u32(skb, IFLA_MPTUN_PARK, config->park) ||
	    nla_put_u8(skb, IFLA_MPTUN_AUTO_GROUP, config->auto_group) ||
	    nla_put_u32(skb, IFLA_MPTUN_FWMARK, config->fwmark) ||
	    nla_put_u32(skb, IFLA_MPTUN_FRAG, config->frag) ||
	    nla_put_u32(skb, IFLA_MPTUN_MSS_CLAMP, config->mss_clamp) ||
	    nla_put_u8(skb, IFLA_MPTUN_FOLLOW, config->follow) ||
	    nla_put_u32(skb, IFLA_MPTUN_PSMC_FACTOR,
			config->reorder.psmc_factor) ||
	    nla_put_u32(skb, IFLA_MPTUN_PSMC_PERIOD,
			config->reorder.psmc_period_us))
		err = -EMSGSIZE;
	mutex_unlock(&tunnel->lock);
	return err;
}

static struct net *mptun_device_link_net(const struct net_device *dev)
{
	struct mptun_tunnel *tunnel = netdev_priv(dev);

	return READ_ONCE(tunnel->net) ?: dev_net(dev);
}

struct rtnl_link_ops mptun_device_link_ops __read_mostly = {
	.kind = "mptun",
	.priv_size = sizeof(struct mptun_tunnel),
	.setup = mptun_device_setup,
	.maxtype = IFLA_MPTUN_MAX,
	.policy = mptun_device_policy,
	.newlink = MPTUN_NEWLINK_OP(mptun_device_newlink),
	.dellink = mptun_device_dellink,
	.changelink = mptun_device_changelink,
	.get_num_tx_queues = mptun_device_tx_queues,
	.get_size = mptun_device_get_size,
	.fill_info = mptun_device_fill_info,
	.get_link_net = mptun_device_link_net,
};
