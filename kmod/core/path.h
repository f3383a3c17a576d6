/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Paths: settings, congestion control, sequence numbers and liveness of one way
 * to the peer.
 */
#ifndef _MPTUN_PATH_H
#define _MPTUN_PATH_H

#include <linux/hrtimer.h>
#include <linux/if.h>
#include <linux/list.h>
#include <linux/mptun.h>

#include "base/ecn.h"
#include "base/limits.h"
#include "cc/cc.h"
#include "code/loop.h"
#include "core/change.h"
#include "core/heal.h"
#include "core/keep.h"
#include "core/state.h"
#include "recovery/dsfield.h"
#include "recovery/pacing.h"
#include "recovery/pmtu.h"
#include "recovery/rate_sample.h"
#include "recovery/recent.h"
#include "recovery/rtt.h"
#include "recovery/sent.h"
#include "reorder/ack_ranges.h"
#include "reorder/loss_proof.h"
#include "reorder/owd.h"
#include "reorder/playout.h"
#include "reorder/replay.h"
#include "sched/cap.h"
#include "sched/policy.h"
#include "sched/sched.h"
#include "sched/trial.h"
#include "wire/wire.h"

struct mptun_sbd_path;
struct mptun_endpoint;
struct mptun_tunnel;
struct netlink_ext_ack;

/**
 * struct mptun_path_config - settings of a path
 * @name: name, unique among paths that are not being deleted
 * @dev: device the path is bound to, empty for none
 * @family: AF_INET or AF_INET6
 * @remote: address of the peer
 * @remote_port: UDP port of the peer, host byte order
 * @scope: interface of a link-local remote, 0 for none
 * @local: local address, all zero for none
 * @local_port: local UDP port, host byte order
 * @weight: share with scheduler wrr
 * @priority: lower numbers are used first
 * @spill_us: how long paths of lower numbers must be full before it takes
 *	their excess, MPTUN_SPILL_OFF for never
 * @backup: used only while no other path is usable
 * @cap: bytes the path may carry until user space begins a new period, 0 for no
 *	cap
 * @cap_action: &enum mptun_cap_action
 * @mtu: upper bound of the outer packets in bytes, 0 for that of the route
 * @cc: congestion controller, empty for that of the tunnel
 * @rate: bytes per second, 0 for none
 * @rate_down: the same for what the peer sends, as a request to it
 * @group: number shared by paths with a common bottleneck, 0 to detect it
 * @enabled: may be used
 * @keepalive: seconds between probes of an unused path, 0 to adapt them,
 *	MPTUN_KEEPALIVE_OFF for none while the tunnel is idle
 * @fwmark: firewall mark of outer packets, 0 for that of the tunnel
 */
struct mptun_path_config {
	char name[MPTUN_PATH_NAME_MAX + 1];
	char dev[IFNAMSIZ];
	sa_family_t family;
	union mptun_addr remote;
	u16 remote_port;
	u32 scope;
	union mptun_addr local;
	u16 local_port;
	u32 weight;
	u32 priority;
	u32 spill_us;
	bool backup;
	u64 cap;
	u32 cap_action;
	u32 mtu;
	char cc[MPTUN_ALGO_NAME_MAX + 1];
	u64 rate;
	u64 rate_down;
	u32 group;
	bool enabled;
	u32 keepalive;
	u32 fwmark;
};

