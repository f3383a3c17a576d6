/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Before v6.17 a queue of work that is done on the processor it is given to
 * was what a queue without flags was.
 */
#ifndef _MPTUN_COMPAT_LINUX_WORKQUEUE_H
#define _MPTUN_COMPAT_LINUX_WORKQUEUE_H

#include_next <linux/workqueue.h>

#ifndef MPTUN_HAVE_WQ_PERCPU
#define WQ_PERCPU	0
#endif

#endif /* _MPTUN_COMPAT_LINUX_WORKQUEUE_H */
