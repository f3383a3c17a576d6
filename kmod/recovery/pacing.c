// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Pacing of one path: spreads a window over its round trip.
 *
 * The model is the generic cell rate algorithm: one number, the time by which
 * everything sent so far is paid for at the present rate. The distance of that
 * time from now is debt, and debt up to the allowance may be run up at once. So
 * the long-term rate is exact however late a timer fires, as long as it fires
 * within the allowance, and an idle path gains nothing but the allowance.
 *
 * The allowance is what the rate makes in 1 ms, so that a timer per millisecond
 * is enough on a fast path, and at least two packets, so that a slow one can
 * send a pair. The timer is set for half of it; the other half pays for a late
 * timer. Without high-resolution timers, one is late by up to a tick of 1 to 10
 * ms, so there the allowance is what the rate makes in two ticks.
 *
 * Reports leave at once, but they fill the path like data. Over DSL of 1 Mbit/s
 * those on a download of 16 take a sixth of it, and data at the full rate
 * beside them makes a queue that never drains. So the data sent next pays for
 * them, each byte for one more at most: data has half of the rate whatever else
 * is sent.
 *
 * Units: bytes per second, bytes, ns. A rate of 0 is no limit.
 */
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "recovery/pacing.h"

/**
 * mptun_pacer_burst() - the allowance of a rate
 * @rate: bytes per second, not 0
 * @mss: size of a full packet in bytes
 * @tick_ns: resolution of timers in ns, at most half a second
 *
 * Return: bytes that may be sent at once after a pause.
 */
u32 mptun_pacer_burst(u64 rate, u32 mss, u32 tick_ns)
{
	u32 us = max_t(u32, MPTUN_PACER_BURST_US, MPTUN_PACER_BURST_TICKS *
		       (tick_ns / NSEC_PER_USEC));
	u64 burst = mul_u64_u32_div(rate, us, USEC_PER_SEC);

	burst = max(burst, (u64)mss * MPTUN_PACER_BURST_PACKETS);
	return min_t(u64, burst, U32_MAX);
}

/* Time the rate takes for @bytes, rounded up. */
static u64 mptun_pacer_time(u64 rate, u32 bytes)
{
	u64 amount = (u64)bytes * NSEC_PER_SEC;

	return amount ? div64_u64(amount - 1, rate) + 1 : 0;
}

/**
 * mptun_pacer_room() - amount that may be sent now
 * @p: the pacer
 * @rate: bytes per second, 0 for no limit
 * @burst: the allowance, of mptun_pacer_burst()
 * @now: time in ns
 *
 * Return: bytes, U32_MAX without a limit.
 */
u32 mptun_pacer_room(const struct mptun_pacer *p, u64 rate, u32 burst, u64 now)
{
	u64 debt = p->next_ns > now ? p->next_ns - now : 0;

	if (!rate)
		return U32_MAX;
	if (!debt)
		return burst;
	/* Also keeps the product below within the burst. */
	if (debt >= mptun_pacer_time(rate, burst))
		return 0;
	/* Rounded up, so that at the time mptun_pacer_ready() returns not a
	 * byte is missing for a whole packet.
	 */
	return burst - min_t(u64, burst, div_u64(debt * rate, NSEC_PER_SEC));
}

/**
 * mptun_pacer_ready() - time to try again
 * @p: the pacer
 * @rate: bytes per second, 0 for no limit
 * @burst: the allowance, of mptun_pacer_burst()
 * @now: time in ns
 *
 * Return: time in ns at which half of the allowance, and at least one packet,
 * may be sent; not before @now.
 */
u64 mptun_pacer_ready(const struct mptun_pacer *p, u64 rate, u32 burst,
		      u64 now)
{
	u64 ahead;

	if (!rate)
		return now;
	ahead = mptun_pacer_time(rate, burst / 2);
	return p->next_ns > now + ahead ? p->next_ns - ahead : now;
}

/**
 * mptun_pacer_charge() - account for data sent
 * @p: the pacer
 * @rate: bytes per second, 0 for no limit
 * @bytes: number of bytes; an excess over the room is paid for later
 * @now: time in ns
 */
void mptun_pacer_charge(struct mptun_pacer *p, u64 rate, u32 bytes, u64 now)
{
	u32 owed = min(p->owed, min(bytes, U32_MAX - bytes));

	p->owed -= owed;
	p->next_ns = max(p->next_ns, now);
	if (rate)
		p->next_ns += mptun_pacer_time(rate, bytes + owed);
}

/**
 * mptun_pacer_owe() - account for a report sent
 * @p: the pacer
 * @rate: bytes per second, 0 for no limit
 * @burst: the allowance, of mptun_pacer_burst()
 * @bytes: its size
 *
 * At most an allowance is owed: what was sent while there was no data has left
 * the path long ago.
 */
void mptun_pacer_owe(struct mptun_pacer *p, u64 rate, u32 burst, u32 bytes)
{
	if (rate)
		p->owed = min_t(u64, (u64)p->owed + bytes, burst);
}
