/* SPDX-License-Identifier: GPL-2.0 */
/*
 * As much of the kernel's <net/netlink.h> as policy-gen.c needs, so that the
 * policies can be compiled in user space and be compared with the tool.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_SHIM_NETLINK_H
#define MPTUN_TOOLS_SHIM_NETLINK_H

#include <stddef.h>
#include <stdint.h>

struct sk_buff;
struct netlink_callback;

enum {
	NLA_UNSPEC,
	NLA_U8,
	NLA_U16,
	NLA_U32,
	NLA_U64,
	NLA_NUL_STRING,
	NLA_BINARY,
};

enum shim_check {
	SHIM_NONE,
	SHIM_MIN,
	SHIM_MAX,
	SHIM_RANGE,
	SHIM_MIN_MAX,
	SHIM_EXACT_LEN,
};

struct netlink_range_validation {
	uint64_t min;
	uint64_t max;
};

struct nla_policy {
	int type;
	enum shim_check check;
	unsigned int len;
	int64_t min;
	int64_t max;
	const struct netlink_range_validation *range;
};

#define NLA_POLICY_MIN(t, v) { .type = (t), .check = SHIM_MIN, .min = (v) }
#define NLA_POLICY_MAX(t, v) { .type = (t), .check = SHIM_MAX, .max = (v) }
#define NLA_POLICY_RANGE(t, v, w) \
	{ .type = (t), .check = SHIM_MIN_MAX, .min = (v), .max = (w) }
#define NLA_POLICY_FULL_RANGE(t, r) \
	{ .type = (t), .check = SHIM_RANGE, .range = (r) }
#define NLA_POLICY_EXACT_LEN(l) \
	{ .type = NLA_BINARY, .check = SHIM_EXACT_LEN, .len = (l) }

#endif /* MPTUN_TOOLS_SHIM_NETLINK_H */
