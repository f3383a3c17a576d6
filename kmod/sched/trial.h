/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Paths that are not used for a time, and tried again.
 */
#ifndef _MPTUN_TRIAL_H
#define _MPTUN_TRIAL_H

#include <linux/minmax.h>
#include <linux/types.h>

/*
 * Full: had the tunnel more to send than its paths could carry?
 *
 * It has while the queue of class 0 is stopped, which waits for all of them.
 */

/**
 * struct mptun_full - an interval, and how long a queue was stopped in it
 * @begin_ns: when it began
 * @stop_ns: when the queue was stopped last
 * @full_ns: for how long it was stopped, up to @stop_ns
 */
struct mptun_full {
	u64 begin_ns;
	u64 stop_ns;
	u64 full_ns;
};

/**
 * mptun_full_begin() - the next interval begins
 * @f: the interval
 * @now: time in ns
 */
static inline void mptun_full_begin(struct mptun_full *f, u64 now)
{
	f->begin_ns = now;
	f->full_ns = 0;
}

/**
 * mptun_full_stop() - the queue is stopped
 * @f: the interval
 * @now: time in ns
 */
static inline void mptun_full_stop(struct mptun_full *f, u64 now)
{
	f->stop_ns = now;
}

/**
 * mptun_full_reset() - begin anew, whatever was before
 * @f: the interval
 * @now: time in ns
 */
static inline void mptun_full_reset(struct mptun_full *f, u64 now)
{
	mptun_full_begin(f, now);
	mptun_full_stop(f, now);
}

/**
 * mptun_full_wake() - the queue is woken
 * @f: the interval
 * @now: time in ns
 */
static inline void mptun_full_wake(struct mptun_full *f, u64 now)
{
	f->full_ns += now - max(f->stop_ns, f->begin_ns);
}

/**
 * mptun_full_mostly() - was the queue stopped half of the time?
 * @f: the interval
 * @stopped: the queue is stopped now
 * @now: time in ns
 *
 * Return: true if it was.
 */
static inline bool mptun_full_mostly(const struct mptun_full *f, bool stopped,
				     u64 now)
{
	u64 full = f->full_ns;

	if (stopped)
		full += now - max(f->stop_ns, f->begin_ns);
	return full >= (now - f->begin_ns) / 2;
}

/*
 * Bad paths: which paths carry so little that they are better left alone.
 */

/* Paths are judged by what they delivered in intervals of this length. */
#define MPTUN_BAD_INTERVAL_MS	1000U

/* So many intervals in a row make a path bad. */
#define MPTUN_BAD_STRIKES	3U

/* A path that is tried has to be so many times as good as one that is not
 * parked, in so many intervals in a row.
 */
#define MPTUN_BAD_MARGIN	2U
#define MPTUN_BAD_GOOD		2U

/* A trial ends after so many intervals in which the path was bad and did not
 * get better, and after so many in any case.
 */
#define MPTUN_BAD_FAILS		2U
#define MPTUN_BAD_ROUNDS	10U

/* Time until a parked path is tried, doubled each time this is in vain.  It
 * begins anew when the path has been used for so long.
 */
#define MPTUN_BAD_RETRY_MIN_MS	5000U
#define MPTUN_BAD_RETRY_MAX_MS	160000U
#define MPTUN_BAD_FORGET_MS	60000U

/**
 * enum mptun_bad_state - what a path may carry
 * @MPTUN_BAD_USED: anything
 * @MPTUN_BAD_PARKED: nothing
 * @MPTUN_BAD_TRIED: copies
 */
enum mptun_bad_state {
	MPTUN_BAD_USED,
	MPTUN_BAD_PARKED,
	MPTUN_BAD_TRIED,
};

/**
 * struct mptun_bad - one path
 * @acked: bytes it had delivered at the end of the last interval
 * @got: bytes it delivered in that interval
 * @growing: those were clearly more than in the interval before
 * @idle: it had nothing in flight at some time while others were full
 * @state: &enum mptun_bad_state
 * @strikes: intervals in a row in which it was bad
 * @good: intervals in a row in which it was good, while it is tried
 * @rounds: intervals of this trial
 * @retry_ms: how long it waits for the next trial
 * @since_ns: when @state began
 */
struct mptun_bad {
	u64 acked;
	u64 got;
	bool growing;
	bool idle;
	u8 state;
	u8 strikes;
	u8 good;
	u8 rounds;
	u32 retry_ms;
	u64 since_ns;
};

/**
 * struct mptun_bad_sum - what the paths in use delivered in an interval
 * @bytes: all together
 * @paths: how many these are
 */
struct mptun_bad_sum {
	u64 bytes;
	u32 paths;
};

void mptun_bad_reset(struct mptun_bad *b, u64 acked, u64 now);
void mptun_bad_measure(struct mptun_bad *b, u64 acked,
		       struct mptun_bad_sum *sum);
bool mptun_bad_judge(struct mptun_bad *b, const struct mptun_bad_sum *sum,
		     u32 part, u64 now);
