/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Classes: which packets are sent otherwise than the tunnel says, and how.
 */
#ifndef _MPTUN_CLASS_H
#define _MPTUN_CLASS_H

#include <linux/mptun.h>
#include <linux/types.h>

#include "sched/sched.h"

/* The class of real-time traffic that every tunnel begins with: the last one,
 * so that all others come before it; DSCP EF (RFC 3246).
 */
#define MPTUN_CLASS_EF		(MPTUN_CLASSES_MAX - 1)
#define MPTUN_CLASS_EF_DSCP	46

/* Paths that a packet leaves on with policy duplicate, if none are given. */
#define MPTUN_CLASS_PATHS	2

/**
 * struct mptun_class - settings of a class
 * @mark: firewall mark of its packets, in the bits of @mask
 * @mask: bits of the mark that are looked at, 0 for every mark
 * @dscp: DSCP of its packets, MPTUN_CLASS_ANY_DSCP for every one
 * @protocol: IP protocol of its packets, MPTUN_CLASS_ANY_PROTOCOL for every one
 * @port: source or destination port of its packets, 0 for every one
 * @policy: &enum mptun_class_policy
 * @paths: on how many paths each packet leaves, for policy duplicate
 * @strict: packets are dropped while @path does not work, for policy pin
 * @order: the receiver puts the packets in order
 * @repair: what was lost is sent again
 * @playout: the receiver hands them on with the delay of the slowest path
 * @path: name of the path for policy pin, empty for none
 */
struct mptun_class {
	u32 mark;
	u32 mask;
	u16 dscp;
	u16 protocol;
	u16 port;
	u8 policy;
	u8 paths;
	bool strict;
	bool order;
	bool repair;
	bool playout;
	char path[MPTUN_PATH_NAME_MAX + 1];
};

/**
 * struct mptun_class_list - all classes of a tunnel
 * @used: bits of those that there are; class 0 is always there
 * @ports: some of them look at ports
 * @class: by their ids; those that are not there are like new ones
 */
struct mptun_class_list {
	u16 used;
	bool ports;
	struct mptun_class class[MPTUN_CLASSES_MAX];
};

/**
 * struct mptun_class_key - what is looked at of a packet
 * @mark: firewall mark
 * @dscp: DSCP
 * @protocol: IP protocol
 * @source: source port in host byte order, 0 if there is none
 * @dest: destination port, likewise
 */
struct mptun_class_key {
	u32 mark;
	u8 dscp;
	u8 protocol;
	u16 source;
	u16 dest;
};

/**
 * struct mptun_class_state - what becomes of a class, under mptun_tx.lock
 * @packets: packets placed on paths, copies not included
 * @bytes: bytes of these packets
 * @copies: copies placed on further paths
 * @drops: packets that no path took
 * @resent: lost packets that were sent again, each time
 * @lapsed: lost packets that were not sent again: it was too late, or no path
 *	took them
 * @until_ns: so long the nearest path is waited for, 0 if it is not
 */
struct mptun_class_state {
	u64 packets;
	u64 bytes;
	u64 copies;
	u64 drops;
	u64 resent;
	u64 lapsed;
	u64 until_ns;
};

void mptun_class_init(struct mptun_class *class);
void mptun_class_list_init(struct mptun_class_list *list);
void mptun_class_put(struct mptun_class_list *list, unsigned int id,
		     const struct mptun_class *class);
void mptun_class_remove(struct mptun_class_list *list, unsigned int id);
u8 mptun_class_match(const struct mptun_class_list *list,
		     const struct mptun_class_key *key);
bool mptun_class_pins(const struct mptun_class *class,
		      const struct mptun_sched_cand *cand, unsigned int n,
		      int at, u32 packet_mtu);
int mptun_class_pick(const struct mptun_class *class,
		     struct mptun_class_state *state, struct mptun_sched *s,
		     struct mptun_sched_cand *cand, unsigned int n, u32 bytes,
		     u32 packet_mtu);

/**
 * mptun_class_there() - is there such a class?
 * @list: classes of a tunnel
 * @id: number, below MPTUN_CLASSES_MAX
 *
 * Return: true if there is.
 */
static inline bool mptun_class_there(const struct mptun_class_list *list,
				     unsigned int id)
{
	return list->used & 1U << id;
}

/**
 * mptun_class_scheduled() - does the tunnel's scheduler choose the path?
 * @class: settings of the class
 * @n: number of candidates, 1 if the class has got the path it is pinned to
 *
 * Return: true if it does.
 */
static inline bool mptun_class_scheduled(const struct mptun_class *class,
					 unsigned int n)
{
	return class->policy == MPTUN_CLASS_POLICY_AGGREGATE ||
	       (class->policy == MPTUN_CLASS_POLICY_PIN && n > 1);
}

/**
 * mptun_class_avoids() - do losses hurt more than to do without a path?
 * @class: settings of the class
 *
 * Flows whose packets are put in order mostly slow down when they lose one.
 * What is duplicated loses none, and who wants the nearest path says so.
 *
 * Return: true if paths that rest are not for this class.
 */
static inline bool mptun_class_avoids(const struct mptun_class *class)
{
	return class->order &&
	       (class->policy == MPTUN_CLASS_POLICY_AGGREGATE ||
		class->policy == MPTUN_CLASS_POLICY_PIN);
}

/**
 * mptun_class_copies() - on how many more paths does a packet leave?
 * @class: settings of the class
 * @s: scheduler of the tunnel
 *
 * Return: number of copies at most.
 */
static inline unsigned int mptun_class_copies(const struct mptun_class *class,
					      const struct mptun_sched *s)
{
	if (class->policy == MPTUN_CLASS_POLICY_DUPLICATE)
		return class->paths - 1;
	if (class->policy == MPTUN_CLASS_POLICY_AGGREGATE && s->ops->copies)
		return MPTUN_PATHS_MAX - 1;
	return 0;
}

#endif /* _MPTUN_CLASS_H */
