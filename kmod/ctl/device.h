/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * The network device and its link kind.
 */
#ifndef _MPTUN_DEVICE_H
#define _MPTUN_DEVICE_H

#include <linux/types.h>

struct net_device;

bool mptun_device_is(const struct net_device *dev);

int mptun_device_init(void);
void mptun_device_exit(void);

#endif /* _MPTUN_DEVICE_H */
