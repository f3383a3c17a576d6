// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Fuzzer of the reordering ring with all its settings: every packet comes out
 * once or is refused, no deadline stands still, and what the ring says to hold
 * it holds.  Atomic allocations fail now and then.
 */
#include "fuzz.h"
#include "reorder/reorder.h"

#define FUZZ_PACKETS	4096

/**
 * struct fuzz_ring - the ring and what is in it
 * @r: the ring
 * @out: what it released
 * @now: the clock, in ns
 * @made: packets made so far, which numbers them
 * @live: those of them that the ring has
 * @held: how many those are
 */
struct fuzz_ring {
	struct mptun_reorder r;
	struct sk_buff_head out;
	u64 now;
	u32 made;
	bool live[FUZZ_PACKETS];
	u32 held;
};

static void fuzz_collect(struct fuzz_ring *f)
{
	struct sk_buff *skb;
	u32 bytes = 0, i;

	while ((skb = __skb_dequeue(&f->out)) != NULL) {
		FUZZ_CHECK(f->live[skb->mark]);
		f->live[skb->mark] = false;
		f->held--;
		kfree_skb(skb);
	}
	FUZZ_CHECK(f->r.held == f->held);
	for (i = 0; i < MPTUN_REORDER_LISTS; i++)
		for (skb = f->r.list[i].next; skb != (void *)&f->r.list[i];
		     skb = skb->next)
			bytes += skb->truesize;
	FUZZ_CHECK(f->r.bytes == bytes);
	FUZZ_CHECK(mptun_reorder_room(&f->r) <= MPTUN_REORDER_SLOTS_MAX);
}

static u32 fuzz_dsn(struct fuzz_ring *f, struct fuzz_in *in)
{
	u8 how = fuzz_take(in, 1);

	if (how == 0xff)
		return fuzz_take(in, 4);
	if (how == 0xfe)
		return f->r.next + (s16)fuzz_take(in, 2) * 16;
	if (how & 0x80)
		return f->r.next + (s8)(how << 1);
	return f->r.next + (how & 3);
}

static void fuzz_insert(struct fuzz_ring *f, struct fuzz_in *in)
{
	struct mptun_reorder_pkt p = { .dsn = fuzz_dsn(f, in) };
	u8 how = fuzz_take(in, 1);
	struct sk_buff *skb;

	p.copy = how & 1;
	p.repairable = how & 2;
	p.prev = how & 4 ? fuzz_take(in, 2) : how >> 3;
	if (how & 4 && mptun_reorder_filter(&f->r, p.dsn, f->now) ==
	    MPTUN_REORDER_RESTART)
		mptun_reorder_restart(&f->r, p.dsn, f->now, &f->out);
	skb = fuzz_alloc(sizeof(*skb), GFP_KERNEL);
	skb->truesize = how & 1 ? 768 : 2304;
	skb->mark = f->made++;
	f->live[skb->mark] = true;
	f->held++;
	if (mptun_reorder_insert(&f->r, skb, &p, f->now, &f->out) >=
	    MPTUN_VERDICT_DUPLICATE) {
		f->live[skb->mark] = false;
		f->held--;
		kfree_skb(skb);
	}
}

static void fuzz_configure(struct fuzz_ring *f, struct fuzz_in *in)
{
	struct mptun_reorder_config c = {
		.mode = fuzz_take(in, 1) % (MPTUN_REORDER_MODE_PSMC + 1),
		.hold_us = fuzz_take(in, 3) % (MPTUN_HOLD_MAX_US + 1),
		.limit_bytes = 65536 << fuzz_take(in, 1) % 8,
	};

	mptun_reorder_configure(&f->r, &c, f->now, &f->out);
}

/* A proof of what could be, or of what could not. */
static void fuzz_prove(struct fuzz_ring *f, struct fuzz_in *in)
{
	struct mptun_gap b = { .before = fuzz_dsn(f, in) };
	u32 span = fuzz_take(in, 2) + 2;

	b.after = b.before - span;
	b.lost = 1 + fuzz_take(in, 1) % (span - 1);
	mptun_reorder_prove(&f->r, &b, f->now, &f->out);
}

static void fuzz_psmc(struct fuzz_ring *f, struct fuzz_in *in)
{
	struct mptun_psmc_path path[4];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(path); i++) {
		path[i].owd_us = fuzz_take(in, 3);
		path[i].rate_pps = fuzz_take(in, 4);
	}
	mptun_reorder_psmc(&f->r, path, ARRAY_SIZE(path), fuzz_take(in, 2),
			   f->now, &f->out);
}

static void fuzz_expire(struct fuzz_ring *f, u64 ns)
{
	f->now += ns;
	mptun_reorder_expire(&f->r, f->now, &f->out);
	FUZZ_CHECK(mptun_reorder_deadline(&f->r) > f->now);
}

static void fuzz_step(struct fuzz_ring *f, struct fuzz_in *in)
{
	switch (fuzz_take(in, 1) & 31) {
	case 0:
		fuzz_configure(f, in);
		break;
	case 1:
		mptun_reorder_floor(&f->r, fuzz_dsn(f, in), f->now, &f->out);
		break;
	case 2:
		fuzz_prove(f, in);
		break;
	case 3:
		fuzz_expire(f, fuzz_take(in, 2) * NSEC_PER_USEC);
		break;
	case 4:
		fuzz_expire(f, fuzz_take(in, 2) * NSEC_PER_MSEC);
		break;
	case 5:
		mptun_reorder_set_hold(&f->r, fuzz_take(in, 3));
		break;
	case 6:
		fuzz_psmc(f, in);
		break;
	case 7:
		mptun_reorder_idle(&f->r);
		break;
	case 8:
		mptun_reorder_start(&f->r, fuzz_take(in, 4), &f->out);
		break;
	default:
		fuzz_insert(f, in);
		break;
	}
	fuzz_collect(f);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	struct fuzz_in in = { .data = data, .len = len };
	static struct fuzz_ring f;

	memset(&f, 0, sizeof(f));
	__skb_queue_head_init(&f.out);
	f.now = NSEC_PER_SEC;
	fuzz_failures = fuzz_take(&in, 1) * 0x0000010000000001ULL;
	FUZZ_CHECK(!mptun_reorder_init(&f.r));
	mptun_reorder_start(&f.r, fuzz_take(&in, 4), &f.out);
	fuzz_configure(&f, &in);
	while (in.len && f.made < FUZZ_PACKETS)
		fuzz_step(&f, &in);
	mptun_reorder_start(&f.r, 0, &f.out);
	fuzz_collect(&f);
	FUZZ_CHECK(!f.held);
	mptun_reorder_destroy(&f.r);
	return 0;
}
