// SPDX-License-Identifier: GPL-2.0
/*
 * Resolvers that are reached through a tunnel.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * resolvconf(8) is preferred, as by wg-quick(8).  It keeps what it is given until it is withdrawn; resolvectl
 * forgets it with the interface.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/host.h"
#include "host/run.h"
#include "lib/report.h"

#define DNS_NAME_MAX (PARSE_TEXT_MAX + 8)

static char resolvconf[] = "resolvconf", resolvectl[] = "resolvectl";

static bool dns_found(const char *name)
{
	char *path = run_find(name);
	bool found = path;

	free(path);
	return found;
}

/* That of systemd-resolved is resolvectl under another name, and would take the
 * names of Debian's for interfaces.
 */
static bool dns_by_resolvconf(void)
{
	char *path = run_find(resolvconf);
	const char *base = path ? strrchr(path, '/') : NULL;
	bool own = base && strcmp(base + 1, resolvectl);

	free(path);
	return own;
}

/* Debian's resolvconf prefers interfaces by the beginning of their names. */
static void dns_name(const char *name, char *dev)
{
	bool ordered = !access("/etc/resolvconf/interface-order", F_OK);

	snprintf(dev, DNS_NAME_MAX, "%s%s", ordered ? "tun." : "", name);
}

static int dns_resolvconf(const struct plan_host *plan, const char *name)
{
	char add[] = "-a", metric[] = "-m", zero[] = "0", only[] = "-x";
	char dev[DNS_NAME_MAX], *input;
	char *argv[] = { resolvconf, add, dev, metric, zero, only, NULL };
	size_t size;
	int status;
	FILE *file;

	dns_name(name, dev);
	file = open_memstream(&input, &size);
	if (!file)
		exit(report_fail("out of memory"));
	for (size_t i = 0; i < plan->dns.count; i++)
		fprintf(file, "nameserver %s\n", plan->dns.list[i].text);
	if (plan->domain.count)
		fprintf(file, "search");
	for (size_t i = 0; i < plan->domain.count; i++)
		fprintf(file, " %s", plan->domain.list[i].text);
	if (plan->domain.count)
		fprintf(file, "\n");
	fclose(file);
	status = run_program(argv, input, false);
	free(input);
	return status;
}

/* All names are looked up there, and relative ones in the domains. */
static int dns_resolvectl(const struct plan_host *plan, const char *name)
{
	char dns[] = "dns", domain[] = "domain", dev[DNS_NAME_MAX], all[] = "~.";
	char *argv[PLAN_LIST_MAX + 5] = { resolvectl, dns, dev };
	size_t n = 3;
	int status;

	snprintf(dev, sizeof(dev), "%s", name);
	for (size_t i = 0; i < plan->dns.count; i++)
		argv[n++] = (char *)plan->dns.list[i].text;
	argv[n] = NULL;
	status = run_program(argv, NULL, false);
	if (status)
		return status;
	argv[1] = domain;
	argv[3] = all;
	n = 4;
	for (size_t i = 0; i < plan->domain.count; i++)
		argv[n++] = (char *)plan->domain.list[i].text;
	argv[n] = NULL;
	return run_program(argv, NULL, false);
}

int host_dns_add(const struct host *host)
{
	const struct plan_host *plan = &host->file->plan.host;
	const char *name = host->file->name;
	bool conf;
	int status;

	if (!plan->dns.count)
		return STATUS_OK;
	conf = dns_by_resolvconf();
	file_at(host->file, plan->dns.list[0].line);
	if (conf)
		status = dns_resolvconf(plan, name);
	else if (dns_found(resolvectl))
		status = dns_resolvectl(plan, name);
	else
		return report_fail("DNS cannot be set, neither resolvconf nor resolvectl is installed");
	if (status)
		return report_fail("DNS cannot be set, %s has failed",
				   conf ? resolvconf : resolvectl);
	return STATUS_OK;
}

void host_dns_remove(const char *name)
{
	char delete[] = "-d", force[] = "-f", dev[DNS_NAME_MAX];
	char *argv[] = { resolvconf, delete, dev, force, NULL };

	dns_name(name, dev);
	if (dns_by_resolvconf())
		run_program(argv, NULL, true);
}
