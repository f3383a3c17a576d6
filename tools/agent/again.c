// SPDX-License-Identifier: GPL-2.0
/*
 * When a name is looked up again, and which of its addresses is taken.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <string.h>

#include "agent/again.h"

/* Filters and captive portals answer with addresses of no host, or with this
 * machine.
 */
bool again_useful(const struct parse_value *addr)
{
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };
	static const unsigned char none[15];
	const unsigned char *byte = addr->addr;

	if (addr->family == 4)
		return byte[0] && byte[0] != 127 &&
		       (byte[0] < 224 || (byte[0] >= 240 &&
					  memcmp(byte, "\xff\xff\xff\xff",
						 4)));
	return byte[0] != 0xff && memcmp(byte, mapped, sizeof(mapped)) &&
	       (memcmp(byte, none, sizeof(none)) || byte[15] > 1);
}

void again_works(struct again *again)
{
	again->at = AGAIN_NEVER;
	again->tries = 0;
}

void again_fails(struct again *again, uint64_t now, bool down)
{
	uint64_t soonest = again->last + AGAIN_MIN_MS;
	uint64_t at = down ? now : now + AGAIN_MIN_MS;

	if (again->last && at < soonest)
		at = soonest;
	if (again->at == AGAIN_NEVER || (!again->tries && at < again->at))
		again->at = at;
}

void again_begins(struct again *again, uint64_t now)
{
	uint64_t wait = AGAIN_MIN_MS;

	for (unsigned int i = 0; i < again->tries && wait < AGAIN_MAX_MS; i++)
		wait *= 2;
	again->tries++;
	again->last = now;
	again->at = now + (wait < AGAIN_MAX_MS ? wait : AGAIN_MAX_MS);
}

const struct parse_value *again_choose(const struct again *again,
				       const struct parse_value *list,
				       size_t count,
				       const struct parse_value *have)
{
	if (!count)
		return NULL;
	for (size_t i = 0; have->set && i < count; i++) {
		if (list[i].family != have->family ||
		    memcmp(list[i].addr, have->addr,
			   have->family == 4 ? 4 : 16))
			continue;
		if (again->tries < 2 || count == 1)
			return NULL;
		return &list[(i + 1) % count];
	}
	return &list[0];
}