/**
 * struct mptun_path_tx - transmit side of a path, under mptun_tx.lock
 * @sent: packets in flight
 * @rtt: round-trip time
 * @rate: delivery rate of busy periods, for the scheduler
 * @sample: delivery rate samples, for the congestion controller
 * @cc: congestion controller
 * @pacer: pacing of packets
 * @reports: bytes of reports sent, UDP header included, low 32 bits
 * @report_us: time in which the path carries eight reports, 0 if its rate is
 *	unknown; the receive side reads it without the lock
 * @mem: state of the scheduler
 * @spill: busy time of the paths of better priority
 * @low_rate: state of a low-rate path
 * @cap: use of the data cap
 * @notified: number of messages with the present @own_status
 * @notified_ns: when the last one was sent
 * @bad: judgement of a path that carries too little
 * @detour: judgement of a high-latency path
 * @bottleneck: delay statistics, NULL unless shared bottlenecks are detected
 * @fseq: number of first transmissions
 * @pto_count: probe timeouts since the last answer, for the back-off
 * @loses_ns: until when the path counts as one that loses packets
 * @awaited_ns: &mptun_tx.stop_ns if the first queue waits for room on the path
 * @floor_due: the lowest number that still matters must be reported
 * @marks: ECN marks reported by the peer
 * @recent: losses of the last minute
 * @loss: share of packets lost, and length of bursts
 * @packets: data packets sent
 * @bytes: their bytes, UDP header included
 * @copies: packets sent that another path sent first
 * @symbols: repair symbols sent
 * @acked_packets: packets acknowledged
 * @acked_bytes: bytes acknowledged
 * @lost_packets: packets declared lost
 * @lost_bytes: bytes declared lost
 * @spurious: packets declared lost that were acknowledged later
 * @marked: packets that arrived at the peer with a mark
 * @loss_events: reductions of the congestion window
 * @timeouts: probe timeouts
 * @ds_cleared: packets sent without the DS field they should have had
 */
struct mptun_path_tx {
	struct mptun_sent sent;
	struct mptun_rtt rtt;
	struct mptun_rate rate;
	struct mptun_sample sample;
	struct mptun_cc cc;
	struct mptun_pacer pacer;
	u32 reports;
	u32 report_us;
	struct mptun_sched_mem mem;
	struct mptun_busy spill;
	struct mptun_low_rate low_rate;
	struct mptun_cap cap;
	u8 notified;
	u64 notified_ns;
	struct mptun_bad bad;
	struct mptun_detour detour;
	struct mptun_sbd_path *bottleneck;
	u64 loses_ns;
	u64 awaited_ns;
	u8 fseq;
	u8 pto_count;
	bool floor_due;
	struct mptun_ecn_marks marks;

	struct mptun_recent recent;
	struct mptun_code_loss loss;
	u64 packets;
	u64 bytes;
	u64 copies;
	u64 symbols;
	u64 acked_packets;
	u64 acked_bytes;
	u64 lost_packets;
	u64 lost_bytes;
	u64 spurious;
	u64 marked;
	u64 loss_events;
	u64 timeouts;
	u64 ds_cleared;
};

/**
 * struct mptun_path_live - liveness of a path, under mptun_tx.lock
 * @state: &enum mptun_path_state
 * @reason: &enum mptun_path_reason
 * @since_ns: when the state began
 * @timer_ns: expiry of the timer of the path, U64_MAX if it is not armed
 * @probe_ns: when the next probe is due, U64_MAX for never
 * @answer_ns: when the outstanding probe times out, U64_MAX if there is none
 * @token: token of the outstanding probe
 * @backoff_ns: current probe interval of a path that does not work
 * @rare_ns: when its probes began to become rarer, or will (base/backoff.h)
 * @proved_ns: when an answer or acknowledgment last proved the path
 * @suspect_ns: when the last packet was sent that made the path suspect
 * @stalled: it went down as the last one that worked (mptun_path_stalled())
 * @good: consecutive answers
 * @changes: number of state changes
 * @dying: the path is being freed; its timer must not be armed any more
 * @error: error of sending a packet, until the timer handles it
 * @events: mask of &enum mptun_event not yet sent by the worker
 * @event_old: state before the first of them
 */
struct mptun_path_live {
	u8 state;
	u8 reason;
	u64 since_ns;
	u64 timer_ns;
	u64 probe_ns;
	u64 answer_ns;
	atomic64_t token;
	u64 backoff_ns;
	u64 rare_ns;
	u64 proved_ns;
	u64 suspect_ns;
	bool stalled;
	u8 good;
	u64 changes;
	bool dying;
	int error;
	u8 events;
	u8 event_old;
};

