// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the clamping of the TCP MSS.
 */
#include <kunit/test.h>
#include <linux/string.h>

#include "wire/mss.h"

/* SYN from 192.0.2.1 to 198.51.100.2, MSS 1460, NOP, window scale; with the
 * checksums that it has on a wire
 */
static const u8 mptun_mss_test_v4[] = {
	0x45, 0x00, 0x00, 0x30, 0x12, 0x34, 0x40, 0x00,
	0x40, 0x06, 0x00, 0x00, 0xc0, 0x00, 0x02, 0x01,
	0xc6, 0x33, 0x64, 0x02,
	0x9c, 0x40, 0x01, 0xbb, 0x00, 0x00, 0x00, 0x01,
	0x00, 0x00, 0x00, 0x00, 0x70, 0x02, 0xfa, 0xf0,
	0x00, 0x00, 0x00, 0x00,
	0x02, 0x04, 0x05, 0xb4, 0x01, 0x03, 0x03, 0x07,
};

#define MPTUN_MSS_TEST_TCP4	20
#define MPTUN_MSS_TEST_TCP6	40

/* Sum over the segment and its pseudo header: 0xffff if the checksum is right,
 * its inverse where the checksum is zero.
 */
static u16 mptun_mss_test_sum(const u8 *packet, unsigned int len)
{
	bool v4 = packet[0] >> 4 == 4;
	unsigned int at = v4 ? MPTUN_MSS_TEST_TCP4 : MPTUN_MSS_TEST_TCP6, i;
	u32 sum = 6 + len - at;

	for (i = v4 ? 12 : 8; i < len; i++)
		sum += i % 2 ? packet[i] : packet[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static void mptun_mss_test_fill(u8 *packet, unsigned int len)
{
	unsigned int at = packet[0] >> 4 == 4 ? MPTUN_MSS_TEST_TCP4 :
						MPTUN_MSS_TEST_TCP6;
	u16 check;

	packet[at + 16] = 0;
	packet[at + 17] = 0;
	check = ~mptun_mss_test_sum(packet, len);
	packet[at + 16] = check >> 8;
	packet[at + 17] = check & 0xff;
}

/* The same as SYN/ACK over IPv6. */
static void mptun_mss_test_v6(u8 *packet)
{
	memset(packet, 0x20, 40);
	packet[0] = 0x60;
	packet[5] = 28;
	packet[6] = 6;
	memcpy(packet + 40, mptun_mss_test_v4 + 20, 28);
	packet[40 + 13] = 0x12;
	mptun_mss_test_fill(packet, 68);
}

static void mptun_mss_test_lower(struct kunit *test)
{
	u8 four[sizeof(mptun_mss_test_v4)], six[68], was[68];

	memcpy(four, mptun_mss_test_v4, sizeof(four));
	mptun_mss_test_fill(four, sizeof(four));
	memcpy(was, four, sizeof(four));
	KUNIT_EXPECT_TRUE(test, mptun_mss_clamp(four, sizeof(four), 1358,
						false));
	/* 1318 */
	KUNIT_EXPECT_EQ(test, four[42], 0x05);
	KUNIT_EXPECT_EQ(test, four[43], 0x26);
	KUNIT_EXPECT_EQ(test, mptun_mss_test_sum(four, sizeof(four)), 0xffff);
	/* nothing else changed */
	four[42] = was[42];
	four[43] = was[43];
	four[36] = was[36];
	four[37] = was[37];
	KUNIT_EXPECT_EQ(test, memcmp(four, was, sizeof(four)), 0);

	mptun_mss_test_v6(six);
	KUNIT_EXPECT_TRUE(test, mptun_mss_clamp(six, 68, 1358, false));
	/* 1298 */
	KUNIT_EXPECT_EQ(test, six[62], 0x05);
	KUNIT_EXPECT_EQ(test, six[63], 0x12);
	KUNIT_EXPECT_EQ(test, mptun_mss_test_sum(six, 68), 0xffff);
}

/* An MSS that fits stays, and so does one of a packet without checksum. */
static void mptun_mss_test_keep(struct kunit *test)
{
	u8 four[sizeof(mptun_mss_test_v4)];

	memcpy(four, mptun_mss_test_v4, sizeof(four));
	KUNIT_EXPECT_FALSE(test, mptun_mss_clamp(four, sizeof(four), 1500,
						 false));
	KUNIT_EXPECT_EQ(test, memcmp(four, mptun_mss_test_v4, sizeof(four)), 0);
	KUNIT_EXPECT_TRUE(test, mptun_mss_clamp(four, sizeof(four), 1499,
						true));
	KUNIT_EXPECT_EQ(test, four[43], 0xb3);
	KUNIT_EXPECT_EQ(test, four[36], 0);
	KUNIT_EXPECT_EQ(test, four[37], 0);
	KUNIT_EXPECT_FALSE(test, mptun_mss_clamp(four, sizeof(four), 40,
						 false));
}

/* The option may be at an odd offset, where its bytes count the other way. */
static void mptun_mss_test_odd(struct kunit *test)
{
	static const u8 options[] = { 1, 2, 4, 0x05, 0xb4, 3, 3, 7 };
	u8 four[sizeof(mptun_mss_test_v4)];

	memcpy(four, mptun_mss_test_v4, sizeof(four));
	memcpy(four + 40, options, sizeof(options));
	mptun_mss_test_fill(four, sizeof(four));
	KUNIT_EXPECT_TRUE(test, mptun_mss_clamp(four, sizeof(four), 1280,
						false));
	KUNIT_EXPECT_EQ(test, four[43], 0x04);
	KUNIT_EXPECT_EQ(test, four[44], 0xd8);
	KUNIT_EXPECT_EQ(test, mptun_mss_test_sum(four, sizeof(four)), 0xffff);
}

/* Packets that must be left alone: one byte makes each what it is. */
static void mptun_mss_test_other(struct kunit *test)
{
	static const struct {
		u8 at;
		u8 value;
	} bytes[] = {
		{ 0, 0x44 },	/* header too short */
		{ 0, 0x4f },	/* header longer than the packet */
		{ 0, 0x75 },	/* neither IPv4 nor IPv6 */
		{ 6, 0x20 },	/* first fragment */
		{ 7, 0x01 },	/* later fragment */
		{ 9, 17 },	/* UDP */
		{ 32, 0x80 },	/* header of TCP longer than the packet */
		{ 32, 0x50 },	/* no options */
		{ 32, 0x40 },	/* header of TCP too short */
		{ 33, 0x10 },	/* ACK */
		{ 40, 0 },	/* end of options */
		{ 41, 0 },	/* option without an end */
		{ 41, 1 },	/* option too short */
		{ 41, 3 },	/* MSS of another length */
		{ 41, 5 },
		{ 41, 9 },	/* option longer than the header */
		{ 45, 29 },	/* signed by TCP-AO */
	};
	u8 four[sizeof(mptun_mss_test_v4)], was[sizeof(mptun_mss_test_v4)];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bytes); i++) {
		memcpy(four, mptun_mss_test_v4, sizeof(four));
		four[bytes[i].at] = bytes[i].value;
		memcpy(was, four, sizeof(four));
		KUNIT_EXPECT_EQ_MSG(test, mptun_mss_clamp(four, sizeof(four),
							  576, false),
				    false, "case %u", i);
		KUNIT_EXPECT_EQ(test, memcmp(four, was, sizeof(four)), 0);
	}
}

/* Every truncated packet is left alone, and nothing behind its end is read. */
static void mptun_mss_test_short(struct kunit *test)
{
	unsigned int len;
	u8 *copy;

	for (len = 0; len < sizeof(mptun_mss_test_v4); len++) {
		copy = kunit_kzalloc(test, len ?: 1, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, copy);
		memcpy(copy, mptun_mss_test_v4, len);
		KUNIT_EXPECT_FALSE(test, mptun_mss_clamp(copy, len, 576,
							 false));
	}
}

static struct kunit_case mptun_mss_cases[] = {
	KUNIT_CASE(mptun_mss_test_lower),
	KUNIT_CASE(mptun_mss_test_keep),
	KUNIT_CASE(mptun_mss_test_odd),
	KUNIT_CASE(mptun_mss_test_other),
	KUNIT_CASE(mptun_mss_test_short),
	{}
};

static struct kunit_suite mptun_mss_suite = {
	.name = "mptun_mss",
	.test_cases = mptun_mss_cases,
};

kunit_test_suite(mptun_mss_suite);
