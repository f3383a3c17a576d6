/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Congestion control of one path: window and pacing rate.
 */
#ifndef _MPTUN_CC_H
#define _MPTUN_CC_H

#include <linux/limits.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include "recovery/rate_sample.h"
#include "recovery/rtt.h"

/* Windows in packets: initial (RFC 6928) and minimum (RFC 9002); and most flows
 * that have an initial window each.
 */
#define MPTUN_CC_INITIAL_PACKETS	10U
#define MPTUN_CC_INITIAL_FLOWS		16U
#define MPTUN_CC_MIN_PACKETS		2U

/* Largest window in packets (capacity of the sent ring) and in bytes. */
#define MPTUN_CC_MAX_PACKETS		65536U
#define MPTUN_CC_MAX_BYTES		0x40000000U

/* Size of a controller's private data in bytes. */
#define MPTUN_CC_PRIV			408U

/* No slow start threshold is known. */
#define MPTUN_CC_SSTHRESH_NONE		U32_MAX

struct mptun_cc;

/**
 * struct mptun_cc_ack - packets newly acknowledged
 * @now: time in ns
 * @newest_sent_ns: send time of the newest of them
 * @bytes: their bytes
 * @packets: their number
 * @prior_in_flight: bytes in flight before
 * @in_flight: bytes in flight now, lost ones excluded
 * @spurious: packets declared lost that arrived after all
 * @ce: congestion marks, those of L4S flows excluded
 * @queue_us: recent queueing delay in the forward direction
 * @window_limited: they were sent in a full window
 * @rtt: round-trip time of the path
 * @sample: rate sample that ends with them, NULL if unknown
 */
struct mptun_cc_ack {
	u64 now;
	u64 newest_sent_ns;
	u32 bytes;
	u32 packets;
	u32 prior_in_flight;
	u32 in_flight;
	u32 spurious;
	u32 ce;
	u32 queue_us;
	bool window_limited;
	const struct mptun_rtt *rtt;
	const struct mptun_rate_sample *sample;
};

/**
 * struct mptun_cc_loss - packets newly declared lost
 * @now: time in ns
 * @newest_sent_ns: send time of the newest of them
 * @bytes: their bytes
 * @packets: their number
 * @in_flight: bytes in flight, lost ones excluded
 * @persistent: the losses prove persistent congestion
 * @rtt: round-trip time of the path
 */
struct mptun_cc_loss {
	u64 now;
	u64 newest_sent_ns;
	u32 bytes;
	u32 packets;
	u32 in_flight;
	bool persistent;
	const struct mptun_rtt *rtt;
};

/**
 * struct mptun_cc_ops - a congestion controller
 * @name: name in the user interface
 * @couples: it depends on other paths of the group
 * @reset: restart with an unknown path: set the window; private data has been
 *	cleared
 * @on_rtt: process a round-trip sample; may be NULL
 * @on_ack: process acknowledged packets; may be NULL
 * @on_event: a recovery period began with a loss or a mark; may be NULL
 * @on_loss: process lost packets, for each report of losses, after @on_event;
 *	may be NULL
 * @on_persistent: losses prove persistent congestion; may be NULL
 * @on_restart: a packet is about to be sent on an idle path; may be NULL
 * @on_neglect: the path has had a low rate beside busy ones for long; may be
 *	NULL
 * @on_rate: the configured rate or the packet size changed; may be NULL
 *
 * All are called with the lock of the tunnel's transmit side held.  They set
 * window and pacing rate, which the core then bounds.
 */
struct mptun_cc_ops {
	const char *name;
	bool couples;
	void (*reset)(struct mptun_cc *cc);
	void (*on_rtt)(struct mptun_cc *cc, const struct mptun_rtt *rtt);
	void (*on_ack)(struct mptun_cc *cc, const struct mptun_cc_ack *ack);
	void (*on_event)(struct mptun_cc *cc);
	void (*on_loss)(struct mptun_cc *cc, const struct mptun_cc_loss *loss);
	void (*on_persistent)(struct mptun_cc *cc);
	void (*on_restart)(struct mptun_cc *cc, u64 now);
	void (*on_neglect)(struct mptun_cc *cc);
	void (*on_rate)(struct mptun_cc *cc);
};

