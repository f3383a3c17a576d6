/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Scheduling: choice of the path that takes the next packets.
 */
#ifndef _MPTUN_SCHED_H
#define _MPTUN_SCHED_H

#include <linux/bits.h>
#include <linux/math64.h>
#include <linux/time64.h>
#include <linux/types.h>

#include "base/limits.h"

/* Length of a run of segments on one path: what it carries in RUN_US, within
 * these limits; the upper one is a GSO packet of 64 KiB.
 */
#define MPTUN_SCHED_RUN_MIN	2U
#define MPTUN_SCHED_RUN_US	1000U
#define MPTUN_SCHED_RUN_MAX	44U

/* A low-rate path has less than 1/4 of the rate of another one. */
#define MPTUN_SCHED_LOW_RATE_PART	4U

/* A high-latency path has a round trip longer by more than this, by
 * mptun_sched_latency_us().
 */
#define MPTUN_SCHED_HIGH_LATENCY_US	200000U

/* Copies of each packet that a path gets on trial by sched/lead.c */
#define MPTUN_LEAD_COPIES	2U

/* Time after a failed trial before the next one */
#define MPTUN_LEAD_AGAIN_NS	(160ULL * NSEC_PER_SEC)

/* Logarithms of scheduler "flow" are in 1/65536. */
#define MPTUN_FLOW_SHIFT	16
#define MPTUN_FLOW_ONE		((u32)BIT(MPTUN_FLOW_SHIFT))

/* Credits of "wrr" are in 1/65536 bytes, so that rounding never adds up to a
 * share.
 */
#define MPTUN_WRR_SHIFT		16
#define MPTUN_WRR_CREDIT_MAX	((s64)(1 << 20) << MPTUN_WRR_SHIFT)

/**
 * struct mptun_sched_mem - memory of a scheduler, for one path or for all
 * @data: private to the scheduler
 *
 * To be cleared when the path comes up and when the scheduler changes.
 */
struct mptun_sched_mem {
	u64 data[2];
};

/**
 * struct mptun_wrr - memory of "wrr" for a path
 * @credit: what the path is owed in 1/65536 bytes; negative if it is ahead
 */
struct mptun_wrr {
	s64 credit;
};

/**
 * struct mptun_ecf_busy - memory of "ecf" for the tunnel
 * @carried: bytes placed since the earlier paths became full
 * @full_ns: when they were last full
 */
struct mptun_ecf_busy {
	u64 carried;
	u64 full_ns;
};

/**
 * struct mptun_busy - clock of the time other paths were busy
 * @last_ns: when the clock was last updated
 * @until_ns: end of the busy period, as known then
 * @level_ns: time busy, less weighted time idle
 * @on: the path helps them
 *
 * To be cleared when the path comes up.
 */
struct mptun_busy {
	u64 last_ns;
	u64 until_ns;
	u64 level_ns;
	bool on;
};

/**
 * struct mptun_low_rate - state of a low-rate or high-latency path
 * @busy: how long the others were busy
 * @on_ns: when it began to help them
 * @wait_us: how long they must have been busy, 0 for the minimum
 * @helps: it helps them
 * @is: it was a low-rate path when last classified
 * @higher_rate: it has high latency, and was seen to carry more than all paths
 *	of lower latency
 * @leads: those help it
 * @need_ns: when it was last needed or began to lead, while it leads
 * @vain_ns: how long it does not lead again if nothing needs it, 0 once
 *	something has
 * @again_ns: until when it does not lead again
 * @try_ns: for how long it has been tried whether it carries more
 * @try_last_ns: when a trial was last considered
 * @tried_ns: end of a failed trial, 0 if there was none
 * @left_ns: for how long the others have been busy since its rate was found to
 *	be low
 * @left_last_ns: when that was last measured
 * @left_most_ns: how long that lasts until its capacity counts as unknown, 0
 *	for the minimum
 * @neglected: it has lasted as long; the caller resets this and calls
 *	mptun_cc_on_neglect()
 *
 * To be cleared when the path comes up.
 */
struct mptun_low_rate {
	struct mptun_busy busy;
	u64 on_ns;
	u32 wait_us;
	bool helps;
	bool is;
	bool higher_rate;
	bool leads;
	u64 need_ns;
	u64 vain_ns;
	u64 again_ns;
	u64 try_ns;
	u64 try_last_ns;
	u64 tried_ns;
	u64 left_ns;
	u64 left_last_ns;
	u64 left_most_ns;
	bool neglected;
};

