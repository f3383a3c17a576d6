// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Policy: what the end that opened a path says about its use, and which rates
 * classes have.
 *
 * The model: either has a version, which increases with each change.  The
 * message is repeated, with back-off, until the peer answers with the version:
 * so nothing is sent while nothing changes, and a lost message costs a quarter
 * of a second.  The receiver takes only versions larger than the last one, so
 * reordered messages do not bring an old policy back.  It answers what it has
 * already as well, since its answer may have been lost.
 *
 * Versions are compared for one path id: with another id, the receiver begins
 * with none.
 *
 * The name comes from another machine.  Only characters that mean nothing to
 * shells, terminals and formats are accepted.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "sched/policy.h"

static_assert(MPTUN_PATH_NAME_MAX < MPTUN_POLICY_NAME_LEN);

static void mptun_policy_changed(struct mptun_policy_send *send, u64 now)
{
	send->version++;
	send->tries = 0;
	send->due_ns = now;
}

/**
 * mptun_policy_say() - set the policy that the peer is to follow
 * @out: the present one
 * @policy: the policy
 * @now: time in ns
 */
void mptun_policy_say(struct mptun_policy_out *out,
		      const struct mptun_policy *policy, u64 now)
{
	const struct mptun_policy *said = &out->said;

	if (out->send.version && !strcmp(said->name, policy->name) &&
	    said->backup == policy->backup && said->off == policy->off &&
	    said->status == policy->status &&
	    said->priority == policy->priority &&
	    said->weight == policy->weight &&
	    said->spill_us == policy->spill_us && said->rate == policy->rate)
		return;
	out->said = *policy;
	mptun_policy_changed(&out->send, now);
}

/**
 * mptun_policy_sent() - a message with the present version was sent
 * @send: what was sent
 * @now: time in ns
 */
void mptun_policy_sent(struct mptun_policy_send *send, u64 now)
{
	send->due_ns = now + (MPTUN_POLICY_REPEAT_NS << send->tries);
	if (send->tries < MPTUN_POLICY_DOUBLINGS)
		send->tries++;
}

/**
 * mptun_policy_answered() - the peer has answered
 * @send: what was sent
 * @version: version in the answer
 * @followed: it follows
 *
 * Answers may be reordered, and the peer may begin or cease to follow.
 */
void mptun_policy_answered(struct mptun_policy_send *send, u32 version,
			   bool followed)
{
	if (version < send->acked || version > send->version)
		return;
	send->acked = version;
	send->followed = followed;
}

/**
 * mptun_policy_again() - the peer may have nothing, or may answer at last
 * @send: what was sent
 */
void mptun_policy_again(struct mptun_policy_send *send)
{
	send->tries = 0;
	send->due_ns = 0;
}

/**
 * mptun_policy_write() - write the message to the peer
 * @out: the policy
 * @block: zeroed; filled except for the path id
 */
void mptun_policy_write(const struct mptun_policy_out *out,
			struct mptun_path_policy *block)
{
	const struct mptun_policy *p = &out->said;

	block->flags = (p->backup ? MPTUN_POLICY_BACKUP : 0) |
		       (p->off ? MPTUN_POLICY_OFF : 0);
	block->status = p->status;
	block->version = cpu_to_be32(out->send.version);
	block->priority = p->priority;
	block->weight = cpu_to_be16(p->weight);
	block->spill = cpu_to_be32(p->spill_us);
	block->rate = cpu_to_be64(p->rate);
	memcpy(block->name, p->name, strlen(p->name));
}

/* ASCII only: isalnum() knows more letters. */
static bool mptun_policy_valid(const u8 *name)
{
	unsigned int i;

	for (i = 0; i < MPTUN_POLICY_NAME_LEN && name[i]; i++) {
		u8 c = name[i];

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		    (c >= '0' && c <= '9') || c == '_')
			continue;
		if (!i || !strchr("-.+@", c))
			return false;
	}
	return i && i <= MPTUN_PATH_NAME_MAX;
}

/* Records that a version arrived; returns true if it replaces what there is. */
static bool mptun_policy_newer(struct mptun_policy_recv *recv, u32 version)
{
	if (version < recv->version)
		return false;
	recv->unanswered = true;
	if (version == recv->version)
		return false;
	recv->version = version;
	recv->fresh = true;
	return true;
}

/**
 * mptun_policy_receive() - receive a policy of the peer
 * @in: the present one
 * @block: the message, which mptun_parse_blocks() has checked
 *
 * Return: true if there is new work: see mptun_policy_waits().
 */
bool mptun_policy_receive(struct mptun_policy_in *in,
			  const struct mptun_path_policy *block)
{
	bool waits = mptun_policy_waits(&in->recv);

	if (mptun_policy_newer(&in->recv, be32_to_cpu(block->version))) {
		in->said = (struct mptun_policy){
			.backup = block->flags & MPTUN_POLICY_BACKUP,
			.off = block->flags & MPTUN_POLICY_OFF,
			.status = block->status,
			.priority = block->priority,
			.weight = be16_to_cpu(block->weight),
			.spill_us = be32_to_cpu(block->spill),
			.rate = be64_to_cpu(block->rate),
		};
		if (mptun_policy_valid(block->name))
			memcpy(in->said.name, block->name, MPTUN_PATH_NAME_MAX);
	}
	return mptun_policy_waits(&in->recv) && !waits;
}

/**
 * mptun_policy_taken() - what has arrived has taken effect and was answered
 * @recv: what has arrived
 * @now: time in ns
 */