/**
 * struct mptun_path_rx - receive side of a path, under mptun_rx.lock
 * @wire_id: path id that all this belongs to
 * @data: replay window of data numbers
 * @data_rate: how fast they pass
 * @control: replay window of control numbers
 * @ranges: data numbers received
 * @loss_proof: proofs of loss
 * @owd: one-way delay of data packets
 * @playout: one-way delay of control packets
 * @arrival_ns: when the largest data number arrived
 * @last_ns: when a packet last arrived
 * @unreported: packets received since the last report on this path
 * @reported_bytes: value of @bytes at the last report on this path
 * @urgent: a packet since then showed a gap or a classic ECN mark
 * @report_due: a report must be sent now
 * @report_ns: when the last report was sent on this path
 * @cross_ns: when another path last reported the state of this one
 * @cross_unreported: packets received since then
 * @marks: ECN marks to report
 * @packets: data packets received
 * @bytes: their bytes
 * @ecn: whether its marks mean congestion
 * @ecn_ce: packets marked on the path
 * @ecn_faults: packets whose ECN field the path changed illegally
 * @ecn_ignored: packets marked on the path, while its marks mean nothing
 * @psmc_packets: value of @packets at the last rate measurement of mode psmc
 */
struct mptun_path_rx {
	u16 wire_id;
	struct mptun_replay_space data;
	struct mptun_replay_rate data_rate;
	struct mptun_replay_space control;
	struct mptun_ranges ranges;
	struct mptun_loss_proof loss_proof;
	struct mptun_owd owd;
	struct mptun_playout_path playout;
	atomic64_t arrival_ns;
	atomic64_t last_ns;
	u32 unreported;
	u64 reported_bytes;
	bool urgent;
	bool report_due;
	u64 report_ns;
	u64 cross_ns;
	u32 cross_unreported;
	struct mptun_ecn_marks marks;
	struct mptun_ecn_check ecn;

	u64 packets;
	u64 bytes;
	u64 ecn_ce;
	u64 ecn_faults;
	u64 ecn_ignored;
	u64 psmc_packets;
};

/* Value of mptun_path.allowance once the peer has answered a challenge. */
#define MPTUN_ALLOWANCE_PROVED	U32_MAX

/**
 * enum mptun_path_drain - stage of a path that is draining
 * @MPTUN_DRAIN_FLIGHT: wait for packets in flight
 * @MPTUN_DRAIN_OVERDUE: wait for those that are overdue
 * @MPTUN_DRAIN_ABANDON: wait for the peer to stop using the path
 * @MPTUN_DRAIN_LINGER: wait for packets the peer has in flight
 */
enum mptun_path_drain {
	MPTUN_DRAIN_FLIGHT,
	MPTUN_DRAIN_OVERDUE,
	MPTUN_DRAIN_ABANDON,
	MPTUN_DRAIN_LINGER,
};

/**
 * struct mptun_path - one way to the peer
 * @tunnel: the tunnel it belongs to
 * @endpoint: addresses, replaced under mptun_tunnel.lock
 * @wire_id: path id, 0 for none; written under mptun_tunnel.lock
 * @pmtu: largest outer packet, written under mptun_tx.lock
 * @dsfield: DS fields with which packets pass, under mptun_tx.lock
 * @route_mtu: that of the route, or else of its device; under mptun_tx.lock
 * @sized: its inner MTU and whether that is settled, when the worker was last
 *	called because of them; under mptun_tx.lock
 * @takes_runs: its device takes a run as one packet (transport/output.c)
 * @learned: opened by the peer
 * @list: entry in mptun_tunnel.paths
 * @dead: entry in a list of paths to be freed
 * @tracker: of the device, which the path holds
 * @wire_node: entry in mptun_tunnel.by_wire
 * @tx: transmit side
 * @live: liveness
 * @timer: timer for pacing, loss detection, probe timeouts and probes
 * @rx: receive side
 * @control_number: next number of the control space, in clear mode
 * @tx_control: control packets sent
 * @rx_control: control packets received
 * @control_bytes: bytes of both, UDP header included
 * @tx_errors: packets the stack refused
 * @source: source address selected by the route, under mptun_tunnel.lock
 * @source_known: @source is valid
 * @route_ifindex: device of the last route, 0 if it has had none; also read
 *	under RCU
 * @followed: what it is counted for in the namespace
 * @source_cookie: proves @source to the rate limiter of the peer
 * @source_cookie_valid: @source_cookie is set
 * @config: settings, written under mptun_tunnel.lock and mptun_tx.lock
 * @named: learned, and has got the name that the peer gives it
 * @allowance: bytes that may be sent to an address that has not answered a
 *	challenge yet, MPTUN_ALLOWANCE_PROVED afterwards; under mptun_tx.lock
 * @roam: validation of a new peer address, under mptun_tx.lock
 * @heal: attempts to repair it
 * @peer_status: last &enum mptun_path_status reported by the peer
 * @own_status: &enum mptun_path_status due to the cap, under mptun_tx.lock
 * @policy_out: use of a path of ours, for the peer; under mptun_tx.lock
 * @policy_in: use of a learned path, from the peer; under mptun_tx.lock
 * @overrides: attributes of a learned path that the administrator has set, as
 *	bits; under mptun_tunnel.lock
 * @drain: stage of the deletion
 * @drain_ns: when this stage ends at the latest
 * @renumber_ns: when the path may next get a new id
 * @keep: whether the mapping of a NAT outlives its silence, under mptun_tx.lock
 */
