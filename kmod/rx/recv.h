/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Reception: from the sockets to the ring.
 */
#ifndef _MPTUN_RECV_H
#define _MPTUN_RECV_H

struct mptun_net;
struct mptun_port;
struct mptun_session;
struct sk_buff;
struct sock;

void mptun_recv_opened(struct mptun_session *session, struct sk_buff *skb);
int mptun_recv(struct sock *sk, struct sk_buff *skb);

/* rx/handshake.c */
void mptun_recv_hello(struct mptun_net *mn, struct mptun_port *port,
		      struct sk_buff *skb);

#endif /* _MPTUN_RECV_H */
