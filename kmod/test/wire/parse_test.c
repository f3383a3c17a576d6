// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the parser of the body of a PACKET.
 */
#include <kunit/test.h>
#include <linux/if_ether.h>
#include <linux/string.h>

#include "wire/parse.h"

/**
 * struct mptun_parse_test - an ACK with more ranges than allowed
 * @spans: result
 * @ack: its head
 * @range: its ranges
 */
struct mptun_parse_test {
	struct mptun_ack_span spans[MPTUN_RANGES_MAX];
	struct mptun_ack ack;
	struct mptun_ack_range range[MPTUN_RANGES_MAX + 1];
} __packed __aligned(8);

static struct mptun_parse_test *mptun_parse_test_new(struct kunit *test)
{
	struct mptun_parse_test *t = kunit_kzalloc(test, sizeof(*t),
						   GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	return t;
}

static void mptun_parse_test_outer(struct kunit *test)
{
	struct mptun_outer outer = { .version = MPTUN_VERSION };
	int type;

	for (type = 0; type < 256; type++) {
		outer.type = type;
		KUNIT_EXPECT_EQ(test, mptun_parse_outer(&outer),
				type >= 1 && type <= 4);
	}
	outer.type = MPTUN_TYPE_PACKET;
	outer.flags = cpu_to_be16(1);
	KUNIT_EXPECT_FALSE(test, mptun_parse_outer(&outer));
	outer.flags = 0;
	outer.version++;
	KUNIT_EXPECT_FALSE(test, mptun_parse_outer(&outer));
}

static void mptun_parse_test_known(struct kunit *test)
{
	int kind, flags;

	for (kind = 0; kind < 16; kind++) {
		KUNIT_EXPECT_EQ(test, mptun_parse_known(kind, true, 0),
				kind >= 3 && kind <= 6);
		KUNIT_EXPECT_EQ(test, mptun_parse_known(kind, false, 0),
				kind == 1 || kind == 2);
	}
	for (flags = 0; flags < 256; flags++)
		KUNIT_EXPECT_EQ(test, mptun_parse_known(1, false, flags),
				!(flags & ~0x5f));
	/* a repair symbol has no flags */
	for (flags = 0; flags < 256; flags++)
		KUNIT_EXPECT_EQ(test, mptun_parse_known(2, false, flags),
				!flags);
	for (kind = 3; kind <= 6; kind++) {
		KUNIT_EXPECT_FALSE(test, mptun_parse_known(kind, true,
							   MPTUN_F_FRAG));
		KUNIT_EXPECT_FALSE(test, mptun_parse_known(kind, true,
							   MPTUN_F_CODED));
	}
}

static void mptun_parse_test_blocks(struct kunit *test)
{
	static const u8 body[] = { 4, 0, 0, 4, 1, 2, 3, 4, 99, 0, 0, 0,
				   5, 0, 0, 4, 1, 2, 3 };
	unsigned int len = sizeof(body);
	struct mptun_parse_block block;
	const u8 *data = body;

	KUNIT_EXPECT_EQ(test, mptun_parse_next(&data, &len, &block), 0);
	KUNIT_EXPECT_EQ(test, block.type, MPTUN_BLOCK_SETTLED);
	KUNIT_EXPECT_EQ(test, block.len, 4U);
	KUNIT_EXPECT_PTR_EQ(test, block.data, &body[4]);
	KUNIT_EXPECT_EQ(test, mptun_parse_next(&data, &len, &block), 0);
	KUNIT_EXPECT_EQ(test, block.type, 99);
	KUNIT_EXPECT_EQ(test, block.len, 0U);
	KUNIT_EXPECT_EQ(test, len, 7U);
	/* truncated */
	KUNIT_EXPECT_LT(test, mptun_parse_next(&data, &len, &block), 0);
	len = 3;
	KUNIT_EXPECT_LT(test, mptun_parse_next(&data, &len, &block), 0);
}

static void mptun_parse_test_block_length(struct kunit *test)
{
	u8 body[16] = { 1, 0, 0, 0 };
	int size;

	for (size = 0; size < 20; size++) {
		struct mptun_parse_block block;
		unsigned int len = sizeof(body);
		const u8 *data = body;

		body[3] = size;
		KUNIT_EXPECT_EQ(test, !mptun_parse_next(&data, &len, &block),
				size % 4 == 0 && size <= 12);
	}
}

/* One block that does not parse, wherever it is, and none counts. */
static void mptun_parse_test_body(struct kunit *test)
{
	u8 body[] = { 4, 0, 0, 4, 1, 2, 3, 4,	/* SETTLED */
		      5, 0, 0, 4, 0, 1, 0, 2,	/* STATUS */
		      99, 0, 0, 0 };		/* of a later version */
	unsigned int len;

	KUNIT_EXPECT_EQ(test, mptun_parse_blocks(body, 0), 0);
	for (len = 0; len <= sizeof(body); len++)
		KUNIT_EXPECT_EQ(test, mptun_parse_blocks(body, len) >= 0,
				len == 0 || len == 8 || len == 16 ||
				len == sizeof(body));
	KUNIT_EXPECT_EQ(test, mptun_parse_blocks(body, sizeof(body)),
			(int)(BIT(MPTUN_BLOCK_SETTLED) |
			      BIT(MPTUN_BLOCK_STATUS)));
	body[15] = MPTUN_STATUS_STANDBY + 1;
	KUNIT_EXPECT_LT(test, mptun_parse_blocks(body, sizeof(body)), 0);
	body[15] = MPTUN_STATUS_STANDBY;
	body[0] = MPTUN_BLOCK_FLOOR; /* has 12 bytes */
	KUNIT_EXPECT_LT(test, mptun_parse_blocks(body, sizeof(body)), 0);
}

static int mptun_parse_test_spans(struct kunit *test,
				  struct mptun_parse_test *t)
{
	const struct mptun_ack *ack;
	int err;

