// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Settings of a tunnel that can be changed at any time.
 *
 * A request is checked as a whole before anything is changed.  Settings are
 * protected by mptun_tunnel.lock; what the data path reads is also written
 * under its lock or with WRITE_ONCE().
 */
#include <linux/slab.h>
#include <net/ip.h>
#include <net/netlink.h>

#include "cc/cc.h"
#include "core/session.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "ctl/ctl.h"
#include "ctl/policy-gen.h"
#include "path/path.h"
#include "rx/rx.h"
#include "sched/sched.h"
#include "tx/tx.h"

/**
 * mptun_config_default() - fill in default settings
 * @config: the settings; port, cipher and ids are set already
 */
void mptun_config_default(struct mptun_tunnel_config *config)
{
	strscpy(config->sched, MPTUN_DEFAULT_SCHED, sizeof(config->sched));
	strscpy(config->cc, MPTUN_DEFAULT_CC, sizeof(config->cc));
	config->reorder.mode = MPTUN_REORDER_MODE_ADAPTIVE;
	config->reorder.hold_us = MPTUN_HOLD_DEFAULT_US;
	config->reorder.limit_bytes = MPTUN_BUFFER_DEFAULT;
	config->reorder.psmc_factor = MPTUN_PSMC_FACTOR_DEFAULT;
	config->reorder.psmc_period_us = MPTUN_PSMC_PERIOD_DEFAULT_US;
	config->learn = config->cipher != MPTUN_CIPHER_CLEAR;
	config->follow = true;
	config->rekey_s = MPTUN_REKEY_DEFAULT_S;
	config->park = MPTUN_PARK_DEFAULT;
}

static int mptun_config_check_key(const struct mptun_tunnel_config *config,
				  const struct mptun_config_request *settings,
				  struct netlink_ext_ack *extack)
{
	const struct nlattr *attr = settings->key ?: settings->grace ?:
				    settings->rekey;

	if (attr && config->cipher == MPTUN_CIPHER_CLEAR) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "a tunnel with cipher clear has no keys");
		return -EINVAL;
	}
	if (settings->grace && !settings->key) {
		NL_SET_ERR_MSG_ATTR(extack, settings->grace,
				    "key-grace needs a key");
		return -EINVAL;
	}
	if (settings->key &&
	    !memchr_inv(nla_data(settings->key), 0, MPTUN_KEY_LEN)) {
		NL_SET_ERR_MSG_ATTR(extack, settings->key,
				    "a key must not be all zeros");
		return -EINVAL;
	}
	return 0;
}

/**
 * mptun_config_check() - check a request
 * @config: settings of the tunnel; the cipher must be set
 * @settings: the request
 * @extack: error message
 *
 * Return: 0 or a negative error.
 */
int mptun_config_check(const struct mptun_tunnel_config *config,
		       const struct mptun_config_request *settings,
		       struct netlink_ext_ack *extack)
{
	if (settings->sched &&
	    strcmp(nla_data(settings->sched), MPTUN_DEFAULT_SCHED) &&
	    !mptun_sched_find(nla_data(settings->sched))) {
		NL_SET_ERR_MSG_ATTR(extack, settings->sched,
				    "no scheduler of this name");
		return -ENOENT;
	}
	if (settings->cc && !mptun_cc_find(nla_data(settings->cc))) {
		NL_SET_ERR_MSG_ATTR(extack, settings->cc,
				    "no congestion controller of this name");
		return -ENOENT;
	}
	if (settings->mtu && nla_get_u32(settings->mtu) &&
	    (nla_get_u32(settings->mtu) < IPV4_MIN_MTU ||
	     nla_get_u32(settings->mtu) > MPTUN_DEVICE_MTU_MAX)) {
		NL_SET_ERR_MSG_ATTR(extack, settings->mtu,
				    "the device cannot have this MTU");
		return -EINVAL;
	}
	return mptun_config_check_key(config, settings, extack);
}

static int mptun_config_cc(struct mptun_tunnel *tunnel, const char *name)
{
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_path *path;
	int err = 0;

	strscpy(tunnel->config.cc, name, sizeof(tunnel->config.cc));
	spin_lock_bh(&tx->lock);
	list_for_each_entry(path, &tunnel->paths, list)
		err = err ?: mptun_cc_assign(&path->tx.cc,
					     mptun_path_cc_name(path));
	spin_unlock_bh(&tx->lock);
	return err;
}

/* Marks outer packets and looks up the routes of all paths again. */
static void mptun_config_fwmark(struct mptun_tunnel *tunnel, u32 mark)
{
	struct mptun_path *path;

	lockdep_assert_held(&tunnel->lock);
	tunnel->config.fwmark = mark;
	list_for_each_entry(path, &tunnel->paths, list)
		mptun_path_rebind(path, true);
}

