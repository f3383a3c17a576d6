/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tunnels: the network device, its association with the peer, its paths and
 * the two directions of its data.
 *
 * Locks, in the order in which they nest:
 *
 *	RTNL
 *	  mptun_tunnel.lock (mutex)	settings, list of paths, association
 *	    mptun_port_lock (mutex)	ports and their users
 *	    mptun_tx.lock (BH)		everything about sending
 *	    mptun_rx.lock (BH)		everything about receiving
 *
 * The two spinlocks never nest, and none of them is held while a packet goes
 * down into the stack.
 */
#ifndef _MPTUN_TUNNEL_H
#define _MPTUN_TUNNEL_H

#include <linux/hashtable.h>
#include <linux/hrtimer.h>
#include <linux/mptun.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "drop.h"
#include "limits.h"
#include "ranges.h"
#include "reorder.h"
#include "sched.h"
#include "sent.h"

struct mptun_path;
struct mptun_port;

#define MPTUN_WIRE_HASH_BITS	5

/**
 * struct mptun_tx - sending side of a tunnel
 * @lock: protects all of this and the sending side of every path
 * @rest: segments of a GSO packet for which no path had room
 * @out: segments with their numbers, for the owner of @busy to send
 * @busy: somebody sends what is in @out
 * @stopped: the device's queue is stopped
 * @behind: it is, because @out is long
 * @next_dsn: next data sequence number
 * @settled: lowest dsn neither acknowledged nor given up
 * @settled_told: what the peer was told of it
 * @settle_until: the peer is told at once while @settled is below
 * @settle_ns: when it was told last
 * @sched: the scheduler
 * @active_ns: when data was sent last
 * @cand: paths offered to the scheduler
 * @cand_path: the same paths
 * @spans: room to parse an acknowledgment
 * @lanes: last dsn of each lane of inner flows
 */
struct mptun_tx {
	spinlock_t lock; /* protects all sending, see above */
	struct sk_buff_head rest;
	struct sk_buff_head out;
	bool busy;
	bool stopped;
	bool behind;
	u32 next_dsn;
	u32 settled;
	u32 settled_told;
	u32 settle_until;
	u64 settle_ns;
	struct mptun_sched sched;
	u64 active_ns;

	struct mptun_sched_cand cand[MPTUN_PATHS_MAX];
	struct mptun_path *cand_path[MPTUN_PATHS_MAX];
	struct mptun_ack_span spans[MPTUN_RANGES_MAX];
	u32 lanes[MPTUN_LANES];
};

/**
 * struct mptun_rx - receiving side of a tunnel
 * @lock: protects all of this but @ready, and the receiving side of every path
 * @reorder: the ring where packets wait for earlier ones
 * @timer: hold time, late proofs and reports
 * @timer_ns: when it is set to fire, U64_MAX if it is not
 * @active_ns: when data was received last
 * @running: the device is up, @timer may be set and @reorder hold packets
 * @skew_ns: when the hold time followed the skew last
 * @psmc_ns: when the bounds of mode psmc were computed last
 * @skews: room to list the delays of all paths
 * @psmc: room to list the paths for mode psmc
 * @ready: packets in order, on their way to NAPI; filled under @lock so that
 *	the order is kept, emptied under its own lock
 * @napi: hands @ready to the stack
 */
struct mptun_rx {
	spinlock_t lock; /* protects all receiving, see above */
	struct mptun_reorder reorder;
	struct hrtimer timer;
	u64 timer_ns;
	u64 active_ns;
	bool running;
	u64 skew_ns;
	u64 psmc_ns;
	const struct mptun_skew *skews[MPTUN_PATHS_MAX];
	struct mptun_psmc_path psmc[MPTUN_PATHS_MAX];
	struct sk_buff_head ready;
	struct napi_struct napi;
};

/**
 * struct mptun_assoc - what is agreed with the peer
 * @established: everything below is valid
 * @index: by which PACKETs address us, see mptun_assoc_key()
 * @peer_index: by which they address the peer
 * @instance: our instance id
 * @peer_instance: the peer's, 0 while unknown
 * @first_dsn: our first dsn in every association of this instance
 * @counter: attempts so far
 * @cookie: what the peer wants to see in the next INIT
 * @cookie_valid: there is such a cookie
 * @hello_at: jiffies of the next INIT, while @hello_wait is not zero
 * @hello_wait: present interval of INITs in ms, 0 while none is to be sent
 * @next_wire_id: next number for a path of ours
 * @count: associations so far
 *
 * Written under mptun_tunnel.lock; @established, @index and @peer_index are
 * read without it.
 */
