// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Fuzzer of PACKETs after decryption: a tunnel with a few paths, each of which
 * has sent packets of its own, receives a series of them.
 *
 * An input is a series of lengths (2 bytes) and PACKETs without their tags.  It
 * ends with the memory it lies in, so that ASAN detects reads behind it.
 */
#include "reorder/loss_proof.h"
#include "fuzz.h"
#include "wire/parse.h"
#include "base/skb_cb.h"
#include "reorder/assemble.h"
#include "reorder/ack_ranges.h"
#include "recovery/rate_sample.h"
#include "reorder/reorder.h"
#include "reorder/replay.h"
#include "recovery/sent.h"
#include "reorder/owd.h"
#include "sched/policy.h"

#define FUZZ_PATHS	4
#define FUZZ_SENT	200
/* One in this number of packets keeps something. */
#define FUZZ_KEPT	3
#define FUZZ_BRACKETS	4

/**
 * struct fuzz_path - what a path has of both directions
 * @sent: what it sent
 * @kept: packets of which something is kept
 * @rtt: its round-trip time
 * @rate: rate of its delivery
 * @window: numbers received
 * @map: bits of that
 * @ranges: the same as ranges
 * @evidence: what it lost
 * @owd: its delay
 * @in: what the peer says about its use
 * @out: what we say
 */
struct fuzz_path {
	struct mptun_sent sent;
	u32 kept;
	struct mptun_rtt rtt;
	struct mptun_rate rate;
	struct mptun_replay window;
	u64 map[MPTUN_REPLAY_BITS / MPTUN_REPLAY_WORD_BITS];
	struct mptun_ranges ranges;
	struct mptun_loss_proof loss_proof;
	struct mptun_owd owd;
	struct mptun_policy_in in;
	struct mptun_policy_out out;
};

/**
 * struct fuzz_tunnel - an end
 * @path: its paths; number 0 is about no path
 * @reorder: what puts data in order
 * @caps: rates of classes
 * @assemble: what joins fragments behind that
 * @now: its clock, in ns
 * @live: packets that have neither been released nor refused
 */
struct fuzz_tunnel {
	struct fuzz_path path[FUZZ_PATHS];
	struct mptun_reorder reorder;
	struct mptun_class_rates class_rates;
	struct mptun_assemble assemble;
	u64 now;
	u32 live;
};

static struct fuzz_path *fuzz_path(struct fuzz_tunnel *t, u16 id)
{
	return id && id < FUZZ_PATHS ? &t->path[id] : NULL;
}

/* Sends a packet, and keeps something of some. */
static void fuzz_send(struct fuzz_path *path, u32 dsn, u64 now)
{
	struct sk_buff *skb;
	u64 number;

	if (!mptun_sent_can_add(&path->sent))
		return;
	number = mptun_sent_add(&path->sent, dsn, 1400, now);
	if (dsn % FUZZ_KEPT || !mptun_sent_can_keep(&path->sent))
		return;
	skb = kzalloc(sizeof(*skb), GFP_KERNEL);
	skb->mark = number;
	mptun_sent_keep(&path->sent, number, 1, skb);
	path->kept++;
}

static void fuzz_begin(struct fuzz_tunnel *t)
{
	struct mptun_reorder_config config = {
		.mode = MPTUN_REORDER_MODE_ADAPTIVE,
		.hold_us = 200000,
		.limit_bytes = 1 << 20,
	};
	struct sk_buff_head out;
	int i, n;

	memset(t, 0, sizeof(*t));
	t->now = 100 * NSEC_PER_SEC;
	for (i = 0; i < FUZZ_PATHS; i++) {
		struct fuzz_path *path = &t->path[i];

		FUZZ_CHECK(!mptun_sent_init(&path->sent));
		mptun_sent_reset(&path->sent, 0);
		mptun_rtt_init(&path->rtt);
		mptun_rate_init(&path->rate);
		mptun_replay_init(&path->window, path->map,
				  MPTUN_REPLAY_BITS);
		mptun_ranges_init(&path->ranges);
		mptun_loss_proof_init(&path->loss_proof);
		mptun_owd_init(&path->owd);
		for (n = 0; n < FUZZ_SENT; n++)
			fuzz_send(path, n, t->now + n * NSEC_PER_MSEC);
	}
	t->now += FUZZ_SENT * NSEC_PER_MSEC;
	__skb_queue_head_init(&out);
	FUZZ_CHECK(!mptun_reorder_init(&t->reorder));
	mptun_reorder_configure(&t->reorder, &config, t->now, &out);
	mptun_reorder_start(&t->reorder, 0, &out);
}

