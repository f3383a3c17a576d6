/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Every constant of the tunnel that is neither wire format (wire/wire.h) nor part
 * of an algorithm (in the algorithm's file), with its unit and its reason.
 */
#ifndef _MPTUN_LIMITS_H
#define _MPTUN_LIMITS_H

#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/time64.h>
#include <linux/udp.h>

#include "wire/wire.h"

/* Bytes in front of an inner packet, with the largest outer IP header. */
#define MPTUN_HEADROOM		(sizeof(struct mptun_packet) + \
				 sizeof(struct udphdr) + \
				 sizeof(struct ipv6hdr))

/* Device MTU until the administrator sets another.  With the 92 bytes of a
 * sealed packet over IPv6 it fits into 1492, the MTU of a PPPoE line.
 */
#define MPTUN_DEFAULT_MTU	1400

/* Outer MTU of a path until a route is known. */
#define MPTUN_PATH_MTU_GUESS	1500

/* Packets that may wait in the device's queueing discipline. */
#define MPTUN_TX_QUEUE_LEN	1000

/* Segments that may wait for another CPU that is sending: more would be a queue
 * behind the one of the device. That CPU ends after so many rounds.
 */
#define MPTUN_OUT_MAX		64
#define MPTUN_OUT_ROUNDS	16

/* Bytes that may be in line where several processors seal or open: some
 * milliseconds of what they do.  What leaves waits in the device's queue
 * instead; what arrives is dropped, so there is more room for bursts.
 */
#define MPTUN_LINE_OUT_MAX	(512U << 10)
#define MPTUN_LINE_IN_MAX	(4U << 20)

/* Queues of the device, if nobody asks for another number (numtxqueues): one
 * for class 0, and one for the other classes to share.  Each has a queueing
 * discipline of its own, which takes memory: more than all else of a tunnel
 * at rest.
 */
#define MPTUN_TX_QUEUES		2

/* After the device's queue was woken its packets come within this time, if
 * there are any: softirqs of a busy CPU wait for a tick at most.
 */
#define MPTUN_WAKE_NS		(1 * NSEC_PER_MSEC)

/* A path is late on which packets arrive later by more than on another one.  It
 * does not help that one, and is waited for no longer if it brings little.
 */
#define MPTUN_LATE_US		200000U

/* Lanes of inner flows.  Two flows in one lane wait for each other's holes,
 * so there should be many more lanes than flows that are busy at a time.
 */
#define MPTUN_LANES		1024

/* Paths of a tunnel including those that are being drained. */
#define MPTUN_PATHS_TOTAL	64

/* Packets for the worker (handshakes, probes of unknown paths) that may wait;
 * more than 32 paths sending at once need, and little memory under a flood.
 */
#define MPTUN_WORK_QUEUE	64

/* Packets that may wait for NAPI, before the ring and behind it. */
#define MPTUN_ARRIVED_MAX	8192
#define MPTUN_READY_MAX		8192

/* A report leaves after an eighth of the round-trip time, so that the sender
 * hears eight times per window or more, but not more often than each
 * millisecond: the reverse direction of a thin uplink could not carry them.
 * The upper bound is for the sender: an end that only receives knows the
 * round-trip time from a probe now and then, and the sender cannot know how
 * stale that is, so this is how long it allows for (MPTUN_RTT_REPORT_MAX_US).
 * A gap is reported sooner, yet a burst of gaps does not become a burst of
 * reports.  A timer that stands in for arrivals waits a quarter longer.
 *
 * What is less than two full packets waits for the upper bound.  What is less
 * than one waits for somewhat less than acknowledgments of QUIC may (RFC 9000,
 * 18.2), for which the sender allows (MPTUN_RTT_REPORT_LITTLE_US): reports on
 * the acknowledgments of a flow would be as many bytes as these, and leave on
 * the side where the flow needs the path.  Each 5 ms they took 6 % of a path of
 * 5 Mbit/s.  Packets of calls come each 20 ms and are reported one by one.
 */
#define MPTUN_REPORT_RTT_SHIFT	3
#define MPTUN_REPORT_SLACK_SHIFT	2
#define MPTUN_REPORT_MIN_NS	(1 * NSEC_PER_MSEC)
#define MPTUN_REPORT_MAX_NS	(8 * NSEC_PER_MSEC)
#define MPTUN_REPORT_GAP_NS	(250 * NSEC_PER_USEC)
#define MPTUN_REPORT_BYTES	2400
#define MPTUN_REPORT_LITTLE_NS	(20 * NSEC_PER_MSEC)

/* What a report of one path says about the others, in case their own reverse
 * direction is dead, is repeated at most this often per round-trip time.
 */
#define MPTUN_REPORT_CROSS_SHIFT	1
#define MPTUN_REPORT_CROSS_NS	(10 * NSEC_PER_MSEC)

/* Largest body of a control packet in bytes: fits every IPv6 link. */
#define MPTUN_CONTROL_MAX	1152

/* INIT is repeated with this back-off; one second is what a restarted peer
 * may take to be found.
 */
#define MPTUN_HELLO_FIRST_MS	100
#define MPTUN_HELLO_MAX_MS	1000

/* The same INIT is repeated for so long; then one with another ephemeral key
 * takes its place, for no secret should wait for long.
 */
#define MPTUN_ATTEMPT_LIFE_S	10

/* Sessions of a tunnel: the present one, its successor, and two before it whose
 * packets may be under way while keys change every second.
 */
#define MPTUN_SESSIONS_MAX	4

/* So long packets may be under way after the peer has changed keys. */
#define MPTUN_SESSION_LINGER_NS	(10ULL * NSEC_PER_SEC)

