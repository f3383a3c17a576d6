// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Classes: packets that are sent by another policy than the tunnel's, and how.
 *
 * The model: a short list of classes, each with a filter and a policy. A packet
 * of the stack is matched once, whatever it is cut into; of the classes it
 * matches the one with the lowest number takes it, and class 0 takes all
 * others. The policies are
 *
 *   aggregate	the tunnel's scheduler.
 *   duplicate	the path with the earliest arrival of those with room, and
 *		copies on the next ones with room (tx/duplicate.c).
 *		Nothing waits for a full path.
 *   pin	one path, whatever its priority. While it is not usable the
 *		packets are aggregated, or dropped if the class is strict.
 *   nearest	the path with the earliest arrival. If it is full, another one
 *		with room is taken when waiting costs more than it gains: the
 *		packet waits at most the difference of the arrivals.
 *
 * Priorities, backup paths and the filter for late paths (sched/sched.c) apply
 * to all of them except pin.
 *
 * A class may have a rate, for traffic that sends at its own rate whatever is
 * lost, and would leave nothing to others.  What exceeds it is dropped at once
 * (a token bucket without a queue); a queue would only delay it.
 *
 * A class without order names no predecessor, so the receiver delivers its
 * packets as they arrive. What is kept for retransmission (tx/rtx.c) depends on
 * the class and on the flow.
 *
 * Every tunnel begins with a class for real-time traffic: packets with the DSCP
 * of expedited forwarding (RFC 3246) take the nearest path and never wait for a
 * lost one.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "sched/class.h"

/**
 * mptun_class_init() - set the defaults of a new class, which matches
 *	everything
 * @class: settings
 */
void mptun_class_init(struct mptun_class *class)
{
	*class = (struct mptun_class){
		.dscp = MPTUN_CLASS_ANY_DSCP,
		.protocol = MPTUN_CLASS_ANY_PROTOCOL,
		.policy = MPTUN_CLASS_POLICY_AGGREGATE,
		.paths = MPTUN_CLASS_PATHS,
		.repair = MPTUN_REPAIR_MODE_AUTO,
		.code = MPTUN_CODE_AUTO,
		.order = true,
	};
}

/**
 * mptun_class_list_init() - set the classes of a new tunnel
 * @list: classes of a tunnel
 */
void mptun_class_list_init(struct mptun_class_list *list)
{
	struct mptun_class ef;
	unsigned int id;

	memset(list, 0, sizeof(*list));
	list->used = BIT(0);
	for (id = 0; id < MPTUN_CLASSES_MAX; id++)
		mptun_class_init(&list->class[id]);

	mptun_class_init(&ef);
	ef.dscp = MPTUN_CLASS_EF_DSCP;
	ef.policy = MPTUN_CLASS_POLICY_NEAREST;
	ef.order = false;
	mptun_class_put(list, MPTUN_CLASS_EF, &ef);
}

static void mptun_class_ports(struct mptun_class_list *list)
{
	unsigned int id;

	list->ports = false;
	for (id = 1; id < MPTUN_CLASSES_MAX; id++)
		list->ports |= list->class[id].port;
}

/**
 * mptun_class_put() - add or change a class
 * @list: classes of a tunnel
 * @id: number of the class
 * @class: its settings
 */
void mptun_class_put(struct mptun_class_list *list, unsigned int id,
		     const struct mptun_class *class)
{
	list->used |= BIT(id);
	list->class[id] = *class;
	mptun_class_ports(list);
}

/**
 * mptun_class_remove() - remove a class
 * @list: classes of a tunnel
 * @id: number of the class, not 0
 */
void mptun_class_remove(struct mptun_class_list *list, unsigned int id)
{
	list->used &= ~BIT(id);
	mptun_class_init(&list->class[id]);
	mptun_class_ports(list);
}

/**
 * mptun_class_match() - find the class of a packet
 * @list: classes of the tunnel
 * @key: fields of the packet
 *
 * Return: number of the class, 0 if no other matches.
 */
