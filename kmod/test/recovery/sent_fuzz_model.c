// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * A naive model of the records of a path: what is lost, what has arrived.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "test/recovery/sent_fuzz.h"

/* The oldest outstanding packet, or the next one to be sent. */
u64 mptun_fuzz_oldest(struct mptun_fuzz *f)
{
	u64 i;

	for (i = f->low; i < f->next; i++)
		if (mptun_fuzz_packet(f, i)->state == MPTUN_FUZZ_OUT)
			break;
	return i;
}

/* Longest time the peer holds the report on a packet. */
static u64 mptun_fuzz_kept_us(struct mptun_fuzz *f, u64 number)
{
	u64 sent_ns = mptun_fuzz_packet(f, number)->sent_ns;
	u64 until_ns = sent_ns + MPTUN_RTT_REPORT_LITTLE_US * NSEC_PER_USEC;
	struct mptun_fuzz_packet *p;
	u32 bytes = 0;
	u64 i;

	for (i = number; i < f->next; i++) {
		p = mptun_fuzz_packet(f, i);
		bytes += p->bytes;
		if (bytes >= MPTUN_RTT_REPORT_LITTLE_BYTES) {
			until_ns = min(until_ns, p->sent_ns);
			break;
		}
	}
	return max_t(u64, div_u64(until_ns - sent_ns, NSEC_PER_USEC),
		     MPTUN_RTT_REPORT_MAX_US);
}

u64 mptun_fuzz_due(struct mptun_fuzz *f, u64 number,
		   const struct mptun_fuzz_packet *p)
{
	u64 us = max(f->rtt.srtt_us, f->rtt.latest_us);

	us = max(us * f->s.eighths / 8, (u64)MPTUN_RTT_GRANULARITY_US);
	if (f->any && number < f->largest)
		return f->largest - number >= f->s.threshold ?
		       0 : p->sent_ns + us * (u64)NSEC_PER_USEC;
	if (p->sent_ns < f->witness_ns) {
		us += mptun_fuzz_kept_us(f, number);
		return p->sent_ns + us * (u64)NSEC_PER_USEC;
	}
	return U64_MAX;
}

void mptun_fuzz_model_lose(struct mptun_fuzz *f, struct mptun_fuzz_packet *p)
{
	p->state = MPTUN_FUZZ_LOST;
	f->want.lost_packets++;
	f->want.lost_bytes += p->bytes;
	f->want.newest_lost_ns = max(f->want.newest_lost_ns, p->sent_ns);
	f->losses++;
}

void mptun_fuzz_model_detect(struct mptun_fuzz *f)
{
	struct mptun_fuzz_packet *p;
	u64 i;

	for (i = f->low; i < f->next; i++) {
		p = mptun_fuzz_packet(f, i);
		if (p->state == MPTUN_FUZZ_OUT &&
		    mptun_fuzz_due(f, i, p) <= f->now)
			mptun_fuzz_model_lose(f, p);
	}
}

void mptun_fuzz_model_arrived(struct mptun_fuzz *f, u64 number, u64 top)
{
	struct mptun_fuzz_packet *p = mptun_fuzz_packet(f, number);

	if (p->state == MPTUN_FUZZ_ACKED)
		return;
	if (f->any && number < f->largest && number != top &&
	    p->state != MPTUN_FUZZ_ABANDONED) {
		f->want.overtaken++;
		f->want.overtaken_ns += f->now - p->sent_ns;
	}
	if (p->state == MPTUN_FUZZ_OUT) {
		f->want.acked_packets++;
		f->want.acked_bytes += p->bytes;
	} else {
		f->want.spurious++;
		f->want.spurious_bytes += p->bytes;
		f->late++;
	}
	p->state = MPTUN_FUZZ_ACKED;
	f->want.newest_acked_ns = max(f->want.newest_acked_ns, p->sent_ns);
	if (number == top) {
		f->want.rtt_valid = true;
		f->want.rtt_us = div_u64(f->now - p->sent_ns, NSEC_PER_USEC);
	}
}

/* Tests whether a report of the path itself is its first one about a number
 * that was acknowledged before.  Returns how long the receiver held the report.
 */
u32 mptun_fuzz_model_time(struct mptun_fuzz *f, u64 top,
			  const struct mptun_sent_origin *from)
{
	u32 held = from->arrival_us + from->delay_us - f->other_us;
	u64 other_ns = f->other_ns;

	if (!from->same_path) {
		if (f->want.rtt_valid && !other_ns) {
			f->other_acked = top;
			f->other_ns = f->now -
				     f->want.rtt_us * (u64)NSEC_PER_USEC;
			f->other_us = from->arrival_us;
		}
		return 0;
	}
	if (top >= f->other_acked)
		f->other_ns = 0;
	f->want.timed = f->want.rtt_valid;
	if (f->want.timed || !other_ns || f->other_ns || top == U64_MAX ||
	    held > MPTUN_RTT_REPORT_LITTLE_US)
		return from->delay_us;
	f->want.timed = true;
	f->want.rtt_us = div_u64(f->now - other_ns, NSEC_PER_USEC);
	return held;
}

/* The mean of the timed packet and of those that were overtaken */
void mptun_fuzz_model_sample(struct mptun_fuzz *f, bool same_path, u32 delay)
{
	u64 us = div_u64(f->want.overtaken_ns, NSEC_PER_USEC) +
		 (f->want.timed ? f->want.rtt_us : 0);
	u32 n = f->want.overtaken + f->want.timed;

	if (!same_path || !n)
		return;
	mptun_rtt_sample(&f->model_rtt, div_u64(us, n),
			 f->want.timed ? delay / n : 0, f->now);
	f->want.timed = true;
}
