// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Blocks: the content of REPORT, SET and flagged DATA packets.
 *
 * A body is parsed completely before any block takes effect.  Blocks about the
 * direction that we receive are then applied under one hold of mptun_rx.lock,
 * those about the direction that we send under one hold of mptun_tx.lock.
 */
#include "core/path.h"
#include "core/tunnel.h"
#include "path/path.h"
#include "rx/rx.h"
#include "tx/tx.h"
#include "wire/parse.h"

#define MPTUN_BLOCKS_RX	(BIT(MPTUN_BLOCK_FLOOR) | BIT(MPTUN_BLOCK_SETTLED))
#define MPTUN_BLOCKS_TX	(BIT(MPTUN_BLOCK_ACK) | BIT(MPTUN_BLOCK_STATUS) | \
			 BIT(MPTUN_BLOCK_POLICY) | BIT(MPTUN_BLOCK_CAPS))

/**
 * mptun_blocks_parse() - parse the blocks of a packet
 * @blocks: filled
 * @data: first block; must stay until they have been applied
 * @len: their length in bytes
 *
 * Return: 0, or -EINVAL if one of them is malformed.
 */
int mptun_blocks_parse(struct mptun_blocks *blocks, const u8 *data,
		       unsigned int len)
{
	blocks->data = data;
	blocks->len = len;
	blocks->types = mptun_parse_blocks(data, len);
	return min(blocks->types, 0);
}

/* Takes the next block; returns false at the end. */
static bool mptun_blocks_next(struct mptun_blocks *left,
			      struct mptun_parse_block *b)
{
	return left->len && !mptun_parse_next(&left->data, &left->len, b);
}

/* Forgets the numbers of a path below the floor of the sender, which cannot be
 * further above those received than what a sender keeps.
 */
static int mptun_blocks_floor(struct mptun_tunnel *tunnel, const u8 *data)
{
	const struct mptun_floor *block = (const void *)data;
	u64 floor = be64_to_cpu(block->number);
	struct mptun_path *path;

	path = mptun_path_by_wire(tunnel, be16_to_cpu(block->path));
	if (!path)
		return 0;
	if (floor > path->rx.data.window.next + MPTUN_SENT_MAX)
		return -EINVAL;
	mptun_ranges_prune(&path->rx.ranges, floor);
	return 0;
}

/**
 * mptun_blocks_apply_rx() - apply the blocks about our receiving side
 * @tunnel: the tunnel
 * @blocks: as mptun_blocks_parse() filled it
 * @now: time in ns
 *
 * Return: 0, or -EINVAL for an impossible value; blocks before it count.
 */
int mptun_blocks_apply_rx(struct mptun_tunnel *tunnel,
			  const struct mptun_blocks *blocks, u64 now)
{
	struct mptun_blocks left = *blocks;
	const struct mptun_settled *settled;
	struct mptun_parse_block b;
	struct sk_buff_head out;
	int err = 0;

	lockdep_assert_held(&tunnel->rx.lock);
	if (!(blocks->types & MPTUN_BLOCKS_RX))
		return 0;
	__skb_queue_head_init(&out);
	while (!err && mptun_blocks_next(&left, &b)) {
		if (b.type == MPTUN_BLOCK_FLOOR)
			err = mptun_blocks_floor(tunnel, b.data);
		if (b.type != MPTUN_BLOCK_SETTLED)
			continue;
		/* The sender does not send these again: do not wait. */
		settled = (const void *)b.data;
		mptun_reorder_floor(&tunnel->rx.reorder,
				    be32_to_cpu(settled->dsn), now, &out);
		mptun_ready_schedule(tunnel, &out, now);
		mptun_rx_timer_update(tunnel);
	}
	return err;
}

static int mptun_blocks_ack(struct mptun_tunnel *tunnel,
			    const struct mptun_path *from, const u8 *data,
			    u64 now)
{
	const struct mptun_ack *ack = (const void *)data;
	struct mptun_sent_result res = {};
	struct mptun_path *path;
	int err;

	path = mptun_path_by_wire(tunnel, be16_to_cpu(ack->path));
	if (!path)
		return 0; /* deleted meanwhile */
	err = mptun_ack_receive(path, ack, path == from, now, &res);
	if (err)
		return err;
	if (res.acked_packets || res.spurious)
		mptun_liveness_acked(path, res.newest_acked_ns, now);
	if (path->live.state == MPTUN_PATH_STATE_DRAINING)
		mptun_tunnel_kick(tunnel);
	mptun_timer_update(path, now);
	return 0;
}

