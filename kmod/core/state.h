/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * State of folders of higher rank that tunnels and paths embed.
 */
#ifndef _MPTUN_STATE_H
#define _MPTUN_STATE_H

#include <linux/bitmap.h>
#include <linux/hrtimer.h>
#include <linux/in6.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/skbuff.h>
#include <linux/socket.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "base/limits.h"
#include "base/pool.h"
#include "code/decoder.h"
#include "code/encoder.h"
#include "code/loop.h"
#include "crypto/cipher.h"
#include "crypto/handshake.h"
#include "sched/class.h"
#include "sched/policy.h"
#include "sched/sparse.h"
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
 * struct mptun_roam_address - an address to which a path may move
 * @family: AF_INET or AF_INET6
 * @remote: address of the peer
 * @remote_port: its port
 * @local: local address at which its packet arrived
 * @local_port: local port
 * @ifindex: device of a link-local address, or VRF, 0 for any
 */
struct mptun_roam_address {
	sa_family_t family;
	union mptun_addr remote;
	__be16 remote_port;
	union mptun_addr local;
	__be16 local_port;
	int ifindex;
};

/**
 * struct mptun_roam - validation of a new peer address, under mptun_tx.lock
 * @to: the address
 * @token: token of the challenge sent to it
 * @old_token: token of the challenge sent to the present address
 * @until_ns: when the challenges expire; 0 if none is outstanding
 * @ignore_ns: until then further addresses are ignored
 * @proved: the challenge was answered; the worker moves the path
 */
struct mptun_roam {
	struct mptun_roam_address to;
	u64 token;
	u64 old_token;
	u64 until_ns;
	u64 ignore_ns;
	bool proved;
};

/**
 * struct mptun_classes - the classes of a tunnel, replaced as a whole
 * @rcu: frees them
 * @list: the classes
 * @peer_rates: rates of the peer's classes that apply here
 */
struct mptun_classes {
	struct rcu_head rcu;
	struct mptun_class_list list;
	struct mptun_class_rate_list peer_rates;
};

/**
 * struct mptun_flows - flows of a tunnel
 * @rcu: frees them
 * @open: the first queue is stopped and lets packets of sparse flows pass; also
 *	read under RCU
 * @sparse: which of them are sparse
 *
 * Under mptun_tx.lock.
 */
struct mptun_flows {
	struct rcu_head rcu;
	bool open;
	struct mptun_sparse sparse;
};

/**
 * struct mptun_park - judgement of paths that carry too little
 * @full: time in this interval during which the queue of class 0 was stopped
 * @tries: a suspended path is being tried
 */
struct mptun_park {
	struct mptun_full full;
	bool tries;
};

/**
 * struct mptun_avoid - judgement of high-latency paths
 * @full: time in this interval during which the queue of class 0 was stopped
 * @lanes: lanes of the flows that sent in this interval
 * @lanes_before: the same for the previous interval
 * @flows: number of the flows of this interval
 * @flows_before: the same for the previous interval, 0 if there was none
 * @detours: round-trip times of the paths that are used together
 */
struct mptun_avoid {
	struct mptun_full full;
	DECLARE_BITMAP(lanes, MPTUN_LANES);
	DECLARE_BITMAP(lanes_before, MPTUN_LANES);
	u32 flows;
	u32 flows_before;
	struct mptun_detour_group detours;
};

/**
 * struct mptun_rtx - packets of all paths kept for retransmission
 * @kept: number of these packets
 * @bytes: their memory
 * @share: memory charged for them
 * @most: limit of @bytes
 * @lost: how many of them are queued for retransmission
 */
struct mptun_rtx {
	u32 kept;
	u32 bytes;
	struct mptun_pool_share share;
	u32 most;
	u32 lost;
};

