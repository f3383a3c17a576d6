/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tunnels and paths, read from the kernel.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_DUMP_H
#define MPTUN_TOOLS_DUMP_H

#include "lib/conn.h"
#include "lib/record.h"

/**
 * struct dump_list - a list of records
 * @rec: the records
 * @count: their number
 */
struct dump_list {
	struct record **rec;
	size_t count;
};

/**
 * struct dump_sample - tunnels and paths at one time
 * @tunnels: the tunnels
 * @paths: their paths
 * @us: the time, on a monotonic clock
 */
struct dump_sample {
	struct dump_list tunnels;
	struct dump_list paths;
	uint64_t us;
};

/**
 * dump_tunnels() - read tunnels
 * @conn: connection to the kernel
 * @dev: name of the tunnel, NULL for all
 * @list: filled in
 *
 * Return: 0, or the exit status after a message.
 */
int dump_tunnels(struct conn *conn, const char *dev,
		 struct dump_list *list);

/**
 * dump_paths() - read paths, with the figures computed from their counters
 * @conn: connection to the kernel
 * @dev: name of the tunnel, NULL for the paths of all
 * @name: name of the path, NULL for all
 * @list: filled in
 *
 * Return: 0, or the exit status after a message.
 */
int dump_paths(struct conn *conn, const char *dev, const char *name,
	       struct dump_list *list);

/**
 * dump_classes() - read classes
 * @conn: connection to the kernel
 * @dev: name of the tunnel, NULL for the classes of all
 * @id: number of the class, NULL for all
 * @list: filled in
 *
 * Return: 0, or the exit status after a message.
 */
int dump_classes(struct conn *conn, const char *dev, const uint32_t *id,
		 struct dump_list *list);

/**
 * dump_all() - read tunnels and their paths
 * @conn: connection to the kernel
 * @dev: name of the tunnel, NULL for all
 * @sample: filled in, empty on failure
 *
 * Return: 0, or the exit status after a message.
 */
int dump_all(struct conn *conn, const char *dev, struct dump_sample *sample);

/**
 * dump_sample_free() - free a sample
 * @sample: the sample, empty afterwards
 */
void dump_sample_free(struct dump_sample *sample);

/**
 * dump_same() - whether two records are of the same path
 * @a: a path
 * @b: a path, maybe at another time
 *
 * Return: true if tunnel and name are the same.
 */
bool dump_same(const struct record *a, const struct record *b);

/**
 * dump_of() - whether a path belongs to a tunnel
 * @path: the path
 * @tunnel: the tunnel
 *
 * Return: true if so.
 */
bool dump_of(const struct record *path, const struct record *tunnel);

/**
 * dump_small() - whether a path is too small for the MTU of its tunnel
 * @path: the path
 * @tunnel: its tunnel
 *
 * With mtu auto that is so while large packets are sent.
 *
 * Return: the MTU that it carries, at least the least of IPv6; 0 if it is not
 * too small, not up or its size is not known yet.
 */
uint64_t dump_small(const struct record *path, const struct record *tunnel);

/**
 * dump_message() - decode a tunnel or a path from a netlink message
 * @schema: schema_tunnel or schema_path
 * @msg: the message
 *
 * Return: the record, or NULL without memory or attributes.
 */
struct record *dump_message(const struct schema *schema,
			    struct nlmsghdr *msg);

/**
 * dump_rates() - compute rates from two samples of the paths
 * @now: the later sample, gets the rates
 * @before: the earlier sample
 * @us: time in between, in microseconds
 */
void dump_rates(struct dump_list *now, const struct dump_list *before,
		uint64_t us);

/**
 * dump_free() - free the records of a list
 * @list: the list, empty afterwards
 */
void dump_free(struct dump_list *list);

#endif /* MPTUN_TOOLS_DUMP_H */
