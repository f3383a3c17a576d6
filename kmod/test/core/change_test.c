// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of which changes concern a path.
 */
#include <kunit/test.h>

#include "core/change.h"

static const union mptun_addr mptun_change_remote = {
	.v4 = cpu_to_be32(0xc6336407), /* 198.51.100.7 */
};

static const union mptun_addr mptun_change_source = {
	.v4 = cpu_to_be32(0x0a000102), /* 10.0.1.2 */
};

/* A path bound to wan1, which has index 5. */
static struct mptun_depends mptun_change_path(void)
{
	return (struct mptun_depends){
		.family = AF_INET,
		.remote = &mptun_change_remote,
		.source = &mptun_change_source,
		.ifindex = 5,
		.bound = 5,
		.name = "wan1",
	};
}

static bool mptun_change_device(struct mptun_depends *on, const char *name,
				int ifindex)
{
	struct mptun_change change = {
		.kind = MPTUN_CHANGE_DEVICE,
		.ifindex = ifindex,
	};

	strscpy(change.name, name, sizeof(change.name));
	return mptun_change_concerns(&change, on);
}

static bool mptun_change_address(struct mptun_depends *on, u32 addr,
				 int ifindex)
{
	struct mptun_change change = {
		.kind = MPTUN_CHANGE_ADDRESS,
		.ifindex = ifindex,
		.family = AF_INET,
		.addr.v4 = cpu_to_be32(addr),
		.len = 32,
	};

	return mptun_change_concerns(&change, on);
}

static bool mptun_change_route(struct mptun_depends *on, u32 addr, u8 len)
{
	struct mptun_change change = {
		.kind = MPTUN_CHANGE_ROUTE,
		.family = AF_INET,
		.addr.v4 = cpu_to_be32(addr),
		.len = len,
	};

	return mptun_change_concerns(&change, on);
}

/* The device by its index, also under another name, and whatever has the name
 * that the path is bound to.
 */
static void mptun_change_test_device(struct kunit *test)
{
	struct mptun_depends on = mptun_change_path();

	KUNIT_EXPECT_TRUE(test, mptun_change_device(&on, "wan1", 5));
	KUNIT_EXPECT_TRUE(test, mptun_change_device(&on, "old1", 5));
	KUNIT_EXPECT_TRUE(test, mptun_change_device(&on, "wan1", 9));
	KUNIT_EXPECT_FALSE(test, mptun_change_device(&on, "veth17", 9));
	on.ifindex = 0;
	on.bound = 0;
	KUNIT_EXPECT_TRUE(test, mptun_change_device(&on, "wan1", 9));
	KUNIT_EXPECT_FALSE(test, mptun_change_device(&on, "veth17", 9));
	on.name = "";
	on.unrouted = true;
	KUNIT_EXPECT_TRUE(test, mptun_change_device(&on, "veth17", 9));
}

/* An address of its device, its own on any device, and any if it has none. */
static void mptun_change_test_address(struct kunit *test)
{
	struct mptun_depends on = mptun_change_path();

	KUNIT_EXPECT_TRUE(test, mptun_change_address(&on, 0x0a000199, 5));
	KUNIT_EXPECT_TRUE(test, mptun_change_address(&on, 0x0a000102, 1));
	KUNIT_EXPECT_FALSE(test, mptun_change_address(&on, 0xac110001, 9));
	on.homeless = true;
	KUNIT_EXPECT_TRUE(test, mptun_change_address(&on, 0xac110001, 9));
}

/* A route to the remote, whatever its prefix; none to another network. */
static void mptun_change_test_route(struct kunit *test)
{
	struct mptun_depends on = mptun_change_path();

	KUNIT_EXPECT_TRUE(test, mptun_change_route(&on, 0, 0));
	KUNIT_EXPECT_TRUE(test, mptun_change_route(&on, 0xc6336400, 24));
	KUNIT_EXPECT_TRUE(test, mptun_change_route(&on, 0xc6336407, 32));
	KUNIT_EXPECT_FALSE(test, mptun_change_route(&on, 0xac110000, 16));
	KUNIT_EXPECT_FALSE(test, mptun_change_route(&on, 0xc6336408, 32));
	/* that of its own address */
	KUNIT_EXPECT_TRUE(test, mptun_change_route(&on, 0x0a000102, 32));
	KUNIT_EXPECT_FALSE(test, mptun_change_route(&on, 0x0a000100, 24));
}

static void mptun_change_test_family(struct kunit *test)
{
	struct mptun_depends on = mptun_change_path();
	struct mptun_change change = {
		.kind = MPTUN_CHANGE_ROUTE,
		.family = AF_INET6,
	};

	KUNIT_EXPECT_FALSE(test, mptun_change_concerns(&change, &on));
	on.family = AF_INET6;
	KUNIT_EXPECT_TRUE(test, mptun_change_concerns(&change, &on));
	change.len = 64;
	KUNIT_EXPECT_FALSE(test, mptun_change_concerns(&change, &on));
	change.kind = MPTUN_CHANGE_ANY;
	KUNIT_EXPECT_TRUE(test, mptun_change_concerns(&change, &on));
}

static unsigned int mptun_change_add_route(struct mptun_change *list,
					   unsigned int n, u32 addr, u8 len)
{
	struct mptun_change change = {
		.kind = MPTUN_CHANGE_ROUTE,
		.family = AF_INET,
		.addr.v4 = cpu_to_be32(addr),
		.len = len,
	};

	return mptun_change_add(list, n, &change);
}