struct mptun_assoc {
	bool established;
	u32 index;
	u32 peer_index;
	u64 instance;
	u64 peer_instance;
	u32 first_dsn;
	u64 counter;
	u8 cookie[16];
	bool cookie_valid;
	unsigned long hello_at;
	unsigned int hello_wait;
	u32 next_wire_id;
	u32 count;
};

/**
 * struct mptun_tunnel_config - settings of a tunnel
 * @port: local UDP port
 * @id: number by which the peer addresses this tunnel
 * @peer_id: number by which this tunnel addresses its peer
 * @cc: controller of paths that name none
 * @reorder: how packets are put in order
 * @learn: accept paths the peer opens
 */
struct mptun_tunnel_config {
	u16 port;
	u32 id;
	u32 peer_id;
	char cc[MPTUN_ALGO_NAME_MAX + 1];
	struct mptun_reorder_config reorder;
	bool learn;
};

/**
 * struct mptun_tunnel - a tunnel, private part of its network device
 * @dev: the device
 * @port: the port packets arrive at
 * @index: index the peer answers our INITs with
 * @by_wire: paths by their number on the wire, RCU
 * @paths: all paths, RCU
 * @drops: packets dropped, by reason
 * @tx: sending side
 * @rx: receiving side
 * @lock: protects settings, the list of paths and the association
 * @net: transport namespace, NULL once it is being deleted
 * @config: settings
 * @assoc: association with the peer
 * @n_paths: paths that are not being deleted
 * @n_paths_all: number of paths
 * @generation: changes of the list of paths
 * @running: the device is up
 * @work: handshakes, unknown paths, freeing of paths
 * @work_queue: packets for @work
 * @net_list: entry in mptun_net.tunnels
 * @index_node: entry in mptun_net.by_index
 * @id_node: entry in mptun_net.by_id
 */
struct mptun_tunnel {
	/* Read mostly, both directions */
	struct net_device *dev;
	struct mptun_port *port;
	u32 index;
	DECLARE_HASHTABLE(by_wire, MPTUN_WIRE_HASH_BITS);
	struct list_head paths;
	struct mptun_assoc assoc;

	struct mptun_drops drops ____cacheline_aligned_in_smp;
	struct mptun_tx tx ____cacheline_aligned_in_smp;
	struct mptun_rx rx ____cacheline_aligned_in_smp;

	/* Control */
	struct mutex lock; /* protects settings, list of paths, association */
	struct net *net;
	struct mptun_tunnel_config config;
	unsigned int n_paths;
	unsigned int n_paths_all;
	unsigned int generation;
	bool running;
	struct delayed_work work;
	struct sk_buff_head work_queue;
	struct list_head net_list;
	struct hlist_node index_node;
	struct hlist_node id_node;
};

extern struct workqueue_struct *mptun_wq;

/**
 * mptun_now() - the only clock
 *
 * Return: monotonic time in nanoseconds.
 */
static inline u64 mptun_now(void)
{
	return ktime_get_ns();
}

/**
 * mptun_now_us() - clock of the wire
 * @now: nanoseconds
 *
 * Return: microseconds, low 32 bits.
 */
static inline u32 mptun_now_us(u64 now)
{
	return (u32)div_u64(now, NSEC_PER_USEC);
}

/**
 * mptun_enter() - begin to walk through tunnels and paths
 *
 * As in softirq, where most of it happens: what is found stays until
 * mptun_leave(), and the spinlocks may be taken.
 */
static inline void mptun_enter(void)
	__acquires(RCU)
{
	local_bh_disable();
	rcu_read_lock();
}

/**
 * mptun_leave() - end of what mptun_enter() began
 */
static inline void mptun_leave(void)
	__releases(RCU)
{
	rcu_read_unlock();
	local_bh_enable();
}

int mptun_tunnel_init(struct mptun_tunnel *tunnel, struct net *net,
		      struct netlink_ext_ack *extack);
void mptun_tunnel_destroy(struct mptun_tunnel *tunnel);
void mptun_tunnel_start(struct mptun_tunnel *tunnel);
void mptun_tunnel_stop(struct mptun_tunnel *tunnel);
void mptun_tunnel_detach(struct mptun_tunnel *tunnel);
void mptun_tunnel_queue_work(struct mptun_tunnel *tunnel, struct sk_buff *skb);
void mptun_tunnel_kick(struct mptun_tunnel *tunnel);
bool mptun_tunnel_active(const struct mptun_tunnel *tunnel, u64 now);

#endif /* _MPTUN_TUNNEL_H */