void mptun_policy_taken(struct mptun_policy_recv *recv, u64 now)
{
	recv->fresh = false;
	recv->unanswered = false;
	recv->ready_ns = now + MPTUN_POLICY_PAUSE_NS;
}

/**
 * mptun_policy_name() - derive a name that is still free
 * @name: filled, MPTUN_PATH_NAME_MAX + 1 bytes
 * @wanted: the name that is taken
 * @n: number of the attempt, 2 to 99
 */
void mptun_policy_name(char *name, const char *wanted, unsigned int n)
{
	int room = MPTUN_PATH_NAME_MAX - (n < 10 ? 2 : 3);

	snprintf(name, MPTUN_PATH_NAME_MAX + 1, "%.*s-%u", room, wanted, n);
}

/* --- rates of classes */

static_assert(MPTUN_CLASSES_MAX - 1 == MPTUN_CAPS_MAX);
static_assert(MPTUN_CLASS_ANY_PROTOCOL == MPTUN_CAPS_PROTOCOL_ANY);
static_assert(MPTUN_CLASS_ANY_DSCP == MPTUN_CAPS_DSCP_ANY);

/* A firewall mark means nothing to another machine. */
static void mptun_class_rates_of(const struct mptun_class_list *list,
				 struct mptun_class_rate_list *rates)
{
	const struct mptun_class *class;
	unsigned int id;

	memset(rates, 0, sizeof(*rates));
	for (id = 1; id < MPTUN_CLASSES_MAX; id++) {
		class = &list->class[id];
		if (!mptun_class_exists(list, id) || !class->rate ||
		    class->mask)
			continue;
		rates->entry[rates->n++] = (struct mptun_class_rate){
			.rate = class->rate,
			.protocol = class->protocol,
			.dscp = class->dscp,
			.port = class->port,
		};
	}
}

/**
 * mptun_class_rates_say() - set the rates that the peer is to follow
 * @rates: the present ones
 * @list: classes of the tunnel
 * @sched: the scheduler that it is to use, &enum mptun_caps_sched
 * @now: time in ns
 */
void mptun_class_rates_say(struct mptun_class_rates *rates,
			   const struct mptun_class_list *list, u8 sched,
			   u64 now)
{
	const struct mptun_class_rate *rate = rates->said.entry;
	struct mptun_class_rate_list next;
	unsigned int i;
	bool same;

	mptun_class_rates_of(list, &next);
	next.sched = sched;
	same = rates->said.n == next.n && rates->said.sched == sched;
	for (i = 0; same && i < next.n; i++)
		same = rate[i].rate == next.entry[i].rate &&
		       rate[i].protocol == next.entry[i].protocol &&
		       rate[i].dscp == next.entry[i].dscp &&
		       rate[i].port == next.entry[i].port;
	if (same)
		return;
	rates->said = next;
	mptun_policy_changed(&rates->send, now);
}

/**
 * mptun_class_rates_write() - write the message to the peer
 * @rates: the rates
 * @head: zeroed, with room for all entries; filled
 */
void mptun_class_rates_write(const struct mptun_class_rates *rates,
			     struct mptun_caps_head *head)
{
	struct mptun_caps_entry *entry = (void *)(head + 1);
	const struct mptun_class_rate *rate = rates->said.entry;
	unsigned int i;

	head->version = cpu_to_be32(rates->send.version);
	head->count = rates->said.n;
	head->sched = rates->said.sched;
	for (i = 0; i < rates->said.n; i++) {
		entry[i].protocol = cpu_to_be16(rate[i].protocol);
		entry[i].port = cpu_to_be16(rate[i].port);
		entry[i].dscp = rate[i].dscp;
		entry[i].rate = cpu_to_be64(rate[i].rate);
	}
}

/**
 * mptun_class_rates_receive() - receive rates of the peer
 * @rates: the present ones
 * @head: the message, which mptun_parse_blocks() has checked
 *
 * Return: true if there is new work: see mptun_policy_waits().
 */
bool mptun_class_rates_receive(struct mptun_class_rates *rates,
			       const struct mptun_caps_head *head)
{
	const struct mptun_caps_entry *entry = (const void *)(head + 1);
	bool waits = mptun_policy_waits(&rates->recv);
	unsigned int i;

	if (mptun_policy_newer(&rates->recv, be32_to_cpu(head->version))) {
		rates->heard.sched = head->sched;
		rates->heard.n = head->count;
		for (i = 0; i < head->count; i++)
			rates->heard.entry[i] = (struct mptun_class_rate){
				.rate = be64_to_cpu(entry[i].rate),
				.protocol = be16_to_cpu(entry[i].protocol),
				.dscp = entry[i].dscp,
				.port = be16_to_cpu(entry[i].port),
			};
	}
	return mptun_policy_waits(&rates->recv) && !waits;
}

/**
 * mptun_class_rates_match() - find the rate that applies to a packet
 * @rates: rates of the peer
 * @key: fields of the packet
 *
 * Return: its index, -1 if none applies.
 */
int mptun_class_rates_match(const struct mptun_class_rate_list *rates,
			    const struct mptun_class_key *key)
{
	const struct mptun_class_rate *rate = rates->entry;
	unsigned int i;

	for (i = 0; i < rates->n; i++, rate++) {
		if (rate->protocol != MPTUN_CLASS_ANY_PROTOCOL &&
		    rate->protocol != key->protocol)
			continue;
		if (rate->dscp != MPTUN_CLASS_ANY_DSCP &&
		    rate->dscp != key->dscp)
			continue;
		if (!rate->port || rate->port == key->source ||
		    rate->port == key->dest)
			return i;
	}
	return -1;
}
