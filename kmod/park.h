/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Parking: bad paths are left alone, and tried now and then.
 */
#ifndef _MPTUN_PARK_H
#define _MPTUN_PARK_H

#include <linux/types.h>

struct mptun_path;
struct mptun_tunnel;

/**
 * struct mptun_park - the interval in which paths are judged
 * @begin_ns: when it began
 * @stop_ns: when the queue of class 0 was stopped last
 * @full_ns: for how long it was stopped in this interval, up to @stop_ns
 * @tries: a parked path is being tried
 */
struct mptun_park {
	u64 begin_ns;
	u64 stop_ns;
	u64 full_ns;
	bool tries;
};

void mptun_park_stopped(struct mptun_tunnel *tunnel, bool stopped, u64 now);
void mptun_park_run(struct mptun_tunnel *tunnel, u64 now);
void mptun_park_forget(struct mptun_tunnel *tunnel, u64 now);

#endif /* _MPTUN_PARK_H */
