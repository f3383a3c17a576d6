/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Roaming: paths follow the peer to another address.
 */
#ifndef _MPTUN_ROAM_H
#define _MPTUN_ROAM_H

#include <linux/types.h>

#include "transport/endpoint.h"

struct mptun_path;
struct sk_buff;

/**
 * struct mptun_roam_address - where a path may lead
 * @family: AF_INET or AF_INET6
 * @remote: address of the peer
 * @remote_port: its port
 * @local: address of ours at which it reached us
 * @ifindex: device, of link-local addresses
 */
struct mptun_roam_address {
	sa_family_t family;
	union mptun_addr remote;
	__be16 remote_port;
	union mptun_addr local;
	int ifindex;
};

/**
 * struct mptun_roam - another address of the peer, under mptun_tx.lock
 * @to: the address
 * @token: of the challenge sent there
 * @old_token: of the challenge sent to where the path leads
 * @until_ns: until then their answers count; 0 for nothing going on
 * @rest_ns: until then other addresses are not looked at
 * @proved: it has been answered, the worker shall move the path
 */
struct mptun_roam {
	struct mptun_roam_address to;
	u64 token;
	u64 old_token;
	u64 until_ns;
	u64 rest_ns;
	bool proved;
};

bool mptun_roam_allowed(const struct mptun_path *path);
void mptun_roam_notice(struct mptun_path *path,
		       const struct mptun_endpoint *from);
bool mptun_roam_answered(struct mptun_path *path, const struct sk_buff *skb,
			 u64 token);
void mptun_roam_work(struct mptun_path *path);

#endif /* _MPTUN_ROAM_H */
