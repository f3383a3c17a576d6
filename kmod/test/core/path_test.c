// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of which paths take data, and of packets that were on their way while
 * their path got another number.
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

#define MPTUN_PATH_TEST_OLD	3
#define MPTUN_PATH_TEST_NEW	5
#define MPTUN_PATH_TEST_TOKEN	0x0123456789abcdefULL

/* Gives a path an id, as path/path_id.c does under the locks. */
static void mptun_path_test_assign(struct mptun_path *path, u16 wire_id)
{
	mptun_replay_start(&path->rx.control);
	path->rx.wire_id = wire_id;
	path->wire_id = wire_id;
}

static struct mptun_path *mptun_path_test_old(struct kunit *test)
{
	struct mptun_path *path;

	path = kunit_kzalloc(test, sizeof(*path), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, path);
	mptun_path_test_assign(path, MPTUN_PATH_TEST_OLD);
	return path;
}

/* Accepts a control number of a packet that was looked up before. */
static bool mptun_path_test_takes(struct mptun_path *path, u16 wire_id,
				  u64 number)
{
	struct mptun_replay_space *space = mptun_path_control(path, wire_id);

	return space && mptun_replay_update(&space->window, number);
}

/* A late packet of the old number does not move the window of the new one. */
static void mptun_path_test_window(struct kunit *test)
{
	struct mptun_path *path = mptun_path_test_old(test);

	KUNIT_EXPECT_TRUE(test, mptun_path_test_takes(path, MPTUN_PATH_TEST_OLD,
						      1000000));
	mptun_path_test_assign(path, MPTUN_PATH_TEST_NEW);
	KUNIT_EXPECT_FALSE(test, mptun_path_test_takes(path,
						       MPTUN_PATH_TEST_OLD,
						       1000001));
	KUNIT_EXPECT_TRUE(test, mptun_path_test_takes(path, MPTUN_PATH_TEST_NEW,
						      7));
	/* nor that of a path that has none */
	mptun_path_test_assign(path, MPTUN_WIRE_ID_NONE);
	KUNIT_EXPECT_FALSE(test, mptun_path_test_takes(path,
						       MPTUN_PATH_TEST_NEW, 8));
}

/* A late answer does not give the new number the times of the old addresses,
 * though the token may still be the same.
 */
static void mptun_path_test_answer(struct kunit *test)
{
	struct mptun_path *path = mptun_path_test_old(test);
	u64 token = MPTUN_PATH_TEST_TOKEN;

	atomic64_set(&path->live.token, token);
	KUNIT_EXPECT_TRUE(test, mptun_path_answered(path, MPTUN_PATH_TEST_OLD,
						    token));
	KUNIT_EXPECT_FALSE(test, mptun_path_answered(path, MPTUN_PATH_TEST_OLD,
						     token + 1));
	mptun_path_test_assign(path, MPTUN_PATH_TEST_NEW);
	KUNIT_EXPECT_FALSE(test, mptun_path_answered(path, MPTUN_PATH_TEST_OLD,
						     token));
	KUNIT_EXPECT_TRUE(test, mptun_path_answered(path, MPTUN_PATH_TEST_NEW,
						    token));
}

/* A late packet from the old address does not make the path roam back there. */
static void mptun_path_test_roam(struct kunit *test)
{
	struct mptun_path *path = mptun_path_test_old(test);

	path->live.state = MPTUN_PATH_STATE_UP;
	path->roam.ignore_ns = 1000;
	KUNIT_EXPECT_TRUE(test, mptun_path_may_roam(path, MPTUN_PATH_TEST_OLD,
						    1000));
	mptun_path_test_assign(path, MPTUN_PATH_TEST_NEW);
	KUNIT_EXPECT_FALSE(test, mptun_path_may_roam(path, MPTUN_PATH_TEST_OLD,
						     1000));
	KUNIT_EXPECT_TRUE(test, mptun_path_may_roam(path, MPTUN_PATH_TEST_NEW,
						    1000));
	/* while paused, with a move pending, or when it is being deleted */
	KUNIT_EXPECT_FALSE(test, mptun_path_may_roam(path, MPTUN_PATH_TEST_NEW,
						     999));
	path->roam.proved = true;
	KUNIT_EXPECT_FALSE(test, mptun_path_may_roam(path, MPTUN_PATH_TEST_NEW,
						     1000));
	path->roam.proved = false;
	path->live.state = MPTUN_PATH_STATE_DRAINING;
	KUNIT_EXPECT_FALSE(test, mptun_path_may_roam(path, MPTUN_PATH_TEST_NEW,
						     1000));
}

static struct kunit_case mptun_path_cases[] = {
	KUNIT_CASE(mptun_path_test_number),
	KUNIT_CASE(mptun_path_test_standby),
	KUNIT_CASE(mptun_path_test_window),
	KUNIT_CASE(mptun_path_test_answer),
	KUNIT_CASE(mptun_path_test_roam),
	{}
};

static struct kunit_suite mptun_path_suite = {
	.name = "mptun_path",
	.test_cases = mptun_path_cases,
};

kunit_test_suite(mptun_path_suite);