/**
 * struct mptun_sched_cand - a path that may take the next packets
 * @rate: its capacity in bytes per second, 0 if unknown
 * @shown: what it has delivered at most, in bytes per second, 0 if unknown
 * @pacing_rate: limit of its pacer in bytes per second, 0 for none
 * @paced_ns: until when its pacer is busy with what was sent
 * @room: bytes that window and pacing allow now
 * @srtt_us: smoothed round-trip time, 0 if unknown
 * @min_rtt_us: recent smallest round-trip time, 0 if unknown
 * @rttvar_us: its mean deviation
 * @oneway_us: recent smallest one-way delay in our direction, plus an error
 *	common to all paths; 0 if unknown
 * @oneway_queue_us: smoothed queueing delay in our direction, if @oneway_us is
 *	known
 * @since_us: time since the newest packet acknowledged left the queue, if
 *	@oneway_us is known
 * @id: hash of its name, set if the scheduler pins
 * @weight: share of the path, at least 1
 * @priority: lower numbers are used first
 * @spill_us: how long those of lower numbers must have been full before the
 *	path takes the excess, MPTUN_SPILL_OFF for never
 * @in_flight: bytes in flight
 * @cwnd: congestion window in bytes
 * @mtu: largest inner packet in bytes
 * @whole: the same without fragments
 * @cut: the same in fragments, for packets that another path of its rank takes
 * @up: answers come in time; false for a suspect path
 * @backup: used only while no available path is usable
 * @parked: suspended (sched/bad.c), so used only without another of its kind
 * @suspended: the same (sched/detour.c), for packets that depend on order
 * @loses: it lost a packet not long ago
 * @tried: number of copies it gets of each packet while on trial
 * @found: its congestion controller has found its capacity
 * @mem: memory of the scheduler
 * @spill: how long those of better priority were busy
 * @low_rate: its state beside paths of higher rate or lower latency
 * @best: set by mptun_sched_pick(): has the best rank, whatever the size of the
 *	packet
 * @eligible: set by mptun_sched_pick(): the scheduler may choose this path
 * @late: set by mptun_sched_pick(): not eligible, as packets would arrive too
 *	late to help others, but not too late for the receiver
 * @arrival_us: set by mptun_sched_pick(): expected time until the packet
 *	arrives, 0 if unknown
 * @queue_us: set by mptun_sched_pick(): part of @arrival_us spent in the queue
 *	of the path
 * @helps: set by mptun_sched_pick(): it waits until others are busy
 */
struct mptun_sched_cand {
	u64 rate;
	u64 shown;
	u64 pacing_rate;
	u64 paced_ns;
	u32 room;
	u32 srtt_us;
	u32 min_rtt_us;
	u32 rttvar_us;
	u32 oneway_us;
	u32 oneway_queue_us;
	u32 since_us;
	u32 id;
	u32 weight;
	u32 priority;
	u32 spill_us;
	u32 in_flight;
	u32 cwnd;
	u32 mtu;
	u32 whole;
	u32 cut;
	bool up;
	bool backup;
	bool parked;
	bool suspended;
	bool loses;
	u8 tried;
	bool found;
	struct mptun_sched_mem *mem;
	struct mptun_busy *spill;
	struct mptun_low_rate *low_rate;

	bool best;
	bool eligible;
	bool late;
	u32 arrival_us;
	u32 queue_us;
	bool helps;
};

struct mptun_sched;

/**
 * struct mptun_sched_ops - a scheduler
 * @name: name by which users choose it
 * @number: its number for the peer, &enum mptun_caps_sched
 * @pick: choose among the eligible candidates; returns an index, or -EAGAIN to
 *	wait for room, at most until mptun_sched.wake_ns
 * @sent: bytes were placed on the chosen path; may be NULL
 * @copies: packets also leave on all other eligible paths with room
 * @pins: @pick uses mptun_sched_cand.id
 * @weighs: @pick uses mptun_sched_cand.weight
 * @wants_backlog: @pick uses mptun_sched.backlog
 * @high_rate_first: low-rate paths help only when the others are busy
 * @low_latency_first: so do high-latency paths; only with @high_rate_first
 *
 * Called under mptun_tx.lock.
 */
struct mptun_sched_ops {
	const char *name;
	u8 number;
	int (*pick)(struct mptun_sched *s,
		    const struct mptun_sched_cand *cand, unsigned int n,
		    u32 bytes);
	void (*sent)(struct mptun_sched *s,
		     const struct mptun_sched_cand *cand, unsigned int n,
		     unsigned int chosen, u32 bytes);
	bool copies;
	bool pins;
	bool weighs;
	bool wants_backlog;
	bool high_rate_first;
	bool low_latency_first;
};

/**
 * struct mptun_sched - scheduler of one tunnel
 * @ops: the scheduler
 * @hold_us: how long the receiver holds packets for an overtaken one; 0 if
 *	order does not matter
 * @mem: memory of the scheduler
 * @lane: lane of the packet's flow, set before each choice
 * @flows: recent number of flows, 0 if unknown, set before each choice
 * @now: time in ns, set before each choice
 * @backlog: bytes that wait for a path, the packet included; set before each
 *	choice if the scheduler uses it, or a path may help
 * @spills: there is a path that takes the excess of others
 * @tries: set with each choice: a candidate that may lead others is on trial
 * @wake_ns: set with each choice: when to choose again at the latest, if
 *	nothing was chosen though there was room; U64_MAX for never
 */
struct mptun_sched {
	const struct mptun_sched_ops *ops;
	struct mptun_sched_mem mem;
	u32 hold_us;
	u32 lane;
	u32 flows;
	u64 now;
	u64 backlog;
	bool spills;
	bool tries;
	u64 wake_ns;
};

