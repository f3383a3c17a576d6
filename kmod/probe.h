/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Probes: challenges that prove a path, and their answers.
 */
#ifndef _MPTUN_PROBE_H
#define _MPTUN_PROBE_H

struct mptun_path;
struct mptun_probe;
struct sk_buff;

void mptun_probe_send(struct mptun_path *path);
int mptun_probe_receive(struct mptun_path *path, struct sk_buff *skb);

#endif /* _MPTUN_PROBE_H */
