// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Generic netlink: messages about tunnels.
 *
 * Attributes that identify keys are for administrators only.
 *
 * Counters of each side are read under its lock.
 */
#include <linux/unaligned.h>
#include <net/genetlink.h>

#include "core/session.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "ctl/netlink.h"
#include "rx/rx.h"
#include "transport/transport.h"

/* Appends the sums of @n sets of counters. */
static int mptun_netlink_put_drops(struct sk_buff *skb, int type,
				   const struct mptun_drops *const *drops,
				   unsigned int n)
{
	struct nlattr *nest = nla_nest_start(skb, type);
	unsigned int k;
	u64 sum;
	int i;

	if (!nest)
		return -EMSGSIZE;
	for (i = MPTUN_A_DROP_STATS_TX_NOT_IP; i <= MPTUN_A_DROP_STATS_MAX;
	     i++) {
		sum = 0;
		for (k = 0; k < n; k++)
			sum += atomic64_read(&drops[k]->count[i]);
		if (nla_put_u64_64bit(skb, i, sum, MPTUN_A_DROP_STATS_PAD))
			goto cancel;
	}
	nla_nest_end(skb, nest);
	return 0;

cancel:
	nla_nest_cancel(skb, nest);
	return -EMSGSIZE;
}

/* Ports that paths share are counted once. */
static int mptun_netlink_put_port_drops(struct sk_buff *skb,
					const struct mptun_tunnel *tunnel)
{
	const struct mptun_drops *drops[1 + MPTUN_PATHS_TOTAL];
	const struct mptun_endpoint *ep;
	const struct mptun_path *path;
	unsigned int i, n = 0;

	drops[n++] = &tunnel->port->drops;
	list_for_each_entry(path, &tunnel->paths, list) {
		ep = mptun_path_endpoint(path);
		for (i = 0; i < n; i++)
			if (drops[i] == &ep->port->drops)
				break;
		if (i == n)
			drops[n++] = &ep->port->drops;
	}
	return mptun_netlink_put_drops(skb, MPTUN_A_TUNNEL_PORT_DROPS, drops,
				       n);
}

/**
 * mptun_netlink_put_figures() - append u64 attributes
 * @skb: the buffer
 * @pad: attribute that pads
 * @figure: the attributes
 * @n: their number
 *
 * Return: 0, or -EMSGSIZE if there is no room.
 */
int mptun_netlink_put_figures(struct sk_buff *skb, int pad,
			      const struct mptun_netlink_figure *figure,
			      unsigned int n)
{
	for (; n--; figure++)
		if (nla_put_u64_64bit(skb, figure->type, figure->value, pad))
			return -EMSGSIZE;
	return 0;
}

static int mptun_netlink_put_reorder_counts(struct sk_buff *skb,
					    const struct mptun_reorder *r)
{
	const struct mptun_reorder_stats *s = &r->stats;
	const struct mptun_netlink_figure figures[] = {
		{ MPTUN_A_REORDER_STATS_IN_ORDER, s->in_order },
		{ MPTUN_A_REORDER_STATS_HELD, s->held },
		{ MPTUN_A_REORDER_STATS_RELEASED, s->released },
		{ MPTUN_A_REORDER_STATS_GIVEN_UP_EVIDENCE,
		  s->given_up[MPTUN_GIVE_UP_PROOF] },
		{ MPTUN_A_REORDER_STATS_GIVEN_UP_FLOOR,
		  s->given_up[MPTUN_GIVE_UP_FLOOR] },
		{ MPTUN_A_REORDER_STATS_GIVEN_UP_TIME,
		  s->given_up[MPTUN_GIVE_UP_TIME] },
		{ MPTUN_A_REORDER_STATS_GIVEN_UP_SIZE,
		  s->given_up[MPTUN_GIVE_UP_SIZE] },
		{ MPTUN_A_REORDER_STATS_GIVEN_UP_PSMC,
		  s->given_up[MPTUN_GIVE_UP_PSMC] },
		{ MPTUN_A_REORDER_STATS_LATE, s->late },
		{ MPTUN_A_REORDER_STATS_DUPLICATES, s->duplicates },
		{ MPTUN_A_REORDER_STATS_TOO_OLD, s->too_old },
		{ MPTUN_A_REORDER_STATS_THROUGH, s->through },
		{ MPTUN_A_REORDER_STATS_RESETS, s->resets },
	};

	return mptun_netlink_put_figures(skb, MPTUN_A_REORDER_STATS_PAD,
					 figures, ARRAY_SIZE(figures));
}

