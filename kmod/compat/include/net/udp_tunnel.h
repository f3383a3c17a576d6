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
static inline void
mptun_compat_xmit4(struct rtable *rt, struct sock *sk, struct sk_buff *skb,
		   __be32 src, __be32 dst, u8 tos, u8 ttl, __be16 df,
		   __be16 src_port, __be16 dst_port, bool xnet, bool nocheck,
		   u16 flags)
{
	udp_tunnel_xmit_skb(rt, sk, skb, src, dst, tos, ttl, df, src_port,
			    dst_port, xnet, nocheck);
}

static inline void
mptun_compat_xmit6(struct dst_entry *dst, struct sock *sk, struct sk_buff *skb,
		   struct net_device *dev, const struct in6_addr *saddr,
		   const struct in6_addr *daddr, u8 prio, u8 ttl, __be32 label,
		   __be16 src_port, __be16 dst_port, bool nocheck, u16 flags)
{
	udp_tunnel6_xmit_skb(dst, sk, skb, dev, (struct in6_addr *)saddr,
			     (struct in6_addr *)daddr, prio, ttl, label,
			     src_port, dst_port, nocheck);
}

#define udp_tunnel_xmit_skb mptun_compat_xmit4
#define udp_tunnel6_xmit_skb mptun_compat_xmit6
#endif

#endif /* _MPTUN_COMPAT_NET_UDP_TUNNEL_H */