/* Takes a packet in order; a fragment goes into reassembly. */
static void fuzz_ready(struct fuzz_tunnel *t, struct sk_buff *skb)
{
	struct mptun_frag frag = {
		.index = skb->mark >> 24,
		.count = skb->mark >> 16,
		.len = cpu_to_be16(skb->mark),
	};
	struct sk_buff_head whole, dropped;
	u32 bytes = t->assemble.bytes;

	if (!mptun_rxcb(skb)->frag) {
		kfree_skb(skb);
		return;
	}
	__skb_queue_head_init(&whole);
	__skb_queue_head_init(&dropped);
	if (mptun_assemble_add(&t->assemble, mptun_rxcb(skb)->dsn, &frag, skb,
			       t->now, &whole, &dropped))
		FUZZ_CHECK(t->assemble.bytes < bytes);
	else
		FUZZ_CHECK(skb_queue_empty(&whole));
	__skb_queue_purge(&whole);
	__skb_queue_purge(&dropped);
	FUZZ_CHECK(t->assemble.used <= MPTUN_ASSEMBLE_SLOTS);
	FUZZ_CHECK(!t->assemble.used == !t->assemble.bytes);
}

static void fuzz_released(struct fuzz_tunnel *t, struct sk_buff_head *out)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(out)) != NULL) {
		FUZZ_CHECK(t->live);
		t->live--;
		fuzz_ready(t, skb);
	}
	FUZZ_CHECK(t->reorder.held == t->live);
}

/* Takes what is no longer kept, of which no packet may be outstanding. */
static void fuzz_take_back(struct fuzz_path *path, struct sk_buff_head *list,
			   bool outstanding)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(list)) != NULL) {
		FUZZ_CHECK(path->kept);
		FUZZ_CHECK(outstanding ==
			   mptun_sent_outstanding(&path->sent, skb->mark));
		path->kept--;
		kfree_skb(skb);
	}
}

static void fuzz_end(struct fuzz_tunnel *t)
{
	struct sk_buff_head out;
	int i;

	for (i = 0; i < FUZZ_PATHS; i++) {
		struct fuzz_path *path = &t->path[i];

		mptun_sent_requeue(&path->sent);
		fuzz_take_back(path, &path->sent.lost, true);
		FUZZ_CHECK(!path->kept);
		mptun_sent_destroy(&path->sent);
	}
	__skb_queue_head_init(&out);
	mptun_reorder_start(&t->reorder, 0, &out);
	fuzz_released(t, &out);
	FUZZ_CHECK(!t->live);
	mptun_assemble_flush(&t->assemble, &out);
	__skb_queue_purge(&out);
	FUZZ_CHECK(!t->assemble.used && !t->assemble.bytes);
	mptun_reorder_destroy(&t->reorder);
}

/* --- what we have sent */

static void fuzz_check_sent(struct fuzz_path *path)
{
	struct mptun_sent *s = &path->sent;

	fuzz_take_back(path, &s->arrived, false);
	fuzz_take_back(path, &s->lost, false);
	FUZZ_CHECK(s->first <= s->oldest && s->oldest <= s->next);
	FUZZ_CHECK(s->next - s->first <= mptun_ring_size(&s->ring));
	FUZZ_CHECK(s->in_flight == s->packets * 1400);
	FUZZ_CHECK((s->oldest == s->next) == !s->packets);
	FUZZ_CHECK(s->threshold <= MPTUN_SENT_PACKETS_MAX);
	FUZZ_CHECK(s->eighths <= MPTUN_SENT_EIGHTHS_MAX);
}