static int mptun_netlink_put_code_counts(struct sk_buff *skb,
					 const struct mptun_decoder_stats *s,
					 u64 missed)
{
	const struct mptun_netlink_figure figures[] = {
		{ MPTUN_A_REORDER_STATS_SYMBOLS, s->symbols + missed },
		{ MPTUN_A_REORDER_STATS_SYMBOLS_USELESS, s->useless },
		{ MPTUN_A_REORDER_STATS_SYMBOLS_LATE, s->late },
		{ MPTUN_A_REORDER_STATS_SYMBOLS_MISSED, missed },
		{ MPTUN_A_REORDER_STATS_SYMBOLS_WRONG, s->wrong },
		{ MPTUN_A_REORDER_STATS_DECODED, s->decoded },
		{ MPTUN_A_REORDER_STATS_UNDECODED, s->given_up },
	};

	return mptun_netlink_put_figures(skb, MPTUN_A_REORDER_STATS_PAD,
					 figures, ARRAY_SIZE(figures));
}

static int mptun_netlink_put_code(struct sk_buff *skb,
				  struct mptun_code_rx *code)
{
	struct mptun_decoder_stats s;
	u64 missed;

	spin_lock(&code->lock);
	s = code->stats;
	if (code->decoder)
		mptun_code_count(&s, code->decoder);
	missed = code->missed;
	spin_unlock(&code->lock);
	return mptun_netlink_put_code_counts(skb, &s, missed);
}

static int mptun_netlink_put_rx(struct sk_buff *skb, struct mptun_rx *rx)
{
	const struct mptun_playout *p = &rx->playout;
	const struct mptun_reorder *r = &rx->reorder;
	int err = -EMSGSIZE;
	struct nlattr *nest;

	spin_lock_bh(&rx->lock);
	if (nla_put_u32(skb, MPTUN_A_TUNNEL_HOLD_NOW, mptun_reorder_hold_us(r)))
		goto out;
	nest = nla_nest_start(skb, MPTUN_A_TUNNEL_REORDERING);
	if (!nest)
		goto out;
	if (nla_put_u32(skb, MPTUN_A_REORDER_STATS_HELD_PACKETS, r->held) ||
	    nla_put_u32(skb, MPTUN_A_REORDER_STATS_HELD_BYTES, r->bytes) ||
	    nla_put_u32(skb, MPTUN_A_REORDER_STATS_SLOTS, r->size) ||
	    mptun_netlink_put_reorder_counts(skb, r) ||
	    mptun_netlink_put_code(skb, &rx->code) ||
	    nla_put_u32(skb, MPTUN_A_REORDER_STATS_TARGET, r->psmc.target) ||
	    nla_put(skb, MPTUN_A_REORDER_STATS_HOLD_HISTOGRAM,
		    sizeof(r->stats.histogram), r->stats.histogram) ||
	    nla_put_u32(skb, MPTUN_A_REORDER_STATS_PLAYOUT_DELAY,
			p->classes ? p->spread >> MPTUN_OWD_FRACTION : 0) ||
	    nla_put_u32(skb, MPTUN_A_REORDER_STATS_PLAYOUT_PACKETS,
			p->packets) ||
	    nla_put_u64_64bit(skb, MPTUN_A_REORDER_STATS_PLAYED_OUT,
			      p->waited, MPTUN_A_REORDER_STATS_PAD) ||
	    nla_put_u64_64bit(skb, MPTUN_A_REORDER_STATS_PLAYED_OUT_EARLY,
			      p->early, MPTUN_A_REORDER_STATS_PAD)) {
		nla_nest_cancel(skb, nest);
		goto out;
	}
	nla_nest_end(skb, nest);
	err = 0;
out:
	spin_unlock_bh(&rx->lock);
	return err;
}

/* An empty list if all addresses are allowed. */
static int mptun_netlink_put_allowed(struct sk_buff *skb,
				     struct mptun_tunnel *tunnel)
{
	const struct mptun_allowed *allowed;
	struct nlattr *attr;
	unsigned int i, n;

