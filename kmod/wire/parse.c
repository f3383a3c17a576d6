// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Parser of the body of a PACKET.
 *
 * The sender may be authenticated and still be wrong: every length is checked
 * against the bytes that exist before anything behind it is read, and
 * inconsistent content is rejected.  Nothing here depends on a tunnel, so all
 * of it runs under a fuzzer (selftests/fuzz/wire).
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/stddef.h>
#include <linux/unaligned.h>

#include "wire/parse.h"

/**
 * mptun_parse_outer() - check type, version and flags of an outer header
 * @outer: the header
 *
 * Return: true if they are known.
 */
bool mptun_parse_outer(const struct mptun_outer *outer)
{
	return outer->version == MPTUN_VERSION && !outer->flags &&
	       outer->type >= MPTUN_TYPE_INIT &&
	       outer->type <= MPTUN_TYPE_PACKET;
}

/**
 * mptun_parse_known() - check the kind of a PACKET, its number space and flags
 * @kind: &enum mptun_kind
 * @control: it came in the control space
 * @flags: MPTUN_F_*
 *
 * Return: true if they are known and fit together.
 */
bool mptun_parse_known(u8 kind, bool control, u8 flags)
{
	if (flags & ~MPTUN_F_KNOWN ||
	    (flags & (MPTUN_F_FRAG | MPTUN_F_CODED) &&
	     kind != MPTUN_KIND_DATA))
		return false;
	switch (kind) {
	case MPTUN_KIND_DATA:
		return !control;
	case MPTUN_KIND_REPAIR:
		return !control && !flags;
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
 * mptun_parse_next() - read the next block of a body
 * @data: start of the block; advanced past it
 * @len: bytes left, more than 0; reduced by the block
 * @block: filled
 *
 * Return: 0, or -EINVAL if it is truncated.
 */
int mptun_parse_next(const u8 **data, unsigned int *len,
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
 * mptun_parse_spans() - convert the ranges of an ACK to spans of numbers
 * @ack: an ACK whose ranges all exist
 * @spans: room for MPTUN_RANGES_MAX, NULL to check the ranges only
 *
 * Return: 0, @spans being in descending order with gaps between them; or
 * -EINVAL if the ranges are inconsistent.
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
 * mptun_parse_ack() - check the content of an ACK block
 * @data: content of the block
 * @len: its length
 *
 * Return: the ACK, whose ranges are complete and consistent, or NULL.
 */
const struct mptun_ack *mptun_parse_ack(const u8 *data, unsigned int len)
{
	const struct mptun_ack *ack = (const void *)data;

	if (len < sizeof(*ack) ||
	    len != sizeof(*ack) + ack->ranges * sizeof(struct mptun_ack_range))
		return NULL;
	return mptun_parse_spans(ack, NULL) ? NULL : ack;
}

/* A bad name is not taken, but the rest counts (sched/policy.c). */
static bool mptun_parse_policy(const u8 *data, unsigned int len)
{
	const struct mptun_path_policy *policy = (const void *)data;

	if (len != sizeof(*policy))
		return false;
	if (policy->flags & MPTUN_POLICY_ACK)
		return policy->version &&
		       !(policy->flags & ~MPTUN_POLICY_ANSWER);
	return policy->version && policy->weight &&
	       be64_to_cpu(policy->rate) <= MPTUN_POLICY_RATE_MAX &&
	       (policy->status == MPTUN_STATUS_AVAILABLE ||
		policy->status == MPTUN_STATUS_BACKUP ||
		policy->status == MPTUN_STATUS_STANDBY) &&
	       !(policy->flags & ~(MPTUN_POLICY_BACKUP | MPTUN_POLICY_OFF));
}

static bool mptun_parse_caps(const u8 *data, unsigned int len)
{
	const struct mptun_caps_head *head = (const void *)data;
	const struct mptun_caps_entry *entry = (const void *)(head + 1);
	unsigned int i;

	if (len < sizeof(*head) || head->count > MPTUN_CAPS_MAX ||
	    len != sizeof(*head) + head->count * sizeof(*entry) ||
	    !head->version)
		return false;
	if (head->flags & MPTUN_POLICY_ACK)
		return !head->count && !(head->flags & ~MPTUN_POLICY_ANSWER);
	for (i = 0; i < head->count; i++) {
		u64 rate = be64_to_cpu(entry[i].rate);

		if (!rate || rate > MPTUN_POLICY_RATE_MAX ||
		    be16_to_cpu(entry[i].protocol) > MPTUN_CAPS_PROTOCOL_ANY ||
		    entry[i].dscp > MPTUN_CAPS_DSCP_ANY)
			return false;
	}
	return !head->flags;
}

static bool mptun_parse_content(const struct mptun_parse_block *b)
{
	const struct mptun_status *status = (const void *)b->data;

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
		return b->len == sizeof(*status) &&
		       be16_to_cpu(status->status) <= MPTUN_STATUS_STANDBY;
	case MPTUN_BLOCK_POLICY:
		return mptun_parse_policy(b->data, b->len);
	case MPTUN_BLOCK_CAPS:
		return mptun_parse_caps(b->data, b->len);
	default:
		return true; /* of a later version, skipped */
	}
}

/**
 * mptun_parse_blocks() - check all blocks of a body
 * @data: the blocks
 * @len: their length in bytes
 *
 * Return: the known types among them, as bits; -EINVAL if one is invalid.
 */
int mptun_parse_blocks(const u8 *data, unsigned int len)
{
	struct mptun_parse_block block;
	int types = 0;

	while (len) {
		if (mptun_parse_next(&data, &len, &block) ||
		    !mptun_parse_content(&block))
			return -EINVAL;
		if (block.type <= MPTUN_BLOCK_CAPS)
			types |= BIT(block.type);
	}
	return types;
}

/**
 * mptun_parse_probe() - check the body of a PROBE
 * @data: the body
 * @len: bytes available
 *
 * Return: the PROBE, or NULL if it is invalid.
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
 * mptun_parse_frag() - check the header of a fragment
 * @data: the header, aligned to 2 bytes
 * @len: bytes of the fragment, its header included
 *
 * Return: the header, or NULL if it is invalid.
 */
const struct mptun_frag *mptun_parse_frag(const u8 *data, unsigned int len)
{
	const struct mptun_frag *frag = (const void *)data;
	unsigned int size;

	if (len <= sizeof(*frag) || frag->count < 2 ||
	    frag->count > MPTUN_FRAGS_MAX || frag->index >= frag->count)
		return NULL;
	size = be16_to_cpu(frag->len);
	if (size > MPTUN_FRAG_INNER_MAX || len - sizeof(*frag) >= size)
		return NULL;
	return frag;
}

/**
 * mptun_parse_repair() - check the body of a REPAIR
 * @dsn: dsn of its header
 * @data: the body, aligned to 2 bytes
 * @len: its length
 * @window: filled
 *
 * Return: 0, or -EINVAL if it is invalid.
 */
int mptun_parse_repair(u32 dsn, const u8 *data, unsigned int len,
		       struct mptun_repair_window *window)
{
	const struct mptun_repair *head = (const void *)data;
	unsigned int i, size;
	u32 word = 0;

	if (len < sizeof(*head) || !head->words ||
	    head->words > MPTUN_REPAIR_WORDS || head->reserved)
		return -EINVAL;
	size = sizeof(*head) + head->words * sizeof(word);
	if (len <= size + sizeof(struct mptun_symbol))
		return -EINVAL;
	*window = (struct mptun_repair_window){
		.last = dsn,
		.seed = be16_to_cpu(head->seed),
		.data = data + size,
		.len = len - size,
	};
	data += sizeof(*head);
	for (i = 0; i < head->words; i++) {
		word = get_unaligned_be32(data + i * sizeof(word));
		window->map[i / 2] |= (u64)word << (i % 2 ? 32 : 0);
		window->members += hweight32(word);
	}
	return word && window->map[0] & 1 &&
	       window->members <= MPTUN_REPAIR_MEMBERS ? 0 : -EINVAL;
}

/**
 * mptun_parse_inner() - length and protocol of an inner packet
 * @data: its header, aligned to 2 bytes
 * @len: bytes readable; 40 are enough
 * @protocol: set to ETH_P_IP or ETH_P_IPV6
 *
 * Return: length in bytes, possibly more than @len; 0 if it is neither IPv4 nor
 * IPv6.
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
