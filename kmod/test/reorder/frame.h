/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Shared frame of the tests of the reorder buffer.
 */
#ifndef _MPTUN_REORDER_TEST_H
#define _MPTUN_REORDER_TEST_H

#include <kunit/test.h>
#include <linux/skbuff.h>
#include <linux/time64.h>

#include "reorder/reorder.h"

#define MPTUN_REORDER_TEST_DSN	0xffffffd3U	/* wraps within each test */
#define MPTUN_REORDER_TEST_HOLD	20000U		/* us */

/**
 * struct mptun_reorder_test - a ring under test; dsns count from 0 here
 * @test: the test
 * @r: the ring
 * @now: the clock in ns
 * @out: released packets not checked yet
 * @live: packets allocated and not freed by the test
 */
struct mptun_reorder_test {
	struct kunit *test;
	struct mptun_reorder r;
	u64 now;
	struct sk_buff_head out;
	u32 live;
};

int mptun_reorder_test_init(struct kunit *test);
void mptun_reorder_test_exit(struct kunit *test);
void mptun_reorder_test_mode(struct mptun_reorder_test *t, u8 mode);
enum mptun_verdict
mptun_reorder_test_pkt(struct mptun_reorder_test *t, u32 i,
		       const struct mptun_reorder_pkt *p);
enum mptun_verdict mptun_reorder_test_insert(struct mptun_reorder_test *t,
					     u32 i, u16 prev);
enum mptun_verdict mptun_reorder_test_copy(struct mptun_reorder_test *t,
					   u32 i, u16 prev);
enum mptun_verdict mptun_reorder_test_repair(struct mptun_reorder_test *t,
					     u32 i, u16 prev);
enum mptun_verdict mptun_reorder_test_again(struct mptun_reorder_test *t,
					    u32 i, u16 prev);
void mptun_reorder_test_run(struct mptun_reorder_test *t, u32 from, u32 to);
void mptun_reorder_test_prove(struct mptun_reorder_test *t, u32 after,
			      u32 before, u32 lost);
void mptun_reorder_test_floor(struct mptun_reorder_test *t, u32 i);
void mptun_reorder_test_wait(struct mptun_reorder_test *t, u32 us);
void mptun_reorder_test_take(struct mptun_reorder_test *t, u32 n, ...);
void mptun_reorder_test_drop(struct mptun_reorder_test *t);

#endif /* _MPTUN_REORDER_TEST_H */
