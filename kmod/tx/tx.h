/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Sending: the stations of a packet, in the order of its path.
 */
#ifndef _MPTUN_TX_TX_H
#define _MPTUN_TX_TX_H

#include <linux/hrtimer.h>
#include <linux/netdevice.h>
#include <linux/types.h>

#include "core/state.h"
#include "wire/wire.h"

struct mptun_ack;
struct mptun_class;
struct mptun_class_rate_list;
struct mptun_class_list;
struct mptun_endpoint;
struct mptun_packet;
struct mptun_parallel_ops;
struct mptun_path;
struct mptun_sent_result;
struct mptun_session;
struct mptun_tunnel;
struct mptun_tx;
struct mptun_tx_cb;
struct sk_buff;
struct sk_buff_head;

/* tx/xmit.c */
netdev_tx_t mptun_xmit(struct sk_buff *skb, struct net_device *dev);

/* tx/place.c */
void mptun_place(struct mptun_tunnel *tunnel, bool opened, u64 now);
bool mptun_place_new(struct mptun_tunnel *tunnel, unsigned int q,
		     struct sk_buff_head *segs, u64 now);
void mptun_place_finish_unlock(struct mptun_tunnel *tunnel)
	__releases(&tunnel->tx.lock);
void mptun_place_ready(struct mptun_tunnel *tunnel);

/* tx/stamp.c */
__be64 mptun_stamp_number(struct mptun_path *path, u64 number, u32 dsn,
			  u32 bytes, u64 now);
u32 mptun_stamp(struct mptun_path *path, const struct sk_buff *skb,
		struct mptun_packet *hdr, u64 now);
void mptun_stamp_out(struct mptun_path *path, struct sk_buff *skb, u32 packets,
		     u64 now);

void mptun_stamp_repair(struct mptun_path *path, struct sk_buff *skb, u32 dsn,
			u64 now);

/* tx/code.c */
/* A symbol is of the packets of this time at most: later, what is lost is of no
 * use to a call or a game.
 */
#define MPTUN_CODE_WINDOW_NS	(100ULL * NSEC_PER_MSEC)

/* Packets of a symbol of sparse flows. */
#define MPTUN_CODE_SPARSE	4U

void mptun_code_set_classes(struct mptun_tunnel *tunnel);
void mptun_code_mark(struct mptun_path *path, struct sk_buff *skb, u16 lane,
		     u64 now);
void mptun_code_add(struct mptun_tunnel *tunnel,
		    const struct sk_buff_head *list);

/* tx/symbol.c */
void mptun_code_place(struct mptun_tunnel *tunnel);
enum hrtimer_restart mptun_code_fired(struct hrtimer *timer);
u64 mptun_code_work(struct mptun_tunnel *tunnel, u64 now);

/* tx/classify.c */
int mptun_classify_init(struct mptun_tunnel *tunnel);
void mptun_classify_destroy(struct mptun_tunnel *tunnel);
const struct mptun_class_list *
mptun_classify_list(const struct mptun_tunnel *tunnel);
int mptun_classify_change(struct mptun_tunnel *tunnel, unsigned int id,
			  const struct mptun_class *class);
int mptun_classify_peer_rates(struct mptun_tunnel *tunnel,
			      const struct mptun_class_rate_list *rates);
u8 mptun_classify(const struct mptun_tunnel *tunnel, const struct sk_buff *skb);
int mptun_classify_queued(const struct mptun_tunnel *tunnel, u16 q,
			  const struct sk_buff *skb, struct mptun_tx_cb *cb);
const struct mptun_class *
mptun_classify_of(const struct mptun_tunnel *tunnel,
		  const struct sk_buff *skb);
unsigned int mptun_classify_cands(struct mptun_tunnel *tunnel,
				  const struct mptun_class *class,
				  unsigned int n, u32 packet_mtu);
bool mptun_classify_admits(struct mptun_tunnel *tunnel,
			   struct sk_buff_head *segs, int peer_rate, u64 now);
void mptun_classify_drop(struct mptun_tunnel *tunnel, struct sk_buff *skb,
			 unsigned int reason);