struct mptun_path {
	/* Read mostly, both directions */
	struct mptun_tunnel *tunnel;
	struct mptun_endpoint __rcu *endpoint;
	u16 wire_id;
	struct mptun_pmtu pmtu;
	struct mptun_dsfield dsfield;
	u32 route_mtu;
	u32 sized;
	bool takes_runs;
	bool learned;
	struct list_head list;
	struct list_head dead;
	netdevice_tracker tracker;
	struct hlist_node wire_node;

	/* Transmission, under mptun_tx.lock */
	struct mptun_path_tx tx ____cacheline_aligned_in_smp;
	struct mptun_path_live live;
	struct hrtimer timer;

	/* Reception, under mptun_rx.lock */
	struct mptun_path_rx rx ____cacheline_aligned_in_smp;

	/* Control */
	atomic64_t control_number;
	atomic64_t tx_control;
	atomic64_t rx_control;
	atomic64_t control_bytes;
	atomic64_t tx_errors;
	union mptun_addr source;
	bool source_known;
	int route_ifindex;
	struct mptun_followed followed;
	bool source_cookie_valid;
	u8 source_cookie[MPTUN_COOKIE_LEN];
	struct mptun_path_config config;
	bool named;
	u32 allowance;
	struct mptun_roam roam;
	struct mptun_heal heal;
	u16 peer_status;
	u16 own_status;
	struct mptun_policy_out policy_out;
	struct mptun_policy_in policy_in;
	u64 overrides;
	enum mptun_path_drain drain;
	u64 drain_ns;
	u64 renumber_ns;
	struct mptun_keep keep;
};

struct mptun_path *mptun_path_find(struct mptun_tunnel *tunnel,
				   const char *name);
struct mptun_path *mptun_path_by_wire(const struct mptun_tunnel *tunnel,
				      u16 wire_id);
struct mptun_endpoint *mptun_path_endpoint(const struct mptun_path *path);
u32 mptun_path_best_rank(const struct mptun_tunnel *tunnel);
u32 mptun_path_outer(const struct mptun_path *path, u32 bytes);
u32 mptun_path_inner_size(const struct mptun_path *path, u32 outer);
u32 mptun_path_inner_mtu(const struct mptun_path *path);
bool mptun_path_size_settled(const struct mptun_path *path);
u32 mptun_path_takes(const struct mptun_path *path, bool peer_frag);
u32 mptun_path_mss(const struct mptun_path *path);
const char *mptun_path_cc_name(const struct mptun_path *path);

/**
 * mptun_path_up() - check whether a path works
 * @path: the path
 *
 * Return: true if answers arrive in time.
 */
static inline bool mptun_path_up(const struct mptun_path *path)
{
	return READ_ONCE(path->live.state) == MPTUN_PATH_STATE_UP;
}

/**
 * mptun_path_usable() - check whether a path may carry data
 * @path: the path
 *
 * Return: true if it works or is merely suspect.
 */
static inline bool mptun_path_usable(const struct mptun_path *path)
{
	u8 state = READ_ONCE(path->live.state);

	return state == MPTUN_PATH_STATE_UP ||
	       state == MPTUN_PATH_STATE_SUSPECT;
}

