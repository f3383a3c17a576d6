/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * What the kernel has for the objects of the module: counters that several
 * processors change, timers, work, hashes, addresses, and the headers of
 * packets.  There is one thread and no timer: what is never called has no
 * contents.
 *
 * It is included by kunit.h.
 */
#ifndef _KUNIT_OBJECTS_H
#define _KUNIT_OBJECTS_H

/* that of programs does not go with their <stdlib.h> */
#define _LINUX_TIMEX_H

#include <linux/if.h>
#include <linux/in6.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>

#define __rcu
#define __le64		__u64
#define ____cacheline_aligned_in_smp
#define DECLARE_BITMAP(name, bits) unsigned long name[BITS_TO_LONGS(bits)]
#define SZ_1K		1024
#define LL_MAX_HEADER	128
#define min3(a, b, c)	min(min(a, b), c)

typedef __kernel_sa_family_t sa_family_t;

struct hlist_node {
	struct hlist_node *next, **pprev;
};

struct hlist_head {
	struct hlist_node *first;
};

struct rcu_head {};
struct rcu_work {};
struct hrtimer {};

typedef struct {} netdevice_tracker;

/* --- counters */

typedef struct { int counter; } atomic_t;
typedef struct { s64 counter; } atomic64_t;

#define ATOMIC_INIT(n)		{ (n) }
#define atomic_read(v)		((v)->counter)
#define atomic_add(n, v)	((void)((v)->counter += (n)))
#define atomic_or(n, v)		((void)((v)->counter |= (n)))
#define atomic_andnot(n, v)	((void)((v)->counter &= ~(n)))
#define atomic64_read(v)	((v)->counter)
#define atomic64_set(v, n)	((void)((v)->counter = (n)))

#define spin_lock(lock)		do {} while (0)
#define spin_unlock(lock)	do {} while (0)
#define local_bh_disable()	do {} while (0)
#define local_bh_enable()	do {} while (0)

/* --- bytes */

static inline u64 get_unaligned_be64(const void *p)
{
	u64 value;

	memcpy(&value, p, sizeof(value));
	return be64toh(value);
}

static inline void put_unaligned_be64(u64 value, void *p)
{
	value = htobe64(value);
	memcpy(p, &value, sizeof(value));
}

static inline ssize_t strscpy(char *to, const char *from, size_t size)
{
	size_t len = strnlen(from, size - 1);

	memcpy(to, from, len);
	to[len] = '\0';
	return len;
}

#define cpu_to_le64	htole64
#define htonl		cpu_to_be32
#define ntohl		be32_to_cpu

/* also in what is initialised before the program runs */
#undef cpu_to_be32
#if __BYTE_ORDER == __BIG_ENDIAN
#define cpu_to_be32(value) ((u32)(value))
#else
#define cpu_to_be32	__builtin_bswap32
#endif

static inline int fls(u32 x)
{
	return fls64(x);
}

/* --- addresses */

#define s6_addr		in6_u.u6_addr8
#define s6_addr32	in6_u.u6_addr32

/* Returns the number of the first bit that differs, 128 if none does. */
static inline int ipv6_addr_diff(const struct in6_addr *a,
				 const struct in6_addr *b)
{
	unsigned int i;

	for (i = 0; i < sizeof(a->s6_addr); i++)
		if (a->s6_addr[i] != b->s6_addr[i])
			return 8 * i + 8 - fls(a->s6_addr[i] ^ b->s6_addr[i]);
	return 8 * i;
}

static inline bool ipv6_prefix_equal(const struct in6_addr *a,
				     const struct in6_addr *b, unsigned int len)
{
	return ipv6_addr_diff(a, b) >= (int)len;
}

/* --- hashes and random bytes: what matters is that they differ */

typedef struct { u64 key[2]; } siphash_key_t;

u64 siphash(const void *data, size_t len, const siphash_key_t *key);

static inline u64 siphash_3u64(u64 a, u64 b, u64 c, const siphash_key_t *key)
{
	const u64 words[] = { a, b, c };

	return siphash(words, sizeof(words), key);
}

static inline u64 siphash_2u64(u64 a, u64 b, const siphash_key_t *key)
{
	return siphash_3u64(a, b, 0, key);
}

static inline u32 jhash(const void *data, u32 len, u32 seed)
{
	const siphash_key_t key = { { seed } };

	return siphash(data, len, &key);
}

void get_random_bytes(void *out, size_t len);

u64 ktime_get_real_ns(void);

#define random_get_entropy()	0UL

bool rng_is_initialized(void);

static inline void curve25519_clamp_secret(u8 *secret)
{
	secret[0] &= 0xf8;
	secret[31] = (secret[31] & 0x7f) | 0x40;
}

/* --- packets: the headers follow each other in the memory of the skb */

static inline void *skb_put_zero(struct sk_buff *skb, unsigned int len)
{
	u8 *end = skb->data + skb->len;

	skb->len += len;
	return memset(end, 0, len);
}

static inline void skb_reset_network_header(struct sk_buff *skb)
{
	skb->network = skb->data;
}

static inline void skb_set_transport_header(struct sk_buff *skb, int offset)
{
	skb->transport = skb->data + offset;
}

static inline struct iphdr *ip_hdr(const struct sk_buff *skb)
{
	return (struct iphdr *)skb->network;
}

static inline struct ipv6hdr *ipv6_hdr(const struct sk_buff *skb)
{
	return (struct ipv6hdr *)skb->network;
}

static inline struct udphdr *udp_hdr(const struct sk_buff *skb)
{
	return (struct udphdr *)skb->transport;
}

#endif /* _KUNIT_OBJECTS_H */