/**
 * struct mptun_coder - encoder of the packets of a class, or of sparse flows
 * @encoder: the encoder, see tx/code.c for who may use it
 * @scratch: a packet in one piece
 * @overhead: symbols per packet now; also read without a lock
 * @window: packets of a symbol now; the same
 * @loss: losses of the paths of its packets
 * @paths: numbers of the paths of its last packets, a ring
 * @packets: packets so far
 * @last_ns: when the last one was placed
 * @added_ns: when one was last added to @encoder
 * @assoc: &mptun_assoc.count then
 * @passes: the last one did not wait for room, nor do symbols
 * @gap_ns: mean time between two
 * @ds: DS field of the last one, without ECN
 * @class: its class
 * @flows: in that of sparse flows: which flows are sparse
 *
 * Except for @encoder, @scratch, @added_ns and @assoc, under mptun_tx.lock.
 */
struct mptun_coder {
	struct mptun_encoder encoder;
	u8 scratch[MPTUN_FRAG_INNER_MAX];
	u32 overhead;
	u32 window;
	struct mptun_code_loss loss;
	u16 paths[MPTUN_REPAIR_MEMBERS];
	u64 packets;
	u64 last_ns;
	u64 added_ns;
	u32 assoc;
	bool passes;
	u64 gap_ns;
	u8 ds;
	u8 class;
	struct mptun_sparse flows;
};

/* One encoder for each class, and one for all sparse flows. */
#define MPTUN_CODERS		(MPTUN_CLASSES_MAX + 1)
#define MPTUN_CODER_SPARSE	MPTUN_CLASSES_MAX

/* GSO packets of a class, those of TCP or others */
#define MPTUN_CODE_CUT(class, tcp)	BIT(2 * (class) + (tcp))

/**
 * struct mptun_code_tx - repair symbols that are sent
 * @until_ns: until when packets are looked at: some class is coded, or a path
 *	has lost packets not long ago; 0 for no longer
 * @cuts: GSO packets whose segments are to be packets of their own, a mask of
 *	MPTUN_CODE_CUT(); also read without a lock
 * @marked: packets in mptun_tx.out that are to be coded
 * @passes: the packets that are being placed do not wait for room
 * @wanted: encoders to be made, one bit for each
 * @retry_ns: until when none is made, as there was no memory
 * @follows: losses begin that time, as a class has code auto and none a fixed
 *	overhead
 * @timer: ends bursts
 * @timer_ns: expiry of @timer, U64_MAX if it is not armed
 * @coder: encoders, NULL for those not in use
 */
struct mptun_code_tx {
	u64 until_ns;
	u32 cuts;
	u32 marked;
	bool passes;
	unsigned long wanted;
	u64 retry_ns;
	bool follows;
	struct hrtimer timer;
	u64 timer_ns;
	struct mptun_coder *coder[MPTUN_CODERS];
};

/**
 * struct mptun_code_rx - repair symbols that are received
 * @lock: protects all of this; in mptun_rx.lock
 * @decoder: NULL while no symbols come
 * @scratch: a packet in one piece
 * @ready: decoded packets on their way to the reorder buffer
 * @wanted: the worker is to make @decoder
 * @credit: symbols that are decoded before further DATA has arrived
 * @symbol_ns: when a symbol last came
 * @missed: symbols for which there was no decoder
 * @stats: counters of decoders that were freed
 */
struct mptun_code_rx {
	spinlock_t lock; /* protects all of this */
	struct mptun_decoder *decoder;
	u8 *scratch;
	struct sk_buff_head ready;
	bool wanted;
	u32 credit;
	u64 symbol_ns;
	u64 missed;
	struct mptun_decoder_stats stats;
};

/**
 * struct mptun_key - a key of a tunnel
 * @secret: secrets derived from it
 * @tunnel: the tunnel
 * @port: port on which it selects the tunnel
 * @serial: number of the key within the tunnel
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
 * @now: the current key, NULL if none is set; also read under RCU
 * @old: the previous key while it is accepted, else NULL
 * @old_until_ns: when it stops being accepted, by mptun_key_now()
 * @serial: number of keys set so far
 */
