// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Repair symbols of packets that are sent.
 *
 *	mptun_code_mark()	a packet gets its number: whether it is coded
 *	mptun_code_add()	before it is encrypted: its part of the symbols
 *	mptun_code_place()	symbols that are due get a path and a number
 *				(tx/symbol.c)
 *
 * The bytes of a packet are added to the next symbols by the CPU that sends,
 * without mptun_tx.lock: many products of a packet and a coefficient.  So the
 * encoders belong to the owner of mptun_tx.busy, and while nobody has it to the
 * holder of mptun_tx.lock.  Both get packets in the order of their dsns.  With
 * encryption on several CPUs (mptun_parallel_wanted()) they are added under the
 * lock, before the packets are queued in line.
 *
 * What is coded, unless its class says otherwise (code auto): packets for which
 * a retransmission would be late, while their paths lose packets.
 *
 *  - Packets of sparse flows, in any class.  Each is followed by a symbol of it
 *    and of those before it: a copy that covers a burst as well.  Waiting for
 *    more packets to share a symbol would take longer than a retransmission
 *    does.  It is little, as these flows are (sched/sparse.c), and waits for
 *    room only if they do.
 *  - Other packets of classes that want low latency: without order, or with
 *    policy nearest.  They get the overhead that the losses of their paths
 *    require (code/loop.c), up to MPTUN_CODE_SHARE.  TCP does not, as it
 *    retransmits.
 *
 * Bulk flows of other classes are not coded, even with repair off: they take
 * what there is, so symbols would take it from their packets.
 *
 * Segments of a GSO packet are coded if they are packets of their own, which
 * those of a coded class are (mptun_code_run()); runs are not.
 *
 * A symbol is up to MPTUN_SYMBOL_HEAD bytes longer than the longest packet in
 * it.  Packets for which it would not fit into their path are not coded: a
 * smaller MTU of the device for all would cost more.  Fragments are.
 */
#include <net/inet_ecn.h>

#include "core/path.h"
#include "core/session.h"
#include "core/tunnel.h"
#include "tx/run.h"
#include "tx/tx.h"
#include "wire/tcp.h"

/* Largest overhead that losses cause: a third. */
#define MPTUN_CODE_SHARE	(MPTUN_ENCODER_ONE / 3)

/* Tests whether losses decide about the symbols of a class. */
static bool mptun_code_auto(const struct mptun_class *class)
{
	return class->code == MPTUN_CODE_AUTO &&
	       class->policy != MPTUN_CLASS_POLICY_DUPLICATE;
}

/* Tests whether a class has an overhead of its own. */
static bool mptun_code_fixed(const struct mptun_class *class)
{
	return class->code != MPTUN_CODE_AUTO &&
	       class->code <= MPTUN_CLASS_CODE_MAX;
}

/* Tests whether a class asks for low latency, and not for each packet. */
static bool mptun_code_urgent(const struct mptun_class *class)
{
	return !mptun_class_avoids(class) &&
	       mptun_class_keep(class, false) == MPTUN_CLASS_KEEP_NEVER;
}

/* Tests whether a path loses more packets than may be gone. */
static bool mptun_code_loses(const struct mptun_path *path, u64 now)
{
	return now < path->tx.loses_ns &&
	       mptun_code_loss_now(&path->tx.loss) > MPTUN_CODE_RESIDUAL;
}

/**
 * mptun_code_set_classes() - apply changed classes
 * @tunnel: the tunnel
 */
