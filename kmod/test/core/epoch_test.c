// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of epochs: nothing that began before a copy of memory is valid after
 * it, and nothing begins while an image is made.
 */
#include <kunit/test.h>

#include "core/epoch.h"

static void mptun_epoch_test_end(struct kunit *test)
{
	u32 before = mptun_epoch_begin();

	KUNIT_EXPECT_TRUE(test, mptun_epoch_valid(before));
	mptun_epoch_end();
	KUNIT_EXPECT_FALSE(test, mptun_epoch_valid(before));
	KUNIT_EXPECT_TRUE(test, mptun_epoch_valid(mptun_epoch_begin()));
}

static void mptun_epoch_test_image(struct kunit *test)
{
	u32 before = mptun_epoch_begin(), frozen;

	mptun_epoch_freeze();
	KUNIT_EXPECT_FALSE(test, mptun_epoch_valid(before));
	frozen = mptun_epoch_begin();
	KUNIT_EXPECT_FALSE(test, mptun_epoch_valid(frozen));
	/* A clone of the machine meanwhile ends nothing more. */
	mptun_epoch_end();
	KUNIT_EXPECT_FALSE(test, mptun_epoch_valid(frozen));
	KUNIT_EXPECT_FALSE(test, mptun_epoch_valid(mptun_epoch_begin()));
	mptun_epoch_thaw();
	KUNIT_EXPECT_FALSE(test, mptun_epoch_valid(before));
	KUNIT_EXPECT_FALSE(test, mptun_epoch_valid(frozen));
	KUNIT_EXPECT_TRUE(test, mptun_epoch_valid(mptun_epoch_begin()));
}

/* A module that was loaded while an image was made sees the end only. */
static void mptun_epoch_test_late(struct kunit *test)
{
	u32 before = mptun_epoch_begin();

	mptun_epoch_thaw();
	KUNIT_EXPECT_FALSE(test, mptun_epoch_valid(before));
	KUNIT_EXPECT_TRUE(test, mptun_epoch_valid(mptun_epoch_begin()));
}

static struct kunit_case mptun_epoch_test_cases[] = {
	KUNIT_CASE(mptun_epoch_test_end),
	KUNIT_CASE(mptun_epoch_test_image),
	KUNIT_CASE(mptun_epoch_test_late),
	{}
};

static struct kunit_suite mptun_epoch_test_suite = {
	.name = "mptun_epoch",
	.test_cases = mptun_epoch_test_cases,
};

kunit_test_suite(mptun_epoch_test_suite);
