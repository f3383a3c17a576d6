/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tunnels: a network device with its association, paths, and the state of both
 * directions.
 *
 * Locks, in the order in which they nest:
 *
 *	RTNL
 *	  mptun_tunnel.lock (mutex)	settings, list of paths, association
 *	    mptun_net.port_mutex	ports while they are opened
 *	      mptun_ports.lock (BH)	ports and their users
 *	    mptun_tx.lock (BH)		all sending
 *	      mptun_net.hash_lock (BH)	tables of sessions and keys
 *	    mptun_rx.lock (BH)		all receiving
 *	      mptun_rx.code.lock (BH)	decoding
 *
 * The locks of the two directions never nest, and are never held while a packet
 * is passed to the stack.
 */
#ifndef _MPTUN_TUNNEL_H
#define _MPTUN_TUNNEL_H

#include <linux/hashtable.h>
#include <linux/hrtimer.h>
#include <linux/minmax.h>
#include <linux/mptun.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "base/limits.h"
#include "base/prefix.h"
#include "base/parallel.h"
#include "base/stats.h"
#include "base/trace.h"
#include "cc/shared_bottleneck.h"
#include "core/state.h"
#include "crypto/ratelimit.h"
#include "recovery/mtu.h"
#include "recovery/sent.h"
#include "reorder/ack_ranges.h"
#include "reorder/assemble.h"
#include "reorder/playout.h"
#include "reorder/reorder.h"
#include "reorder/replay.h"
#include "sched/policy.h"
#include "sched/sched.h"

struct mptun_path;
struct mptun_port;

#define MPTUN_WIRE_HASH_BITS	5

/**
 * struct mptun_tx_queue - one queue of the device
 * @rest: segments of a GSO packet that wait for room on a path
 * @lost: packets to retransmit before these, lowest dsn first (tx/rtx.c)
 * @classes: bit mask of the classes that have this queue, existing or not
 * @stopped: the queue is stopped
 */
struct mptun_tx_queue {
	struct sk_buff_head rest;
	struct sk_buff_head lost;
	u16 classes;
	bool stopped;
};

/**
 * struct mptun_tx - sending side of a tunnel
 * @lock: protects all of this and the sending side of every path
 * @session: session of packets numbered now, NULL if there is none; also read
 *	under RCU
 * @queues: queues of the device: the first for class 0, the others shared by
 *	the other classes
 * @n_queues: number of queues
 * @turn: the queue that places packets next
 * @used_up: a packet that was not from the first queue has used up the room of
 *	a path; that queue may have to stop
 * @rate_unknown: the path on which sparse packets arrive first has no known
 *	capacity; until a report shows one, they are placed like others
 * @spare: empty buffers for runs, allocated without the lock
 * @taken: how many have been taken from them since
 * @out: numbered packets and runs, sent by the owner of @busy; also packets
 *	that are too big, for which it notifies their senders
 * @parallel: packets and runs that several CPUs encrypt
 * @n_out: number of packets in both
 * @busy: a CPU sends what is in @out
 * @stopped: number of queues that are stopped
 * @behind: all queues are stopped because @out is long
 * @wake_ns: when the first queue was last woken
 * @stop_ns: when it last found no room
 * @next_dsn: next data sequence number
 * @settled: lowest dsn neither acknowledged nor given up
 * @settled_notified: value of @settled last reported to the peer
 * @settle_until: @settled is not left to reports while @settled_notified is
 *	below this dsn
 * @settle_ns: when @settled was last reported
 * @sched: the scheduler
 * @classes: state and counters of the classes
 * @peer_paid_ns: state of the rates of the peer, as in mptun_class_state
 * @ccs: congestion controllers of all paths
 * @active_ns: when data was last sent
 * @judge_ns: when the worker next judges the paths, U64_MAX if it is queued
 * @park: judgement of paths that carry too little
 * @avoid: judgement of high-latency paths
 * @bottlenecks: detection of shared bottlenecks
 * @rtx: packets kept for retransmission
 * @code: repair symbols
 * @cands: number of entries allocated in @cand and @cand_path
 * @cand: candidates of the scheduler
 * @cand_path: their paths
 * @spans: buffer to parse acknowledgments
 * @flows: sparse and bulk flows; NULL while the tunnel is destroyed
 * @lanes: last dsn of each lane of inner flows
 * @again: lanes whose last packet may arrive again: kept for retransmission or
 *	copied
 */
