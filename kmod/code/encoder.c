// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Encoder: packets in, repair symbols out.
 *
 * A repair symbol is the sum of the packets of a window, each multiplied by a
 * coefficient, see Documentation/coding.rst.  Packets are not kept: the next
 * symbols are sums in progress, and each packet is added to all of them as it
 * passes.
 *
 * Each packet earns a credit, the overhead.  A symbol is due when the credit
 * reaches one, and its sum begins a window earlier.  So there are as many sums
 * as symbols are due within a window: the window times the overhead.  The
 * oldest one is sent.  A change of the overhead takes effect at once: if it
 * grows, the next symbols are due earlier, and cover less until the sums that
 * begin now take their turn.
 *
 * Few symbols follow the last packets of a burst.  When the owner of the
 * encoder finishes a burst, symbols may be sent on credit, within the
 * overdraft, and the next packets pay for them.  So the overhead does not
 * depend on the length of bursts.  If less than one symbol is due in a window,
 * there is a spare sum for this.
 *
 * Packets of dsns that are not coded take room in the map of a window, which
 * has MPTUN_REPAIR_SPAN dsns.  If there are many of them, sums begin later, so
 * that the map is sufficient.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "base/seq.h"
#include "code/encoder.h"
#include "code/memory.h"

/* Largest credit, as one that the owner cannot use now must not become a burst
 * later.
 */
#define MPTUN_ENCODER_CREDIT	(2 * (s32)MPTUN_ENCODER_ONE)

/**
 * mptun_encoder_init() - allocate an encoder
 * @e: the encoder
 * @config: what it is made for
 * @gfp: how to allocate
 *
 * It has an overhead of 0 until mptun_encoder_set().
 *
 * Return: 0 or -ENOMEM.
 */
int mptun_encoder_init(struct mptun_encoder *e,
		       const struct mptun_encoder_config *config, gfp_t gfp)
{
	unsigned int i;

	*e = (struct mptun_encoder){
		.field = config->field,
		.size = config->sums,
		.len = sizeof(struct mptun_symbol) + config->len,
		.seed = config->seed,
		.overdraft = config->overdraft,
		.idle_ns = config->idle_ns,
		.window = MPTUN_REPAIR_MEMBERS,
		.share = MPTUN_ENCODER_DENSE,
		.deadline = U64_MAX,
	};
	e->sum = mptun_code_alloc(e->size, sizeof(*e->sum), gfp);
	e->data = mptun_code_alloc(e->size, e->len, gfp);
	if (!e->sum || !e->data) {
		kvfree(e->sum);
		kvfree(e->data);
		return -ENOMEM;
	}
	for (i = 0; i < e->size; i++)
		e->sum[i].data = e->data + (size_t)i * e->len;
	return 0;
}

/**
 * mptun_encoder_destroy() - free an encoder
 * @e: the encoder
 */
void mptun_encoder_destroy(struct mptun_encoder *e)
{
	kvfree(e->sum);
	kvfree(e->data);
	e->sum = NULL;
	e->data = NULL;
	e->size = 0;
	e->open = 0;
}

/**
 * mptun_encoder_reset() - forget all packets
 * @e: the encoder
 *
 * For a pause after which the receiver no longer wants what was before it, and
 * for dsns that do not follow the last one.
 */
void mptun_encoder_reset(struct mptun_encoder *e)
{
	e->dropped += e->open;
	e->open = 0;
	e->spare = false;
	e->tail = false;
	e->started = false;
	/* a debt remains, so that pauses do not add to the overhead */
	e->credit = min(e->credit, 0);
	e->deadline = U64_MAX;
	e->seen = 0;
	e->recent[0] = 0;
	e->recent[1] = 0;
}

/**
 * mptun_encoder_set() - change what is sent
 * @e: the encoder
 * @overhead: symbols per packet, at most MPTUN_ENCODER_ONE; 0 for none
 * @window: packets that a symbol covers, 1 to MPTUN_REPAIR_SPAN; those that the
 *	receiver still wants
 * @share: share of them that it is made of, 1 to MPTUN_ENCODER_DENSE
 */
void mptun_encoder_set(struct mptun_encoder *e, u32 overhead, u32 window,
		       u32 share)
{
	e->overhead = min(overhead, MPTUN_ENCODER_ONE);
	e->window = clamp(window, 1U, (u32)MPTUN_REPAIR_SPAN);
	e->share = clamp(share, 1U, MPTUN_ENCODER_DENSE);
	if (!e->overhead)
		mptun_encoder_reset(e);
}

