// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Simulated paths of the reorder buffer: what is sent, and when it arrives.
 */
#include <linux/minmax.h>
#include <linux/sort.h>
#include <linux/vmalloc.h>

#include "test/reorder/sim.h"

static u32 mptun_rsim_random(struct mptun_rsim *s, u32 below)
{
	return prandom_u32_state(&s->rnd) % below;
}

/* Sends a packet on a path; takes number and fseq even if it is lost. */
static bool mptun_rsim_transmit(struct mptun_rsim *s, u32 path, u32 index,
				bool copy, u64 us)
{
	const struct mptun_rsim_path *p = &s->c->path[path];
	struct mptun_rsim_pkt *pkt = &s->pkt[s->pkts];

	pkt->number = ++s->number[path];
	if (!copy)
		s->fseq[path]++;
	pkt->fseq = s->fseq[path];
	pkt->index = index;
	pkt->path = path;
	pkt->copy = copy;
	pkt->arrival_us = us + p->delay_us;
	if (p->jitter_us)
		pkt->arrival_us += mptun_rsim_random(s, p->jitter_us);
	if (mptun_rsim_random(s, 1000) < p->loss)
		return false;
	s->arrives[index] = true;
	s->pkts++;
	return true;
}

static u32 mptun_rsim_next_path(const struct mptun_rsim *s, u32 path)
{
	do {
		path = (path + 1) % MPTUN_RSIM_PATHS;
	} while (!s->c->path[path].gap_us);
	return path;
}

/* Sends a new dsn on a path, and a copy if configured. */
static void mptun_rsim_send(struct mptun_rsim *s, u32 path, u64 us, u32 *lanes)
{
	u32 index = s->sent++;
	u32 lane = mptun_rsim_random(s, MPTUN_RSIM_LANES);

	s->lane[index] = lane;
	s->sent_us[index] = us;
	if (lanes[lane])
		s->prev[index] = min(index + 1 - lanes[lane], 0xffffU);
	lanes[lane] = index + 1;
	if (!mptun_rsim_transmit(s, path, index, false, us)) {
		s->lost[index] = true;
		s->losses++;
	}
	if (mptun_rsim_random(s, 1000) < s->c->copies)
		mptun_rsim_transmit(s, mptun_rsim_next_path(s, path), index,
				    true, us);
}

static int mptun_rsim_compare(const void *a, const void *b)
{
	const struct mptun_rsim_pkt *x = a, *y = b;

	if (x->arrival_us != y->arrival_us)
		return x->arrival_us < y->arrival_us ? -1 : 1;
	if (x->path != y->path)
		return x->path - y->path;
	return x->number < y->number ? -1 : 1;
}

/**
 * struct mptun_rsim_resend - a retransmission
 * @us: its time
 * @index: its dsn
 * @path: its path
 */
struct mptun_rsim_resend {
	u64 us;
	u32 index;
	u32 path;
};

/* Retransmits lost packets among new ones. */
static void mptun_rsim_retransmit(struct mptun_rsim *s,
				  struct mptun_rsim_resend *q, u32 *head,
				  u32 tail, u64 us)
{
	for (; *head < tail && q[*head].us <= us; (*head)++)
		mptun_rsim_transmit(s, q[*head].path, q[*head].index, true,
				    q[*head].us);
}

/**
 * mptun_rsim_schedule() - compute all transmissions and their arrivals
 * @s: the run
 */
void mptun_rsim_schedule(struct mptun_rsim *s)
{
	u32 lanes[MPTUN_RSIM_LANES] = {}, path, i, head = 0, tail = 0;
	struct mptun_rsim_resend *q;
	u64 us;

	q = vzalloc(MPTUN_RSIM_PACKETS * sizeof(*q));
	KUNIT_ASSERT_NOT_NULL(s->test, q);
	for (i = 0; i < MPTUN_RSIM_PATHS; i++)
		s->send_us[i] = MPTUN_RSIM_START_US + s->c->path[i].begin_us;
	while (s->sent < MPTUN_RSIM_PACKETS) {
		path = MPTUN_RSIM_PATHS;
		for (i = 0; i < MPTUN_RSIM_PATHS; i++) {
			if (s->c->path[i].gap_us &&
			    (path == MPTUN_RSIM_PATHS ||
			     s->send_us[i] < s->send_us[path]))
				path = i;
		}
		us = s->send_us[path];
		mptun_rsim_retransmit(s, q, &head, tail, us);
		for (i = 0; i < s->c->burst && s->sent < MPTUN_RSIM_PACKETS;
		     i++, us += s->c->path[path].gap_us) {
			mptun_rsim_send(s, path, us, lanes);
			if (!s->lost[s->sent - 1] || !s->c->resend_us)
				continue;
			q[tail].us = us + s->c->resend_us;
			q[tail].index = s->sent - 1;
			q[tail++].path = mptun_rsim_next_path(s, path);
		}
		s->send_us[path] = us;
	}
	mptun_rsim_retransmit(s, q, &head, tail, U64_MAX);
	vfree(q);
	sort(s->pkt, s->pkts, sizeof(s->pkt[0]), mptun_rsim_compare, NULL);
}
