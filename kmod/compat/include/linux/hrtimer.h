/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Before v6.13 a timer and its function were set up in two steps.
 */
#ifndef _MPTUN_COMPAT_LINUX_HRTIMER_H
#define _MPTUN_COMPAT_LINUX_HRTIMER_H

#include_next <linux/hrtimer.h>

#ifndef MPTUN_HAVE_HRTIMER_SETUP
static inline void
mptun_compat_hrtimer_setup(struct hrtimer *timer,
			   enum hrtimer_restart (*function)(struct hrtimer *),
			   clockid_t clock_id, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock_id, mode);
	timer->function = function;
}

#define hrtimer_setup mptun_compat_hrtimer_setup
#endif

#endif /* _MPTUN_COMPAT_LINUX_HRTIMER_H */
