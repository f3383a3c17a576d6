// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Rings that run out of memory when a test asks for it.
 */
#include <kunit/static_stub.h>
#include <kunit/test-bug.h>

#include "base/ring.h"
#include "test/base/no_memory.h"

bool mptun_test_no_memory;
unsigned int mptun_test_rings_made;
unsigned int mptun_test_rings_asked;

static int mptun_test_ring_alloc(struct mptun_ring *ring, u32 chunks,
				 gfp_t gfp)
{
	struct kunit *test = kunit_get_current_test();
	int err;

	mptun_test_rings_asked++;
	if (mptun_test_no_memory)
		return -ENOMEM;
	kunit_deactivate_static_stub(test, mptun_ring_alloc);
	err = mptun_ring_alloc(ring, chunks, gfp);
	kunit_activate_static_stub(test, mptun_ring_alloc,
				   mptun_test_ring_alloc);
	mptun_test_rings_made += !err;
	return err;
}

static int mptun_test_ring_double(struct mptun_ring *ring, u64 first,
				  gfp_t gfp)
{
	struct kunit *test = kunit_get_current_test();
	int err;

	mptun_test_rings_asked++;
	/* Rings grow in softirq. */
	if (mptun_test_no_memory || gfp != GFP_ATOMIC)
		return -ENOMEM;
	kunit_deactivate_static_stub(test, mptun_ring_double);
	err = mptun_ring_double(ring, first, gfp);
	kunit_activate_static_stub(test, mptun_ring_double,
				   mptun_test_ring_double);
	return err;
}

/**
 * mptun_test_rings() - let rings obey mptun_test_no_memory until a test ends
 * @test: the test
 */
void mptun_test_rings(struct kunit *test)
{
	mptun_test_no_memory = false;
	mptun_test_rings_made = 0;
	mptun_test_rings_asked = 0;
	kunit_activate_static_stub(test, mptun_ring_alloc,
				   mptun_test_ring_alloc);
	kunit_activate_static_stub(test, mptun_ring_double,
				   mptun_test_ring_double);
}
