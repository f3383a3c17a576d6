// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Policy of the tunnel: what one end asks of the other for the direction it
 * receives, apart from its paths (path/policy.c).  The block is CAPS.
 *
 * A class may have a rate, for traffic that does not slow down when it loses
 * packets (sched/class.c).  Traffic that arrives over a link is best limited
 * where it is sent.  So an end with paths of its own sends its rates to the
 * peer, and an end with learned paths and "follow" on applies the peer's rates
 * to traffic that none of its own classes limits.
 *
 * The same holds for the scheduler: which one suits depends on the uplinks, and
 * the end that has them knows them.  One that was set here precedes it.
 */
#include <linux/string.h>

#include "core/path.h"
#include "core/tunnel.h"
#include "path/path.h"
#include "tx/tx.h"

/* Returns whether one of these paths works. */
static bool mptun_tunnel_policy_has(struct mptun_tunnel *tunnel, bool learned)
{
	struct mptun_path *path;

	list_for_each_entry(path, &tunnel->paths, list)
		if (path->learned == learned && mptun_path_usable(path))
			return true;
	return false;
}

static void mptun_tunnel_policy_send(struct mptun_tunnel *tunnel,
				     struct sk_buff *skb)
{
	struct mptun_path *path;

	mptun_enter();
	path = mptun_control_path(tunnel, NULL);
	if (path)
		mptun_control_send(path, skb, MPTUN_KIND_SET);
	else
		kfree_skb(skb); /* repeated like a lost one */
	mptun_leave();
}

/* Returns a message with space for a number of rates, or NULL. */
static struct sk_buff *mptun_tunnel_policy_alloc(unsigned int n,
						 struct mptun_caps_head **head)
{
	unsigned int len = sizeof(**head) + n * sizeof(struct mptun_caps_entry);
	struct sk_buff *skb;

	skb = mptun_control_alloc(sizeof(struct mptun_block) + len);
	if (skb)
		*head = mptun_control_block(skb, MPTUN_BLOCK_CAPS, len);
	return skb;
}

static u64 mptun_tunnel_policy_say(struct mptun_tunnel *tunnel)
{
	struct mptun_class_rates *rates = &tunnel->class_rates;
	u64 now = mptun_now(), at = U64_MAX;
	u8 sched = MPTUN_CAPS_SCHED_NONE;
	struct mptun_caps_head *head;
	struct sk_buff *skb = NULL;

	if (!mptun_tunnel_policy_has(tunnel, false))
		return U64_MAX;
	spin_lock_bh(&tunnel->tx.lock);
	if (strcmp(tunnel->config.sched, MPTUN_DEFAULT_SCHED))
		sched = tunnel->tx.sched.ops->number;
	mptun_class_rates_say(rates, mptun_classify_list(tunnel), sched, now);
	if (mptun_policy_open(&rates->send)) {
		if (rates->send.due_ns <= now) {
			skb = mptun_tunnel_policy_alloc(rates->said.n, &head);
			if (skb)
				mptun_class_rates_write(rates, head);
			mptun_policy_sent(&rates->send, now);
		}
		at = rates->send.due_ns;
	}
	spin_unlock_bh(&tunnel->tx.lock);
	if (skb)
		mptun_tunnel_policy_send(tunnel, skb);
	return at;
}

/**
 * mptun_tunnel_policy_sched() - use the scheduler that was set, or the peer's
 * @tunnel: the tunnel
 */
void mptun_tunnel_policy_sched(struct mptun_tunnel *tunnel)
{
	const struct mptun_sched_ops *const *ops;
	const char *name = tunnel->config.sched;
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_path *path;

	lockdep_assert_held(&tunnel->lock);
	if (!strcmp(name, MPTUN_DEFAULT_SCHED)) {
		name = MPTUN_SCHED_OF_AUTO;
		for (ops = mptun_sched_table; *ops; ops++)
			if ((*ops)->number == tunnel->peer_sched)
				name = (*ops)->name;
	}
	if (!strcmp(name, mptun_sched_name(&tx->sched)))
		return;
	spin_lock_bh(&tx->lock);
	mptun_sched_assign(&tx->sched, name);
	list_for_each_entry(path, &tunnel->paths, list)
		memset(&path->tx.mem, 0, sizeof(path->tx.mem));
	spin_unlock_bh(&tx->lock);
}

static u64 mptun_tunnel_policy_follow(struct mptun_tunnel *tunnel)
{
	struct mptun_policy_recv *recv = &tunnel->class_rates.recv;
	u64 now = mptun_now(), at = U64_MAX;
	struct mptun_class_rate_list heard;
	struct mptun_caps_head *head;
	struct sk_buff *skb;
	u32 version;
	bool follow;

	spin_lock_bh(&tunnel->tx.lock);
	if (mptun_policy_waits(recv))
		at = max(recv->ready_ns, now);
	version = recv->version;
	heard = tunnel->class_rates.heard;
	if (at == now)
		mptun_policy_taken(recv, now);
	spin_unlock_bh(&tunnel->tx.lock);
	if (at > now)
		return at;
	follow = tunnel->config.follow && mptun_tunnel_policy_has(tunnel, true);
	/* Without memory there is no answer, and the peer repeats them. */
	if (mptun_classify_peer_rates(tunnel, follow ? &heard : NULL)) {
		spin_lock_bh(&tunnel->tx.lock);
		recv->fresh = true;
		spin_unlock_bh(&tunnel->tx.lock);
		return recv->ready_ns;
	}
	tunnel->peer_sched = follow ? heard.sched : MPTUN_CAPS_SCHED_NONE;
	mptun_tunnel_policy_sched(tunnel);
	skb = mptun_tunnel_policy_alloc(0, &head);
	if (!skb)
		return U64_MAX;
	head->version = cpu_to_be32(version);
	head->flags = MPTUN_POLICY_ACK | (follow ? MPTUN_POLICY_FOLLOWED : 0);
	mptun_tunnel_policy_send(tunnel, skb);
	return U64_MAX;
}

/**
 * mptun_tunnel_policy_work() - exchange and apply rates and scheduler
 * @tunnel: the tunnel
 *
 * Return: time in ns at which to call it again, U64_MAX for none.
 */
u64 mptun_tunnel_policy_work(struct mptun_tunnel *tunnel)
{
	lockdep_assert_held(&tunnel->lock);
	if (!tunnel->assoc.established)
		return U64_MAX;
	return min(mptun_tunnel_policy_follow(tunnel),
		   mptun_tunnel_policy_say(tunnel));
}

/**
 * mptun_tunnel_policy_associate() - begin an association
 * @tunnel: the tunnel
 */
void mptun_tunnel_policy_associate(struct mptun_tunnel *tunnel)
{
	struct mptun_class_rates *rates = &tunnel->class_rates;

	lockdep_assert_held(&tunnel->lock);
	spin_lock_bh(&tunnel->tx.lock);
	rates->recv = (struct mptun_policy_recv){};
	rates->send.acked = 0;
	mptun_policy_again(&rates->send);
	spin_unlock_bh(&tunnel->tx.lock);
	mptun_classify_peer_rates(tunnel, NULL);
	tunnel->peer_sched = MPTUN_CAPS_SCHED_NONE;
	mptun_tunnel_policy_sched(tunnel);
}
