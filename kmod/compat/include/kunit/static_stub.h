/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Functions that unit tests replace came with v6.3.
 */
#ifndef _MPTUN_COMPAT_KUNIT_STATIC_STUB_H
#define _MPTUN_COMPAT_KUNIT_STATIC_STUB_H

#ifdef MPTUN_HAVE_KUNIT_STATIC_STUB
#include_next <kunit/static_stub.h>
#else
#define KUNIT_STATIC_STUB_REDIRECT(...) do {} while (0)
#endif

#endif /* _MPTUN_COMPAT_KUNIT_STATIC_STUB_H */
