/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The exchange of summaries with the agent of the other end.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_EXCHANGE_H
#define MPTUN_TOOLS_EXCHANGE_H

#include <jansson.h>
#include <poll.h>

#include "agent/summary.h"
#include "agent/announce.h"

struct agent;

/* UDP port of agents, inside of tunnels. */
#define EXCHANGE_PORT 14725
/* One socket for each version of IP. */
#define EXCHANGE_FDS 2

/**
 * struct exchange - the exchange
 * @index: index of the device that the sockets are bound to, 0 for none
 * @fd: the sockets, -1 for none
 * @announce: when to send
 * @instance: the other end, as the kernel knows it; 0 for none
 * @peer: its summary
 * @heard: when that was received, 0 for never
 * @failed: names of its paths that were said not to work, NULL for none
 * @works: a path has worked at the last look
 * @states: states of the own paths, as they were announced last
 * @look: when to look at them again, UINT64_MAX for never
 * @wait: nothing is looked at or sent before, as the paths could not be listed
 * @ready: when the sockets are read again
 * @again: when to open the sockets that another program has kept from being
 *	opened, UINT64_MAX for never
 * @total: bytes that the paths have carried
 * @size: bytes of the last datagram, with its headers
 * @sent: datagrams sent
 * @received: datagrams received
 * @refused: those of them that were refused
 */
struct exchange {
	int index;
	int fd[EXCHANGE_FDS];
	struct announce announce;
	uint64_t instance;
	struct summary peer;
	uint64_t heard;
	json_t *failed;
	bool works;
	char *states;
	uint64_t look;
	uint64_t wait;
	uint64_t ready;
	uint64_t again;
	uint64_t total;
	size_t size;
	uint64_t sent;
	uint64_t received;
	uint64_t refused;
};

void exchange_init(struct exchange *exchange);

/* The tunnel is there, or its association has changed. */
void exchange_look(struct agent *agent);

/* A path was reported, or one may have changed. */
void exchange_event(struct agent *agent);

/**
 * exchange_fds() - the files to wait for
 * @agent: the agent
 * @fd: their numbers are set, -1 for none
 */
void exchange_fds(const struct agent *agent, struct pollfd *fd);

/* When exchange_run() is due, UINT64_MAX for never. */
uint64_t exchange_due(const struct agent *agent);

/* Receive and send, without waiting. */
void exchange_run(struct agent *agent);

/**
 * exchange_view() - what is shown
 * @agent: the agent; the other end is asked for fresh figures if it is time to
 * @sample: tunnels and paths
 * @view: filled in
 */
void exchange_view(struct agent *agent, const struct dump_sample *sample,
		   struct summary_view *view);

/* The tunnel is gone, or the agent ends. */
void exchange_close(struct agent *agent);

#endif /* MPTUN_TOOLS_EXCHANGE_H */
