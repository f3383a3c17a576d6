/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Handshakes: initiator, responder, and the association that results.
 */
#ifndef _MPTUN_SESSION_SESSION_H
#define _MPTUN_SESSION_SESSION_H

#include <linux/list.h>
#include <linux/types.h>

struct list_head;
struct mptun_hello;
struct mptun_session;
struct mptun_tunnel;
struct sk_buff;

/* session/assoc.c */
void mptun_assoc_start(struct mptun_tunnel *tunnel);
bool mptun_assoc_begin(struct mptun_tunnel *tunnel,
		       struct mptun_session *session, struct list_head *dead);
void mptun_assoc_work(struct mptun_tunnel *tunnel);
void mptun_assoc_end(struct mptun_tunnel *tunnel, u64 next,
		     struct list_head *dead);
void mptun_assoc_bye(struct mptun_tunnel *tunnel);
bool mptun_assoc_recv_bye(struct mptun_tunnel *tunnel,
			  const struct sk_buff *skb,
			  struct list_head *dead);
bool mptun_assoc_renew(struct mptun_tunnel *tunnel, struct list_head *dead);

void mptun_assoc_hello(const struct mptun_tunnel *tunnel,
		       struct mptun_hello *hello, u32 sender, u64 counter);
unsigned int mptun_assoc_check(const struct mptun_tunnel *tunnel,
			       const struct mptun_hello *hello);

/* session/initiator.c */
unsigned long mptun_initiator_work(struct mptun_tunnel *tunnel);
void mptun_initiator_close(struct mptun_tunnel *tunnel);
void mptun_initiator_reset(struct mptun_tunnel *tunnel);
bool mptun_initiator_response(struct mptun_tunnel *tunnel,
			      const struct sk_buff *skb,
			      struct list_head *dead);
bool mptun_initiator_cookie(struct mptun_tunnel *tunnel, struct sk_buff *skb);

/* session/responder.c */
unsigned int mptun_responder_init(struct mptun_tunnel *tunnel,
				  const struct sk_buff *skb, bool prove);

#endif /* _MPTUN_SESSION_SESSION_H */