void mptun_code_set_classes(struct mptun_tunnel *tunnel)
{
	const struct mptun_class_list *list = mptun_classify_list(tunnel);
	struct mptun_code_tx *code = &tunnel->tx.code;
	bool fixed = false, follows = false;
	unsigned int id;

	lockdep_assert_held(&tunnel->lock);
	for (id = 0; id < MPTUN_CLASSES_MAX; id++) {
		if (!mptun_class_exists(list, id))
			continue;
		fixed |= mptun_code_fixed(&list->class[id]);
		follows |= mptun_code_auto(&list->class[id]);
	}
	spin_lock_bh(&tunnel->tx.lock);
	code->follows = follows && !fixed;
	if (fixed)
		code->until_ns = U64_MAX;
	else
		code->until_ns = min(code->until_ns, follows ? mptun_now() +
				     MPTUN_RTX_LOSES_NS : 0);
	WRITE_ONCE(code->cuts, 0);
	spin_unlock_bh(&tunnel->tx.lock);
}

/* Tests whether a packet is one of a sparse flow, by the rule of the scheduler
 * (sched/sparse.c), which does not look for these with all policies.  The rate
 * of a path that never had enough to send is that of the flow, and losses end
 * the search for more.  So a path has at least what any new flow sends in its
 * second round trip, twice the initial window (RFC 6928), or in the time of a
 * window if that is longer, unless it had enough to send.  A symbol counts as
 * much as its packet.  Until there is an encoder, no packet is coded.
 */
static bool mptun_code_sparse(const struct mptun_path *path,
			      const struct sk_buff *skb, u16 lane, u64 now)
{
	struct mptun_tx *tx = &path->tunnel->tx;
	struct mptun_coder *coder = tx->code.coder[MPTUN_CODER_SPARSE];
	u64 round = path->tx.rtt.srtt_us * (u64)NSEC_PER_USEC;
	const struct mptun_cc *cc = &path->tx.cc;
	u64 rate, least, seen;

	if (!coder)
		return true;
	coder->last_ns = now;
	least = 2ULL * MPTUN_CC_INITIAL_PACKETS * cc->mss * NSEC_PER_SEC;
	least = div64_u64(least, max(round, MPTUN_CODE_WINDOW_NS));
	seen = mptun_rate_get(&path->tx.rate);
	rate = mptun_cc_rate(cc, seen);
	if (!seen)
		rate = max(rate, least);
	if (rate && mptun_sparse_may(&coder->flows, lane, now))
		return mptun_sparse_charge(&coder->flows, lane, 2 * skb->len,
					   rate, now);
	mptun_sparse_bulk(&coder->flows, lane, now);
	return false;
}

/* Returns the encoder for a packet, or -1 for none.  Acknowledgments of TCP
 * without data need no symbols, as the next one makes up for a loss.
 */
static int mptun_code_which(const struct mptun_path *path,
			    const struct sk_buff *skb, u16 lane, u64 now)
{
	const struct mptun_tx_cb *cb = mptun_tx_cb(skb);
	struct mptun_tunnel *tunnel = path->tunnel;
	u32 len = skb->len - sizeof(struct mptun_packet);
	const struct mptun_class *class;
	u8 buf[MPTUN_TCP_HEADERS];
	const u8 *packet;
	unsigned int at;
	bool tcp;

	class = mptun_classify_of(tunnel, skb);
	if (mptun_code_fixed(class))
		return cb->class;
	if (!mptun_code_auto(class) || cb->again ||
	    cb->keep == MPTUN_CLASS_KEEP_ALWAYS ||
	    cb->keep == MPTUN_CLASS_KEEP_ALONE)
		return -1;
	packet = skb_header_pointer(skb, sizeof(struct mptun_packet),
				    min_t(u32, len, sizeof(buf)), buf);
	tcp = packet && mptun_tcp_find(packet, min_t(u32, len, sizeof(buf)),
				       &at);
	if (tcp && len <= sizeof(buf) && mptun_tcp_bare(packet, len))
		return -1;
	if (mptun_code_loses(path, now) &&
	    mptun_code_sparse(path, skb, lane, now))
		return MPTUN_CODER_SPARSE;
	return !tcp && !cb->tcp && mptun_code_urgent(class) ? cb->class : -1;
}

/* Has the next GSO packets of a kind cut if the segments of a run would be
 * coded as packets of their own.
 */