static void mptun_blocks_status(struct mptun_tunnel *tunnel, const u8 *data)
{
	const struct mptun_status *block = (const void *)data;
	u16 status = be16_to_cpu(block->status);
	struct mptun_path *path;

	path = mptun_path_by_wire(tunnel, be16_to_cpu(block->path));
	if (!path)
		return;
	WRITE_ONCE(path->peer_status, status);
	if (status == MPTUN_STATUS_ABANDON || status == MPTUN_STATUS_ABANDONED)
		mptun_tunnel_kick(tunnel);
	else
		mptun_carrier_update(tunnel);
}

/* The worker applies and answers a policy. */
static void mptun_blocks_policy(struct mptun_tunnel *tunnel, const u8 *data)
{
	const struct mptun_path_policy *block = (const void *)data;
	struct mptun_path *path;

	path = mptun_path_by_wire(tunnel, be16_to_cpu(block->path));
	if (!path)
		return;
	if (block->flags & MPTUN_POLICY_ACK)
		mptun_policy_answered(&path->policy_out.send,
				      be32_to_cpu(block->version),
				      block->flags & MPTUN_POLICY_FOLLOWED);
	else if (mptun_policy_receive(&path->policy_in, block))
		mptun_tunnel_kick(tunnel);
}

static void mptun_blocks_class_rates(struct mptun_tunnel *tunnel,
				     const u8 *data)
{
	const struct mptun_caps_head *head = (const void *)data;

	if (head->flags & MPTUN_POLICY_ACK)
		mptun_policy_answered(&tunnel->class_rates.send,
				      be32_to_cpu(head->version),
				      head->flags & MPTUN_POLICY_FOLLOWED);
	else if (mptun_class_rates_receive(&tunnel->class_rates, head))
		mptun_tunnel_kick(tunnel);
}

/**
 * mptun_blocks_apply_tx() - apply the blocks about our sending side
 * @tunnel: the tunnel
 * @from: path that they came on, or NULL
 * @blocks: as mptun_blocks_parse() filled it
 * @now: time in ns
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 *
 * Return: 0, or -EINVAL for an impossible value; blocks before it count.
 */
int mptun_blocks_apply_tx(struct mptun_tunnel *tunnel, struct mptun_path *from,
			  const struct mptun_blocks *blocks, u64 now)
{
	struct mptun_blocks left = *blocks;
	const struct mptun_ack *ack;
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_parse_block b;
	struct mptun_path *path;
	int err = 0;

	if (!(blocks->types & MPTUN_BLOCKS_TX))
		return 0;
	spin_lock(&tx->lock);
	while (!err && mptun_blocks_next(&left, &b)) {
		if (b.type == MPTUN_BLOCK_ACK)
			err = mptun_blocks_ack(tunnel, from, b.data, now);
		else if (b.type == MPTUN_BLOCK_STATUS)
			mptun_blocks_status(tunnel, b.data);
		else if (b.type == MPTUN_BLOCK_POLICY)
			mptun_blocks_policy(tunnel, b.data);
		else if (b.type == MPTUN_BLOCK_CAPS)
			mptun_blocks_class_rates(tunnel, b.data);
	}
	/* The worker judges the paths when an interval has ended. */
	if (now >= tx->judge_ns) {
		tx->judge_ns = U64_MAX;
		mptun_tunnel_kick(tunnel);
	}
	mptun_place_finish_unlock(tunnel);

	/* Acknowledged packets may have used up a cap. */
	left = *blocks;
	while (mptun_blocks_next(&left, &b)) {
		if (b.type != MPTUN_BLOCK_ACK)
			continue;
		ack = (const void *)b.data;
		path = mptun_path_by_wire(tunnel, be16_to_cpu(ack->path));
		if (path)
			mptun_path_cap_check(path, now);
	}
	return err;
}
