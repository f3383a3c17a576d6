/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Round-trip time of one path (RFC 9002, section 5).
 */
#ifndef _MPTUN_RTT_H
#define _MPTUN_RTT_H

#include <linux/types.h>

/* Assumed before the first sample. RFC 9002 has 333 ms because a QUIC
 * connection starts blindly. Paths are probed before they carry data, so this
 * value only matters until the first probe is answered; 200 ms covers
 * terrestrial paths between continents and detects a path that is dead from the
 * start in 608 ms instead of a second.
 */
#define MPTUN_RTT_INITIAL_US		200000U

/* Resolution assumed of clocks and timers of both ends */
#define MPTUN_RTT_GRANULARITY_US	1000U

/* Larger samples are cut: no path is that long, and sums stay in 32 bits. */
#define MPTUN_RTT_MAX_US		60000000U

/* The smallest round-trip time is that of the last 5 to 10 seconds: long enough
 * to see a queue empty once, short enough to follow a new route.
 */
#define MPTUN_RTT_MIN_EPOCH_NS		5000000000ULL

/* The peer reports once per SRTT/8, but not within 1 ms and at least every 8
 * ms. Its SRTT is its own, and stale if it sends nothing.
 */
#define MPTUN_RTT_REPORT_SHIFT		3
#define MPTUN_RTT_REPORT_MIN_US		1000U
#define MPTUN_RTT_REPORT_MAX_US		8000U

/* It holds a report on fewer bytes for up to this time, jitter included. */
#define MPTUN_RTT_REPORT_LITTLE_BYTES	1200U
#define MPTUN_RTT_REPORT_LITTLE_US	25000U

/**
 * struct mptun_rtt - round-trip time of one path
 * @latest_us: last sample, less the delay of the peer
 * @min_us: smallest sample of the last 5 to 10 seconds, delay included
 * @srtt_us: smoothed round-trip time, MPTUN_RTT_INITIAL_US before any sample
 * @var_us: smoothed mean deviation
 * @valid: there was a sample
 * @longer: samples in a row clearly longer than @min_us, without a queue of
 *	ours
 * @longer_us: smallest of them
 * @srtt8: eight times the smoothed round-trip time
 * @var4: four times the mean deviation
 * @epoch_min_us: smallest sample of the present epoch
 * @last_min_us: smallest sample of the epoch before, U32_MAX if none
 * @epoch_ns: when the present epoch of the minimum began
 * @first_ns: time of the first sample, U64_MAX before
 * @again_ns: no samples are taken of packets sent before: the path was silent;
 *	U64_MAX while it is, 0 if samples of all packets are taken
 */
struct mptun_rtt {
	u32 latest_us;
	u32 min_us;
	u32 srtt_us;
	u32 var_us;
	bool valid;

	u32 longer;
	u32 longer_us;
	u32 srtt8;
	u32 var4;
	u32 epoch_min_us;
	u32 last_min_us;
	u64 epoch_ns;
	u64 first_ns;
	u64 again_ns;
};

void mptun_rtt_init(struct mptun_rtt *rtt);
bool mptun_rtt_sample(struct mptun_rtt *rtt, u32 sample_us, u32 ack_delay_us,
		      u64 now);
void mptun_rtt_silence(struct mptun_rtt *rtt, u64 until_ns);
void mptun_rtt_alone(struct mptun_rtt *rtt, bool alone, u64 now);
u32 mptun_rtt_pto_us(const struct mptun_rtt *rtt);

#endif /* _MPTUN_RTT_H */
