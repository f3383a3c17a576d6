/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tracepoints, see Documentation/tracing.rst.
 *
 * They get pointers to objects of core/ and copy what they print; core/trace.c
 * instantiates them.  Text is copied to arrays of fixed size, because the
 * macros for strings differ between kernels.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM mptun

#if !defined(_MPTUN_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _MPTUN_TRACE_H

#include <linux/mptun.h>
#include <linux/tracepoint.h>

struct mptun_path;
struct mptun_sent_result;
struct mptun_tunnel;

#ifndef _MPTUN_TRACE_ONCE
#define _MPTUN_TRACE_ONCE

#define MPTUN_TRACE_LEN	16	/* of a device or path */

#define MPTUN_TRACE_STATES						\
	E_(MPTUN_PATH_STATE_NEW, "new")					\
	E_(MPTUN_PATH_STATE_PROBING, "probing")				\
	E_(MPTUN_PATH_STATE_UP, "up")					\
	E_(MPTUN_PATH_STATE_SUSPECT, "suspect")				\
	E_(MPTUN_PATH_STATE_DOWN, "down")				\
	E_(MPTUN_PATH_STATE_NOROUTE, "noroute")			\
	E_(MPTUN_PATH_STATE_OFF, "off")					\
	EM(MPTUN_PATH_STATE_DRAINING, "draining")

#define MPTUN_TRACE_DROPS						\
	E_(MPTUN_A_DROP_STATS_TX_NOT_IP, "tx-not-ip")			\
	E_(MPTUN_A_DROP_STATS_TX_NO_PATH, "tx-no-path")			\
	E_(MPTUN_A_DROP_STATS_TX_TOO_BIG, "tx-too-big")			\
	E_(MPTUN_A_DROP_STATS_TX_NO_MEMORY, "tx-no-memory")		\
	E_(MPTUN_A_DROP_STATS_TX_NO_SESSION, "tx-no-session")		\
	E_(MPTUN_A_DROP_STATS_TX_NO_ROUTE, "tx-no-route")		\
	E_(MPTUN_A_DROP_STATS_RX_SHORT, "rx-short")			\
	E_(MPTUN_A_DROP_STATS_RX_VERSION, "rx-version")			\
	E_(MPTUN_A_DROP_STATS_RX_KIND, "rx-kind")			\
	E_(MPTUN_A_DROP_STATS_RX_NO_ASSOCIATION, "rx-no-association")	\
	E_(MPTUN_A_DROP_STATS_RX_NO_PATH, "rx-no-path")			\
	E_(MPTUN_A_DROP_STATS_RX_SOURCE, "rx-source")			\
	E_(MPTUN_A_DROP_STATS_RX_REPLAY, "rx-replay")			\
	E_(MPTUN_A_DROP_STATS_RX_MALFORMED, "rx-malformed")		\
	E_(MPTUN_A_DROP_STATS_RX_NOT_IP, "rx-not-ip")			\
	E_(MPTUN_A_DROP_STATS_RX_NO_MEMORY, "rx-no-memory")		\
	E_(MPTUN_A_DROP_STATS_RX_REFLECTED, "rx-reflected")		\
	E_(MPTUN_A_DROP_STATS_RX_HANDSHAKE, "rx-handshake")		\
	E_(MPTUN_A_DROP_STATS_RX_PATH_LIMIT, "rx-path-limit")		\
	E_(MPTUN_A_DROP_STATS_RX_UNKNOWN, "rx-unknown")			\
	E_(MPTUN_A_DROP_STATS_RX_OVERRUN, "rx-overrun")			\
	E_(MPTUN_A_DROP_STATS_RX_JUMP, "rx-jump")			\
	E_(MPTUN_A_DROP_STATS_RX_AUTH, "rx-auth")			\
	E_(MPTUN_A_DROP_STATS_RX_MAC, "rx-mac")				\
	E_(MPTUN_A_DROP_STATS_RX_RATE, "rx-rate")			\
	E_(MPTUN_A_DROP_STATS_RX_ECN, "rx-ecn")				\
	E_(MPTUN_A_DROP_STATS_TX_NESTED, "tx-nested")			\
	E_(MPTUN_A_DROP_STATS_TX_CLASS_RATE, "tx-class-rate")		\
	E_(MPTUN_A_DROP_STATS_RX_NOT_ALLOWED, "rx-not-allowed")		\
	E_(MPTUN_A_DROP_STATS_RX_FRAGMENT, "rx-fragment")		\
	EM(MPTUN_A_DROP_STATS_RX_PROBE_LIMIT, "rx-probe-limit")

