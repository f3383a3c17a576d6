// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Runs: segments of one GSO packet that leave on one path together.
 *
 * A run is numbered under the lock, and nothing but a packet buffer with the
 * header of its first segment until it is sent.  Then each segment is cut from
 * the GSO packet into the memory it leaves in, and sealed there, or on its way
 * there if the cipher can.  Where the path's device takes segments of UDP, or
 * hands packets on at once, all of them share a piece of memory and walk
 * through the stack as one packet; else each has a buffer of its own.
 */
#include <linux/netdevice.h>
#include <linux/sizes.h>

#include "base/limits.h"
#include "core/session.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "tx/run.h"
#include "tx/tx.h"

/* A piece of memory for a run: what each processor has some of in stock, and
 * what fits into one packet.
 */
#define MPTUN_RUN_BYTES		SZ_32K

/* Bytes of a segment but the last one, behind the UDP header. */
static u32 mptun_run_size(const struct mptun_segment *cut)
{
	return sizeof(struct mptun_packet) + cut->head + cut->size +
	       MPTUN_TAG_LEN;
}

/**
 * mptun_run_most() - how long may a run be?
 * @gso: the GSO packet
 *
 * Return: number of segments.
 */
u32 mptun_run_most(const struct sk_buff *gso)
{
	u32 size = mptun_run_size(&mptun_tx_cb(gso)->cut);

	return max_t(u32, MPTUN_RUN_BYTES / size, 1);
}

static struct sk_buff *mptun_run_buffer(const struct sk_buff *gso,
					unsigned int room)
{
	unsigned int headroom = MPTUN_HEADROOM + LL_MAX_HEADER;
	struct sk_buff *skb;

	skb = alloc_skb(headroom + room, GFP_ATOMIC);
	if (!skb)
		return NULL;
	skb_reserve(skb, headroom);
	skb->protocol = gso->protocol;
	return skb;
}

/**
 * mptun_run_new() - begin a run
 * @gso: a GSO packet, where the run begins
 *
 * Return: the run, without a header and without segments, or NULL.
 */
struct sk_buff *mptun_run_new(struct sk_buff *gso)
{
	struct sk_buff *run = mptun_run_buffer(gso, 0);
	struct mptun_tx_cb *cb;

	if (!run)
		return NULL;
	cb = mptun_tx_cb(run);
	*cb = *mptun_tx_cb(gso);
	cb->gso = skb_get(gso);
	return run;
}

/**
 * mptun_run_copy() - the same once more, for another path
 * @skb: a packet or a run, with the header of its first segment
 *
 * Of a run that is its header and a reference.
 *
 * Return: the copy with the same control block, or NULL.
 */
struct sk_buff *mptun_run_copy(const struct sk_buff *skb)
{
	const struct mptun_tx_cb *cb = mptun_tx_cb(skb);
	struct sk_buff *copy;

	if (!cb->gso)
		return skb_copy(skb, GFP_ATOMIC);
	copy = mptun_run_new(cb->gso);
	if (!copy)
		return NULL;
	*mptun_tx_cb(copy) = *cb;
	skb_push(copy, skb->len);
	skb_copy_bits(skb, 0, copy->data, skb->len);
	return copy;
}

/**
 * mptun_run_drop() - drop what is not sent of a packet
 * @tunnel: the tunnel
 * @skb: the packet, possibly a GSO packet that is placed in part, or a run
 * @reason: MPTUN_A_DROP_STATS_*
 */
void mptun_run_drop(struct mptun_tunnel *tunnel, struct sk_buff *skb,
		    unsigned int reason)
{
	mptun_drop_add(&tunnel->drops, reason, mptun_run_packets(skb));
	kfree_skb(mptun_tx_cb(skb)->gso);
	kfree_skb(skb);
}

/* Writes the header of a segment of a run. */
static void mptun_run_header(const struct mptun_tx_cb *cb,
			     const struct mptun_packet *first, u32 i,
			     struct mptun_packet *hdr)
{
	*hdr = *first;
	if (!i)
		return;
	be64_add_cpu(&hdr->outer.number, i);
	if (!(hdr->inner.flags_time & MPTUN_FLAGS(MPTUN_F_COPY)))
		hdr->inner.fseq += i;
	hdr->inner.prev = cpu_to_be16(cb->order);
	be32_add_cpu(&hdr->inner.dsn, i);
}

