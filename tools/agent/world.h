/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Links, addresses and default routes of a machine.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Pure: made from messages of the kernel, wherever these come from.
 */
#ifndef MPTUN_TOOLS_WORLD_H
#define MPTUN_TOOLS_WORLD_H

#include <linux/netlink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/parse.h"

/**
 * struct world_link - a device
 * @index: its index
 * @name: its name
 * @kind: what it is, "" for hardware
 * @master: index of the device that it is a port of, or 0
 * @up: it is set up
 */
struct world_link {
	int index;
	char name[PARSE_TEXT_MAX + 1];
	char kind[PARSE_TEXT_MAX + 1];
	int master;
	bool up;
};

/**
 * struct world_addr - an address that reaches beyond its link
 * @index: index of its device
 * @version: 4 or 6
 * @addr: the address
 */
struct world_addr {
	int index;
	int version;
	unsigned char addr[16];
};

/**
 * struct world_route - a default route that is not of mptun
 * @index: index of its device
 * @version: 4 or 6
 * @table: its table
 * @metric: of those of a table the one with the smallest metric is used
 * @via: it has a gateway
 * @gateway: the gateway
 * @onlink: no network of the device has the gateway
 * @mixed: the gateway has an address of the other version of IP
 * @bits: of @source, 0 for packets from any address
 * @source: packets from these addresses take it; the device has one of them
 */
struct world_route {
	int index;
	int version;
	uint32_t table;
	uint32_t metric;
	bool via;
	unsigned char gateway[16];
	bool onlink;
	bool mixed;
	int bits;
	unsigned char source[16];
};

/**
 * struct world - a machine
 * @link: its devices
 * @links: their number
 * @addr: their addresses
 * @addrs: their number
 * @route: default routes
 * @routes: their number
 */
struct world {
	struct world_link *link;
	size_t links;
	struct world_addr *addr;
	size_t addrs;
	struct world_route *route;
	size_t routes;
};

/**
 * world_take() - take what a message of a list is about
 * @world: it is added here
 * @msg: a message RTM_NEWLINK, RTM_NEWADDR or RTM_NEWROUTE, in this order;
 *	others are left out
 *
 * Return: 0, or -1 without memory.
 */
int world_take(struct world *world, struct nlmsghdr *msg);

/**
 * world_concerns() - whether a notification is about what a world has
 * @msg: the notification
 *
 * Return: true if so.
 */
bool world_concerns(struct nlmsghdr *msg);

/**
 * world_loses() - whether a notification is about a rule of mptun that is gone
 * @msg: the notification
 *
 * Return: true if so.
 */
bool world_loses(struct nlmsghdr *msg);

/**
 * world_moves() - whether a device leaves for another network namespace
 * @msg: a notification
 * @name: name of the device
 *
 * Return: true if so.
 */
bool world_moves(struct nlmsghdr *msg, const char *name);

/**
 * world_link() - find a device
 * @world: the machine
 * @name: its name
 *
 * Return: the device, or NULL.
 */
const struct world_link *world_link(const struct world *world,
				    const char *name);

/**
 * world_index() - find a device
 * @world: the machine
 * @index: its index
 *
 * Return: the device, or NULL.
 */
const struct world_link *world_index(const struct world *world, int index);

/**
 * world_free() - forget a machine
 * @world: the machine, empty afterwards
 */
void world_free(struct world *world);

#endif /* MPTUN_TOOLS_WORLD_H */
