// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * The worker of a tunnel: work that may sleep or needs mptun_tunnel.lock.
 *
 * Handshakes, learned and moved paths, deletion of paths, lifetimes of keys and
 * sessions, judgement of paths, and events for user space.  There is no
 * handshake while an image of memory is made (core/epoch.c), nor before random
 * numbers can be trusted (crypto/random.c).
 */
#include <linux/skbuff.h>
#include <linux/wait_bit.h>

#include "base/skb_cb.h"
#include "core/epoch.h"
#include "core/event.h"
#include "core/lookup.h"
#include "core/path.h"
#include "core/session.h"
#include "core/tunnel.h"
#include "crypto/random.h"
#include "ctl/ctl.h"
#include "path/path.h"
#include "rx/rx.h"
#include "session/session.h"
#include "tx/tx.h"

/* How often to look whether random numbers can be trusted, early at boot. */
#define MPTUN_WORKER_RANDOM	(HZ / 10)

/* Processes a decrypted PACKET of an unknown peer or path, or a BYE. */
static unsigned int mptun_worker_packet(struct mptun_tunnel *tunnel,
					struct sk_buff *skb,
					struct list_head *dead)
{
	const struct mptun_packet *hdr = (const void *)skb->data;
	struct mptun_session *session;

	rcu_read_lock();
	session = mptun_net_session(mptun_net(tunnel->net),
				    be32_to_cpu(hdr->outer.receiver));
	rcu_read_unlock();
	/* The mutex keeps a session of this tunnel. */
	if (!session || session->tunnel != tunnel)
		return MPTUN_A_DROP_STATS_RX_NO_ASSOCIATION;
	if (hdr->inner.kind_class >> 4 == MPTUN_KIND_PROBE) {
		if (mptun_session_matches(session) ||
		    mptun_assoc_begin(tunnel, session, dead))
			mptun_learn(tunnel, skb);
		else
			skb_queue_head(&tunnel->work_probes, skb_get(skb));
		return 0;
	}
	if (mptun_session_matches(session) &&
	    mptun_assoc_recv_bye(tunnel, skb, dead))
		return 0;
	return MPTUN_A_DROP_STATS_RX_HANDSHAKE;
}

/* Returns 0, or the reason to drop the packet. */
static unsigned int mptun_worker_skb(struct mptun_tunnel *tunnel,
				     struct sk_buff *skb,
				     struct list_head *dead)
{
	unsigned int reason = MPTUN_A_DROP_STATS_RX_HANDSHAKE;
	const struct mptun_outer *outer;

	if (!tunnel->running || !tunnel->net ||
	    !mptun_epoch_valid(tunnel->assoc.epoch))
		return reason;
	outer = (const void *)skb->data;
	switch (outer->type) {
	case MPTUN_TYPE_INIT:
		return mptun_responder_init(tunnel, skb,
					    mptun_rxcb(skb)->prove);
	case MPTUN_TYPE_RESPONSE:
		return mptun_initiator_response(tunnel, skb, dead) ? 0 : reason;
	case MPTUN_TYPE_COOKIE:
		return mptun_initiator_cookie(tunnel, skb) ? 0 : reason;
	default:
		return mptun_worker_packet(tunnel, skb, dead);
	}
}

/* Processes queued packets, but leaves the lock to others now and then: a
 * holder of RTNL may wait for it.  An association that has to wait comes first.
 */
static void mptun_worker_packets(struct mptun_tunnel *tunnel,
				 struct list_head *dead)
{
	unsigned int reason, left = MPTUN_WORK_QUEUE;
	struct sk_buff *skb;

	lockdep_assert_held(&tunnel->lock);
	while (left-- && !tunnel->assoc.next) {
		/* Handshakes come first: there are few. */
		skb = skb_dequeue(&tunnel->work_queue) ?:
		      skb_dequeue(&tunnel->work_probes);
		if (!skb)
			break;
		reason = mptun_worker_skb(tunnel, skb, dead);
		if (reason)
			mptun_drop_add(&tunnel->drops, reason, 1);
		consume_skb(skb);
	}
}