/* A session whose keys cannot be changed ends after so many times the time in
 * which they should have been, and not before this.
 */
#define MPTUN_SESSION_REKEYS	3
#define MPTUN_SESSION_LIFE_NS	(30ULL * NSEC_PER_SEC)

/* The end that did not begin the present session changes keys only if the other
 * one has not done so a quarter and this later.
 */
#define MPTUN_REKEY_PATIENCE_NS	(2ULL * NSEC_PER_SEC)

/* Packets after which keys are changed, far below what ciphers allow: forgeries
 * of AES-GCM and distinguishers of both stay out of reach (RFC 9147, 4.5.3,
 * allows 2^24.5 full records in the strictest reading of the former).
 */
#define MPTUN_REKEY_PACKETS	BIT_ULL(24)

/* Packets after which keys are not used any more, should they not have been
 * changed: 14 seconds of 100 Gbit/s in packets of 1500 bytes later, and below
 * the limit of AES-GCM (RFC 9001, B.1: 2^28 packets of up to 2^11 bytes).
 */
#define MPTUN_REJECT_PACKETS	BIT_ULL(27)

/* INITs with a good mac1 that are looked at, whatever their source: 256 per
 * second. Above, each source has to be proved, and has 16 per second.  An
 * attempt sends one on every path, 32 of them at most, from one address if it
 * is behind a translator.
 */
#define MPTUN_GUARD_ALL_NS	(NSEC_PER_SEC / 256)
#define MPTUN_GUARD_ALL_BURST	256
#define MPTUN_GUARD_SOURCE_NS	(NSEC_PER_SEC / 16)
#define MPTUN_GUARD_SOURCE_BURST	64
#define MPTUN_GUARD_COOKIE_NS	(NSEC_PER_SEC / 1024)
#define MPTUN_GUARD_COOKIE_BURST	128

/* Life of a cookie: the present and the previous period are accepted. */
#define MPTUN_COOKIE_PERIOD_S	60

/* Instances of the peer that are known to be gone: their INITs are good for the
 * life of a cookie, in which a peer is not restarted more often than this.
 */
#define MPTUN_GONE_INSTANCES	16

/* A tunnel that sent or received data within this time is active: its paths
 * are watched closely.
 */
#define MPTUN_ACTIVE_NS		(10ULL * NSEC_PER_SEC)

/* After this time without data, memory taken for it is given back. Longer than
 * any hold time, and than a path keeps what it sent to tell late from lost.
 */
#define MPTUN_REST_NS		(2ULL * NSEC_PER_SEC)

/* Changes of routes are looked at so long after one another at least, in ms. */
#define MPTUN_FOLLOW_MS		100

/* Probes of a path that works but is not used. */
#define MPTUN_KEEPALIVE_ACTIVE_NS	(1ULL * NSEC_PER_SEC)
#define MPTUN_KEEPALIVE_IDLE_NS		(10ULL * NSEC_PER_SEC)

/* The same of a path that stands by, whose packets cost: rare, but often enough
 * for a learned path to live.
 */
#define MPTUN_KEEPALIVE_STANDBY_NS	(30ULL * NSEC_PER_SEC)

/* The peer is told so often how a path is to be used, and so long apart. */
#define MPTUN_CAP_TELL_TIMES		4
#define MPTUN_CAP_TELL_NS		(1ULL * NSEC_PER_SEC)

/* Probes of a path that does not work: first repetition, then doubled up to
 * the limit.  While active the limit lets a path that returns carry its full
 * rate again within a second, GOOD_PROBES round trips included.
 */
#define MPTUN_REPROBE_FIRST_NS		(100ULL * NSEC_PER_MSEC)
#define MPTUN_REPROBE_ACTIVE_NS		(400ULL * NSEC_PER_MSEC)
#define MPTUN_REPROBE_IDLE_NS		(2ULL * NSEC_PER_SEC)

/* Answers in a row that bring a path back that was down, and the pause
 * between those probes.
 */
#define MPTUN_GOOD_PROBES		3
#define MPTUN_GOOD_PAUSE_NS		(20ULL * NSEC_PER_MSEC)

/* Probe timeouts in a row, with back-off, that take a suspect path down, and
 * the least time this takes.
 */
#define MPTUN_DOWN_TIMEOUTS		3
#define MPTUN_DOWN_MIN_NS		(300ULL * NSEC_PER_MSEC)

/* So long an address may answer that a path has left, or may be going to. */
#define MPTUN_ROAM_NS		(3ULL * NSEC_PER_SEC)

/* A path being deleted waits so many probe timeouts for what is in flight. */
#define MPTUN_DRAIN_PTOS		3

/* A path whose number the peer gives up gets another one at most this often:
 * numbers are not used again, and the peer may go on so.
 */
#define MPTUN_RENUMBER_NS	(1ULL * NSEC_PER_SEC)

/* A learned path on which nothing was received for this long is forgotten. */
#define MPTUN_LEARNED_LIFE_NS	(60ULL * NSEC_PER_SEC)

/* Defaults of settings. */
#define MPTUN_DEFAULT_SCHED	"greedy"
#define MPTUN_DEFAULT_CC	"bbr"
#define MPTUN_DEFAULT_HOLD_US	500000
#define MPTUN_DEFAULT_BUFFER	(16U << 20)
#define MPTUN_DEFAULT_WEIGHT	1
#define MPTUN_DEFAULT_PARK	20
#define MPTUN_DEFAULT_CIPHER	MPTUN_CIPHER_CHACHA20_POLY1305

#endif /* _MPTUN_LIMITS_H */
