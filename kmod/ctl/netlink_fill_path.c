// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Generic netlink: messages about paths.
 *
 * Addresses are for administrators only.
 *
 * Counters of each side are read under its lock.
 */
#include <net/genetlink.h>
#include <net/ipv6.h>

#include "core/path.h"
#include "core/tunnel.h"
#include "ctl/netlink.h"
#include "path/path.h"
#include "transport/transport.h"

static int mptun_netlink_put_addr(struct sk_buff *skb, sa_family_t family,
				  int type4, int type6,
				  const union mptun_addr *addr)
{
	if (family == AF_INET)
		return addr->v4 ? nla_put_in_addr(skb, type4, addr->v4) : 0;
	return ipv6_addr_any(&addr->v6) ? 0 :
	       nla_put_in6_addr(skb, type6, &addr->v6);
}

static int mptun_netlink_put_endpoint(struct sk_buff *skb,
				      const struct mptun_path *path)
{
	const struct mptun_path_config *c = &path->config;

	return mptun_netlink_put_addr(skb, c->family, MPTUN_A_PATH_REMOTE4,
				      MPTUN_A_PATH_REMOTE6, &c->remote) ||
	       (c->scope && nla_put_u32(skb, MPTUN_A_PATH_REMOTE_SCOPE,
					c->scope)) ||
	       nla_put_u16(skb, MPTUN_A_PATH_REMOTE_PORT, c->remote_port) ||
	       mptun_netlink_put_addr(skb, c->family, MPTUN_A_PATH_LOCAL4,
				      MPTUN_A_PATH_LOCAL6, &c->local) ||
	       nla_put_u16(skb, MPTUN_A_PATH_LOCAL_PORT, c->local_port) ||
	       nla_put_u16(skb, MPTUN_A_PATH_LOCAL_PORT_NOW,
			   ntohs(mptun_path_endpoint(path)->local_port));
}

/* A learned path follows the peer; the peer follows a path of ours. */
static u32 mptun_netlink_policy(const struct mptun_path *path)
{
	const struct mptun_policy_send *send = &path->policy_out.send;
	struct mptun_tx *tx = &path->tunnel->tx;
	bool known, followed;

	spin_lock_bh(&tx->lock);
	if (path->learned) {
		known = path->policy_in.recv.version;
		followed = path->tunnel->config.follow;
	} else {
		known = send->version && !mptun_policy_open(send);
		followed = send->followed;
	}
	spin_unlock_bh(&tx->lock);
	if (!known)
		return MPTUN_POLICY_STATE_UNKNOWN;
	return followed ? MPTUN_POLICY_STATE_FOLLOWED :
			  MPTUN_POLICY_STATE_IGNORED;
}

static int mptun_netlink_put_path_settings(struct sk_buff *skb,
					   struct mptun_path *path)
{
	const struct mptun_path_config *c = &path->config;

	return nla_put_u32(skb, MPTUN_A_PATH_IFINDEX,
			   path->tunnel->dev->ifindex) ||
	       nla_put_string(skb, MPTUN_A_PATH_IFNAME,
			      path->tunnel->dev->name) ||
	       nla_put_string(skb, MPTUN_A_PATH_NAME, c->name) ||
	       nla_put_u32(skb, MPTUN_A_PATH_ID, path->wire_id) ||
	       (c->dev[0] && nla_put_string(skb, MPTUN_A_PATH_DEV, c->dev)) ||
	       nla_put_u32(skb, MPTUN_A_PATH_WEIGHT, c->weight) ||
	       nla_put_u32(skb, MPTUN_A_PATH_PRIORITY, c->priority) ||
	       nla_put_u32(skb, MPTUN_A_PATH_SPILL, c->spill_us) ||
	       nla_put_u8(skb, MPTUN_A_PATH_BACKUP, c->backup) ||
	       nla_put_u64_64bit(skb, MPTUN_A_PATH_CAP, c->cap,
				 MPTUN_A_PATH_PAD) ||
	       nla_put_u32(skb, MPTUN_A_PATH_CAP_ACTION, c->cap_action) ||
	       nla_put_u64_64bit(skb, MPTUN_A_PATH_USED,
				 mptun_path_cap_used(path), MPTUN_A_PATH_PAD) ||
	       nla_put_u32(skb, MPTUN_A_PATH_CAP_STATE,
			   path->tx.cap.state) ||
	       nla_put_u32(skb, MPTUN_A_PATH_MTU,
			   c->mtu ?: READ_ONCE(path->pmtu.size)) ||
	       nla_put_string(skb, MPTUN_A_PATH_CC,
			      mptun_path_cc_name(path)) ||
	       nla_put_u64_64bit(skb, MPTUN_A_PATH_RATE, c->rate * 8,
				 MPTUN_A_PATH_PAD) ||
	       nla_put_u64_64bit(skb, MPTUN_A_PATH_RATE_DOWN,
				 c->rate_down * 8, MPTUN_A_PATH_PAD) ||
	       nla_put_u32(skb, MPTUN_A_PATH_POLICY,
			   mptun_netlink_policy(path)) ||
	       nla_put_u8(skb, MPTUN_A_PATH_OVERRIDDEN, !!path->overrides) ||
	       nla_put_u8(skb, MPTUN_A_PATH_ENABLED, c->enabled) ||
	       nla_put_u32(skb, MPTUN_A_PATH_KEEPALIVE, c->keepalive) ||
	       nla_put_u32(skb, MPTUN_A_PATH_GROUP, c->group) ||
	       nla_put_u32(skb, MPTUN_A_PATH_FWMARK, c->fwmark) ||
	       (path->tx.cc.group_found &&
		nla_put_u32(skb, MPTUN_A_PATH_GROUP_NOW, path->tx.cc.group)) ||
	       nla_put_u8(skb, MPTUN_A_PATH_LEARNED, path->learned);
}

