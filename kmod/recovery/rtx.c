// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Packets of a path that are kept for retransmission.
 *
 * The model: a record can have an skb, with all it takes to send the packet
 * again. It is stored in a ring of its own, by the number of the packet, until
 * the packet is acknowledged or lost, or may be lost. Then it moves to one of
 * two lists, for the owner of the path to take.
 *
 * A retransmission has a new number and an old data sequence number (dsn). So
 * the oldest packet alone no longer determines which dsns of the path are
 * settled. Retransmissions are collected in two sets: those of the second count
 * once all of the first are settled. That reports up to a round trip late, and
 * needs neither memory nor a search.
 */
#include <linux/errno.h>
#include <linux/log2.h>

#include "base/seq.h"
#include "recovery/sent.h"

#define MPTUN_SENT_KEPT_SHIFT	ilog2(sizeof(struct sk_buff *))

static struct sk_buff **mptun_sent_kept(const struct mptun_sent *s, u64 number)
{
	return mptun_ring_slot(&s->kept, number);
}

/**
 * mptun_sent_kept_grow() - grow before the ring of records is doubled
 * @s: the path's packets
 *
 * Return: 0, or -ENOMEM.
 */
int mptun_sent_kept_grow(struct mptun_sent *s)
{
	if (!s->kept.chunks ||
	    mptun_ring_size(&s->kept) > mptun_ring_size(&s->ring))
		return 0;
	return mptun_ring_grow(&s->kept, s->first, GFP_ATOMIC);
}

/**
 * mptun_sent_keep() - keep an skb of a packet
 * @s: the path's packets
 * @number: the packet, which is outstanding
 * @skb: what to keep
 *
 * The first one makes the ring, as large as that of the records.
 *
 * Return: true if @s has taken over @skb; false if there is no memory.
 */
bool mptun_sent_keep(struct mptun_sent *s, u64 number, struct sk_buff *skb)
{
	struct mptun_ring *kept = &s->kept;
	int err = 0;

	if (!kept->chunks) {
		err = mptun_ring_init(kept, MPTUN_SENT_KEPT_SHIFT,
				      MPTUN_SENT_CHUNK_SHIFT,
				      GFP_ATOMIC | __GFP_NOWARN);
		while (!err &&
		       mptun_ring_size(kept) < mptun_ring_size(&s->ring))
			err = mptun_ring_grow(kept, s->first, GFP_ATOMIC);
	}
	if (err) {
		mptun_ring_destroy(kept);
		return false;
	}
	*mptun_sent_kept(s, number) = skb;
	return true;
}

/**
 * mptun_sent_unkeep() - move the skb kept of a packet to a list
 * @s: the path's packets
 * @number: the packet
 * @list: where to append it
 */
void mptun_sent_unkeep(struct mptun_sent *s, u64 number,
		       struct sk_buff_head *list)
{
	struct sk_buff **kept;

	if (!s->kept.chunks)
		return;
	kept = mptun_sent_kept(s, number);
	if (*kept)
		__skb_queue_tail(list, *kept);
	*kept = NULL;
}

/**
 * mptun_sent_requeue() - queue everything outstanding for retransmission
 * @s: the path's packets
 *
 * The packets may still arrive, so they stay outstanding.
 */
void mptun_sent_requeue(struct mptun_sent *s)
{
	u64 number;

	if (!s->kept.chunks)
		return;
	for (number = s->oldest; number < s->next; number++)
		mptun_sent_unkeep(s, number, &s->lost);
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
