/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Packets in flight on one path, their acknowledgment and loss.
 */
#ifndef _MPTUN_SENT_H
#define _MPTUN_SENT_H

#include <linux/build_bug.h>
#include <linux/skbuff.h>
#include <linux/string.h>
#include <linux/types.h>

#include "base/ring.h"
#include "recovery/rtt.h"
#include "wire/parse.h"

/* Largest number of records of one path */
#define MPTUN_SENT_MAX			65536U

/* A packet is lost when this many later ones arrived (kPacketThreshold of RFC
 * 9002); late arrivals raise the threshold up to the maximum.
 */
#define MPTUN_SENT_PACKETS_MIN		3U
#define MPTUN_SENT_PACKETS_MAX		1024U

/* Margin on what late arrivals prove: a quarter for packets, and 1/8 of the
 * round-trip time.
 */
#define MPTUN_SENT_MARGIN		4U

/* A packet is also lost when a later one arrived and its age exceeds this many
 * eighths of the round-trip time (kTimeThreshold of RFC 9002 is 9/8); late
 * arrivals raise the threshold up to the two round-trip times of RFC 8985.
 */
#define MPTUN_SENT_EIGHTHS_MIN		9U
#define MPTUN_SENT_EIGHTHS_MAX		16U

/* Thresholds shrink by a quarter of their excess per this many round trips that
 * did not need them.
 */
#define MPTUN_SENT_CALM_ROUNDS		16U

/* Longest time covered by losses without persistent congestion, in probe
 * timeouts (kPersistentCongestionThreshold of RFC 9002).
 */
#define MPTUN_SENT_PERSISTENT_PTOS	3U

struct mptun_sent;

/**
 * typedef mptun_sent_part_t - makes an skb of one packet
 * @s: the path's packets
 * @skb: an skb kept of several packets
 * @i: index of the packet
 *
 * Return: the skb, or NULL: then the packet is not retransmitted.
 */
typedef struct sk_buff *(*mptun_sent_part_t)(struct mptun_sent *s,
					     const struct sk_buff *skb, u32 i);

/**
 * struct mptun_kept - start of the control block of an skb that is kept
 * @first: number of its first packet, the low bits
 * @packets: number of its packets
 * @left: those that are still kept
 */
struct mptun_kept {
	u32 first;
	u16 packets;
	u16 left;
};

/**
 * struct mptun_sent_rtx - a set of retransmissions that may be outstanding
 * @last: their highest number
 * @dsn: their lowest data sequence number
 * @any: the set is not empty
 */
struct mptun_sent_rtx {
	u64 last;
	u32 dsn;
	bool any;
};

/**
 * struct mptun_sent - the data packets of one path that still matter
 * @ring: a record for each number of [@first, @next)
 * @start: first number of this number space
 * @first: lowest number with a record
 * @oldest: lowest number outstanding, @next if none
 * @next: number of the next packet
 * @limited: packets below this number were followed by a full window
 * @outage: those below it were settled when the path was last silent; set by
 *	the owner
 * @largest: highest number acknowledged so far
 * @other_acked: number first acknowledged by a report of another path
 * @other_ns: when its packet was sent, if @other_first
 * @other_us: receiver's time when its packet arrived
 * @other_in_flight: bytes outstanding before that report
 * @other_first: no report of this path has acknowledged @other_acked yet
 * @any: there was an acknowledgment
 * @in_flight: bytes outstanding
 * @packets: packets outstanding
 * @last_ns: when the newest packet was sent
 * @progress_ns: when a new acknowledgment last arrived
 * @witness_ns: send time of the newest packet outside this number space that
 *	arrived
 * @loss_ns: when the oldest packet outstanding is due to be lost
 * @threshold: packet threshold in force
 * @eighths: time threshold in force, in eighths of the round-trip time
 * @seen_packets: largest overtaking of this calm period, in packets
 * @seen_eighths: largest age of an overtaken packet in this calm period
 * @rounds: round trips of this calm period
 * @round_end: the round trip ends when this number is acknowledged
 * @doubt: size of a lost packet; no later packet of at least that size has
 *	arrived yet; 0 if there is none
 * @doubt_ns: when it was sent
 * @run_ns: send time of the first packet of the present run of losses
 * @run: there is such a run
 * @kept: skbs kept of outstanding packets, for each number in @ring; without
 *	memory until one is kept
 * @part: makes an skb of one packet of an skb kept of several; set by the owner
 * @arrived: skbs of which no packet is outstanding any more, for the owner to
 *	free
 * @lost: skbs of one packet each, lost since, oldest first, for the owner to
 *	retransmit
 * @rtx: outstanding retransmissions, in two sets by their numbers
 */
