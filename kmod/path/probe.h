/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Probes: challenges that prove a path, and their answers.
 */
#ifndef _MPTUN_PROBE_H
#define _MPTUN_PROBE_H

#include <linux/types.h>

struct mptun_endpoint;
struct mptun_path;
struct mptun_probe;
struct sk_buff;

void mptun_probe_send(struct mptun_path *path);
void mptun_probe_token(struct mptun_path *path,
		       const struct mptun_endpoint *ep, u64 token);
void mptun_probe_challenge(struct mptun_path *path, u16 wire_id);
bool mptun_probe_proves(struct mptun_path *path, struct sk_buff *skb);
int mptun_probe_receive(struct mptun_path *path, struct sk_buff *skb);

#endif /* _MPTUN_PROBE_H */
