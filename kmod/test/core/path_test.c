// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of which paths take data.
 */
#include <kunit/test.h>

#include "core/path.h"

/* A path between two associations still works, but has no number. */
static void mptun_path_test_number(struct kunit *test)
{
	struct mptun_path *path;

	path = kunit_kzalloc(test, sizeof(*path), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, path);
	path->live.state = MPTUN_PATH_STATE_UP;
	path->wire_id = MPTUN_WIRE_ID_NONE;
	KUNIT_EXPECT_FALSE(test, mptun_path_takes_data(path));
	path->wire_id = 1;
	KUNIT_EXPECT_TRUE(test, mptun_path_takes_data(path));
	path->live.state = MPTUN_PATH_STATE_SUSPECT;
	KUNIT_EXPECT_TRUE(test, mptun_path_takes_data(path));
	path->live.state = MPTUN_PATH_STATE_NEW;
	KUNIT_EXPECT_FALSE(test, mptun_path_takes_data(path));
}

static void mptun_path_test_standby(struct kunit *test)
{
	struct mptun_path *path;

	path = kunit_kzalloc(test, sizeof(*path), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, path);
	path->live.state = MPTUN_PATH_STATE_UP;
	path->wire_id = 1;
	path->own_status = MPTUN_STATUS_STANDBY;
	KUNIT_EXPECT_FALSE(test, mptun_path_takes_data(path));
	path->own_status = MPTUN_STATUS_AVAILABLE;
	path->peer_status = MPTUN_STATUS_STANDBY;
	KUNIT_EXPECT_FALSE(test, mptun_path_takes_data(path));
	path->peer_status = MPTUN_STATUS_BACKUP;
	KUNIT_EXPECT_TRUE(test, mptun_path_takes_data(path));
}

static struct kunit_case mptun_path_cases[] = {
	KUNIT_CASE(mptun_path_test_number),
	KUNIT_CASE(mptun_path_test_standby),
	{}
};

static struct kunit_suite mptun_path_suite = {
	.name = "mptun_path",
	.test_cases = mptun_path_cases,
};

kunit_test_suite(mptun_path_suite);