/* tx/fragment.c */
u32 mptun_fragment_place(struct mptun_tunnel *tunnel,
			 struct sk_buff_head *rest, unsigned int n,
			 unsigned int chosen, u64 now);
bool mptun_fragment_inner(struct mptun_tunnel *tunnel,
			  struct sk_buff_head *rest, u32 mtu);

/* tx/flow.c */
u16 mptun_flow_lane(const struct sk_buff *skb);
int mptun_flow_init(struct mptun_tunnel *tunnel);
void mptun_flow_destroy(struct mptun_tunnel *tunnel);
struct mptun_flows *mptun_flow_state(const struct mptun_tunnel *tunnel);
bool mptun_flow_passes(const struct mptun_tunnel *tunnel,
		       const struct sk_buff *skb);

/* tx/queue.c */
unsigned int mptun_queue_of(const struct mptun_tunnel *tunnel, u8 class);
int mptun_queue_init(struct mptun_tunnel *tunnel);
void mptun_queue_free(struct mptun_tunnel *tunnel);
void mptun_queue_purge(struct mptun_tunnel *tunnel);
void mptun_queue_wake(struct mptun_tunnel *tunnel, unsigned int q, u64 now);
void mptun_queue_stop(struct mptun_tunnel *tunnel, unsigned int q, u64 now);
void mptun_queue_stop_all(struct mptun_tunnel *tunnel, u64 now);
u16 mptun_queue_select(struct net_device *dev, struct sk_buff *skb,
		       struct net_device *sb_dev);

/* tx/cand.c */
int mptun_cand_reserve(struct mptun_tunnel *tunnel, unsigned int n);
u32 mptun_cand_room(struct mptun_path *path, u32 need, u64 now);
unsigned int mptun_cand_list(struct mptun_tunnel *tunnel, unsigned int q,
			     u32 need, u64 now);
void mptun_cand_update(struct mptun_tunnel *tunnel, const struct sk_buff *skb,
		       unsigned int n, u32 need, u64 now);
void mptun_cand_app_limited(struct mptun_tunnel *tunnel, u64 now);
void mptun_cand_limited(struct mptun_tunnel *tunnel, unsigned int q,
			unsigned int n, u32 need, u64 now);

/* tx/duplicate.c */
void mptun_duplicate(struct mptun_tunnel *tunnel, struct sk_buff *skb,
		     unsigned int n, unsigned int chosen, u64 now);

/* tx/send.c */
extern const struct mptun_parallel_ops mptun_send_ops;

bool mptun_send_behind(struct mptun_tunnel *tunnel);
void mptun_send_flush(struct mptun_tunnel *tunnel);

/* tx/encrypt_async.c */
bool mptun_encrypt_async(struct mptun_session *session, struct mptun_path *path,
			 struct sk_buff *skb, u8 ds);

/* tx/out.c */
void mptun_out_dropped(struct mptun_tunnel *tunnel, unsigned int reason,
		       unsigned int n);
void mptun_out_resize(struct mptun_path *path);
void mptun_out_bound(struct mptun_path *path);
void mptun_out_mtu(struct mptun_path *path, u32 mtu);
int mptun_out_control(struct mptun_path *path, struct sk_buff *skb, u8 ds);
int mptun_out_data(struct mptun_path *path, struct sk_buff *skb, u8 ds);

/* tx/rtx.c */
/* Packets kept for retransmission per tunnel: 200 ms at 1 Gbit/s. */
#define MPTUN_RTX_MAX	16384U

/* Time for which a path that lost a packet is one that loses packets */
#define MPTUN_RTX_LOSES_NS	(10ULL * NSEC_PER_SEC)

/* Mean time between packets of a path from which on copies are cheap */
#define MPTUN_RTX_COPY_US	64U

struct sk_buff *mptun_rtx_part(struct mptun_sent *sent,
			       const struct sk_buff *run, u32 i);
void mptun_rtx_protect(struct mptun_path *path, struct sk_buff *skb, u16 lane,
		       u64 now);
void mptun_rtx_settle(struct mptun_path *path, bool sparse);
void mptun_rtx_suspect(struct mptun_path *path);
void mptun_rtx_forget(struct mptun_path *path);
void mptun_rtx_purge(struct mptun_tunnel *tunnel);
bool mptun_rtx_oldest_dsn(const struct mptun_tunnel *tunnel, u32 *dsn);
struct sk_buff *mptun_rtx_first(struct mptun_tunnel *tunnel, unsigned int q,
				u64 now);
