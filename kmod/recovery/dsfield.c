// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * DS fields (DSCP and ECN) with which packets pass a path.
 *
 * Some networks drop packets with ECT, or with a DSCP they do not know.  On
 * such a path control packets arrive, which are sent Not-ECT, and the data of a
 * flow with ECN does not.  As with the path MTU, losses of data do not show
 * why: queues for one DSCP, small buffers and holes in the MTU look the same.
 * So each DS field in use is examined by probes of its own (the idea of ECN
 * validation, RFC 9000, section 13.4.2, with probes in place of data).
 *
 * Packets are sent with their DS field until it is refuted.  A round of probes
 * has one with each DS field that is due, and ends with a plain one, which has
 * the DS field of control packets.  When the plain one is answered, those that
 * are not were lost; after several of them, in as many rounds, the path refuses
 * the DS field.  An answer at any time, however late, accepts it again, so that
 * a queue that is merely slow refuses nothing.
 *
 * A packet whose DS field is refused is sent without ECT, or if that is refused
 * too with the plain one.  Both ends of a path examine what they send.
 *
 * The caller sends the probes, and holds a lock.
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/limits.h>
#include <linux/minmax.h>

#include "recovery/dsfield.h"

/* The ECN field, the low two bits, and its values (RFC 3168) */
#define MPTUN_DSFIELD_ECN	0x03
#define MPTUN_DSFIELD_ECT_0	0x02
#define MPTUN_DSFIELD_CE	0x03

/* Returns the entry of a DS field.  A new one takes a free entry or an unused
 * one; NULL if there is none.
 */
static struct mptun_dsfield_value *
mptun_dsfield_find(struct mptun_dsfield *d, u8 ds, u64 now)
{
	struct mptun_dsfield_value *v, *unused = NULL;
	unsigned int i;

	for (i = 0; i < d->n; i++) {
		v = &d->value[i];
		if (v->ds == ds)
			return v;
		if (!(d->asked & BIT(i)) &&
		    now >= v->used_ns + MPTUN_DSFIELD_AGAIN_NS)
			unused = v;
	}
	if (d->n < MPTUN_DSFIELD_MAX)
		unused = &d->value[d->n++];
	if (unused)
		*unused = (struct mptun_dsfield_value){
			.ds = ds,
			.due_ns = now,
		};
	return unused;
}

/**
 * mptun_dsfield_use() - choose the DS field of a packet
 * @d: DS fields of its path
 * @ds: the one it should have
 * @plain: that of control packets
 * @now: time in ns
 *
 * Has the DS field examined when it is due.
 *
 * Return: the DS field with which it passes.
 */
u8 mptun_dsfield_use(struct mptun_dsfield *d, u8 ds, u8 plain, u64 now)
{
	u8 dscp = ds & ~MPTUN_DSFIELD_ECN, probed = ds;
	struct mptun_dsfield_value *v;

	/* CE is for routers to set. */
	if ((ds & MPTUN_DSFIELD_ECN) == MPTUN_DSFIELD_CE)
		probed = dscp | MPTUN_DSFIELD_ECT_0;
	if (probed == plain)
		return ds;
	v = mptun_dsfield_find(d, probed, now);
	if (!v)
		return ds;
	v->used_ns = now;
	if (v->due_ns == U64_MAX)
		v->due_ns = max(now, v->next_ns);
	if (!v->refused)
		return ds;
	return ds == dscp ? plain : mptun_dsfield_use(d, dscp, plain, now);
}

/**
 * mptun_dsfield_deadline() - time to call mptun_dsfield_expire()
 * @d: DS fields of a path
 *
 * Return: time in ns, U64_MAX for never.
 */
u64 mptun_dsfield_deadline(const struct mptun_dsfield *d)
{
	u64 at = U64_MAX;
	unsigned int i;

	if (d->asked)
		return d->due_ns;
	for (i = 0; i < d->n; i++)
		at = min(at, d->value[i].due_ns);
	return at;
}

/* Evaluates the round: what was not answered is asked again, or refused. */
static void mptun_dsfield_judge(struct mptun_dsfield *d, u64 now)
{
	struct mptun_dsfield_value *v;
	unsigned int i;

	for (i = 0; i < d->n; i++) {
		v = &d->value[i];
		if (!(d->asked & BIT(i)))
			continue;
		v->due_ns = now;
		if (!d->heard || ++v->lost < MPTUN_DSFIELD_PROBES)
			continue;
		v->lost = MPTUN_DSFIELD_PROBES;
		v->refused = true;
		v->next_ns = now + MPTUN_DSFIELD_RETRY_NS;
		v->due_ns = U64_MAX;
	}
	d->asked = 0;
}

/**
 * mptun_dsfield_expire() - end a round and begin the next one
 * @d: DS fields of a path
 * @token: a random value
 * @pto_ns: time within which answers arrive
 * @now: time in ns, not before mptun_dsfield_deadline()
 * @round: set to the probes to be sent
 *
 * Return: true if there are any.
 */
bool mptun_dsfield_expire(struct mptun_dsfield *d, u64 token, u64 pto_ns,
			  u64 now, struct mptun_dsfield_round *round)
{
	struct mptun_dsfield_value *v;
	unsigned int i;

	mptun_dsfield_judge(d, now);
	round->n = 0;
	for (i = 0; i < d->n; i++) {
		v = &d->value[i];
		if (v->due_ns > now)
			continue;
		if (!v->token)
			v->token = token + i;
		round->ds[round->n] = v->ds;
		round->token[round->n++] = v->token;
		d->asked |= BIT(i);
	}
	d->heard = false;
	d->token = token + MPTUN_DSFIELD_MAX;
	d->due_ns = now + pto_ns;
	round->plain = d->token;
	return round->n;
}

/**
 * mptun_dsfield_answered() - process the answer to a probe
 * @d: DS fields of a path
 * @token: its token
 * @now: time in ns
 *
 * Return: true if it is the answer to one of these probes.
 */
bool mptun_dsfield_answered(struct mptun_dsfield *d, u64 token, u64 now)
{
	struct mptun_dsfield_value *v;
	unsigned int i;

	if (d->asked && token == d->token) {
		d->heard = true;
		return true;
	}
	for (i = 0; i < d->n; i++) {
		v = &d->value[i];
		if (!v->token || v->token != token)
			continue;
		d->asked &= ~BIT(i);
		v->token = 0;
		v->lost = 0;
		v->refused = false;
		v->next_ns = now + MPTUN_DSFIELD_AGAIN_NS;
		v->due_ns = U64_MAX;
		return true;
	}
	return false;
}
