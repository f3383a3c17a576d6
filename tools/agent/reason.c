// SPDX-License-Identifier: GPL-2.0
/*
 * The reason for the state of a path, in words.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <linux/mptun.h>

#include "agent/reason.h"

static const char *const reason_texts[] = {
	[MPTUN_PATH_REASON_ADDED] = "it was added",
	[MPTUN_PATH_REASON_LEARNED] = "its peer has begun it",
	[MPTUN_PATH_REASON_ASSOCIATED] = "its peer has started again",
	[MPTUN_PATH_REASON_ANSWERED] = "its peer answers",
	[MPTUN_PATH_REASON_ACKNOWLEDGED] = "its peer acknowledges data",
	[MPTUN_PATH_REASON_TIMEOUT] = "its peer does not answer",
	[MPTUN_PATH_REASON_CARRIER] = "its device is down",
	[MPTUN_PATH_REASON_DEVICE] = "its device does not exist",
	[MPTUN_PATH_REASON_ADDRESS] = "its local address does not exist",
	[MPTUN_PATH_REASON_ROUTE] = "there is no route to its peer",
	[MPTUN_PATH_REASON_LOOP] = "its route leads into the tunnel",
	[MPTUN_PATH_REASON_ADMIN] = "it was switched off",
	[MPTUN_PATH_REASON_PEER] = "its peer has asked for that",
};

/* Why a path that is up is suspended, or NULL. */
static const char *reason_suspended(const struct record *path)
{
	if (record_num(path, "state") != MPTUN_PATH_STATE_UP)
		return NULL;
	if (record_num(path, "parked"))
		return "it carries too little";
	return record_num(path, "detour") ? "its latency is too high" : NULL;
}

const char *reason_text(const struct record *path)
{
	const char *suspended = reason_suspended(path);
	const struct value *reason = record_value(path, "reason");

	if (record_num(path, "state") == MPTUN_PATH_STATE_DRAINING)
		return "it is deleted";
	if (suspended)
		return suspended;
	/* A later version at the other end may have other reasons. */
	if (reason &&
	    reason->num < sizeof(reason_texts) / sizeof(*reason_texts) &&
	    reason_texts[reason->num])
		return reason_texts[reason->num];
	return "the reason is not known";
}
