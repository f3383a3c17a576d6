/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Functions that are static except in unit tests came with v6.3.
 */
#ifndef _MPTUN_COMPAT_KUNIT_VISIBILITY_H
#define _MPTUN_COMPAT_KUNIT_VISIBILITY_H

#ifdef MPTUN_HAVE_KUNIT_VISIBILITY
#include_next <kunit/visibility.h>
#elif IS_ENABLED(CONFIG_KUNIT)
#define VISIBLE_IF_KUNIT
#else
#define VISIBLE_IF_KUNIT static
#endif

#endif /* _MPTUN_COMPAT_KUNIT_VISIBILITY_H */
