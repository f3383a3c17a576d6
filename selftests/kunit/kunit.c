// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * What kunit.h promises, and main(): runs all suites; KTAP.
 */
#include <setjmp.h>

#define KUNIT_SUITES	128
#define KUNIT_STUBS	8

static struct kunit_suite *kunit_suites[KUNIT_SUITES];
static unsigned int kunit_n;

static struct {
	void *function;
	void *stub;
} kunit_stubs[KUNIT_STUBS];

/* Memory of a test, freed at its end. */
struct kunit_memory {
	struct kunit_memory *next;
	u64 data[];
};

static struct kunit *kunit_current;
static struct kunit_memory *kunit_memory;
static jmp_buf kunit_stop;
static bool kunit_failed;

s64 div64_s64(s64 a, s64 b)
{
	return a / b;
}

u64 div_u64_rem(u64 a, u32 b, u32 *rem)
{
	*rem = a % b;
	return a / b;
}

/* The product needs more than 64 bits. */
u64 mul_u64_u32_div(u64 a, u32 b, u32 d)
{
	u64 low = (a & U32_MAX) * b, high = (a >> 32) * b + (low >> 32);

	return ((high / d) << 32) +
	       (((high % d) << 32) + (low & U32_MAX)) / d;
}

static u32 jhash_words(u32 a, u32 b, u32 seed, u32 words)
{
	static const u8 turn[] = { 14, 11, 25, 16, 4, 14, 24 };
	u32 word[3], i;

	seed += 0xdeadbeef + (words << 2);
	word[0] = a + seed;
	word[1] = b + seed;
	word[2] = seed;
	for (i = 0; i < ARRAY_SIZE(turn); i++) {
		u32 *to = &word[(i + 2) % 3], from = word[(i + 1) % 3];

		*to ^= from;
		*to -= from << turn[i] | from >> (32 - turn[i]);
	}
	return word[2];
}

u32 jhash_1word(u32 a, u32 seed)
{
	return jhash_words(a, 0, seed, 1);
}

u32 jhash_2words(u32 a, u32 b, u32 seed)
{
	return jhash_words(a, b, seed, 2);
}

/* A hash of its own kind, not that of the kernel. */
u64 siphash(const void *data, size_t len, const siphash_key_t *key)
{
	u64 hash = key->key[0];
	const u8 *byte = data;

	while (len--) {
		hash = (hash ^ *byte++) * 0x100000001b3ULL + key->key[1];
		hash ^= hash >> 29;
	}
	return hash ^ hash >> 32;
}

bool rng_is_initialized(void)
{
	return true;
}

void get_random_bytes(void *out, size_t len)
{
	static u64 seed = 1;
	u8 *byte = out;

	while (len--) {
		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		*byte++ = seed >> 56;
	}
}

u64 ktime_get_real_ns(void)
{
	static u64 now;

	return ++now;
}

static u32 prandom_seed(u32 x, u32 least)
{
	return x < least ? x + least : x;
}

void prandom_seed_state(struct rnd_state *state, u64 seed)
{
	u32 i = seed >> 32 ^ seed << 10 ^ seed;

	state->s1 = prandom_seed(i, 2);
	state->s2 = prandom_seed(i, 8);
	state->s3 = prandom_seed(i, 16);
	state->s4 = prandom_seed(i, 128);
}

static u32 prandom_step(u32 *s, int a, int b, u32 mask, int d)
{
	*s = (*s & mask) << d ^ (*s << a ^ *s) >> b;
	return *s;
}

/* The kernel's generator, as the tests are tuned to their seeds. */
u32 prandom_u32_state(struct rnd_state *state)
{
	return prandom_step(&state->s1, 6, 13, 4294967294U, 18) ^
	       prandom_step(&state->s2, 2, 27, 4294967288U, 2) ^
	       prandom_step(&state->s3, 13, 21, 4294967280U, 7) ^
	       prandom_step(&state->s4, 3, 12, 4294967168U, 13);
}