/**
 * mptun_path_stalled() - check whether packets wait for a path that is down
 * @path: the path
 *
 * The last path that worked may only stand still, and deliver everything
 * afterwards.  What is in flight on it stays in flight and what is new waits,
 * until it answers, another path works, or it tries another way (path/heal.c).
 *
 * Return: true if they wait.
 */
static inline bool mptun_path_stalled(const struct mptun_path *path)
{
	return READ_ONCE(path->live.state) == MPTUN_PATH_STATE_DOWN &&
	       READ_ONCE(path->live.stalled);
}

/**
 * mptun_path_sized() - check whether the MTU of a path is being examined
 * @path: the path
 *
 * Return: true if its peer answers, on a path that works or recovers.
 */
static inline bool mptun_path_sized(const struct mptun_path *path)
{
	return mptun_path_usable(path) ||
	       READ_ONCE(path->live.good) >= MPTUN_GOOD_PROBES - 1;
}

/**
 * mptun_path_takes_data() - check whether new data may be placed on a path
 * @path: the path
 *
 * Return: true if it works or packets wait for it, and it has an id and is a
 * standby path for neither end.
 */
static inline bool mptun_path_takes_data(const struct mptun_path *path)
{
	return (mptun_path_usable(path) || mptun_path_stalled(path)) &&
	       READ_ONCE(path->wire_id) != MPTUN_WIRE_ID_NONE &&
	       READ_ONCE(path->own_status) != MPTUN_STATUS_STANDBY &&
	       READ_ONCE(path->peer_status) != MPTUN_STATUS_STANDBY;
}

/**
 * mptun_path_backup() - check whether a path is a backup
 * @path: the path; the result is stable only under mptun_tx.lock
 *
 * Return: true if its settings, its cap or the peer make it one.
 */
static inline bool mptun_path_backup(const struct mptun_path *path)
{
	return READ_ONCE(path->config.backup) ||
	       READ_ONCE(path->own_status) == MPTUN_STATUS_BACKUP ||
	       READ_ONCE(path->peer_status) == MPTUN_STATUS_BACKUP;
}

/**
 * mptun_path_rank() - rank of a path: lower first, equal ones together
 * @path: the path; the result is stable only under mptun_tx.lock
 *
 * Return: the rank.
 */
static inline u32 mptun_path_rank(const struct mptun_path *path)
{
	return mptun_path_backup(path) << 16 |
	       READ_ONCE(path->config.priority);
}

/**
 * mptun_path_suspended() - check whether a path is suspended for ordered data
 * @path: the path
 *
 * Return: true if it is suspended for its latency.
 */
static inline bool mptun_path_suspended(const struct mptun_path *path)
{
	return path->tx.detour.suspended;
}

/**
 * mptun_path_control() - find the replay window of a control number
 * @path: path of its packet, looked up before mptun_rx.lock was taken
 * @wire_id: path id in the packet
 *
 * Return: the window, NULL if the path has got another id meanwhile.
 */
static inline struct mptun_replay_space *
mptun_path_control(struct mptun_path *path, u16 wire_id)
{
	return path->rx.wire_id == wire_id ? &path->rx.control : NULL;
}

/**
 * mptun_path_answered() - check whether an outstanding probe is answered
 * @path: path of the answer, looked up before mptun_tx.lock was taken
 * @wire_id: path id in the answer
 * @token: token in the answer
 *
 * Return: false also if the path has got another id meanwhile: the answer is
 * about its old addresses.
 */
static inline bool mptun_path_answered(const struct mptun_path *path,
				       u16 wire_id, u64 token)
{
	return path->wire_id == wire_id &&
	       token == (u64)atomic64_read(&path->live.token);
}

/**
 * mptun_path_may_roam() - check whether to examine another address of the peer
 * @path: path of a packet from there, looked up before mptun_tx.lock was taken
 * @wire_id: path id in the packet
 * @now: time in ns
 *
 * Return: false while paused or with a move pending, and if the path has got
 * another id meanwhile: the packet is from its old address.
 */
static inline bool mptun_path_may_roam(const struct mptun_path *path,
				       u16 wire_id, u64 now)
{
	return path->wire_id == wire_id && now >= path->roam.ignore_ns &&
	       !path->roam.proved &&
	       path->live.state != MPTUN_PATH_STATE_DRAINING;
}

#endif /* _MPTUN_PATH_H */
