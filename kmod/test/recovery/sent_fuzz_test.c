// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Random operations on the records of a path, against a naive model.
 */
#include <kunit/test.h>
#include <linux/time64.h>

#include "test/recovery/sent_fuzz.h"

#define MPTUN_FUZZ_RUN		8U	/* more than one skb is kept of */
#define MPTUN_FUZZ_STEPS	100000

/* One skb is kept of the last n packets. Its mark has the first one, and n. */
static void mptun_fuzz_keep(struct kunit *test, struct mptun_fuzz *f, u32 n)
{
	u64 first = f->next - n, i;
	struct sk_buff *skb;

	skb = alloc_skb(0, GFP_ATOMIC);
	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb->mark = (u32)first % MPTUN_FUZZ_PACKETS * MPTUN_FUZZ_RUN + n;
	KUNIT_ASSERT_TRUE(test, mptun_sent_can_keep(&f->s));
	mptun_sent_keep(&f->s, first, n, skb);
	for (i = first; i < f->next; i++) {
		mptun_fuzz_packet(f, i)->kept = true;
		mptun_fuzz_packet(f, i)->run = first;
	}
	f->kept++;
}

static struct sk_buff *mptun_fuzz_part(struct mptun_sent *s,
				       const struct sk_buff *skb, u32 i)
{
	struct sk_buff *part = alloc_skb(0, GFP_ATOMIC);

	if (!part)
		return NULL;
	part->mark = (skb->mark / MPTUN_FUZZ_RUN + i) % MPTUN_FUZZ_PACKETS *
		     MPTUN_FUZZ_RUN;
	return part;
}

/* An skb comes back when none of its packets is outstanding. */
static void mptun_fuzz_take_arrived(struct kunit *test, struct mptun_fuzz *f)
{
	struct mptun_fuzz_packet *p;
	struct sk_buff *skb;
	u32 first, n;

	while ((skb = __skb_dequeue(&f->s.arrived))) {
		first = skb->mark / MPTUN_FUZZ_RUN;
		n = skb->mark % MPTUN_FUZZ_RUN;
		kfree_skb(skb);
		KUNIT_ASSERT_GT(test, n, 0U);
		while (n--) {
			p = &f->packets[(first + n) % MPTUN_FUZZ_PACKETS];
			KUNIT_ASSERT_NE(test, p->state, MPTUN_FUZZ_OUT);
			if (p->kept)
				KUNIT_ASSERT_EQ(test, p->state,
						MPTUN_FUZZ_ACKED);
			p->kept = false;
		}
		f->kept--;
	}
}

/* A lost packet comes back on its own, and once. */
static void mptun_fuzz_take_lost(struct kunit *test, struct mptun_fuzz *f)
{
	struct mptun_fuzz_packet *p;
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(&f->s.lost))) {
		p = &f->packets[skb->mark / MPTUN_FUZZ_RUN];
		KUNIT_ASSERT_LE(test, skb->mark % MPTUN_FUZZ_RUN, 1U);
		f->kept -= skb->mark % MPTUN_FUZZ_RUN;
		kfree_skb(skb);
		KUNIT_ASSERT_TRUE(test, p->kept);
		KUNIT_ASSERT_GE(test, p->state, MPTUN_FUZZ_LOST);
		p->kept = false;
	}
}

/* Of most packets something is kept, of several in one skb. */
static void mptun_fuzz_send(struct kunit *test, struct mptun_fuzz *f, u32 n)
{
	u32 run = 0;
	u64 number;

	while (n--) {
		struct mptun_fuzz_packet *p = mptun_fuzz_packet(f, f->next);

		if (f->next - f->low >= MPTUN_FUZZ_PACKETS / 4)
			return;
		f->now += mptun_fuzz_rnd(f, 400 * NSEC_PER_USEC);
		*p = (struct mptun_fuzz_packet){
			.sent_ns = f->now,
			.dsn = prandom_u32_state(&f->rnd),
			.bytes = 1 + mptun_fuzz_rnd(f, 65535),
		};
		spin_lock_bh(&f->lock);
		number = mptun_sent_can_add(&f->s) ?
			 mptun_sent_add(&f->s, p->dsn, p->bytes, f->now) :
			 U64_MAX;
		spin_unlock_bh(&f->lock);
		KUNIT_ASSERT_EQ(test, number, f->next);
		f->next++;
		run++;
		if (mptun_fuzz_rnd(f, 2))
			continue;
		if (run < MPTUN_FUZZ_RUN)
			mptun_fuzz_keep(test, f, run);
		run = 0;
	}
}

