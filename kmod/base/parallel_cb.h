/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Spreading: what a packet in line carries; all that those need to know of it
 * who only keep their own notes beside it.
 */
#ifndef _MPTUN_SPREAD_CB_H
#define _MPTUN_SPREAD_CB_H

#include <linux/types.h>

/**
 * struct mptun_spread_cb - what is noted in a packet in line
 * @cost: how much work it is, in bytes
 * @err: for @work of &struct mptun_spread_ops to tell @leave
 * @state: &enum mptun_spread_state
 */
struct mptun_spread_cb {
	u32 cost;
	s16 err;
	u8 state;
};

#endif /* _MPTUN_SPREAD_CB_H */
