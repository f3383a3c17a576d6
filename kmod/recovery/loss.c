// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Loss detection on one path (RFC 9002, section 6).
 *
 * The model: a number is lost when a later one arrived and either enough others
 * were sent in between (packet threshold) or enough time passed (time
 * threshold). Both are monotonic in the number, as send times are. So the lost
 * packets are always the oldest ones outstanding, the search stops at the first
 * that is not lost, and the cursor @oldest passes each record only once.
 *
 * Reordering: a packet that arrives after a later one was acknowledged shows by
 * how many packets, and how late, this path reorders. If it had been declared
 * lost, the thresholds rise to what would have been right plus a margin, or
 * each new extreme would cost a spurious loss. They shrink by a quarter of the
 * excess after 16 round trips that did not need them (RFC 8985 keeps its window
 * for 16 recoveries), never below what these round trips showed. Records of
 * losses are kept for two probe timeouts, to learn from spurious ones.
 *
 * Persistent congestion (RFC 9002, section 7.6) is an unbroken run of losses
 * sent over more than three probe timeouts.
 */
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "recovery/sent.h"

static u32 mptun_sent_base_us(const struct mptun_rtt *rtt)
{
	return max(rtt->srtt_us, rtt->latest_us);
}

/**
 * mptun_sent_overtaken() - learn from a packet that arrived late
 * @s: the path's packets
 * @number: the packet
 * @age: time since it was sent in ns
 * @largest: a later packet that an earlier report acknowledged
 * @rtt: round-trip time of the path
 * @lost: it had been declared lost
 *
 * Computes the thresholds that would have waited for it.
 */
void mptun_sent_overtaken(struct mptun_sent *s, u64 number, u64 age,
			  u64 largest, const struct mptun_rtt *rtt, bool lost)
{
	u64 base = (u64)mptun_sent_base_us(rtt) * NSEC_PER_USEC;
	u64 eighths = div64_u64(age * 8, base) + 1;
	u64 packets = largest - number + 1;

	/* Margin for a packet that is slightly later. */
	packets += packets / MPTUN_SENT_MARGIN;
	eighths++;
	eighths = min_t(u64, eighths, MPTUN_SENT_EIGHTHS_MAX);
	packets = min_t(u64, packets, MPTUN_SENT_PACKETS_MAX);

	s->seen_packets = max_t(u32, s->seen_packets, packets);
	s->seen_eighths = max_t(u32, s->seen_eighths, eighths);
	if (lost) {
		s->threshold = max_t(u32, s->threshold, packets);
		s->eighths = max_t(u32, s->eighths, eighths);
	}
}

/* Shrinks the excess over @least by a quarter, rounded up. */
static u32 mptun_sent_shrink(u32 value, u32 least)
{
	return value > least ? value - (value - least + 3) / 4 : value;
}

/**
 * mptun_sent_calm() - count round trips and shrink thresholds
 * @s: the path's packets, some just acknowledged
 */
void mptun_sent_calm(struct mptun_sent *s)
{
	if (s->largest < s->round_end)
		return;
	s->round_end = s->next;
	if (++s->rounds < MPTUN_SENT_CALM_ROUNDS)
		return;

	s->threshold = mptun_sent_shrink(s->threshold,
					 max(s->seen_packets,
					     MPTUN_SENT_PACKETS_MIN));
	s->eighths = mptun_sent_shrink(s->eighths,
				       max(s->seen_eighths,
					   MPTUN_SENT_EIGHTHS_MIN));
	s->rounds = 0;
	s->seen_packets = 0;
	s->seen_eighths = 0;
}

/* Declares the oldest packet lost. */
static void mptun_sent_lose(struct mptun_sent *s, struct mptun_sent_slot *slot,
			    enum mptun_sent_state state,
			    struct mptun_sent_result *res)
{
	mptun_sent_unkeep(s, s->oldest, true);
	if (state == MPTUN_SENT_LOST)
		mptun_sent_doubt(s, slot);
	slot->state = state;
	s->in_flight -= slot->bytes;
	s->packets--;
	res->lost_packets++;
	res->lost_bytes += slot->bytes;
	res->newest_lost_ns = max(res->newest_lost_ns, slot->sent_ns);
}

/**
 * mptun_sent_report_delay_us() - extra delay of the report on the oldest packet
 * @s: the path's packets, at least one outstanding
 *
 * The peer delays reports on few bytes; a few more packets end that delay, as
 * each has dozens of bytes of headers.
 *
 * Return: microseconds beyond MPTUN_RTT_REPORT_MAX_US.
 */
u32 mptun_sent_report_delay_us(const struct mptun_sent *s)
{
	u64 first_ns = mptun_sent_slot(s, s->oldest)->sent_ns;
	const struct mptun_sent_slot *slot;
	u64 number, us;
	u32 bytes = 0;

	for (number = s->oldest; number < s->next; number++) {
		slot = mptun_sent_slot(s, number);
		bytes += slot->bytes;
		if (bytes < MPTUN_RTT_REPORT_LITTLE_BYTES)
			continue;
		us = div_u64(slot->sent_ns - first_ns, NSEC_PER_USEC);
		us = clamp_t(u64, us, MPTUN_RTT_REPORT_MAX_US,
			     MPTUN_RTT_REPORT_LITTLE_US);
		return us - MPTUN_RTT_REPORT_MAX_US;
	}
	return MPTUN_RTT_REPORT_LITTLE_US - MPTUN_RTT_REPORT_MAX_US;
}

