/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Constants of the tunnel used in several files.  Those of the wire format are
 * in wire/wire.h, those of one file in that file.
 */
#ifndef _MPTUN_LIMITS_H
#define _MPTUN_LIMITS_H

#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/time64.h>
#include <linux/udp.h>

#include "wire/wire.h"

/* Headroom of an inner packet: our headers and the largest outer IP header. */
#define MPTUN_HEADROOM		(sizeof(struct mptun_packet) + \
				 sizeof(struct udphdr) + \
				 sizeof(struct ipv6hdr))

/* Default device MTU. With the 92 bytes that sealing adds over IPv6 it fits
 * into 1492, the MTU of PPPoE.
 */
#define MPTUN_DEFAULT_MTU	1400

/* Largest MTU of the device: an outer packet has at most 65535 bytes. */
#define MPTUN_DEVICE_MTU_MAX	(65535U - MPTUN_HEADROOM)

/* Outer MTU of a path before a route is known. */
#define MPTUN_PATH_MTU_GUESS	1500

/* Tunnels inside each other that one packet may pass on its way out: each needs
 * its share of the kernel stack.
 */
#define MPTUN_NESTED_MAX	4

/* Packets in the device's queueing discipline. */
#define MPTUN_TX_QUEUE_LEN	1000

/* Segments that may wait for another CPU that is sending; more would be a
 * second queue behind the device's.  That CPU stops after this many rounds.
 */
#define MPTUN_OUT_MAX		64
#define MPTUN_OUT_ROUNDS	16

/* Bytes in line for parallel sealing and opening: a few milliseconds of work.
 * Outgoing excess waits in the device's queue; incoming excess is dropped, so
 * the limit allows bursts, and is one of memory (truesize).
 */
#define MPTUN_LINE_OUT_MAX	(512U << 10)
#define MPTUN_LINE_IN_MAX	(4U << 20)

/* Default number of device queues (numtxqueues): one for class 0, one shared by
 * the other classes.  Each has a queueing discipline, which takes more memory
 * than the rest of an idle tunnel.
 */
#define MPTUN_TX_QUEUES		2

/* Time in which packets of a woken device queue arrive, if there are any: a
 * busy CPU delays softirqs by a tick at most.
 */
#define MPTUN_WAKE_NS		(1 * NSEC_PER_MSEC)

/* A path whose packets arrive later than on another path by more than this does
 * not help that path; if it is a low-rate path, the reorder buffer does not
 * wait longer for it.
 */
#define MPTUN_LATE_US		200000U

/* Lanes of inner flows.  Flows in one lane wait for each other's holes, so
 * there are many more lanes than flows that are busy at a time.
 */
#define MPTUN_LANES		1024

/* Paths of a tunnel, those being drained included. */
#define MPTUN_PATHS_TOTAL	64

/* Packets in each queue of the worker (handshakes; probes of unknown paths),
 * and those it takes before others get the lock of the tunnel: more than 32
 * paths need at once, and little memory and time in a flood.
 */
#define MPTUN_WORK_QUEUE	64

/* Bytes of outer headers that such a packet may have: any usual extensions. */
#define MPTUN_WORK_HEAD		256

/* Different COOKIEs that may answer an INIT: two on each of 32 paths, and eight
 * times that, so that few have the same hash.
 */
#define MPTUN_ANSWERS		512

/* Packets queued for NAPI, before and behind the reorder buffer. */
#define MPTUN_ARRIVED_MAX	8192
#define MPTUN_READY_MAX		8192

/* Memory of a queue of received packets that wait for a CPU, if the pool below
 * is used up: what one softirq may receive (net.core.netdev_budget, 300).
 */
#define MPTUN_BURST_BYTES	(512U << 10)

/* Packets that wait in the tunnels of a machine (for a CPU, in reorder buffers,
 * in playout, kept for retransmission), and their records, take an eighth of
 * its memory at most; those of a user who administrates a namespace of their
 * own take a quarter of that.
 */
