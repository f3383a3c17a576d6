/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * What one path delivered in the last round trip, its delivery rate and its
 * queue.
 */
#ifndef _MPTUN_SAMPLE_H
#define _MPTUN_SAMPLE_H

#include <linux/types.h>

#include "recovery/rtt.h"
#include "recovery/sent.h"

/**
 * struct mptun_oneway - one-way delay of one path in our direction
 * @mean8_us: eight times the smoothed delay plus an unknown offset of the
 *	clocks
 * @epoch_ns: when this epoch began, 0 before the first sample
 * @least_us: smallest smoothed delay of this epoch and of the one before, low
 *	32 bits
 * @arrival_us: receiver's time when the newest packet arrived
 * @samples: samples taken, up to the inverse of the gain
 */
struct mptun_oneway {
	u64 mean8_us;
	u64 epoch_ns;
	u32 least_us[2];
	u32 arrival_us;
	u8 samples;
};

/**
 * struct mptun_oneway_delays - delays of one path in our direction, as of now
 * @least_us: recent smallest delay plus the offset of the clocks, low 32 bits
 * @queue_us: smoothed queueing delay
 * @since_us: time since the newest packet left the queue, 0 if the route has
 *	become shorter
 */
struct mptun_oneway_delays {
	u32 least_us;
	u32 queue_us;
	u32 since_us;
};

void mptun_oneway_sample(struct mptun_oneway *o, u64 sent_ns, u32 arrival_us,
			 u64 now);
u32 mptun_oneway_queue_us(const struct mptun_oneway *o);
bool mptun_oneway_get(const struct mptun_oneway *o, u64 now,
		      struct mptun_oneway_delays *d);

/* Marks are at least 1/16 of a round trip apart, so that they cover one. */
#define MPTUN_SAMPLE_MARKS	16U
#define MPTUN_SAMPLE_RTT_SHIFT	4

/**
 * struct mptun_sample_mark - state when a packet was about to be sent
 * @made_ns: when it was made
 * @next: number of that packet
 * @sent_ns: send time of the newest packet acknowledged by then
 * @arrival_us: receiver's time when that arrived
 * @bytes: bytes the receiver had by then, low 32 bits
 * @late: bytes it could still get of packets before the newest
 * @lost: bytes lost by then, low 32 bits
 * @lost_packets: packets lost by then, low 32 bits
 * @reports: bytes of reports sent by then, low 32 bits
 * @in_flight: most bytes in flight before the next mark
 * @app_limited: packets after this mark were sent by a path with too little to
 *	send
 */
struct mptun_sample_mark {
	u64 made_ns;
	u64 next;
	u64 sent_ns;
	u32 arrival_us;
	u32 bytes;
	u32 late;
	u32 lost;
	u32 lost_packets;
	u32 reports;
	u32 in_flight;
	bool app_limited;
};

/**
 * struct mptun_sample - the marks of one path
 * @marks: a ring of marks
 * @head: the newest mark that an acknowledged packet was sent after; the oldest
 *	one if there is none yet
 * @count: number of marks
 * @newest: largest number acknowledged
 * @lost: bytes lost so far that did not arrive after all, low 32 bits
 * @lost_packets: the same in packets
 * @bubble: the path had too little to send before this number, which is not
 *	acknowledged yet; 0 if it had enough
 * @last_arrival_us: receiver's time of an earlier report, for @burst_rate
 * @last_bytes: bytes the receiver had by then, low 32 bits
 * @burst_rate: bytes per second that arrived since, at most until the next
 *	sample
 * @oneway: queueing delay in our direction
 */
struct mptun_sample {
	struct mptun_sample_mark marks[MPTUN_SAMPLE_MARKS];
	u32 head;
	u32 count;
	u64 newest;
	u32 lost;
	u32 lost_packets;
	u64 bubble;
	u32 last_arrival_us;
	u32 last_bytes;
	u64 burst_rate;
	struct mptun_oneway oneway;
};

/**
 * struct mptun_sample_report - what a report says about its path
 * @now: time in ns
 * @newest: largest number acknowledged
 * @sent_ns: when that was sent
 * @next: number of the next packet
 * @bytes: bytes the receiver has
 * @late: bytes it may still get of packets before the largest number
 * @arrival_us: receiver's time when the largest number arrived
 * @prior_in_flight: bytes in flight before the report
 * @reports: bytes of the reports that we have sent on the path, low 32 bits
 * @srtt_us: smoothed round-trip time of the path
 */
struct mptun_sample_report {
	u64 now;
	u64 newest;
	u64 sent_ns;
	u64 next;
	u64 bytes;
	u32 late;
	u32 arrival_us;
	u32 prior_in_flight;
	u32 reports;
	u32 srtt_us;
};

/**
 * struct mptun_rate_sample - what was delivered in a round trip
 * @rate: bytes per second, with the reports that we sent meanwhile
 * @burst_rate: bytes per second that arrived between two reports, at most since
 *	the last sample
 * @interval_us: length of the round trip
 * @delivered: bytes that arrived in it
 * @lost: bytes declared lost in it
 * @lost_packets: packets declared lost in it
 * @tx_in_flight: most bytes in flight about when it began
 * @app_limited: the path had less to send than it could
 */
struct mptun_rate_sample {
	u64 rate;
	u64 burst_rate;
	u32 interval_us;
	u32 delivered;
	u32 lost;
	u32 lost_packets;
	u32 tx_in_flight;
	bool app_limited;
};

void mptun_sample_reset(struct mptun_sample *s);
void mptun_sample_limited(struct mptun_sample *s, u64 next);
bool mptun_sample_report(struct mptun_sample *s,
			 const struct mptun_sample_report *rep,
			 struct mptun_rate_sample *out);

/**
 * mptun_sample_lost() - account for losses
 * @s: the path's marks
 * @res: what a report changed
 */
static inline void mptun_sample_lost(struct mptun_sample *s,
				     const struct mptun_sent_result *res)
{
	s->lost += res->lost_bytes - res->spurious_bytes;
	s->lost_packets += res->lost_packets - res->spurious;
}

/* Longest sample: beyond it the path was idle in between. */
#define MPTUN_RATE_MAX_US	1000000U

/**
 * struct mptun_rate - delivery rate of a path
 * @bytes: bytes received when the present sample began
 * @arrival_us: receiver's time then
 * @valid: @bytes and @arrival_us are known
 * @samples: samples of the present epoch
 * @best: largest sample of this epoch and of the one before, in bytes per
 *	second, 0 if there was none
 */
struct mptun_rate {
	u64 bytes;
	u32 arrival_us;
	bool valid;
	u32 samples;
	u64 best[2];
};

void mptun_rate_init(struct mptun_rate *r);
void mptun_rate_report(struct mptun_rate *r, u64 bytes, u32 arrival_us,
		       const struct mptun_rtt *rtt, bool limited);
u64 mptun_rate_get(const struct mptun_rate *r);

#endif /* _MPTUN_SAMPLE_H */
