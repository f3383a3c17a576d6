// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * What one path delivered in the last round trip (draft-ietf-ccwg-bbr-06,
 * section 4.1, "Delivery Rate Samples").
 *
 * The model: between the sending of a packet and its acknowledgment lies a
 * round trip.  What was delivered meanwhile, by the time it took, is the rate
 * of the path, if the path was kept busy.
 *
 *	mark                packet sent               packet acknowledged
 *	 | bytes, arrival     |                         | bytes, arrival
 *	-+--------------------+-------------------------+----------------> time
 *	 ^ report                                       ^ report
 *	 `---------------- delivered, interval ---------'
 *
 * The draft keeps what was delivered before with each packet.  That changes
 * with a report only, and ours are few, so a mark per report does for all
 * packets until the next one: a packet was sent after the newest mark whose
 * number is not above its own.  A path with more reports makes a mark of some,
 * and the interval is longer by a sixteenth of a round trip.
 *
 * The interval is that of the receiver's clock, from arrival to arrival.
 * Nothing that happens to reports on their way back can make a rate look
 * higher than it was.  It can have been higher for a while than the path is in
 * the long run, where packets that were sent over a longer time arrive in one
 * batch.  So the time of sending counts if it was longer.
 *
 * Packets that were overtaken arrive without being part of the round trip.  A
 * mark counts them as arrived already, or a path that reorders would look
 * faster than it is, and with a filter that takes the largest rate always so.
 *
 * A path that had less to send than it could shows what it had and not what it
 * can.  It leaves a bubble in the flow: samples are marked as app-limited from
 * the packets in flight before the bubble on, until one that was sent after it
 * is acknowledged.
 *
 * Units: bytes, bytes per second, ns for points in time, microseconds for
 * intervals.  Counters of 32 bits wrap; between two reports of one round trip
 * they differ by less than half of that.
 */
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "recovery/rate_sample.h"

/**
 * mptun_sample_reset() - nothing known of a path
 * @s: the path's marks
 */
void mptun_sample_reset(struct mptun_sample *s)
{
	memset(s, 0, sizeof(*s));
}

static struct mptun_sample_mark *mptun_sample_mark(struct mptun_sample *s,
						   u32 i)
{
	return &s->marks[(s->head + i) % MPTUN_SAMPLE_MARKS];
}

static struct mptun_sample_mark *mptun_sample_last(struct mptun_sample *s)
{
	return mptun_sample_mark(s, s->count - 1);
}

/**
 * mptun_sample_limited() - the path has had less to send than it could
 * @s: the path's marks
 * @next: number of the next packet
 */
void mptun_sample_limited(struct mptun_sample *s, u64 next)
{
	s->bubble = next;
	if (s->count)
		mptun_sample_last(s)->app_limited = true;
}

/* Goes on to the newest mark the packet was sent after. */
static void mptun_sample_advance(struct mptun_sample *s, u64 number)
{
	while (s->count > 1 && mptun_sample_mark(s, 1)->next <= number) {
		s->head = (s->head + 1) % MPTUN_SAMPLE_MARKS;
		s->count--;
	}
}

static bool mptun_sample_take(const struct mptun_sample *s,
			      const struct mptun_sample_mark *mark,
			      const struct mptun_sample_report *rep,
			      struct mptun_rate_sample *out)
{
	s32 arrival_us = rep->arrival_us - mark->arrival_us;
	s32 delivered = (u32)rep->bytes - mark->bytes;
	s32 lost = s->lost - mark->lost;
	u64 us;

	us = div_u64(rep->sent_ns - mark->sent_ns, NSEC_PER_USEC);
	if (arrival_us <= 0 || delivered <= 0 || us > U32_MAX)
		return false;

	out->interval_us = max_t(u32, arrival_us, us);
	out->rate = div_u64((u64)delivered * USEC_PER_SEC, out->interval_us);
	out->delivered = delivered;
	out->lost = max(lost, 0);
	out->tx_in_flight = mark->in_flight;
	out->app_limited = mark->app_limited;
	return true;
}

static bool mptun_sample_due(const struct mptun_sample *s,
			     const struct mptun_sample_report *rep)
{
	u64 pause = (u64)rep->srtt_us * NSEC_PER_USEC >> MPTUN_SAMPLE_RTT_SHIFT;

	if (s->count == MPTUN_SAMPLE_MARKS)
		return false;
	return !s->count || rep->now >= s->mark_ns + pause;
}

static void mptun_sample_make(struct mptun_sample *s,
			      const struct mptun_sample_report *rep)
{
	s->count++;
	s->mark_ns = rep->now;
	*mptun_sample_last(s) = (struct mptun_sample_mark){
		.next = rep->next,
		.sent_ns = rep->sent_ns,
		.arrival_us = rep->arrival_us,
		.bytes = rep->bytes + rep->late,
		.lost = s->lost,
		.app_limited = s->bubble,
	};
}

/**
 * mptun_sample_report() - a packet was acknowledged
 * @s: the path's marks
 * @rep: what the report says; it newly acknowledges its largest number
 * @out: the sample
 *
 * To be called after mptun_sample_lost() for the same report.
 *
 * Return: true if there is a sample; there is none before the first round trip
 * is over, and none in a report that was overtaken by another one.
 */
bool mptun_sample_report(struct mptun_sample *s,
			 const struct mptun_sample_report *rep,
			 struct mptun_rate_sample *out)
{
	struct mptun_sample_mark *mark;
	bool taken = false;

	if (rep->newest <= s->newest)
		return false;
	s->newest = rep->newest;
	mptun_oneway_sample(&s->oneway, rep->sent_ns, rep->arrival_us,
			    rep->now);
	if (s->count) {
		mark = mptun_sample_last(s);
		mark->in_flight = max(mark->in_flight, rep->prior_in_flight);
	}
	mptun_sample_advance(s, rep->newest);
	mark = mptun_sample_mark(s, 0);
	if (s->count && mark->next <= rep->newest)
		taken = mptun_sample_take(s, mark, rep, out);
	if (rep->newest >= s->bubble)
		s->bubble = 0;
	if (mptun_sample_due(s, rep))
		mptun_sample_make(s, rep);
	return taken;
}
