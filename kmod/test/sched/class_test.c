// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of classes: what belongs to them, and where they send it.
 */
#include <kunit/test.h>

#include "sched/class.h"

#define MPTUN_CLASS_TEST_PATHS	3

/**
 * struct mptun_class_test - what the tests work on
 * @list: the classes of a new tunnel
 * @class: a class, not in @list
 * @state: its state
 * @s: a scheduler that always takes the last path
 * @cand: paths with room, with latencies of 10, 20 and 30 ms
 */
struct mptun_class_test {
	struct mptun_class_list list;
	struct mptun_class class;
	struct mptun_class_state state;
	struct mptun_sched s;
	struct mptun_sched_cand cand[MPTUN_CLASS_TEST_PATHS];
};

static int mptun_class_test_last(struct mptun_sched *s,
				 const struct mptun_sched_cand *cand,
				 unsigned int n, u32 bytes)
{
	return cand[n - 1].room < bytes ? -EAGAIN : n - 1;
}

static const struct mptun_sched_ops mptun_class_test_ops = {
	.name		= "last",
	.pick		= mptun_class_test_last,
};

static const struct mptun_sched_ops mptun_class_test_copies = {
	.name		= "copies",
	.pick		= mptun_class_test_last,
	.copies		= true,
};

static int mptun_class_test_init(struct kunit *test)
{
	struct mptun_class_test *t;
	int i;

	t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t);
	mptun_class_list_init(&t->list);
	mptun_class_init(&t->class);
	t->s.ops = &mptun_class_test_ops;
	t->s.hold_us = 200000;
	t->s.now = NSEC_PER_SEC;
	for (i = 0; i < MPTUN_CLASS_TEST_PATHS; i++)
		t->cand[i] = (struct mptun_sched_cand){
			.room = 100000,
			.srtt_us = 20000 * (i + 1),
			.min_rtt_us = 20000 * (i + 1),
			.weight = 1,
			.mtu = 1428,
			.up = true,
		};
	test->priv = t;
	return 0;
}

static u8 mptun_class_test_match(struct mptun_class_test *t, u32 mark, u8 dscp,
				 u8 protocol, u16 source, u16 dest)
{
	struct mptun_class_key key = {
		.mark = mark, .dscp = dscp, .protocol = protocol,
		.source = source, .dest = dest,
	};

	return mptun_class_match(&t->list, &key);
}

static int mptun_class_test_pick(struct mptun_class_test *t, unsigned int n)
{
	return mptun_class_pick(&t->class, &t->state, &t->s, t->cand, n, 1500,
				1428);
}

static void mptun_class_test_begin(struct kunit *test)
{
	struct mptun_class_test *t = test->priv;
	const struct mptun_class *ef = &t->list.class[MPTUN_CLASS_EF];

	KUNIT_EXPECT_EQ(test, t->list.used, 0x8001);
	KUNIT_EXPECT_FALSE(test, t->list.ports);
	KUNIT_EXPECT_EQ(test, mptun_class_test_match(t, 0, 46, 17, 1, 2), 15);
	KUNIT_EXPECT_EQ(test, mptun_class_test_match(t, 0, 45, 17, 1, 2), 0);
	KUNIT_EXPECT_EQ(test, ef->policy, MPTUN_CLASS_POLICY_NEAREST);
	KUNIT_EXPECT_FALSE(test, ef->order);
	KUNIT_EXPECT_TRUE(test, t->list.class[0].order);
	KUNIT_EXPECT_EQ(test, t->list.class[0].policy,
			MPTUN_CLASS_POLICY_AGGREGATE);
}