static void mptun_code_run(const struct mptun_path *path,
			   const struct sk_buff *run, u64 now)
{
	const struct mptun_class *class = mptun_classify_of(path->tunnel, run);
	struct mptun_code_tx *code = &path->tunnel->tx.code;
	const struct mptun_tx_cb *cb = mptun_tx_cb(run);
	bool tcp = skb_is_gso_tcp(cb->gso);

	if (!mptun_code_fixed(class) &&
	    (!mptun_code_auto(class) || cb->again ||
	     !mptun_code_urgent(class) || tcp || !mptun_code_loses(path, now)))
		return;
	if (mptun_symbol_fits(mptun_run_placed(run, 0),
			      mptun_path_inner_mtu(path)))
		WRITE_ONCE(code->cuts,
			   code->cuts | MPTUN_CODE_CUT(cb->class, tcp));
}

/* Follows the packets of an encoder: how many of them are in the time that a
 * symbol covers, and how many symbols they need.
 */
static void mptun_code_follow(struct mptun_coder *coder,
			      const struct mptun_class *class,
			      const struct mptun_path *path, bool sparse,
			      u64 now)
{
	u64 gap = min(now - coder->last_ns, MPTUN_CODE_WINDOW_NS);
	u32 window = MPTUN_REPAIR_MEMBERS, overhead;

	coder->gap_ns += ((s64)gap - (s64)coder->gap_ns) >> 4;
	coder->last_ns = now;
	coder->passes = sparse && path->tunnel->tx.code.passes;
	coder->paths[coder->packets++ % MPTUN_REPAIR_MEMBERS] = path->wire_id;
	mptun_code_loss_mix(&coder->loss, &path->tx.loss);
	if (sparse) {
		window = MPTUN_CODE_SPARSE;
		overhead = MPTUN_ENCODER_ONE;
	} else {
		if (coder->gap_ns)
			window = clamp_t(u64, div64_u64(MPTUN_CODE_WINDOW_NS,
							coder->gap_ns),
					 MPTUN_CODE_SPARSE, window);
		overhead = mptun_code_fixed(class) ?
			   MPTUN_ENCODER_ONE * class->code / 100 :
			   min(mptun_code_overhead(&coder->loss, window),
			       MPTUN_CODE_SHARE);
	}
	WRITE_ONCE(coder->window, window);
	WRITE_ONCE(coder->overhead, overhead);
}

/**
 * mptun_code_mark() - decide whether a packet is coded
 * @path: its path
 * @skb: the packet or run, with its header: a first transmission of DATA, after
 *	mptun_duplicate()
 * @lane: its lane
 * @now: time in ns
 */
void mptun_code_mark(struct mptun_path *path, struct sk_buff *skb, u16 lane,
		     u64 now)
{
	struct mptun_tunnel *tunnel = path->tunnel;
	struct mptun_packet *hdr = (void *)skb->data;
	struct mptun_tx_cb *cb = mptun_tx_cb(skb);
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_code_tx *code = &tx->code;
	struct mptun_session *session;
	struct mptun_coder *coder;
	int id;

	lockdep_assert_held(&tx->lock);
	session = rcu_dereference(tx->session);
	if (now >= code->until_ns)
		code->until_ns = 0;
	if (!code->until_ns || !session || !session->peer_repair) {
		WRITE_ONCE(code->cuts, 0);
		return;
	}
	if (cb->gso) {
		mptun_code_run(path, skb, now);
		return;
	}
	id = mptun_code_which(path, skb, lane, now);
	if (id < 0)
		return;
	if (!mptun_symbol_fits(skb->len - sizeof(struct mptun_packet),
			       mptun_path_inner_mtu(path))) {
		tx->classes[cb->class].uncoded++;
		return;
	}
	coder = code->coder[id];
	if (!coder) {
		if (now >= code->retry_ns &&
		    !__test_and_set_bit(id, &code->wanted))
			mptun_tunnel_kick(tunnel);
		return;
	}
	mptun_code_follow(coder, mptun_classify_of(tunnel, skb), path,
			  id == MPTUN_CODER_SPARSE, now);
	coder->ds = cb->ds & ~INET_ECN_MASK;
	coder->class = cb->class;
	if (!coder->overhead) {
		WRITE_ONCE(code->cuts,
			   code->cuts & ~(MPTUN_CODE_CUT(cb->class, false) |
					  MPTUN_CODE_CUT(cb->class, true)));
		return;
	}
	cb->code = id == MPTUN_CODER_SPARSE ? MPTUN_CODE_MARK_SPARSE :
					      MPTUN_CODE_MARK_CLASS;
	hdr->inner.flags_time |= MPTUN_FLAGS(MPTUN_F_CODED);
	tx->classes[cb->class].coded++;
	code->marked++;
}