struct mptun_sent {
	struct mptun_ring ring;
	u64 start;
	u64 first;
	u64 oldest;
	u64 next;
	u64 limited;
	u64 outage;
	u64 largest;
	u64 other_acked;
	u64 other_ns;
	u32 other_us;
	u32 other_in_flight;
	bool other_first;
	bool any;

	u32 in_flight;
	u32 packets;

	u64 last_ns;
	u64 progress_ns;
	u64 witness_ns;
	u64 loss_ns;

	/* Reordering seen on the path */
	u32 threshold;
	u32 eighths;
	u32 seen_packets;
	u32 seen_eighths;
	u32 rounds;
	u64 round_end;

	/* Sizes that get lost (recovery/pmtu.c) */
	u32 doubt;
	u64 doubt_ns;

	/* Persistent congestion */
	u64 run_ns;
	bool run;

	/* Retransmission */
	struct mptun_ring kept;
	mptun_sent_part_t part;
	struct sk_buff_head arrived;
	struct sk_buff_head lost;
	struct mptun_sent_rtx rtx[2];
};

/**
 * struct mptun_sent_result - result of one call
 * @acked_packets: packets newly acknowledged, spurious losses not included
 * @acked_bytes: their bytes
 * @lost_packets: packets newly declared lost
 * @lost_bytes: their bytes
 * @spurious: packets declared lost earlier that arrived after all
 * @spurious_bytes: their bytes
 * @retracted: those of @spurious that were lost since the last outage
 * @prior_in_flight: bytes outstanding before
 * @rtt_us: age of the largest number of the report, if @rtt_valid; else of a
 *	number first acknowledged by a report of another path, if this is the
 *	first of its own; else 0
 * @rtt_in_flight: bytes outstanding before the first report of that number, if
 *	@timed
 * @overtaken: packets that arrived after a later one had been acknowledged,
 *	except for the largest number of the report
 * @overtaken_ns: sum of their ages
 * @newest_acked_ns: send time of the newest packet newly acknowledged, spurious
 *	losses included; 0 if none
 * @newest_lost_ns: send time of the newest packet newly lost, 0 if none
 * @rtt_valid: the largest number of the report was newly acknowledged
 * @timed: the round-trip time of the path has taken a sample
 * @window_limited: packets newly acknowledged were sent in a full window
 * @persistent: the losses prove persistent congestion
 */
struct mptun_sent_result {
	u32 acked_packets;
	u32 acked_bytes;
	u32 lost_packets;
	u32 lost_bytes;
	u32 spurious;
	u32 spurious_bytes;
	u32 retracted;
	u32 prior_in_flight;
	u32 rtt_us;
	u32 rtt_in_flight;
	u32 overtaken;
	u64 overtaken_ns;
	u64 newest_acked_ns;
	u64 newest_lost_ns;
	bool rtt_valid;
	bool timed;
	bool window_limited;
	bool persistent;
};

/**
 * struct mptun_sent_origin - where a report comes from
 * @arrival_us: receiver's time when the largest number arrived
 * @delay_us: how much later the report left
 * @same_path: it came back on the same path; only then are the ages of its
 *	packets round-trip times of this path
 */
struct mptun_sent_origin {
	u32 arrival_us;
	u32 delay_us;
	bool same_path;
};

int mptun_sent_init(struct mptun_sent *s);
void mptun_sent_limit(struct mptun_sent *s, struct mptun_pool *pool);
void mptun_sent_destroy(struct mptun_sent *s);
void mptun_sent_reset(struct mptun_sent *s, u64 first);
bool mptun_sent_can_add(struct mptun_sent *s);
u64 mptun_sent_add(struct mptun_sent *s, u32 dsn, u32 bytes, u64 now);
int mptun_sent_ack(struct mptun_sent *s, const struct mptun_ack_span *spans,
		   unsigned int n, u64 now, struct mptun_rtt *rtt,
		   const struct mptun_sent_origin *from,
		   struct mptun_sent_result *res);
void mptun_sent_detect(struct mptun_sent *s, const struct mptun_rtt *rtt,
		       u64 now, struct mptun_sent_result *res);
void mptun_sent_witness(struct mptun_sent *s, const struct mptun_rtt *rtt,
			u64 sent_ns, u64 now, struct mptun_sent_result *res);
void mptun_sent_abandon(struct mptun_sent *s, struct mptun_sent_result *res);
void mptun_sent_silent(struct mptun_sent *s);
u64 mptun_sent_pto_deadline(const struct mptun_sent *s,
			    const struct mptun_rtt *rtt);
void mptun_sent_idle(struct mptun_sent *s);

/* recovery/rtx.c */
bool mptun_sent_can_keep(struct mptun_sent *s);
void mptun_sent_keep(struct mptun_sent *s, u64 first, u16 packets,
		     struct sk_buff *skb);
