/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Classes: packets that are sent by another policy than the tunnel's, and how.
 */
#ifndef _MPTUN_CLASS_H
#define _MPTUN_CLASS_H

#include <linux/mptun.h>
#include <linux/types.h>

#include "sched/sched.h"

/* The class of real-time traffic every tunnel begins with: the last one, so
 * that all others come first; DSCP EF (RFC 3246).
 */
#define MPTUN_CLASS_EF		(MPTUN_CLASSES_MAX - 1)
#define MPTUN_CLASS_EF_DSCP	46

/* Time that a class may be ahead of its rate: bursts of applications pass. */
#define MPTUN_CLASS_AHEAD_NS	(50ULL * NSEC_PER_MSEC)

/* Value of @code of struct mptun_class: losses decide. */
#define MPTUN_CODE_AUTO		0

/* Default number of paths for policy duplicate */
#define MPTUN_CLASS_PATHS	2

/**
 * struct mptun_class - settings of a class
 * @mark: firewall mark of its packets, in the bits of @mask
 * @mask: bits of the mark to compare, 0 for any mark
 * @dscp: DSCP of its packets, MPTUN_CLASS_ANY_DSCP for any
 * @protocol: IP protocol of its packets, MPTUN_CLASS_ANY_PROTOCOL for any
 * @port: source or destination port of its packets, 0 for any
 * @policy: &enum mptun_class_policy
 * @paths: number of paths each packet leaves on, for policy duplicate
 * @strict: drop packets while @path does not work, for policy pin
 * @order: the receiver puts the packets in order
 * @repair: &enum mptun_repair_mode
 * @code: repair symbols per 100 packets, MPTUN_CODE_AUTO to follow the losses,
 *	MPTUN_CLASS_CODE_OFF for none
 * @playout: the receiver delivers them with the latency of the slowest path
 * @rate: limit in bytes of inner packets per second, 0 for none
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
	u8 repair;
	u8 code;
	bool strict;
	bool order;
	bool playout;
	u64 rate;
	char path[MPTUN_PATH_NAME_MAX + 1];
};

/**
 * enum mptun_class_keep - which packets of a flow are kept for retransmission
 * @MPTUN_CLASS_KEEP_NEVER: none
 * @MPTUN_CLASS_KEEP_ALWAYS: all
 * @MPTUN_CLASS_KEEP_ALONE: those without a copy on another path
 * @MPTUN_CLASS_KEEP_BULK: the same, unless the flow is sparse; single packets
 *	only while their path loses some, or carries few
 * @MPTUN_CLASS_KEEP_SILENT: those of sparse flows without a copy, retransmitted
 *	only when their path becomes silent
 */
enum mptun_class_keep {
	MPTUN_CLASS_KEEP_NEVER,
	MPTUN_CLASS_KEEP_ALWAYS,
	MPTUN_CLASS_KEEP_ALONE,
	MPTUN_CLASS_KEEP_BULK,
	MPTUN_CLASS_KEEP_SILENT,
};

/**
 * struct mptun_class_list - all classes of a tunnel
 * @used: bit mask of existing classes; class 0 always exists
 * @ports: some of them match ports
 * @class: settings by number; unused ones have the defaults
 */
struct mptun_class_list {
	u16 used;
	bool ports;
	struct mptun_class class[MPTUN_CLASSES_MAX];
};

/**
 * struct mptun_class_key - fields of a packet that classes match
 * @mark: firewall mark
 * @dscp: DSCP
 * @protocol: IP protocol
 * @source: source port in host byte order, 0 if there is none
 * @dest: destination port in host byte order, 0 if there is none
 */
struct mptun_class_key {
	u32 mark;
	u8 dscp;
	u8 protocol;
	u16 source;
	u16 dest;
};

/**
 * struct mptun_class_state - counters of a class, under mptun_tx.lock
 * @packets: packets placed on paths, copies not included
 * @bytes: bytes of these packets
 * @sparse: those of sparse flows
 * @copies: copies placed on further paths
 * @drops: packets no path took
 * @resent: retransmissions of lost packets
 * @lapsed: lost packets not retransmitted: too late, or no path took them
 * @coded: packets protected by repair symbols
 * @symbols: repair symbols sent for them
 * @uncoded: packets that were to be coded and are too long for their path
 * @until_ns: end of waiting for the nearest path, 0 if it is not waited for
 * @paid_ns: when the rate has paid for what was admitted
 */
struct mptun_class_state {
	u64 packets;
	u64 bytes;
	u64 sparse;
	u64 copies;
	u64 drops;
	u64 resent;
	u64 lapsed;
	u64 coded;
	u64 symbols;
	u64 uncoded;
	u64 until_ns;
	u64 paid_ns;
};

void mptun_class_init(struct mptun_class *class);
void mptun_class_list_init(struct mptun_class_list *list);
void mptun_class_put(struct mptun_class_list *list, unsigned int id,
		     const struct mptun_class *class);
void mptun_class_remove(struct mptun_class_list *list, unsigned int id);
bool mptun_class_admits(u64 rate, u64 *paid_ns, u32 bytes, u64 now);
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
 * mptun_class_exists() - test whether a class exists
 * @list: classes of a tunnel
 * @id: number, below MPTUN_CLASSES_MAX
 *
 * Return: true if it does.
 */
static inline bool mptun_class_exists(const struct mptun_class_list *list,
				      unsigned int id)
{
	return list->used & 1U << id;
}

/**
 * mptun_class_scheduled() - test whether the tunnel's scheduler chooses the
 *	path
 * @class: settings of the class
 * @n: number of candidates, 1 if it is the path the class is pinned to
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
 * mptun_class_avoids() - test whether a class does without suspended paths
 * @class: settings of the class
 *
 * Most flows that are put in order slow down when they lose a packet.
 * Duplicated traffic loses none, and policy nearest asks for a path by its
 * latency.
 *
 * Return: true if it does.
 */
static inline bool mptun_class_avoids(const struct mptun_class *class)
{
	return class->order &&
	       (class->policy == MPTUN_CLASS_POLICY_AGGREGATE ||
		class->policy == MPTUN_CLASS_POLICY_PIN);
}

/**
 * mptun_class_keep() - which packets of a flow are kept for retransmission
 * @class: settings of the class
 * @tcp: it is a flow of TCP
 *
 * TCP slows down for every loss.  So do most other bulk flows; but a sparse one
 * may be a call, for which a lost packet is better than a late one, unless its
 * path becomes silent, as nothing else of it arrives then.  So BULK remains to
 * be decided for each packet.
 *
 * Return: &enum mptun_class_keep.
 */
static inline enum mptun_class_keep
mptun_class_keep(const struct mptun_class *class, bool tcp)
{
	if (class->repair == MPTUN_REPAIR_MODE_ON)
		return MPTUN_CLASS_KEEP_ALWAYS;
	if (class->repair == MPTUN_REPAIR_MODE_OFF ||
	    !mptun_class_avoids(class))
		return MPTUN_CLASS_KEEP_NEVER;
	return tcp ? MPTUN_CLASS_KEEP_ALONE : MPTUN_CLASS_KEEP_BULK;
}

/**
 * mptun_class_copies() - number of further paths a packet leaves on
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
