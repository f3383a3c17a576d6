/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which resolvers are asked over an uplink.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_RESOLVER_H
#define MPTUN_TOOLS_RESOLVER_H

#include "agent/find.h"
#include "conf/plan.h"

/**
 * resolver_list() - list the resolvers for an uplink
 * @plan: the plan of the file
 * @world: the machine
 * @dev: the uplink, "" for any
 * @list: filled in, with commas between the addresses
 * @size: size of @list
 *
 * Those of "Resolver", if there are any.  Otherwise those that the machine has
 * for this device, then those that it has for all, without those of the tunnel
 * and programs of the machine that may ask the tunnel, and last the gateway of
 * the uplink, as a router mostly is a resolver, too.
 */
void resolver_list(const struct plan *plan, const struct world *world,
		   const char *dev, char *list, size_t size);

#endif /* MPTUN_TOOLS_RESOLVER_H */
