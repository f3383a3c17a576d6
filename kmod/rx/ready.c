// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Ready: packets in order, on their way to the stack.
 *
 * The ring releases packets when earlier ones arrive, when their hold time
 * ends, when the sender says that it no longer retransmits (rx/blocks.c), and
 * when settings or the association change, on any CPU.  All of them pass the
 * one list rx.ready, under mptun_rx.lock, which NAPI empties.  Early packets of
 * classes with playout wait once more before that (reorder/playout.c).
 */
#include "base/skb_cb.h"
#include "core/tunnel.h"
#include "rx/rx.h"
#include "tx/tx.h"
#include "wire/wire.h"

/* All of playout may be released together with a batch. */
static_assert(MPTUN_PLAYOUT_MAX + MPTUN_ORDER_BATCH <= MPTUN_READY_MAX);

/**
 * mptun_ready_add() - queue packets for the stack
 * @tunnel: the tunnel
 * @out: the packets in order; empty afterwards
 * @now: time in ns
 *
 * Some may enter playout: the caller updates the timer, and schedules NAPI.
 */
void mptun_ready_add(struct mptun_tunnel *tunnel, struct sk_buff_head *out,
		     u64 now)
{
	struct mptun_rx *rx = &tunnel->rx;
	unsigned int reason;
	struct sk_buff *skb;

	lockdep_assert_held(&rx->lock);
	if (trace_mptun_give_up_enabled())
		mptun_trace_given_up(tunnel);
	while ((skb = __skb_dequeue(out))) {
		reason = 0;
		if (mptun_rxcb(skb)->drop)
			reason = MPTUN_A_DROP_STATS_RX_ECN;
		else if (mptun_rxcb(skb)->refused)
			reason = MPTUN_A_DROP_STATS_RX_NOT_ALLOWED;
		else if (!rx->running ||
			 skb_queue_len(&rx->ready) >= MPTUN_READY_MAX ||
			 rx->ready_bytes >= max(rx->reorder.most,
						MPTUN_BURST_BYTES))
			reason = MPTUN_A_DROP_STATS_RX_OVERRUN;
		if (reason) {
			mptun_drop(&tunnel->drops, skb, reason);
			DEV_STATS_INC(tunnel->dev, rx_dropped);
			continue;
		}
		if (mptun_rxcb(skb)->frag)
			skb = mptun_reassemble(tunnel, skb, now);
		if (!skb)
			continue;
		if (mptun_playout_wants(&rx->playout, skb) &&
		    mptun_playout_wait(&rx->playout, skb, skb_get_hash(skb),
				       now))
			continue;
		rx->ready_bytes += skb->truesize;
		__skb_queue_tail(&rx->ready, skb);
	}
}

/**
 * mptun_ready_playout() - queue packets that are due to be played out
 * @rx: receiving side of a tunnel
 * @now: time in ns, U64_MAX for all packets
 *
 * Return: true if there are any; the caller schedules NAPI.
 */
bool mptun_ready_playout(struct mptun_rx *rx, u64 now)
{
	u32 before = rx->playout.bytes;
	bool any = before;

	lockdep_assert_held(&rx->lock);
	if (now == U64_MAX)
		mptun_playout_flush(&rx->playout, &rx->ready);
	else
		any = mptun_playout_release(&rx->playout, now, &rx->ready);
	rx->ready_bytes += before - rx->playout.bytes;
	return any;
}

/**
 * mptun_ready_schedule() - queue packets for the stack and schedule NAPI
 * @tunnel: the tunnel
 * @out: the packets in order; empty afterwards
 * @now: time in ns
 *
 * Some may enter playout: the caller updates the timer.
 */
void mptun_ready_schedule(struct mptun_tunnel *tunnel,
			  struct sk_buff_head *out, u64 now)
{
	struct mptun_rx *rx = &tunnel->rx;

	lockdep_assert_held(&rx->lock);
	if (skb_queue_empty(out))
		return;
	mptun_ready_add(tunnel, out, now);
	if (rx->running)
		napi_schedule(&rx->napi);
}

/**
 * mptun_rx_configure() - change the settings of reordering
 * @tunnel: the tunnel
 * @config: new settings
 */
