// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * What the bytes of a PACKET mean.
 *
 * The model: bytes and their number in, numbers out.  Whoever sent them may
 * have the key and still be wrong, so every length is compared with what is
 * there before anything behind it is read, and nothing is believed that does
 * not add up.  Nothing here knows a tunnel, so all of it can be tried with any
 * bytes (selftests/fuzz/wire).
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/stddef.h>
#include <linux/unaligned.h>

#include "wire/parse.h"

/**
 * mptun_parse_outer() - is this a first header that we know?
 * @outer: the header
 *
 * Return: true if it is.
 */
bool mptun_parse_outer(const struct mptun_outer *outer)
{
	return outer->version == MPTUN_VERSION && !outer->flags &&
	       outer->type >= MPTUN_TYPE_INIT &&
	       outer->type <= MPTUN_TYPE_PACKET;
}

/**
 * mptun_parse_known() - is this a kind that we know, in the space it belongs
 *	to, with flags that we know?
 * @kind: &enum mptun_kind
 * @control: it came in the control space
 * @flags: MPTUN_F_*
 *
 * Return: true if it is.
 */
bool mptun_parse_known(u8 kind, bool control, u8 flags)
{
	if (flags & ~MPTUN_F_KNOWN)
		return false;
	switch (kind) {
	case MPTUN_KIND_DATA:
		return !control;
	case MPTUN_KIND_REPORT:
	case MPTUN_KIND_PROBE:
	case MPTUN_KIND_SET:
	case MPTUN_KIND_BYE:
		return control;
	default:
		return false;
	}
}

/**
 * mptun_parse_block() - the next block of a body
 * @data: where it begins; moved behind it
 * @len: bytes from there on, more than 0; those behind it
 * @block: filled
 *
 * Return: 0, or -EINVAL if it is cut off.
 */
int mptun_parse_block(const u8 **data, unsigned int *len,
		      struct mptun_parse_block *block)
{
	const struct mptun_block *head = (const void *)*data;
	unsigned int size;

	if (*len < sizeof(*head))
		return -EINVAL;
	size = be16_to_cpu(head->len);
	if (size % 4 || *len - sizeof(*head) < size)
		return -EINVAL;
	block->type = head->type;
	block->data = *data + sizeof(*head);
	block->len = size;
	*data += sizeof(*head) + size;
	*len -= sizeof(*head) + size;
	return 0;
}

/**
 * mptun_parse_spans() - turn the ranges of an ACK into spans of numbers
 * @ack: as mptun_parse_ack() returned it
 * @spans: room for MPTUN_RANGES_MAX, NULL to check the ranges only
 *
 * Return: 0, @spans being filled in descending order with gaps between them;
 * or -EINVAL if the ranges do not add up.
 */
int mptun_parse_spans(const struct mptun_ack *ack,
		      struct mptun_ack_span *spans)
{
	const struct mptun_ack_range *range = (const void *)(ack + 1);
	u64 last = be64_to_cpu(ack->largest);
	unsigned int i;

	if (!ack->ranges || ack->ranges > MPTUN_RANGES_MAX)
		return -EINVAL;
	for (i = 0; i < ack->ranges; i++) {
		u64 gap = be32_to_cpu(range[i].gap);
		u64 len = be32_to_cpu(range[i].len);

		if ((i ? !gap : gap) || !len || gap + len > last + 1)
			return -EINVAL;
		last -= gap;
		if (spans)
			spans[i] = (struct mptun_ack_span){
				.first = last - (len - 1),
				.last = last,
			};
		if (i + 1 < ack->ranges) {
			if (last < len)
				return -EINVAL;
			last -= len;
		}
	}
	return 0;
}

/**
 * mptun_parse_ack() - the content of an ACK
 * @data: content of the block
 * @len: its length
 *
 * Return: the ACK, all of whose ranges are there and add up, or NULL.
 */
const struct mptun_ack *mptun_parse_ack(const u8 *data, unsigned int len)
{
	const struct mptun_ack *ack = (const void *)data;

	if (len < sizeof(*ack) ||
	    len != sizeof(*ack) + ack->ranges * sizeof(struct mptun_ack_range))
		return NULL;
	return mptun_parse_spans(ack, NULL) ? NULL : ack;
}

static bool mptun_parse_status(const u8 *data, unsigned int len)
{
	const struct mptun_status *status = (const void *)data;

	return len == sizeof(*status) &&
	       be16_to_cpu(status->status) <= MPTUN_STATUS_STANDBY;
}

static bool mptun_parse_content(const struct mptun_parse_block *b)
{
	switch (b->type) {
	case MPTUN_BLOCK_ACK:
		return mptun_parse_ack(b->data, b->len);
	case MPTUN_BLOCK_ROOM:
		return b->len == sizeof(struct mptun_room);
	case MPTUN_BLOCK_FLOOR:
		return b->len == sizeof(struct mptun_floor);
	case MPTUN_BLOCK_SETTLED:
		return b->len == sizeof(struct mptun_settled);
	case MPTUN_BLOCK_STATUS:
		return mptun_parse_status(b->data, b->len);
	default:
		return true; /* of a later version */
	}
}

/**
 * mptun_parse_blocks() - are all blocks of a body right?
 * @data: the blocks
 * @len: their length in bytes
 *
 * Return: the types that are among them, as bits; -EINVAL if one of them does
 * not parse.
 */
int mptun_parse_blocks(const u8 *data, unsigned int len)
{
	struct mptun_parse_block block;
	int types = 0;

	while (len) {
		if (mptun_parse_block(&data, &len, &block) ||
		    !mptun_parse_content(&block))
			return -EINVAL;
		if (block.type <= MPTUN_BLOCK_STATUS)
			types |= BIT(block.type);
	}
	return types;
}

/**
 * mptun_parse_probe() - the body of a PROBE
 * @data: the body
 * @len: how much of it is there
 *
 * Return: the PROBE, or NULL if it is none.
 */
const struct mptun_probe *mptun_parse_probe(const u8 *data, unsigned int len)
{
	const struct mptun_probe *probe = (const void *)data;

	if (len < sizeof(*probe) || probe->answer > 1 ||
	    be16_to_cpu(probe->size) < sizeof(*probe))
		return NULL;
	return probe;
}

/**
 * mptun_parse_inner() - how long is an inner packet, and of what protocol?
 * @data: its header
 * @len: bytes that can be read there; 40 are enough
 * @protocol: set to ETH_P_IP or ETH_P_IPV6
 *
 * Behind blocks it is aligned to 2 bytes only.
 *
 * Return: its length in bytes, which may be more than @len, or 0 if it is
 * neither.
 */
unsigned int mptun_parse_inner(const u8 *data, unsigned int len,
			       __be16 *protocol)
{
	unsigned int size;

	if (len < sizeof(struct iphdr))
		return 0;
	switch (data[0] >> 4) {
	case 4:
		*protocol = htons(ETH_P_IP);
		size = get_unaligned_be16(data +
					  offsetof(struct iphdr, tot_len));
		return size < sizeof(struct iphdr) ? 0 : size;
	case 6:
		if (len < sizeof(struct ipv6hdr))
			return 0;
		*protocol = htons(ETH_P_IPV6);
		size = get_unaligned_be16(data + offsetof(struct ipv6hdr,
							  payload_len));
		return size + sizeof(struct ipv6hdr);
	default:
		return 0;
	}
}