/**
 * mptun_run_keep() - one packet once more, to be sent later
 * @skb: a packet or a run, with the header of its first segment
 * @i: which segment of a run, 0 for the first one
 *
 * Return: a packet, or a run of that segment, with its header and no session;
 * or NULL.
 */
struct sk_buff *mptun_run_keep(const struct sk_buff *skb, u32 i)
{
	struct sk_buff *copy = mptun_run_copy(skb);
	struct mptun_tx_cb *cb;

	if (!copy)
		return NULL;
	mptun_run_release(copy);
	cb = mptun_tx_cb(copy);
	cb->session = NULL;
	if (!cb->gso)
		return copy;
	mptun_run_header(cb, (const void *)skb->data, i, (void *)copy->data);
	cb->offset += i * cb->cut.size;
	cb->count = 1;
	return copy;
}

/**
 * mptun_run_release() - let go of what a packet is not to keep from others
 * @skb: a packet that stays for long, and is not sent itself
 *
 * That is its socket, its route and its connection.
 */
void mptun_run_release(struct sk_buff *skb)
{
	skb_orphan(skb);
	skb_dst_drop(skb);
	skb_ext_reset(skb);
	nf_reset_ct(skb);
}

/**
 * mptun_run_free() - free a packet or a run that is needed no more
 * @skb: the packet
 */
void mptun_run_free(struct sk_buff *skb)
{
	consume_skb(mptun_tx_cb(skb)->gso);
	consume_skb(skb);
}

/* Writes a segment, complete but for the tag; returns its length. */
static u32 mptun_run_write(const struct mptun_tx_cb *cb,
			   const struct mptun_packet *first, u32 i, u8 *to)
{
	u32 offset = cb->offset + i * cb->cut.size;
	struct mptun_packet *hdr = (void *)to;

	mptun_run_header(cb, first, i, hdr);
	mptun_segment_segment(&cb->cut, cb->gso, offset, to + sizeof(*hdr));
	return sizeof(*hdr) + cb->cut.head +
	       mptun_segment_payload(&cb->cut, offset);
}

/* Writes a segment whose payload is read where it is, and seals it. Returns its
 * length, or a negative error.  Nobody has looked at the payload, so it has no
 * checksum: the peer fills that in if somebody wants to know.
 */
static int mptun_run_gather(const struct mptun_tx_cb *cb,
			    const struct mptun_packet *first, u32 i, u8 *to,
			    const u8 *payload)
{
	u32 offset = cb->offset + i * cb->cut.size;
	u32 len = mptun_segment_payload(&cb->cut, offset);
	struct mptun_packet *hdr = (void *)to;
	u32 head = sizeof(*hdr) + cb->cut.head;
	int tag;

	mptun_run_header(cb, first, i, hdr);
	hdr->inner.flags_time |= MPTUN_FLAGS(MPTUN_F_NOCSUM);
	mptun_segment_headers(&cb->cut, cb->gso, offset, to + sizeof(*hdr));
	tag = mptun_encrypt_from(cb->session, to, head, payload, len);
	return tag < 0 ? tag : (int)(head + len) + tag;
}

/* Writes and seals a segment. Returns its length, or a negative error. */
static int mptun_run_one(const struct mptun_tx_cb *cb,
			 const struct mptun_packet *first, u32 i, u8 *to)
{
	u32 offset = cb->offset + i * cb->cut.size;
	const u8 *payload = NULL;
	int len, tag;

	if (mptun_cipher_gathers(&cb->session->seal))
		payload = mptun_segment_piece(&cb->cut, cb->gso, offset);
	if (payload)
		return mptun_run_gather(cb, first, i, to, payload);
	len = mptun_run_write(cb, first, i, to);
	tag = mptun_encrypt_at(cb->session, to, len);
	return tag < 0 ? tag : len + tag;
}