static int mptun_netlink_put_live(struct sk_buff *skb,
				  const struct mptun_path *path,
				  int old_state)
{
	const struct mptun_path_live *live = &path->live;
	u64 age = div_u64(mptun_now() - live->since_ns, NSEC_PER_MSEC);

	lockdep_assert_held(&path->tunnel->tx.lock);
	return nla_put_u32(skb, MPTUN_A_PATH_STATE, live->state) ||
	       (old_state >= 0 && nla_put_u32(skb, MPTUN_A_PATH_OLD_STATE,
					      old_state)) ||
	       nla_put_u32(skb, MPTUN_A_PATH_REASON, live->reason) ||
	       nla_put_u32(skb, MPTUN_A_PATH_STATE_AGE,
			   min_t(u64, age, U32_MAX)) ||
	       nla_put_u8(skb, MPTUN_A_PATH_PARKED,
			  mptun_bad_parked(&path->tx.bad)) ||
	       nla_put_u8(skb, MPTUN_A_PATH_DETOUR,
			  path->tx.detour.suspended) ||
	       nla_put_u32(skb, MPTUN_A_PATH_PMTU, path->pmtu.size) ||
	       nla_put_u32(skb, MPTUN_A_PATH_PMTU_STATE, path->pmtu.state) ||
	       nla_put_u32(skb, MPTUN_A_PATH_INNER_MTU,
			   mptun_path_inner_mtu(path));
}

static u32 mptun_netlink_skew(const struct mptun_path *path)
{
	struct mptun_rx *rx = &path->tunnel->rx;
	const struct mptun_path *other;
	u64 now = mptun_now();
	u32 most = 0;

	spin_lock_bh(&rx->lock);
	/* Compared pairwise, which needs no list of all paths on the stack. */
	rcu_read_lock();
	list_for_each_entry_rcu(other, &path->tunnel->paths, list) {
		const struct mptun_owd *pair[] = { &path->rx.owd,
						   &other->rx.owd };

		most = max(most, mptun_owd_excess(&path->rx.owd, pair,
						  ARRAY_SIZE(pair), now));
	}
	rcu_read_unlock();
	spin_unlock_bh(&rx->lock);
	return most;
}

static int mptun_netlink_put_flow(struct sk_buff *skb,
				  const struct mptun_path *path, u32 skew)
{
	const struct mptun_path_tx *tx = &path->tx;
	struct mptun_recent_count recent;

	lockdep_assert_held(&path->tunnel->tx.lock);
	recent = mptun_recent_sum(&tx->recent, mptun_now());
	return nla_put_u32(skb, MPTUN_A_PATH_SRTT,
			   tx->rtt.valid ? tx->rtt.srtt_us : 0) ||
	       nla_put_u32(skb, MPTUN_A_PATH_RTTVAR,
			   tx->rtt.valid ? tx->rtt.var_us : 0) ||
	       nla_put_u32(skb, MPTUN_A_PATH_MIN_RTT,
			   tx->rtt.valid ? tx->rtt.min_us : 0) ||
	       nla_put_u32(skb, MPTUN_A_PATH_SKEW, skew) ||
	       nla_put_u32(skb, MPTUN_A_PATH_CWND, tx->cc.cwnd) ||
	       nla_put_u32(skb, MPTUN_A_PATH_SSTHRESH, tx->cc.ssthresh) ||
	       nla_put_u32(skb, MPTUN_A_PATH_IN_FLIGHT, tx->sent.in_flight) ||
	       nla_put_u64_64bit(skb, MPTUN_A_PATH_PACING_RATE,
				 tx->cc.pacing_rate * 8, MPTUN_A_PATH_PAD) ||
	       nla_put_u32(skb, MPTUN_A_PATH_REORDER_WINDOW,
			   tx->sent.threshold) ||
	       nla_put_u32(skb, MPTUN_A_PATH_RECENT_PACKETS, recent.packets) ||
	       nla_put_u32(skb, MPTUN_A_PATH_RECENT_LOST, recent.lost);
}

