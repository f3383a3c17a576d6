// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the state of a namespace.
 */
#include <kunit/test.h>
#include <linux/rtnetlink.h>
#include <linux/user_namespace.h>
#include <net/net_namespace.h>

#include "base/limits.h"
#include "base/pool.h"
#include "core/lookup.h"

/* Opens a namespace that belongs to a user namespace.  Returns the limit of its
 * pool, and stores that of the machine.
 */
static long mptun_lookup_limit(struct kunit *test, struct user_namespace *owner,
			       long *all)
{
	struct mptun_net *mn = kunit_kzalloc(test, sizeof(*mn), GFP_KERNEL);
	struct net *net = kunit_kzalloc(test, sizeof(*net), GFP_KERNEL);
	long limit;

	KUNIT_ASSERT_NOT_NULL(test, mn);
	KUNIT_ASSERT_NOT_NULL(test, net);
	net->user_ns = owner;
	mn->net = net;
	INIT_LIST_HEAD(&mn->tunnels);
	rtnl_lock();
	KUNIT_EXPECT_EQ(test, mptun_net_open(mn), 0);
	limit = mn->pool->limit;
	*all = mn->pool->up->limit;
	mptun_net_close(mn);
	rtnl_unlock();
	return limit;
}

/* The machine's administrator may use all of its pool, others a part. */
static void mptun_lookup_test_pool(struct kunit *test)
{
	struct user_namespace *user;
	long all;

	user = kunit_kzalloc(test, sizeof(*user), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, user);
	mptun_lookup_limit(test, &init_user_ns, &all);
	/* This copy of the code may not have been set up. */
	if (!all)
		mptun_net_pool_setup();
	KUNIT_EXPECT_EQ(test, mptun_lookup_limit(test, &init_user_ns, &all),
			all);
	KUNIT_EXPECT_GT(test, all, 0L);
	KUNIT_EXPECT_EQ(test, mptun_lookup_limit(test, user, &all),
			all / MPTUN_POOL_USER);
}

static struct kunit_case mptun_lookup_test_cases[] = {
	KUNIT_CASE(mptun_lookup_test_pool),
	{}
};

static struct kunit_suite mptun_lookup_test_suite = {
	.name = "mptun_lookup",
	.test_cases = mptun_lookup_test_cases,
};

kunit_test_suite(mptun_lookup_test_suite);