void mptun_bad_rest(struct mptun_bad *b, u64 now);

/**
 * mptun_bad_parked() - is a path to be left alone?
 * @b: the path
 *
 * Return: true if it is, tried or not.
 */
static inline bool mptun_bad_parked(const struct mptun_bad *b)
{
	return b->state != MPTUN_BAD_USED;
}

/*
 * Lossy paths: which paths cost more by what they lose than they carry.
 */

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

/*
 * Detours: which paths are so much farther that flows are better off without.
 */

/* With less than one part in so many of all that was delivered, far paths are
 * none that a flow waits for; and who gets less than one part in so many of
 * what the near ones carry does not want more.
 */
#define MPTUN_DETOUR_SHARE	16U
#define MPTUN_DETOUR_LOAD_PART	8U

/* They are farther by more than this. */
#define MPTUN_DETOUR_EXCESS_US	4000U

/* For so long flows may be slower before the far ones rest, so many times as
 * long if they are slower by little; and so much is remembered of the time in
 * which they were not.
 */
#define MPTUN_DETOUR_DEBT_MS	1000
#define MPTUN_DETOUR_CREDIT_MS	500
#define MPTUN_DETOUR_PATIENCE	4U

/* By then the near ones have to have been busy for so long, or the far ones
 * rest in vain: they are used again and do not rest again so soon.
 */
#define MPTUN_DETOUR_TEST_MS	4000U
#define MPTUN_DETOUR_BUSY_MS	1000U
#define MPTUN_DETOUR_QUIET_MS	60000U

/* Time until far paths are used again while the near ones are busy, doubled
 * each time that is in vain; that is not if they have been used for so long.
 */
#define MPTUN_DETOUR_RETRY_MIN_MS	32000U
#define MPTUN_DETOUR_RETRY_MAX_MS	256000U
#define MPTUN_DETOUR_LASTS_MS	8000U

/* They are used again if the near ones were not busy for so long, or if there
 * are twice as many flows, and so many more, as there were then.
 */
#define MPTUN_DETOUR_IDLE_MS	10000U
#define MPTUN_DETOUR_FLOWS	2U

/**
 * struct mptun_detour - one path
 * @acked: bytes it had delivered at the end of the last interval
 * @far: it was farther than the nearest one in that
 * @rests: the same, and not used for what depends on order
 */
struct mptun_detour {
	u64 acked;
	bool far;
	bool rests;
};

/**
 * struct mptun_detour_path - what is to be known of a path, at the end of an
 *	interval
 * @min_rtt_us: its smallest round-trip time, 0 if unknown
 * @srtt_us: its round-trip time as it is, 0 if unknown
 * @rate: what it carries in bytes per second, 0 if unknown
 * @acked: bytes it has delivered so far
 */
struct mptun_detour_path {
	u32 min_rtt_us;
	u32 srtt_us;
	u64 rate;
	u64 acked;
};

/**
 * struct mptun_detour_sum - what the paths did in an interval
 * @least_us: smallest round-trip time of all paths, U32_MAX if unknown
 * @nearest_us: that of the nearest one as it is, likewise
 * @low: bytes that those delivered that are not far
 * @high: bytes that far ones delivered
 * @rate: what the near ones carry in bytes per second
 * @unknown: of one of these that is not known
 * @any_high: there is a far one
 * @full: the tunnel had more to send than it could, most of the time
 * @flows: how many flows sent something
 */
struct mptun_detour_sum {
	u32 least_us;
	u32 nearest_us;
	u64 low;
	u64 high;
	u64 rate;
	bool unknown;
	bool any_high;
	bool full;
	u32 flows;
};

/**
 * struct mptun_detour_group - the paths that are used together
 * @rests: the far ones rest
 * @proven: that was right
 * @since_ns: when they began to rest, or to be used
 * @busy_ns: when the near ones were busy last
 * @busy_ms: for how long they were since the far ones rest
 * @quiet_ns: the far ones do not rest before
 * @peak: most bytes per second since flows are slow, 0 if they are not
 * @balance_ms: for how long they are, negative, or were not
 * @flows: how many flows there were when the far ones began to rest
 * @retry_ms: for how long these rest
 */
struct mptun_detour_group {
	bool rests;
	bool proven;
	u64 since_ns;
	u64 busy_ns;
	u32 busy_ms;
	u64 quiet_ns;
	u64 peak;
	s32 balance_ms;
	u32 flows;
	u32 retry_ms;
};

void mptun_detour_reset(struct mptun_detour *d, u64 acked);
void mptun_detour_compare(const struct mptun_detour_path *path,
			  struct mptun_detour_sum *sum);
void mptun_detour_measure(struct mptun_detour *d,
			  const struct mptun_detour_path *path,
			  struct mptun_detour_sum *sum);
void mptun_detour_group_reset(struct mptun_detour_group *g, u64 now);
bool mptun_detour_judge(struct mptun_detour_group *g,
			const struct mptun_detour_sum *sum, u32 ms, u64 now);

#endif /* _MPTUN_TRIAL_H */