void mptun_sent_requeue(struct mptun_sent *s);
void mptun_sent_discard(struct mptun_sent *s);
void mptun_sent_retransmitted(struct mptun_sent *s, u32 dsn);
bool mptun_sent_oldest_dsn(struct mptun_sent *s, u32 *dsn);
bool mptun_sent_has_arrived(const struct mptun_sent *s, u64 number);
bool mptun_sent_outstanding(const struct mptun_sent *s, u64 number);

/**
 * mptun_sent_limited() - record that the window is full while data waits
 * @s: the path's packets
 *
 * To be called whenever the path was refused for lack of window: what was sent
 * so far counts as sent by a window-limited sender.
 */
static inline void mptun_sent_limited(struct mptun_sent *s)
{
	s->limited = s->next;
}

/**
 * mptun_sent_floor() - lowest number the receiver has to remember
 * @s: the path's packets
 *
 * Return: lowest number that is still of interest.
 */
static inline u64 mptun_sent_floor(const struct mptun_sent *s)
{
	return s->first;
}

/**
 * mptun_sent_late() - number of overtaken packets that may still arrive
 * @s: the path's packets; there was an acknowledgment
 *
 * Return: packets outstanding below the largest number acknowledged.
 */
static inline u32 mptun_sent_late(const struct mptun_sent *s)
{
	u64 above = s->next - 1 - s->largest;

	/* Some of those above may have been given up. */
	return s->packets > above ? s->packets - above : 0;
}

/**
 * mptun_sent_loss_deadline() - time to call mptun_sent_detect()
 * @s: the path's packets
 *
 * Return: time in ns at which the oldest packet is due to be declared lost,
 * U64_MAX if none is.
 */
static inline u64 mptun_sent_loss_deadline(const struct mptun_sent *s)
{
	return s->loss_ns;
}

/* Records, shared by recovery/sent.c, recovery/loss.c and recovery/rtx.c */

/**
 * enum mptun_sent_state - state of a packet
 * @MPTUN_SENT_OUT: outstanding
 * @MPTUN_SENT_ACKED: acknowledged
 * @MPTUN_SENT_LOST: declared lost by a threshold
 * @MPTUN_SENT_ABANDONED: given up with its path; a later arrival says nothing
 *	about reordering
 */
enum mptun_sent_state {
	MPTUN_SENT_OUT,
	MPTUN_SENT_ACKED,
	MPTUN_SENT_LOST,
	MPTUN_SENT_ABANDONED,
};

/**
 * struct mptun_sent_slot - record of a packet
 * @sent_ns: when it was sent
 * @dsn: its data sequence number, until acknowledged
 * @run: length of the run of acknowledged numbers from this one on
 * @bytes: its size
 * @state: &enum mptun_sent_state
 */
struct mptun_sent_slot {
	u64 sent_ns;
	union {
		u32 dsn;
		u32 run;
	};
	u16 bytes;
	u8 state;
};

#define MPTUN_SENT_SLOT_SHIFT	4
#define MPTUN_SENT_CHUNK_SHIFT	7	/* log2, size of an idle path */
static_assert(sizeof(struct mptun_sent_slot) == 1 << MPTUN_SENT_SLOT_SHIFT);

static inline struct mptun_sent_slot *
mptun_sent_slot(const struct mptun_sent *s, u64 number)
{
	return mptun_ring_slot(&s->ring, number);
}

/* Remembers a packet that is lost, or seems to be. */
static inline void mptun_sent_doubt(struct mptun_sent *s,
				    const struct mptun_sent_slot *slot)
{
	if (slot->bytes < s->doubt)
		return;
	s->doubt = slot->bytes;
	s->doubt_ns = slot->sent_ns;
}

static inline u64 mptun_sent_age(const struct mptun_sent_slot *slot, u64 now)
{
	return now > slot->sent_ns ? now - slot->sent_ns : 0;
}

static inline void mptun_sent_begin(const struct mptun_sent *s,
				    struct mptun_sent_result *res)
{
	memset(res, 0, sizeof(*res));
	res->prior_in_flight = s->in_flight;
}

void mptun_sent_overtaken(struct mptun_sent *s, u64 number, u64 age,
			  u64 largest, const struct mptun_rtt *rtt, bool lost);
void mptun_sent_calm(struct mptun_sent *s);
u32 mptun_sent_report_delay_us(const struct mptun_sent *s);
void mptun_sent_find_lost(struct mptun_sent *s, const struct mptun_rtt *rtt,
			  u64 now, struct mptun_sent_result *res);
void mptun_sent_forget(struct mptun_sent *s, const struct mptun_rtt *rtt,
		       u64 now);

void mptun_sent_unkeep(struct mptun_sent *s, u64 number, bool lost);

#endif /* _MPTUN_SENT_H */
