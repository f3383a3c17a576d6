/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * The parts of a kernel that the pure cores need, in user space.
 *
 * It is included in front of everything.  Headers of the kernel that programs do
 * not have are empty files (run.sh makes them).  Cryptography is a toy: what
 * seals does not encrypt, and tags are sums, so that a fuzzer gets behind them.
 */
#ifndef _FUZZ_SHIM_H
#define _FUZZ_SHIM_H

#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s8 s8;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;
typedef unsigned int gfp_t;

#define U8_MAX		UINT8_MAX
#define U16_MAX		UINT16_MAX
#define U32_MAX		UINT32_MAX
#define U64_MAX		(~0ULL)
#define S32_MAX		INT32_MAX
#define S64_MAX		INT64_MAX

#ifndef IS_ENABLED
#define IS_ENABLED(option) 0
#endif

#define NSEC_PER_USEC	1000L
#define NSEC_PER_MSEC	1000000L
#define NSEC_PER_SEC	1000000000L
#define USEC_PER_SEC	1000000L

#define BITS_PER_BYTE	8
#define BIT(n)		(1UL << (n))
#define BIT_ULL(n)	(1ULL << (n))
#define GENMASK_ULL(h, l) (((~0ULL) << (l)) & (~0ULL >> (63 - (h))))

#define __packed	__attribute__((packed))
#ifndef __force
#define __force
#endif
#ifndef VISIBLE_IF_KUNIT /* see selftests/kunit */
#define VISIBLE_IF_KUNIT static
#define KUNIT_STATIC_STUB_REDIRECT(function, args...) do {} while (0)
#endif
#define likely(x)	(x)
#define unlikely(x)	(x)
#define fallthrough	__attribute__((fallthrough))
#define static_assert	_Static_assert_one
#define _Static_assert_one(x) _Static_assert(x, #x)
#define BUILD_BUG_ON(x)	_Static_assert(!(x), #x)
#define BUILD_BUG_ON_NOT_POWER_OF_2(n) BUILD_BUG_ON((n) & ((n) - 1))
#define sizeof_field(type, field) sizeof(((type *)0)->field)
#define swap(a, b)	do { typeof(a) _t = (a); (a) = (b); (b) = _t; } while (0)
#define ALIGN(x, n)	(((x) + (n) - 1) / (n) * (n))
#define ARRAY_SIZE(x)	(sizeof(x) / sizeof((x)[0]))
#define READ_ONCE(x)	(x)
#define WRITE_ONCE(x, v) ((x) = (v))

/* A warning is a finding. */
#define WARN_ON_ONCE(x)	({					\
	bool _warn = (x);					\
	if (_warn) {						\
		fprintf(stderr, "WARNING: %s\n", #x);		\
		abort();					\
	}							\
	_warn;							\
})

#define min(a, b)	({ __auto_type _a = (a); __auto_type _b = (b); \
			   _a < _b ? _a : _b; })
#define max(a, b)	({ __auto_type _a = (a); __auto_type _b = (b); \
			   _a > _b ? _a : _b; })
#define min_t(t, a, b)	({ t _a = (a); t _b = (b); _a < _b ? _a : _b; })
#define max_t(t, a, b)	({ t _a = (a); t _b = (b); _a > _b ? _a : _b; })
#define abs(a)		({ __auto_type _a = (a); _a < 0 ? -_a : _a; })
#define clamp(v, l, h)	min(max(v, l), h)
#define clamp_t(t, v, l, h) min_t(t, max_t(t, v, l), h)

#define cpu_to_be16	htobe16
#define cpu_to_be32	htobe32
#define cpu_to_be64	htobe64
#define be16_to_cpu	be16toh
#define be32_to_cpu	be32toh
#define be64_to_cpu	be64toh
#define htons		htobe16
#define ntohs		be16toh

static inline void put_unaligned_be16(u16 value, void *p)
{
	u8 *b = p;

	b[0] = value >> 8;
	b[1] = value & 0xff;
}

static inline u16 get_unaligned_be16(const void *p)
{
	const u8 *b = p;

	return b[0] << 8 | b[1];
}

static inline void put_unaligned_be32(u32 value, void *p)
{
	value = htobe32(value);
	memcpy(p, &value, sizeof(value));
}

static inline u32 get_unaligned_be32(const void *p)
{
	u32 value;

	memcpy(&value, p, sizeof(value));
	return be32toh(value);
}

#define get_unaligned(p) ({						\
	typeof(*(p) + 0) _value;					\
	memcpy(&_value, p, sizeof(_value));				\
	_value;								\
})
#define put_unaligned(value, p) do {					\
	const typeof(*(p)) _value = (value);				\
	memcpy(p, &_value, sizeof(_value));				\
} while (0)

/* Functions, as a 32-bit kernel cannot divide 64 bits otherwise. */
u64 div_u64(u64 a, u32 b);
s64 div_s64(s64 a, s32 b);
u64 div64_u64(u64 a, u64 b);