static struct mptun_encoder_sum *
mptun_encoder_sum(const struct mptun_encoder *e, unsigned int n)
{
	return &e->sum[(e->oldest + n) % e->size];
}

/**
 * mptun_encoder_longest() - get the length of the longest symbol so far
 * @e: the encoder
 *
 * Return: the bytes of the longest sum that the next packet may join, 0 if
 * there is none.
 */
unsigned int mptun_encoder_longest(const struct mptun_encoder *e)
{
	unsigned int n, len = 0;

	for (n = 0; n < e->open; n++)
		len = max_t(unsigned int, len, mptun_encoder_sum(e, n)->len);
	return len;
}

/* Moves the bits of a map so that its bit 0 is for a dsn larger by @by. */
static void mptun_encoder_shift(u64 *map, u32 by)
{
	if (by >= 64) {
		map[1] = by < 128 ? map[0] << (by - 64) : 0;
		map[0] = 0;
	} else if (by) {
		map[1] = map[1] << by | map[0] >> (64 - by);
		map[0] <<= by;
	}
}

/* Removes the oldest sum. */
static void mptun_encoder_pop(struct mptun_encoder *e)
{
	e->oldest = (e->oldest + 1) % e->size;
	e->open--;
	e->spare = false;
}

static void mptun_encoder_open(struct mptun_encoder *e)
{
	struct mptun_encoder_sum *sum = mptun_encoder_sum(e, e->open++);

	/* what is behind its length is not zero */
	*sum = (struct mptun_encoder_sum){
		.seed = e->seed++,
		.data = sum->data,
	};
}

/* Drops the sums that the next packet is too late for, and those that are not
 * needed, and opens the ones missing: as many are needed as symbols are due
 * before the window that begins with this packet ends.
 */
static void mptun_encoder_adjust(struct mptun_encoder *e, u32 dsn)
{
	const struct mptun_encoder_sum *sum;
	unsigned int wanted;
	u32 reach = e->window;
	s64 due;

	if (e->seen >= MPTUN_REPAIR_SPAN)
		reach = min_t(u32, reach, hweight64(e->recent[0]) +
					  hweight64(e->recent[1]));
	due = (s64)(reach - 1) * e->overhead + e->credit;
	wanted = min_t(s64, max_t(s64, due, 0) >> 16, e->size);
	while (e->open) {
		sum = mptun_encoder_sum(e, 0);
		if (sum->age < e->window &&
		    (!sum->members || dsn - sum->first < MPTUN_REPAIR_SPAN) &&
		    !(e->spare && wanted) && e->open <= wanted + 1)
			break;
		mptun_encoder_pop(e);
		e->dropped++;
	}
	if (!wanted && !e->open) {
		mptun_encoder_open(e);
		e->spare = true;
	}
	while (e->open < wanted)
		mptun_encoder_open(e);
}

/* Adds bytes at @at of a symbol to a sum. */
static void mptun_encoder_bytes(struct mptun_encoder *e,
				struct mptun_encoder_sum *sum, unsigned int at,
				const u8 *data, unsigned int len, u8 factor)
{
	if (at + len > sum->len) {
		memset(sum->data + sum->len, 0, at + len - sum->len);
		sum->len = at + len;
	}
	e->field->mul_add(sum->data + at, data, factor, len);
}

/* Adds a packet to a sum, unless it is left out of it. */
static void mptun_encoder_join(struct mptun_encoder *e,
			       struct mptun_encoder_sum *sum,
			       const struct mptun_code_packet *packet,
			       const struct mptun_symbol *head)
{
	u32 hash = mptun_code_hash(sum->seed, packet->dsn);
	unsigned int i, at = sizeof(*head);
	u8 factor;

	sum->age++;
	if ((hash & 0xff) >= e->share ||
	    sum->members == MPTUN_REPAIR_MEMBERS ||
	    (sum->members && packet->dsn - sum->first >= MPTUN_REPAIR_SPAN))
		return;
	if (!sum->members++)
		sum->first = packet->dsn;
	else
		mptun_encoder_shift(sum->map, packet->dsn - sum->last);
	sum->map[0] |= 1;
	sum->last = packet->dsn;
	factor = mptun_code_coefficient(sum->seed, packet->dsn);
	mptun_encoder_bytes(e, sum, 0, (const u8 *)head, at, factor);
	for (i = 0; i < packet->pieces; i++) {
		const struct mptun_code_piece *piece = &packet->piece[i];

		mptun_encoder_bytes(e, sum, at, piece->data, piece->len,
				    factor);
		at += piece->len;
	}
}

