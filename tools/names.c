// SPDX-License-Identifier: GPL-2.0
/*
 * Names that are not in the netlink spec: switches and suggestions.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include "names.h"

#define NAMES(array) { array, sizeof(array) / sizeof((array)[0]) }

static const char *const switches[] = { "off", "on" };
static const char *const scheds[] = {
	"greedy", "ecf", "flow", "redundant", "wrr", "wrr-auto",
};
static const char *const ccs[] = {
	"newreno", "cubic", "lia", "residual", "delay", "bbr", "fixed", "none"
};

const struct names names_switch = NAMES(switches);
const struct names names_sched = NAMES(scheds);
const struct names names_cc = NAMES(ccs);
