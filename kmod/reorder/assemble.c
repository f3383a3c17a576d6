// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Reassembly of inner packets that arrive in fragments.
 *
 * It follows the reorder buffer: a duplicate never comes here, and fragments
 * come in order unless one is late or their class wants no order.  The data
 * sequence numbers of the fragments are consecutive, and that of the first one
 * names the packet.
 *
 * The number of incomplete packets is fixed, and each waits for a limited time:
 * if all slots are in use the oldest packet is dropped.
 */
#include <linux/skbuff.h>

#include "reorder/assemble.h"

static void mptun_assemble_free(struct mptun_assemble *a,
				struct mptun_assemble_slot *slot,
				struct sk_buff_head *to)
{
	unsigned int i;

	for (i = 0; i < slot->count; i++) {
		if (!slot->piece[i])
			continue;
		a->bytes -= slot->piece[i]->truesize;
		__skb_queue_tail(to, slot->piece[i]);
		slot->piece[i] = NULL;
	}
	slot->count = 0;
	slot->have = 0;
	a->used--;
}

/**
 * mptun_assemble_expire() - drop packets that have waited too long
 * @a: the incomplete packets
 * @now: time in ns
 * @dropped: receives their fragments
 */
void mptun_assemble_expire(struct mptun_assemble *a, u64 now,
			   struct sk_buff_head *dropped)
{
	struct mptun_assemble_slot *slot;

	if (!a->used)
		return;
	for (slot = a->slot; slot < a->slot + MPTUN_ASSEMBLE_SLOTS; slot++)
		if (slot->count && now >= slot->since_ns + MPTUN_ASSEMBLE_NS)
			mptun_assemble_free(a, slot, dropped);
}

/**
 * mptun_assemble_flush() - drop all packets
 * @a: the incomplete packets
 * @dropped: receives their fragments
 */
void mptun_assemble_flush(struct mptun_assemble *a,
			  struct sk_buff_head *dropped)
{
	struct mptun_assemble_slot *slot;

	for (slot = a->slot; slot < a->slot + MPTUN_ASSEMBLE_SLOTS; slot++)
		if (slot->count)
			mptun_assemble_free(a, slot, dropped);
}

/* Returns a free slot: if there is none, that of the oldest packet. */
static struct mptun_assemble_slot *
mptun_assemble_new(struct mptun_assemble *a, struct sk_buff_head *dropped)
{
	struct mptun_assemble_slot *slot, *oldest = a->slot;

	for (slot = a->slot; slot < a->slot + MPTUN_ASSEMBLE_SLOTS; slot++) {
		if (!slot->count)
			goto found;
		if (slot->since_ns < oldest->since_ns)
			oldest = slot;
	}
	slot = oldest;
	mptun_assemble_free(a, slot, dropped);
found:
	a->used++;
	return slot;
}

/**
 * mptun_assemble_add() - add a fragment
 * @a: the incomplete packets
 * @dsn: its data sequence number
 * @frag: its header, checked by mptun_parse_frag()
 * @skb: the fragment; consumed
 * @now: time in ns
 * @whole: receives all fragments of the packet, in order, if it is complete
 * @dropped: receives fragments to be dropped
 *
 * Return: true if the packet is complete.
 */
bool mptun_assemble_add(struct mptun_assemble *a, u32 dsn,
			const struct mptun_frag *frag, struct sk_buff *skb,
			u64 now, struct sk_buff_head *whole,
			struct sk_buff_head *dropped)
{
	struct mptun_assemble_slot *slot, *end = a->slot + MPTUN_ASSEMBLE_SLOTS;
	u32 first = dsn - frag->index;
	u16 len = be16_to_cpu(frag->len);

	mptun_assemble_expire(a, now, dropped);
	for (slot = a->used ? a->slot : end; slot < end; slot++)
		if (slot->count && slot->first == first)
			break;
	if (slot == end) {
		slot = mptun_assemble_new(a, dropped);
		slot->since_ns = now;
		slot->first = first;
		slot->len = len;
		slot->count = frag->count;
	}
	if (slot->count != frag->count || slot->len != len ||
	    slot->piece[frag->index]) {
		__skb_queue_tail(dropped, skb);
		return false;
	}
	slot->piece[frag->index] = skb;
	a->bytes += skb->truesize;
	if (++slot->have < slot->count)
		return false;
	mptun_assemble_free(a, slot, whole);
	return true;
}