#endif

/* User space learns the values of these names. */
#undef E_
#undef EM
#define E_(value, name)	TRACE_DEFINE_ENUM(value);
#define EM(value, name)	TRACE_DEFINE_ENUM(value);
MPTUN_TRACE_STATES
MPTUN_TRACE_DROPS
#undef E_
#undef EM
#define E_(value, name)	{ value, name },
#define EM(value, name)	{ value, name }

/* The class of a packet was looked for. */
TRACE_EVENT(mptun_class,
	    TP_PROTO(const struct mptun_tunnel *tunnel, u8 class),
	    TP_ARGS(tunnel, class),
	    TP_STRUCT__entry(
		__array(char, dev, MPTUN_TRACE_LEN)
		__field(u8, class)
	),
	    TP_fast_assign(
		strscpy(__entry->dev, tunnel->dev->name, MPTUN_TRACE_LEN);
		__entry->class = class;
	),
	    TP_printk("dev=%s class=%u", __entry->dev, __entry->class)
	    );

/* A path was chosen for the next packet of a queue, or none. */
TRACE_EVENT(mptun_sched,
	    TP_PROTO(const struct mptun_tunnel *tunnel, unsigned int queue,
		     u32 bytes, int chosen),
	    TP_ARGS(tunnel, queue, bytes, chosen),
	    TP_STRUCT__entry(
		__array(char, dev, MPTUN_TRACE_LEN)
		__array(char, path, MPTUN_TRACE_LEN)
		__field(unsigned int, queue)
		__field(u32, bytes)
		__field(int, err)
	),
	    TP_fast_assign(
		strscpy(__entry->dev, tunnel->dev->name, MPTUN_TRACE_LEN);
		strscpy(__entry->path, chosen < 0 ? "" :
			tunnel->tx.cand_path[chosen]->config.name,
			MPTUN_TRACE_LEN);
		__entry->queue = queue;
		__entry->bytes = bytes;
		__entry->err = min(chosen, 0);
	),
	    TP_printk("dev=%s queue=%u bytes=%u path=%s err=%d", __entry->dev,
		      __entry->queue, __entry->bytes, __entry->path,
		      __entry->err)
	    );

/* A packet is given its number on a path: first transmissions, copies and
 * retransmissions.
 */
TRACE_EVENT(mptun_place,
	    TP_PROTO(const struct mptun_path *path, u64 number, u32 dsn,
		     u32 bytes),
	    TP_ARGS(path, number, dsn, bytes),
	    TP_STRUCT__entry(
		__array(char, dev, MPTUN_TRACE_LEN)
		__array(char, path, MPTUN_TRACE_LEN)
		__field(u64, number)
		__field(u32, dsn)
		__field(u32, bytes)
		__field(u32, in_flight)
		__field(u32, cwnd)
	),
	    TP_fast_assign(
		strscpy(__entry->dev, path->tunnel->dev->name, MPTUN_TRACE_LEN);
		strscpy(__entry->path, path->config.name, MPTUN_TRACE_LEN);
		__entry->number = number;
		__entry->dsn = dsn;
		__entry->bytes = bytes;
		__entry->in_flight = path->tx.sent.in_flight;
		__entry->cwnd = path->tx.cc.cwnd;
	),
	    TP_printk("dev=%s path=%s number=%llu dsn=%u bytes=%u in_flight=%u cwnd=%u",
		      __entry->dev, __entry->path, __entry->number,
		      __entry->dsn, __entry->bytes, __entry->in_flight,
		      __entry->cwnd)
	    );

/* A lost packet is sent again on a path. */
TRACE_EVENT(mptun_rtx,
	    TP_PROTO(const struct mptun_path *path, u32 dsn, u32 bytes),
	    TP_ARGS(path, dsn, bytes),
	    TP_STRUCT__entry(
		__array(char, dev, MPTUN_TRACE_LEN)
		__array(char, path, MPTUN_TRACE_LEN)
		__field(u32, dsn)
		__field(u32, bytes)
	),
	    TP_fast_assign(
		strscpy(__entry->dev, path->tunnel->dev->name, MPTUN_TRACE_LEN);
		strscpy(__entry->path, path->config.name, MPTUN_TRACE_LEN);
		__entry->dsn = dsn;
		__entry->bytes = bytes;
	),
	    TP_printk("dev=%s path=%s dsn=%u bytes=%u", __entry->dev,
		      __entry->path, __entry->dsn, __entry->bytes)
	    );