const struct mptun_sched_ops *mptun_sched_find(const char *name);
int mptun_sched_assign(struct mptun_sched *s, const char *name);
void mptun_sched_clock_offset(struct mptun_sched_cand *cand, unsigned int n);
int mptun_sched_filter(struct mptun_sched *s, struct mptun_sched_cand *cand,
		       unsigned int n, u32 bytes, u32 packet_mtu);
int mptun_sched_pick(struct mptun_sched *s, struct mptun_sched_cand *cand,
		     unsigned int n, u32 bytes, u32 packet_mtu);
void mptun_sched_sent(struct mptun_sched *s,
		      const struct mptun_sched_cand *cand, unsigned int n,
		      unsigned int chosen, u32 bytes);
bool mptun_sched_earlier(const struct mptun_sched_cand *a,
			 const struct mptun_sched_cand *b);
int mptun_sched_earliest(const struct mptun_sched_cand *cand, unsigned int n,
			 u32 bytes);
u32 mptun_sched_run_length(u64 rate, u32 mss);

/* sched/busy.c */
bool mptun_busy_helps(struct mptun_sched *s, struct mptun_busy *b, u32 us,
		      u32 idle_shift, u64 until_ns);
u64 mptun_busy_until(const struct mptun_sched *s,
		     const struct mptun_sched_cand *cand, unsigned int n,
		     bool full);
bool mptun_busy_full(const struct mptun_sched_cand *cand, unsigned int n,
		     u32 bytes);

/* sched/spill.c */
void mptun_sched_spill(struct mptun_sched *s, struct mptun_sched_cand *cand,
		       unsigned int n, u32 bytes, u32 packet_mtu);

/* sched/lead.c */
u64 mptun_sched_lead_rate(const struct mptun_sched_cand *c);
struct mptun_sched_cand *mptun_sched_lead(const struct mptun_sched *s,
					  struct mptun_sched_cand *cand,
					  unsigned int n);
bool mptun_sched_lead_begins(struct mptun_sched *s, struct mptun_sched_cand *c,
			     u64 until_ns);

/* sched/low_rate.c */
void mptun_sched_low_rate(struct mptun_sched *s, struct mptun_sched_cand *cand,
			  unsigned int n, u32 bytes);

#if IS_ENABLED(CONFIG_KUNIT)
u32 mptun_flow_log(u32 hash);
#endif

/* sched/table.c: all schedulers, terminated by NULL */
extern const struct mptun_sched_ops *const mptun_sched_table[];

extern const struct mptun_sched_ops mptun_sched_ecf;
extern const struct mptun_sched_ops mptun_sched_flow;
extern const struct mptun_sched_ops mptun_sched_greedy;
extern const struct mptun_sched_ops mptun_sched_redundant;
extern const struct mptun_sched_ops mptun_sched_wrr;
extern const struct mptun_sched_ops mptun_sched_wrr_auto;

/**
 * mptun_sched_name() - name of the scheduler
 * @s: scheduler of a tunnel
 *
 * Return: the name, "" if none is assigned.
 */
static inline const char *mptun_sched_name(const struct mptun_sched *s)
{
	return s->ops ? s->ops->name : "";
}

/**
 * mptun_sched_rate() - rate at which a path is expected to deliver
 * @c: the path
 *
 * Return: bytes per second: as measured, or else a window per round trip; 0 if
 * both are unknown.
 */
static inline u64 mptun_sched_rate(const struct mptun_sched_cand *c)
{
	if (c->rate || !c->srtt_us)
		return c->rate;
	return div_u64((u64)c->cwnd * USEC_PER_SEC, c->srtt_us);
}

/**
 * mptun_sched_is_low_rate() - test for a low-rate path
 * @rate: its pacing rate in bytes per second, 0 for no limit
 * @most: pacing rate of the path it is compared with
 *
 * Return: true if it is one.
 */
static inline bool mptun_sched_is_low_rate(u64 rate, u64 most)
{
	return rate && rate < most / MPTUN_SCHED_LOW_RATE_PART;
}

/**
 * mptun_sched_latency_us() - round-trip time of a path, for comparisons
 * @c: the path
 *
 * A queue on the way back delays none of our packets.
 *
 * Return: twice the recent smallest delay in our direction, or the smallest
 * round-trip time; 0 if both are unknown.
 */
static inline u32 mptun_sched_latency_us(const struct mptun_sched_cand *c)
{
	return c->oneway_us ? 2 * c->oneway_us : c->min_rtt_us;
}

/**
 * mptun_sched_is_high_latency() - test for a high-latency path
 * @rtt_us: its latency, 0 if unknown
 * @least_us: that of the path it is compared with
 *
 * Return: true if it is one.
 */
static inline bool mptun_sched_is_high_latency(u32 rtt_us, u32 least_us)
{
	return rtt_us > least_us &&
	       rtt_us - least_us > MPTUN_SCHED_HIGH_LATENCY_US;
}

#endif /* _MPTUN_SCHED_H */
