/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Machines made up for tests, out of messages as the kernel sends them.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_TEST_WORLD_H
#define MPTUN_TOOLS_TEST_WORLD_H

#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netlink/msg.h>

#include "agent/world.h"

/* What the tests are about. */
extern struct world world;

/**
 * struct way - a default route
 * @index: index of its device
 * @gateway: its gateway, NULL for none
 * @table: its table, 0 for the main table
 * @metric: its metric
 * @version: 4 or 6
 * @source: packets from there take it, NULL for all
 * @head: what else its header has
 */
struct way {
	int index;
	const char *gateway;
	uint32_t table;
	uint32_t metric;
	int version;
	const char *source;
	struct rtmsg head;
};

/* Takes a message into the world, and frees it. */
void take(struct nl_msg *msg);

/* Appends an address. */
void put_addr(struct nl_msg *msg, int attr, const char *addr);

/* A message about a route. */
struct nl_msg *way_message(int type, const struct way *way);

void link_of(int index, const char *name, const char *kind, int master,
	     unsigned int flags);
void addr_of(int index, const char *addr, unsigned char scope);

/* A route, as struct way says. */
#define ROUTE(...) take(way_message(RTM_NEWROUTE, &(struct way) { __VA_ARGS__ }))

/* An uplink with an address and a gateway. */
void uplink_of(int index, const char *name);

/* A machine with the uplinks eth0 and wwan0, and no other. */
void machine(void);

/* Whether these are the bytes of an address. */
bool same(const unsigned char *bytes, const char *addr);

#endif /* MPTUN_TOOLS_TEST_WORLD_H */