DECLARE_EVENT_CLASS(mptun_sent_result,
		    TP_PROTO(const struct mptun_path *path,
			     const struct mptun_sent_result *res),
		    TP_ARGS(path, res),
		    TP_STRUCT__entry(
		__array(char, dev, MPTUN_TRACE_LEN)
		__array(char, path, MPTUN_TRACE_LEN)
		__field(u32, acked)
		__field(u32, lost)
		__field(u32, spurious)
		__field(u32, in_flight)
		__field(u32, cwnd)
		__field(u32, srtt)
		__field(u32, min_rtt)
	),
		    TP_fast_assign(
		strscpy(__entry->dev, path->tunnel->dev->name, MPTUN_TRACE_LEN);
		strscpy(__entry->path, path->config.name, MPTUN_TRACE_LEN);
		__entry->acked = res->acked_packets;
		__entry->lost = res->lost_packets;
		__entry->spurious = res->spurious;
		__entry->in_flight = path->tx.sent.in_flight;
		__entry->cwnd = path->tx.cc.cwnd;
		__entry->srtt = path->tx.rtt.srtt_us;
		__entry->min_rtt = path->tx.rtt.min_us;
	),
		    TP_printk("dev=%s path=%s acked=%u lost=%u spurious=%u in_flight=%u cwnd=%u srtt=%u min_rtt=%u",
			      __entry->dev, __entry->path, __entry->acked,
			      __entry->lost, __entry->spurious,
			      __entry->in_flight, __entry->cwnd,
			      __entry->srtt, __entry->min_rtt)
		    );

/* A report of the peer was processed. */
DEFINE_EVENT(mptun_sent_result, mptun_ack,
	     TP_PROTO(const struct mptun_path *path,
		      const struct mptun_sent_result *res),
	     TP_ARGS(path, res)
	     );

/* Packets were declared lost, and the congestion controller has reacted. */
DEFINE_EVENT(mptun_sent_result, mptun_loss,
	     TP_PROTO(const struct mptun_path *path,
		      const struct mptun_sent_result *res),
	     TP_ARGS(path, res)
	     );

/* A path changed its state. */
TRACE_EVENT(mptun_path_state,
	    TP_PROTO(const struct mptun_path *path, u8 old),
	    TP_ARGS(path, old),
	    TP_STRUCT__entry(
		__array(char, dev, MPTUN_TRACE_LEN)
		__array(char, path, MPTUN_TRACE_LEN)
		__field(u8, old)
		__field(u8, state)
		__field(u8, reason)
	),
	    TP_fast_assign(
		strscpy(__entry->dev, path->tunnel->dev->name, MPTUN_TRACE_LEN);
		strscpy(__entry->path, path->config.name, MPTUN_TRACE_LEN);
		__entry->old = old;
		__entry->state = path->live.state;
		__entry->reason = path->live.reason;
	),
	    TP_printk("dev=%s path=%s old=%s state=%s reason=%u", __entry->dev,
		      __entry->path,
		      __print_symbolic(__entry->old, MPTUN_TRACE_STATES),
		      __print_symbolic(__entry->state, MPTUN_TRACE_STATES),
		      __entry->reason)
	    );

/* Device, route and source address of a path are looked up again. */
TRACE_EVENT(mptun_path_route,
	    TP_PROTO(const struct mptun_path *path),
	    TP_ARGS(path),
	    TP_STRUCT__entry(
		__array(char, dev, MPTUN_TRACE_LEN)
		__array(char, path, MPTUN_TRACE_LEN)
	),
	    TP_fast_assign(
		strscpy(__entry->dev, path->tunnel->dev->name, MPTUN_TRACE_LEN);
		strscpy(__entry->path, path->config.name, MPTUN_TRACE_LEN);
	),
	    TP_printk("dev=%s path=%s", __entry->dev, __entry->path)
	    );

/* A path was suspended or is used again. */

TRACE_EVENT(mptun_suspended,
	    TP_PROTO(const struct mptun_path *path),
	    TP_ARGS(path),
	    TP_STRUCT__entry(
		__array(char, dev, MPTUN_TRACE_LEN)
		__array(char, path, MPTUN_TRACE_LEN)
		__field(bool, parked)
		__field(bool, detour)
	),
	    TP_fast_assign(
		strscpy(__entry->dev, path->tunnel->dev->name, MPTUN_TRACE_LEN);
		strscpy(__entry->path, path->config.name, MPTUN_TRACE_LEN);
		__entry->parked = mptun_bad_parked(&path->tx.bad);
		__entry->detour = path->tx.detour.suspended;
	),
	    TP_printk("dev=%s path=%s parked=%d detour=%d",
		      __entry->dev, __entry->path, __entry->parked,
		      __entry->detour)
	    );

