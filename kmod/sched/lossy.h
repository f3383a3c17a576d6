/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Lossy paths: which paths cost more by what they lose than they carry.
 */
#ifndef _MPTUN_LOSSY_H
#define _MPTUN_LOSSY_H

#include <linux/types.h>

/* What the paths deliver is looked at in intervals of this length. */
#define MPTUN_LOSSY_INTERVAL_MS	250U

/* A path is lossy after so many losses, if it loses one packet in so many or
 * more, and so many times as many as the cleanest one.  What is known fades
 * away over so many packets.
 */
#define MPTUN_LOSSY_EVENTS	3U
#define MPTUN_LOSSY_PART	1024U
#define MPTUN_LOSSY_MORE	4U
#define MPTUN_LOSSY_MEMORY	8192U

/* Clean paths that carry less than one part in so many replace no other. */
#define MPTUN_LOSSY_SHARE	16U

/* So much of what the clean paths carry by themselves may be lost before the
 * lossy ones rest, and so much is remembered of what they added.
 */
#define MPTUN_LOSSY_DEBT_MS	100
#define MPTUN_LOSSY_CREDIT_MS	300

/* How long it takes to know what the clean paths carry by themselves. */
#define MPTUN_LOSSY_LEARN_MS	1000U

/* Time until lossy paths are used again: as long as nobody knows whether that
 * is better; when it was not, doubled each time; and when there are twice as
 * many flows, and so many more, as there were then.
 */
#define MPTUN_LOSSY_SOON_MS	4000U
#define MPTUN_LOSSY_RETRY_MIN_MS	32000U
#define MPTUN_LOSSY_RETRY_MAX_MS	256000U
#define MPTUN_LOSSY_FLOWS	2U

/* Time until copies tell whether a path still loses as much, doubled each time
 * it does; it does not if it was not shown by so many packets.
 */
#define MPTUN_LOSSY_CHECK_MIN_MS	4000U
#define MPTUN_LOSSY_CHECK_MAX_MS	64000U
#define MPTUN_LOSSY_CHECK_PACKETS	2048U

/* They are used again if the others were not full for so long; and all that
 * was learnt is forgotten when they have been used for so long.
 */
#define MPTUN_LOSSY_IDLE_MS	60000U
#define MPTUN_LOSSY_FORGET_MS	300000U

/**
 * struct mptun_lossy - one path
 * @packets: packets of which it is known whether they arrived, fading
 * @events: losses among them, at most one in a round trip
 * @event_ns: time of the last of these
 * @queue_us: longest queue seen so far
 * @acked: bytes it had delivered at the end of the last interval
 * @lossy: it loses clearly more than the cleanest of the others
 * @rests: it is not used for what depends on order
 * @tried: it rests, and gets copies
 * @check_ms: time between trials with copies
 * @check_ns: when the next one is due
 */
struct mptun_lossy {
	u32 packets;
	u32 events;
	u64 event_ns;
	u32 queue_us;
	u64 acked;
	bool lossy;
	bool rests;
	bool tried;
	u32 check_ms;
	u64 check_ns;
};

/**
 * struct mptun_lossy_news - what a report says about the packets of a path
 * @now: time in ns
 * @lost_ns: when the newest of those was sent that are lost, 0 if none is
 * @packets: how many arrived or are lost
 * @spurious: how many arrived that had been taken for lost
 * @queue_us: how far the round-trip time is above the smallest
 */
struct mptun_lossy_news {
	u64 now;
	u64 lost_ns;
	u32 packets;
	u32 spurious;
	u32 queue_us;
};

/**
 * struct mptun_lossy_ref - the cleanest path in use
 * @packets: as in &struct mptun_lossy; 0 if there is none
 * @events: likewise
 */
struct mptun_lossy_ref {
	u32 packets;
	u32 events;
};

/**
 * struct mptun_lossy_sum - what the paths did in an interval
 * @clean: bytes that the ones delivered that are not lossy
 * @lossy: bytes that lossy ones delivered
 * @used: a lossy one is used
 * @rests: one rests
 * @full: the tunnel had more to send than it could, most of the time
 * @flows: how many flows sent something
 */
struct mptun_lossy_sum {
	u64 clean;
	u64 lossy;
	bool used;
	bool rests;
	bool full;
	u32 flows;
};

/**
 * enum mptun_lossy_verdict - what is to become of lossy paths
 * @MPTUN_LOSSY_KEEP: nothing else than before
 * @MPTUN_LOSSY_REST: those that are lossy are not used any more
 * @MPTUN_LOSSY_USE: those that rest are used
 */
enum mptun_lossy_verdict {
	MPTUN_LOSSY_KEEP,
	MPTUN_LOSSY_REST,
	MPTUN_LOSSY_USE,
};

/**
 * struct mptun_lossy_group - the paths that are used together
 * @alone: bytes per second that the clean ones deliver by themselves while
 *	they are full, 0 unknown
 * @learnt_ms: for how long they were full since the lossy ones rest
 * @balance_ms: what the lossy ones added in the end, as time of @alone
 * @flows: how many flows there were when the lossy ones began to rest
 * @more_ms: for how long there have been many more
 * @since_ns: when the lossy ones began to rest, or to be used
 * @full_ns: when the clean ones were full last
 * @retry_ms: how long the lossy ones rest next time
 */
struct mptun_lossy_group {
	u64 alone;
	u32 learnt_ms;
	s32 balance_ms;
	u32 flows;
	u32 more_ms;
	u64 since_ns;
	u64 full_ns;
	u32 retry_ms;
};

void mptun_lossy_reset(struct mptun_lossy *l, u64 acked);
void mptun_lossy_news(struct mptun_lossy *l,
		      const struct mptun_lossy_news *news);
void mptun_lossy_compare(const struct mptun_lossy *l,
			 struct mptun_lossy_ref *ref);
void mptun_lossy_measure(struct mptun_lossy *l, u64 acked,
			 const struct mptun_lossy_ref *ref,
			 struct mptun_lossy_sum *sum);
void mptun_lossy_rest(struct mptun_lossy *l, bool rests, u64 now);
bool mptun_lossy_check(struct mptun_lossy *l,
		       const struct mptun_lossy_ref *ref, bool full, u64 now);

void mptun_lossy_group_reset(struct mptun_lossy_group *g, u64 now);
enum mptun_lossy_verdict
mptun_lossy_judge(struct mptun_lossy_group *g,
		  const struct mptun_lossy_sum *sum, u32 ms, u64 now);

#endif /* _MPTUN_LOSSY_H */
