// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Clamping of the TCP MSS.
 *
 * SYN and SYN/ACK say how large segments to their sender may be.  The ends of a
 * tunnel lower that to what the tunnel carries, for senders that ICMP messages
 * do not reach.  A malformed packet is left alone.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <linux/unaligned.h>

#include "wire/mss.h"
#include "wire/tcp.h"

#define MPTUN_MSS_EOL		0
#define MPTUN_MSS_NOP		1
#define MPTUN_MSS_KIND		2
#define MPTUN_MSS_AO		29
#define MPTUN_MSS_LEN		4

/**
 * mptun_mss_find() - find the TCP header of a SYN or SYN/ACK
 * @packet: an IPv4 or IPv6 packet, aligned to 2 bytes
 * @len: bytes readable
 * @at: set to the offset of the header, of which 20 bytes are readable
 *
 * Return: true if there is one.
 */
bool mptun_mss_find(const u8 *packet, unsigned int len, unsigned int *at)
{
	return mptun_tcp_find(packet, len, at) &&
	       packet[*at + MPTUN_TCP_FLAGS] & MPTUN_TCP_SYN;
}

/* Returns the offset of the value of the MSS option, 0 if there is none, or if
 * it must not change: TCP-AO (RFC 5925) signs all options.
 */
static unsigned int mptun_mss_option(const u8 *tcp, unsigned int head)
{
	unsigned int at = sizeof(struct tcphdr), len, found = 0;

	for (; at < head && tcp[at] != MPTUN_MSS_EOL; at += len) {
		len = 1;
		if (tcp[at] == MPTUN_MSS_NOP)
			continue;
		if (head - at < 2 || tcp[at + 1] < 2 ||
		    tcp[at + 1] > head - at || tcp[at] == MPTUN_MSS_AO)
			return 0;
		len = tcp[at + 1];
		if (tcp[at] == MPTUN_MSS_KIND && len != MPTUN_MSS_LEN)
			return 0;
		if (tcp[at] == MPTUN_MSS_KIND)
			found = at + 2;
	}
	return found;
}

/**
 * mptun_mss_clamp() - lower the MSS of a SYN or SYN/ACK to what an MTU allows
 * @packet: an IPv4 or IPv6 packet, aligned to 2 bytes, writable
 * @len: bytes readable
 * @mtu: the MTU
 * @partial: the checksum of TCP is not filled in yet
 *
 * Return: true if it was lowered.
 */
bool mptun_mss_clamp(u8 *packet, unsigned int len, u32 mtu, bool partial)
{
	unsigned int at, head, option;
	u16 check, old, new;
	u32 most, sum;
	u8 *tcp;

	if (!mptun_mss_find(packet, len, &at))
		return false;
	tcp = packet + at;
	head = (tcp[MPTUN_TCP_DOFF] >> 4) * 4;
	if (head > len - at)
		return false;
	option = mptun_mss_option(tcp, head);
	most = sizeof(struct tcphdr) + (packet[0] >> 4 == 4 ?
					sizeof(struct iphdr) :
					sizeof(struct ipv6hdr));
	if (!option || mtu <= most)
		return false;
	most = mtu - most;
	old = get_unaligned_be16(tcp + option);
	if (old <= most)
		return false;
	new = most;
	put_unaligned_be16(new, tcp + option);
	if (partial)
		return true;
	/* The bytes count in the other order at an odd offset. */
	if (option % 2) {
		old = old << 8 | old >> 8;
		new = new << 8 | new >> 8;
	}
	/* RFC 1624, equation 3 */
	check = get_unaligned_be16(tcp + MPTUN_TCP_CHECK);
	sum = (u16)~check + (u16)~old + new;
	sum = (sum & 0xffff) + (sum >> 16);
	sum += sum >> 16;
	check = ~sum;
	put_unaligned_be16(check, tcp + MPTUN_TCP_CHECK);
	return true;
}
