// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Headers of TCP in inner packets.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <linux/unaligned.h>

#include "wire/tcp.h"

#define MPTUN_TCP_PROTO		6

/**
 * mptun_tcp_find() - find the TCP header of a packet
 * @packet: an IPv4 or IPv6 packet, aligned to 2 bytes
 * @len: bytes readable
 * @at: set to the offset of the header, of which 20 bytes are readable
 *
 * Headers in fragments, or behind extension headers of IPv6, are not found.
 *
 * Return: true if there is one.
 */
bool mptun_tcp_find(const u8 *packet, unsigned int len, unsigned int *at)
{
	u8 proto;

	if (len < sizeof(struct iphdr))
		return false;
	if (packet[0] >> 4 == 4) {
		if ((packet[0] & 0xf) < 5 ||
		    get_unaligned_be16(packet + 6) & 0x3fff)
			return false;
		*at = (packet[0] & 0xf) * 4;
		proto = packet[9];
	} else if (packet[0] >> 4 == 6) {
		*at = sizeof(struct ipv6hdr);
		proto = packet[6];
	} else {
		return false;
	}
	return proto == MPTUN_TCP_PROTO && len >= *at + sizeof(struct tcphdr);
}

/**
 * mptun_tcp_bare() - test whether a packet only acknowledges
 * @packet: an IPv4 or IPv6 packet, aligned to 2 bytes
 * @len: its length
 *
 * The next acknowledgment makes up for the loss of one, so nothing should wait
 * for it.
 *
 * Return: true if it is TCP without payload, and neither opens nor ends a
 * connection.
 */
bool mptun_tcp_bare(const u8 *packet, unsigned int len)
{
	unsigned int at;

	if (!mptun_tcp_find(packet, len, &at) ||
	    packet[at + MPTUN_TCP_FLAGS] &
	    (MPTUN_TCP_FIN | MPTUN_TCP_SYN | MPTUN_TCP_RST))
		return false;
	return at + (packet[at + MPTUN_TCP_DOFF] >> 4) * 4 == len;
}
