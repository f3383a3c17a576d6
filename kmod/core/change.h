/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Changes of devices, addresses and routes of a namespace.
 */
#ifndef _MPTUN_CHANGE_H
#define _MPTUN_CHANGE_H

#include <linux/bitops.h>
#include <linux/if.h>
#include <linux/jhash.h>
#include <linux/minmax.h>
#include <linux/socket.h>
#include <linux/string.h>
#include <linux/types.h>
#include <net/ipv6.h>

#include "core/state.h"

/* Changes that wait to be handled together. */
#define MPTUN_CHANGES_MAX	8U

/**
 * enum mptun_change_kind - what has changed
 * @MPTUN_CHANGE_ANY: unknown, perhaps a rule
 * @MPTUN_CHANGE_DEVICE: a device: its state, name or existence
 * @MPTUN_CHANGE_ADDRESS: an address of a device
 * @MPTUN_CHANGE_ROUTE: a route
 */
enum mptun_change_kind {
	MPTUN_CHANGE_ANY,
	MPTUN_CHANGE_DEVICE,
	MPTUN_CHANGE_ADDRESS,
	MPTUN_CHANGE_ROUTE,
};

/**
 * struct mptun_change - a change of a device, address or route
 * @kind: &enum mptun_change_kind
 * @ifindex: the device, or that of the address
 * @name: name of the device
 * @family: AF_INET or AF_INET6 of an address or route
 * @addr: the address, or destination of the route
 * @len: length of the prefix of that destination
 * @merged: it stands for several routes with this prefix
 */
struct mptun_change {
	enum mptun_change_kind kind;
	int ifindex;
	char name[IFNAMSIZ];
	sa_family_t family;
	union mptun_addr addr;
	u8 len;
	bool merged;
};

/**
 * struct mptun_depends - what a path depends on
 * @family: AF_INET or AF_INET6
 * @remote: address of the peer
 * @source: source address, or the local address that is configured
 * @ifindex: device of the route, or what the path is bound to
 * @bound: the latter, 0 for none
 * @name: name of the latter, empty for none
 * @unrouted: it has no route, and no device is known
 * @homeless: there is no address to send from
 */
struct mptun_depends {
	sa_family_t family;
	const union mptun_addr *remote;
	const union mptun_addr *source;
	int ifindex;
	int bound;
	const char *name;
	bool unrouted;
	bool homeless;
};

/**
 * struct mptun_followed - what a path is counted for in its namespace
 * @counted: it is
 * @adrift: any device or address may concern it
 * @ifindex: devices of its route and what it is bound to, 0 for none
 * @source: hash of its source address
 */
struct mptun_followed {
	bool counted;
	bool adrift;
	int ifindex[2];
	u32 source;
};

static inline u32 mptun_change_addr_hash(const union mptun_addr *addr)
{
	return jhash(addr, sizeof(*addr), 0);
}

static inline bool mptun_change_covers(const struct mptun_change *change,
				       const union mptun_addr *addr)
{
	if (change->family != AF_INET)
		return ipv6_prefix_equal(&addr->v6, &change->addr.v6,
					 change->len);
	return !change->len ||
	       !(ntohl(addr->v4 ^ change->addr.v4) >> (32 - change->len));
}

static inline bool mptun_change_is_device(const struct mptun_change *change,
					  const struct mptun_depends *on)
{
	return change->ifindex && (change->ifindex == on->ifindex ||
				   change->ifindex == on->bound);
}

/**
 * mptun_change_concerns() - check whether a change may concern a path
 * @change: the change
 * @on: what the path depends on
 *
 * A route to another destination does not, nor does an address or the state of
 * a device that the path does not use.
 *
 * Return: true if it may.
 */
static inline bool mptun_change_concerns(const struct mptun_change *change,
					 const struct mptun_depends *on)
{
	u8 host = on->family == AF_INET ? 32 : 128;

	switch (change->kind) {
	case MPTUN_CHANGE_DEVICE:
		return mptun_change_is_device(change, on) || on->unrouted ||
		       (on->name[0] && !strncmp(change->name, on->name,
						IFNAMSIZ));
	case MPTUN_CHANGE_ADDRESS:
		return change->family == on->family &&
		       (mptun_change_is_device(change, on) || on->homeless ||
			mptun_change_covers(change, on->source));
	case MPTUN_CHANGE_ROUTE:
		if (change->family != on->family)
			return false;
		/* An address gets a route when it becomes usable. */
		if ((change->merged || change->len == host) &&
		    (on->homeless || mptun_change_covers(change, on->source)))
			return true;
		return mptun_change_covers(change, on->remote);
	default:
		return true;
	}
}

/* Returns the length of the prefix that two routes have in common. */
static inline u8 mptun_change_common(const struct mptun_change *a,
				     const struct mptun_change *b)
{
	int bits;

	if (a->family == AF_INET)
		bits = 32 - fls(ntohl(a->addr.v4 ^ b->addr.v4));
	else
		bits = ipv6_addr_diff(&a->addr.v6, &b->addr.v6);
	return min3(bits, (int)a->len, (int)b->len);
}

static inline bool mptun_change_routes(const struct mptun_change *a,
				       const struct mptun_change *b)
{
	return a->kind == MPTUN_CHANGE_ROUTE && a->kind == b->kind &&
	       a->family == b->family;
}

/* Merges the two most similar routes.  Returns false if there are no two of one
 * family.
 */
static inline bool mptun_change_merge(struct mptun_change *list, unsigned int n)
{
	unsigned int i, j, into = 0, from = 0;
	int common, most = -1;

	for (i = 0; i < n; i++) {
		for (j = 0; j < i; j++) {
			if (!mptun_change_routes(&list[i], &list[j]))
				continue;
			common = mptun_change_common(&list[i], &list[j]);
			if (common <= most)
				continue;
			most = common;
			from = i;
			into = j;
		}
	}
	if (most < 0)
		return false;
	list[into].len = most;
	list[into].merged = true;
	list[from] = list[n - 1];
	return true;
}

/**
 * mptun_change_add() - add a change to those that wait
 * @list: array of MPTUN_CHANGES_MAX changes, and room for another one
 * @n: their number
 * @new: another one
 *
 * If there are too many, the two most similar routes are merged.  If there are
 * no two, any change takes the place of all.
 *
 * Return: the new number.
 */
static inline unsigned int mptun_change_add(struct mptun_change *list,
					    unsigned int n,
					    const struct mptun_change *new)
{
	unsigned int i;

	if (n && list[0].kind == MPTUN_CHANGE_ANY)
		return n;
	/* A route in the list may cover the new one. */
	for (i = 0; i < n; i++) {
		if (!mptun_change_routes(&list[i], new) ||
		    mptun_change_common(&list[i], new) != list[i].len)
			continue;
		list[i].merged |= list[i].len != new->len;
		return n;
	}
	list[n++] = *new;
	if (new->kind != MPTUN_CHANGE_ANY &&
	    (n <= MPTUN_CHANGES_MAX || mptun_change_merge(list, n)))
		return min(n, MPTUN_CHANGES_MAX);
	list[0] = (struct mptun_change){ .kind = MPTUN_CHANGE_ANY };
	return 1;
}

#endif /* _MPTUN_CHANGE_H */