static int fuzz_ack(struct fuzz_tunnel *t, u16 from, const u8 *data,
		    unsigned int len)
{
	const struct mptun_ack *ack = mptun_parse_ack(data, len);
	struct mptun_ack_span spans[MPTUN_RANGES_MAX];
	struct mptun_sent_origin origin;
	struct mptun_sent_result res;
	struct fuzz_path *path;
	u32 packets;
	int err;

	if (!ack)
		return -EINVAL;
	path = fuzz_path(t, be16_to_cpu(ack->path));
	if (!path)
		return 0;
	if (mptun_parse_spans(ack, spans))
		return -EINVAL;
	origin = (struct mptun_sent_origin){
		.arrival_us = be32_to_cpu(ack->arrival),
		.delay_us = be32_to_cpu(ack->delay),
		.same_path = from == be16_to_cpu(ack->path),
	};
	packets = path->sent.packets;
	err = mptun_sent_ack(&path->sent, spans, ack->ranges, t->now,
			     &path->rtt, &origin, &res);
	FUZZ_CHECK(res.acked_packets + res.lost_packets ==
		   packets - path->sent.packets);
	fuzz_check_sent(path);
	if (err)
		return err;
	mptun_rate_report(&path->rate, be64_to_cpu(ack->bytes),
			  be32_to_cpu(ack->arrival), &path->rtt,
			  ack->bytes & cpu_to_be64(1));
	mptun_rate_get(&path->rate);
	return 0;
}

/* --- what the peer has sent */

static int fuzz_floor(struct fuzz_tunnel *t, const u8 *data, unsigned int len)
{
	const struct mptun_floor *floor = (const void *)data;
	struct fuzz_path *path;
	u64 number;

	if (len != sizeof(*floor))
		return -EINVAL;
	number = be64_to_cpu(floor->number);
	path = fuzz_path(t, be16_to_cpu(floor->path));
	if (!path)
		return 0;
	if (number > path->window.next + MPTUN_SENT_MAX)
		return -EINVAL;
	mptun_ranges_prune(&path->ranges, number);
	return 0;
}

static int fuzz_settled(struct fuzz_tunnel *t, const u8 *data,
			unsigned int len)
{
	const struct mptun_settled *settled = (const void *)data;
	struct sk_buff_head out;

	if (len != sizeof(*settled))
		return -EINVAL;
	__skb_queue_head_init(&out);
	mptun_reorder_floor(&t->reorder, be32_to_cpu(settled->dsn), t->now,
			    &out);
	fuzz_released(t, &out);
	return 0;
}

static void fuzz_policy(struct fuzz_tunnel *t, const u8 *data)
{
	const struct mptun_path_policy *block = (const void *)data;
	struct fuzz_path *path = fuzz_path(t, be16_to_cpu(block->path));
	u32 version = be32_to_cpu(block->version);
	char name[MPTUN_PATH_NAME_MAX + 1];

	if (!path)
		return;
	if (block->flags & MPTUN_POLICY_ACK) {
		mptun_policy_answered(&path->out.send, version, true);
		FUZZ_CHECK(path->out.send.acked <= path->out.send.version);
		return;
	}
	mptun_policy_receive(&path->in, block);
	FUZZ_CHECK(path->in.recv.version >= version);
	FUZZ_CHECK(path->in.said.weight);
	FUZZ_CHECK(strlen(path->in.said.name) <= MPTUN_PATH_NAME_MAX);
	mptun_policy_name(name, path->in.said.name, version % 98 + 2);
	FUZZ_CHECK(strlen(name) <= MPTUN_PATH_NAME_MAX);
	/* What is read can be said, and is read again. */
	mptun_policy_say(&path->out, &path->in.said, t->now);
	mptun_policy_sent(&path->out.send, t->now);
	FUZZ_CHECK(path->out.send.due_ns > t->now);
}

static void fuzz_caps(struct fuzz_tunnel *t, const u8 *data)
{
	const struct mptun_caps_head *head = (const void *)data;
	struct mptun_class_key key = { .protocol = 17, .dest = 53 };

	if (head->flags & MPTUN_POLICY_ACK)
		return;
	mptun_class_rates_receive(&t->class_rates, head);
	FUZZ_CHECK(t->class_rates.heard.n <= MPTUN_CAPS_MAX);
	FUZZ_CHECK(mptun_class_rates_match(&t->class_rates.heard, &key) <
		   (int)t->class_rates.heard.n);
}

