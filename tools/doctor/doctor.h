/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is wrong with a tunnel, and what to do about it.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Each check looks at one thing and says one sentence about it.  What can be
 * known without sending anything is looked at: the kernel's figures, routes,
 * addresses, and files below /proc and /sys.
 */
#ifndef MPTUN_TOOLS_DOCTOR_H
#define MPTUN_TOOLS_DOCTOR_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/dump.h"

/**
 * enum doctor_level - what a finding means
 * @DOCTOR_OK: looked at, and in order
 * @DOCTOR_NOTE: worth to know, but no fault
 * @DOCTOR_WRONG: has to be changed
 */
enum doctor_level {
	DOCTOR_OK,
	DOCTOR_NOTE,
	DOCTOR_WRONG,
};

/**
 * struct doctor_link - a network device
 * @index: its index
 * @name: its name
 * @up: it is switched on
 * @carrier: it has a carrier
 * @arp: it asks for the hardware addresses of its neighbours
 */
struct doctor_link {
	int index;
	char name[16];
	bool up;
	bool carrier;
	bool arp;
};

/**
 * struct doctor_address - an address of the machine
 * @index: index of its device
 * @family: 4 or 6
 * @bits: length of its network
 * @addr: the address
 */
struct doctor_address {
	int index;
	int family;
	unsigned int bits;
	unsigned char addr[16];
};

/**
 * struct doctor - an examination
 * @details: say also what is in order
 * @list: findings as JSON, NULL for text
 * @wrong: number of faults
 * @uplinks: the file leaves it to mptund to find uplinks
 * @ifname: tunnel that is looked at, or NULL
 * @path: path that is looked at, or NULL
 * @route: connection to the routing family
 * @link: devices
 * @links: their number
 * @address: addresses
 * @addresses: their number
 */
struct doctor {
	bool details;
	json_t *list;
	unsigned int wrong;
	bool uplinks;
	const char *ifname;
	const char *path;
	struct conn *route;
	struct doctor_link *link;
	size_t links;
	struct doctor_address *address;
	size_t addresses;
};

/**
 * doctor_say() - report a finding
 * @doc: the examination
 * @level: what it means
 * @check: what was looked at, for JSON
 * @fmt: a sentence, for a fault with what to do
 */
__attribute__((format(printf, 4, 5)))
void doctor_say(struct doctor *doc, enum doctor_level level,
		const char *check, const char *fmt, ...);

/* --- fact.c: files below /proc, /sys and /lib */

/**
 * fact_text() - the first line of a file
 * @path: the file
 * @buf: buffer for the line
 * @size: size of @buf
 *
 * Return: true if it could be read.
 */
bool fact_text(const char *path, char *buf, size_t size);

/**
 * fact_byte() - a byte of a file
 * @path: the file
 * @offset: where the byte is
 *
 * Return: the byte, or -1.
 */
int fact_byte(const char *path, long offset);

/**
 * fact_exists() - whether there is a file
 * @pattern: its name, as for glob(3)
 *
 * Return: true if so.
 */
bool fact_exists(const char *pattern);

/**
 * fact_line() - whether a file has a line with a text
 * @path: the file
 * @text: the text
 *
 * Return: true if so.
 */
bool fact_line(const char *path, const char *text);

/**
 * fact_sysctl() - a setting of a device for IPv4
 * @dev: its name
 * @name: the setting
 *
 * Return: the larger one of the device and of "all".
 */
int fact_sysctl(const char *dev, const char *name);

/**
 * fact_driver() - which driver the kernel has for an algorithm
 * @algorithm: the algorithm
 * @driver: buffer of 64 characters for the one of the highest priority
 *
 * Return: true if there is one.
 */
bool fact_driver(const char *algorithm, char *driver);

/**
 * fact_root() - let tests replace the files of the machine
 *
 * Return: a folder that stands for /, "" if tests do not replace it.
 */
const char *fact_root(void);

/* --- machine.c, net.c, tunnel.c, path.c, nat.c, uplink.c */

/**
 * doctor_machine() - look at the module
 * @doc: the examination
 *
 * Return: true if it is loaded.
 */
bool doctor_machine(struct doctor *doc);

/**
 * doctor_net() - read devices and addresses
 * @doc: filled in
 *
 * Return: 0, or the exit status after a message.
 */
int doctor_net(struct doctor *doc);

/**
 * doctor_net_free() - free devices and addresses
 * @doc: the examination
 */
void doctor_net_free(struct doctor *doc);

/**
 * doctor_link_named() - find a device
 * @doc: the examination
 * @name: its name
 *
 * Return: the device, or NULL.
 */
const struct doctor_link *doctor_link_named(const struct doctor *doc,
					    const char *name);

/**
 * doctor_link_index() - find a device
 * @doc: the examination
 * @index: its index
 *
 * Return: the device, or NULL.
 */
const struct doctor_link *doctor_link_index(const struct doctor *doc,
					    int index);

/**
 * struct doctor_way - where packets go
 * @family: 4 or 6
 * @to: destination
 * @from: source address, NULL for the one that fits
 * @oif: index of the device, 0 for any; set to that of the route
 * @mark: firewall mark
 * @source: set to the source address
 */
struct doctor_way {
	int family;
	const unsigned char *to;
	const unsigned char *from;
	int oif;
	uint32_t mark;
	unsigned char source[16];
};

/**
 * doctor_route() - look up a route
 * @doc: the examination
 * @way: filled in
 *
 * Return: true if there is one.
 */
bool doctor_route(struct doctor *doc, struct doctor_way *way);

/**
 * doctor_tunnel() - look at a tunnel, without its paths
 * @doc: the examination
 * @tunnel: the tunnel
 * @paths: paths of this tunnel and of others
 */
void doctor_tunnel(struct doctor *doc, const struct record *tunnel,
		   const struct dump_list *paths);

/**
 * doctor_path() - look at a path
 * @doc: the examination
 * @tunnel: its tunnel
 * @path: the path
 *
 * Return: index of its uplink, 0 if it has none.
 */
int doctor_path(struct doctor *doc, const struct record *tunnel,
		const struct record *path);

/**
 * doctor_nat() - say what is known of NATs between the ends of a path
 * @doc: the examination
 * @path: the path
 * @way: its route
 */
void doctor_nat(struct doctor *doc, const struct record *path,
		const struct doctor_way *way);

/**
 * doctor_nat_shared() - look whether two paths of the peer have one address
 * @doc: the examination
 * @path: a path
 * @other: another path of its tunnel
 */
void doctor_nat_shared(struct doctor *doc, const struct record *path,
		       const struct record *other);

/**
 * doctor_uplinks() - look at uplinks together
 * @doc: the examination
 * @uplink: indices of their devices
 * @count: their number
 */
void doctor_uplinks(struct doctor *doc, const int *uplink, size_t count);

#endif /* MPTUN_TOOLS_DOCTOR_H */
