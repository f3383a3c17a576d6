/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * KUnit in user space: what the suites of the pure cores use of it, and of the
 * kernel beyond what the fuzzers' shim has.
 *
 * It is included in front of everything.
 */
#ifndef _KUNIT_SHIM_H
#define _KUNIT_SHIM_H

struct kunit;

#include <stdarg.h>

#define IS_ENABLED(option) 1
#define __aligned(n)	__attribute__((aligned(n)))
#define __maybe_unused	__attribute__((unused))
#define VISIBLE_IF_KUNIT
#define KUNIT_STATIC_STUB_REDIRECT(function, args...) do {		\
	typeof(&(function)) _stub = kunit_find_stub(function);		\
	if (_stub)							\
		return _stub(args);					\
} while (0)

#include "../fuzz/wire/shim.h"

/* --- the kernel */

#define MSEC_PER_SEC	1000L
#define USEC_PER_MSEC	1000L
#define S8_MAX		INT8_MAX
#define S16_MAX		INT16_MAX
#define S16_MIN		INT16_MIN
#define S32_MIN		INT32_MIN

#define BITS_PER_LONG	(8 * sizeof(long))
#define BITS_TO_LONGS(n) DIV_ROUND_UP(n, BITS_PER_LONG)
#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))
#define max3(a, b, c)	max(max(a, b), c)
#define container_of(p, type, member)					\
	((type *)((char *)(p) - offsetof(type, member)))

s64 div64_s64(s64 a, s64 b);
u64 div_u64_rem(u64 a, u32 b, u32 *rem);
u64 mul_u64_u32_div(u64 a, u32 b, u32 d);

/* The product needs more than 64 bits; not every machine has such integers. */
static inline u64 mul_u64_u32_shr(u64 a, u32 b, unsigned int shift)
{
	u64 low = (a & U32_MAX) * b, high = (a >> 32) * b;

	return (low >> shift) + (high << (32 - shift));
}

static inline void set_bit(unsigned int n, unsigned long *map)
{
	map[n / BITS_PER_LONG] |= BIT(n % BITS_PER_LONG);
}

static inline bool test_bit(unsigned int n, const unsigned long *map)
{
	return map[n / BITS_PER_LONG] >> (n % BITS_PER_LONG) & 1;
}

static inline void clear_bit(unsigned int n, unsigned long *map)
{
	map[n / BITS_PER_LONG] &= ~BIT(n % BITS_PER_LONG);
}

/* There is one thread. */
typedef struct {} spinlock_t;

#define spin_lock_init(lock)	do {} while (0)
#define spin_lock_bh(lock)	do {} while (0)
#define spin_unlock_bh(lock)	do {} while (0)
#define cond_resched()		do {} while (0)

u32 jhash_1word(u32 a, u32 seed);
u32 jhash_2words(u32 a, u32 b, u32 seed);

struct rnd_state {
	u32 s1, s2, s3, s4;
};

void prandom_seed_state(struct rnd_state *state, u64 seed);
u32 prandom_u32_state(struct rnd_state *state);

#define array_size(n, size) ((size_t)(n) * (size))
#define vzalloc(size)	kzalloc(size, GFP_KERNEL)
#define vfree(p)	kfree(p)
#define sort(base, n, size, compare, swap) qsort(base, n, size, compare)

/* --- lists */

struct list_head {
	struct list_head *next, *prev;
};

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list;
	list->prev = list;
}

static inline void list_add_tail(struct list_head *new, struct list_head *list)
{
	new->prev = list->prev;
	new->next = list;
	list->prev->next = new;
	list->prev = new;
}

static inline void list_del(struct list_head *entry)
{
	entry->prev->next = entry->next;
	entry->next->prev = entry->prev;
}

static inline bool list_empty(const struct list_head *list)
{
	return list->next == list;
}

#define LIST_HEAD(name)	struct list_head name = { &(name), &(name) }
#define list_entry(p, type, member) container_of(p, type, member)
/* The end is found without "->", as the head is in no entry, and may not lie
 * where one could.
 */