void rb_add_cached(struct rb_node *node, struct rb_root_cached *root,
		   bool (*less)(struct rb_node *, const struct rb_node *))
{
	struct rb_node **at = &root->first;

	while (*at && !less(node, *at))
		at = &(*at)->next;
	node->next = *at;
	*at = node;
}

void rb_erase_cached(struct rb_node *node, struct rb_root_cached *root)
{
	struct rb_node **at = &root->first;

	while (*at != node)
		at = &(*at)->next;
	*at = node->next;
}

void kunit_register(struct kunit_suite *const *suites, unsigned int n)
{
	while (n--) {
		if (kunit_n == KUNIT_SUITES)
			abort();
		kunit_suites[kunit_n++] = *suites++;
	}
}

struct kunit *kunit_get_current_test(void)
{
	return kunit_current;
}

void *kunit_kzalloc(struct kunit *test, size_t size, gfp_t gfp)
{
	struct kunit_memory *memory = fuzz_alloc(sizeof(*memory) + size, gfp);

	memory->next = kunit_memory;
	kunit_memory = memory;
	return memory->data;
}

void kunit_set_stub(void *function, void *stub)
{
	unsigned int i = 0;

	while (kunit_stubs[i].function && kunit_stubs[i].function != function)
		i++;
	if (i == KUNIT_STUBS - 1)
		abort();
	kunit_stubs[i].function = function;
	kunit_stubs[i].stub = stub;
}

void *kunit_find_stub(void *function)
{
	unsigned int i;

	for (i = 0; kunit_stubs[i].function; i++)
		if (kunit_stubs[i].function == function)
			return kunit_stubs[i].stub;
	return NULL;
}

void kunit_info(struct kunit *test, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("    # ");
	vprintf(format, args);
	if (format[strlen(format) - 1] != '\n')
		printf("\n");
	va_end(args);
}

void kunit_fail(const char *file, int line, bool stop, u64 left, u64 right,
		const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("    # FAILED at %s:%d: ", file, line);
	vprintf(format, args);
	printf(" (%lld, %lld)\n", (long long)left, (long long)right);
	va_end(args);
	kunit_failed = true;
	if (stop)
		longjmp(kunit_stop, 1);
}

/* As in the kernel, what init() and the case leave is cleaned up by exit(). */
static bool kunit_run(const struct kunit_suite *suite,
		      const struct kunit_case *c)
{
	struct kunit_memory *memory;
	struct kunit test = {};

	kunit_current = &test;
	kunit_failed = false;
	if (!setjmp(kunit_stop)) {
		if (suite->init && suite->init(&test))
			kunit_failed = true;
		else
			c->run_case(&test);
	}
	if (suite->exit && !setjmp(kunit_stop))
		suite->exit(&test);
	memset(kunit_stubs, 0, sizeof(kunit_stubs));
	while ((memory = kunit_memory) != NULL) {
		kunit_memory = memory->next;
		free(memory);
	}
	return !kunit_failed;
}

static bool kunit_run_suite(const struct kunit_suite *suite)
{
	const struct kunit_case *c = suite->test_cases;
	unsigned int n = 0;
	bool all = true;

	while (c[n].run_case)
		n++;
	printf("    KTAP version 1\n    # Subtest: %s\n    1..%u\n",
	       suite->name, n);
	for (n = 0; c[n].run_case; n++) {
		bool ok = kunit_run(suite, &c[n]);

		printf("    %sok %u %s\n", ok ? "" : "not ", n + 1, c[n].name);
		fflush(stdout);
		all &= ok;
	}
	return all;
}

int main(void)
{
	bool all = true;
	unsigned int i;

	printf("KTAP version 1\n1..%u\n", kunit_n);
	for (i = 0; i < kunit_n; i++) {
		bool ok = kunit_run_suite(kunit_suites[i]);

		printf("%sok %u %s\n", ok ? "" : "not ", i + 1,
		       kunit_suites[i]->name);
		all &= ok;
	}
	return all ? 0 : 1;
}