struct mptun_keys {
	struct mptun_key __rcu *now;
	struct mptun_key *old;
	u64 old_until_ns;
	u32 serial;
};

/**
 * struct mptun_session - a pair of keys with its peer and lifetime
 * @tunnel: the tunnel
 * @index: receiver index of packets from the peer
 * @peer_index: receiver index of packets to the peer
 * @heard: a valid packet of the peer arrived; written under mptun_tx.lock
 * @dead: it must not be used any more; written under mptun_tx.lock
 * @seal: key for sending
 * @open: key for receiving
 * @node: entry in mptun_net.by_session
 * @list: entry in mptun_sessions.list, under mptun_tx.lock
 * @ours: this end is the initiator
 * @counter: counter of the handshake
 * @initiator: instance of the initiator
 * @peer_instance: instance of the peer
 * @peer_first_dsn: first dsn of the peer in an association with this instance
 * @peer_frag: the peer takes fragments
 * @peer_repair: the peer takes repair symbols
 * @key_serial: &mptun_key.serial of the key
 * @epoch: &mptun_assoc.epoch of this end when it was created
 * @born_ns: when it was created, by mptun_key_now()
 * @used: it has carried data; written under mptun_tx.lock
 * @used_ns: when it first did, by the same clock, U64_MAX if it has not; under
 *	mptun_tx.lock
 * @retire_ns: when it ends, by the same clock; under mptun_tx.lock
 * @sent: packets numbered for it, under mptun_tx.lock
 * @refs: one of the tunnel, one of each packet in the crypto API
 * @free: wipes and frees it after its last reader
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
	bool peer_frag;
	bool peer_repair;
	u32 key_serial;
	u32 epoch;
	u64 born_ns;
	bool used;
	u64 used_ns;
	u64 retire_ns;
	u64 sent;
	refcount_t refs;
	struct rcu_work free;
};

/**
 * struct mptun_sessions - sessions of a tunnel
 * @list: all sessions
 * @n: their number
 * @count: number of sessions that were used so far
 *
 * Written under mptun_tx.lock.
 */
struct mptun_sessions {
	struct list_head list;
	unsigned int n;
	u32 count;
};

/**
 * struct mptun_initiator - an attempt to open a session
 * @node: entry in mptun_net.by_attempt
 * @index: receiver index of the answer, later of the session; 0 without an
 *	attempt; also read under RCU
 * @init: the INIT, without mac2
 * @noise: state of the handshake
 * @counter: number of the attempt
 * @key_serial: &mptun_key.serial of its key
 * @born_ns: when the INIT was made, by mptun_key_now()
 * @at: jiffies when it is repeated, while @wait is not zero
 * @wait: current interval in ms, 0 if no session is wanted
 * @rare_ns: when INITs began to become rarer, or will (base/backoff.h)
 * @inits: INITs sent since then because of COOKIEs
 * @cookie: cookie of the peer for the next INIT
 * @cookie_valid: @cookie is set
 * @answers: COOKIEs that came since the INIT was last sent, by a hash; written
 *	in softirq
 *
 * Under mptun_tunnel.lock.
 */
struct mptun_initiator {
	struct hlist_node node;
	u32 index;
	struct mptun_init init;
	struct mptun_noise noise;
	u64 counter;
	u32 key_serial;
	u64 born_ns;
	unsigned long at;
	unsigned int wait;
	u64 rare_ns;
	unsigned int inits;
	u8 cookie[MPTUN_COOKIE_LEN];
	bool cookie_valid;
	DECLARE_BITMAP(answers, MPTUN_ANSWERS);
};

/**
 * struct mptun_responder - the last INIT that was answered, and its answer
 * @valid: there is one
 * @instance: instance of its sender
 * @counter: its counter
 * @init: the INIT; its mac2 may be that of any copy
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
