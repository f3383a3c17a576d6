/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an agent sends to the agent of the other end: a summary of its paths.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Pure.  It is a JSON object in a datagram.  Fields of paths have the names and
 * units of "mptunctl show -j".  Fields and words that are not known are left
 * out, as the other end may have a later version.
 */
#ifndef MPTUN_TOOLS_SUMMARY_H
#define MPTUN_TOOLS_SUMMARY_H

#include "lib/dump.h"

/* Longest datagram: 32 paths with all fields are shorter. */
#define SUMMARY_MAX 16384
/* Longest version. */
#define SUMMARY_VERSION_MAX 31

/**
 * struct summary - a summary
 * @version: version of the tools
 * @number: its number; another one when states have changed
 * @seen: the last number of the other end, 0 for none
 * @asks: the other end is to answer, though nothing has changed
 * @paths: the paths
 */
struct summary {
	char version[SUMMARY_VERSION_MAX + 1];
	uint32_t number;
	uint32_t seen;
	bool asks;
	struct dump_list paths;
};

/**
 * struct summary_view - a summary that was received, for those who show it
 * @ifname: the tunnel
 * @summary: the summary, NULL if there is none
 * @age: seconds since it was received
 * @answers: the other end answers
 * @sent: datagrams sent
 * @received: those received
 * @refused: those of them that were no summary of the other end
 */
struct summary_view {
	const char *ifname;
	const struct summary *summary;
	uint64_t age;
	bool answers;
	uint64_t sent;
	uint64_t received;
	uint64_t refused;
};

/**
 * summary_write() - write a datagram
 * @summary: the summary; paths that are deleted are left out
 * @buf: buffer of SUMMARY_MAX bytes
 *
 * Return: its length, 0 without memory.
 */
size_t summary_write(const struct summary *summary, char *buf);

/**
 * summary_states() - what is sent at once when it changes
 * @summary: the summary
 *
 * Return: a text that differs if it has changed, NULL without memory.
 */
char *summary_states(const struct summary *summary);

/**
 * summary_read() - read a datagram
 * @summary: filled in
 * @ifname: tunnel that the paths belong to
 * @buf: the datagram
 * @len: its length
 *
 * Return: NULL, or what is wrong with it; nothing is filled in then.
 */
const char *summary_read(struct summary *summary, const char *ifname,
			 const char *buf, size_t len);

/**
 * summary_path() - find a path
 * @summary: the summary
 * @name: its name
 *
 * Return: the path, or NULL.
 */
const struct record *summary_path(const struct summary *summary,
				  const char *name);

/* Forget a summary. */
void summary_free(struct summary *summary);

#endif /* MPTUN_TOOLS_SUMMARY_H */
