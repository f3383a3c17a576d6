// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * What one path delivered in the last round trip (draft-ietf-ccwg-bbr-06,
 * section 4.1, "Delivery Rate Samples"), its delivery rate and its queue.
 *
 * The model: a round trip lies between the sending of a packet and its
 * acknowledgment. The bytes delivered meanwhile, by the time it took, are the
 * rate of the path, if the path was kept busy.
 *
 *	mark                packet sent               packet acknowledged
 *	 | bytes, arrival     |                         | bytes, arrival
 *	-+--------------------+-------------------------+----------------> time
 *	 ^ report                                       ^ report
 *	 `---------------- delivered, interval ---------'
 *
 * The draft stores the bytes delivered before with each packet. These change
 * with a report only, and reports are few, so one mark per report serves all
 * packets until the next: a packet was sent after the newest mark whose number
 * is not above its own. A path with more reports makes a mark of some, and the
 * interval is longer by 1/16 of a round trip.
 *
 * The interval is that of the receiver's clock, from arrival to arrival, so
 * delays of reports on their way back cannot raise a rate. The rate can be
 * above that of the path for a while if packets sent over a longer time arrive
 * in one batch. So the time of sending counts if it was longer.
 *
 * Where packets overtake each other, some that belong to an earlier round trip
 * arrive in this one, and some of this one arrive later. If more are early than
 * late, the path looks faster than it is, and a filter that takes the largest
 * rate would keep that: so the surplus does not count. If fewer are early, only
 * what arrived counts, as the missing packets may be lost and not late.
 *
 * A path that had less to send than it could shows its load and not its
 * capacity. It leaves a bubble in the flow: samples are marked as app-limited
 * from the packets in flight before the bubble on, until one sent after it is
 * acknowledged.
 *
 * Such a load may come in bursts, and how fast one arrives does show the
 * capacity (packet train dispersion). Jitter makes bursts of its own, so this
 * is a bound from above.
 *
 * Units: bytes, bytes per second, ns for points in time, microseconds for
 * intervals and for times of the receiver, which wrap at 2^32. Counters of 32
 * bits wrap; between two reports of one round trip they differ by less than
 * half of that.
 */
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "base/seq.h"
#include "recovery/rate_sample.h"
#include "recovery/rtt.h"

/**
 * mptun_sample_reset() - reset a path
 * @s: the path's marks
 */
void mptun_sample_reset(struct mptun_sample *s)
{
	memset(s, 0, sizeof(*s));
}

static struct mptun_sample_mark *mptun_sample_at(struct mptun_sample *s,
						 u32 i)
{
	return &s->marks[(s->head + i) % MPTUN_SAMPLE_MARKS];
}

static struct mptun_sample_mark *mptun_sample_last(struct mptun_sample *s)
{
	return mptun_sample_at(s, s->count - 1);
}

/**
 * mptun_sample_limited() - record that the path had less to send than it could
 * @s: the path's marks
 * @next: number of the next packet
 */
void mptun_sample_limited(struct mptun_sample *s, u64 next)
{
	s->bubble = next;
	if (s->count)
		mptun_sample_last(s)->app_limited = true;
}

/* Bytes of the reports that we sent in the time of a sample.  They are counted
 * from report to report, which takes longer than the sample if the way back
 * does.
 */
static u32 mptun_sample_reports(const struct mptun_sample_mark *mark,
				const struct mptun_sample_report *rep,
				u32 interval_us)
{
	u64 us = div_u64(rep->now - mark->made_ns, NSEC_PER_USEC);
	u32 bytes = rep->reports - mark->reports;

	if (us <= interval_us)
		return bytes;
	return div64_u64((u64)bytes * interval_us, us);
}

static bool mptun_sample_take(const struct mptun_sample *s,
			      const struct mptun_sample_mark *mark,
			      const struct mptun_sample_report *rep,
			      struct mptun_rate_sample *out)
{
	s32 arrival_us = rep->arrival_us - mark->arrival_us;
	s32 delivered = (u32)rep->bytes - mark->bytes;
	s32 overtaken = mark->late - rep->late;
	s32 lost_packets = s->lost_packets - mark->lost_packets;
	s32 lost = s->lost - mark->lost;
	u64 us, bytes;

	delivered -= max(overtaken, 0);
	us = div_u64(rep->sent_ns - mark->sent_ns, NSEC_PER_USEC);
	if (arrival_us <= 0 || delivered <= 0 || us > U32_MAX)
		return false;

	out->interval_us = max_t(u32, arrival_us, us);
	bytes = (u64)delivered +
		mptun_sample_reports(mark, rep, out->interval_us);
	out->rate = div_u64(bytes * USEC_PER_SEC, out->interval_us);
	out->delivered = delivered;
	out->lost = max(lost, 0);
	out->lost_packets = max(lost_packets, 0);
	out->tx_in_flight = mark->in_flight;
	out->app_limited = mark->app_limited;
	return true;
}

/* Measures the rate of a burst, over a report's shortest pause or longer. */
static void mptun_sample_burst(struct mptun_sample *s,
			       const struct mptun_sample_report *rep)
{
	s32 bytes = (u32)rep->bytes - s->last_bytes;
	s32 us = rep->arrival_us - s->last_arrival_us;

	if (s->count && us >= 0 && us < (s32)MPTUN_RTT_REPORT_MIN_US)
		return;
	/* the first report has nothing to be compared with */
	if (s->count && us > 0 && bytes > 0)
		s->burst_rate = max(s->burst_rate,
				    div_u64(bytes * (u64)USEC_PER_SEC, us));
	s->last_arrival_us = rep->arrival_us;
	s->last_bytes = rep->bytes;
}

/* Makes a mark of a report if it is time. */
static void mptun_sample_make(struct mptun_sample *s,
			      const struct mptun_sample_report *rep)
{
	u64 pause = (u64)rep->srtt_us * NSEC_PER_USEC >> MPTUN_SAMPLE_RTT_SHIFT;

	if (s->count == MPTUN_SAMPLE_MARKS ||
	    (s->count && rep->now < mptun_sample_last(s)->made_ns + pause))
		return;
	s->count++;
	*mptun_sample_last(s) = (struct mptun_sample_mark){
		.next = rep->next,
		.sent_ns = rep->sent_ns,
		.arrival_us = rep->arrival_us,
		.bytes = rep->bytes,
		.late = rep->late,
		.lost = s->lost,
		.lost_packets = s->lost_packets,
		.reports = rep->reports,
		.made_ns = rep->now,
		.app_limited = s->bubble,
	};
}

/**
 * mptun_sample_report() - take a sample from a report
 * @s: the path's marks
 * @rep: what the report says; it newly acknowledges its largest number
 * @out: the sample
 *
 * To be called after mptun_sample_lost() for the same report.
 *
 * Return: true if there is a sample; there is none before the end of the first
 * round trip, and none in a report that was overtaken by another.
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
	mptun_sample_burst(s, rep);
	if (s->count) {
		mark = mptun_sample_last(s);
		mark->in_flight = max(mark->in_flight, rep->prior_in_flight);
	}
	/* the newest mark that the packet was sent after */
	while (s->count > 1 && mptun_sample_at(s, 1)->next <= rep->newest) {
		s->head = (s->head + 1) % MPTUN_SAMPLE_MARKS;
		s->count--;
	}
	mark = mptun_sample_at(s, 0);
	if (s->count && mark->next <= rep->newest)
		taken = mptun_sample_take(s, mark, rep, out);
	if (taken) {
		out->burst_rate = s->burst_rate;
		s->burst_rate = 0;
	}
	if (rep->newest >= s->bubble)
		s->bubble = 0;
	mptun_sample_make(s, rep);
	return taken;
}

/*
 * Delivery rate of one path.
 *
 * The model: a report says how many bytes had arrived when its newest packet
 * did, by the receiver's clock. The difference of two reports is what the path
 * delivered in that time, and neither lost reports nor the way back distort it.
 * A sample spans half a round trip at least, so that it is more than a burst.
 *
 * It shows the capacity of the path only if there was a queue: the round-trip
 * time is above the recent smallest. Without one the capacity is unknown, and
 * not needed, as packets arrive at once. (A rate taken from the few packets of
 * an idle path would make it look slow and keep it idle.) So a sample without a
 * queue, or one long enough to contain an idle time, resets the rate. Queues
 * come and go within a sample, so the largest of the last samples counts, as in
 * the bandwidth filter of BBR; it expires after one to two epochs.
 *
 * A path that had too little to send carries more than it shows: such a sample
 * may only raise a rate that is known, and belongs to no epoch. Jitter looks
 * like a queue, and the handshake of a flow over LTE made it look like a path
 * of 10 kbit/s.
 */

/* Shortest sample: timers and batches of a receiver blur less. */
#define MPTUN_RATE_MIN_US	10000U

/* A round-trip time shows a queue if it is above the smallest by 1/8 and by
 * more than the noise of timers and reports.
 */
#define MPTUN_RATE_QUEUE_SHIFT	3
#define MPTUN_RATE_QUEUE_US	2000U

/* Samples per epoch */
#define MPTUN_RATE_EPOCH	16U

/**
 * mptun_rate_init() - reset the rate of a path
 * @r: the path's figures
 */
void mptun_rate_init(struct mptun_rate *r)
{
	memset(r, 0, sizeof(*r));
}

/**
 * mptun_rate_get() - capacity of the path as seen
 * @r: the path's figures
 *
 * Return: bytes per second, 0 if unknown.
 */
u64 mptun_rate_get(const struct mptun_rate *r)
{
	return max(r->best[0], r->best[1]);
}

/**
 * mptun_rate_report() - take a sample from a report
 * @r: the path's figures
 * @bytes: bytes received so far
 * @arrival_us: receiver's time when the newest of them arrived
 * @rtt: round-trip time of the path
 * @limited: the path had too little to send
 */
void mptun_rate_report(struct mptun_rate *r, u64 bytes, u32 arrival_us,
		       const struct mptun_rtt *rtt, bool limited)
{
	u32 queued_us = rtt->min_us + max(rtt->min_us >> MPTUN_RATE_QUEUE_SHIFT,
					  MPTUN_RATE_QUEUE_US);
	u32 span = arrival_us - r->arrival_us;
	u64 amount = bytes - r->bytes;

	/* Reports can overtake each other. */
	if (r->valid && ((s32)span < 0 || (s64)amount < 0))
		return;
	if (r->valid && span < max(rtt->srtt_us / 2, MPTUN_RATE_MIN_US))
		return;
	if (span >= MPTUN_RATE_MAX_US || amount > U32_MAX || !rtt->valid ||
	    rtt->latest_us < queued_us) {
		mptun_rate_init(r);
	} else if (r->valid && (!limited || mptun_rate_get(r))) {
		if (!limited && ++r->samples > MPTUN_RATE_EPOCH) {
			r->best[1] = r->best[0];
			r->best[0] = 0;
			r->samples = 1;
		}
		r->best[0] = max(r->best[0],
				 div_u64(amount * USEC_PER_SEC, span));
	}
	r->bytes = bytes;
	r->arrival_us = arrival_us;
	r->valid = true;
}

/*
 * Queueing delay of one path in our direction.
 *
 * The model: a report says when its newest packet arrived, by the receiver's
 * clock. That time less the time of sending is the one-way delay plus an
 * unknown offset of the clocks. A queue raises the mean of the delay above its
 * recent smallest mean. Jitter changes single delays and not their mean, so the
 * smallest delay of all says nothing: with 20 ms of jitter every other packet
 * is 20 ms later than it.
 *
 * A round-trip time includes queues in both directions. For the sender of
 * acknowledgments it includes the queue of the download, on the way back, where
 * none of its packets are.
 *
 * Clocks drift apart by up to some 200 us per second, and routes become longer:
 * the smallest mean is that of the last 5 to 10 seconds, as for round-trip
 * times.
 */

/* The first samples are averaged; then the gain is 2^-n, as for the round-trip
 * time.
 */
#define MPTUN_ONEWAY_SHIFT	3
#define MPTUN_ONEWAY_SAMPLES	8U

/* For how long the smallest delay of a path without traffic is known, counted
 * from the start of its epoch: clocks drift apart by 12 ms in this time.
 */
#define MPTUN_ONEWAY_KEPT_NS	(60ULL * NSEC_PER_SEC)

static u32 mptun_oneway_mean_us(const struct mptun_oneway *o)
{
	return o->mean8_us >> MPTUN_ONEWAY_SHIFT;
}

/**
 * mptun_oneway_sample() - take a sample from the arrival of a packet
 * @o: delays of the path
 * @sent_ns: when it was sent
 * @arrival_us: receiver's time when it arrived
 * @now: time in ns
 */
void mptun_oneway_sample(struct mptun_oneway *o, u64 sent_ns, u32 arrival_us,
			 u64 now)
{
	u32 us = arrival_us - (u32)div_u64(sent_ns, NSEC_PER_USEC);
	u32 *least_us = o->least_us;
	u32 mean_us;
	s64 more;

	o->arrival_us = arrival_us;
	if (now >= o->epoch_ns + 2 * MPTUN_RTT_MIN_EPOCH_NS)
		o->samples = 0;
	if (o->samples < MPTUN_ONEWAY_SAMPLES)
		o->samples++;
	/* the difference of two delays, which wrap at 2^32 */
	more = (s32)(us - mptun_oneway_mean_us(o));
	more *= 1 << MPTUN_ONEWAY_SHIFT;
	o->mean8_us += div_s64(more, o->samples);
	mean_us = mptun_oneway_mean_us(o);
	if (o->samples < MPTUN_ONEWAY_SAMPLES) {
		least_us[0] = mean_us;
		least_us[1] = mean_us;
		o->epoch_ns = now;
	} else if (now >= o->epoch_ns + MPTUN_RTT_MIN_EPOCH_NS) {
		least_us[1] = least_us[0];
		least_us[0] = mean_us;
		o->epoch_ns = now;
	}
	if (mptun_seq_before(mean_us, least_us[0]))
		least_us[0] = mean_us;
}

static u32 mptun_oneway_least_us(const struct mptun_oneway *o)
{
	const u32 *least_us = o->least_us;

	return mptun_seq_before(least_us[0], least_us[1]) ? least_us[0] :
							    least_us[1];
}

/**
 * mptun_oneway_queue_us() - queueing delay in our direction
 * @o: delays of the path
 *
 * Return: smoothed, 0 before the first sample.
 */
u32 mptun_oneway_queue_us(const struct mptun_oneway *o)
{
	return min(mptun_oneway_mean_us(o) - mptun_oneway_least_us(o),
		   MPTUN_RTT_MAX_US);
}

/**
 * mptun_oneway_get() - get the delays of a path in our direction
 * @o: delays of the path
 * @now: time in ns
 * @d: filled in
 *
 * The newest packet left the queue its smallest delay before it arrived.  What
 * the path has delivered since then is still counted as in flight, but delays
 * no packet sent now.
 *
 * Return: true if there was a sample, and not long ago.
 */
bool mptun_oneway_get(const struct mptun_oneway *o, u64 now,
		      struct mptun_oneway_delays *d)
{
	u32 now_us = div_u64(now, NSEC_PER_USEC);

	d->least_us = mptun_oneway_least_us(o);
	d->queue_us = min(mptun_oneway_mean_us(o) - d->least_us,
			  MPTUN_RTT_MAX_US);
	d->since_us = max((s32)(now_us - (o->arrival_us - d->least_us)), 0);
	return o->samples && now < o->epoch_ns + MPTUN_ONEWAY_KEPT_NS;
}