static int fuzz_blocks(struct fuzz_tunnel *t, u16 from, const u8 *data,
		       unsigned int len)
{
	struct mptun_parse_block b;
	bool good = mptun_parse_blocks(data, len) >= 0;
	unsigned int before = len;
	int err = 0;

	while (len && !err) {
		err = mptun_parse_next(&data, &len, &b);
		if (err)
			break;
		FUZZ_CHECK(before - len == b.len + sizeof(struct mptun_block));
		before = len;
		if (b.type == MPTUN_BLOCK_ACK)
			err = fuzz_ack(t, from, b.data, b.len);
		else if (b.type == MPTUN_BLOCK_FLOOR)
			err = fuzz_floor(t, b.data, b.len);
		else if (b.type == MPTUN_BLOCK_SETTLED)
			err = fuzz_settled(t, b.data, b.len);
		else if (good && b.type == MPTUN_BLOCK_POLICY)
			fuzz_policy(t, b.data);
		else if (good && b.type == MPTUN_BLOCK_CAPS)
			fuzz_caps(t, b.data);
	}
	return err;
}

static void fuzz_prove(struct fuzz_tunnel *t, const struct mptun_gap *b,
		       unsigned int n, struct sk_buff_head *out)
{
	FUZZ_CHECK(n <= FUZZ_BRACKETS);
	while (n--) {
		FUZZ_CHECK((s32)(b->before - b->after) > 0);
		FUZZ_CHECK(b->lost && b->lost < b->before - b->after);
		mptun_reorder_prove(&t->reorder, b++, t->now, out);
	}
}

static void fuzz_order(struct fuzz_tunnel *t, struct fuzz_path *path,
		       const struct mptun_inner *inner, u64 number, u8 flags,
		       const struct mptun_frag *frag)
{
	struct mptun_gap b[FUZZ_BRACKETS];
	struct mptun_arrival arrival = {
		.pn = number,
		.dsn = be32_to_cpu(inner->dsn),
		.fseq = inner->fseq,
		.copy = flags & MPTUN_F_COPY,
	};
	struct mptun_reorder_pkt pkt = {
		.dsn = arrival.dsn,
		.prev = be16_to_cpu(inner->prev),
		.copy = arrival.copy,
		.repairable = flags & MPTUN_F_REPAIRABLE,
	};
	struct sk_buff_head out;
	struct sk_buff *skb;
	unsigned int n;

	__skb_queue_head_init(&out);
	if (mptun_reorder_filter(&t->reorder, pkt.dsn, t->now) ==
	    MPTUN_REORDER_RESTART)
		mptun_reorder_restart(&t->reorder, pkt.dsn, t->now, &out);
	n = mptun_loss_proof_receive(&path->loss_proof, &arrival, t->now, b,
				     FUZZ_BRACKETS);
	skb = fuzz_alloc(sizeof(*skb), GFP_KERNEL);
	skb->truesize = 2304;
	mptun_rxcb(skb)->dsn = pkt.dsn;
	mptun_rxcb(skb)->frag = frag;
	if (frag)
		skb->mark = frag->index << 24 | frag->count << 16 |
			    be16_to_cpu(frag->len);
	t->live++;
	if (mptun_reorder_insert(&t->reorder, skb, &pkt, t->now, &out) >=
	    MPTUN_VERDICT_DUPLICATE) {
		t->live--;
		kfree_skb(skb);
	}
	fuzz_prove(t, b, n, &out);
	fuzz_released(t, &out);
}

