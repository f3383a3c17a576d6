/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Rings that run out of memory when a test asks for it.
 */
#ifndef _MPTUN_TEST_BASE_NO_MEMORY_H
#define _MPTUN_TEST_BASE_NO_MEMORY_H

#include <kunit/test.h>

/* Set by a test: rings can be neither made nor doubled. */
extern bool mptun_test_no_memory;

/* Rings for which memory was allocated in this test. */
extern unsigned int mptun_test_rings_made;

/* Attempts to make or double a ring in this test. */
extern unsigned int mptun_test_rings_asked;

void mptun_test_rings(struct kunit *test);

#endif /* _MPTUN_TEST_BASE_NO_MEMORY_H */