/* Time at which the packet at @oldest is lost. An arrival outside this number
 * space may be reported before those within, so the delay of the peer is added.
 */
static u64 mptun_sent_due(const struct mptun_sent *s,
			  const struct mptun_sent_slot *slot,
			  const struct mptun_rtt *rtt)
{
	u64 delay_us = (u64)mptun_sent_base_us(rtt) * s->eighths / 8;

	delay_us = max_t(u64, delay_us, MPTUN_RTT_GRANULARITY_US);
	if (s->any && s->largest > s->oldest) {
		if (s->largest - s->oldest >= s->threshold)
			return 0;
	} else if (s->witness_ns > slot->sent_ns) {
		delay_us += MPTUN_RTT_REPORT_MAX_US +
			    mptun_sent_report_delay_us(s);
	} else {
		return U64_MAX;
	}
	return slot->sent_ns + delay_us * NSEC_PER_USEC;
}

/**
 * mptun_sent_find_lost() - advance @oldest over settled and lost packets
 * @s: the path's packets
 * @rtt: round-trip time of the path
 * @now: time in ns
 * @res: losses are added
 */
void mptun_sent_find_lost(struct mptun_sent *s, const struct mptun_rtt *rtt,
			  u64 now, struct mptun_sent_result *res)
{
	struct mptun_sent_slot *slot;
	bool counts;
	u64 limit;

	s->loss_ns = U64_MAX;
	while (s->oldest < s->next) {
		slot = mptun_sent_slot(s, s->oldest);
		if (slot->state == MPTUN_SENT_ACKED) {
			s->oldest = min(s->oldest + slot->run, s->next);
			s->run = false;
			continue;
		}
		s->loss_ns = mptun_sent_due(s, slot, rtt);
		if (s->loss_ns > now)
			return;
		mptun_sent_lose(s, slot, MPTUN_SENT_LOST, res);

		/* Before the first round-trip time there was no timeout. */
		counts = rtt->valid && slot->sent_ns > rtt->first_ns;
		limit = (u64)mptun_rtt_pto_us(rtt) * NSEC_PER_USEC *
			MPTUN_SENT_PERSISTENT_PTOS;
		if (counts && !s->run) {
			s->run = true;
			s->run_ns = slot->sent_ns;
		} else if (counts && slot->sent_ns - s->run_ns > limit) {
			res->persistent = true;
			s->run = false;
		}
		s->oldest++;
		s->loss_ns = U64_MAX;
	}
}

/**
 * mptun_sent_forget() - drop settled records, losses only after a while
 * @s: the path's packets
 * @rtt: round-trip time of the path
 * @now: time in ns
 */
void mptun_sent_forget(struct mptun_sent *s, const struct mptun_rtt *rtt,
		       u64 now)
{
	u64 keep = 2ULL * mptun_rtt_pto_us(rtt) * NSEC_PER_USEC;
	struct mptun_sent_slot *slot;

	while (s->first < s->oldest) {
		slot = mptun_sent_slot(s, s->first);
		if (slot->state == MPTUN_SENT_ACKED)
			s->first = min(s->first + slot->run, s->oldest);
		else if (mptun_sent_age(slot, now) >= keep)
			s->first++;
		else
			break;
	}
}

/**
 * mptun_sent_detect() - detect losses after time has passed
 * @s: the path's packets
 * @rtt: round-trip time of the path
 * @now: time in ns
 * @res: the losses
 *
 * To be called at mptun_sent_loss_deadline().
 */
void mptun_sent_detect(struct mptun_sent *s, const struct mptun_rtt *rtt,
		       u64 now, struct mptun_sent_result *res)
{
	mptun_sent_begin(s, res);
	mptun_sent_find_lost(s, rtt, now, res);
	mptun_sent_forget(s, rtt, now);
}

/**
 * mptun_sent_witness() - detect losses after another packet on this path
 *	arrived
 * @s: the path's packets
 * @rtt: round-trip time of the path
 * @sent_ns: send time of that packet, for example a probe just answered
 * @now: time in ns
 * @res: the losses
 *
 * The last packets of a burst have no later ones that could prove their loss,
 * and probes have a number space of their own: without this a lost tail would
 * stay in flight for ever.
 */
void mptun_sent_witness(struct mptun_sent *s, const struct mptun_rtt *rtt,
			u64 sent_ns, u64 now, struct mptun_sent_result *res)
{
	mptun_sent_begin(s, res);
	s->witness_ns = max(s->witness_ns, sent_ns);
	s->progress_ns = max(s->progress_ns, now);
	mptun_sent_find_lost(s, rtt, now, res);
	/* Later losses do not belong to the same run. */
	s->run = false;
	mptun_sent_forget(s, rtt, now);
}

/**
 * mptun_sent_abandon() - declare all outstanding packets lost after the path
 *	died
 * @s: the path's packets
 * @res: the losses
 */
void mptun_sent_abandon(struct mptun_sent *s, struct mptun_sent_result *res)
{
	struct mptun_sent_slot *slot;

	mptun_sent_begin(s, res);
	for (; s->oldest < s->next; s->oldest++) {
		slot = mptun_sent_slot(s, s->oldest);
		if (slot->state == MPTUN_SENT_OUT)
			mptun_sent_lose(s, slot, MPTUN_SENT_ABANDONED, res);
	}
	s->loss_ns = U64_MAX;
	s->run = false;
}

