// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * ICMP messages about the size of our packets.
 *
 * Anyone can forge them, so they are hints that the path examines with probes
 * (recovery/pmtu.c).  A message concerns the path whose packet it quotes, by
 * addresses, ports and device.  The stack also stores the size with its route
 * to the destination, which another path may use, unless the kernel asks the
 * socket first.  Output ignores that (transport/output.c).
 *
 * Finding the path takes time that grows with the number of tunnels.  As path
 * MTU discovery works without any message, most messages of a flood are
 * ignored.
 */
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <net/ip.h>
#include <net/sock.h>

#include "base/limits.h"
#include "core/lookup.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "rx/rx.h"
#include "transport/transport.h"
#include "tx/tx.h"

/* Finds the path of a tunnel that matches best. */
static void mptun_icmp_match(const struct mptun_tunnel *tunnel,
			     const struct mptun_endpoint *from,
			     struct mptun_path **found, unsigned int *best)
{
	union mptun_addr source;
	struct mptun_path *path;
	unsigned int match;

	list_for_each_entry_rcu(path, &tunnel->paths, list) {
		/* A torn address matches no packet. */
		data_race(source = path->source);
		match = mptun_endpoint_matches(rcu_dereference(path->endpoint),
					       READ_ONCE(path->source_known) ?
					       &source : NULL, from, false,
					       READ_ONCE(tunnel->net));
		if (match <= *best)
			continue;
		*best = match;
		*found = path;
	}
}

/**
 * mptun_icmp() - receive an ICMP error about a packet of a port
 * @sk: socket of the port
 * @skb: the message, its network and transport headers set to those of the
 *	packet that it quotes
 *
 * Called under rcu_read_lock().
 *
 * Return: 0, or -ENOENT if the stack has to ignore the message.
 */
int mptun_icmp(struct sock *sk, struct sk_buff *skb)
{
	const u8 *quoted = skb_network_header(skb);
	const struct icmp6hdr *icmp6 = (const void *)(quoted - sizeof(*icmp6));
	const struct icmphdr *icmp = (const void *)(quoted - sizeof(*icmp));
	struct mptun_net *mn = mptun_net(sock_net(sk));
	struct mptun_path *path = NULL;
	struct mptun_tunnel *tunnel;
	struct mptun_endpoint from;
	u64 end, now = mptun_now();
	s64 next;
	unsigned int best = 0;
	u32 claim = 0;

	/* The header of the message precedes the packet that it quotes. */
	if (ip_hdr(skb)->version == 6) {
		if (icmp6->icmp6_type == ICMPV6_PKT_TOOBIG)
			claim = ntohl(icmp6->icmp6_mtu);
	} else if (icmp->type == ICMP_DEST_UNREACH &&
		   icmp->code == ICMP_FRAG_NEEDED) {
		/* Old routers do not say which size they want. */
		claim = ntohs(icmp->un.frag.mtu) ?: MPTUN_PMTU_BASE;
	}
	if (!claim)
		return 0;
	next = atomic64_read(&mn->icmp_ns);
	if (now < next ||
	    atomic64_cmpxchg(&mn->icmp_ns, next, now + MPTUN_ICMP_PAUSE_NS) !=
	    next)
		return -ENOENT;
	/* We sent what it quotes: look for the endpoint of an answer. */
	mptun_endpoint_of(skb, &from);
	swap(from.local_port, from.remote_port);
	swap(from.local, from.remote);
	from.ifindex = 0;
	list_for_each_entry_rcu(tunnel, &mn->tunnels, net_list)
		mptun_icmp_match(tunnel, &from, &path, &best);
	/* Forged messages cost little time, even with many tunnels. */
	end = mptun_now();
	atomic64_set(&mn->icmp_ns, end + MPTUN_ICMP_PAUSE_NS +
				   MPTUN_ICMP_SHARE * (end - now));
	if (!path)
		return -ENOENT;
	spin_lock_bh(&path->tunnel->tx.lock);
	mptun_pmtu_claim(&path->pmtu, claim, now);
	mptun_timer_update(path, now);
	spin_unlock_bh(&path->tunnel->tx.lock);
	return -ENOENT;
}