/* Some arrive in order, some never, and some of those long after. */
static void mptun_fuzz_arrive(struct mptun_fuzz *f)
{
	u32 n = mptun_fuzz_rnd(f, 24);
	u64 number;

	while (n-- && f->arriving < f->next) {
		mptun_fuzz_packet(f, f->arriving)->arrived =
			mptun_fuzz_rnd(f, 100) < 93;
		f->arriving++;
	}
	if (f->arriving - f->low < 2 || mptun_fuzz_rnd(f, 4))
		return;
	number = f->arriving - 1 -
		 mptun_fuzz_rnd(f, min_t(u64, f->arriving - f->low, 60));
	mptun_fuzz_packet(f, number)->arrived = true;
}

/* What the receiver would report, down to a number that need not be the floor.
 */
static void mptun_fuzz_write(struct mptun_fuzz *f,
			     struct mptun_fuzz_report *rep)
{
	u64 number = f->arriving, low = f->low;
	struct mptun_ack_span *span = NULL;

	if (f->low > MPTUN_FUZZ_FIRST + 100)
		low -= mptun_fuzz_rnd(f, 100);
	rep->n = 0;
	while (number-- > low) {
		if (!mptun_fuzz_packet(f, number)->arrived) {
			span = NULL;
		} else if (span) {
			span->first = number;
		} else {
			if (rep->n == MPTUN_FUZZ_SPANS)
				return;
			span = &rep->spans[rep->n++];
			*span = (struct mptun_ack_span){ number, number };
		}
	}
}

static void mptun_fuzz_deliver(struct kunit *test, struct mptun_fuzz *f,
			       const struct mptun_fuzz_report *rep)
{
	bool forged = !mptun_fuzz_rnd(f, 16);
	const struct mptun_sent_origin from = {
		.arrival_us = mptun_fuzz_rnd(f, 10000) - 5000,
		.delay_us = mptun_fuzz_rnd(f, 3000),
		.same_path = mptun_fuzz_rnd(f, 4),
	};
	u64 top = rep->spans[0].last;
	unsigned int i;
	u64 number;
	u32 delay;
	int err;

	if (!rep->n)
		return;
	/* Numbers never sent only change which age is reported. */
	memcpy(f->spans + 1, rep->spans, rep->n * sizeof(rep->spans[0]));
	f->spans[0].first = f->next + 1 + mptun_fuzz_rnd(f, 10);
	f->spans[0].last = f->spans[0].first + mptun_fuzz_rnd(f, 10);
	spin_lock_bh(&f->lock);
	err = mptun_sent_ack(&f->s, f->spans + !forged, rep->n + forged, f->now,
			     &f->rtt, &from, &f->res);
	spin_unlock_bh(&f->lock);
	KUNIT_ASSERT_EQ(test, err, 0);

	for (i = 0; i < rep->n; i++)
		for (number = max(rep->spans[i].first, f->low);
		     number <= rep->spans[i].last; number++)
			mptun_fuzz_model_arrived(f, number,
						 forged ? U64_MAX : top);
	f->largest = f->any ? max(f->largest, top) : top;
	f->any = true;
	delay = mptun_fuzz_model_time(f, forged ? U64_MAX : top, &from);
	mptun_fuzz_model_sample(f, from.same_path, delay);
	KUNIT_ASSERT_EQ(test,
			memcmp(&f->rtt, &f->model_rtt, sizeof(f->rtt)), 0);
	mptun_fuzz_model_detect(f);
}

/* One of the ways in which a report can be impossible. */
static void mptun_fuzz_garbage(struct kunit *test, struct mptun_fuzz *f)
{
	const struct mptun_sent_origin from = { .same_path = true };
	struct mptun_fuzz_report *rep = &f->report[0];
	struct mptun_sent_result res;
	struct mptun_sent before;
	u32 i;

	mptun_fuzz_write(f, rep);
	if (!rep->n)
		return;
	i = mptun_fuzz_rnd(f, rep->n);
	switch (mptun_fuzz_rnd(f, 5)) {
	case 0:
		rep->spans[0].first = f->next + mptun_fuzz_rnd(f, 1000);
		rep->spans[0].last = f->next + 1000;
		rep->n = 1;
		break;
	case 1:
		rep->spans[i].first = rep->spans[i].last + 1 +
				      mptun_fuzz_rnd(f, 1000);
		break;
	case 2:
		rep->spans[rep->n - 1].first = mptun_fuzz_rnd(f, 1000);
		break;
	case 3:
		if (!i)
			return;
		rep->spans[i].last = rep->spans[i - 1].first -
				     mptun_fuzz_rnd(f, 2);
		break;
	case 4:
		if (!i)
			return;
		swap(rep->spans[i], rep->spans[i - 1]);
		break;
	}
	before = f->s;
	KUNIT_ASSERT_EQ(test,
			mptun_sent_ack(&f->s, rep->spans, rep->n, f->now,
				       &f->rtt, &from, &res), -EINVAL);
	KUNIT_ASSERT_EQ(test, memcmp(&before, &f->s, sizeof(before)), 0);
	rep->n = 0;
}

