/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Policy: what the end that opened a path says about its use, and which rates
 * classes have.
 */
#ifndef _MPTUN_POLICY_H
#define _MPTUN_POLICY_H

#include <linux/mptun.h>
#include <linux/types.h>

#include "sched/class.h"
#include "wire/wire.h"

/* A policy that is not answered is repeated after this time at first. */
#define MPTUN_POLICY_REPEAT_NS	(250ULL * NSEC_PER_MSEC)
/* The interval doubles so often: to 64 s. */
#define MPTUN_POLICY_DOUBLINGS	8
/* Policies of a path take effect, and are answered, no more often than this. */
#define MPTUN_POLICY_PAUSE_NS	(100ULL * NSEC_PER_MSEC)

/**
 * struct mptun_policy - the use of a path
 * @name: its name, empty for none
 * @backup: used only while no other path is usable
 * @off: not used
 * @status: state of its cap, &enum mptun_path_status
 * @priority: lower numbers are used first
 * @weight: share with schedulers that weigh
 * @spill_us: how long paths of lower numbers must be full before it takes their
 *	excess, MPTUN_SPILL_OFF for never
 * @rate: limit of the direction to the end that says it, in bytes per second, 0
 *	for none
 */
struct mptun_policy {
	char name[MPTUN_PATH_NAME_MAX + 1];
	bool backup;
	bool off;
	u8 status;
	u32 priority;
	u32 weight;
	u32 spill_us;
	u64 rate;
};

/**
 * struct mptun_policy_send - what was sent of something with a version
 * @version: present version, 0 while there is none
 * @acked: last version that the peer has answered in this association, of a
 *	path for its present number; 0 for none
 * @followed: the peer follows that one
 * @tries: messages with this version
 * @due_ns: when the next one is due
 */
struct mptun_policy_send {
	u32 version;
	u32 acked;
	bool followed;
	u8 tries;
	u64 due_ns;
};

/**
 * struct mptun_policy_recv - what has arrived of something with a version
 * @version: last version, 0 while there is none
 * @fresh: it has not taken effect yet
 * @unanswered: it has to be answered
 * @ready_ns: when it may take effect or be answered
 */
struct mptun_policy_recv {
	u32 version;
	bool fresh;
	bool unanswered;
	u64 ready_ns;
};

/**
 * struct mptun_policy_out - a policy on its way to the peer
 * @said: the policy
 * @send: its version
 */
struct mptun_policy_out {
	struct mptun_policy said;
	struct mptun_policy_send send;
};

/**
 * struct mptun_policy_in - a policy of the peer
 * @said: the policy
 * @recv: its version
 */
struct mptun_policy_in {
	struct mptun_policy said;
	struct mptun_policy_recv recv;
};

/**
 * struct mptun_class_rate_list - rates of classes and the scheduler, for the
 *	direction to the end that sends them
 * @sched: the scheduler, &enum mptun_caps_sched
 * @n: number of rates
 * @entry: the rates, in bytes per second, and the packets that they apply to;
 *	the first that fits a packet applies
 */
struct mptun_class_rate_list {
	u8 sched;
	unsigned int n;
	struct mptun_class_rate {
		u64 rate;
		u16 protocol;
		u16 dscp;
		u16 port;
	} entry[MPTUN_CAPS_MAX];
};

/**
 * struct mptun_class_rates - rates of classes, ours and those of the peer
 * @said: ours
 * @send: their version
 * @heard: those of the peer
 * @recv: their version
 */
struct mptun_class_rates {
	struct mptun_class_rate_list said;
	struct mptun_policy_send send;
	struct mptun_class_rate_list heard;
	struct mptun_policy_recv recv;
};

void mptun_policy_say(struct mptun_policy_out *out,
		      const struct mptun_policy *policy, u64 now);
void mptun_policy_sent(struct mptun_policy_send *send, u64 now);
void mptun_policy_answered(struct mptun_policy_send *send, u32 version,
			   bool followed);
void mptun_policy_again(struct mptun_policy_send *send);
void mptun_policy_write(const struct mptun_policy_out *out,
			struct mptun_path_policy *block);
bool mptun_policy_receive(struct mptun_policy_in *in,
			  const struct mptun_path_policy *block);
void mptun_policy_taken(struct mptun_policy_recv *recv, u64 now);
void mptun_class_rates_say(struct mptun_class_rates *rates,
			   const struct mptun_class_list *list, u8 sched,
			   u64 now);
void mptun_class_rates_write(const struct mptun_class_rates *rates,
			     struct mptun_caps_head *head);
bool mptun_class_rates_receive(struct mptun_class_rates *rates,
			       const struct mptun_caps_head *head);
int mptun_class_rates_match(const struct mptun_class_rate_list *rates,
			    const struct mptun_class_key *key);
void mptun_policy_name(char *name, const char *wanted, unsigned int n);

/**
 * mptun_policy_open() - check whether the peer has yet to answer
 * @send: what was sent
 *
 * Return: true if it has.
 */
static inline bool mptun_policy_open(const struct mptun_policy_send *send)
{
	return send->acked != send->version;
}

/**
 * mptun_policy_waits() - check whether a message of the peer needs work
 * @recv: what has arrived
 *
 * Return: true if it has to take effect or to be answered.
 */
static inline bool mptun_policy_waits(const struct mptun_policy_recv *recv)
{
	return recv->fresh || recv->unanswered;
}

#endif /* _MPTUN_POLICY_H */