static int mptun_config_apply(struct mptun_tunnel *tunnel,
			      const struct mptun_config_request *settings)
{
	struct mptun_tunnel_config *config = &tunnel->config;
	struct mptun_tx *tx = &tunnel->tx;
	int err = 0;

	lockdep_assert_held(&tunnel->lock);
	if (settings->auto_group)
		err = mptun_group_switch(tunnel,
					 nla_get_u8(settings->auto_group));
	if (!err && settings->cc)
		err = mptun_config_cc(tunnel, nla_data(settings->cc));
	if (err)
		return err; /* no memory */
	if (settings->sched)
		strscpy(config->sched, nla_data(settings->sched),
			sizeof(config->sched));
	mptun_tunnel_policy_sched(tunnel);
	if (settings->reorder)
		config->reorder.mode = nla_get_u32(settings->reorder);
	if (settings->hold)
		config->reorder.hold_us = nla_get_u32(settings->hold);
	if (settings->buffer)
		config->reorder.limit_bytes = nla_get_u32(settings->buffer);
	if (settings->psmc_factor)
		config->reorder.psmc_factor =
			nla_get_u32(settings->psmc_factor);
	if (settings->psmc_period)
		config->reorder.psmc_period_us =
			nla_get_u32(settings->psmc_period);
	if (settings->learn)
		WRITE_ONCE(config->learn, nla_get_u8(settings->learn));
	if (settings->follow) {
		config->follow = nla_get_u8(settings->follow);
		mptun_policy_switch(tunnel);
	}
	if (settings->rekey)
		config->rekey_s = nla_get_u32(settings->rekey);
	if (settings->dscp)
		WRITE_ONCE(config->dscp, nla_get_u32(settings->dscp));
	if (settings->fwmark)
		mptun_config_fwmark(tunnel, nla_get_u32(settings->fwmark));
	if (settings->frag)
		WRITE_ONCE(config->frag, nla_get_u32(settings->frag));
	if (settings->mss_clamp)
		WRITE_ONCE(config->mss_clamp, nla_get_u32(settings->mss_clamp));

	mptun_rx_configure(tunnel, &config->reorder);
	if (settings->park)
		WRITE_ONCE(config->park, nla_get_u32(settings->park));
	spin_lock_bh(&tx->lock);
	/* The latency of paths may differ by the hold time of the receiver; our
	 * own is the best guess of it.
	 */
	tx->sched.hold_us = config->reorder.mode == MPTUN_REORDER_MODE_OFF ?
			    0 : config->reorder.hold_us;
	if (settings->park) {
		mptun_park_forget(tunnel, mptun_now());
		mptun_avoid_forget(tunnel, mptun_now());
	}
	spin_unlock_bh(&tx->lock);
	return 0;
}

/**
 * mptun_config_first() - apply the settings of a new tunnel
 * @tunnel: the tunnel
 * @settings: the request, checked
 *
 * Return: 0 or a negative error.
 */
int mptun_config_first(struct mptun_tunnel *tunnel,
		       const struct mptun_config_request *settings)
{
	lockdep_assert_held(&tunnel->lock);
	return mptun_config_apply(tunnel, settings);
}

/* Makes the set that an attribute describes, NULL for an empty one. */
static int mptun_config_allowed(const struct nlattr *attr,
				struct mptun_allowed **allowed,
				struct netlink_ext_ack *extack)
{
	unsigned int n = nla_len(attr) / MPTUN_ALLOWED_IP_LEN;

	*allowed = NULL;
	if (!nla_len(attr))
		return 0;
	if (nla_len(attr) % MPTUN_ALLOWED_IP_LEN)
		*allowed = ERR_PTR(-EINVAL);
	else
		*allowed = mptun_allowed_new(nla_data(attr), n);
	if (!IS_ERR(*allowed))
		return 0;
	if (*allowed == ERR_PTR(-EINVAL))
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "an entry of allowed-ips is no prefix");
	return PTR_ERR(*allowed);
}

/**
 * mptun_config_change() - change settings of a tunnel under traffic
 * @tunnel: the tunnel
 * @settings: the request
 * @extack: error message
 *
 * Return: 0, or a negative error with nothing changed.
 */
int mptun_config_change(struct mptun_tunnel *tunnel,
			const struct mptun_config_request *settings,
			struct netlink_ext_ack *extack)
{
	int err = mptun_config_check(&tunnel->config, settings, extack);
	struct mptun_allowed *allowed = NULL;

	lockdep_assert_held(&tunnel->lock);
	if (!err && settings->allowed)
		err = mptun_config_allowed(settings->allowed, &allowed, extack);
	if (err)
		return err;
	if (settings->key) {
		err = mptun_key_set(tunnel, nla_data(settings->key),
				    settings->grace ?
				    nla_get_u32(settings->grace) :
				    MPTUN_KEY_GRACE_DEFAULT_S, extack);
		if (err)
			goto err_allowed;
	}
	err = mptun_config_apply(tunnel, settings);
	if (err)
		goto err_allowed;
	if (settings->allowed) {
		allowed = rcu_replace_pointer(tunnel->allowed, allowed,
					      lockdep_is_held(&tunnel->lock));
		if (allowed)
			kfree_rcu(allowed, rcu);
	}
	mptun_tunnel_retry(tunnel);
	mptun_enter();
	mptun_place_ready(tunnel);
	mptun_leave();
	return 0;

err_allowed:
	kfree(allowed);
	return err;
}
