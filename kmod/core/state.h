/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * State that parts of higher rank keep in a tunnel or a path: the objects embed
 * it, and know nothing of the code that works on it.
 */
#ifndef _MPTUN_STATE_H
#define _MPTUN_STATE_H

#include <linux/bitmap.h>
#include <linux/in6.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/socket.h>
#include <linux/types.h>

#include "base/limits.h"
#include "crypto/cipher.h"
#include "crypto/handshake.h"
#include "sched/class.h"
#include "sched/trial.h"
#include "wire/wire.h"

struct mptun_tunnel;

/**
 * union mptun_addr - an address of either family
 * @v4: IPv4 address
 * @v6: IPv6 address
 */
union mptun_addr {
	__be32 v4;
	struct in6_addr v6;
};

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

/**
 * struct mptun_classes - the classes of a tunnel, never changed, but replaced
 * @rcu: to free them
 * @list: the classes
 */
struct mptun_classes {
	struct rcu_head rcu;
	struct mptun_class_list list;
};

/**
 * struct mptun_park - the interval in which paths are judged
 * @full: for how long the queue of class 0 was stopped in it
 * @tries: a parked path is being tried
 */
struct mptun_park {
	struct mptun_full full;
	bool tries;
};

/**
 * struct mptun_avoid - the interval in which paths are judged
 * @full: for how long the queue of class 0 was stopped in it
 * @lanes: those of the flows that sent something in it
 * @flows: how many these are
 * @flows_before: how many they were in the one before, 0 if there was none
 * @tries: a path that rests is being tried with copies
 * @group: the paths that are used together, as to their losses
 * @detours: the same, as to how far they are
 */
struct mptun_avoid {
	struct mptun_full full;
	DECLARE_BITMAP(lanes, MPTUN_LANES);
	u32 flows;
	u32 flows_before;
	bool tries;
	struct mptun_lossy_group group;
	struct mptun_detour_group detours;
};

/**
 * struct mptun_rtx - packets of all paths that may be sent again
 * @kept: how many there are
 * @lost: how many of them are to be, and wait in the queues of the tunnel
 */
struct mptun_rtx {
	u32 kept;
	u32 lost;
};

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

/**
 * struct mptun_initiator - an attempt to open a session
 * @node: entry in mptun_net.by_attempt
 * @index: index for the answer, and then for the session; 0 if there is no
 *	attempt; read under RCU, all else is under mptun_tunnel.lock
 * @init: the INIT, but for @mac2
 * @noise: the handshake
 * @counter: number of the attempt
 * @key_serial: &mptun_key.serial of its key
 * @born: jiffies when it was made
 * @at: jiffies when it is sent again, while @wait is not zero
 * @wait: present interval in ms, 0 while none is wanted
 * @cookie: what the peer wants to see in the next INIT
 * @cookie_valid: there is such a cookie
 */
struct mptun_initiator {
	struct hlist_node node;
	u32 index;
	struct mptun_init init;
	struct mptun_noise noise;
	u64 counter;
	u32 key_serial;
	unsigned long born;
	unsigned long at;
	unsigned int wait;
	u8 cookie[MPTUN_COOKIE_LEN];
	bool cookie_valid;
};

/**
 * struct mptun_responder - the last INIT that was answered, and with what
 * @valid: there is one
 * @instance: instance that sent it
 * @counter: its counter
 * @init: the INIT; @mac2 may be that of any of its copies
 * @response: the RESPONSE
 *
 * Under mptun_tunnel.lock.
 */
struct mptun_responder {
	bool valid;
	u64 instance;
	u64 counter;
	struct mptun_init init;
	struct mptun_response response;
};

#endif /* _MPTUN_STATE_H */
