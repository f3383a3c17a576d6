// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Instantiates the tracepoints of base/trace.h.
 */
#include <linux/netdevice.h>

#include "core/path.h"
#include "core/tunnel.h"
#include "recovery/sent.h"

#define CREATE_TRACE_POINTS
#include "base/trace.h"

/* What the format of events assumes. */
static_assert(sizeof_field(struct net_device, name) == MPTUN_TRACE_LEN);
static_assert(sizeof_field(struct mptun_path_config, name) ==
	      MPTUN_TRACE_LEN);
static_assert((int)MPTUN_A_DROP_STATS_MAX ==
	      (int)MPTUN_A_DROP_STATS_RX_PROBE_LIMIT);
static_assert(MPTUN_GIVE_UP_REASONS == 5);

/**
 * mptun_trace_given_up() - trace packets that the reorder buffer gave up
 * @tunnel: the tunnel
 *
 * The reorder buffer itself, a pure core, has no tracepoints.
 */
void mptun_trace_given_up(struct mptun_tunnel *tunnel)
{
	const struct mptun_reorder_stats *stats = &tunnel->rx.reorder.stats;
	u64 given_up = 0;
	unsigned int i;

	lockdep_assert_held(&tunnel->rx.lock);
	for (i = 0; i < MPTUN_GIVE_UP_REASONS; i++)
		given_up += stats->given_up[i];
	if (given_up == tunnel->rx.traced)
		return;
	tunnel->rx.traced = given_up;
	trace_mptun_give_up(tunnel);
}
