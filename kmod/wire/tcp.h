/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Headers of TCP in inner packets.
 */
#ifndef _MPTUN_TCP_H
#define _MPTUN_TCP_H

#include <linux/types.h>

/* Bytes of the largest headers that count: of IPv4 and TCP with options */
#define MPTUN_TCP_HEADERS	120U

/* Offsets in the header */
#define MPTUN_TCP_DOFF		12
#define MPTUN_TCP_FLAGS		13
#define MPTUN_TCP_CHECK		16

#define MPTUN_TCP_FIN		0x01
#define MPTUN_TCP_SYN		0x02
#define MPTUN_TCP_RST		0x04

bool mptun_tcp_find(const u8 *packet, unsigned int len, unsigned int *at);
bool mptun_tcp_bare(const u8 *packet, unsigned int len);

#endif /* _MPTUN_TCP_H */
