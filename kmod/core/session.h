/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Sessions: the keys that a handshake led to.
 */
#ifndef _MPTUN_SESSION_H
#define _MPTUN_SESSION_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>

#include "crypto/cipher.h"

struct mptun_tunnel;

/**
 * struct mptun_session - a pair of keys and what belongs to it
 * @tunnel: the tunnel
 * @index: by which the peer addresses it
 * @peer_index: by which we address it
 * @heard: a valid packet of the peer arrived; written under mptun_tx.lock
 * @dead: it is not to be used any more; likewise
 * @seal: key of what we send
 * @open: key of what we receive
 * @node: entry in mptun_net.by_session
 * @list: entry in mptun_sessions.list, under mptun_tx.lock
 * @ours: we began the handshake
 * @counter: number of the attempt that led to it
 * @initiator: instance that began the handshake
 * @peer_instance: instance of the peer
 * @peer_first_dsn: first dsn of the peer in an association with it
 * @key_serial: &mptun_key.serial of the key
 * @born_ns: when it began
 * @retire_ns: when it ends; under mptun_tx.lock
 * @sent: packets numbered for it, under mptun_tx.lock
 * @refs: of the tunnel, and of packets left to the crypto API
 * @rcu: wipes and frees it after its last reader
 */
struct mptun_session {
	/* Read mostly, for every packet */
	struct mptun_tunnel *tunnel;
	u32 index;
	u32 peer_index;
	bool heard;
	bool dead;
	struct mptun_cipher_key seal;
	struct mptun_cipher_key open;
	struct hlist_node node;

	/* Control */
	struct list_head list;
	bool ours;
	u64 counter;
	u64 initiator;
	u64 peer_instance;
	u32 peer_first_dsn;
	u32 key_serial;
	u64 born_ns;
	u64 retire_ns;
	u64 sent;
	refcount_t refs;
	struct rcu_head rcu;
};

/**
 * struct mptun_sessions - sessions of a tunnel
 * @list: all of them, under mptun_tx.lock
 * @n: their number, likewise
 * @count: sessions so far that were used, likewise
 */
struct mptun_sessions {
	struct list_head list;
	unsigned int n;
	u32 count;
};

struct mptun_session *mptun_session_new(struct mptun_tunnel *tunnel,
					const u8 *seal, const u8 *open);
void mptun_session_free(struct mptun_session *session);
void mptun_session_add(struct mptun_session *session);
void mptun_session_heard(struct mptun_session *session);
void mptun_session_choose(struct mptun_tunnel *tunnel);
struct mptun_session *mptun_session_take(struct mptun_tunnel *tunnel, u32 n);
bool mptun_session_matches(const struct mptun_session *session);
u64 mptun_session_expire(struct mptun_tunnel *tunnel, u64 now);
u64 mptun_session_rekey_at(struct mptun_tunnel *tunnel);
void mptun_session_drop_all(struct mptun_tunnel *tunnel, u64 next);
void mptun_session_drop_key(struct mptun_tunnel *tunnel, u32 serial);
void mptun_session_put(struct mptun_session *session);

#endif /* _MPTUN_SESSION_H */