#define MPTUN_POOL_ALL		8
#define MPTUN_POOL_USER		4

/* A report leaves after an eighth of the round-trip time, at most every
 * millisecond: the sender gets at least eight per window, and the reverse
 * direction of a low-rate uplink can carry them.  The upper bound exists
 * because an end that only receives measures the round-trip time rarely; the
 * sender allows for that much delay (MPTUN_RTT_REPORT_MAX_US).  A gap is
 * reported sooner, rate limited.  A timer that replaces arrivals waits a
 * quarter longer.
 *
 * Reports take an eighth of a path at most, within the upper bound: two are so
 * far apart that the path carries eight of them, of about 170 bytes, meanwhile.
 *
 * Less than two full packets wait for the upper bound.  Less than one waits a
 * little less than QUIC acknowledgments may (RFC 9000, 18.2;
 * MPTUN_RTT_REPORT_LITTLE_US): otherwise reports on a flow's acknowledgments
 * would take as many bytes as these, 6 % of a path of 5 Mbit/s at one per 5 ms.
 * Packets of calls, every 20 ms, are reported one by one.
 */
#define MPTUN_REPORT_RTT_SHIFT		3
#define MPTUN_REPORT_EIGHT		(8 * 170U)
#define MPTUN_REPORT_SLACK_SHIFT	2
#define MPTUN_REPORT_MIN_NS		(1 * NSEC_PER_MSEC)
#define MPTUN_REPORT_MAX_NS		(8 * NSEC_PER_MSEC)
#define MPTUN_REPORT_GAP_NS		(250 * NSEC_PER_USEC)
#define MPTUN_REPORT_BYTES		2400
#define MPTUN_REPORT_LITTLE_NS		(20 * NSEC_PER_MSEC)

/* A report about one path repeats the state of the others, in case their
 * reverse direction is dead, at most this often per round-trip time.
 */
#define MPTUN_REPORT_CROSS_SHIFT	1
#define MPTUN_REPORT_CROSS_NS		(10 * NSEC_PER_MSEC)

/* Largest body of a control packet in bytes; fits every IPv6 link. */
#define MPTUN_CONTROL_MAX	1152

/* Backoff of INIT. A restarted peer is found within a second, and one that was
 * away for long within MPTUN_INIT_RARE_MS.
 */
#define MPTUN_INIT_FIRST_MS	100
#define MPTUN_INIT_MAX_MS	1000
#define MPTUN_INIT_RARE_MS	30000

/* Life of an INIT; then one with a new ephemeral key replaces it, as no secret
 * is kept long.
 */
#define MPTUN_ATTEMPT_LIFE_NS	(10ULL * NSEC_PER_SEC)

/* Sessions of a tunnel: the current one, the next one, and two old ones whose
 * packets may be in flight while keys change every second.
 */
#define MPTUN_SESSIONS_MAX	4

/* How long packets may be in flight after the peer changed keys. */
#define MPTUN_SESSION_LINGER_NS	(10ULL * NSEC_PER_SEC)

/* A session whose keys cannot be changed ends after this many rekey intervals,
 * and not before the minimum.
 */
#define MPTUN_SESSION_REKEYS	3
#define MPTUN_SESSION_LIFE_NS	(30ULL * NSEC_PER_SEC)

/* The responder of the current session rekeys only if the initiator is late by
 * a quarter of the interval and this much.
 */
#define MPTUN_REKEY_PATIENCE_NS	(2ULL * NSEC_PER_SEC)

/* Packets after which keys are changed, far below the limits of the ciphers:
 * forgeries of AES-GCM and distinguishers of both (RFC 9147, 4.5.3, allows
 * 2^24.5 full records in the strictest reading of the former).
 */
#define MPTUN_REKEY_PACKETS	BIT_ULL(24)

