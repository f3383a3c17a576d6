// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Packets of a path that are kept for retransmission.
 *
 * The model: a record can have an skb that contains all that is needed to send
 * the packet again. The skb is stored in a separate ring, by the number of the
 * packet, until the packet is acknowledged or lost, or may be lost. Then it
 * moves to one of two lists, from which the owner of the path takes it.
 *
 * The packets of a run share one skb, as few of them are ever lost. A lost one
 * gets an skb of its own; the shared one is freed with the last packet.
 *
 * A retransmission has a new number and an old data sequence number (dsn). So
 * the oldest packet alone no longer determines which dsns of the path are
 * settled. Retransmissions are collected in two sets: those of the second count
 * once all of the first are settled. That reports up to a round trip late, and
 * needs neither memory nor a search.
 */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/log2.h>

#include "base/seq.h"
#include "recovery/sent.h"

#define MPTUN_SENT_KEPT_SHIFT	ilog2(sizeof(struct sk_buff *))

static struct mptun_kept *mptun_kept_of(const struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct mptun_kept) > sizeof(skb->cb));
	return (struct mptun_kept *)skb->cb;
}

/**
 * mptun_sent_can_keep() - make the ring for what is kept
 * @s: the path's packets
 *
 * It is as large as that of the records.
 *
 * Return: true if mptun_sent_keep() may be called; false without memory.
 */
bool mptun_sent_can_keep(struct mptun_sent *s)
{
	return s->kept.chunks ||
	       !mptun_ring_init_like(&s->kept, MPTUN_SENT_KEPT_SHIFT, &s->ring,
				     GFP_ATOMIC | __GFP_NOWARN);
}

/**
 * mptun_sent_keep() - keep an skb of one or more packets
 * @s: the path's packets; mptun_sent_can_keep() has returned true
 * @first: the first packet; all are outstanding
 * @packets: number of packets with numbers from @first on
 * @skb: what to keep; &struct mptun_kept begins its control block
 */
void mptun_sent_keep(struct mptun_sent *s, u64 first, u16 packets,
		     struct sk_buff *skb)
{
	struct sk_buff **kept;
	u16 i;

	*mptun_kept_of(skb) = (struct mptun_kept){
		.first = first,
		.packets = packets,
		.left = packets,
	};
	for (i = 0; i < packets; i++) {
		kept = mptun_ring_slot(&s->kept, first + i);
		*kept = skb;
	}
}

/**
 * mptun_sent_unkeep() - no longer keep a packet
 * @s: the path's packets
 * @number: the packet
 * @lost: it is to be retransmitted
 */
void mptun_sent_unkeep(struct mptun_sent *s, u64 number, bool lost)
{
	struct sk_buff **kept, *skb, *part;
	struct mptun_kept *k;

	if (!s->kept.chunks)
		return;
	kept = mptun_ring_slot(&s->kept, number);
	skb = *kept;
	if (!skb)
		return;
	*kept = NULL;
	k = mptun_kept_of(skb);
	if (lost && k->packets > 1) {
		part = s->part(s, skb, (u32)number - k->first);
		if (part)
			__skb_queue_tail(&s->lost, part);
		lost = false;
	}
	if (!--k->left)
		__skb_queue_tail(lost ? &s->lost : &s->arrived, skb);
}

static void mptun_sent_unkeep_all(struct mptun_sent *s, bool lost)
{
	u64 number;

	if (!s->kept.chunks)
		return;
	for (number = s->oldest; number < s->next; number++)
		mptun_sent_unkeep(s, number, lost);
}

/**
 * mptun_sent_requeue() - queue everything outstanding for retransmission
 * @s: the path's packets
 *
 * The packets may still arrive, so they stay outstanding.
 */
void mptun_sent_requeue(struct mptun_sent *s)
{
	mptun_sent_unkeep_all(s, true);
}

/**
 * mptun_sent_discard() - keep nothing any more
 * @s: the path's packets
 *
 * All that was kept is in the list of what arrived.
 */
void mptun_sent_discard(struct mptun_sent *s)
{
	mptun_sent_unkeep_all(s, false);
}

/* Finds the record of a packet, also of a forgotten one whose slot is not
 * reused yet. A new slot is all zero.
 */
static const struct mptun_sent_slot *
mptun_sent_known(const struct mptun_sent *s, u64 number)
{
	const struct mptun_sent_slot *slot;

	if (number < s->start || number >= s->next ||
	    s->next - number > mptun_ring_size(&s->ring))
		return NULL;
	slot = mptun_sent_slot(s, number);
	return slot->sent_ns ? slot : NULL;
}

/**
 * mptun_sent_has_arrived() - test whether a packet is known to have arrived
 * @s: the path's packets
 * @number: the packet
 *
 * Return: true if it was acknowledged; false if it was not, or if its record is
 * gone.
 */
bool mptun_sent_has_arrived(const struct mptun_sent *s, u64 number)
{
	const struct mptun_sent_slot *slot = mptun_sent_known(s, number);

	return slot && slot->state == MPTUN_SENT_ACKED;
}

/**
 * mptun_sent_outstanding() - test whether a packet is outstanding
 * @s: the path's packets
 * @number: the packet
 *
 * Return: true if it was neither acknowledged nor given up.
 */
bool mptun_sent_outstanding(const struct mptun_sent *s, u64 number)
{
	const struct mptun_sent_slot *slot = mptun_sent_known(s, number);

	return slot && slot->state == MPTUN_SENT_OUT;
}

/**
 * mptun_sent_retransmitted() - record the newest packet as a retransmission
 * @s: the path's packets
 * @dsn: its data sequence number
 */
void mptun_sent_retransmitted(struct mptun_sent *s, u32 dsn)
{
	struct mptun_sent_rtx *rtx = &s->rtx[!!s->rtx[0].any];

	if (!rtx->any || mptun_seq_before(dsn, rtx->dsn))
		rtx->dsn = dsn;
	rtx->last = s->next - 1;
	rtx->any = true;
}

/**
 * mptun_sent_oldest_dsn() - dsn of the oldest packet outstanding
 * @s: the path's packets
 * @dsn: set if there is one
 *
 * The dsns of a path rise with its numbers, except for retransmissions.
 *
 * Return: true if a packet is outstanding; then no dsn outstanding on this path
 * is lower, though @dsn itself may be settled.
 */
bool mptun_sent_oldest_dsn(struct mptun_sent *s, u32 *dsn)
{
	struct mptun_sent_rtx *rtx = s->rtx;
	unsigned int i;

	if (!s->packets)
		return false;
	*dsn = mptun_sent_slot(s, s->oldest)->dsn;
	while (rtx[0].any && rtx[0].last < s->oldest) {
		rtx[0] = rtx[1];
		rtx[1].any = false;
	}
	for (i = 0; i < ARRAY_SIZE(s->rtx) && rtx[i].any; i++)
		if (mptun_seq_before(rtx[i].dsn, *dsn))
			*dsn = rtx[i].dsn;
	return true;
}
