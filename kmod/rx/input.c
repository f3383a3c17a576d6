// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Input: control packets, which take effect where they arrive.
 *
 * The number is checked under mptun_rx.lock first, so that a replayed packet
 * changes nothing.  Only the end of an association is left to the tunnel's
 * worker, which holds mptun_tunnel.lock.
 */
#include <net/inet_ecn.h>

#include "core/path.h"
#include "core/tunnel.h"
#include "path/path.h"
#include "rx/rx.h"

/* Returns 0 if a control number is plausible and new, else the drop reason. */
static unsigned int mptun_input_number(struct mptun_tunnel *tunnel,
				       struct mptun_recv_info *info, u64 now)
{
	struct mptun_replay_space *space = &tunnel->assoc.window;

	lockdep_assert_held(&tunnel->rx.lock);
	if (info->path)
		space = mptun_path_control(info->path, info->wire_id);
	if (!space)
		return MPTUN_A_DROP_STATS_RX_NO_PATH;
	if (!mptun_tunnel_sealed(tunnel) && info->path &&
	    mptun_replay_filter(&space->window, info->number) ==
	    MPTUN_REPLAY_DROP)
		return MPTUN_A_DROP_STATS_RX_JUMP;
	if (!mptun_tunnel_control_fresh(tunnel, space, info->number, now))
		return MPTUN_A_DROP_STATS_RX_REPLAY;
	info->newest = space->window.next == info->number + 1;
	return 0;
}

/* Notes what the ECN field of a control packet says about marks of its path.
 * Only probes of DS fields are sent ECT.
 */
static void mptun_input_ecn(struct mptun_ecn_check *check,
			    const struct mptun_recv_info *info,
			    const struct sk_buff *skb)
{
	const struct mptun_probe *probe = NULL;
	bool marked = INET_ECN_is_ce(info->ds);
	struct mptun_probe buf;

	if (info->kind == MPTUN_KIND_PROBE)
		probe = skb_header_pointer(skb, 0, sizeof(buf), &buf);
	if (!probe || probe->answer || INET_ECN_is_not_ect(probe->ds))
		WRITE_ONCE(check->control_marked, marked);
	else if (!marked && !INET_ECN_is_not_ect(info->ds))
		WRITE_ONCE(check->ect_unmarked, true);
}

/**
 * mptun_input() - receive a control packet
 * @tunnel: the tunnel
 * @info: its headers; of a SET about the association the path is NULL
 * @skb: the packet, at its body; consumed
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 */
void mptun_input(struct mptun_tunnel *tunnel, struct mptun_recv_info *info,
		 struct sk_buff *skb)
{
	struct mptun_path *path = info->path;
	struct mptun_blocks blocks = {};
	u64 now = mptun_now();
	unsigned int reason;
	int err = 0;

	if (info->kind == MPTUN_KIND_REPORT || info->kind == MPTUN_KIND_SET)
		err = skb_linearize(skb) ?:
		      mptun_blocks_parse(&blocks, skb->data, skb->len);

	spin_lock(&tunnel->rx.lock);
	reason = mptun_input_number(tunnel, info, now);
	if (!reason && path) {
		atomic64_set(&path->rx.last_ns, now);
		mptun_input_ecn(&path->rx.ecn, info, skb);
		mptun_playout_sample(&path->rx.playout, info->time, now);
	}
	if (!reason && !err)
		err = mptun_blocks_apply_rx(tunnel, &blocks, now);
	spin_unlock(&tunnel->rx.lock);
	if (reason) {
		mptun_drop(&tunnel->drops, skb, reason);
		return;
	}

	if (!err)
		err = mptun_blocks_apply_tx(tunnel, path, &blocks, now);
	if (info->kind == MPTUN_KIND_PROBE)
		err = mptun_probe_receive(path, info->wire_id, skb,
					  &info->newest);
	if (path) {
		atomic64_inc(&path->rx_control);
		atomic64_add(info->bytes, &path->control_bytes);
	}
	if (err) {
		mptun_drop(&tunnel->drops, skb,
			   MPTUN_A_DROP_STATS_RX_MALFORMED);
	} else if (info->kind == MPTUN_KIND_BYE) {
		skb_push(skb, sizeof(struct mptun_packet));
		mptun_tunnel_queue(tunnel, &tunnel->work_probes, skb,
				   MPTUN_A_DROP_STATS_RX_PROBE_LIMIT);
	} else {
		consume_skb(skb);
	}
}
