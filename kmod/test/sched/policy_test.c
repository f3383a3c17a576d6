// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of policies of paths: what is repeated, what counts, and names.
 */
#include <kunit/test.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "sched/policy.h"

static const struct mptun_policy mptun_policy_test_some = {
	.name = "lte",
	.backup = true,
	.status = MPTUN_STATUS_BACKUP,
	.priority = 255,
	.weight = 65535,
	.spill_us = MPTUN_SPILL_OFF,
	.rate = MPTUN_POLICY_RATE_MAX,
};

/* Sends until it is answered, and again after a change. */
static void mptun_policy_test_repeats(struct kunit *test)
{
	struct mptun_policy policy = mptun_policy_test_some;
	struct mptun_policy_out out = {};
	u64 now = NSEC_PER_SEC, wait = 0;
	int i;

	KUNIT_EXPECT_FALSE(test, mptun_policy_open(&out.send));
	mptun_policy_say(&out, &policy, now);
	KUNIT_EXPECT_TRUE(test, mptun_policy_open(&out.send));
	KUNIT_EXPECT_EQ(test, out.send.version, 1U);
	KUNIT_EXPECT_EQ(test, out.send.due_ns, now);
	for (i = 0; i < 20; i++) {
		mptun_policy_sent(&out.send, now);
		KUNIT_EXPECT_GE(test, out.send.due_ns - now, wait);
		wait = out.send.due_ns - now;
		now = out.send.due_ns;
		mptun_policy_say(&out, &policy, now);
	}
	KUNIT_EXPECT_EQ(test, wait, 64 * (u64)NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, out.send.version, 1U);
	mptun_policy_answered(&out.send, 1, true);
	KUNIT_EXPECT_FALSE(test, mptun_policy_open(&out.send));
	KUNIT_EXPECT_TRUE(test, out.send.followed);
	policy.rate--;
	mptun_policy_say(&out, &policy, now);
	KUNIT_EXPECT_TRUE(test, mptun_policy_open(&out.send));
	KUNIT_EXPECT_EQ(test, out.send.version, 2U);
	KUNIT_EXPECT_EQ(test, out.send.due_ns, now);
	KUNIT_EXPECT_EQ(test, out.send.tries, 0);
}

/* Each setting is a change. */
static void mptun_policy_test_changes(struct kunit *test)
{
	struct mptun_policy_out out = {};
	struct mptun_policy p = {};
	u32 version = 0;

#define MPTUN_POLICY_TEST_CHANGE(change) do {				\
	change;								\
	mptun_policy_say(&out, &p, 0);					\
	KUNIT_EXPECT_EQ(test, out.send.version, ++version);		\
	mptun_policy_say(&out, &p, 0);					\
	KUNIT_EXPECT_EQ(test, out.send.version, version);		\
} while (0)
	MPTUN_POLICY_TEST_CHANGE(p.weight = 1);
	MPTUN_POLICY_TEST_CHANGE(p.weight = 2);
	MPTUN_POLICY_TEST_CHANGE(p.priority = 1);
	MPTUN_POLICY_TEST_CHANGE(p.backup = true);
	MPTUN_POLICY_TEST_CHANGE(p.off = true);
	MPTUN_POLICY_TEST_CHANGE(p.status = MPTUN_STATUS_STANDBY);
	MPTUN_POLICY_TEST_CHANGE(p.spill_us = 5);
	MPTUN_POLICY_TEST_CHANGE(p.rate = 5);
	MPTUN_POLICY_TEST_CHANGE(p.name[0] = 'a');
}

/* Answers to versions that are old, or that were never sent. */
static void mptun_policy_test_answers(struct kunit *test)
{
	struct mptun_policy_out out = { .send.version = 5 };

	mptun_policy_answered(&out.send, 6, true);
	KUNIT_EXPECT_EQ(test, out.send.acked, 0U);
	mptun_policy_answered(&out.send, 4, true);
	KUNIT_EXPECT_EQ(test, out.send.acked, 4U);
	KUNIT_EXPECT_TRUE(test, mptun_policy_open(&out.send));
	mptun_policy_answered(&out.send, 5, true);
	mptun_policy_answered(&out.send, 4, false);
	KUNIT_EXPECT_EQ(test, out.send.acked, 5U);
	KUNIT_EXPECT_TRUE(test, out.send.followed);
	/* The peer ceases to follow. */
	mptun_policy_answered(&out.send, 5, false);
	KUNIT_EXPECT_FALSE(test, out.send.followed);
}

static void mptun_policy_test_send(const struct mptun_policy *p, u32 version,
				   struct mptun_path_policy *block)
{
	struct mptun_policy_out out = {
		.said = *p,
		.send.version = version,
	};

