// SPDX-License-Identifier: GPL-2.0
/*
 * Checks of a path: what is known of NATs on its way.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * An end knows its own address and port, and those from which packets of the
 * peer come.  It does not know what the peer sees, so it is sure of a NAT only
 * where an address that the Internet does not route reaches one that it does;
 * for the rest both ends have to be compared.
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <string.h>

#include <linux/mptun.h>

#include "doctor/doctor.h"
#include "host/message.h"
#include "lib/print.h"

/* Linux forgets the mapping of a flow with few packets after this time. */
#define NAT_FORGETS_S 30

/**
 * struct nat_range - addresses that the Internet does not route
 * @family: 4 or 6
 * @prefix: their first bytes
 * @bits: how many bits of them count
 * @what: what they are
 */
struct nat_range {
	int family;
	unsigned char prefix[2];
	unsigned int bits;
	const char *what;
};

static const struct nat_range nat_ranges[] = {
	{ 4, { 10, 0 }, 8, "a private one" },
	{ 4, { 172, 16 }, 12, "a private one" },
	{ 4, { 192, 168 }, 16, "a private one" },
	{ 4, { 100, 64 }, 10, "one that providers share among customers" },
	{ 6, { 0xfc, 0 }, 7, "a private one" },
};

/* What an address is, or NULL if the Internet routes it. */
static const char *nat_range_of(const unsigned char *addr, int family)
{
	for (size_t i = 0; i < sizeof(nat_ranges) / sizeof(*nat_ranges); i++) {
		const struct nat_range *range = &nat_ranges[i];
		unsigned int differ;

		differ = ((unsigned int)(addr[0] ^ range->prefix[0]) << 8) |
			 (addr[1] ^ range->prefix[1]);
		if (range->family == family && !(differ >> (16 - range->bits)))
			return range->what;
	}
	return NULL;
}

/* The peer may probe where this end does not, which this end cannot know. */
static void nat_own(struct doctor *doc, const struct record *path,
		    const struct doctor_way *way)
{
	const char *what = nat_range_of(way->source, way->family);
	uint64_t keepalive = record_num(path, "keepalive");
	char addr[INET6_ADDRSTRLEN], span[PRINT_MAX];

	if (!what || nat_range_of(way->to, way->family))
		return;
	inet_ntop(message_family(way->family), way->source, addr, sizeof(addr));
	print_field(path, "keepalive", span);
	if (keepalive == MPTUN_KEEPALIVE_OFF)
		doctor_say(doc, DOCTOR_NOTE, "nat",
			   "a NAT translates its address %s, which is %s, and keepalive is off: unless the peer probes the path, the NAT forgets it while the tunnel is idle, and the peer cannot send over it then",
			   addr, what);
	else if (keepalive > NAT_FORGETS_S)
		doctor_say(doc, DOCTOR_NOTE, "nat",
			   "a NAT translates its address %s, which is %s, and may forget the path after %d s without packets, which is less than keepalive %s",
			   addr, what, NAT_FORGETS_S, span);
	else
		doctor_say(doc, DOCTOR_OK, "nat",
			   "a NAT translates its address %s, which is %s, and probes keep its mapping",
			   addr, what);
}

void doctor_nat(struct doctor *doc, const struct record *path,
		const struct doctor_way *way)
{
	char text[PRINT_MAX];

	if (record_num(path, "state") != MPTUN_PATH_STATE_UP)
		return;
	if (!record_num(path, "learned"))
		nat_own(doc, path, way);
	doctor_say(doc, DOCTOR_OK, "nat",
		   "packets of the peer come from %s: a NAT changes what differs from the address and port that \"mptunctl check -d\" has there for this path",
		   print_endpoint(path, "remote", text));
}

static const char *nat_remote(const struct record *path)
{
	return record_value(path, "remote4") ? record_text(path, "remote4") :
					       record_text(path, "remote6");
}

static bool nat_learned(const struct record *path)
{
	return record_num(path, "learned") &&
	       record_num(path, "state") == MPTUN_PATH_STATE_UP;
}

void doctor_nat_shared(struct doctor *doc, const struct record *path,
		       const struct record *other)
{
	if (!nat_learned(path) || !nat_learned(other) || !*nat_remote(path) ||
	    strcmp(nat_remote(path), nat_remote(other)))
		return;
	doc->path = record_text(path, "name");
	doctor_say(doc, DOCTOR_NOTE, "nat",
		   "packets of the peer come from %s, as those of path %s: both leave over one uplink there, or through one NAT",
		   nat_remote(path), record_text(other, "name"));
	doc->path = NULL;
}
