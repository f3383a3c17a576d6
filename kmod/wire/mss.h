/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Clamping of the TCP MSS.
 */
#ifndef _MPTUN_MSS_H
#define _MPTUN_MSS_H

#include <linux/types.h>

bool mptun_mss_find(const u8 *packet, unsigned int len, unsigned int *at);
bool mptun_mss_clamp(u8 *packet, unsigned int len, u32 mtu, bool partial);

#endif /* _MPTUN_MSS_H */