#define list_for_each_entry(p, list, member)				\
	for (p = list_entry((list)->next, typeof(*p), member);		\
	     (char *)p + offsetof(typeof(*p), member) != (char *)(list); \
	     p = list_entry(p->member.next, typeof(*p), member))

/* --- trees: a list in order */

#define RB_ROOT_CACHED	((struct rb_root_cached){ .first = NULL })
#define RB_EMPTY_ROOT(root) (!(root)->first)
#define rb_to_skb(node)	container_of(node, struct sk_buff, rbnode)
#define rb_first_cached(root) ((root)->first)

void rb_add_cached(struct rb_node *node, struct rb_root_cached *root,
		   bool (*less)(struct rb_node *, const struct rb_node *));
void rb_erase_cached(struct rb_node *node, struct rb_root_cached *root);

/* --- packets */

static inline struct sk_buff *alloc_skb(unsigned int size, gfp_t gfp)
{
	struct sk_buff *skb = fuzz_alloc(sizeof(*skb) + size, gfp);

	skb->truesize = size + sizeof(*skb);
	skb->data = (u8 *)(skb + 1);
	return skb;
}

static inline u32 skb_queue_len(const struct sk_buff_head *list)
{
	return list->qlen;
}

#include "objects.h"

/* --- KUnit */

struct kunit {
	void *priv;
	const void *param_value;
};

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
};

struct kunit_suite {
	const char *name;
	int (*init)(struct kunit *test);
	void (*exit)(struct kunit *test);
	struct kunit_case *test_cases;
};

#define KUNIT_CASE(function)	  { .run_case = function, .name = #function }
#define KUNIT_CASE_SLOW(function) KUNIT_CASE(function)

void kunit_register(struct kunit_suite *const *suites, unsigned int n);

#define kunit_test_suites(suites...)					\
static void __attribute__((constructor)) kunit_register_file(void)	\
{									\
	static struct kunit_suite *const list[] = { suites };		\
									\
	kunit_register(list, ARRAY_SIZE(list));				\
}									\
struct kunit
#define kunit_test_suite(suite) kunit_test_suites(&(suite))

struct kunit *kunit_get_current_test(void);
void *kunit_kzalloc(struct kunit *test, size_t size, gfp_t gfp);

#define kunit_kmalloc(test, size, gfp) kunit_kzalloc(test, size, gfp)
#define kunit_kcalloc(test, n, size, gfp)				\
	kunit_kzalloc(test, (size_t)(n) * (size), gfp)

void kunit_set_stub(void *function, void *stub);
void *kunit_find_stub(void *function);

#define kunit_activate_static_stub(test, function, stub)		\
	((void)(test), kunit_set_stub(function, stub))
#define kunit_deactivate_static_stub(test, function)			\
	((void)(test), kunit_set_stub(function, NULL))

void __attribute__((format(printf, 2, 3)))
kunit_info(struct kunit *test, const char *format, ...);
void __attribute__((format(printf, 6, 7)))
kunit_fail(const char *file, int line, bool stop, u64 left, u64 right,
	   const char *format, ...);

#define KUNIT_CHECK(stop, ok, left, right, format...) do {		\
	if (!(ok))							\
		kunit_fail(__FILE__, __LINE__, stop, left, right,	\
			   format);					\
} while (0)
/* Both sides are evaluated once, and compared in the types they have. */
#define KUNIT_BINARY(stop, a, op, b, format...) do {			\
	const typeof(a) _left = (a);					\
	const typeof(b) _right = (b);					\
									\
	KUNIT_CHECK(stop, _left op _right, (u64)_left, (u64)_right,	\
		    format);						\
} while (0)
#define KUNIT_POINTER(stop, a, op, b) do {				\
	const void *_left = (a), *_right = (b);				\
									\
	KUNIT_CHECK(stop, _left op _right, (uintptr_t)_left,		\
		    (uintptr_t)_right, "%s", #a " " #op " " #b);	\
} while (0)
#define KUNIT_TEXT(a, op, b) "%s", #a " " #op " " #b

