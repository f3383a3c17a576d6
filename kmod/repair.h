/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Repair: what was lost is sent again.
 */
#ifndef _MPTUN_REPAIR_H
#define _MPTUN_REPAIR_H

#include <linux/skbuff.h>
#include <linux/types.h>

/* So many packets of a tunnel are kept at most: 200 ms of a Gbit/s. */
#define MPTUN_REPAIR_MAX	16384U

struct mptun_path;
struct mptun_tunnel;

/**
 * struct mptun_repair - packets of all paths that may be sent again
 * @lost: those that are to be, the lowest dsn first
 * @kept: how many there are, on the paths as well
 */
struct mptun_repair {
	struct sk_buff_head lost;
	u32 kept;
};

void mptun_repair_init(struct mptun_repair *repair);
void mptun_repair_keep(struct mptun_path *path, struct sk_buff *skb,
		       u32 packets, u64 now);
void mptun_repair_settle(struct mptun_path *path);
void mptun_repair_doubt(struct mptun_path *path);
void mptun_repair_forget(struct mptun_path *path);
void mptun_repair_purge(struct mptun_tunnel *tunnel);
bool mptun_repair_oldest_dsn(const struct mptun_repair *repair, u32 *dsn);
bool mptun_repair_place(struct mptun_tunnel *tunnel, u64 now);

/**
 * mptun_repair_waits() - is there something to be sent again?
 * @repair: packets of a tunnel
 *
 * Return: true if there is.
 */
static inline bool mptun_repair_waits(const struct mptun_repair *repair)
{
	return !skb_queue_empty(&repair->lost);
}

#endif /* _MPTUN_REPAIR_H */