static int fuzz_data(struct fuzz_tunnel *t, u16 id, u64 number,
		     const struct mptun_inner *inner, const u8 *body,
		     size_t len)
{
	u32 flags_time = be32_to_cpu(inner->flags_time);
	struct fuzz_path *path = fuzz_path(t, id);
	u8 flags = flags_time >> MPTUN_TIME_BITS;
	const struct mptun_frag *frag = NULL;
	unsigned int size;
	__be16 protocol;

	if (!path)
		return -ENOENT;
	if (flags & MPTUN_F_BLOCKS) {
		if (len < sizeof(__be16))
			return -EINVAL;
		size = body[0] << 8 | body[1];
		if (len < sizeof(__be16) + size)
			return -EINVAL;
		if (fuzz_blocks(t, id, body + sizeof(__be16), size))
			return -EINVAL;
		body += sizeof(__be16) + size;
		len -= sizeof(__be16) + size;
	}
	if (flags & MPTUN_F_FRAG) {
		frag = mptun_parse_frag(body, len);
		if (!frag)
			return -EINVAL;
		FUZZ_CHECK(frag->index < frag->count &&
			   frag->count <= MPTUN_FRAGS_MAX);
	} else {
		size = mptun_parse_inner(body, len, &protocol);
		if (!size || size > len)
			return -EINVAL;
	}
	if (!mptun_replay_update(&path->window, number))
		return -EEXIST;
	mptun_ranges_add(&path->ranges, number);
	if (!(flags & MPTUN_F_COPY))
		mptun_owd_update(&path->owd, flags_time & MPTUN_TIME_MASK,
				 t->now);
	fuzz_order(t, path, inner, number, flags, frag);
	return 0;
}

static int fuzz_packet(struct fuzz_tunnel *t, const u8 *data, size_t len)
{
	const struct mptun_packet *hdr = (const void *)data;
	struct mptun_repair_window window;
	struct mptun_inner inner;
	u64 number;
	u8 flags;
	u16 id;

	if (len < sizeof(*hdr) || !mptun_parse_outer((const void *)data) ||
	    hdr->outer.type != MPTUN_TYPE_PACKET)
		return -EINVAL;
	number = be64_to_cpu(hdr->outer.number);
	id = number >> MPTUN_NUMBER_PATH_SHIFT;
	inner = hdr->inner;
	flags = be32_to_cpu(inner.flags_time) >> MPTUN_TIME_BITS;
	if (!mptun_parse_known(inner.kind_class >> 4,
			       number & MPTUN_NUMBER_CONTROL, flags))
		return -EINVAL;
	data += sizeof(*hdr);
	len -= sizeof(*hdr);
	switch (inner.kind_class >> 4) {
	case MPTUN_KIND_DATA:
		return fuzz_data(t, id, number & MPTUN_NUMBER_PN_MASK,
				 &inner, data, len);
	case MPTUN_KIND_REPAIR:
		return mptun_parse_repair(be32_to_cpu(inner.dsn), data, len,
					  &window);
	case MPTUN_KIND_REPORT:
	case MPTUN_KIND_SET:
		return fuzz_blocks(t, id, data, len);
	case MPTUN_KIND_PROBE:
		return mptun_parse_probe(data, len) ? 0 : -EINVAL;
	default:
		return 0;
	}
}

/* What timers do. */
static void fuzz_time(struct fuzz_tunnel *t, u64 ns)
{
	struct mptun_gap b[FUZZ_BRACKETS];
	struct mptun_sent_result res;
	struct sk_buff_head out;
	int i;

	t->now += ns;
	__skb_queue_head_init(&out);
	for (i = 1; i < FUZZ_PATHS; i++) {
		struct fuzz_path *path = &t->path[i];

		if (mptun_sent_loss_deadline(&path->sent) <= t->now)
			mptun_sent_detect(&path->sent, &path->rtt, t->now,
					  &res);
		fuzz_check_sent(path);
		fuzz_prove(t, b, mptun_loss_proof_expire(&path->loss_proof,
							 t->now, b,
							 FUZZ_BRACKETS), &out);
	}
	mptun_reorder_expire(&t->reorder, t->now, &out);
	fuzz_released(t, &out);
	FUZZ_CHECK(mptun_reorder_deadline(&t->reorder) > t->now);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	struct fuzz_in in = { .data = data, .len = len };
	struct fuzz_tunnel t;
	size_t n;
	u8 *p;

	fuzz_failures = fuzz_take(&in, 1) * 0x0100000000010001ULL;
	fuzz_begin(&t);
	while (in.len) {
		n = fuzz_take(&in, 2);
		p = fuzz_copy(&in, &n);
		fuzz_packet(&t, p, n);
		/* up to 65 ms, by what it does not depend on */
		fuzz_time(&t, n >= sizeof(struct mptun_outer) ?
			  (u64)(p[4] << 8 | p[5]) * NSEC_PER_USEC : 0);
		free(p);
	}
	fuzz_end(&t);
	return 0;
}
