/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Output: a finished packet goes down into the stack.
 */
#ifndef _MPTUN_OUTPUT_H
#define _MPTUN_OUTPUT_H

struct mptun_endpoint;
struct mptun_path;
struct mptun_tunnel;
struct sk_buff;

int mptun_output(struct mptun_path *path, struct sk_buff *skb, u8 ds);
int mptun_output_control(struct mptun_path *path, struct sk_buff *skb);
int mptun_output_reply(struct mptun_tunnel *tunnel,
		       const struct mptun_endpoint *ep, struct sk_buff *skb);

#endif /* _MPTUN_OUTPUT_H */