static inline unsigned int __ffs64(u64 x)
{
	return __builtin_ctzll(x);
}

static inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

#define hweight32	__builtin_popcount
#define hweight64	__builtin_popcountll

static inline int ilog2(u64 x)
{
	return fls64(x) - 1;
}

/* --- counters: there is one thread */

typedef struct { long v; } atomic_long_t;
typedef struct { int v; } refcount_t;

#define atomic_long_read(a)	((a)->v)
#define atomic_long_set(a, n)	((a)->v = (n))
#define atomic_long_add(n, a)	((a)->v += (n))
#define atomic_long_sub(n, a)	((a)->v -= (n))
#define atomic_long_add_return(n, a) ((a)->v += (n))
#define refcount_set(r, n)	((r)->v = (n))

/* --- memory */

#define GFP_KERNEL	0
#define GFP_KERNEL_ACCOUNT	0
#define GFP_ATOMIC	1
#define __GFP_NOWARN	2

/* Atomic allocations fail by this pattern, one bit after the other. */
extern u64 fuzz_failures;

void *fuzz_alloc(size_t size, gfp_t gfp);

#define kzalloc(size, gfp)	fuzz_alloc(size, gfp)
#define kcalloc(n, size, gfp)	fuzz_alloc((size_t)(n) * (size), gfp)
#define kfree(p)		free(p)
#define kvcalloc(n, size, gfp)	fuzz_alloc((size_t)(n) * (size), gfp)
#define kvfree(p)		free(p)

static inline void *memchr_inv(const void *p, int c, size_t size)
{
	const u8 *byte = p;

	while (size && *byte == (u8)c) {
		byte++;
		size--;
	}
	return size ? (void *)byte : NULL;
}

static inline void memzero_explicit(void *p, size_t n)
{
	memset(p, 0, n);
}

/* --- packets: what the ring needs of them */

struct rb_node {
	struct rb_node *next;
};

struct rb_root_cached {
	struct rb_node *first;
};

struct sk_buff {
	struct sk_buff *next, *prev;
	struct rb_node rbnode;
	struct net_device *dev;
	char cb[48] __attribute__((aligned(8)));
	unsigned int truesize;
	u32 mark;
	unsigned int len;
	u8 *data, *network, *transport; /* selftests/kunit */
};

struct sk_buff_head {
	struct sk_buff *next, *prev;
	u32 qlen;
};

void __skb_queue_head_init(struct sk_buff_head *list);
void __skb_queue_tail(struct sk_buff_head *list, struct sk_buff *skb);
void __skb_unlink(struct sk_buff *skb, struct sk_buff_head *list);
void __skb_queue_purge(struct sk_buff_head *list);
struct sk_buff *__skb_dequeue(struct sk_buff_head *list);

static inline struct sk_buff *skb_peek(const struct sk_buff_head *list)
{
	return list->next == (const void *)list ? NULL : list->next;
}

static inline bool skb_queue_empty(const struct sk_buff_head *list)
{
	return !skb_peek(list);
}

#define kfree_skb(skb)	free(skb)

/* --- cryptography, of a kind */

#define BLAKE2S_HASH_SIZE		32
#define BLAKE2S_KEY_SIZE		32
#define CHACHA20POLY1305_KEY_SIZE	32
#define CHACHA20POLY1305_AUTHTAG_SIZE	16
#define CURVE25519_KEY_SIZE		32

struct blake2s_ctx {
	u64 state[4];
	unsigned int len;
};

/* Tags and proofs of any kind are taken for right. */
extern bool fuzz_lenient;

void blake2s_init(struct blake2s_ctx *ctx, size_t len);
void blake2s_init_key(struct blake2s_ctx *ctx, size_t len, const void *key,
		      size_t key_len);
void blake2s_update(struct blake2s_ctx *ctx, const void *data, size_t len);
void blake2s_final(struct blake2s_ctx *ctx, u8 *out);
bool curve25519(u8 *out, const u8 *secret, const u8 *public);
bool curve25519_generate_public(u8 *public, const u8 *secret);
void chacha20poly1305_encrypt(u8 *dst, const u8 *src, size_t len,
			      const u8 *ad, size_t ad_len, u64 nonce,
			      const u8 *key);
bool chacha20poly1305_decrypt(u8 *dst, const u8 *src, size_t len,
			      const u8 *ad, size_t ad_len, u64 nonce,
			      const u8 *key);
void xchacha20poly1305_encrypt(u8 *dst, const u8 *src, size_t len,
			       const u8 *ad, size_t ad_len, const u8 *nonce,
			       const u8 *key);
bool xchacha20poly1305_decrypt(u8 *dst, const u8 *src, size_t len,
			       const u8 *ad, size_t ad_len, const u8 *nonce,
			       const u8 *key);
int crypto_memneq(const void *a, const void *b, size_t len);

#endif /* _FUZZ_SHIM_H */
