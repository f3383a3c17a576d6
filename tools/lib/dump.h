/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tunnels and paths, read from the kernel.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_FETCH_H
#define MPTUN_TOOLS_FETCH_H

#include "lib/conn.h"
#include "lib/message.h"

/**
 * struct fetch_list - a list of records
 * @rec: the records
 * @count: their number
 */
struct fetch_list {
	struct record **rec;
	size_t count;
};

/**
 * struct fetch_look - what the kernel said at one time
 * @tunnels: the tunnels
 * @paths: their paths
 * @us: when that was, by a clock that does not jump
 */
struct fetch_look {
	struct fetch_list tunnels;
	struct fetch_list paths;
	uint64_t us;
};

/**
 * fetch_tunnels() - read tunnels
 * @conn: connection to the kernel
 * @dev: name of the tunnel, NULL for all
 * @list: filled in
 *
 * Return: 0, or the exit status after a message.
 */
int fetch_tunnels(struct conn *conn, const char *dev,
		  struct fetch_list *list);

/**
 * fetch_paths() - read paths, with the figures computed from their counters
 * @conn: connection to the kernel
 * @dev: name of the tunnel, NULL for the paths of all
 * @name: name of the path, NULL for all
 * @list: filled in
 *
 * Return: 0, or the exit status after a message.
 */
int fetch_paths(struct conn *conn, const char *dev, const char *name,
		struct fetch_list *list);

/**
 * fetch_classes() - read classes
 * @conn: connection to the kernel
 * @dev: name of the tunnel, NULL for the classes of all
 * @id: number of the class, NULL for all
 * @list: filled in
 *
 * Return: 0, or the exit status after a message.
 */
int fetch_classes(struct conn *conn, const char *dev, const uint32_t *id,
		  struct fetch_list *list);

/**
 * fetch_look() - read tunnels and their paths
 * @conn: connection to the kernel
 * @dev: name of the tunnel, NULL for all
 * @look: filled in, empty on failure
 *
 * Return: 0, or the exit status after a message.
 */
int fetch_look(struct conn *conn, const char *dev, struct fetch_look *look);

/**
 * fetch_look_free() - free what was seen
 * @look: the look, empty afterwards
 */
void fetch_look_free(struct fetch_look *look);

/**
 * fetch_same() - whether two records are of the same path
 * @a: a path
 * @b: a path, perhaps at another time
 *
 * Return: true if tunnel and name are the same.
 */
bool fetch_same(const struct record *a, const struct record *b);

/**
 * fetch_of() - whether a path belongs to a tunnel
 * @path: the path
 * @tunnel: the tunnel
 *
 * Return: true if so.
 */
bool fetch_of(const struct record *path, const struct record *tunnel);

/**
 * fetch_message() - decode a tunnel or a path from a netlink message
 * @schema: schema_tunnel or schema_path
 * @msg: the message
 *
 * Return: the record, or NULL without memory or attributes.
 */
struct record *fetch_message(const struct schema *schema,
			     struct nlmsghdr *msg);

/**
 * fetch_rates() - compute rates from two looks at the paths
 * @now: the later look, gets the rates
 * @before: the earlier look
 * @us: time in between, in microseconds
 */
void fetch_rates(struct fetch_list *now, const struct fetch_list *before,
		 uint64_t us);

/**
 * fetch_free() - free the records of a list
 * @list: the list, empty afterwards
 */
void fetch_free(struct fetch_list *list);

#endif /* MPTUN_TOOLS_FETCH_H */
