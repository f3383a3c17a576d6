/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The machine and the tunnel, as the kernel reports them.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_MACHINE_H
#define MPTUN_TOOLS_MACHINE_H

#include "agent/want.h"
#include "lib/conn.h"

/**
 * machine_world() - read links, addresses and default routes
 * @conn: connection by conn_open_route()
 * @world: filled in
 *
 * Return: 0, or the exit status after a message; @world is empty then.
 */
int machine_world(struct conn *conn, struct world *world);

/**
 * machine_tables() - read which uplink has which table, from the rules
 * @conn: connection by conn_open_route()
 * @name: name of the tunnel
 * @notes: filled in
 */
void machine_tables(struct conn *conn, const char *name,
		    struct want_notes *notes);

/**
 * machine_subscribe() - subscribe to changes of links, addresses and routes
 * @conn: connection by conn_open_route(), which takes no more requests
 * @listener: takes them
 *
 * Return: 0, or the exit status after a message.
 */
int machine_subscribe(struct conn *conn, struct conn_listener *listener);

#endif /* MPTUN_TOOLS_MACHINE_H */
