/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Shared frame of the tests of the records of what is in flight.
 */
#ifndef _MPTUN_TEST_RECOVERY_SENT_FRAME_H
#define _MPTUN_TEST_RECOVERY_SENT_FRAME_H

#include <kunit/test.h>

#include "recovery/sent.h"

/* Numbers begin just below 2^32 and dsns below their wrap, so that every test
 * crosses both.
 */
#define MPTUN_SENT_TEST_FIRST	(U32_MAX - 5ULL)
#define MPTUN_SENT_TEST_DSN	(U32_MAX - 3U)
#define MPTUN_SENT_TEST_START	(100ULL * NSEC_PER_SEC)
#define MPTUN_SENT_TEST_BYTES	1000U

/* The ends of all numbers, counted from the first */
#define MPTUN_SENT_TEST_HIGH	(U64_MAX - MPTUN_SENT_TEST_FIRST)
#define MPTUN_SENT_TEST_ZERO	(0ULL - MPTUN_SENT_TEST_FIRST)

/* Reports that leave at once, of the path itself and of another one */
#define MPTUN_SENT_TEST_OWN \
	(&(const struct mptun_sent_origin){ .same_path = true })
#define MPTUN_SENT_TEST_OTHER	(&(const struct mptun_sent_origin){})

/**
 * struct mptun_sent_test - what the tests work on
 * @s: the records
 * @rtt: round-trip time, 40 ms at first
 * @res: result of the last call
 * @now: time in ns
 */
struct mptun_sent_test {
	struct mptun_sent s;
	struct mptun_rtt rtt;
	struct mptun_sent_result res;
	u64 now;
};

int mptun_sent_test_init(struct kunit *test);
void mptun_sent_test_exit(struct kunit *test);
void mptun_sent_test_send(struct kunit *test, u32 n);
int mptun_sent_test_ack(struct kunit *test, u64 first, u64 last);

#endif /* _MPTUN_TEST_RECOVERY_SENT_FRAME_H */
