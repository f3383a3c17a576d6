/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Repair: what was lost is sent again.
 */
#ifndef _MPTUN_REPAIR_H
#define _MPTUN_REPAIR_H

#include <linux/types.h>

/* So many packets of a tunnel are kept at most: 200 ms of a Gbit/s. */
#define MPTUN_REPAIR_MAX	16384U

struct mptun_path;
struct mptun_tunnel;
struct sk_buff;

/**
 * struct mptun_repair - packets of all paths that may be sent again
 * @kept: how many there are
 * @lost: how many of them are to be, and wait in the queues of the tunnel
 */
struct mptun_repair {
	u32 kept;
	u32 lost;
};

void mptun_repair_keep(struct mptun_path *path, struct sk_buff *skb,
		       u32 packets, u64 now);
void mptun_repair_settle(struct mptun_path *path);
void mptun_repair_doubt(struct mptun_path *path);
void mptun_repair_forget(struct mptun_path *path);
void mptun_repair_purge(struct mptun_tunnel *tunnel);
bool mptun_repair_oldest_dsn(const struct mptun_tunnel *tunnel, u32 *dsn);
struct sk_buff *mptun_repair_first(struct mptun_tunnel *tunnel, unsigned int q,
				   u64 now);
int mptun_repair_pick(struct mptun_tunnel *tunnel, const struct sk_buff *skb,
		      unsigned int n, u32 bytes, u32 packet_mtu);
void mptun_repair_place(struct mptun_tunnel *tunnel, unsigned int q,
			struct sk_buff *skb, int chosen, u64 now);

/**
 * mptun_repair_waits() - is there something to be sent again?
 * @repair: packets of a tunnel
 *
 * Return: true if there is.
 */
static inline bool mptun_repair_waits(const struct mptun_repair *repair)
{
	return repair->lost;
}

#endif /* _MPTUN_REPAIR_H */
