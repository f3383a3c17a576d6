// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Runs: consecutive segments of one GSO packet, sent together on one path.
 *
 * A run is numbered under mptun_tx.lock and consists of the header of its first
 * segment and a reference to the GSO packet until it is sent.  Then each
 * segment is copied from the GSO packet to its final memory and encrypted in
 * place, or during the copy if the cipher supports that.  If the device of the
 * path accepts UDP segments, or has no queue, all of them share one allocation
 * and pass through the stack as one GSO packet.  Otherwise, or if there is no
 * such allocation, each gets a buffer of its own.
 */
#include <linux/netdevice.h>
#include <linux/sizes.h>

#include "base/limits.h"
#include "core/session.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "tx/run.h"
#include "tx/tx.h"

/* Largest memory of a run.  The page allocator has a list of blocks of this
 * size for each CPU, and an IP packet can be as long.
 */
#define MPTUN_RUN_BYTES		SZ_32K

/* Buffers that are kept for runs. */
#define MPTUN_RUN_SPARES	64

/* Bytes of a full segment after the UDP header. */
static u32 mptun_run_size(const struct mptun_segment *cut)
{
	return sizeof(struct mptun_packet) + cut->head + cut->size +
	       MPTUN_TAG_LEN;
}

/**
 * mptun_run_most() - longest run of a GSO packet
 * @gso: the GSO packet
 *
 * Return: number of segments.
 */
u32 mptun_run_most(const struct sk_buff *gso)
{
	u32 size = mptun_run_size(&mptun_tx_cb(gso)->cut);

	return max_t(u32, MPTUN_RUN_BYTES / size, 1);
}

static struct sk_buff *mptun_run_buffer(__be16 protocol, unsigned int room)
{
	unsigned int headroom = MPTUN_HEADROOM + LL_MAX_HEADER;
	struct sk_buff *skb;

	skb = alloc_skb(headroom + room, GFP_ATOMIC);
	if (!skb)
		return NULL;
	skb_reserve(skb, headroom);
	skb->protocol = protocol;
	return skb;
}

/**
 * mptun_run_spares() - allocate buffers in place of those that runs have taken
 * @tx: sending side of a tunnel, not locked
 * @fresh: the buffers, for mptun_tx.spare
 *
 * The stock grows to what a sender has needed at once, up to MPTUN_RUN_SPARES,
 * and is freed when the tunnel is idle.  So a sender that holds the lock need
 * not allocate.
 */
void mptun_run_spares(struct mptun_tx *tx, struct sk_buff_head *fresh)
{
	struct sk_buff *skb;
	int n, room;

	__skb_queue_head_init(fresh);
	if (!atomic_read(&tx->taken))
		return;
	room = MPTUN_RUN_SPARES - (int)skb_queue_len_lockless(&tx->spare);
	for (n = min(atomic_xchg(&tx->taken, 0), room); n > 0; n--) {
		skb = mptun_run_buffer(0, 0);
		if (!skb)
			break;
		__skb_queue_head(fresh, skb);
	}
}

/**
 * mptun_run_new() - begin a run
 * @tx: sending side of the tunnel
 * @gso: the GSO packet, at the offset where the run begins
 *
 * Return: the run, without a header and without segments, or NULL.
 */
struct sk_buff *mptun_run_new(struct mptun_tx *tx, struct sk_buff *gso)
{
	struct sk_buff *run = __skb_dequeue(&tx->spare);
	struct mptun_tx_cb *cb;

	lockdep_assert_held(&tx->lock);
	atomic_inc(&tx->taken);
	if (!run)
		run = mptun_run_buffer(0, 0);
	if (!run)
		return NULL;
	run->protocol = gso->protocol;
	cb = mptun_tx_cb(run);
	*cb = *mptun_tx_cb(gso);
	cb->gso = skb_get(gso);
	return run;
}

/**
 * mptun_run_copy() - copy a packet or run for another path
 * @tx: sending side of the tunnel
 * @skb: the packet or run, with the header of its first segment
 *
 * The copy of a run shares its GSO packet.
 *
 * Return: the copy with the same control block, or NULL.
 */
struct sk_buff *mptun_run_copy(struct mptun_tx *tx, const struct sk_buff *skb)
{
	const struct mptun_tx_cb *cb = mptun_tx_cb(skb);
	struct sk_buff *copy;

	if (!cb->gso)
		return skb_copy(skb, GFP_ATOMIC);
	copy = mptun_run_new(tx, cb->gso);
	if (!copy)
		return NULL;
	*mptun_tx_cb(copy) = *cb;
	skb_push(copy, skb->len);
	skb_copy_bits(skb, 0, copy->data, skb->len);
	return copy;
}

