// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers of the routing tables and the firewall mark of a tunnel.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include "conf/number.h"
#include "lib/keyword.h"

/* "M" in the first byte, 18 bits of the name, 6 bits of the table. */
#define NUMBER_FIRST 0x4d000000u
#define NUMBER_NAMES 0x3ffffu

/* FNV-1a */
uint32_t number_block(const char *name)
{
	uint32_t hash = 0x811c9dc5u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x01000193u;
	hash ^= hash >> 18;
	return NUMBER_FIRST | (hash & NUMBER_NAMES) * NUMBER_BLOCK;
}

bool number_rules(const struct plan *plan)
{
	return plan->host.table == PLAN_TABLE_AUTO &&
	       (plan->host.all4 || plan->host.all6);
}

void number_mark(struct plan *plan, const char *name)
{
	struct parse_value *mark;

	mark = &plan->set.res.value[parse_find(&keyword_set, "fwmark")];
	if (mark->num || (!number_rules(plan) && !plan->host.kill_switch))
		return;
	mark->set = true;
	mark->num = number_block(name);
}