/* Writes and seals all segments, one behind the other. Returns the length of
 * all of them, or a negative error.
 */
static int mptun_run_fill(const struct mptun_tx_cb *cb,
			  const struct mptun_packet *first, u8 *data)
{
	u8 *to = data;
	int len;
	u32 i;

	for (i = 0; i < cb->count; i++) {
		len = mptun_run_one(cb, first, i, to);
		if (len < 0)
			return len;
		to += len;
	}
	return to - data;
}

/* Makes the run one packet of UDP segments. */
static int mptun_run_join(const struct mptun_tx_cb *cb, struct sk_buff *run)
{
	const struct mptun_packet *first = (const void *)run->data;
	u32 most = cb->count * mptun_run_size(&cb->cut);
	struct skb_shared_info *shinfo = skb_shinfo(run);
	unsigned int order = get_order(most);
	struct page *page;
	int len;

	page = alloc_pages(GFP_ATOMIC | __GFP_COMP | __GFP_NOWARN, order);
	if (!page)
		return -ENOMEM;
	len = mptun_run_fill(cb, first, page_address(page));
	if (len < 0) {
		__free_pages(page, order);
		return len;
	}
	skb_trim(run, 0);
	skb_add_rx_frag(run, 0, page, 0, len, PAGE_SIZE << order);
	shinfo->gso_type = SKB_GSO_UDP_L4;
	shinfo->gso_segs = cb->count;
	shinfo->gso_size = sizeof(*first) + cb->cut.head + cb->cut.size +
			   mptun_cipher_tag_of(&cb->session->seal);
	return 0;
}

/* May it be one packet?  An accelerator takes one at a time, and headers that
 * lie anywhere are dear on some processors.
 */
static bool mptun_run_joins(const struct mptun_tx_cb *cb)
{
	if (cb->count < 2 || mptun_cipher_async(&cb->session->seal))
		return false;
	return IS_ENABLED(CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS) ||
	       IS_ALIGNED(mptun_run_size(&cb->cut), sizeof(u32));
}

/* One segment by itself; NULL if there is no memory. */
static struct sk_buff *mptun_run_segment(const struct mptun_tx_cb *cb,
					 const struct mptun_packet *first,
					 u32 i)
{
	struct sk_buff *skb;
	int len;

	skb = mptun_run_buffer(cb->gso, mptun_run_size(&cb->cut));
	if (!skb)
		return NULL;
	if (mptun_cipher_async(&cb->session->seal)) {
		skb_put(skb, mptun_run_write(cb, first, i, skb->data));
		len = mptun_encrypt_data(cb->session, skb);
	} else {
		len = mptun_run_one(cb, first, i, skb->data);
		skb_put(skb, max(len, 0));
	}
	if (len >= 0)
		return skb;
	kfree_skb(skb);
	return NULL;
}

/* Each segment by itself, in a list behind the run. */
static void mptun_run_split(const struct mptun_tx_cb *cb, struct sk_buff *run)
{
	const struct mptun_packet *first = (const void *)run->data;
	struct sk_buff **tail = &skb_shinfo(run)->frag_list;
	struct mptun_tunnel *tunnel = cb->session->tunnel;
	u32 i;

	for (i = 0; i < cb->count; i++) {
		*tail = mptun_run_segment(cb, first, i);
		if (*tail)
			tail = &(*tail)->next;
		else
			mptun_drop_count(&tunnel->drops,
					 MPTUN_A_DROP_STATS_TX_NO_MEMORY);
	}
}

/**
 * mptun_run_seal() - cut and seal a run
 * @run: the run, with a session
 *
 * What leaves is the run itself, if it is a GSO packet afterwards; or else the
 * packets in the list of its fragments, which an accelerator may still have to
 * seal.  Drops are counted.
 */
void mptun_run_seal(struct sk_buff *run)
{
	struct mptun_tx_cb *cb = mptun_tx_cb(run);

	if (!cb->join || !mptun_run_joins(cb) || mptun_run_join(cb, run))
		mptun_run_split(cb, run);
	/* Its socket may go on while the run is on its way. */
	consume_skb(cb->gso);
	cb->gso = NULL;
}
