// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the registry of algorithms.
 */
#include <kunit/test.h>

#include "sched/registry.c"

static struct mptun_registry mptun_registry_test = {
	.lock = __MUTEX_INITIALIZER(mptun_registry_test.lock),
	.list = LIST_HEAD_INIT(mptun_registry_test.list),
};

static void mptun_registry_test_names(struct kunit *test)
{
	struct mptun_registry *r = &mptun_registry_test;
	struct mptun_algo bad[] = {
		{ .name = NULL },
		{ .name = "" },
		{ .name = "sixteen-letters-" },
	};
	struct mptun_algo longest = { .name = "fifteen-letters" };
	int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_EQ(test, mptun_registry_add(r, &bad[i]), -EINVAL);
	KUNIT_EXPECT_TRUE(test, list_empty(&r->list));

	KUNIT_EXPECT_EQ(test, mptun_registry_add(r, &longest), 0);
	KUNIT_EXPECT_TRUE(test, mptun_registry_has(r, "fifteen-letters"));
	mptun_registry_del(r, &longest);
	KUNIT_EXPECT_FALSE(test, mptun_registry_has(r, "fifteen-letters"));
}

static void mptun_registry_test_double(struct kunit *test)
{
	struct mptun_registry *r = &mptun_registry_test;
	struct mptun_algo a = { .name = "same" };
	struct mptun_algo b = { .name = "same" };

	KUNIT_EXPECT_EQ(test, mptun_registry_add(r, &a), 0);
	KUNIT_EXPECT_EQ(test, mptun_registry_add(r, &a), -EEXIST);
	KUNIT_EXPECT_EQ(test, mptun_registry_add(r, &b), -EEXIST);
	KUNIT_EXPECT_PTR_EQ(test, mptun_registry_get(r, "same"), &a);
	mptun_registry_put(&a);

	mptun_registry_del(r, &a);
	KUNIT_EXPECT_EQ(test, mptun_registry_add(r, &b), 0);
	KUNIT_EXPECT_PTR_EQ(test, mptun_registry_get(r, "same"), &b);
	mptun_registry_put(&b);
	mptun_registry_del(r, &b);
}

static void mptun_registry_test_unknown(struct kunit *test)
{
	struct mptun_registry *r = &mptun_registry_test;
	struct mptun_algo a = { .name = "known" };

	KUNIT_EXPECT_NULL(test, mptun_registry_get(r, "known"));
	KUNIT_EXPECT_EQ(test, mptun_registry_add(r, &a), 0);
	KUNIT_EXPECT_NULL(test, mptun_registry_get(r, "kno"));
	KUNIT_EXPECT_NULL(test, mptun_registry_get(r, "known2"));
	KUNIT_EXPECT_NULL(test, mptun_registry_get(r, ""));
	mptun_registry_del(r, &a);
}

#ifdef MODULE
/* What is in use holds its module, also when looked up in atomic context. */
static void mptun_registry_test_owner(struct kunit *test)
{
	struct mptun_registry *r = &mptun_registry_test;
	struct mptun_algo a = { .name = "owned", .owner = THIS_MODULE };
	int before = module_refcount(THIS_MODULE);

	KUNIT_EXPECT_EQ(test, mptun_registry_add(r, &a), 0);
	KUNIT_EXPECT_EQ(test, module_refcount(THIS_MODULE), before);
	local_bh_disable();
	KUNIT_EXPECT_PTR_EQ(test, mptun_registry_get(r, "owned"), &a);
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, module_refcount(THIS_MODULE), before + 1);
	mptun_registry_put(&a);
	KUNIT_EXPECT_EQ(test, module_refcount(THIS_MODULE), before);
	mptun_registry_del(r, &a);
}
#endif

static struct kunit_case mptun_registry_cases[] = {
	KUNIT_CASE(mptun_registry_test_names),
	KUNIT_CASE(mptun_registry_test_double),
	KUNIT_CASE(mptun_registry_test_unknown),
#ifdef MODULE
	KUNIT_CASE(mptun_registry_test_owner),
#endif
	{}
};

static struct kunit_suite mptun_registry_suite = {
	.name = "mptun_registry",
	.test_cases = mptun_registry_cases,
};

kunit_test_suite(mptun_registry_suite);