struct mptun_tx {
	spinlock_t lock; /* protects all sending, see above */
	struct mptun_session __rcu *session;
	struct mptun_tx_queue *queues;
	unsigned int n_queues;
	unsigned int turn;
	bool used_up;
	bool rate_unknown;
	struct sk_buff_head spare;
	atomic_t taken;
	struct sk_buff_head out;
	struct mptun_parallel parallel;
	u32 n_out;
	bool busy;
	unsigned int stopped;
	bool behind;
	u64 wake_ns;
	u64 stop_ns;
	u32 next_dsn;
	u32 settled;
	u32 settled_notified;
	u32 settle_until;
	u64 settle_ns;
	struct mptun_sched sched;
	struct mptun_class_state classes[MPTUN_CLASSES_MAX];
	u64 peer_paid_ns[MPTUN_CAPS_MAX];
	struct list_head ccs;
	atomic64_t active_ns;
	u64 judge_ns;
	struct mptun_park park;
	struct mptun_avoid avoid;
	struct mptun_sbd bottlenecks;
	struct mptun_rtx rtx;
	struct mptun_code_tx code;

	unsigned int cands;
	struct mptun_sched_cand *cand;
	struct mptun_path **cand_path;
	struct mptun_ack_span spans[MPTUN_RANGES_MAX];
	struct mptun_flows __rcu *flows;
	u32 lanes[MPTUN_LANES];
	DECLARE_BITMAP(again, MPTUN_LANES);
};

/**
 * struct mptun_rx - receiving side of a tunnel
 * @lock: protects all of this but @parallel, @arrived, @taken and @code, and
 *	the receiving side of every path
 * @reorder: reorder buffer
 * @assemble: fragments behind it whose packets are not complete
 * @playout: packets behind it that are delayed until their playout time
 * @parallel: packets before it that several CPUs decrypt
 * @share: memory charged for what @reorder, @assemble, @playout, @ready and
 *	@taken hold
 * @timer: timer for hold time, loss proofs and reports
 * @timer_ns: expiry of @timer, U64_MAX if it is not armed
 * @active_ns: when data was last received
 * @running: the device is up: @timer may be armed, @arrived and @reorder may
 *	hold packets; written under the lock of @arrived as well
 * @skew_ns: when the hold time was last adapted to the skew
 * @playout_ns: when playout next adapts to the delays of paths
 * @psmc_ns: when the bounds of mode psmc were last computed
 * @traced: packets given up at the last event mptun_give_up
 * @owds: buffer for the delays of all paths
 * @psmc: buffer for the paths in mode psmc
 * @arrived: packets waiting for NAPI, with a lock of its own
 * @arrived_bytes: their memory, under that lock
 * @arrived_share: memory charged for them, under that lock
 * @ready: packets in order, on their way to the stack
 * @ready_bytes: memory of them and of @taken when that was last filled
 * @taken: packets in order that NAPI took from @ready; only NAPI uses it
 * @taken_bytes: their memory when they were taken
 * @code: repair symbols, with a lock of its own
 * @napi: puts packets in order and delivers them
 */
