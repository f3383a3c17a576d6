// SPDX-License-Identifier: GPL-2.0
/*
 * The firewall of a tunnel: a table of nftables of its own.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * nft applies a script as a whole or not at all.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/host.h"
#include "host/run.h"
#include "lib/report.h"

static char nft[] = "nft";

static void firewall_masquerade(const struct plan_host *host, const char *name,
				FILE *file)
{
	if (host->masquerade == MASQUERADE_OFF)
		return;
	fprintf(file, "chain nat {\n"
		"type nat hook postrouting priority srcnat\n");
	if (host->masquerade == MASQUERADE_TUNNEL)
		fprintf(file, "oifname \"%s\" masquerade\n", name);
	else
		fprintf(file, "iifname \"%s\" oifname != \"%s\" masquerade\n",
			name, name);
	fprintf(file, "}\n");
}

/* Packets that the tunnel sends, and what keeps an uplink configured: DHCP and
 * the discovery of neighbours and routers.  Switches that filter multicast need
 * the reports of its groups.
 */
static void firewall_guard(const struct plan *plan, FILE *file)
{
	struct host_marks marks = { .count = 0 };

	host_marks_plan(&marks, plan);
	fprintf(file, "chain guard {\n");
	for (size_t i = 0; i < marks.count; i++)
		fprintf(file, "meta mark %u accept\n", marks.mark[i]);
	fprintf(file, "udp sport 68 udp dport 67 accept\n"
		"udp sport 546 udp dport 547 accept\n"
		"icmpv6 type { nd-router-solicit, nd-neighbor-solicit, nd-neighbor-advert, mld-listener-report, mld2-listener-report } accept\n"
		"counter drop\n}\n");
}

/* Those that are excluded come first. */
static void firewall_uplinks(const struct plan_texts *list, bool out,
			     FILE *file)
{
	for (size_t i = 0; i < list->count; i++)
		if (out == (list->list[i].text[0] == '!'))
			fprintf(file, "oifname \"%s\" %s\n",
				list->list[i].text + out,
				out ? "accept" : "jump guard");
}

static void firewall_kill_switch(const struct plan *plan, FILE *file)
{
	static const char *const hooks[] = { "output", "forward" };

	if (!plan->host.kill_switch)
		return;
	firewall_guard(plan, file);
	for (int i = 0; i < 2; i++) {
		fprintf(file, "chain %s {\ntype filter hook %s priority filter\n",
			hooks[i], hooks[i]);
		for (size_t p = 0; p < plan->paths; p++)
			fprintf(file, "oifname \"%s\" jump guard\n",
				plan_value(&plan->path[p].set, "dev")->text);
		firewall_uplinks(&plan->host.uplink, true, file);
		firewall_uplinks(&plan->host.uplink, false, file);
		fprintf(file, "}\n");
	}
}

static int firewall_run(const char *script, bool quiet)
{
	char option[] = "-f", input[] = "-";
	char *argv[] = { nft, option, input, NULL };

	return run_program(argv, script, quiet);
}

static int firewall_fail(const char *what, int status)
{
	return report_fail("the firewall cannot be %s, nft %s", what,
			   status == RUN_MISSING ? "is not installed" :
						   "has failed");
}

bool host_firewall_wanted(const struct plan_host *host)
{
	return host->masquerade != MASQUERADE_OFF || host->kill_switch;
}

int host_firewall_add(const struct host *host)
{
	const struct plan *plan = &host->file->plan;
	const char *name = host->file->name;
	int line, status;
	char *script;
	size_t size;
	FILE *file;

	if (!host_firewall_wanted(&plan->host))
		return STATUS_OK;
	file = open_memstream(&script, &size);
	if (!file)
		exit(report_fail("out of memory"));
	/* One that was left is replaced. */
	fprintf(file, "table inet mptun-%s { }\ndelete table inet mptun-%s\n"
		"table inet mptun-%s {\n", name, name, name);
	firewall_masquerade(&plan->host, name, file);
	firewall_kill_switch(plan, file);
	fprintf(file, "}\n");
	fclose(file);
	status = firewall_run(script, false);
	free(script);
	if (!status)
		return STATUS_OK;
	line = plan->host.line[plan->host.kill_switch ? OPTION_KILL_SWITCH :
							OPTION_MASQUERADE];
	file_at(host->file, line);
	return firewall_fail("set", status);
}

