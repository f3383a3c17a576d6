// SPDX-License-Identifier: GPL-2.0
/*
 * Names that are not in the netlink spec.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include "lib/names.h"

#define NAMES(array) { array, sizeof(array) / sizeof((array)[0]) }

static const char *const switches[] = { "off", "on" };

/* As tc and iptables know them: RFC 2474, 2597, 3246, 5865, 8622. */
static const char *const dscps[] = {
	[0] = "cs0", [1] = "le", [8] = "cs1", [16] = "cs2", [24] = "cs3",
	[32] = "cs4", [40] = "cs5", [48] = "cs6", [56] = "cs7",
	[10] = "af11", [12] = "af12", [14] = "af13",
	[18] = "af21", [20] = "af22", [22] = "af23",
	[26] = "af31", [28] = "af32", [30] = "af33",
	[34] = "af41", [36] = "af42", [38] = "af43",
	[44] = "va", [46] = "ef",
};

static const char *const protocols[] = {
	[1] = "icmp", [6] = "tcp", [17] = "udp", [33] = "dccp", [47] = "gre",
	[50] = "esp", [58] = "icmpv6", [132] = "sctp", [136] = "udplite",
};

const struct names names_switch = NAMES(switches);
const struct names names_dscp = NAMES(dscps);
const struct names names_protocol = NAMES(protocols);