#define KUNIT_EXPECT_EQ(t, a, b) KUNIT_BINARY(0, a, ==, b, KUNIT_TEXT(a, ==, b))
#define KUNIT_EXPECT_NE(t, a, b) KUNIT_BINARY(0, a, !=, b, KUNIT_TEXT(a, !=, b))
#define KUNIT_EXPECT_LT(t, a, b) KUNIT_BINARY(0, a, <, b, KUNIT_TEXT(a, <, b))
#define KUNIT_EXPECT_LE(t, a, b) KUNIT_BINARY(0, a, <=, b, KUNIT_TEXT(a, <=, b))
#define KUNIT_EXPECT_GT(t, a, b) KUNIT_BINARY(0, a, >, b, KUNIT_TEXT(a, >, b))
#define KUNIT_EXPECT_GE(t, a, b) KUNIT_BINARY(0, a, >=, b, KUNIT_TEXT(a, >=, b))
#define KUNIT_ASSERT_EQ(t, a, b) KUNIT_BINARY(1, a, ==, b, KUNIT_TEXT(a, ==, b))
#define KUNIT_ASSERT_NE(t, a, b) KUNIT_BINARY(1, a, !=, b, KUNIT_TEXT(a, !=, b))
#define KUNIT_ASSERT_LT(t, a, b) KUNIT_BINARY(1, a, <, b, KUNIT_TEXT(a, <, b))
#define KUNIT_ASSERT_LE(t, a, b) KUNIT_BINARY(1, a, <=, b, KUNIT_TEXT(a, <=, b))
#define KUNIT_ASSERT_GT(t, a, b) KUNIT_BINARY(1, a, >, b, KUNIT_TEXT(a, >, b))
#define KUNIT_ASSERT_GE(t, a, b) KUNIT_BINARY(1, a, >=, b, KUNIT_TEXT(a, >=, b))
#define KUNIT_EXPECT_EQ_MSG(t, a, b, format...) KUNIT_BINARY(0, a, ==, b, format)
#define KUNIT_EXPECT_LE_MSG(t, a, b, format...) KUNIT_BINARY(0, a, <=, b, format)
#define KUNIT_ASSERT_EQ_MSG(t, a, b, format...) KUNIT_BINARY(1, a, ==, b, format)
#define KUNIT_EXPECT_TRUE(t, x)	 KUNIT_CHECK(0, x, 0, 1, "%s", #x)
#define KUNIT_EXPECT_FALSE(t, x) KUNIT_CHECK(0, !(x), 1, 0, "%s", #x)
#define KUNIT_ASSERT_TRUE(t, x)	 KUNIT_CHECK(1, x, 0, 1, "%s", #x)
#define KUNIT_ASSERT_FALSE(t, x) KUNIT_CHECK(1, !(x), 1, 0, "%s", #x)
#define KUNIT_ASSERT_TRUE_MSG(t, x, format...) KUNIT_CHECK(1, x, 0, 1, format)
#define KUNIT_EXPECT_PTR_EQ(t, a, b)	KUNIT_POINTER(0, a, ==, b)
#define KUNIT_EXPECT_NULL(t, p)		KUNIT_POINTER(0, p, ==, NULL)
#define KUNIT_EXPECT_NOT_NULL(t, p)	KUNIT_POINTER(0, p, !=, NULL)
#define KUNIT_ASSERT_NOT_NULL(t, p)	KUNIT_POINTER(1, p, !=, NULL)
#define KUNIT_EXPECT_STREQ(t, a, b)					\
	KUNIT_CHECK(0, !strcmp(a, b), 0, 0, "%s is not %s", a, b)
#define KUNIT_EXPECT_MEMEQ(t, a, b, size)				\
	KUNIT_CHECK(0, !memcmp(a, b, size), 0, 0, KUNIT_TEXT(a, ==, b))
#define KUNIT_EXPECT_MEMNEQ(t, a, b, size)				\
	KUNIT_CHECK(0, memcmp(a, b, size), 0, 0, KUNIT_TEXT(a, !=, b))

#endif /* _KUNIT_SHIM_H */
