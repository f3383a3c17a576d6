/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Before v6.17 there were no flags for the control block of the outer packet
 * (and before v6.2 addresses were not const);
 * before v7.1 sockets were handed over as struct socket.
 */
#ifndef _MPTUN_COMPAT_NET_UDP_TUNNEL_H
#define _MPTUN_COMPAT_NET_UDP_TUNNEL_H

#include_next <net/udp_tunnel.h>

#ifndef MPTUN_HAVE_UDP_TUNNEL_SK
static inline void
mptun_compat_setup_udp_tunnel_sock(struct net *net, struct sock *sk,
				   struct udp_tunnel_sock_cfg *cfg)
{
	setup_udp_tunnel_sock(net, sk->sk_socket, cfg);
}

static inline void mptun_compat_udp_tunnel_sock_release(struct sock *sk)
{
	udp_tunnel_sock_release(sk->sk_socket);
}

#define setup_udp_tunnel_sock mptun_compat_setup_udp_tunnel_sock
#define udp_tunnel_sock_release mptun_compat_udp_tunnel_sock_release
#endif

#ifndef MPTUN_HAVE_UDP_TUNNEL_FLAGS
#define udp_tunnel_xmit_skb(rt, sk, skb, src, dst, tos, ttl, df, sport,	\
			    dport, xnet, nocheck, flags)		\
	udp_tunnel_xmit_skb(rt, sk, skb, src, dst, tos, ttl, df, sport,	\
			    dport, xnet, nocheck)
#define udp_tunnel6_xmit_skb(dst, sk, skb, dev, saddr, daddr, prio,	\
			     ttl, label, sport, dport, nocheck, flags)	\
	udp_tunnel6_xmit_skb(dst, sk, skb, dev,				\
			     (struct in6_addr *)(saddr),		\
			     (struct in6_addr *)(daddr), prio, ttl,	\
			     label, sport, dport, nocheck)
#endif

#endif /* _MPTUN_COMPAT_NET_UDP_TUNNEL_H */