	allowed = rcu_dereference_protected(tunnel->allowed,
					    lockdep_is_held(&tunnel->lock));
	n = allowed ? allowed->n : 0;
	attr = nla_reserve(skb, MPTUN_A_TUNNEL_ALLOWED_IPS,
			   n * MPTUN_ALLOWED_IP_LEN);
	if (!attr)
		return -EMSGSIZE;
	for (i = 0; i < n; i++)
		mptun_prefix_write(&allowed->set[i],
				   nla_data(attr) + i * MPTUN_ALLOWED_IP_LEN);
	return 0;
}

static int mptun_netlink_put_settings(struct sk_buff *skb,
				      struct mptun_tunnel *tunnel)
{
	const struct mptun_tunnel_config *c = &tunnel->config;

	return nla_put_u32(skb, MPTUN_A_TUNNEL_IFINDEX,
			   tunnel->dev->ifindex) ||
	       nla_put_string(skb, MPTUN_A_TUNNEL_IFNAME,
			      tunnel->dev->name) ||
	       nla_put_u16(skb, MPTUN_A_TUNNEL_PORT, c->port) ||
	       nla_put_u32(skb, MPTUN_A_TUNNEL_CIPHER, c->cipher) ||
	       nla_put_string(skb, MPTUN_A_TUNNEL_SCHED, c->sched) ||
	       nla_put_string(skb, MPTUN_A_TUNNEL_SCHED_NOW,
			      mptun_sched_name(&tunnel->tx.sched)) ||
	       nla_put_string(skb, MPTUN_A_TUNNEL_CC, c->cc) ||
	       nla_put_u32(skb, MPTUN_A_TUNNEL_REORDER, c->reorder.mode) ||
	       nla_put_u32(skb, MPTUN_A_TUNNEL_HOLD, c->reorder.hold_us) ||
	       nla_put_u32(skb, MPTUN_A_TUNNEL_BUFFER,
			   c->reorder.limit_bytes) ||
	       nla_put_u32(skb, MPTUN_A_TUNNEL_PSMC_FACTOR,
			   c->reorder.psmc_factor) ||
	       nla_put_u32(skb, MPTUN_A_TUNNEL_PSMC_PERIOD,
			   c->reorder.psmc_period_us) ||
	       nla_put_u8(skb, MPTUN_A_TUNNEL_LEARN, c->learn) ||
	       nla_put_u8(skb, MPTUN_A_TUNNEL_FOLLOW, c->follow) ||
	       nla_put_u32(skb, MPTUN_A_TUNNEL_DSCP, c->dscp) ||
	       nla_put_u32(skb, MPTUN_A_TUNNEL_PARK, c->park) ||
	       nla_put_u8(skb, MPTUN_A_TUNNEL_AUTO_GROUP, c->auto_group) ||
	       nla_put_u32(skb, MPTUN_A_TUNNEL_FWMARK, c->fwmark) ||
	       nla_put_u32(skb, MPTUN_A_TUNNEL_MTU,
			   READ_ONCE(c->mtu_auto) ? 0 : tunnel->dev->mtu) ||
	       nla_put_u32(skb, MPTUN_A_TUNNEL_MTU_NOW,
			   READ_ONCE(tunnel->dev->mtu)) ||
	       nla_put_u32(skb, MPTUN_A_TUNNEL_FRAG, c->frag) ||
	       nla_put_u32(skb, MPTUN_A_TUNNEL_MSS_CLAMP, c->mss_clamp) ||
	       mptun_netlink_put_allowed(skb, tunnel);
}

/* Which keys, or which ids in clear mode, a tunnel has. */
static int mptun_netlink_put_identity(struct sk_buff *skb,
				      struct mptun_tunnel *tunnel)
{
	const struct mptun_tunnel_config *c = &tunnel->config;
	const struct mptun_key *key = mptun_key_get(tunnel);

	if (!mptun_tunnel_sealed(tunnel))
		return nla_put_u32(skb, MPTUN_A_TUNNEL_ID, c->id) ||
		       nla_put_u32(skb, MPTUN_A_TUNNEL_PEER_ID, c->peer_id);
	return nla_put_u64_64bit(skb, MPTUN_A_TUNNEL_KEY_FINGERPRINT,
				 key ? get_unaligned_be64(key->secret.id) : 0,
				 MPTUN_A_TUNNEL_PAD);
}

/* Lifetimes of keys and sessions; nothing in clear mode. */
static int mptun_netlink_put_keys(struct sk_buff *skb,
				  struct mptun_tunnel *tunnel)
{
	const struct mptun_tunnel_config *c = &tunnel->config;
	const struct mptun_session *session;
	const struct mptun_keys *keys = &tunnel->keys;
	u64 now = mptun_key_now(), born = now;
	u32 grace_s = 0;