	*block = (struct mptun_path_policy){};
	mptun_policy_write(&out, block);
}

/* What was written is read; an older version changes nothing. */
static void mptun_policy_test_receive(struct kunit *test)
{
	struct mptun_policy p = mptun_policy_test_some;
	struct mptun_path_policy block;
	struct mptun_policy_in in = {};

	mptun_policy_test_send(&p, 7, &block);
	KUNIT_EXPECT_TRUE(test, mptun_policy_receive(&in, &block));
	KUNIT_EXPECT_TRUE(test, in.recv.fresh && in.recv.unanswered);
	KUNIT_EXPECT_STREQ(test, in.said.name, p.name);
	KUNIT_EXPECT_TRUE(test, in.said.backup);
	KUNIT_EXPECT_FALSE(test, in.said.off);
	KUNIT_EXPECT_EQ(test, in.said.status, p.status);
	KUNIT_EXPECT_EQ(test, in.said.priority, p.priority);
	KUNIT_EXPECT_EQ(test, in.said.weight, p.weight);
	KUNIT_EXPECT_EQ(test, in.said.spill_us, p.spill_us);
	KUNIT_EXPECT_EQ(test, in.said.rate, p.rate);

	/* Newer ones wait for the same work. */
	p.off = true;
	mptun_policy_test_send(&p, 9, &block);
	KUNIT_EXPECT_FALSE(test, mptun_policy_receive(&in, &block));
	KUNIT_EXPECT_EQ(test, in.recv.version, 9U);
	mptun_policy_taken(&in.recv, 3);
	KUNIT_EXPECT_FALSE(test, mptun_policy_waits(&in.recv));
	KUNIT_EXPECT_GT(test, in.recv.ready_ns, 3ULL);

	p.off = false;
	mptun_policy_test_send(&p, 8, &block);
	KUNIT_EXPECT_FALSE(test, mptun_policy_receive(&in, &block));
	KUNIT_EXPECT_TRUE(test, in.said.off);
	/* The answer was lost. */
	mptun_policy_test_send(&p, 9, &block);
	KUNIT_EXPECT_TRUE(test, mptun_policy_receive(&in, &block));
	KUNIT_EXPECT_TRUE(test, in.recv.unanswered);
	KUNIT_EXPECT_FALSE(test, in.recv.fresh);
	KUNIT_EXPECT_TRUE(test, in.said.off);
}

/* A name from the wire has no end, or characters that mean something. */
static void mptun_policy_test_untrusted(struct kunit *test)
{
	static const struct {
		const char *name;
		const char *taken;
	} names[] = {
		{ "wan1", "wan1" }, { "a", "a" }, { "_x-.+@Z9", "_x-.+@Z9" },
		{ "123456789012345", "123456789012345" },
		{ "1234567890123456", "" }, { "", "" }, { "-o", "" },
		{ ".", "" }, { "..", "" }, { "a b", "" }, { "a/b", "" },
		{ "a:b", "" }, { "a%s", "" }, { "a\033[2J", "" },
		{ "a\n", "" }, { "a\"", "" }, { "gr\303\266n", "" },
	};
	struct mptun_path_policy block;
	struct mptun_policy_in in;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		in = (struct mptun_policy_in){};
		mptun_policy_test_send(&mptun_policy_test_some, 1, &block);
		memset(block.name, 0, sizeof(block.name));
		memcpy(block.name, names[i].name,
		       min(sizeof(block.name), strlen(names[i].name)));
		KUNIT_EXPECT_TRUE(test, mptun_policy_receive(&in, &block));
		KUNIT_EXPECT_STREQ(test, in.said.name, names[i].taken);
		KUNIT_EXPECT_EQ(test, in.said.priority, 255U);
	}
	/* It ends with the first zero. */
	memcpy(block.name, "wan1\0x", 6);
	in = (struct mptun_policy_in){};
	KUNIT_EXPECT_TRUE(test, mptun_policy_receive(&in, &block));
	KUNIT_EXPECT_STREQ(test, in.said.name, "wan1");
}

static void mptun_policy_test_names(struct kunit *test)
{
	char name[MPTUN_PATH_NAME_MAX + 1];

	mptun_policy_name(name, "wan", 2);
	KUNIT_EXPECT_STREQ(test, name, "wan-2");
	mptun_policy_name(name, "123456789012345", 9);
	KUNIT_EXPECT_STREQ(test, name, "1234567890123-9");
	mptun_policy_name(name, "123456789012345", 33);
	KUNIT_EXPECT_STREQ(test, name, "123456789012-33");
}