static bool mptun_change_any_concerns(const struct mptun_change *list,
				      unsigned int n,
				      const struct mptun_depends *on)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (mptun_change_concerns(&list[i], on))
			return true;
	return false;
}

/* Many routes of containers are merged, and still concern no path; one to the
 * remote among them does.
 */
static void mptun_change_test_merge(struct kunit *test)
{
	struct mptun_depends on = mptun_change_path();
	struct mptun_change list[MPTUN_CHANGES_MAX + 1];
	unsigned int i, n = 0;

	for (i = 0; i < 200; i++) {
		n = mptun_change_add_route(list, n, 0xac110000 + (i << 8), 24);
		n = mptun_change_add_route(list, n, 0xac110001 + (i << 8), 32);
	}
	KUNIT_EXPECT_EQ(test, n, MPTUN_CHANGES_MAX);
	KUNIT_EXPECT_FALSE(test, mptun_change_any_concerns(list, n, &on));
	n = mptun_change_add_route(list, n, 0xc6336407, 32);
	KUNIT_EXPECT_TRUE(test, mptun_change_any_concerns(list, n, &on));
}

/* The route of an address among others of its network is not lost. */
static void mptun_change_test_merge_source(struct kunit *test)
{
	struct mptun_depends on = mptun_change_path();
	struct mptun_change list[MPTUN_CHANGES_MAX + 1];
	unsigned int n;

	n = mptun_change_add_route(list, 0, 0x0a000100, 24);
	KUNIT_EXPECT_FALSE(test, mptun_change_any_concerns(list, n, &on));
	n = mptun_change_add_route(list, n, 0x0a000102, 32);
	KUNIT_EXPECT_EQ(test, n, 1U);
	KUNIT_EXPECT_TRUE(test, mptun_change_any_concerns(list, n, &on));
}

static void mptun_change_test_overflow(struct kunit *test)
{
	struct mptun_change list[MPTUN_CHANGES_MAX + 1];
	struct mptun_change change = { .kind = MPTUN_CHANGE_DEVICE };
	struct mptun_depends on = mptun_change_path();
	unsigned int n = 0;

	for (change.ifindex = 100; change.ifindex < 150; change.ifindex++)
		n = mptun_change_add(list, n, &change);
	KUNIT_EXPECT_EQ(test, n, 1U);
	KUNIT_EXPECT_TRUE(test, mptun_change_any_concerns(list, n, &on));
}

/* The list is full of routes of one family when one of the other comes. */
static void mptun_change_test_full(struct kunit *test)
{
	struct mptun_change list[MPTUN_CHANGES_MAX + 1];
	struct mptun_change change = {
		.kind = MPTUN_CHANGE_ROUTE,
		.family = AF_INET6,
		.len = 64,
	};
	struct mptun_depends on = mptun_change_path();
	unsigned int i, n = 0;

	for (i = 0; i < MPTUN_CHANGES_MAX; i++)
		n = mptun_change_add_route(list, n, 0xac120000 | i << 8, 24);
	KUNIT_EXPECT_EQ(test, n, MPTUN_CHANGES_MAX);
	n = mptun_change_add(list, n, &change);
	KUNIT_EXPECT_EQ(test, n, MPTUN_CHANGES_MAX);
	KUNIT_EXPECT_FALSE(test, mptun_change_any_concerns(list, n, &on));
}

/* Dissimilar routes stay apart, also when other changes come last. */
static void mptun_change_test_similar(struct kunit *test)
{
	struct mptun_change list[MPTUN_CHANGES_MAX + 1];
	struct mptun_change address = {
		.kind = MPTUN_CHANGE_ADDRESS,
		.ifindex = 100,
		.family = AF_INET6,
		.len = 128,
	};
	struct mptun_depends on = mptun_change_path();
	unsigned int i, n = 0;

	n = mptun_change_add_route(list, n, 0x7f000000, 8);
	n = mptun_change_add_route(list, n, 0xe0000000, 4);
	for (i = 0; i < 4; i++) {
		n = mptun_change_add_route(list, n, 0xac120000 | i << 8, 24);
		address.addr.v6.s6_addr[15] = i;
		n = mptun_change_add(list, n, &address);
	}
	n = mptun_change_add(list, n, &address);
	KUNIT_EXPECT_EQ(test, n, MPTUN_CHANGES_MAX);
	KUNIT_EXPECT_FALSE(test, mptun_change_any_concerns(list, n, &on));
}

static struct kunit_case mptun_change_cases[] = {
	KUNIT_CASE(mptun_change_test_device),
	KUNIT_CASE(mptun_change_test_address),
	KUNIT_CASE(mptun_change_test_route),
	KUNIT_CASE(mptun_change_test_family),
	KUNIT_CASE(mptun_change_test_merge),
	KUNIT_CASE(mptun_change_test_merge_source),
	KUNIT_CASE(mptun_change_test_overflow),
	KUNIT_CASE(mptun_change_test_full),
	KUNIT_CASE(mptun_change_test_similar),
	{}
};

static struct kunit_suite mptun_change_suite = {
	.name = "mptun_change",
	.test_cases = mptun_change_cases,
};

kunit_test_suite(mptun_change_suite);
