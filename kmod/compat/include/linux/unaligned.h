/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Before v6.12 these accesses were declared in asm/unaligned.h.
 */
#ifndef _MPTUN_COMPAT_LINUX_UNALIGNED_H
#define _MPTUN_COMPAT_LINUX_UNALIGNED_H

#ifdef MPTUN_HAVE_LINUX_UNALIGNED
#include_next <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif

#endif /* _MPTUN_COMPAT_LINUX_UNALIGNED_H */