/**
 * mptun_run_release() - drop references to socket, route and connection
 * @skb: a packet that is stored and not sent itself
 */
void mptun_run_release(struct sk_buff *skb)
{
	skb_orphan(skb);
	skb_dst_drop(skb);
	skb_ext_reset(skb);
	nf_reset_ct(skb);
}

/**
 * mptun_run_drop() - drop and count the unsent part of a packet
 * @tunnel: the tunnel
 * @skb: the packet, possibly a GSO packet that is placed in part, or a run
 * @reason: MPTUN_A_DROP_STATS_*
 */
void mptun_run_drop(struct mptun_tunnel *tunnel, struct sk_buff *skb,
		    unsigned int reason)
{
	mptun_out_dropped(tunnel, reason, mptun_run_packets(skb));
	kfree_skb(mptun_tx_cb(skb)->gso);
	/* Runs of it may be kept for longer. */
	if (skb_is_gso(skb))
		mptun_run_release(skb);
	mptun_drop_free(skb, reason);
}

/* Writes the header of a segment of a run. */
static void mptun_run_header(const struct mptun_tx_cb *cb,
			     const struct mptun_packet *first, u32 i,
			     struct mptun_packet *hdr)
{
	bool copy = first->inner.flags_time & MPTUN_FLAGS(MPTUN_F_COPY);

	*hdr = *first;
	if (!i)
		return;
	hdr->outer.number = cpu_to_be64(be64_to_cpu(hdr->outer.number) + i);
	if (!copy)
		hdr->inner.fseq += i;
	/* Its predecessor is the segment before. */
	hdr->inner.flags_time &= ~MPTUN_FLAGS(MPTUN_F_REPAIRABLE);
	if (copy || cb->again)
		hdr->inner.flags_time |= MPTUN_FLAGS(MPTUN_F_REPAIRABLE);
	hdr->inner.prev = cpu_to_be16(cb->order);
	hdr->inner.dsn = cpu_to_be32(be32_to_cpu(hdr->inner.dsn) + i);
}

/**
 * mptun_run_part() - make a run of one segment
 * @tx: sending side of the tunnel
 * @run: the run, with the header of its first segment
 * @i: index of the segment
 *
 * Return: the run of that segment, with its header; or NULL.
 */
struct sk_buff *mptun_run_part(struct mptun_tx *tx, const struct sk_buff *run,
			       u32 i)
{
	struct sk_buff *part = mptun_run_copy(tx, run);
	struct mptun_tx_cb *cb;

	if (!part)
		return NULL;
	cb = mptun_tx_cb(part);
	mptun_run_header(cb, (const void *)run->data, i, (void *)part->data);
	cb->offset += i * cb->cut.size;
	cb->count = 1;
	return part;
}

/**
 * mptun_run_whole() - make one segment a packet of its own
 * @cb: control block of the GSO packet or run, at the segment
 * @gso: the GSO packet, not changed
 *
 * Return: the inner packet, without a number and with the classification of the
 * GSO packet; or NULL.
 */
struct sk_buff *mptun_run_whole(const struct mptun_tx_cb *cb,
				struct sk_buff *gso)
{
	u32 len = cb->cut.head + mptun_segment_payload(&cb->cut, cb->offset);
	struct sk_buff *skb = mptun_run_buffer(gso->protocol, len);

	if (!skb)
		return NULL;
	skb->dev = gso->dev;
	skb_reset_network_header(skb);
	mptun_segment_write(&cb->cut, gso, cb->offset, skb_put(skb, len));
	*mptun_tx_cb(skb) = (struct mptun_tx_cb){
		.lane = cb->lane,
		.ds = cb->ds,
		.class = cb->class,
		.order = cb->order,
		.keep = cb->keep,
		.tcp = skb_is_gso_tcp(gso),
	};
	return skb;
}

/* Writes a segment without its tag. Returns its length. */
static u32 mptun_run_write(const struct mptun_tx_cb *cb,
			   const struct mptun_packet *first, u32 i, u8 *to)
{
	u32 offset = cb->offset + i * cb->cut.size;
	struct mptun_packet *hdr = (void *)to;

	mptun_run_header(cb, first, i, hdr);
	mptun_segment_write(&cb->cut, cb->gso, offset, to + sizeof(*hdr));
	return sizeof(*hdr) + cb->cut.head +
	       mptun_segment_payload(&cb->cut, offset);
}

/* Writes and encrypts a segment. Returns its length, or a negative error.
 *
 * A cipher that gathers reads the payload from the GSO packet itself.  Then
 * nothing computes a checksum, and the receiver fills it in on demand (NOCSUM).
 */
