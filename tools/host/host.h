/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a tunnel needs on its machine: addresses, routes, rules, firewall, DNS.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Addresses, routes and rules are set over netlink, which answers with one
 * sentence and leaves no trace on failure.  What the kernel has no interface of
 * its own for is done by the programs that know it: nft, resolvconf or
 * resolvectl, and the shell.
 *
 * Nothing is recorded: names and numbers follow from the name of the tunnel, and
 * routes and rules have a protocol number of their own, so that all is found
 * again after a crash.
 */
#ifndef MPTUN_TOOLS_HOST_H
#define MPTUN_TOOLS_HOST_H

#include "conf/file.h"

/* Origin of routes and rules: "ip rule show protocol 47". */
#define HOST_PROTOCOL 47

/**
 * struct host - a tunnel on its machine
 * @file: its configuration
 * @route: connection by conn_open_route()
 * @index: index of its interface
 * @agent: the configuration has the paths of uplinks that were found; what is
 *	missing will come, so nothing warns about it, and of the gateways that
 *	the file gives it is only added, as syncconf changes and removes them
 * @held: tables that stay as they are, one bit for each
 */
struct host {
	const struct conf_file *file;
	struct conn *route;
	int index;
	bool agent;
	uint64_t held;
};

/**
 * host_address_add() - give an interface an address
 * @route: connection by conn_open_route()
 * @index: index of the interface
 * @entry: the address, as parse_prefix() fills it in
 *
 * Return: 0, or the exit status after a message.
 */
int host_address_add(struct conn *route, int index, const unsigned char *entry);

/* Each of these returns 0, or the exit status after a message. */
int host_addresses_add(const struct host *host);
int host_rules_add(const struct host *host);
int host_routes_add(const struct host *host);
int host_firewall_add(const struct host *host);
int host_dns_add(const struct host *host);

/**
 * host_rules_fixed() - refuse changes that the rules of default routes forbid
 * @host: the tunnel
 *
 * With another mark than that of its rules, the packets of the tunnel would be
 * led into it.
 *
 * Return: 0, or the exit status after a message.
 */
int host_rules_fixed(const struct host *host);

/**
 * host_rules_mend() - add rules again that other programs have deleted
 * @host: the tunnel
 *
 * wg-quick(8) deletes rules of the main table as its own when it ends.  Local
 * networks would be led into the tunnel then.
 *
 * Return: 0, or the exit status after a message.
 */
int host_rules_mend(const struct host *host);

/**
 * host_rules_lack() - whether a rule of the main table was deleted
 * @conn: connection by conn_open_route()
 * @name: name of the tunnel
 *
 * Return: true if so.
 */
bool host_rules_lack(struct conn *conn, const char *name);

/**
 * host_uplinks_set() - set routes to the gateways of paths, or change them
 * @host: the tunnel
 *
 * Warns about what is missing.
 */
void host_uplinks_set(const struct host *host);

/**
 * host_queues_set() - give each flow its turn where the interface has a FIFO
 * @host: the tunnel, its interface up
 *
 * What somebody has set stays.
 */
void host_queues_set(const struct host *host);

/**
 * host_filter_warn() - warn about uplinks whose reverse path filter is too strict
 * @host: the tunnel
 */
void host_filter_warn(const struct host *host);

/**
 * host_uplinks_add() - add rules and routes of uplinks that the file asks for
 * @host: the tunnel
 *
 * Routes that differ are replaced.
 *
 * Return: 0, or the exit status after a message.
 */
int host_uplinks_add(const struct host *host);

/**
 * host_uplinks_drop() - remove rules of uplinks that the file does not ask for
 * @host: the tunnel
 */
void host_uplinks_drop(const struct host *host);

/**
 * host_uplinks_sync() - make rules and routes of uplinks what the file says
 * @host: the tunnel
 *
 * Return: 0, or the exit status after a message.
 */
int host_uplinks_sync(const struct host *host);

/**
 * host_firewall_read() - the firewall of a tunnel as it is
 * @name: name of the tunnel
 *
 * Return: a script for nft that makes it, to be freed; NULL if there is none.
 */
char *host_firewall_read(const char *name);

/**
 * host_firewall_back() - set the firewall back to what it was
 * @name: name of the tunnel
 * @was: by host_firewall_read()
 */
void host_firewall_back(const char *name, const char *was);

/**
 * host_firewall_sync() - make the firewall what the file says
 * @host: the tunnel
 *
 * Return: 0, or the exit status after a message.
 */
int host_firewall_sync(const struct host *host);

/**
 * host_hooks() - run commands of the file
 * @file: the file
 * @option: which ones, OPTION_PRE_UP to OPTION_POST_DOWN
 *
 * Return: 0, or the exit status after a message.
 */
int host_hooks(const struct conf_file *file, enum conf_option option);

/**
 * struct host_marks - firewall marks of what a tunnel sends
 * @count: number of @mark
 * @mark: the marks
 */
struct host_marks {
	size_t count;
	uint32_t mark[MPTUN_PATHS_MAX + 1];
};

/**
 * host_marks_plan() - take the marks of a plan
 * @marks: they are added here
 * @plan: the plan
 */
void host_marks_plan(struct host_marks *marks, const struct plan *plan);

/**
 * host_rules_remove() - remove rules, and the routes in the tables of a tunnel
 * @conn: connection by conn_open_route()
 * @name: name of the tunnel
 *
 * Return: how many rules there were.
 */
int host_rules_remove(struct conn *conn, const char *name);

/**
 * host_firewall_wanted() - whether a file asks for a firewall
 * @host: what it says
 *
 * Return: true if so.
 */
bool host_firewall_wanted(const struct plan_host *host);

/**
 * host_firewall_remove() - remove the firewall of a tunnel
 * @name: name of the tunnel
 * @wanted: there has to be one, so a failure of nft is one of this
 * @any: set to whether there was one
 *
 * Return: 0, or the exit status after a message.
 */
int host_firewall_remove(const char *name, bool wanted, bool *any);

/**
 * host_server_add() - set the firewall of a server of many clients
 * @nets: networks of its clients, as PARSE_PREFIXES has them
 * @count: their number
 *
 * They reach other networks with the address of the server.  The table is
 * called like that of a tunnel "server".
 *
 * Return: 0, or the exit status after a message.
 */
int host_server_add(const unsigned char *nets, size_t count);

/**
 * host_server_remove() - remove it, if there is one
 *
 * Return: 0, or the exit status after a message.
 */
int host_server_remove(void);

/**
 * host_dns_remove() - withdraw the resolvers of a tunnel
 * @name: name of the tunnel
 */
void host_dns_remove(const char *name);

#endif /* MPTUN_TOOLS_HOST_H */
