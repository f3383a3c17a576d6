/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Parking: bad paths are left alone, and tried now and then.
 */
#ifndef _MPTUN_PARK_H
#define _MPTUN_PARK_H

#include <linux/types.h>

#include "sched/trial.h"

struct mptun_tunnel;

/**
 * struct mptun_park - the interval in which paths are judged
 * @full: for how long the queue of class 0 was stopped in it
 * @tries: a parked path is being tried
 */
struct mptun_park {
	struct mptun_full full;
	bool tries;
};

void mptun_park_run(struct mptun_tunnel *tunnel, u64 now);
void mptun_park_forget(struct mptun_tunnel *tunnel, u64 now);

#endif /* _MPTUN_PARK_H */
