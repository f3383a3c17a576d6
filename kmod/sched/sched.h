/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Scheduling: which path takes the next packets.
 */
#ifndef _MPTUN_SCHED_H
#define _MPTUN_SCHED_H

#include <linux/types.h>

#include "base/limits.h"

/* A run of segments on one path: so many at least, what the path carries in
 * so much time, so many at most (one GSO packet of 64 KiB).
 */
#define MPTUN_SCHED_RUN_MIN	2U
#define MPTUN_SCHED_RUN_US	1000U
#define MPTUN_SCHED_RUN_MAX	44U

/* A path is not thin that has one part in so many of another one. */
#define MPTUN_SCHED_THIN_PART	4U

/* A path is far whose round trip is longer by more than that of another one. */
#define MPTUN_SCHED_FAR_US	200000U

/**
 * struct mptun_sched_mem - what a scheduler remembers, of one path or of all
 * @data: private to the scheduler
 *
 * To be cleared when the path comes up and when the scheduler is changed.
 */
struct mptun_sched_mem {
	u64 data[2];
};

/**
 * struct mptun_busy - for how long other paths were busy
 * @last_ns: when that was looked at last
 * @until_ns: until when they were busy, as seen then
 * @level_ns: time busy, less time at rest
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
 * struct mptun_thin - what is known of a thin or far path
 * @busy: for how long the others were busy
 * @on_ns: when it began to help them
 * @wait_us: for how long they must have been busy, 0 for the least
 * @helps: it helps them
 * @is: it was thin when it was looked at last
 * @thick: it is far, and was seen to carry more than all that are nearer
 * @leads: those help it
 * @need_ns: when it was needed last, while it leads
 * @try_ns: when it was first tried whether it carries more, 0 if it is not
 * @tried_ns: when it had been tried in vain, 0 if it has not
 *
 * To be cleared when the path comes up.
 */
struct mptun_thin {
	struct mptun_busy busy;
	u64 on_ns;
	u32 wait_us;
	bool helps;
	bool is;
	bool thick;
	bool leads;
	u64 need_ns;
	u64 try_ns;
	u64 tried_ns;
};

/**
 * struct mptun_sched_cand - a path that might take the next packets
 * @rate: what the path carries in bytes per second, 0 if unknown
 * @pacing_rate: what it is given at most, likewise, 0 without a limit
 * @paced_ns: until when what was sent keeps its pacer busy
 * @room: bytes that window and pacing allow now
 * @srtt_us: smoothed round-trip time, 0 if unknown
 * @min_rtt_us: smallest round-trip time of late, 0 if unknown
 * @rttvar_us: its mean deviation
 * @id: hash of its name, set if the scheduler pins
 * @weight: share of the path, at least 1
 * @priority: lower numbers are used first
 * @spill_us: how long those of lower numbers must have been full before the
 *	path takes what exceeds them, MPTUN_SPILL_OFF for ever
 * @in_flight: bytes in flight
 * @cwnd: congestion window in bytes
 * @mtu: largest inner packet in bytes
 * @up: answers come in time; false for a path that is suspect
 * @backup: to be used only while no available path is usable
 * @parked: to be used only while there is no other of its kind
 * @rests: the same, for packets that its losses hurt
 * @tried: how many copies it gets of each packet, as it is parked or rests and
 *	is tried
 * @found: its congestion controller has found out what it carries
 * @mem: memory of the scheduler
 * @spill: for how long those of better priority were busy
 * @thin: what is known of it beside thicker or nearer ones
 * @best: set by mptun_sched_pick(): of the best rank, whatever the size of the
 *	packet
 * @eligible: set by mptun_sched_pick(): the scheduler may choose this path
 * @late: set by mptun_sched_pick(): it is not, as packets would arrive too late
 *	there to help others, and not too late for the receiver
 * @arrival_us: set by mptun_sched_pick(): expected time until the packet
 *	arrives, 0 if unknown
 * @queue_us: set by mptun_sched_pick(): the part of it that is spent in the
 *	path's queue
 * @helps: set by mptun_sched_pick(): it waits until others are busy
 */
