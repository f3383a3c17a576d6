/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Sealing: a numbered packet gets the index and the tag of its session, and
 * leaves.
 */
#ifndef _MPTUN_SEAL_H
#define _MPTUN_SEAL_H

#include <linux/types.h>

struct mptun_endpoint;
struct mptun_path;
struct mptun_session;
struct sk_buff;

int mptun_seal_at(struct mptun_session *session, u8 *packet, u32 len);
int mptun_seal_from(struct mptun_session *session, u8 *packet, u32 head,
		    const u8 *rest, u32 len);
int mptun_seal_data(struct mptun_session *session, struct sk_buff *skb);
int mptun_seal_output(struct mptun_session *session, struct mptun_path *path,
		      struct sk_buff *skb, u8 ds);
int mptun_seal_control(struct mptun_session *session, struct mptun_path *path,
		       struct sk_buff *skb);
int mptun_seal_reply(struct mptun_session *session,
		     const struct mptun_endpoint *ep, struct sk_buff *skb);

#endif /* _MPTUN_SEAL_H */