void mptun_rx_configure(struct mptun_tunnel *tunnel,
			const struct mptun_reorder_config *config)
{
	struct mptun_rx *rx = &tunnel->rx;
	struct sk_buff_head out;
	u64 now = mptun_now();

	__skb_queue_head_init(&out);
	mptun_enter();
	spin_lock(&rx->lock);
	mptun_reorder_configure(&rx->reorder, config, now, &out);
	mptun_hold_update(tunnel, now);
	mptun_ready_schedule(tunnel, &out, now);
	mptun_rx_timer_update(tunnel);
	spin_unlock(&rx->lock);
	mptun_leave();
}

/**
 * mptun_rx_set_classes() - apply changed classes
 * @tunnel: the tunnel
 *
 * Return: true if the set of classes with playout is another one.
 */
bool mptun_rx_set_classes(struct mptun_tunnel *tunnel)
{
	const struct mptun_class_list *list = mptun_classify_list(tunnel);
	struct mptun_rx *rx = &tunnel->rx;
	unsigned int id;
	u16 classes = 0;
	bool changed;

	lockdep_assert_held(&tunnel->lock);
	for (id = 0; id < MPTUN_CLASSES_MAX; id++)
		if (list->class[id].playout)
			classes |= BIT(id);

	spin_lock_bh(&rx->lock);
	changed = rx->playout.classes != classes;
	if (rx->playout.classes & ~classes) {
		mptun_ready_playout(rx, U64_MAX);
		if (rx->running)
			napi_schedule(&rx->napi);
	}
	rx->playout.classes = classes;
	spin_unlock_bh(&rx->lock);
	return changed;
}

/**
 * mptun_rx_associate() - begin with the first dsn of an association
 * @tunnel: the tunnel
 * @first_dsn: first data sequence number of the peer
 */
void mptun_rx_associate(struct mptun_tunnel *tunnel, u32 first_dsn)
{
	struct mptun_rx *rx = &tunnel->rx;
	struct sk_buff_head out;

	__skb_queue_head_init(&out);
	spin_lock_bh(&rx->lock);
	mptun_reorder_start(&rx->reorder, first_dsn, &out);
	mptun_code_rx_reset(tunnel);
	mptun_ready_schedule(tunnel, &out, mptun_now());
	mptun_reassemble_expire(tunnel, U64_MAX);
	mptun_rx_timer_update(tunnel);
	spin_unlock_bh(&rx->lock);
}

/**
 * mptun_rx_dissociate() - release all packets at the end of an association
 * @tunnel: the tunnel
 */
void mptun_rx_dissociate(struct mptun_tunnel *tunnel)
{
	struct mptun_rx *rx = &tunnel->rx;
	struct sk_buff_head out;

	__skb_queue_head_init(&out);
	spin_lock_bh(&rx->lock);
	mptun_reorder_start(&rx->reorder, rx->reorder.next, &out);
	mptun_code_rx_reset(tunnel);
	mptun_reorder_idle(&rx->reorder);
	mptun_ready_schedule(tunnel, &out, mptun_now());
	mptun_reassemble_expire(tunnel, U64_MAX);
	mptun_rx_timer_update(tunnel);
	spin_unlock_bh(&rx->lock);
}

/**
 * mptun_rx_idle() - free memory if no data has arrived for a while
 * @tunnel: the tunnel
 * @now: time in ns
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 */
void mptun_rx_idle(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_rx *rx = &tunnel->rx;

	if (now < atomic64_read(&rx->active_ns) + MPTUN_IDLE_NS)
		return;
	spin_lock(&rx->lock);
	/* A packet may have arrived meanwhile. */
	if (now >= atomic64_read(&rx->active_ns) + MPTUN_IDLE_NS) {
		mptun_reorder_idle(&rx->reorder);
		/* Packets taken before have been delivered. */
		rx->ready_bytes -= rx->taken_bytes;
		WRITE_ONCE(rx->taken_bytes, 0);
	}
	mptun_reassemble_expire(tunnel, now);
	mptun_rx_settle(rx);
	spin_unlock(&rx->lock);
}