u8 mptun_class_match(const struct mptun_class_list *list,
		     const struct mptun_class_key *key)
{
	const struct mptun_class *class;
	unsigned int id;

	for (id = 1; list->used >> id; id++) {
		class = &list->class[id];
		if (!mptun_class_exists(list, id) ||
		    (key->mark & class->mask) != class->mark)
			continue;
		if (class->dscp != MPTUN_CLASS_ANY_DSCP &&
		    class->dscp != key->dscp)
			continue;
		if (class->protocol != MPTUN_CLASS_ANY_PROTOCOL &&
		    class->protocol != key->protocol)
			continue;
		if (!class->port || class->port == key->source ||
		    class->port == key->dest)
			return id;
	}
	return 0;
}

/**
 * mptun_class_admits() - check whether a packet is within a rate
 * @rate: bytes per second, 0 for no limit
 * @paid_ns: when the rate has paid for the packets before; updated
 * @bytes: size of the packet, possibly GSO
 * @now: time in ns
 *
 * A packet may exceed the allowance, at the expense of the ones behind it: so
 * any size passes any rate.
 *
 * Return: false if it has to be dropped.
 */
bool mptun_class_admits(u64 rate, u64 *paid_ns, u32 bytes, u64 now)
{
	if (!rate)
		return true;
	if (*paid_ns > now + MPTUN_CLASS_AHEAD_NS)
		return false;
	*paid_ns = max(*paid_ns, now) +
		   div64_u64((u64)bytes * NSEC_PER_SEC, rate);
	return true;
}

/**
 * mptun_class_pins() - test whether a packet takes the path its class is pinned
 *	to
 * @class: settings of the class
 * @cand: paths that are up or suspect
 * @n: number of @cand
 * @at: index of the path the class is pinned to, -1 if it is not among them
 * @packet_mtu: size of the packet as an inner packet
 *
 * A path that is suspect, or too small for the packet, is not used if another
 * one is up.
 *
 * Return: true if the packet takes that path and no other.
 */
bool mptun_class_pins(const struct mptun_class *class,
		      const struct mptun_sched_cand *cand, unsigned int n,
		      int at, u32 packet_mtu)
{
	bool up = false;
	unsigned int i;

	if (at < 0 || class->strict)
		return at >= 0;
	for (i = 0; i < n; i++)
		up |= cand[i].up;
	return cand[at].mtu >= packet_mtu && (cand[at].up || !up);
}

/* Waits for the earliest path at most as long as it gains. */
static int mptun_class_earliest(struct mptun_class_state *state,
				struct mptun_sched *s,
				const struct mptun_sched_cand *cand,
				unsigned int n, u32 bytes)
{
	int other = mptun_sched_earliest(cand, n, bytes);
	int first = mptun_sched_earliest(cand, n, 0);

	if (other < 0)
		return other;
	if (other != first && cand[first].arrival_us &&
	    cand[other].arrival_us && !state->until_ns)
		state->until_ns = s->now + NSEC_PER_USEC *
				  (u64)(cand[other].arrival_us -
					cand[first].arrival_us);
	if (other != first && s->now < state->until_ns) {
		s->wake_ns = min(s->wake_ns, state->until_ns);
		return -EAGAIN;
	}
	state->until_ns = 0;
	return other;
}

/**
 * mptun_class_pick() - choose a path for a packet of a class
 * @class: settings of the class
 * @state: state of the class
 * @s: scheduler of the tunnel
 * @cand: paths that are up or suspect; only one if mptun_class_pins() said so
 * @n: number of @cand
 * @bytes: room the packet needs
 * @packet_mtu: its size as an inner packet
 *
 * Return: as for mptun_sched_pick().
 */
int mptun_class_pick(const struct mptun_class *class,
		     struct mptun_class_state *state, struct mptun_sched *s,
		     struct mptun_sched_cand *cand, unsigned int n, u32 bytes,
		     u32 packet_mtu)
{
	int err;

	if (mptun_class_scheduled(class, n))
		return mptun_sched_pick(s, cand, n, bytes, packet_mtu);
	err = mptun_sched_filter(s, cand, n, bytes, packet_mtu);
	if (err)
		return err;
	if (class->policy == MPTUN_CLASS_POLICY_NEAREST)
		return mptun_class_earliest(state, s, cand, n, bytes);
	return mptun_sched_earliest(cand, n, bytes);
}