struct mptun_rx {
	spinlock_t lock; /* protects all receiving, see above */
	struct mptun_reorder reorder;
	struct mptun_assemble assemble;
	struct mptun_playout playout;
	struct mptun_parallel parallel;
	struct mptun_pool_share share;
	struct hrtimer timer;
	u64 timer_ns;
	atomic64_t active_ns;
	bool running;
	u64 skew_ns;
	u64 playout_ns;
	u64 psmc_ns;
	u64 traced;
	const struct mptun_owd *owds[MPTUN_PATHS_MAX];
	struct mptun_psmc_path psmc[MPTUN_PATHS_MAX];
	struct sk_buff_head arrived;
	u32 arrived_bytes;
	struct mptun_pool_share arrived_share;
	struct sk_buff_head ready;
	u32 ready_bytes;
	struct sk_buff_head taken;
	u32 taken_bytes;
	struct mptun_code_rx code;
	struct napi_struct napi;
};

/**
 * struct mptun_assoc - the association with the peer
 * @established: there is one
 * @instance: local instance id
 * @epoch: epoch in which @instance was chosen, see core/epoch.c
 * @peer_instance: instance id of the peer, 0 if unknown
 * @first_dsn: first local dsn of every association of @instance
 * @moved: a path was moved or added, and none has worked since
 * @counter: largest counter of a handshake of either end
 * @peer_counter: counter of the last INIT of the peer that was accepted
 * @former: ring of former instances of the peer
 * @n_former: number of former instances so far
 * @next_wire_id: id of the next local path
 * @claimed: ids that the peer has given to paths, divided by two
 * @number: next control number (encrypted tunnels)
 * @window: replay window of control numbers that belong to no path, under
 *	mptun_rx.lock
 * @rate: how fast the control numbers of the peer pass on all paths together
 *	(encrypted tunnels), under mptun_rx.lock
 * @count: number of associations so far
 * @readers: RCU state after which no packet is processed with numbers of the
 *	last association any more
 * @next: index of the session that the next association begins with as soon as
 *	that is so, 0 for none
 *
 * Written under mptun_tunnel.lock; @established and @peer_instance are read
 * without it.
 */
struct mptun_assoc {
	bool established;
	u64 instance;
	u32 epoch;
	u64 peer_instance;
	u32 first_dsn;
	bool moved;
	u64 counter;
	u64 peer_counter;
	u64 former[MPTUN_FORMER_INSTANCES];
	u32 n_former;
	u32 next_wire_id;
	DECLARE_BITMAP(claimed, MPTUN_WIRE_ID_HALF);
	atomic64_t number;
	struct mptun_replay_space window;
	struct mptun_replay_rate rate;
	u32 count;
	unsigned long readers;
	u32 next;
};

/**
 * struct mptun_allowed - inner source addresses that the peer may use
 * @rcu: for kfree_rcu()
 * @n: number of prefixes
 * @set: the prefixes, see base/prefix.c
 */
struct mptun_allowed {
	struct rcu_head rcu;
	unsigned int n;
	struct mptun_prefix set[];
};

/**
 * struct mptun_tunnel_config - settings of a tunnel
 * @port: local UDP port
 * @cipher: &enum mptun_cipher
 * @id: id of this tunnel in packets of the peer, in clear mode
 * @peer_id: id of the tunnel of the peer in our packets, in clear mode
 * @rekey_s: lifetime of the keys of a session, in seconds
 * @sched: scheduler, or MPTUN_DEFAULT_SCHED for that of the peer
 * @cc: congestion controller of paths without one of their own
 * @reorder: settings of the reorder buffer
 * @learn: accept paths opened by the peer
 * @follow: use these paths as the peer says
 * @dscp: DSCP of outer packets, MPTUN_DSCP_INHERIT to copy that of the inner
 * @park: a path is not used if it carries less than 1/@park of the mean of the
 *	others; 0 to use low-rate and high-latency paths always
 * @auto_group: detect shared bottlenecks of the paths of group 0
 * @fwmark: firewall mark of outer packets, 0 for none
 * @frag: &enum mptun_frag_mode
 * @mss_clamp: lower the MSS of TCP to the MTU of the device in any case
 * @mtu_auto: the MTU of the device follows the paths; written under RTNL
 */
