/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Events of the devices, addresses and routes below.
 */
#ifndef _MPTUN_NOTIFIER_H
#define _MPTUN_NOTIFIER_H

struct net;

void mptun_notifier_net_init(struct net *net);
void mptun_notifier_net_exit(struct net *net);
int mptun_notifier_init(void);
void mptun_notifier_exit(void);

#endif /* _MPTUN_NOTIFIER_H */
