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
 *	    mptun_net.hash_lock (BH)	sessions and keys by index and name
 *
 * The locks of the two directions never nest; that of the tables nests in that
 * of sending.  None of them is held while a packet goes down into the stack.
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

#include "base/limits.h"
#include "base/parallel.h"
#include "base/stats.h"
#include "cc/sbd.h"
#include "core/state.h"
#include "recovery/sent.h"
#include "reorder/ack_ranges.h"
#include "reorder/playout.h"
#include "reorder/reorder.h"
#include "reorder/replay.h"
#include "sched/sched.h"

struct mptun_path;
struct mptun_port;

#define MPTUN_WIRE_HASH_BITS	5

/**
 * struct mptun_tx_queue - one of the device's queues
 * @rest: what no path has had room for yet, of one GSO packet
 * @lost: what is to be sent again before that, the lowest dsn first (tx/rtx.c)
 * @stopped: the queue is stopped
 */
struct mptun_tx_queue {
	struct sk_buff_head rest;
	struct sk_buff_head lost;
	bool stopped;
};

/**
 * struct mptun_tx - sending side of a tunnel
 * @lock: protects all of this and the sending side of every path
 * @session: session for what is numbered now, NULL if there is none; read
 *	under RCU as well
 * @queues: the device's queues; class 0 has the first one, the other classes
 *	share those that follow
 * @n_queues: number of them
 * @turn: which of them is the next to place something
 * @out: packets and runs with their numbers, for the owner of @busy to send
 * @spread: those before them that several CPUs seal
 * @n_out: how many packets that is
 * @busy: somebody sends what is in @out
 * @stopped: how many of the device's queues are stopped
 * @behind: all of them are, because @out is long
 * @wake_ns: when the first one was woken last
 * @next_dsn: next data sequence number
 * @settled: lowest dsn neither acknowledged nor given up
 * @settled_told: what the peer was told of it
 * @settle_until: the peer is told at once while @settled is below
 * @settle_ns: when it was told last
 * @sched: the scheduler
 * @classes: what becomes of the classes
 * @ccs: congestion windows of all paths
 * @active_ns: when data was sent last
 * @judge_ns: when the worker judges the paths next, U64_MAX if it is about to
 * @park: the interval in which paths are judged
 * @avoid: the same, of those that are lossy
 * @bottlenecks: the paths whose groups are found out
 * @repair: packets that may be sent again
 * @cands: for how many paths there is room in the two that follow
 * @cand: paths offered to the scheduler
 * @cand_path: the same paths
 * @spans: room to parse an acknowledgment
 * @lanes: last dsn of each lane of inner flows
 */
struct mptun_tx {
	spinlock_t lock; /* protects all sending, see above */
	struct mptun_session __rcu *session;
	struct mptun_tx_queue *queues;
	unsigned int n_queues;
	unsigned int turn;
	struct sk_buff_head out;
	struct mptun_parallel spread;
	u32 n_out;
	bool busy;
	unsigned int stopped;
	bool behind;
	u64 wake_ns;
	u32 next_dsn;
	u32 settled;
	u32 settled_told;
	u32 settle_until;
	u64 settle_ns;
	struct mptun_sched sched;
	struct mptun_class_state classes[MPTUN_CLASSES_MAX];
	struct list_head ccs;
	u64 active_ns;
	u64 judge_ns;
	struct mptun_park park;
	struct mptun_avoid avoid;
	struct mptun_sbd bottlenecks;
	struct mptun_rtx repair;

	unsigned int cands;
	struct mptun_sched_cand *cand;
	struct mptun_path **cand_path;
	struct mptun_ack_span spans[MPTUN_RANGES_MAX];
	u32 lanes[MPTUN_LANES];
};

/**
 * struct mptun_rx - receiving side of a tunnel
 * @lock: protects all of this but @spread, @arrived and @taken, and the
 *	receiving side of every path
 * @reorder: the ring where packets wait for earlier ones
 * @playout: packets behind it that came early
 * @spread: packets before it that several CPUs open
 * @timer: hold time, late proofs and reports
 * @timer_ns: when it is set to fire, U64_MAX if it is not
 * @active_ns: when data was received last
 * @running: the device is up, @timer may be set, @arrived and @reorder hold
 *	packets; written under the lock of @arrived as well
 * @skew_ns: when the hold time followed the skew last
 * @playout_ns: when playout follows the delays of paths next
 * @psmc_ns: when the bounds of mode psmc were computed last
 * @skews: room to list the delays of all paths
 * @psmc: room to list the paths for mode psmc
 * @arrived: packets that wait to be put in order, with a lock of its own
 * @ready: packets in order, on their way to the stack
 * @taken: packets before them, taken by NAPI and nobody else's
 * @napi: puts in order, and hands to the stack
 */
struct mptun_rx {
	spinlock_t lock; /* protects all receiving, see above */
	struct mptun_reorder reorder;
	struct mptun_playout playout;
	struct mptun_parallel spread;
	struct hrtimer timer;
	u64 timer_ns;
	u64 active_ns;
	bool running;
	u64 skew_ns;
	u64 playout_ns;
	u64 psmc_ns;
	const struct mptun_owd *skews[MPTUN_PATHS_MAX];
	struct mptun_psmc_path psmc[MPTUN_PATHS_MAX];
	struct sk_buff_head arrived;
	struct sk_buff_head ready;
	struct sk_buff_head taken;
	struct napi_struct napi;
};