/* Adds a packet to the symbols of its encoder. */
static void mptun_code_packet(struct mptun_coder *coder, u32 assoc,
			      const struct sk_buff *skb, bool sparse, u64 now)
{
	const struct mptun_packet *hdr = (const void *)skb->data;
	struct mptun_code_piece piece = {
		.data = (const u8 *)(hdr + 1),
		.len = skb->len - sizeof(*hdr),
	};
	struct mptun_code_packet packet = {
		.dsn = be32_to_cpu(hdr->inner.dsn),
		.prev = be16_to_cpu(hdr->inner.prev),
		.flags = be32_to_cpu(hdr->inner.flags_time) >> MPTUN_TIME_BITS,
		.class = hdr->inner.kind_class & MPTUN_CLASS_MASK,
		.pieces = 1,
		.piece = &piece,
	};
	struct mptun_encoder *e = &coder->encoder;

	if (skb_is_nonlinear(skb)) {
		skb_copy_bits(skb, sizeof(*hdr), coder->scratch, piece.len);
		piece.data = coder->scratch;
	}
	/* The dsns begin again with an association.  Of sparse flows each
	 * packet has its symbol, which need not be long for another flow.
	 */
	if (now > coder->added_ns + MPTUN_CODE_WINDOW_NS ||
	    coder->assoc != assoc ||
	    (sparse && mptun_encoder_longest(e) > 2 * skb->len))
		mptun_encoder_reset(e);
	coder->added_ns = now;
	coder->assoc = assoc;
	mptun_encoder_set(e, READ_ONCE(coder->overhead),
			  READ_ONCE(coder->window), MPTUN_ENCODER_DENSE);
	if (mptun_encoder_add(e, &packet, now) == -EINVAL) {
		mptun_encoder_reset(e);
		mptun_encoder_add(e, &packet, now);
	}
}

/**
 * mptun_code_add() - add packets to repair symbols
 * @tunnel: the tunnel
 * @list: packets in the order of their numbers, not encrypted; those that are
 *	marked are added
 *
 * Called by the owner of the encoders.
 */
void mptun_code_add(struct mptun_tunnel *tunnel,
		    const struct sk_buff_head *list)
{
	struct mptun_coder **coders = tunnel->tx.code.coder;
	u32 assoc = READ_ONCE(tunnel->assoc.count);
	const struct mptun_tx_cb *cb;
	struct mptun_coder *coder;
	u64 now = mptun_now();
	struct sk_buff *skb;
	bool sparse;

	skb_queue_walk(list, skb) {
		cb = mptun_tx_cb(skb);
		/* what is too big for all paths has no number */
		if (cb->parallel.err || !cb->code)
			continue;
		sparse = cb->code == MPTUN_CODE_MARK_SPARSE;
		coder = READ_ONCE(coders[sparse ? MPTUN_CODER_SPARSE :
						  cb->class]);
		if (coder)
			mptun_code_packet(coder, assoc, skb, sparse, now);
	}
}