struct mptun_tunnel_config {
	u16 port;
	u32 cipher;
	u32 id;
	u32 peer_id;
	u32 rekey_s;
	char sched[MPTUN_ALGO_NAME_MAX + 1];
	char cc[MPTUN_ALGO_NAME_MAX + 1];
	struct mptun_reorder_config reorder;
	bool learn;
	bool follow;
	u32 dscp;
	u32 park;
	bool auto_group;
	u32 fwmark;
	u32 frag;
	bool mss_clamp;
	bool mtu_auto;
};

/**
 * struct mptun_tunnel - a tunnel, private part of its network device
 * @dev: the device
 * @port: port at which packets arrive
 * @overhead: size of UDP header, mptun header and tag
 * @by_wire: paths by their id, RCU
 * @paths: all paths, RCU
 * @classes: classes of packets, RCU, replaced under @lock
 * @allowed: what the peer may send, RCU, replaced under @lock; NULL for all
 * @drops: packets dropped, by reason
 * @tx: sending side
 * @rx: receiving side
 * @lock: protects settings, the list of paths and the association
 * @net: transport namespace, NULL once it is being deleted
 * @pool: memory of packets that wait in @net, held
 * @config: settings
 * @mtu: choice of the MTU of the device
 * @mtu_wanted: MTU that was chosen, until it is applied; 0 for none
 * @mtu_own: the MTU is changed because it was chosen, under RTNL
 * @assoc: association with the peer
 * @keys: keys shared with the peer
 * @sessions: sessions with the peer
 * @n_sessions: sessions that are still referenced
 * @ratelimit: rate limits of INITs of the peer
 * @initiator: attempt to open a session
 * @responder: last answer to an INIT of the peer
 * @n_paths: number of paths that are not being deleted
 * @n_paths_all: number of paths
 * @class_rates: rates of classes, of both ends; under mptun_tx.lock
 * @peer_sched: scheduler of the peer that is followed, &enum mptun_caps_sched
 * @overrides: settings of learned paths by their names, see path/override.c
 * @n_overrides: number of these names
 * @generation: number of changes of the list of paths and of classes
 * @running: the device is up
 * @unlinked: nothing finds it any more; it is about to be destroyed
 * @dead: paths that the worker frees; once unlinked, mptun_tunnel_destroy()
 * @path_timer: handler of the timers of its paths
 * @work: the worker, see ctl/worker.c
 * @work_queue: handshakes for @work
 * @work_probes: probes of unknown paths for @work
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
	struct mptun_allowed __rcu *allowed;

	struct mptun_drops drops ____cacheline_aligned_in_smp;
	struct mptun_tx tx ____cacheline_aligned_in_smp;
	struct mptun_rx rx ____cacheline_aligned_in_smp;

	/* Control */
	struct mutex lock; /* protects settings, list of paths, association */
	struct net *net;
	struct mptun_pool *pool;
	struct mptun_tunnel_config config;
	struct mptun_mtu mtu;
	u32 mtu_wanted;
	bool mtu_own;
	struct mptun_keys keys;
	struct mptun_sessions sessions;
	atomic_t n_sessions;
	struct mptun_ratelimit_own ratelimit;
	struct mptun_initiator initiator;
	struct mptun_responder responder;
	unsigned int n_paths;
	unsigned int n_paths_all;
	struct mptun_class_rates class_rates;
	u8 peer_sched;
	struct list_head overrides;
	unsigned int n_overrides;
	unsigned int generation;
	bool running;
	bool unlinked;
	struct list_head dead;
	enum hrtimer_restart (*path_timer)(struct hrtimer *timer);
	struct delayed_work work;
	struct sk_buff_head work_queue;
	struct sk_buff_head work_probes;
	struct list_head net_list;
	struct hlist_node id_node;
};