static void mptun_fuzz_abandon(struct mptun_fuzz *f)
{
	struct mptun_fuzz_packet *p;
	u64 i;

	mptun_sent_abandon(&f->s, &f->res);
	for (i = f->low; i < f->next; i++) {
		p = mptun_fuzz_packet(f, i);
		if (p->state != MPTUN_FUZZ_OUT)
			continue;
		mptun_fuzz_model_lose(f, p);
		p->state = MPTUN_FUZZ_ABANDONED;
	}
}

/* What the records may have forgotten, and what not. */
static void mptun_fuzz_check_floor(struct kunit *test, struct mptun_fuzz *f)
{
	u64 keep = 2ULL * mptun_rtt_pto_us(&f->rtt) * NSEC_PER_USEC;
	u64 floor = mptun_sent_floor(&f->s);
	struct mptun_fuzz_packet *p;

	KUNIT_ASSERT_LE(test, floor, mptun_fuzz_oldest(f));
	KUNIT_ASSERT_GE(test, floor, f->low);
	for (; f->low < floor; f->low++) {
		p = mptun_fuzz_packet(f, f->low);
		if (p->state != MPTUN_FUZZ_ACKED)
			KUNIT_ASSERT_GE(test, f->now - p->sent_ns, keep);
	}
}

static void mptun_fuzz_check_result(struct kunit *test, struct mptun_fuzz *f)
{
	KUNIT_ASSERT_EQ(test, f->res.acked_packets, f->want.acked_packets);
	KUNIT_ASSERT_EQ(test, f->res.acked_bytes, f->want.acked_bytes);
	KUNIT_ASSERT_EQ(test, f->res.lost_packets, f->want.lost_packets);
	KUNIT_ASSERT_EQ(test, f->res.lost_bytes, f->want.lost_bytes);
	KUNIT_ASSERT_EQ(test, f->res.spurious, f->want.spurious);
	KUNIT_ASSERT_EQ(test, f->res.spurious_bytes, f->want.spurious_bytes);
	KUNIT_ASSERT_EQ(test, f->res.rtt_valid, f->want.rtt_valid);
	KUNIT_ASSERT_EQ(test, f->res.timed, f->want.timed);
	KUNIT_ASSERT_EQ(test, f->res.rtt_us, f->want.rtt_us);
	KUNIT_ASSERT_EQ(test, f->res.overtaken, f->want.overtaken);
	KUNIT_ASSERT_EQ(test, f->res.overtaken_ns, f->want.overtaken_ns);
	KUNIT_ASSERT_EQ(test, f->res.newest_acked_ns, f->want.newest_acked_ns);
	KUNIT_ASSERT_EQ(test, f->res.newest_lost_ns, f->want.newest_lost_ns);
	memset(&f->res, 0, sizeof(f->res));
	memset(&f->want, 0, sizeof(f->want));
}

static void mptun_fuzz_check_state(struct kunit *test, struct mptun_fuzz *f)
{
	u64 oldest = mptun_fuzz_oldest(f);
	struct mptun_fuzz_packet *p;
	u32 bytes = 0, packets = 0, kept = 0;
	u64 i, run = U64_MAX;
	u32 dsn;

	for (i = oldest; i < f->next; i++) {
		p = mptun_fuzz_packet(f, i);
		if (p->state != MPTUN_FUZZ_OUT)
			continue;
		bytes += p->bytes;
		packets++;
		if (p->kept && p->run != run) {
			run = p->run;
			kept++;
		}
	}
	KUNIT_ASSERT_EQ(test, f->kept, kept);
	KUNIT_ASSERT_EQ(test, f->s.in_flight, bytes);
	KUNIT_ASSERT_EQ(test, f->s.packets, packets);
	KUNIT_ASSERT_EQ(test, mptun_sent_oldest_dsn(&f->s, &dsn), !!packets);
	if (!packets)
		return;
	p = mptun_fuzz_packet(f, oldest);
	KUNIT_ASSERT_EQ(test, dsn, p->dsn);
	KUNIT_ASSERT_GE(test, mptun_sent_pto_deadline(&f->s, &f->rtt),
			p->sent_ns);
}

/* After calls that looked for losses the deadline is that of the oldest. */
static void mptun_fuzz_check_deadline(struct kunit *test, struct mptun_fuzz *f)
{
	u64 oldest = mptun_fuzz_oldest(f);
	u64 due = U64_MAX;

	if (oldest < f->next)
		due = mptun_fuzz_due(f, oldest, mptun_fuzz_packet(f, oldest));
	KUNIT_ASSERT_EQ(test, mptun_sent_loss_deadline(&f->s), due);
}