static int mptun_netlink_put_path_rx(struct sk_buff *skb,
				     const struct mptun_path *path)
{
	const struct mptun_path_rx *rx = &path->rx;
	const struct mptun_netlink_figure figures[] = {
		{ MPTUN_A_PATH_STATS_RX_PACKETS, rx->packets },
		{ MPTUN_A_PATH_STATS_RX_BYTES, rx->bytes },
		{ MPTUN_A_PATH_STATS_ECN_CE, rx->ecn_ce },
		{ MPTUN_A_PATH_STATS_ECN_FAULTS, rx->ecn_faults },
		{ MPTUN_A_PATH_STATS_ECN_IGNORED, rx->ecn_ignored },
	};

	lockdep_assert_held(&path->tunnel->rx.lock);
	return mptun_netlink_put_figures(skb, MPTUN_A_PATH_STATS_PAD, figures,
					 ARRAY_SIZE(figures));
}

static int mptun_netlink_put_path_tx(struct sk_buff *skb,
				     const struct mptun_path *path)
{
	const struct mptun_path_tx *tx = &path->tx;
	const struct mptun_netlink_figure figures[] = {
		{ MPTUN_A_PATH_STATS_TX_PACKETS, tx->packets },
		{ MPTUN_A_PATH_STATS_TX_BYTES, tx->bytes },
		{ MPTUN_A_PATH_STATS_ACKED_PACKETS, tx->acked_packets },
		{ MPTUN_A_PATH_STATS_ACKED_BYTES, tx->acked_bytes },
		{ MPTUN_A_PATH_STATS_LOST_PACKETS, tx->lost_packets },
		{ MPTUN_A_PATH_STATS_LOST_BYTES, tx->lost_bytes },
		{ MPTUN_A_PATH_STATS_SPURIOUS, tx->spurious },
		{ MPTUN_A_PATH_STATS_MARKED_PACKETS, tx->marked },
		{ MPTUN_A_PATH_STATS_LOSS_EVENTS, tx->loss_events },
		{ MPTUN_A_PATH_STATS_TIMEOUTS, tx->timeouts },
		{ MPTUN_A_PATH_STATS_TX_CONTROL,
		  atomic64_read(&path->tx_control) },
		{ MPTUN_A_PATH_STATS_RX_CONTROL,
		  atomic64_read(&path->rx_control) },
		{ MPTUN_A_PATH_STATS_TX_ERRORS,
		  atomic64_read(&path->tx_errors) },
		{ MPTUN_A_PATH_STATS_STATE_CHANGES, path->live.changes },
		{ MPTUN_A_PATH_STATS_TX_COPIES, tx->copies },
		{ MPTUN_A_PATH_STATS_DS_CLEARED, tx->ds_cleared },
		{ MPTUN_A_PATH_STATS_TX_SYMBOLS, tx->symbols },
	};

	lockdep_assert_held(&path->tunnel->tx.lock);
	return mptun_netlink_put_figures(skb, MPTUN_A_PATH_STATS_PAD, figures,
					 ARRAY_SIZE(figures));
}

/* Whole values, on 32 bit as well: each under the lock of its side. */
static int mptun_netlink_put_path_state(struct sk_buff *skb,
					const struct mptun_path *path,
					int old_state)
{
	struct mptun_tunnel *tunnel = path->tunnel;
	u32 skew = mptun_netlink_skew(path);
	struct nlattr *nest;
	int err;

	spin_lock_bh(&tunnel->tx.lock);
	err = mptun_netlink_put_live(skb, path, old_state) ?:
	      mptun_netlink_put_flow(skb, path, skew);
	spin_unlock_bh(&tunnel->tx.lock);
	if (err)
		return -EMSGSIZE;

	nest = nla_nest_start(skb, MPTUN_A_PATH_STATS);
	if (!nest)
		return -EMSGSIZE;
	spin_lock_bh(&tunnel->tx.lock);
	err = mptun_netlink_put_path_tx(skb, path);
	spin_unlock_bh(&tunnel->tx.lock);
	spin_lock_bh(&tunnel->rx.lock);
	err = err ?: mptun_netlink_put_path_rx(skb, path);
	spin_unlock_bh(&tunnel->rx.lock);
	if (err) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

/**
 * mptun_netlink_fill_path() - append a message about a path
 * @skb: the buffer
 * @path: the path
 * @portid: port id of the requester
 * @seq: sequence number of the request
 * @flags: NLM_F_*
 * @cmd: MPTUN_CMD_*
 * @old_state: state before a change, -1 if it did not change
 * @admin: it is for an administrator
 *
 * Return: 0, or -EMSGSIZE if there is no room.
 */
int mptun_netlink_fill_path(struct sk_buff *skb, struct mptun_path *path,
			    u32 portid, u32 seq, int flags, u8 cmd,
			    int old_state, bool admin)
{
	void *hdr;

	lockdep_assert_held(&path->tunnel->lock);
	hdr = genlmsg_put(skb, portid, seq, &mptun_netlink_family, flags, cmd);
	if (!hdr)
		return -EMSGSIZE;
	if (mptun_netlink_put_path_settings(skb, path) ||
	    (admin && mptun_netlink_put_endpoint(skb, path)) ||
	    mptun_netlink_put_path_state(skb, path, old_state)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}
