// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Handler of the timer of a path.
 *
 * A path has one timer for all deadlines of its sending side, armed by
 * mptun_timer_update() under mptun_tx.lock.
 */
#include <linux/hrtimer.h>
#include <linux/random.h>

#include "core/path.h"
#include "core/tunnel.h"
#include "ctl/ctl.h"
#include "path/path.h"
#include "rx/rx.h"
#include "tx/tx.h"

/* Ends a round of size probes.  Returns whether to send the next one, and sets
 * @round to it.
 */
static bool mptun_timer_sizes(struct mptun_path *path, struct mptun_pmtu *round,
			      u64 now)
{
	u64 pto = (u64)mptun_rtt_pto_us(&path->tx.rtt) * NSEC_PER_USEC;
	bool used = now < path->tx.sent.last_ns + MPTUN_PMTU_RAISE_NS;
	u32 size = path->pmtu.size;
	bool probe;

	lockdep_assert_held(&path->tunnel->tx.lock);
	probe = mptun_path_sized(path) &&
		mptun_pmtu_expire(&path->pmtu, get_random_u64(), pto, used,
				  now);
	mptun_out_resize(path);
	/* Packets in flight were too large for the path. */
	if (path->pmtu.size < size)
		mptun_rtx_suspect(path);
	if (!mptun_pmtu_doubted(&path->pmtu))
		path->tx.sent.doubt = 0;
	*round = path->pmtu;
	return probe;
}

/**
 * mptun_timer_fired() - handle the deadlines of a path
 * @timer: timer of the path
 *
 * Return: HRTIMER_NORESTART; mptun_timer_update() arms it again.
 */
enum hrtimer_restart mptun_timer_fired(struct hrtimer *timer)
{
	struct mptun_path *path = container_of(timer, struct mptun_path, timer);
	struct mptun_tunnel *tunnel = path->tunnel;
	struct mptun_sent *sent = &path->tx.sent;
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_dsfield_round dsfields;
	bool probe, overdue, examine, ask;
	struct mptun_pmtu round;
	u64 now = mptun_now();
	int err;

	mptun_enter();
	spin_lock(&tx->lock);
	path->live.timer_ns = U64_MAX;
	err = path->live.error;
	path->live.error = 0;
	if (err)
		mptun_liveness_unroutable(path, err, now);
	if (mptun_sent_loss_deadline(sent) <= now)
		mptun_ack_detect(path, now);
	probe = mptun_liveness_expire(path, now);
	overdue = sent->packets && mptun_path_up(path);
	/* Free memory of an idle path; probes keep its timer firing. */
	if (sent->ring.chunks + sent->kept.chunks > 1 &&
	    now > sent->last_ns + MPTUN_IDLE_NS)
		mptun_sent_idle(sent);
	if (now > atomic64_read(&tx->active_ns) + MPTUN_IDLE_NS)
		__skb_queue_purge(&tx->spare);
	examine = mptun_timer_sizes(path, &round, now);
	ask = mptun_path_sized(path) &&
	      now >= mptun_dsfield_deadline(&path->dsfield) &&
	      mptun_dsfield_expire(&path->dsfield, get_random_u64(),
				   mptun_rtt_pto_us(&path->tx.rtt) *
				   (u64)NSEC_PER_USEC, now, &dsfields);
	mptun_timer_update(path, now);
	mptun_place_finish_unlock(tunnel);

	if (probe)
		mptun_probe_challenge(path, NULL, READ_ONCE(path->wire_id));
	/* Chance must not take this probe after it has taken data. */
	if (probe && overdue)
		mptun_probe_challenge(path, NULL, READ_ONCE(path->wire_id));
	if (examine)
		mptun_probe_sizes(path, &round);
	if (ask)
		mptun_probe_dsfields(path, &dsfields);
	mptun_path_cap_check(path, now);
	mptun_rx_idle(tunnel, now);
	mptun_leave();
	return HRTIMER_NORESTART;
}