/* nft does not say why it failed.  A table that is missing is no failure: if there
 * has to be one it is made before it is deleted.
 */
int host_firewall_remove(const char *name, bool wanted, bool *any)
{
	char list[] = "list", table[] = "table", inet[] = "inet",
	     own[PARSE_TEXT_MAX + 8], script[4 * sizeof(own)];
	char *argv[] = { nft, list, table, inet, own, NULL };
	int status;

	snprintf(own, sizeof(own), "mptun-%s", name);
	status = run_program(argv, NULL, true);
	*any = !status;
	if (status && status <= RUN_MISSING && !wanted)
		return STATUS_OK;
	snprintf(script, sizeof(script),
		 "table inet %s { }\ndelete table inet %s\n", own, own);
	status = firewall_run(script, false);
	return status ? firewall_fail("removed", status) : STATUS_OK;
}

char *host_firewall_read(const char *name)
{
	char list[] = "list", table[] = "table", inet[] = "inet",
	     own[PARSE_TEXT_MAX + 8];
	char *argv[] = { nft, list, table, inet, own, NULL };

	snprintf(own, sizeof(own), "mptun-%s", name);
	return run_output(argv);
}

void host_firewall_back(const char *name, const char *was)
{
	char *script;

	if (asprintf(&script, "table inet mptun-%s { }\ndelete table inet mptun-%s\n%s",
		     name, name, was ? was : "") < 0)
		exit(report_fail("out of memory"));
	if (firewall_run(script, true))
		report_warn("the firewall of %s could not be set back to what it was",
			    name);
	free(script);
}

int host_firewall_sync(const struct host *host)
{
	bool any;

	if (host_firewall_wanted(&host->file->plan.host))
		return host_firewall_add(host);
	return host_firewall_remove(host->file->name, false, &any);
}

/* A set of the networks of one version of IP. */
static void firewall_set(const char *what, int version,
			 const unsigned char *nets, size_t count, FILE *file)
{
	const char *before = " ";
	char addr[INET6_ADDRSTRLEN];

	fprintf(file, "%s %s {", version == 4 ? "ip" : "ip6", what);
	for (size_t i = 0; i < count; i++, nets += PARSE_PREFIX_LEN) {
		if (nets[0] != version)
			continue;
		inet_ntop(version == 4 ? AF_INET : AF_INET6, nets + 4, addr,
			  sizeof(addr));
		fprintf(file, "%s%s/%d", before, addr, nets[1]);
		before = ", ";
	}
	fprintf(file, " } ");
}

/* Packets of one client to another stay as they are. */
static void firewall_clients(int version, const unsigned char *nets,
			     size_t count, FILE *file)
{
	bool any = false;

	for (size_t i = 0; i < count; i++)
		any |= nets[i * PARSE_PREFIX_LEN] == version;
	if (!any)
		return;
	firewall_set("saddr", version, nets, count, file);
	firewall_set("daddr !=", version, nets, count, file);
	fprintf(file, "masquerade\n");
}

int host_server_add(const unsigned char *nets, size_t count)
{
	char *script;
	size_t size;
	FILE *file;
	int status;

	file = open_memstream(&script, &size);
	if (!file)
		exit(report_fail("out of memory"));
	fprintf(file, "table inet mptun-server { }\ndelete table inet mptun-server\n"
		"table inet mptun-server {\nchain nat {\n"
		"type nat hook postrouting priority srcnat\n");
	firewall_clients(4, nets, count, file);
	firewall_clients(6, nets, count, file);
	fprintf(file, "}\n}\n");
	fclose(file);
	status = firewall_run(script, false);
	free(script);
	return status ? firewall_fail("set", status) : STATUS_OK;
}

int host_server_remove(void)
{
	bool any;

	return host_firewall_remove("server", false, &any);
}