struct mptun_sched_cand {
	u64 rate;
	u64 pacing_rate;
	u64 paced_ns;
	u32 room;
	u32 srtt_us;
	u32 min_rtt_us;
	u32 rttvar_us;
	u32 id;
	u32 weight;
	u32 priority;
	u32 spill_us;
	u32 in_flight;
	u32 cwnd;
	u32 mtu;
	bool up;
	bool backup;
	bool parked;
	bool rests;
	u8 tried;
	bool found;
	struct mptun_sched_mem *mem;
	struct mptun_busy *spill;
	struct mptun_thin *thin;

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
 * @pick: choose among the candidates that are eligible; returns an index, or
 *	-EAGAIN to wait for room, at most until mptun_sched.wake_ns
 * @sent: bytes were placed on the path chosen; may be NULL
 * @copies: what is placed on the path chosen also leaves on all others that
 *	are eligible and have room
 * @pins: @pick wants to know mptun_sched_cand.id
 * @looks_back: @pick wants to know mptun_sched.backlog
 * @thick_first: thin paths are to help only when the others are busy
 * @near_first: the same of far ones; only with @thick_first
 *
 * Called with the lock of the tunnel's transmit side held.
 */
struct mptun_sched_ops {
	const char *name;
	int (*pick)(struct mptun_sched *s,
		    const struct mptun_sched_cand *cand, unsigned int n,
		    u32 bytes);
	void (*sent)(struct mptun_sched *s,
		     const struct mptun_sched_cand *cand, unsigned int n,
		     unsigned int chosen, u32 bytes);
	bool copies;
	bool pins;
	bool looks_back;
	bool thick_first;
	bool near_first;
};

/**
 * struct mptun_sched - scheduler of one tunnel
 * @ops: the scheduler
 * @hold_us: how long the receiver waits for a packet that was overtaken; 0 if
 *	order does not matter
 * @mem: memory of the scheduler
 * @lane: lane of the packet's flow, set before each choice
 * @flows: how many flows there were lately, 0 if unknown, set likewise
 * @now: time in ns, set before each choice
 * @backlog: bytes that wait for a path, those of the packet included; set
 *	before each choice if the scheduler looks back, or a path may help
 * @spills: there is a path that takes what exceeds others
 * @tries: set with each choice: a candidate is tried that may lead others
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
int mptun_sched_filter(struct mptun_sched *s, struct mptun_sched_cand *cand,
		       unsigned int n, u32 bytes, u32 packet_mtu);
int mptun_sched_pick(struct mptun_sched *s, struct mptun_sched_cand *cand,
		     unsigned int n, u32 bytes, u32 packet_mtu);
void mptun_sched_sent(struct mptun_sched *s,
		      const struct mptun_sched_cand *cand, unsigned int n,
		      unsigned int chosen, u32 bytes);
bool mptun_sched_nearer(const struct mptun_sched_cand *a,
			const struct mptun_sched_cand *b);
int mptun_sched_nearest(const struct mptun_sched_cand *cand, unsigned int n,
			u32 bytes);
u32 mptun_sched_run_length(u64 rate, u32 mss);

/* sched/busy.c */
bool mptun_busy_helps(struct mptun_sched *s, struct mptun_busy *b, u32 us,
		      u32 rest_shift, u64 until_ns);
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
void mptun_sched_thin(struct mptun_sched *s, struct mptun_sched_cand *cand,
		      unsigned int n, u32 bytes);

/* sched/table.c: all of them, NULL at the end */
extern const struct mptun_sched_ops *const mptun_sched_table[];

extern const struct mptun_sched_ops mptun_sched_ecf;
extern const struct mptun_sched_ops mptun_sched_flow;
extern const struct mptun_sched_ops mptun_sched_greedy;
extern const struct mptun_sched_ops mptun_sched_redundant;
extern const struct mptun_sched_ops mptun_sched_wrr;
extern const struct mptun_sched_ops mptun_sched_wrr_auto;

/**
 * mptun_sched_name() - which scheduler is it?
 * @s: scheduler of a tunnel
 *
 * Return: name of the scheduler assigned, "" if there is none.
 */
static inline const char *mptun_sched_name(const struct mptun_sched *s)
{
	return s->ops ? s->ops->name : "";
}

/**
 * mptun_sched_thinner() - is a path thin beside another one?
 * @rate: what it is given at most in bytes per second, 0 without a limit
 * @most: what the other one is
 *
 * Return: true if it is.
 */
static inline bool mptun_sched_thinner(u64 rate, u64 most)
{
	return rate && rate < most / MPTUN_SCHED_THIN_PART;
}

/**
 * mptun_sched_farther() - is a path far beside another one?
 * @rtt_us: its smallest round-trip time, 0 if unknown
 * @least_us: that of the other one
 *
 * Return: true if it is.
 */
static inline bool mptun_sched_farther(u32 rtt_us, u32 least_us)
{
	return rtt_us > least_us && rtt_us - least_us > MPTUN_SCHED_FAR_US;
}

#endif /* _MPTUN_SCHED_H */