/**
 * struct mptun_assoc - what is agreed with the peer
 * @established: everything below is valid
 * @instance: our instance id
 * @peer_instance: the peer's, 0 while unknown
 * @first_dsn: our first dsn in every association of this instance
 * @counter: largest number of an attempt, of ours or of the peer
 * @peer_counter: that of the last INIT of the peer that was accepted
 * @gone: instances that the peer had before and has left, in a circle
 * @n_gone: how many it has left so far
 * @next_wire_id: next number for a path of ours
 * @claimed: numbers that the peer has given to paths, halved
 * @number: next control number (sealed)
 * @window: control numbers received that belong to no path, under
 *	mptun_rx.lock
 * @count: associations so far
 *
 * Written under mptun_tunnel.lock; @established and @peer_instance are read
 * without it.
 */
struct mptun_assoc {
	bool established;
	u64 instance;
	u64 peer_instance;
	u32 first_dsn;
	u64 counter;
	u64 peer_counter;
	u64 gone[MPTUN_GONE_INSTANCES];
	u32 n_gone;
	u32 next_wire_id;
	DECLARE_BITMAP(claimed, MPTUN_WIRE_ID_HALF);
	atomic64_t number;
	struct mptun_replay_control window;
	u32 count;
};

/**
 * struct mptun_tunnel_config - settings of a tunnel
 * @port: local UDP port
 * @cipher: &enum mptun_cipher
 * @id: number by which the peer addresses this tunnel, in clear mode
 * @peer_id: number by which this tunnel addresses its peer, likewise
 * @rekey_s: time after which a session gets new keys, in seconds
 * @cc: controller of paths that name none
 * @reorder: how packets are put in order
 * @learn: accept paths the peer opens
 * @dscp: DSCP of outer packets, MPTUN_DSCP_INHERIT for that of the inner ones
 * @park: a path that carries less than one part in so many of the mean of the
 *	others is not used; 0 for never, nor is a lossy or far one left alone
 *	then
 * @auto_group: find out which of the paths of group 0 share a bottleneck
 */
struct mptun_tunnel_config {
	u16 port;
	u32 cipher;
	u32 id;
	u32 peer_id;
	u32 rekey_s;
	char cc[MPTUN_ALGO_NAME_MAX + 1];
	struct mptun_reorder_config reorder;
	bool learn;
	u32 dscp;
	u32 park;
	bool auto_group;
};

/**
 * struct mptun_tunnel - a tunnel, private part of its network device
 * @dev: the device
 * @port: the port packets arrive at
 * @overhead: bytes of UDP that a packet takes beyond the inner one
 * @by_wire: paths by their number on the wire, RCU
 * @paths: all paths, RCU
 * @classes: classes of packets, RCU, replaced under @lock
 * @drops: packets dropped, by reason
 * @tx: sending side
 * @rx: receiving side
 * @lock: protects settings, the list of paths and the association
 * @net: transport namespace, NULL once it is being deleted
 * @config: settings
 * @assoc: association with the peer
 * @keys: keys shared with the peer
 * @sessions: sessions with the peer
 * @n_sessions: sessions that have not been let go of by everybody
 * @initiator: attempt to open a session
 * @responder: last answer to such an attempt of the peer
 * @n_paths: paths that are not being deleted
 * @n_paths_all: number of paths
 * @generation: changes of the list of paths, and of classes
 * @running: the device is up
 * @path_timer: what the timers of its paths do
 * @work: handshakes, unknown paths, freeing of paths
 * @work_queue: packets for @work
 * @net_list: entry in mptun_net.tunnels
 * @id_node: entry in mptun_net.by_id, in clear mode
 */
struct mptun_tunnel {
	/* Read mostly, both directions */
	struct net_device *dev;
	struct mptun_port *port;
	u32 overhead;
	DECLARE_HASHTABLE(by_wire, MPTUN_WIRE_HASH_BITS);
	struct list_head paths;
	struct mptun_assoc assoc;
	struct mptun_classes __rcu *classes;

	struct mptun_drops drops ____cacheline_aligned_in_smp;
	struct mptun_tx tx ____cacheline_aligned_in_smp;
	struct mptun_rx rx ____cacheline_aligned_in_smp;

	/* Control */
	struct mutex lock; /* protects settings, list of paths, association */
	struct net *net;
	struct mptun_tunnel_config config;
	struct mptun_keys keys;
	struct mptun_sessions sessions;
	atomic_t n_sessions;
	struct mptun_initiator initiator;
	struct mptun_responder responder;
	unsigned int n_paths;
	unsigned int n_paths_all;
	unsigned int generation;
	bool running;
	enum hrtimer_restart (*path_timer)(struct hrtimer *timer);
	struct delayed_work work;
	struct sk_buff_head work_queue;
	struct list_head net_list;
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
 * mptun_tunnel_sealed() - does the tunnel have a key?
 * @tunnel: the tunnel
 *
 * Return: false in clear mode.
 */
static inline bool mptun_tunnel_sealed(const struct mptun_tunnel *tunnel)
{
	return tunnel->config.cipher != MPTUN_CIPHER_CLEAR;
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

void mptun_tunnel_queue_work(struct mptun_tunnel *tunnel, struct sk_buff *skb);
void mptun_tunnel_kick(struct mptun_tunnel *tunnel);
bool mptun_tunnel_active(const struct mptun_tunnel *tunnel, u64 now);

#endif /* _MPTUN_TUNNEL_H */
