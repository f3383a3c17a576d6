/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Reports: what we tell the peer about the packets it sent.
 */
#ifndef _MPTUN_REPORT_H
#define _MPTUN_REPORT_H

#include <linux/types.h>

struct mptun_path;
struct sk_buff;
struct mptun_tunnel;

u64 mptun_report_deadline(const struct mptun_path *path);
u64 mptun_report_latest(const struct mptun_path *path);
u64 mptun_report_next(const struct mptun_path *path, u64 now);
void mptun_report_floor(struct sk_buff *skb, struct mptun_path *path);
void mptun_report_due(struct mptun_tunnel *tunnel, u64 now);

#endif /* _MPTUN_REPORT_H */
