/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * For builds of 32 bit: reading a u64 with READ_ONCE(), or writing one with
 * WRITE_ONCE(), is an error in the module.  Another processor may see half of
 * it; it is an atomic64_t, or accessed under a lock.
 *
 * Files of the module have relative names, headers of the kernel absolute ones.
 */
#ifndef _MPTUN_WHOLE_H
#define _MPTUN_WHOLE_H

#include <linux/compiler.h>

#undef READ_ONCE
#undef WRITE_ONCE

#define MPTUN_WHOLE(x)							\
	compiletime_assert(__FILE__[0] == '/' || sizeof(x) <= sizeof(long), \
			   "two accesses on 32 bit: " #x)
#define READ_ONCE(x) ({							\
	MPTUN_WHOLE(x);							\
	__READ_ONCE(x);							\
})
#define WRITE_ONCE(x, value) do {					\
	MPTUN_WHOLE(x);							\
	__WRITE_ONCE(x, value);						\
} while (0)

#endif /* _MPTUN_WHOLE_H */
