// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Allowed addresses: which inner source addresses the peer may use.
 *
 * A packet with another one is dropped where packets in order leave the reorder
 * buffer: the peer has sent it validly, so it is acknowledged like any other,
 * and its successors need not wait for it.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/slab.h>
#include <linux/unaligned.h>

#include "core/tunnel.h"
#include "rx/rx.h"

/**
 * mptun_allowed_new() - make a set of allowed addresses
 * @entries: its prefixes, as user space writes them
 * @n: number of prefixes, at least 1
 *
 * Return: the set, -EINVAL if an entry is no prefix, or -ENOMEM.
 */
struct mptun_allowed *mptun_allowed_new(const u8 *entries, unsigned int n)
{
	struct mptun_allowed *allowed;
	unsigned int i;
	int err;

	allowed = kmalloc(struct_size(allowed, set, n), GFP_KERNEL_ACCOUNT);
	if (!allowed)
		return ERR_PTR(-ENOMEM);
	for (i = 0; i < n; i++) {
		err = mptun_prefix_read(&allowed->set[i],
					entries + i * MPTUN_ALLOWED_IP_LEN);
		if (err) {
			kfree(allowed);
			return ERR_PTR(err);
		}
	}
	allowed->n = mptun_prefix_merge(allowed->set, n);
	return allowed;
}

/**
 * mptun_allowed_refuses() - check the source address of an inner packet
 * @tunnel: the tunnel
 * @skb: the packet, its header linear
 *
 * Called under rcu_read_lock().
 *
 * Return: true if the peer may not use it.
 */
bool mptun_allowed_refuses(const struct mptun_tunnel *tunnel,
			   const struct sk_buff *skb)
{
	const struct mptun_allowed *allowed = rcu_dereference(tunnel->allowed);
	const struct ipv6hdr *ip6 = (const void *)skb->data;
	const struct iphdr *ip = (const void *)skb->data;
	struct mptun_prefix source = {};

	if (!allowed)
		return false;
	source.version = ip->version;
	if (source.version == 4) {
		source.hi = (u64)get_unaligned_be32(&ip->saddr) << 32;
		source.len = 32;
	} else {
		source.hi = get_unaligned_be64(&ip6->saddr);
		source.lo = get_unaligned_be64(&ip6->saddr.s6_addr[8]);
		source.len = 128;
	}
	return !mptun_prefix_match(allowed->set, allowed->n, &source);
}