/* Packets after which keys are no longer used: 14 seconds of 100 Gbit/s in 1500
 * byte packets after MPTUN_REKEY_PACKETS, and below the limit of AES-GCM (RFC
 * 9001, B.1: 2^28 packets of up to 2^11 bytes).
 */
#define MPTUN_REJECT_PACKETS	BIT_ULL(27)

/* INITs with a valid mac1 that are processed from any source: 32 per second of
 * a tunnel, what its peer sends on 32 paths, and 256 of a namespace.  Above
 * that each source must prove its address and gets 16 per second; without a
 * proof the addresses of all paths of a tunnel get as many together, and those
 * of a namespace another 256.  An attempt sends one per path, at most 32, from
 * one address behind a NAT.  A tunnel gets a quarter of the COOKIEs of a
 * namespace.
 */
#define MPTUN_RATELIMIT_OWN_NS		(NSEC_PER_SEC / 32)
#define MPTUN_RATELIMIT_OWN_BURST		128
#define MPTUN_RATELIMIT_ALL_NS		(NSEC_PER_SEC / 256)
#define MPTUN_RATELIMIT_ALL_BURST		256
#define MPTUN_RATELIMIT_SOURCE_NS		(NSEC_PER_SEC / 16)
#define MPTUN_RATELIMIT_SOURCE_BURST	64
#define MPTUN_RATELIMIT_COOKIE_NS		(NSEC_PER_SEC / 1024)
#define MPTUN_RATELIMIT_COOKIE_BURST	128

/* Life of a cookie; the current and the previous period are accepted. */
#define MPTUN_COOKIE_PERIOD_NS	(60ULL * NSEC_PER_SEC)

/* Former instances of the peer: their INITs stay valid for the life of a
 * cookie, in which a peer does not restart more often than this.
 */
#define MPTUN_FORMER_INSTANCES	16

/* A tunnel with data in the last 10 s is active: its paths are probed often. */
#define MPTUN_ACTIVE_NS		(10ULL * NSEC_PER_SEC)

/* Idle time after which data memory is freed.  Longer than any hold time, and
 * than a path keeps sent packets to detect late arrivals.
 */
#define MPTUN_IDLE_NS		(2ULL * NSEC_PER_SEC)

/* Minimum interval of route checks, in ms. */
#define MPTUN_ROUTE_CHECK_MS		100

/* Probe interval of a working path: where it has just carried data; where it
 * is at rest while others carry data; where the tunnel is idle or the path on
 * standby, and less than 30 s with all delays of path/liveness.c, after which
 * Linux forgets the mapping of a NAT with few packets.  A probe and its answer
 * take 176 bytes over IPv4 and 216 over IPv6: 3.7 MB a day at rest, 0.75 MB
 * idle.
 */
#define MPTUN_KEEPALIVE_USED_NS		(1ULL * NSEC_PER_SEC)
#define MPTUN_KEEPALIVE_REST_NS		(5ULL * NSEC_PER_SEC)
#define MPTUN_KEEPALIVE_IDLE_NS		(25ULL * NSEC_PER_SEC)

/* Instead of the last one, if a NAT forgets mappings sooner (core/keep.h): less
 * than 12 s with all delays, and 1.9 MB a day.
 */
#define MPTUN_KEEPALIVE_SHORT_NS	(10ULL * NSEC_PER_SEC)

/* Number and spacing of the messages that notify the peer of a path's status,
 * and of those that follow while the path is restricted.
 */
#define MPTUN_CAP_NOTIFY_TIMES		4
#define MPTUN_CAP_NOTIFY_NS		(1ULL * NSEC_PER_SEC)
#define MPTUN_CAP_REMIND_NS		(60ULL * NSEC_PER_SEC)

/* Attempts that get no answer become rarer after this time.  Their interval is
 * then an eighth of what has passed since, up to a limit.
 */
#define MPTUN_BACKOFF_AFTER_NS		(300ULL * NSEC_PER_SEC)
#define MPTUN_BACKOFF_SHIFT		3