/* The hold time of mode adaptive was computed. */
TRACE_EVENT(mptun_hold,
	    TP_PROTO(const struct mptun_tunnel *tunnel, u32 hold_us),
	    TP_ARGS(tunnel, hold_us),
	    TP_STRUCT__entry(
		__array(char, dev, MPTUN_TRACE_LEN)
		__field(u32, hold_us)
		__field(u32, held)
		__field(u32, bytes)
	),
	    TP_fast_assign(
		strscpy(__entry->dev, tunnel->dev->name, MPTUN_TRACE_LEN);
		__entry->hold_us = hold_us;
		__entry->held = tunnel->rx.reorder.held;
		__entry->bytes = tunnel->rx.reorder.bytes;
	),
	    TP_printk("dev=%s hold_us=%u held=%u bytes=%u", __entry->dev,
		      __entry->hold_us, __entry->held, __entry->bytes)
	    );

/* The reorder buffer gave up packets; the counters are totals by reason. */
TRACE_EVENT(mptun_give_up,
	    TP_PROTO(const struct mptun_tunnel *tunnel),
	    TP_ARGS(tunnel),
	    TP_STRUCT__entry(
		__array(char, dev, MPTUN_TRACE_LEN)
		__field(u32, first)
		__field(u32, next)
		__array(u64, given_up, 5)
	),
	    TP_fast_assign(
		strscpy(__entry->dev, tunnel->dev->name, MPTUN_TRACE_LEN);
		__entry->first = tunnel->rx.reorder.first;
		__entry->next = tunnel->rx.reorder.next;
		memcpy(__entry->given_up, tunnel->rx.reorder.stats.given_up,
		       sizeof(__entry->given_up));
	),
	    TP_printk("dev=%s first=%u next=%u evidence=%llu floor=%llu time=%llu size=%llu psmc=%llu",
		      __entry->dev, __entry->first, __entry->next,
		      __entry->given_up[MPTUN_GIVE_UP_PROOF],
		      __entry->given_up[MPTUN_GIVE_UP_FLOOR],
		      __entry->given_up[MPTUN_GIVE_UP_TIME],
		      __entry->given_up[MPTUN_GIVE_UP_SIZE],
		      __entry->given_up[MPTUN_GIVE_UP_PSMC])
	    );

/* A report is sent to the peer. */
TRACE_EVENT(mptun_report,
	    TP_PROTO(const struct mptun_path *path),
	    TP_ARGS(path),
	    TP_STRUCT__entry(
		__array(char, dev, MPTUN_TRACE_LEN)
		__array(char, path, MPTUN_TRACE_LEN)
		__field(u64, packets)
		__field(u64, bytes)
		__field(u32, ranges)
	),
	    TP_fast_assign(
		strscpy(__entry->dev, path->tunnel->dev->name, MPTUN_TRACE_LEN);
		strscpy(__entry->path, path->config.name, MPTUN_TRACE_LEN);
		__entry->packets = path->rx.packets;
		__entry->bytes = path->rx.bytes;
		__entry->ranges = path->rx.ranges.count;
	),
	    TP_printk("dev=%s path=%s packets=%llu bytes=%llu ranges=%u",
		      __entry->dev, __entry->path, __entry->packets,
		      __entry->bytes, __entry->ranges)
	    );

/* Packets were dropped, by the function at @location. */
TRACE_EVENT(mptun_drop,
	    TP_PROTO(unsigned int reason, unsigned int packets,
		     unsigned long location),
	    TP_ARGS(reason, packets, location),
	    TP_STRUCT__entry(
		__field(unsigned int, reason)
		__field(unsigned int, packets)
		__field(unsigned long, location)
	),
	    TP_fast_assign(
		__entry->reason = reason;
		__entry->packets = packets;
		__entry->location = location;
	),
	    TP_printk("reason=%s packets=%u location=%pS",
		      __print_symbolic(__entry->reason, MPTUN_TRACE_DROPS),
		      __entry->packets, (void *)__entry->location)
	    );

#endif /* _MPTUN_TRACE_H */

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH base
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