extern struct workqueue_struct *mptun_wq;

/**
 * mptun_now() - read the clock of paths and data
 *
 * It stands still during suspend.
 *
 * Return: monotonic time in nanoseconds.
 */
static inline u64 mptun_now(void)
{
	return ktime_get_ns();
}

/**
 * mptun_key_now() - read the clock of lifetimes of keys, sessions and attempts
 *
 * It runs during suspend: what was recorded before does not become younger.
 *
 * Return: time since boot in nanoseconds.
 */
static inline u64 mptun_key_now(void)
{
	return ktime_get_boottime_ns();
}

/**
 * mptun_now_us() - convert a time to a timestamp on the wire
 * @now: nanoseconds
 *
 * Return: microseconds, low 32 bits.
 */
static inline u32 mptun_now_us(u64 now)
{
	return (u32)div_u64(now, NSEC_PER_USEC);
}

/**
 * mptun_tunnel_sealed() - check whether packets are protected by keys
 * @tunnel: the tunnel
 *
 * Return: false in clear mode.
 */
static inline bool mptun_tunnel_sealed(const struct mptun_tunnel *tunnel)
{
	return tunnel->config.cipher != MPTUN_CIPHER_CLEAR;
}

/**
 * mptun_tunnel_mss_mtu() - size up to which TCP inside is to stay
 * @tunnel: the tunnel
 *
 * It is what every path carries whole, where the MTU is slow to fall to that,
 * or that of the device on request.
 *
 * Return: bytes of an inner packet, 0 if connections are left alone.
 */
static inline u32 mptun_tunnel_mss_mtu(const struct mptun_tunnel *tunnel)
{
	u32 whole = READ_ONCE(tunnel->mtu.whole);

	if (whole && READ_ONCE(tunnel->config.mtu_auto))
		return min(whole, READ_ONCE(tunnel->dev->mtu));
	return READ_ONCE(tunnel->config.mss_clamp) ?
	       READ_ONCE(tunnel->dev->mtu) : 0;
}

/**
 * mptun_tunnel_control_fresh() - accept a control number that is new
 * @tunnel: the tunnel
 * @space: window of its path, or that of the association
 * @number: the number; plausible in clear mode
 * @now: time in ns
 *
 * With a key the peer has one counter for the control packets of all paths.  In
 * clear mode each path has its own, which the smallest window covers.
 *
 * Return: true if it is.
 */
static inline bool
mptun_tunnel_control_fresh(struct mptun_tunnel *tunnel,
			   struct mptun_replay_space *space, u64 number,
			   u64 now)
{
	lockdep_assert_held(&tunnel->rx.lock);
	if (!mptun_tunnel_sealed(tunnel))
		return mptun_replay_update(&space->window, number);
	return mptun_replay_take(space, &tunnel->assoc.rate, number, now);
}

/**
 * mptun_enter() - enter a section that uses tunnels and paths as in softirq
 *
 * Objects found stay valid until mptun_leave(), and the spinlocks may be taken.
 */
static inline void mptun_enter(void)
	__acquires(RCU)
{
	local_bh_disable();
	rcu_read_lock();
}

/**
 * mptun_leave() - leave a section begun by mptun_enter()
 */
static inline void mptun_leave(void)
	__releases(RCU)
{
	rcu_read_unlock();
	local_bh_enable();
}

void mptun_trace_given_up(struct mptun_tunnel *tunnel);

void mptun_tunnel_queue(struct mptun_tunnel *tunnel,
			struct sk_buff_head *queue, struct sk_buff *skb,
			unsigned int full);
void mptun_tunnel_kick(struct mptun_tunnel *tunnel);
void mptun_tunnel_retry(struct mptun_tunnel *tunnel);
bool mptun_tunnel_active(const struct mptun_tunnel *tunnel, u64 now);

#endif /* _MPTUN_TUNNEL_H */
