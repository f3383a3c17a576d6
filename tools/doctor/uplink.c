// SPDX-License-Identifier: GPL-2.0
/*
 * Checks of uplinks together.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <arpa/inet.h>
#include <stdint.h>
#include <string.h>

#include "doctor/doctor.h"

static uint32_t uplink_number(const struct doctor_address *addr)
{
	uint32_t number;

	memcpy(&number, addr->addr, sizeof(number));
	return ntohl(number);
}

static bool uplink_one_network(const struct doctor_address *a,
			       const struct doctor_address *b)
{
	unsigned int bits = a->bits < b->bits ? a->bits : b->bits;

	/* A point-to-point link has no neighbours that ask. */
	if (!bits || bits >= 31)
		return false;
	return !((uplink_number(a) ^ uplink_number(b)) >> (32 - bits));
}

static bool uplink_shares(const struct doctor *doc, int one, int other)
{
	for (size_t i = 0; i < doc->addresses; i++) {
		const struct doctor_address *a = &doc->address[i];

		if (a->index != one || a->family != 4)
			continue;
		for (size_t j = 0; j < doc->addresses; j++)
			if (doc->address[j].index == other &&
			    doc->address[j].family == 4 &&
			    uplink_one_network(a, &doc->address[j]))
				return true;
	}
	return false;
}

/* Whether a device answers only for its own addresses. */
static bool uplink_answers_alone(const char *dev)
{
	return fact_sysctl(dev, "arp_ignore") || fact_sysctl(dev, "arp_filter");
}

static void uplink_arp(struct doctor *doc, int one, int other)
{
	const struct doctor_link *a = doctor_link_index(doc, one);
	const struct doctor_link *b = doctor_link_index(doc, other);

	if (!a || !b || !a->arp || !b->arp || !uplink_shares(doc, one, other) ||
	    (uplink_answers_alone(a->name) && uplink_answers_alone(b->name)))
		return;
	doctor_say(doc, DOCTOR_NOTE, "arp",
		   "%s and %s are in one network: if they are on one switch, each answers ARP for the address of the other, so run \"sysctl -w net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.arp_announce=2\"",
		   a->name, b->name);
}

void doctor_uplinks(struct doctor *doc, const int *uplink, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < i; j++)
			uplink_arp(doc, uplink[j], uplink[i]);
}