/* Converts a time to jiffies from now; U64_MAX is never. */
static unsigned long mptun_worker_delay(u64 at, u64 now)
{
	if (at == U64_MAX)
		return MAX_JIFFY_OFFSET;
	return at > now ? nsecs_to_jiffies(at - now) + 1 : 1;
}

/* Expires keys, sessions and paths; returns jiffies until the next one. */
static unsigned long mptun_worker_expire(struct mptun_tunnel *tunnel,
					 struct list_head *dead)
{
	u64 at, due = mptun_tunnel_policy_work(tunnel), now = mptun_key_now();
	struct mptun_path *path, *tmp;

	at = min(mptun_key_expire(tunnel, now),
		 mptun_session_expire(tunnel, now));
	list_for_each_entry_safe(path, tmp, &tunnel->paths, list) {
		due = min(due, mptun_policy_work(path));
		due = min(due, mptun_path_work(path, dead));
	}
	return min(mptun_worker_delay(at, now),
		   mptun_worker_delay(due, mptun_now()));
}

/**
 * mptun_worker() - run the worker of a tunnel
 * @work: &mptun_tunnel.work
 */
void mptun_worker(struct work_struct *work)
{
	unsigned long attempt, readers, wait;
	struct mptun_tunnel *tunnel;
	LIST_HEAD(dead);
	bool dropped, pending;
	u64 now, at;

	tunnel = container_of(work, struct mptun_tunnel, work.work);
	mutex_lock(&tunnel->lock);
	if (!tunnel->unlinked)
		list_splice_init(&tunnel->dead, &dead);
	/* Association, sessions and attempt are of an epoch that has ended.
	 * BYE would need a number.
	 */
	if (tunnel->running && !mptun_epoch_valid(tunnel->assoc.epoch)) {
		mptun_assoc_end(tunnel, 0, &dead);
		if (tunnel->net)
			mptun_initiator_reset(tunnel);
		mptun_assoc_start(tunnel);
	}
	mptun_suspend_judge(tunnel);
	mptun_event_send(tunnel);
	mptun_assoc_work(tunnel);
	mptun_worker_packets(tunnel, &dead);
	wait = mptun_worker_expire(tunnel, &dead);
	now = mptun_now();
	at = min3(mptun_mtu_follow(tunnel, now), mptun_code_work(tunnel, now),
		  mptun_code_rx_work(tunnel, now));
	wait = min(wait, mptun_worker_delay(at, now));
	if (mptun_assoc_renew(tunnel, &dead))
		mptun_initiator_reset(tunnel);
	if (!mptun_epoch_valid(tunnel->assoc.epoch) || tunnel->assoc.next)
		attempt = MAX_JIFFY_OFFSET;
	else if (!mptun_random_ready())
		attempt = MPTUN_WORKER_RANDOM;
	else
		attempt = mptun_initiator_work(tunnel);
	dropped = !mptun_epoch_valid(tunnel->assoc.epoch) &&
		  list_empty(&tunnel->sessions.list);
	pending = tunnel->assoc.next;
	readers = tunnel->assoc.readers;
	mutex_unlock(&tunnel->lock);
	mptun_delete_free(&dead);
	if (pending)
		cond_synchronize_rcu(readers);
	/* Packets in line hold their session.  They leave before memory is
	 * copied: none is encrypted after that, here or in a copy, and no copy
	 * has its keys.
	 */
	if (dropped)
		wait_var_event(&tunnel->n_sessions,
			       !atomic_read(&tunnel->n_sessions));

	mptun_enter();
	mptun_place_ready(tunnel);
	mptun_leave();

	/* Unlike mod_delayed_work() this does not postpone a kick. */
	wait = !pending && skb_queue_empty_lockless(&tunnel->work_queue) &&
	       skb_queue_empty_lockless(&tunnel->work_probes) ?
	       min(wait, attempt) : 0;
	if (wait != MAX_JIFFY_OFFSET)
		queue_delayed_work(mptun_wq, &tunnel->work, wait);
}