static void mptun_fuzz_step(struct kunit *test, struct mptun_fuzz *f)
{
	struct mptun_fuzz_report *rep;
	u32 what = mptun_fuzz_rnd(f, 1000);

	f->now += mptun_fuzz_rnd(f, 100 * NSEC_PER_USEC);
	rep = &f->report[mptun_fuzz_rnd(f, MPTUN_FUZZ_REPORTS)];
	if (what < 350) {
		mptun_fuzz_send(test, f, mptun_fuzz_rnd(f, 20));
	} else if (what < 700) {
		mptun_fuzz_arrive(f);
	} else if (what < 900) {
		mptun_fuzz_write(f, rep);
		if (mptun_fuzz_rnd(f, 4))
			mptun_fuzz_deliver(test, f, rep);
	} else if (what < 930) {
		mptun_fuzz_deliver(test, f, rep);
	} else if (what < 960) {
		mptun_fuzz_garbage(test, f);
	} else if (what < 990) {
		f->now += mptun_fuzz_rnd(f, 60 * NSEC_PER_MSEC);
		mptun_sent_detect(&f->s, &f->rtt, f->now, &f->res);
		mptun_fuzz_model_detect(f);
		mptun_fuzz_check_deadline(test, f);
	} else if (what < 998) {
		f->witness_ns = max(f->witness_ns, f->now -
				    mptun_fuzz_rnd(f, 80 * NSEC_PER_MSEC));
		mptun_sent_witness(&f->s, &f->rtt, f->witness_ns, f->now,
				   &f->res);
		mptun_fuzz_model_detect(f);
		mptun_fuzz_check_deadline(test, f);
	} else {
		mptun_fuzz_abandon(f);
	}
}

static void mptun_fuzz_test_random(struct kunit *test)
{
	struct mptun_fuzz *f = test->priv;
	int i;

	for (i = 0; i < MPTUN_FUZZ_STEPS; i++) {
		mptun_fuzz_step(test, f);
		mptun_fuzz_take_lost(test, f);
		mptun_fuzz_take_arrived(test, f);
		mptun_fuzz_check_result(test, f);
		mptun_fuzz_check_floor(test, f);
		if (i % 4 == 0)
			mptun_fuzz_check_state(test, f);
		if (i % 64 == 0)
			cond_resched();
	}
	/* The run was worth something. */
	KUNIT_EXPECT_GT(test, f->next - MPTUN_FUZZ_FIRST, 100000ULL);
	KUNIT_EXPECT_GT(test, f->losses, 3000ULL);
	KUNIT_EXPECT_GT(test, f->late, 500ULL);
	kunit_info(test, "%llu packets, %llu lost, %llu late\n",
		   f->next - MPTUN_FUZZ_FIRST, f->losses, f->late);
}

static int mptun_fuzz_init(struct kunit *test)
{
	struct mptun_fuzz *f;

	f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, f);
	f->packets = kunit_kcalloc(test, MPTUN_FUZZ_PACKETS,
				   sizeof(*f->packets), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, f->packets);
	spin_lock_init(&f->lock);
	prandom_seed_state(&f->rnd, 20261121);
	f->now = 100ULL * NSEC_PER_SEC;
	f->next = MPTUN_FUZZ_FIRST;
	f->low = MPTUN_FUZZ_FIRST;
	f->arriving = MPTUN_FUZZ_FIRST;
	mptun_rtt_init(&f->rtt);
	f->model_rtt = f->rtt;
	KUNIT_ASSERT_EQ(test, mptun_sent_init(&f->s), 0);
	f->s.part = mptun_fuzz_part;
	mptun_sent_reset(&f->s, MPTUN_FUZZ_FIRST);
	test->priv = f;
	return 0;
}

static void mptun_fuzz_exit(struct kunit *test)
{
	struct mptun_fuzz *f = test->priv;

	if (!f)
		return;
	mptun_sent_requeue(&f->s);
	__skb_queue_purge(&f->s.arrived);
	__skb_queue_purge(&f->s.lost);
	mptun_sent_destroy(&f->s);
}

static struct kunit_case mptun_fuzz_cases[] = {
	KUNIT_CASE(mptun_fuzz_test_random),
	{}
};

static struct kunit_suite mptun_fuzz_suite = {
	.name = "mptun_sent_fuzz",
	.init = mptun_fuzz_init,
	.exit = mptun_fuzz_exit,
	.test_cases = mptun_fuzz_cases,
};

kunit_test_suite(mptun_fuzz_suite);