/* Probe interval of a failed path: the first, then doubled up to the limit.  In
 * an active tunnel a recovered path carries its full rate within a second,
 * GOOD_PROBES round trips included.  One that was dead for long is probed as
 * rarely as RARE_NS.  With path/heal.c that is 0.9 MB a day over IPv6, and 0.3
 * MB if the tunnel is idle.  If packets pass in one direction, a probe causes
 * an answer and a probe of the other end.
 */
#define MPTUN_REPROBE_FIRST_NS		(100ULL * NSEC_PER_MSEC)
#define MPTUN_REPROBE_ACTIVE_NS		(400ULL * NSEC_PER_MSEC)
#define MPTUN_REPROBE_IDLE_NS		(2ULL * NSEC_PER_SEC)
#define MPTUN_REPROBE_ACTIVE_RARE_NS	(10ULL * NSEC_PER_SEC)
#define MPTUN_REPROBE_IDLE_RARE_NS	(30ULL * NSEC_PER_SEC)

/* Consecutive answers that bring a failed path back, and the pause between
 * those probes.
 */
#define MPTUN_GOOD_PROBES		3
#define MPTUN_GOOD_PAUSE_NS		(20ULL * NSEC_PER_MSEC)

/* Consecutive probe timeouts, with backoff, that take a suspect path down, and
 * the least time that takes.
 */
#define MPTUN_DOWN_TIMEOUTS		3
#define MPTUN_DOWN_MIN_NS		(300ULL * NSEC_PER_MSEC)

/* Minimum pause between ICMP messages that a namespace looks at: a time, and a
 * multiple of the time that the last one took.
 */
#define MPTUN_ICMP_PAUSE_NS	(1ULL * NSEC_PER_MSEC)
#define MPTUN_ICMP_SHARE	16U

/* When a path that does not work tries another source port: at first, and then
 * doubled up to the limit.  Longer than most interruptions, shorter than the
 * life of the mappings of a NAT, which probes renew.
 */
#define MPTUN_HEAL_FIRST_NS		(5ULL * NSEC_PER_SEC)
#define MPTUN_HEAL_MAX_NS		(30ULL * NSEC_PER_SEC)

/* One in this many of these attempts uses the configured port: a firewall may
 * allow no other one.
 */
#define MPTUN_HEAL_CONFIGURED		4

/* Attempt at which a path with an id of the peer gets one of ours. */
#define MPTUN_HEAL_RENUMBER		2

/* How long the address that a path has left may move it back, and how long no
 * other one is examined after the present one has answered.
 */
#define MPTUN_ROAM_NS		(3ULL * NSEC_PER_SEC)

/* Bytes sent for each byte that came from an address that has not answered. */
#define MPTUN_AMPLIFY_MAX		3

/* Probe timeouts that a path being deleted waits for packets in flight. */
#define MPTUN_DRAIN_PTOS		3

/* Minimum interval of new ids for a path whose id the peer gives up: ids are
 * not reused, and the peer may repeat it.
 */
#define MPTUN_RENUMBER_NS	(1ULL * NSEC_PER_SEC)

/* A learned path without received packets for this long is deleted. */
#define MPTUN_LEARNED_LIFE_NS	(60ULL * NSEC_PER_SEC)

/* Default settings; ctl/policy-gen.h has those generated from the spec. */
#define MPTUN_DEFAULT_SCHED	"auto"
#define MPTUN_DEFAULT_CC	"bbr"
#define MPTUN_DEFAULT_WEIGHT	1
#define MPTUN_DEFAULT_CIPHER	MPTUN_CIPHER_CHACHA20_POLY1305

/* Scheduler of a tunnel with "auto" whose peer says nothing about it. */
#define MPTUN_SCHED_OF_AUTO	"greedy"

#endif /* _MPTUN_LIMITS_H */
