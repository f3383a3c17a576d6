/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Keys: the secret that both ends of a tunnel share.
 */
#ifndef _MPTUN_KEY_H
#define _MPTUN_KEY_H

#include <linux/list.h>
#include <linux/rcupdate.h>

#include "crypto/handshake.h"

struct mptun_tunnel;
struct netlink_ext_ack;

/**
 * struct mptun_key - a key of a tunnel
 * @secret: what is derived from it
 * @tunnel: the tunnel
 * @port: port at which it selects the tunnel
 * @serial: tells it from the others the tunnel had
 * @node: entry in mptun_net.by_key
 * @rcu: wipes and frees it after its last reader
 */
struct mptun_key {
	struct mptun_secret secret;
	struct mptun_tunnel *tunnel;
	u16 port;
	u32 serial;
	struct hlist_node node;
	struct rcu_head rcu;
};

/**
 * struct mptun_keys - keys of a tunnel, under mptun_tunnel.lock
 * @now: the key, NULL while none is set; read under RCU as well
 * @old: the one before, while it is accepted, else NULL
 * @old_until_ns: end of that time
 * @serial: keys so far
 */
struct mptun_keys {
	struct mptun_key __rcu *now;
	struct mptun_key *old;
	u64 old_until_ns;
	u32 serial;
};

int mptun_key_set(struct mptun_tunnel *tunnel, const u8 *raw, u32 grace_s,
		  struct netlink_ext_ack *extack);
void mptun_key_forget(struct mptun_tunnel *tunnel);
u64 mptun_key_expire(struct mptun_tunnel *tunnel, u64 now);
struct mptun_key *mptun_key_get(const struct mptun_tunnel *tunnel);
struct mptun_key *mptun_key_by_id(struct mptun_tunnel *tunnel, const u8 *id);
u32 mptun_key_grace_left(const struct mptun_tunnel *tunnel, u64 now);
u64 mptun_key_fingerprint(const struct mptun_tunnel *tunnel);

#endif /* _MPTUN_KEY_H */
