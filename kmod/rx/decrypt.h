/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Opening: is a PACKET of a session genuine?
 */
#ifndef _MPTUN_OPEN_H
#define _MPTUN_OPEN_H

struct mptun_session;
struct mptun_tunnel;
struct sk_buff;

void mptun_open_line_init(struct mptun_tunnel *tunnel);
void mptun_open(struct mptun_session *session, struct sk_buff *skb);

#endif /* _MPTUN_OPEN_H */