static void mptun_class_test_match_mark(struct kunit *test)
{
	struct mptun_class_test *t = test->priv;

	t->class.mark = 0x20;
	t->class.mask = 0xf0;
	mptun_class_put(&t->list, 3, &t->class);
	KUNIT_EXPECT_EQ(test, mptun_class_test_match(t, 0x20, 0, 6, 0, 0), 3);
	KUNIT_EXPECT_EQ(test, mptun_class_test_match(t, 0xf2f, 0, 6, 0, 0), 3);
	KUNIT_EXPECT_EQ(test, mptun_class_test_match(t, 0x30, 0, 6, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, mptun_class_test_match(t, 0x60, 0, 6, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, mptun_class_test_match(t, 0, 0, 6, 0, 0), 0);
	/* A mark of 0 can be matched. */
	t->class.mark = 0;
	mptun_class_put(&t->list, 3, &t->class);
	KUNIT_EXPECT_EQ(test, mptun_class_test_match(t, 0x20, 0, 6, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, mptun_class_test_match(t, 0xf, 0, 6, 0, 0), 3);
}

/* All fields must match. */
static void mptun_class_test_match_all(struct kunit *test)
{
	struct mptun_class_test *t = test->priv;

	t->class.dscp = 0;
	t->class.protocol = 17;
	t->class.port = 53;
	mptun_class_put(&t->list, 2, &t->class);
	KUNIT_EXPECT_TRUE(test, t->list.ports);
	KUNIT_EXPECT_EQ(test, mptun_class_test_match(t, 9, 0, 17, 53, 9), 2);
	KUNIT_EXPECT_EQ(test, mptun_class_test_match(t, 9, 0, 17, 9, 53), 2);
	KUNIT_EXPECT_EQ(test, mptun_class_test_match(t, 9, 0, 17, 9, 54), 0);
	KUNIT_EXPECT_EQ(test, mptun_class_test_match(t, 9, 0, 6, 53, 53), 0);
	KUNIT_EXPECT_EQ(test, mptun_class_test_match(t, 9, 1, 17, 53, 9), 0);
	mptun_class_remove(&t->list, 2);
	KUNIT_EXPECT_FALSE(test, t->list.ports);
	KUNIT_EXPECT_FALSE(test, mptun_class_exists(&t->list, 2));
	KUNIT_EXPECT_EQ(test, mptun_class_test_match(t, 9, 0, 17, 53, 9), 0);
	KUNIT_EXPECT_EQ(test, t->list.class[2].protocol,
			MPTUN_CLASS_ANY_PROTOCOL);
}

static void mptun_class_test_first(struct kunit *test)
{
	struct mptun_class_test *t = test->priv;

	t->class.protocol = 17;
	mptun_class_put(&t->list, 14, &t->class);
	KUNIT_EXPECT_EQ(test, mptun_class_test_match(t, 0, 46, 17, 1, 2), 14);
	mptun_class_put(&t->list, 1, &t->class);
	KUNIT_EXPECT_EQ(test, mptun_class_test_match(t, 0, 46, 17, 1, 2), 1);
	mptun_class_remove(&t->list, 1);
	mptun_class_remove(&t->list, 14);
	KUNIT_EXPECT_EQ(test, mptun_class_test_match(t, 0, 46, 17, 1, 2), 15);
	mptun_class_remove(&t->list, MPTUN_CLASS_EF);
	KUNIT_EXPECT_EQ(test, mptun_class_test_match(t, 0, 46, 17, 1, 2), 0);
	KUNIT_EXPECT_EQ(test, t->list.used, 1);
}

static void mptun_class_test_pins(struct kunit *test)
{
	struct mptun_class_test *t = test->priv;
	const unsigned int n = MPTUN_CLASS_TEST_PATHS;

	t->class.policy = MPTUN_CLASS_POLICY_PIN;
	KUNIT_EXPECT_TRUE(test, mptun_class_pins(&t->class, t->cand, n, 1,
						 1428));
	KUNIT_EXPECT_FALSE(test, mptun_class_pins(&t->class, t->cand, n, -1,
						  1428));
	KUNIT_EXPECT_FALSE(test, mptun_class_pins(&t->class, t->cand, n, 1,
						  1429));
	t->cand[1].up = false;
	KUNIT_EXPECT_FALSE(test, mptun_class_pins(&t->class, t->cand, n, 1,
						  1428));
	t->class.strict = true;
	KUNIT_EXPECT_TRUE(test, mptun_class_pins(&t->class, t->cand, n, 1,
						 1428));
	KUNIT_EXPECT_TRUE(test, mptun_class_pins(&t->class, t->cand, n, 1,
						 1429));
	KUNIT_EXPECT_FALSE(test, mptun_class_pins(&t->class, t->cand, n, -1,
						  1428));
	/* No path is better than suspect. */
	t->class.strict = false;
	t->cand[0].up = false;
	t->cand[2].up = false;
	KUNIT_EXPECT_TRUE(test, mptun_class_pins(&t->class, t->cand, n, 1,
						 1428));
}

/* A pinned class leaves the scheduler alone, unless its path is gone. */
static void mptun_class_test_pinned(struct kunit *test)
{
	struct mptun_class_test *t = test->priv;

	t->class.policy = MPTUN_CLASS_POLICY_PIN;
	KUNIT_EXPECT_FALSE(test, mptun_class_scheduled(&t->class, 1));
	KUNIT_EXPECT_EQ(test, mptun_class_test_pick(t, 1), 0);
	t->cand[0].backup = true;
	KUNIT_EXPECT_EQ(test, mptun_class_test_pick(t, 1), 0);
	t->cand[0].room = 0;
	KUNIT_EXPECT_EQ(test, mptun_class_test_pick(t, 1), -EAGAIN);
	t->cand[0].mtu = 1427;
	KUNIT_EXPECT_EQ(test, mptun_class_test_pick(t, 1), -EMSGSIZE);
	KUNIT_EXPECT_TRUE(test, t->cand[0].best);
	KUNIT_EXPECT_EQ(test, mptun_class_test_pick(t, 0), -ENETDOWN);

	KUNIT_EXPECT_TRUE(test, mptun_class_scheduled(&t->class, 3));
	KUNIT_EXPECT_EQ(test, mptun_class_test_pick(t, 3), 2);
}

static void mptun_class_test_earliest(struct kunit *test)
{
	struct mptun_class_test *t = test->priv;

	t->class.policy = MPTUN_CLASS_POLICY_NEAREST;
	KUNIT_EXPECT_EQ(test, mptun_class_test_pick(t, 3), 0);
	t->cand[0].priority = 1;
	KUNIT_EXPECT_EQ(test, mptun_class_test_pick(t, 3), 1);
	t->cand[1].backup = true;
	KUNIT_EXPECT_EQ(test, mptun_class_test_pick(t, 3), 2);
	t->cand[2].mtu = 1000;
	KUNIT_EXPECT_EQ(test, mptun_class_test_pick(t, 3), -EMSGSIZE);
}

/* Ordered classes that share paths with others do without suspended ones. */
static void mptun_class_test_avoids(struct kunit *test)
{
	struct mptun_class class;

	mptun_class_init(&class);
	KUNIT_EXPECT_TRUE(test, mptun_class_avoids(&class));
	class.policy = MPTUN_CLASS_POLICY_PIN;
	KUNIT_EXPECT_TRUE(test, mptun_class_avoids(&class));
	class.policy = MPTUN_CLASS_POLICY_DUPLICATE;
	KUNIT_EXPECT_FALSE(test, mptun_class_avoids(&class));
	class.policy = MPTUN_CLASS_POLICY_NEAREST;
	KUNIT_EXPECT_FALSE(test, mptun_class_avoids(&class));
	class.policy = MPTUN_CLASS_POLICY_AGGREGATE;
	class.order = false;
	KUNIT_EXPECT_FALSE(test, mptun_class_avoids(&class));
}

/* Without a setting TCP is retransmitted, and other flows depend. */
static void mptun_class_test_keep(struct kunit *test)
{
	struct mptun_class class;

	mptun_class_init(&class);
	KUNIT_EXPECT_EQ(test, mptun_class_keep(&class, true),
			MPTUN_CLASS_KEEP_ALONE);
	KUNIT_EXPECT_EQ(test, mptun_class_keep(&class, false),
			MPTUN_CLASS_KEEP_BULK);
	class.order = false;
	KUNIT_EXPECT_EQ(test, mptun_class_keep(&class, true),
			MPTUN_CLASS_KEEP_NEVER);
	class.order = true;
	class.policy = MPTUN_CLASS_POLICY_NEAREST;
	KUNIT_EXPECT_EQ(test, mptun_class_keep(&class, true),
			MPTUN_CLASS_KEEP_NEVER);
	class.repair = MPTUN_REPAIR_MODE_ON;
	KUNIT_EXPECT_EQ(test, mptun_class_keep(&class, false),
			MPTUN_CLASS_KEEP_ALWAYS);
	class.policy = MPTUN_CLASS_POLICY_AGGREGATE;
	class.repair = MPTUN_REPAIR_MODE_OFF;
	KUNIT_EXPECT_EQ(test, mptun_class_keep(&class, true),
			MPTUN_CLASS_KEEP_NEVER);
}

/* A full nearest path is waited for as long as it is earlier, and no longer. */
static void mptun_class_test_wait(struct kunit *test)
{
	struct mptun_class_test *t = test->priv;

	t->class.policy = MPTUN_CLASS_POLICY_NEAREST;
	t->cand[0].room = 0;
	KUNIT_EXPECT_EQ(test, mptun_class_test_pick(t, 3), -EAGAIN);
	KUNIT_EXPECT_EQ(test, t->s.wake_ns, t->s.now + 10 * NSEC_PER_MSEC);
	t->s.now += 10 * NSEC_PER_MSEC - 1;
	KUNIT_EXPECT_EQ(test, mptun_class_test_pick(t, 3), -EAGAIN);
	t->s.now++;
	KUNIT_EXPECT_EQ(test, mptun_class_test_pick(t, 3), 1);
	/* The next packet waits for itself. */
	KUNIT_EXPECT_EQ(test, mptun_class_test_pick(t, 3), -EAGAIN);
	t->cand[0].room = 1500;
	KUNIT_EXPECT_EQ(test, mptun_class_test_pick(t, 3), 0);
	KUNIT_EXPECT_EQ(test, t->state.until_ns, 0ULL);

	/* Of what is unknown nothing is expected. */
	t->cand[0].room = 0;
	t->cand[0].srtt_us = 0;
	t->cand[0].min_rtt_us = 0;
	KUNIT_EXPECT_EQ(test, mptun_class_test_pick(t, 3), 1);
	/* No other one has room either. */
	t->cand[1].room = 0;
	t->cand[2].room = 0;
	KUNIT_EXPECT_EQ(test, mptun_class_test_pick(t, 3), -EAGAIN);
	KUNIT_EXPECT_EQ(test, t->s.wake_ns, U64_MAX);
}

static void mptun_class_test_duplicate(struct kunit *test)
{
	struct mptun_class_test *t = test->priv;

	t->class.policy = MPTUN_CLASS_POLICY_DUPLICATE;
	KUNIT_EXPECT_EQ(test, mptun_class_copies(&t->class, &t->s), 1);
	t->class.paths = MPTUN_PATHS_MAX;
	KUNIT_EXPECT_EQ(test, mptun_class_copies(&t->class, &t->s), 31);
	KUNIT_EXPECT_EQ(test, mptun_class_test_pick(t, 3), 0);
	/* Nothing waits for the nearest one. */
	t->cand[0].room = 0;
	KUNIT_EXPECT_EQ(test, mptun_class_test_pick(t, 3), 1);
	/* Too late to be put in order: no copy there either. */
	t->s.hold_us = 5000;
	KUNIT_EXPECT_EQ(test, mptun_class_test_pick(t, 3), -EAGAIN);
	KUNIT_EXPECT_FALSE(test, t->cand[1].eligible);
}

/* The scheduler's copies are of what it schedules. */
static void mptun_class_test_copied(struct kunit *test)
{
	struct mptun_class_test *t = test->priv;

	KUNIT_EXPECT_EQ(test, mptun_class_copies(&t->class, &t->s), 0);
	t->s.ops = &mptun_class_test_copies;
	KUNIT_EXPECT_EQ(test, mptun_class_copies(&t->class, &t->s), 31);
	t->class.policy = MPTUN_CLASS_POLICY_NEAREST;
	KUNIT_EXPECT_EQ(test, mptun_class_copies(&t->class, &t->s), 0);
	t->class.policy = MPTUN_CLASS_POLICY_PIN;
	KUNIT_EXPECT_EQ(test, mptun_class_copies(&t->class, &t->s), 0);
}

/* The long-term rate is exact for any size; a burst of 50 ms passes at once. */
static void mptun_class_test_rate(struct kunit *test)
{
	static const u32 sizes[] = { 40, 1400, 65535 };
	u64 paid, now, sent, at = 100 * (u64)NSEC_PER_SEC;
	unsigned int i;

	paid = 0;
	KUNIT_EXPECT_TRUE(test, mptun_class_admits(0, &paid, 1400, at));
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		paid = 0;
		sent = 0;
		for (now = at; now < at + 20 * (u64)NSEC_PER_SEC;
		     now += 100 * NSEC_PER_USEC)
			if (mptun_class_admits(125000, &paid, sizes[i], now))
				sent += sizes[i];
		KUNIT_EXPECT_GE(test, sent, 20 * 125000ULL);
		KUNIT_EXPECT_LE(test, sent, 20 * 125000ULL + 6250 +
				2 * sizes[i]);
	}
	/* What was not sent before is not made up for. */
	now += 20 * (u64)NSEC_PER_SEC;
	for (sent = 0; mptun_class_admits(125000, &paid, 100, now);)
		sent += 100;
	KUNIT_EXPECT_LE(test, sent, 6250 + 200ULL);
	KUNIT_EXPECT_GE(test, sent, 6250 - 200ULL);
}

static struct kunit_case mptun_class_cases[] = {
	KUNIT_CASE(mptun_class_test_begin),
	KUNIT_CASE(mptun_class_test_match_mark),
	KUNIT_CASE(mptun_class_test_match_all),
	KUNIT_CASE(mptun_class_test_first),
	KUNIT_CASE(mptun_class_test_pins),
	KUNIT_CASE(mptun_class_test_pinned),
	KUNIT_CASE(mptun_class_test_avoids),
	KUNIT_CASE(mptun_class_test_keep),
	KUNIT_CASE(mptun_class_test_earliest),
	KUNIT_CASE(mptun_class_test_wait),
	KUNIT_CASE(mptun_class_test_duplicate),
	KUNIT_CASE(mptun_class_test_copied),
	KUNIT_CASE(mptun_class_test_rate),
	{}
};

static struct kunit_suite mptun_class_suite = {
	.name = "mptun_class",
	.init = mptun_class_test_init,
	.test_cases = mptun_class_cases,
};

kunit_test_suite(mptun_class_suite);