/**
 * mptun_encoder_add() - code a packet that leaves
 * @e: the encoder
 * @packet: the packet; a copy or retransmission is not coded
 * @now: time in ns
 *
 * Then mptun_encoder_ready() and mptun_encoder_take() give what is due.
 *
 * Return: 0; -EMSGSIZE if it is too long or empty; -EINVAL if its dsn is not
 * larger than the last one.
 */
int mptun_encoder_add(struct mptun_encoder *e,
		      const struct mptun_code_packet *packet, u64 now)
{
	unsigned int len = mptun_symbol_len(packet);
	struct mptun_symbol head;
	unsigned int i;
	u32 step;

	if (!e->overhead)
		return 0;
	if (!len || len > e->len) {
		e->too_long++;
		return -EMSGSIZE;
	}
	if (e->started && !mptun_seq_after(packet->dsn, e->last))
		return -EINVAL;
	step = e->started ? packet->dsn - e->last : 1;
	mptun_encoder_shift(e->recent, step);
	e->recent[0] |= 1;
	e->seen = min_t(u64, (u64)e->seen + step, MPTUN_REPAIR_SPAN);
	e->last = packet->dsn;
	e->started = true;
	e->tail = false;
	e->packets++;
	e->credit = min_t(s32, e->credit + e->overhead, MPTUN_ENCODER_CREDIT);
	e->deadline = now + e->idle_ns;
	mptun_encoder_adjust(e, packet->dsn);
	mptun_symbol_head(&head, packet, len);
	for (i = 0; i < e->open; i++)
		mptun_encoder_join(e, mptun_encoder_sum(e, i), packet, &head);
	return 0;
}

/**
 * mptun_encoder_finish() - a burst has ended
 * @e: the encoder
 *
 * For the owner at @e->deadline, or when it knows.  Then mptun_encoder_ready()
 * and mptun_encoder_take() give the symbols that protect the last packets.
 */
void mptun_encoder_finish(struct mptun_encoder *e)
{
	e->tail = true;
	e->deadline = U64_MAX;
}

/* Returns the number of words of the map of a sum. */
static unsigned int mptun_encoder_words(const struct mptun_encoder_sum *sum)
{
	return (sum->last - sum->first) / 32 + 1;
}

/**
 * mptun_encoder_ready() - check whether a symbol is due
 * @e: the encoder
 *
 * Return: length in bytes of the body of its REPAIR, 0 if none is due.
 */
unsigned int mptun_encoder_ready(const struct mptun_encoder *e)
{
	s32 least = MPTUN_ENCODER_ONE;
	const struct mptun_encoder_sum *sum;

	if (e->tail)
		least -= e->overdraft;
	if (!e->open || e->credit < least)
		return 0;
	sum = mptun_encoder_sum(e, 0);
	if (!sum->members)
		return 0;
	return sizeof(struct mptun_repair) +
	       mptun_encoder_words(sum) * sizeof(__be32) + sum->len;
}

/**
 * mptun_encoder_take() - write the symbol that is due
 * @e: the encoder
 * @body: body of a REPAIR, with room for what mptun_encoder_ready() returns
 * @dsn: set to the dsn of its header
 *
 * Return: length of the body, 0 if none is due.
 */
unsigned int mptun_encoder_take(struct mptun_encoder *e, u8 *body, u32 *dsn)
{
	unsigned int i, words, len = mptun_encoder_ready(e);
	const struct mptun_encoder_sum *sum;
	struct mptun_repair head = {};

	if (!len)
		return 0;
	sum = mptun_encoder_sum(e, 0);
	words = mptun_encoder_words(sum);
	head.seed = cpu_to_be16(sum->seed);
	head.words = words;
	memcpy(body, &head, sizeof(head));
	body += sizeof(head);
	for (i = 0; i < words; i++) {
		put_unaligned_be32(sum->map[i / 2] >> (i % 2 ? 32 : 0), body);
		body += sizeof(__be32);
	}
	memcpy(body, sum->data, sum->len);
	*dsn = sum->last;
	mptun_encoder_pop(e);
	e->credit -= MPTUN_ENCODER_ONE;
	e->symbols++;
	return len;
}
