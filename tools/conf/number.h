/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers of the routing tables and the firewall mark of a tunnel.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * They follow from its name, so that whatever was set up is found again without
 * a record of it: a block of 64 numbers, the first for routes into the tunnel
 * and for the mark, the next ones for the gateways of its paths, and those from
 * NUMBER_UPLINKS for uplinks that are found.
 */
#ifndef MPTUN_TOOLS_NUMBER_H
#define MPTUN_TOOLS_NUMBER_H

#include "conf/plan.h"

/* Tables of a tunnel. */
#define NUMBER_BLOCK 64u
/* The first one for uplinks that are found. */
#define NUMBER_UPLINKS (1u + MPTUN_PATHS_MAX)

/**
 * number_block() - the first number of a tunnel
 * @name: its name
 *
 * Return: the number.
 */
uint32_t number_block(const char *name);

/**
 * number_rules() - whether default routes into the tunnel need rules
 * @plan: the plan
 *
 * Return: true if so.
 */
bool number_rules(const struct plan *plan);

/**
 * number_mark() - set the firewall mark if one is needed and none is given
 * @plan: the plan
 * @name: name of the tunnel
 */
void number_mark(struct plan *plan, const char *name);

#endif /* MPTUN_TOOLS_NUMBER_H */