/**
 * struct mptun_cc - congestion state of one path
 * @ops: the controller
 * @mss: size of a full packet in bytes
 * @cwnd: congestion window in bytes
 * @ssthresh: slow start threshold in bytes, MPTUN_CC_SSTHRESH_NONE if none
 * @events: reductions of the window so far
 * @pacing_rate: bytes per second, 0 for unpaced
 * @bw: bandwidth of the path in the controller's model, bytes per second, 0 if
 *	unknown
 * @shown: the largest delivery rate in the controller's model, known in startup
 *	as well; bytes per second, 0 if unknown
 * @rate: configured rate in bytes per second, 0 for none: the rate of
 *	controller "fixed", an upper limit for all others
 * @recovery_ns: start of the current recovery period, 0 if there was none;
 *	losses of packets sent earlier belong to it
 * @acked_ns: time of the last acknowledgment, 0 if there was none
 * @srtt_us: smoothed round-trip time then
 * @group: paths of a tunnel with equal @group and @group_found share a
 *	bottleneck
 * @peers: list of all windows of the tunnel, NULL if there is none
 * @peer: entry in that list
 * @chance: state of mptun_cc_random(), any value; kept by a reset
 * @tick_ns: resolution of timers in ns; kept by a reset
 * @flows: flows that began, up to MPTUN_CC_INITIAL_FLOWS
 * @held: the controller holds the window down on purpose, so the rate sent says
 *	nothing about the path
 * @group_found: @group was detected; such numbers are unrelated to configured
 *	ones
 * @priv: private data of the controller, all zero after a reset
 *
 * Starts as all zero; mptun_cc_assign() and mptun_cc_reset() make it usable.
 */
struct mptun_cc {
	const struct mptun_cc_ops *ops;
	u32 mss;
	u32 cwnd;
	u32 ssthresh;
	u32 events;
	u64 pacing_rate;
	u64 bw;
	u64 shown;
	u64 rate;
	u64 recovery_ns;
	u64 acked_ns;
	u32 srtt_us;
	u32 group;
	struct list_head *peers;
	struct list_head peer;
	u32 chance;
	u32 tick_ns;
	u32 flows;
	bool held;
	bool group_found;
	u64 priv[MPTUN_CC_PRIV / sizeof(u64)];
};

/**
 * mptun_cc_found() - check whether the controller knows the capacity of the
 *	path
 * @cc: congestion state
 *
 * Return: true if it does, or if it ignores acknowledgments and never will.
 */
static inline bool mptun_cc_found(const struct mptun_cc *cc)
{
	return cc->ssthresh != MPTUN_CC_SSTHRESH_NONE || !cc->ops->on_ack;
}

const struct mptun_cc_ops *mptun_cc_find(const char *name);
int mptun_cc_assign(struct mptun_cc *cc, const char *name);
void mptun_cc_flow(struct mptun_cc *cc);
void mptun_cc_join(struct mptun_cc *cc, struct list_head *peers);
void mptun_cc_leave(struct mptun_cc *cc);
void mptun_cc_reset(struct mptun_cc *cc, u32 mss);
void mptun_cc_set_mss(struct mptun_cc *cc, u32 mss);
void mptun_cc_set_rate(struct mptun_cc *cc, u64 rate);
void mptun_cc_on_rtt(struct mptun_cc *cc, const struct mptun_rtt *rtt);
bool mptun_cc_on_ack(struct mptun_cc *cc, const struct mptun_cc_ack *ack);
bool mptun_cc_on_loss(struct mptun_cc *cc, const struct mptun_cc_loss *loss);
void mptun_cc_on_restart(struct mptun_cc *cc, u64 now);
void mptun_cc_on_neglect(struct mptun_cc *cc);

/* For controllers */
u32 mptun_cc_min_window(const struct mptun_cc *cc);
u32 mptun_cc_max_window(const struct mptun_cc *cc);
u64 mptun_cc_window_rate(const struct mptun_cc *cc,
			 const struct mptun_rtt *rtt, u32 percent);
u32 mptun_cc_random(struct mptun_cc *cc, u32 below);
bool mptun_cc_coupled(const struct mptun_cc *cc, const struct mptun_cc *other,
		      u64 now);

/* cc/table.c: all of them, NULL at the end */
extern const struct mptun_cc_ops *const mptun_cc_table[];

extern const struct mptun_cc_ops mptun_cc_newreno;
extern const struct mptun_cc_ops mptun_cc_cubic;
extern const struct mptun_cc_ops mptun_cc_lia;
extern const struct mptun_cc_ops mptun_cc_residual;
extern const struct mptun_cc_ops mptun_cc_delay;
extern const struct mptun_cc_ops mptun_cc_bbr;
extern const struct mptun_cc_ops mptun_cc_fixed;
extern const struct mptun_cc_ops mptun_cc_none;

/**
 * mptun_cc_room() - free part of the window
 * @cc: congestion state
 * @in_flight: bytes in flight
 *
 * Return: bytes that may be sent.
 */
static inline u32 mptun_cc_room(const struct mptun_cc *cc, u32 in_flight)
{
	return cc->cwnd > in_flight ? cc->cwnd - in_flight : 0;
}

/**
 * mptun_cc_rate() - capacity of the path
 * @cc: congestion state
 * @seen: delivery rate while there seemed to be a queue, bytes per second
 *
 * Jitter looks like a queue, so that the rate of a path with a small window may
 * look like its capacity, unless a model knows better.
 *
 * Return: bytes per second, 0 if unknown.
 */
static inline u64 mptun_cc_rate(const struct mptun_cc *cc, u64 seen)
{
	return max(seen, cc->bw);
}

#endif /* _MPTUN_CC_H */
