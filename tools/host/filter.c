// SPDX-License-Identifier: GPL-2.0
/*
 * The reverse path filter of uplinks.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Asks for the route to the source of what comes in, from the address that it
 * came to, and without a device or mark.  With a default route into the tunnel
 * that leads to the uplink only if a rule knows that address.
 */
#include <stdio.h>

#include "conf/number.h"
#include "host/host.h"
#include "lib/report.h"

/* 0 if the kernel has none. */
static int filter_value(const char *dev, const char *name)
{
	char path[128];
	int value = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/sys/net/ipv4/conf/%s/%s", dev,
		 name);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%d", &value) != 1)
		value = 0;
	fclose(file);
	return value;
}

/* That of all devices counts if it is larger. */
static int filter_max(const char *dev, const char *name)
{
	int all = filter_value("all", name), one = filter_value(dev, name);

	return all > one ? all : one;
}

void host_filter_warn(const struct host *host)
{
	const struct plan *plan = &host->file->plan;

	if (!number_rules(plan) || !plan->host.all4)
		return;
	for (size_t i = 0; i < plan->paths; i++) {
		const struct plan_path *path = &plan->path[i];
		const struct parse_value *remote, *local, *dev;

		remote = plan_value(&path->set, "remote");
		local = plan_value(&path->set, "local");
		dev = plan_value(&path->set, "dev");
		if (!dev || !dev->text[0] || (local && local->family) ||
		    remote->family != 4 ||
		    filter_max(dev->text, "rp_filter") != 1 ||
		    filter_max(dev->text, "src_valid_mark"))
			continue;
		file_at(host->file, path->line);
		report_warn("rp_filter of %s is 1 and drops what comes in for path %s, set it to 2",
			    dev->text, path->name);
	}
	report_at(NULL, 0);
}
