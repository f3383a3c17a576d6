/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Pacing of one path: spreads a window over its round trip.
 */
#ifndef _MPTUN_PACER_H
#define _MPTUN_PACER_H

#include <linux/types.h>

/* The allowance: two packets, or what the rate makes in 1 ms or two ticks */
#define MPTUN_PACER_BURST_PACKETS	2U
#define MPTUN_PACER_BURST_US		1000U
#define MPTUN_PACER_BURST_TICKS		2U

/**
 * struct mptun_pacer - credit of one path
 * @next_ns: when the allowance is whole again
 * @owed: bytes of reports that no data has paid for yet
 *
 * All zero is a pacer with its whole allowance.
 */
struct mptun_pacer {
	u64 next_ns;
	u32 owed;
};

u32 mptun_pacer_burst(u64 rate, u32 mss, u32 tick_ns);
u32 mptun_pacer_room(const struct mptun_pacer *p, u64 rate, u32 burst, u64 now);
u64 mptun_pacer_ready(const struct mptun_pacer *p, u64 rate, u32 burst,
		      u64 now);
void mptun_pacer_charge(struct mptun_pacer *p, u64 rate, u32 bytes, u64 now);
void mptun_pacer_owe(struct mptun_pacer *p, u64 rate, u32 burst, u32 bytes);

/**
 * mptun_pacer_reset() - drop the debt, after the rate was configured
 * @p: the pacer
 */
static inline void mptun_pacer_reset(struct mptun_pacer *p)
{
	p->next_ns = 0;
	p->owed = 0;
}

#endif /* _MPTUN_PACER_H */