static int mptun_run_one(const struct mptun_tx_cb *cb,
			 const struct mptun_packet *first, u32 i, u8 *to)
{
	const struct mptun_cipher_key *key = &cb->session->seal;
	u32 offset = cb->offset + i * cb->cut.size;
	struct mptun_packet *hdr = (void *)to;
	const u8 *payload = NULL;
	u32 head, len;
	int err;

	head = sizeof(*hdr) + cb->cut.head;
	len = mptun_segment_payload(&cb->cut, offset);
	if (mptun_cipher_gathers(key))
		payload = mptun_segment_piece(&cb->cut, cb->gso, offset);
	if (payload) {
		mptun_run_header(cb, first, i, hdr);
		hdr->inner.flags_time |= MPTUN_FLAGS(MPTUN_F_NOCSUM);
		mptun_segment_headers(&cb->cut, cb->gso, offset,
				      to + sizeof(*hdr));
		err = mptun_cipher_seal_from(key, to, head, payload, len);
	} else {
		mptun_run_write(cb, first, i, to);
		err = mptun_cipher_seal_at(key, to, head + len);
	}
	return err ?: (int)(head + len + mptun_cipher_tag_of(key));
}

/* Makes the run one packet of UDP segments, in one piece of memory.
 *
 * Asynchronous ciphers take single packets, and some processors access
 * unaligned headers slowly.
 */
static int mptun_run_join(const struct mptun_tx_cb *cb, struct sk_buff *run)
{
	const struct mptun_packet *first = (const void *)run->data;
	const struct mptun_cipher_key *key = &cb->session->seal;
	u32 size = mptun_run_size(&cb->cut), len = 0, i;
	struct skb_shared_info *shinfo = skb_shinfo(run);
	unsigned int order = get_order(cb->count * size);
	struct page *page;
	int ret;

	if (!cb->join || cb->count < 2 || mptun_cipher_async(key) ||
	    (!IS_ENABLED(CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS) &&
	     !IS_ALIGNED(size, sizeof(u32))))
		return -EOPNOTSUPP;
	/* On failure mptun_run_split() uses a buffer for each segment. */
	page = alloc_pages(GFP_ATOMIC | __GFP_COMP | __GFP_NOWARN |
			   __GFP_NORETRY | __GFP_NOMEMALLOC, order);
	if (!page)
		return -ENOMEM;
	for (i = 0; i < cb->count; i++) {
		ret = mptun_run_one(cb, first, i, page_address(page) + len);
		if (ret < 0) {
			__free_pages(page, order);
			return ret;
		}
		len += ret;
	}
	skb_trim(run, 0);
	skb_add_rx_frag(run, 0, page, 0, len, PAGE_SIZE << order);
	shinfo->gso_type = SKB_GSO_UDP_L4;
	shinfo->gso_segs = cb->count;
	shinfo->gso_size = sizeof(*first) + cb->cut.head + cb->cut.size +
			   mptun_cipher_tag_of(key);
	return 0;
}

/* Returns a segment in a buffer of its own, NULL if there is no memory. */
static struct sk_buff *mptun_run_segment(const struct mptun_tx_cb *cb,
					 const struct mptun_packet *first,
					 u32 i)
{
	struct sk_buff *skb;
	int len;

	skb = mptun_run_buffer(cb->gso->protocol, mptun_run_size(&cb->cut));
	if (!skb)
		return NULL;
	if (mptun_cipher_async(&cb->session->seal))
		len = mptun_run_write(cb, first, i, skb->data);
	else
		len = mptun_run_one(cb, first, i, skb->data);
	if (len < 0) {
		kfree_skb(skb);
		return NULL;
	}
	skb_put(skb, len);
	return skb;
}

/* Puts each segment into a buffer of its own, in the run's frag_list. */
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
			mptun_out_dropped(tunnel,
					  MPTUN_A_DROP_STATS_TX_NO_MEMORY, 1);
	}
}

/**
 * mptun_run_seal() - cut and encrypt a run
 * @run: the run, with a session
 *
 * Afterwards the run is either a GSO packet itself, or has its segments in
 * frag_list, not yet encrypted if the cipher is asynchronous.  Counts drops.
 */
void mptun_run_seal(struct sk_buff *run)
{
	struct mptun_packet *first = (void *)run->data;
	struct mptun_tx_cb *cb = mptun_tx_cb(run);

	first->outer.receiver = cpu_to_be32(cb->session->peer_index);
	if (mptun_run_join(cb, run))
		mptun_run_split(cb, run);
	/* Uncharge its socket before the run leaves. */
	consume_skb(cb->gso);
	cb->gso = NULL;
}