/* A class that is limited, one that is not, and one with a mark. */
static void mptun_policy_test_class_rates(struct kunit *test)
{
	struct {
		struct mptun_caps_head head;
		struct mptun_caps_entry entry[MPTUN_CAPS_MAX];
	} body = {};
	struct mptun_class_key key = { .protocol = 17, .dest = 53 };
	struct mptun_class_list *list;
	struct mptun_class_rates *rates;
	struct mptun_class c;

	list = kunit_kzalloc(test, sizeof(*list), GFP_KERNEL);
	rates = kunit_kzalloc(test, sizeof(*rates), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, list);
	KUNIT_ASSERT_NOT_NULL(test, rates);
	mptun_class_list_init(list);
	mptun_class_rates_say(rates, list, 0, 5);
	KUNIT_EXPECT_FALSE(test, mptun_policy_open(&rates->send));
	mptun_class_init(&c);
	c.protocol = 17;
	mptun_class_put(list, 1, &c);
	c.rate = 1000;
	c.mask = 1;
	mptun_class_put(list, 2, &c);
	mptun_class_rates_say(rates, list, 0, 5);
	KUNIT_EXPECT_FALSE(test, mptun_policy_open(&rates->send));
	c.mask = 0;
	c.port = 53;
	mptun_class_put(list, 3, &c);
	mptun_class_rates_say(rates, list, 0, 5);
	KUNIT_EXPECT_TRUE(test, mptun_policy_open(&rates->send));
	KUNIT_EXPECT_EQ(test, rates->said.n, 1U);
	mptun_class_rates_say(rates, list, 0, 9);
	KUNIT_EXPECT_EQ(test, rates->send.version, 1U);

	mptun_class_rates_write(rates, &body.head);
	KUNIT_EXPECT_TRUE(test, mptun_class_rates_receive(rates, &body.head));
	KUNIT_EXPECT_FALSE(test, mptun_class_rates_receive(rates, &body.head));
	KUNIT_EXPECT_EQ(test, rates->heard.n, 1U);
	KUNIT_EXPECT_EQ(test, rates->heard.entry[0].rate, 1000ULL);
	KUNIT_EXPECT_EQ(test, mptun_class_rates_match(&rates->heard, &key), 0);
	swap(key.dest, key.source);
	KUNIT_EXPECT_EQ(test, mptun_class_rates_match(&rates->heard, &key), 0);
	key.protocol = 6;
	KUNIT_EXPECT_EQ(test, mptun_class_rates_match(&rates->heard, &key), -1);

	mptun_class_remove(list, 3);
	mptun_class_rates_say(rates, list, 0, 9);
	KUNIT_EXPECT_EQ(test, rates->send.version, 2U);
	mptun_policy_taken(&rates->recv, 9);
	memset(&body, 0, sizeof(body));
	mptun_class_rates_write(rates, &body.head);
	KUNIT_EXPECT_TRUE(test, mptun_class_rates_receive(rates, &body.head));
	KUNIT_EXPECT_EQ(test, rates->heard.n, 0U);
	KUNIT_EXPECT_EQ(test, mptun_class_rates_match(&rates->heard, &key), -1);

	/* the scheduler alone */
	KUNIT_EXPECT_EQ(test, rates->heard.sched, MPTUN_CAPS_SCHED_NONE);
	mptun_class_rates_say(rates, list, MPTUN_CAPS_SCHED_WRR, 9);
	KUNIT_EXPECT_EQ(test, rates->send.version, 3U);
	mptun_class_rates_say(rates, list, MPTUN_CAPS_SCHED_WRR, 9);
	KUNIT_EXPECT_EQ(test, rates->send.version, 3U);
	mptun_policy_taken(&rates->recv, 9);
	mptun_class_rates_write(rates, &body.head);
	KUNIT_EXPECT_TRUE(test, mptun_class_rates_receive(rates, &body.head));
	KUNIT_EXPECT_EQ(test, rates->heard.sched, MPTUN_CAPS_SCHED_WRR);
	KUNIT_EXPECT_EQ(test, rates->heard.n, 0U);
}

static struct kunit_case mptun_policy_cases[] = {
	KUNIT_CASE(mptun_policy_test_repeats),
	KUNIT_CASE(mptun_policy_test_changes),
	KUNIT_CASE(mptun_policy_test_answers),
	KUNIT_CASE(mptun_policy_test_receive),
	KUNIT_CASE(mptun_policy_test_untrusted),
	KUNIT_CASE(mptun_policy_test_names),
	KUNIT_CASE(mptun_policy_test_class_rates),
	{}
};

static struct kunit_suite mptun_policy_suite = {
	.name = "mptun_policy",
	.test_cases = mptun_policy_cases,
};

kunit_test_suite(mptun_policy_suite);
