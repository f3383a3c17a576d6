// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Policy of one path: what the end that opened it says about its use.
 *
 * The model: the policy has a version, which increases with each change.  The
 * message is repeated, with back-off, until the peer answers with the version:
 * so nothing is sent while nothing changes, and a lost message costs a quarter
 * of a second.  The receiver takes only versions larger than the last one, so
 * reordered messages do not bring an old policy back.  It answers what it has
 * already as well, since its answer may have been lost.
 *
 * Versions are compared for one number of a path on the wire: with another
 * number, the receiver begins with none.
 *
 * The name comes from another machine.  Only characters that mean nothing to
 * shells, terminals and formats are accepted.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "sched/policy.h"

static_assert(MPTUN_PATH_NAME_MAX < MPTUN_POLICY_NAME_LEN);

static bool mptun_policy_same(const struct mptun_policy *a,
			      const struct mptun_policy *b)
{
	return !strcmp(a->name, b->name) && a->backup == b->backup &&
	       a->off == b->off && a->status == b->status &&
	       a->priority == b->priority && a->weight == b->weight &&
	       a->spill_us == b->spill_us && a->rate == b->rate;
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
	if (out->version && mptun_policy_same(&out->said, policy))
		return;
	out->said = *policy;
	out->version++;
	out->tries = 0;
	out->due_ns = now;
}

/**
 * mptun_policy_sent() - a message with the policy was sent
 * @out: the policy
 * @now: time in ns
 */
void mptun_policy_sent(struct mptun_policy_out *out, u64 now)
{
	out->due_ns = now + (MPTUN_POLICY_REPEAT_NS << out->tries);
	if (out->tries < MPTUN_POLICY_DOUBLINGS)
		out->tries++;
}

/**
 * mptun_policy_answered() - the peer has answered
 * @out: the policy
 * @version: version in the answer
 * @followed: it follows the policy
 *
 * Answers may be reordered, and the peer may begin or cease to follow.
 */
void mptun_policy_answered(struct mptun_policy_out *out, u32 version,
			   bool followed)
{
	if (version < out->acked || version > out->version)
		return;
	out->acked = version;
	out->followed = followed;
}

/**
 * mptun_policy_again() - the peer may have no policy, or may answer at last
 * @out: the policy
 */
void mptun_policy_again(struct mptun_policy_out *out)
{
	out->tries = 0;
	out->due_ns = 0;
}

/**
 * mptun_policy_write() - write the message to the peer
 * @out: the policy
 * @block: zeroed; filled except for the number of the path
 */
void mptun_policy_write(const struct mptun_policy_out *out,
			struct mptun_path_policy *block)
{
	const struct mptun_policy *p = &out->said;

	block->flags = (p->backup ? MPTUN_POLICY_BACKUP : 0) |
		       (p->off ? MPTUN_POLICY_OFF : 0);
	block->status = p->status;
	block->version = cpu_to_be32(out->version);
	block->priority = p->priority;
	block->weight = cpu_to_be16(p->weight);
	block->spill = cpu_to_be32(p->spill_us);
	block->rate = cpu_to_be64(p->rate);
	memcpy(block->name, p->name, strlen(p->name));
}

/* ASCII only: isalnum() knows more letters. */
static bool mptun_policy_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

static bool mptun_policy_valid(const u8 *name)
{
	unsigned int i;

	if (!mptun_policy_letter(name[0]))
		return false;
	for (i = 1; i < MPTUN_POLICY_NAME_LEN && name[i]; i++)
		if (!mptun_policy_letter(name[i]) && !strchr("-.+@", name[i]))
			return false;
	return i <= MPTUN_PATH_NAME_MAX;
}

static void mptun_policy_read(struct mptun_policy *p,
			      const struct mptun_path_policy *block)
{
	*p = (struct mptun_policy){
		.backup = block->flags & MPTUN_POLICY_BACKUP,
		.off = block->flags & MPTUN_POLICY_OFF,
		.status = block->status,
		.priority = block->priority,
		.weight = be16_to_cpu(block->weight),
		.spill_us = be32_to_cpu(block->spill),
		.rate = be64_to_cpu(block->rate),
	};
	if (mptun_policy_valid(block->name))
		memcpy(p->name, block->name, MPTUN_PATH_NAME_MAX);
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
	u32 version = be32_to_cpu(block->version);
	bool waits = mptun_policy_waits(in);

	if (version < in->version)
		return false;
	in->unanswered = true;
	if (version > in->version) {
		mptun_policy_read(&in->said, block);
		in->version = version;
		in->fresh = true;
	}
	return !waits;
}

/**
 * mptun_policy_taken() - the policy has taken effect and was answered
 * @in: the policy
 * @now: time in ns
 */
void mptun_policy_taken(struct mptun_policy_in *in, u64 now)
{
	in->fresh = false;
	in->unanswered = false;
	in->ready_ns = now + MPTUN_POLICY_PAUSE_NS;
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

/**
 * mptun_policy_named() - check whether a name is one wanted, or derived from it
 * @name: the name
 * @wanted: the wanted one
 *
 * Return: true if it is.
 */
bool mptun_policy_named(const char *name, const char *wanted)
{
	char derived[MPTUN_PATH_NAME_MAX + 1];
	unsigned int n;

	if (!strcmp(name, wanted))
		return true;
	for (n = 2; n < 100; n++) {
		mptun_policy_name(derived, wanted, n);
		if (!strcmp(name, derived))
			return true;
	}
	return false;
}