	ack = mptun_parse_ack((const u8 *)&t->ack, sizeof(t->ack) +
			      t->ack.ranges * sizeof(t->range[0]));
	err = mptun_parse_spans(&t->ack, t->spans);
	KUNIT_EXPECT_EQ(test, !ack, err < 0);
	return err;
}

static void mptun_parse_test_set(struct mptun_parse_test *t, int i, u32 gap,
				 u32 len)
{
	t->range[i].gap = cpu_to_be32(gap);
	t->range[i].len = cpu_to_be32(len);
}

static void mptun_parse_test_ack(struct kunit *test)
{
	struct mptun_parse_test *t = mptun_parse_test_new(test);

	t->ack.largest = cpu_to_be64(10);
	t->ack.ranges = 2;
	mptun_parse_test_set(t, 0, 0, 3);
	mptun_parse_test_set(t, 1, 2, 6);
	KUNIT_EXPECT_EQ(test, mptun_parse_test_spans(test, t), 0);
	KUNIT_EXPECT_EQ(test, t->spans[0].first, 8ULL);
	KUNIT_EXPECT_EQ(test, t->spans[0].last, 10ULL);
	KUNIT_EXPECT_EQ(test, t->spans[1].first, 0ULL);
	KUNIT_EXPECT_EQ(test, t->spans[1].last, 5ULL);
	/* below 0, no gap, empty, a gap above the largest */
	mptun_parse_test_set(t, 1, 2, 7);
	KUNIT_EXPECT_LT(test, mptun_parse_test_spans(test, t), 0);
	mptun_parse_test_set(t, 1, 0, 6);
	KUNIT_EXPECT_LT(test, mptun_parse_test_spans(test, t), 0);
	mptun_parse_test_set(t, 1, 2, 0);
	KUNIT_EXPECT_LT(test, mptun_parse_test_spans(test, t), 0);
	mptun_parse_test_set(t, 1, 2, 6);
	mptun_parse_test_set(t, 0, 1, 3);
	KUNIT_EXPECT_LT(test, mptun_parse_test_spans(test, t), 0);
	/* no number left for the second one */
	mptun_parse_test_set(t, 0, 0, 11);
	KUNIT_EXPECT_LT(test, mptun_parse_test_spans(test, t), 0);
	t->ack.ranges = 0;
	KUNIT_EXPECT_LT(test, mptun_parse_test_spans(test, t), 0);
}

static void mptun_parse_test_ack_many(struct kunit *test)
{
	struct mptun_parse_test *t = mptun_parse_test_new(test);
	int i;

	t->ack.largest = cpu_to_be64(1000);
	for (i = 0; i <= MPTUN_RANGES_MAX; i++)
		mptun_parse_test_set(t, i, !!i, 1);
	t->ack.ranges = MPTUN_RANGES_MAX;
	KUNIT_EXPECT_EQ(test, mptun_parse_test_spans(test, t), 0);
	KUNIT_EXPECT_EQ(test, t->spans[MPTUN_RANGES_MAX - 1].first,
			1000ULL - 2 * (MPTUN_RANGES_MAX - 1));
	t->ack.ranges++;
	KUNIT_EXPECT_LT(test, mptun_parse_test_spans(test, t), 0);
	/* of another length than its header says */
	KUNIT_EXPECT_NULL(test, mptun_parse_ack((u8 *)&t->ack, 40 + 64 * 8));
	KUNIT_EXPECT_NULL(test, mptun_parse_ack((u8 *)&t->ack, 39));
	/* U64_MAX is not a valid number */
	t->ack.ranges = 1;
	t->ack.largest = cpu_to_be64(U64_MAX);
	KUNIT_EXPECT_LT(test, mptun_parse_test_spans(test, t), 0);
}

static void mptun_parse_test_probe(struct kunit *test)
{
	struct mptun_probe probe = { .size = cpu_to_be16(16) };
	const u8 *data = (const u8 *)&probe;

	KUNIT_EXPECT_NOT_NULL(test, mptun_parse_probe(data, 16));
	KUNIT_EXPECT_NULL(test, mptun_parse_probe(data, 15));
	probe.answer = 1;
	KUNIT_EXPECT_NOT_NULL(test, mptun_parse_probe(data, 16));
	probe.size = cpu_to_be16(15);
	KUNIT_EXPECT_NULL(test, mptun_parse_probe(data, 16));
	probe.size = cpu_to_be16(1400);
	probe.answer = 2;
	KUNIT_EXPECT_NULL(test, mptun_parse_probe(data, 16));
}

static void mptun_parse_test_inner(struct kunit *test)
{
	u8 data[40] = { 0x45, 0, 0, 20 };
	__be16 protocol = 0;

	KUNIT_EXPECT_EQ(test, mptun_parse_inner(data, 20, &protocol), 20U);
	KUNIT_EXPECT_EQ(test, ntohs(protocol), ETH_P_IP);
	KUNIT_EXPECT_EQ(test, mptun_parse_inner(data, 19, &protocol), 0U);
	data[3] = 19;
	KUNIT_EXPECT_EQ(test, mptun_parse_inner(data, 40, &protocol), 0U);
	data[0] = 0x60;
	data[4] = 0xff;
	data[5] = 0xff;
	KUNIT_EXPECT_EQ(test, mptun_parse_inner(data, 40, &protocol), 65575U);
	KUNIT_EXPECT_EQ(test, ntohs(protocol), ETH_P_IPV6);
	KUNIT_EXPECT_EQ(test, mptun_parse_inner(data, 39, &protocol), 0U);
	data[0] = 0x55;
	KUNIT_EXPECT_EQ(test, mptun_parse_inner(data, 40, &protocol), 0U);
}

static bool mptun_parse_test_takes(struct mptun_path_policy policy,
				   unsigned int len)
{
	struct {
		struct mptun_block head;
		struct mptun_path_policy policy;
		__be32 more;
	} __packed body = {
		.head = {
			.type = MPTUN_BLOCK_POLICY,
			.len = cpu_to_be16(len),
		},
		.policy = policy,
	};
	int types = mptun_parse_blocks((const u8 *)&body,
				       sizeof(body.head) + len);

	return types == BIT(MPTUN_BLOCK_POLICY);
}

/* Values that a setting cannot have. */
static void mptun_parse_test_policy(struct kunit *test)
{
	const struct mptun_path_policy good = {
		.path = cpu_to_be16(3),
		.flags = MPTUN_POLICY_BACKUP | MPTUN_POLICY_OFF,
		.status = MPTUN_STATUS_STANDBY,
		.version = cpu_to_be32(1),
		.priority = 255,
		.weight = cpu_to_be16(65535),
		.spill = cpu_to_be32(U32_MAX),
		.rate = cpu_to_be64(MPTUN_POLICY_RATE_MAX),
	};
	struct mptun_path_policy bad = good;
	unsigned int i;

	for (i = 0; i <= sizeof(good) + 4; i += 4)
		KUNIT_EXPECT_EQ(test, mptun_parse_test_takes(good, i),
				i == sizeof(good));
	bad.version = 0;
	KUNIT_EXPECT_FALSE(test, mptun_parse_test_takes(bad, sizeof(bad)));
	bad = good;
	bad.weight = 0;
	KUNIT_EXPECT_FALSE(test, mptun_parse_test_takes(bad, sizeof(bad)));
	bad = good;
	bad.rate = cpu_to_be64(MPTUN_POLICY_RATE_MAX + 1);
	KUNIT_EXPECT_FALSE(test, mptun_parse_test_takes(bad, sizeof(bad)));
	for (i = 0; i < 256; i++) {
		bad = good;
		bad.status = i;
		KUNIT_EXPECT_EQ(test,
				mptun_parse_test_takes(bad, sizeof(bad)),
				i == MPTUN_STATUS_AVAILABLE ||
				i == MPTUN_STATUS_BACKUP ||
				i == MPTUN_STATUS_STANDBY);
		bad = good;
		bad.flags = i;
		KUNIT_EXPECT_EQ(test,
				mptun_parse_test_takes(bad, sizeof(bad)),
				i < 4 || i == MPTUN_POLICY_ACK ||
				i == (MPTUN_POLICY_ACK |
				      MPTUN_POLICY_FOLLOWED));
	}
	/* An answer has a version and nothing else. */
	bad = (struct mptun_path_policy){ .flags = MPTUN_POLICY_ACK };
	KUNIT_EXPECT_FALSE(test, mptun_parse_test_takes(bad, sizeof(bad)));
	bad.version = good.version;
	KUNIT_EXPECT_TRUE(test, mptun_parse_test_takes(bad, sizeof(bad)));
}

/**
 * struct mptun_parse_test_rates - a block with more rates than allowed
 * @head: its header
 * @caps: begin of its content
 * @entry: the rates
 */
struct mptun_parse_test_rates {
	struct mptun_block head;
	struct mptun_caps_head caps;
	struct mptun_caps_entry entry[MPTUN_CAPS_MAX + 1];
};

/* Returns true if a block with the first @n rates parses. */
static bool mptun_parse_test_fits(struct mptun_parse_test_rates *body,
				  unsigned int n)
{
	unsigned int len = sizeof(body->caps) + n * sizeof(body->entry[0]);

	body->head.len = cpu_to_be16(len);
	body->caps.count = n;
	return mptun_parse_blocks((const u8 *)body,
				  sizeof(body->head) + len) > 0;
}

/* Rates of classes that there cannot be. */
static void mptun_parse_test_caps(struct kunit *test)
{
	struct mptun_parse_test_rates body = {
		.head.type = MPTUN_BLOCK_CAPS,
	};
	unsigned int n;

	body.caps.version = cpu_to_be32(1);
	for (n = 0; n <= MPTUN_CAPS_MAX; n++) {
		body.entry[n].protocol = cpu_to_be16(MPTUN_CAPS_PROTOCOL_ANY);
		body.entry[n].dscp = MPTUN_CAPS_DSCP_ANY;
		body.entry[n].rate = cpu_to_be64(MPTUN_POLICY_RATE_MAX);
	}
	for (n = 0; n <= MPTUN_CAPS_MAX; n++)
		KUNIT_EXPECT_TRUE(test, mptun_parse_test_fits(&body, n));
	n = MPTUN_CAPS_MAX + 1;
	KUNIT_EXPECT_FALSE(test, mptun_parse_test_fits(&body, n));
	body.entry[1].rate = 0;
	KUNIT_EXPECT_TRUE(test, mptun_parse_test_fits(&body, 1));
	KUNIT_EXPECT_FALSE(test, mptun_parse_test_fits(&body, 2));
	body.entry[1].rate = cpu_to_be64(MPTUN_POLICY_RATE_MAX + 1);
	KUNIT_EXPECT_FALSE(test, mptun_parse_test_fits(&body, 2));
	body.entry[0].protocol = cpu_to_be16(MPTUN_CAPS_PROTOCOL_ANY + 1);
	KUNIT_EXPECT_FALSE(test, mptun_parse_test_fits(&body, 1));
	body.entry[0].protocol = 0;
	body.entry[0].dscp = MPTUN_CAPS_DSCP_ANY + 1;
	KUNIT_EXPECT_FALSE(test, mptun_parse_test_fits(&body, 1));
	body.caps.flags = MPTUN_POLICY_ANSWER;
	KUNIT_EXPECT_TRUE(test, mptun_parse_test_fits(&body, 0));
	body.entry[0].dscp = 0;
	KUNIT_EXPECT_FALSE(test, mptun_parse_test_fits(&body, 1));
	body.caps.flags = MPTUN_POLICY_BACKUP;
	KUNIT_EXPECT_FALSE(test, mptun_parse_test_fits(&body, 0));
	body.caps.flags = 0;
	body.caps.version = 0;
	KUNIT_EXPECT_FALSE(test, mptun_parse_test_fits(&body, 0));
}

/* Returns true if a body of @len bytes parses. */
static bool mptun_parse_test_repairs(const u8 *body, unsigned int len,
				     struct mptun_repair_window *window)
{
	return !mptun_parse_repair(0x10, body, len, window);
}

static void mptun_parse_test_repair(struct kunit *test)
{
	u8 body[] __aligned(4) = {
		0x12, 0x34, 3, 0,			/* seed, words */
		0x80, 0, 0, 0x03, 0, 0, 0, 0, 0, 0, 0, 2, /* map */
		0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, /* symbol */
	};
	struct mptun_repair_window w;
	unsigned int i;

	KUNIT_ASSERT_TRUE(test, mptun_parse_test_repairs(body, sizeof(body),
							 &w));
	KUNIT_EXPECT_EQ(test, w.last, 0x10U);
	KUNIT_EXPECT_EQ(test, w.seed, 0x1234);
	KUNIT_EXPECT_EQ(test, w.map[0], 0x80000003ULL);
	KUNIT_EXPECT_EQ(test, w.map[1], 2ULL);
	KUNIT_EXPECT_EQ(test, w.members, 4U);
	KUNIT_EXPECT_PTR_EQ(test, w.data, &body[16]);
	KUNIT_EXPECT_EQ(test, w.len, 7U);
	/* a symbol of a header alone, or less */
	for (i = 0; i < sizeof(body); i++)
		KUNIT_EXPECT_FALSE(test, mptun_parse_test_repairs(body, i,
								  &w));
	/* the last member is one */
	body[7] = 2;
	KUNIT_EXPECT_FALSE(test, mptun_parse_test_repairs(body, sizeof(body),
							  &w));
	body[7] = 3;
	/* there is no word more than needed */
	body[15] = 0;
	KUNIT_EXPECT_FALSE(test, mptun_parse_test_repairs(body, sizeof(body),
							  &w));
	body[15] = 2;
	body[3] = 1;
	KUNIT_EXPECT_FALSE(test, mptun_parse_test_repairs(body, sizeof(body),
							  &w));
}

/* Maps of any number of words and members. */
static void mptun_parse_test_repair_map(struct kunit *test)
{
	struct mptun_repair_window w;
	u8 body[40] __aligned(4) = {};
	unsigned int words, members;

	for (words = 0; words < 256; words++) {
		body[2] = words;
		memset(&body[4], 0, 16);
		body[7] = 1;
		if (words && words <= MPTUN_REPAIR_WORDS)
			body[4 * words] |= 0x80;
		KUNIT_EXPECT_EQ(test,
				mptun_parse_test_repairs(body, sizeof(body),
							 &w),
				words && words <= MPTUN_REPAIR_WORDS);
	}
	body[2] = MPTUN_REPAIR_WORDS;
	memset(&body[4], 0, 16);
	body[4 + 12] = 0x80;
	for (members = 1; members < 128; members++) {
		unsigned int bit = members - 1;

		body[4 + bit / 32 * 4 + 3 - bit % 32 / 8] |= 1 << bit % 8;
		KUNIT_EXPECT_EQ(test,
				mptun_parse_test_repairs(body, sizeof(body),
							 &w),
				members + 1 <= MPTUN_REPAIR_MEMBERS);
		KUNIT_EXPECT_EQ(test, w.members, members + 1);
	}
}

static struct kunit_case mptun_parse_cases[] = {
	KUNIT_CASE(mptun_parse_test_outer),
	KUNIT_CASE(mptun_parse_test_known),
	KUNIT_CASE(mptun_parse_test_blocks),
	KUNIT_CASE(mptun_parse_test_block_length),
	KUNIT_CASE(mptun_parse_test_body),
	KUNIT_CASE(mptun_parse_test_policy),
	KUNIT_CASE(mptun_parse_test_caps),
	KUNIT_CASE(mptun_parse_test_ack),
	KUNIT_CASE(mptun_parse_test_ack_many),
	KUNIT_CASE(mptun_parse_test_probe),
	KUNIT_CASE(mptun_parse_test_inner),
	KUNIT_CASE(mptun_parse_test_repair),
	KUNIT_CASE(mptun_parse_test_repair_map),
	{}
};

static struct kunit_suite mptun_parse_suite = {
	.name = "mptun_parse",
	.test_cases = mptun_parse_cases,
};

kunit_test_suite(mptun_parse_suite);
