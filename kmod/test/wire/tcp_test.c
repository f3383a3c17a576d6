// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of what headers of TCP say.
 */
#include <kunit/test.h>
#include <linux/string.h>

#include "wire/tcp.h"

/* ACK from 192.0.2.1 to 198.51.100.2 with a timestamp, and a byte more */
static const u8 mptun_tcp_test_v4[] = {
	0x45, 0x00, 0x00, 0x34, 0x12, 0x34, 0x40, 0x00,
	0x40, 0x06, 0x00, 0x00, 0xc0, 0x00, 0x02, 0x01,
	0xc6, 0x33, 0x64, 0x02,
	0x9c, 0x40, 0x01, 0xbb, 0x00, 0x00, 0x00, 0x01,
	0x00, 0x00, 0x00, 0x00, 0x80, 0x10, 0xfa, 0xf0,
	0x00, 0x00, 0x00, 0x00,
	0x01, 0x01, 0x08, 0x0a, 0, 0, 0, 1, 0, 0, 0, 2,
	0x47,
};

#define MPTUN_TCP_TEST_ACK	52

static void mptun_tcp_test_bare(struct kunit *test)
{
	u8 six[72] = { 0x60, [5] = 32, [6] = 6 };

	memcpy(six + 40, mptun_tcp_test_v4 + 20, 32);
	KUNIT_EXPECT_TRUE(test, mptun_tcp_bare(mptun_tcp_test_v4,
					       MPTUN_TCP_TEST_ACK));
	KUNIT_EXPECT_TRUE(test, mptun_tcp_bare(six, sizeof(six)));
	/* with data */
	KUNIT_EXPECT_FALSE(test, mptun_tcp_bare(mptun_tcp_test_v4,
						MPTUN_TCP_TEST_ACK + 1));
}

/* One byte makes each packet another one. */
static void mptun_tcp_test_other(struct kunit *test)
{
	static const struct {
		u8 at;
		u8 value;
	} bytes[] = {
		{ 0, 0x44 },	/* header too short */
		{ 0, 0x4f },	/* header longer than the packet */
		{ 0, 0x75 },	/* neither IPv4 nor IPv6 */
		{ 6, 0x20 },	/* first fragment */
		{ 9, 17 },	/* UDP */
		{ 32, 0xf0 },	/* header of TCP longer than the packet */
		{ 32, 0x50 },	/* the options are data */
		{ 33, 0x11 },	/* FIN */
		{ 33, 0x12 },	/* SYN */
		{ 33, 0x14 },	/* RST */
	};
	u8 four[MPTUN_TCP_TEST_ACK];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bytes); i++) {
		memcpy(four, mptun_tcp_test_v4, sizeof(four));
		four[bytes[i].at] = bytes[i].value;
		KUNIT_EXPECT_EQ_MSG(test, mptun_tcp_bare(four, sizeof(four)),
				    false, "case %u", i);
	}
}

/* Nothing behind the end of a packet is read. */
static void mptun_tcp_test_short(struct kunit *test)
{
	unsigned int len;
	u8 *copy;

	for (len = 0; len < MPTUN_TCP_TEST_ACK; len++) {
		copy = kunit_kzalloc(test, len ?: 1, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, copy);
		memcpy(copy, mptun_tcp_test_v4, len);
		KUNIT_EXPECT_FALSE(test, mptun_tcp_bare(copy, len));
	}
}

static struct kunit_case mptun_tcp_cases[] = {
	KUNIT_CASE(mptun_tcp_test_bare),
	KUNIT_CASE(mptun_tcp_test_other),
	KUNIT_CASE(mptun_tcp_test_short),
	{}
};

static struct kunit_suite mptun_tcp_suite = {
	.name = "mptun_tcp",
	.test_cases = mptun_tcp_cases,
};

kunit_test_suite(mptun_tcp_suite);
