// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the plan of fragments, and of their header.
 */
#include <kunit/test.h>
#include <linux/string.h>

#include "wire/frag.h"
#include "wire/parse.h"

static void mptun_frag_test_most(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, mptun_frag_most(0), 0U);
	KUNIT_EXPECT_EQ(test, mptun_frag_most(4), 0U);
	KUNIT_EXPECT_EQ(test, mptun_frag_most(5), 4U);
	KUNIT_EXPECT_EQ(test, mptun_frag_most(378), 1496U);
	KUNIT_EXPECT_EQ(test, mptun_frag_most(379), 1500U);
	/* the smallest path, over IPv6: 576 bytes outside */
	KUNIT_EXPECT_EQ(test, mptun_frag_most(484), 1500U);
	KUNIT_EXPECT_EQ(test, mptun_frag_most(U32_MAX), 1500U);
}

static void mptun_frag_test_plan(struct kunit *test)
{
	struct mptun_frag_plan plan;

	KUNIT_EXPECT_TRUE(test, mptun_frag_divide(&plan, 1400, 1208));
	KUNIT_EXPECT_EQ(test, plan.count, 2U);
	KUNIT_EXPECT_EQ(test, mptun_frag_size(&plan, 0), 700U);
	KUNIT_EXPECT_EQ(test, mptun_frag_size(&plan, 1), 700U);
	KUNIT_EXPECT_TRUE(test, mptun_frag_divide(&plan, 1500, 484));
	KUNIT_EXPECT_EQ(test, plan.count, 4U);
	KUNIT_EXPECT_EQ(test, mptun_frag_size(&plan, 3), 375U);
	KUNIT_EXPECT_TRUE(test, mptun_frag_divide(&plan, 1001, 510));
	KUNIT_EXPECT_EQ(test, mptun_frag_size(&plan, 0), 501U);
	KUNIT_EXPECT_EQ(test, mptun_frag_size(&plan, 1), 500U);
	KUNIT_EXPECT_FALSE(test, mptun_frag_divide(&plan, 1501, 1428));
	KUNIT_EXPECT_FALSE(test, mptun_frag_divide(&plan, 1500, 378));
	KUNIT_EXPECT_FALSE(test, mptun_frag_divide(&plan, 100, 4));
}

/* Whatever is planned fits, and all parts make the packet. */
static void mptun_frag_test_all(struct kunit *test)
{
	struct mptun_frag_plan plan;
	u32 len, room, sum, i;

	for (room = 100; room < 1500; room += 7) {
		for (len = room + 1; len <= MPTUN_FRAG_INNER_MAX; len += 11) {
			if (len > mptun_frag_most(room))
				break;
			KUNIT_ASSERT_TRUE(test, mptun_frag_divide(&plan, len,
								  room));
			for (i = 0, sum = 0; i < plan.count; i++) {
				u32 size = mptun_frag_size(&plan, i);

				KUNIT_ASSERT_GT(test, size, 0U);
				KUNIT_ASSERT_LE(test, size + 4, room);
				sum += size;
			}
			KUNIT_ASSERT_EQ(test, sum, len);
		}
	}
}

static void mptun_frag_test_header(struct kunit *test)
{
	static const struct {
		u8 data[6];
		u8 len;
		bool good;
	} cases[] = {
		{ { 0, 2, 0x05, 0xdc, 1, 2 }, 6, true },
		{ { 3, 4, 0x05, 0xdc, 1, 2 }, 6, true },
		{ { 1, 2, 0x00, 0x03, 1, 2 }, 6, true },
		/* nothing behind the header */
		{ { 0, 2, 0x05, 0xdc }, 4, false },
		{ { 0, 2, 0x05 }, 3, false },
		/* one fragment, too many, none of them */
		{ { 0, 1, 0x05, 0xdc, 1, 2 }, 6, false },
		{ { 0, 5, 0x05, 0xdc, 1, 2 }, 6, false },
		{ { 2, 2, 0x05, 0xdc, 1, 2 }, 6, false },
		/* a packet too large, or not larger than the part */
		{ { 0, 2, 0x05, 0xdd, 1, 2 }, 6, false },
		{ { 0, 2, 0x00, 0x02, 1, 2 }, 6, false },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test, !!mptun_parse_frag(cases[i].data,
							     cases[i].len),
				    cases[i].good, "case %u", i);
}

static struct kunit_case mptun_frag_cases[] = {
	KUNIT_CASE(mptun_frag_test_most),
	KUNIT_CASE(mptun_frag_test_plan),
	KUNIT_CASE(mptun_frag_test_all),
	KUNIT_CASE(mptun_frag_test_header),
	{}
};

static struct kunit_suite mptun_frag_suite = {
	.name = "mptun_frag",
	.test_cases = mptun_frag_cases,
};

kunit_test_suite(mptun_frag_suite);
