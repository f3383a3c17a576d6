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

#include "core/path.h"
#include "core/tunnel.h"
#include "ctl/ctl.h"
#include "path/path.h"
#include "rx/rx.h"
#include "tx/tx.h"

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
	u64 now = mptun_now();
	bool probe, examine;
	u64 token, pto;
	u32 size;
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
	/* Free memory of an idle path; probes keep its timer firing. */
	if (sent->ring.chunks + sent->kept.chunks > 1 &&
	    now > sent->last_ns + MPTUN_IDLE_NS)
		mptun_sent_idle(sent);
	pto = (u64)mptun_rtt_pto_us(&path->tx.rtt) * NSEC_PER_USEC;
	examine = mptun_path_usable(path) &&
		  mptun_pmtu_expire(&path->pmtu, pto, now);
	size = mptun_pmtu_probed(&path->pmtu);
	token = path->pmtu.token;
	mptun_out_resize(path);
	mptun_timer_update(path, now);
	mptun_place_finish(tunnel);

	if (probe)
		mptun_probe_send(path);
	if (examine)
		mptun_probe_sizes(path, size, token);
	mptun_quota_check(path, now);
	mptun_rx_idle(tunnel, now);
	mptun_leave();
	return HRTIMER_NORESTART;
}