int mptun_rtx_pick(struct mptun_tunnel *tunnel, const struct sk_buff *skb,
		   unsigned int n, u32 bytes, u32 packet_mtu);
void mptun_rtx_place(struct mptun_tunnel *tunnel, unsigned int q,
		     struct sk_buff *skb, int chosen, u64 now);

/**
 * mptun_rtx_waits() - check for packets due for retransmission
 * @repair: packets of a tunnel
 *
 * Return: true if there are any.
 */
static inline bool mptun_rtx_waits(const struct mptun_rtx *repair)
{
	return repair->lost;
}

/* tx/ack_recv.c */
int mptun_ack_receive(struct mptun_path *path, const struct mptun_ack *ack,
		      bool same_path, u64 now, struct mptun_sent_result *res);
void mptun_ack_settle(struct mptun_tunnel *tunnel);
void mptun_ack_detect(struct mptun_path *path, u64 now);
void mptun_ack_witness(struct mptun_path *path, u64 sent_ns, u64 now);
void mptun_ack_abandon(struct mptun_path *path, u64 now);

/* tx/notify.c */
void mptun_notify_floor(struct sk_buff *skb, struct mptun_path *path);
void mptun_notify_settled(struct sk_buff *skb, struct mptun_tunnel *tunnel,
			  u64 now);
u64 mptun_notify_at(const struct mptun_tx *tx);
bool mptun_notify_take(struct mptun_tunnel *tunnel, u64 now);
void mptun_notify_send(struct mptun_tunnel *tunnel, u64 now);

/* tx/control.c */
u8 mptun_control_ds(const struct mptun_tunnel *tunnel);
struct sk_buff *mptun_control_alloc(unsigned int body);
void *mptun_control_block(struct sk_buff *skb, enum mptun_block_type type,
			  unsigned int len);
int mptun_control_send(struct mptun_path *path, struct sk_buff *skb,
		       enum mptun_kind kind);
int mptun_control_finish(struct mptun_path *path, u16 wire_id,
			 struct sk_buff *skb, enum mptun_kind kind)
	__releases(&path->tunnel->tx.lock);
void mptun_control_send_to(struct mptun_tunnel *tunnel,
			   struct mptun_path *path, u16 wire_id,
			   const struct mptun_endpoint *ep,
			   struct sk_buff *skb, enum mptun_kind kind);
int mptun_control_send_as(struct mptun_path *path, u16 wire_id,
			  struct sk_buff *skb, enum mptun_kind kind, u8 ds);
struct mptun_path *mptun_control_path(struct mptun_tunnel *tunnel,
				      struct mptun_path *wish);

/* tx/timer.c */
void mptun_timer_update(struct mptun_path *path, u64 now);
void mptun_timer_failed(struct mptun_path *path, int err);

/* tx/suspend.c */
void mptun_suspend_judge(struct mptun_tunnel *tunnel);
void mptun_park_forget(struct mptun_tunnel *tunnel, u64 now);

void mptun_avoid_forget(struct mptun_tunnel *tunnel, u64 now);

void mptun_avoid_begin(struct mptun_tunnel *tunnel, u16 lane);

/**
 * mptun_avoid_flow() - count the flows that send in an interval
 * @tunnel: the tunnel
 * @lane: lane of the flow
 */
static inline void mptun_avoid_flow(struct mptun_tunnel *tunnel, u16 lane)
{
	if (!__test_and_set_bit(lane, tunnel->tx.avoid.lanes))
		mptun_avoid_begin(tunnel, lane);
}

/* tx/group.c */
int mptun_group_init(struct mptun_path *path);
void mptun_group_join(struct mptun_path *path);
void mptun_group_leave(struct mptun_path *path);
void mptun_group_restart(struct mptun_path *path);
void mptun_group_run(struct mptun_tunnel *tunnel, u64 now);
int mptun_group_switch(struct mptun_tunnel *tunnel, bool on);

#endif /* _MPTUN_TX_TX_H */