	if (!mptun_tunnel_sealed(tunnel))
		return 0;
	if (keys->old && now < keys->old_until_ns)
		grace_s = div_u64(keys->old_until_ns - now + NSEC_PER_SEC - 1,
				  NSEC_PER_SEC);
	rcu_read_lock();
	session = rcu_dereference(tunnel->tx.session);
	if (session)
		born = session->born_ns;
	rcu_read_unlock();
	return nla_put_u32(skb, MPTUN_A_TUNNEL_KEY_GRACE, grace_s) ||
	       nla_put_u32(skb, MPTUN_A_TUNNEL_REKEY, c->rekey_s) ||
	       nla_put_u32(skb, MPTUN_A_TUNNEL_SESSIONS,
			   READ_ONCE(tunnel->sessions.count)) ||
	       nla_put_u32(skb, MPTUN_A_TUNNEL_SESSION_AGE,
			   div_u64(now - born, NSEC_PER_MSEC)) ||
	       nla_put_u64_64bit(skb, MPTUN_A_TUNNEL_SPREAD_SEALED,
				 mptun_parallel_packets(&tunnel->tx.parallel),
				 MPTUN_A_TUNNEL_PAD) ||
	       nla_put_u64_64bit(skb, MPTUN_A_TUNNEL_SPREAD_OPENED,
				 mptun_parallel_packets(&tunnel->rx.parallel),
				 MPTUN_A_TUNNEL_PAD);
}

static int mptun_netlink_put_assoc(struct sk_buff *skb,
				   struct mptun_tunnel *tunnel)
{
	const struct mptun_assoc *assoc = &tunnel->assoc;
	u32 up = 0, state = MPTUN_ASSOC_STATE_CLOSED;
	struct mptun_path *path;

	if (assoc->established)
		state = MPTUN_ASSOC_STATE_ESTABLISHED;
	else if (tunnel->running && tunnel->initiator.wait)
		state = MPTUN_ASSOC_STATE_OPENING;
	list_for_each_entry(path, &tunnel->paths, list)
		up += mptun_path_up(path);
	return nla_put_u32(skb, MPTUN_A_TUNNEL_STATE, state) ||
	       nla_put_u64_64bit(skb, MPTUN_A_TUNNEL_INSTANCE,
				 assoc->instance, MPTUN_A_TUNNEL_PAD) ||
	       nla_put_u64_64bit(skb, MPTUN_A_TUNNEL_PEER_INSTANCE,
				 assoc->peer_instance, MPTUN_A_TUNNEL_PAD) ||
	       nla_put_u32(skb, MPTUN_A_TUNNEL_PATHS, tunnel->n_paths) ||
	       nla_put_u32(skb, MPTUN_A_TUNNEL_PATHS_UP, up) ||
	       nla_put_u32(skb, MPTUN_A_TUNNEL_ASSOCIATIONS, assoc->count);
}

/**
 * mptun_netlink_fill_tunnel() - append a message about a tunnel
 * @skb: the buffer
 * @tunnel: the tunnel
 * @portid: port id of the requester
 * @seq: sequence number of the request
 * @flags: NLM_F_*
 * @cmd: MPTUN_CMD_*
 * @admin: it is for an administrator
 *
 * Return: 0, or -EMSGSIZE if there is no room.
 */
int mptun_netlink_fill_tunnel(struct sk_buff *skb,
			      struct mptun_tunnel *tunnel, u32 portid,
			      u32 seq, int flags, u8 cmd, bool admin)
{
	const struct mptun_drops *drops = &tunnel->drops;
	void *hdr;

	lockdep_assert_held(&tunnel->lock);
	hdr = genlmsg_put(skb, portid, seq, &mptun_netlink_family, flags, cmd);
	if (!hdr)
		return -EMSGSIZE;
	if (mptun_netlink_put_settings(skb, tunnel) ||
	    (admin && mptun_netlink_put_identity(skb, tunnel)) ||
	    mptun_netlink_put_keys(skb, tunnel) ||
	    mptun_netlink_put_assoc(skb, tunnel) ||
	    mptun_netlink_put_rx(skb, &tunnel->rx) ||
	    mptun_netlink_put_drops(skb, MPTUN_A_TUNNEL_DROPS, &drops, 1) ||
	    mptun_netlink_put_port_drops(skb, tunnel)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}
