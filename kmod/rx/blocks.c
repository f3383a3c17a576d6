// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Blocks: what REPORT, SET and flagged DATA packets say.
 *
 * A body is parsed whole before any of it counts.  Then those blocks that are
 * about what we receive are put into effect under one hold of the lock of the
 * receiving side, and those about what we send under one hold of the other.
 */
#include "core/path.h"
#include "core/tunnel.h"
#include "path/path.h"
#include "rx/rx.h"
#include "tx/tx.h"
#include "wire/parse.h"

#define MPTUN_BLOCKS_RX	(BIT(MPTUN_BLOCK_FLOOR) | BIT(MPTUN_BLOCK_SETTLED))
#define MPTUN_BLOCKS_TX	(BIT(MPTUN_BLOCK_ACK) | BIT(MPTUN_BLOCK_STATUS))

/**
 * mptun_blocks_parse() - parse the blocks of a packet
 * @blocks: filled
 * @data: where they begin, must stay
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

/* The next block; false at the end. */
static bool mptun_blocks_next(struct mptun_blocks *left,
			      struct mptun_parse_block *b)
{
	return left->len && !mptun_parse_next(&left->data, &left->len, b);
}

/* The sender says which numbers of a path matter no more.  A floor far above
 * all that was received cannot be: the sender would have to have given up more
 * than it keeps.
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

/* The sender says which dsns it does not expect to arrive any more. */
static void mptun_blocks_settled(struct mptun_tunnel *tunnel, const u8 *data,
				 u64 now)
{
	const struct mptun_settled *settled = (const void *)data;
	struct sk_buff_head out;

	__skb_queue_head_init(&out);
	mptun_reorder_floor(&tunnel->rx.reorder, be32_to_cpu(settled->dsn),
			    now, &out);
	mptun_deliver_ready(tunnel, &out, now);
	mptun_rx_timer_update(tunnel);
}

/**
 * mptun_blocks_apply_rx() - apply what is said about what we receive
 * @tunnel: the tunnel
 * @blocks: as mptun_blocks_parse() filled it
 * @now: time in ns
 *
 * Return: 0, or -EINVAL if something cannot be.
 */
int mptun_blocks_apply_rx(struct mptun_tunnel *tunnel,
			  const struct mptun_blocks *blocks, u64 now)
{
	struct mptun_blocks left = *blocks;
	struct mptun_parse_block b;
	int err = 0;

	lockdep_assert_held(&tunnel->rx.lock);
	if (!(blocks->types & MPTUN_BLOCKS_RX))
		return 0;
	while (!err && mptun_blocks_next(&left, &b)) {
		if (b.type == MPTUN_BLOCK_FLOOR)
			err = mptun_blocks_floor(tunnel, b.data);
		else if (b.type == MPTUN_BLOCK_SETTLED)
			mptun_blocks_settled(tunnel, b.data, now);
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
		mptun_liveness_carrier(tunnel);
}

/* What was received with an ACK may have used up a cap. */
static void mptun_blocks_quota(struct mptun_tunnel *tunnel,
			       const struct mptun_blocks *blocks, u64 now)
{
	struct mptun_blocks left = *blocks;
	struct mptun_parse_block b;
	const struct mptun_ack *ack;
	struct mptun_path *path;

	while (mptun_blocks_next(&left, &b)) {
		if (b.type != MPTUN_BLOCK_ACK)
			continue;
		ack = (const void *)b.data;
		path = mptun_path_by_wire(tunnel, be16_to_cpu(ack->path));
		if (path)
			mptun_quota_check(path, now);
	}
}

/**
 * mptun_blocks_apply_tx() - apply what is said about what we send
 * @tunnel: the tunnel
 * @from: path that it came on, NULL for none
 * @blocks: as mptun_blocks_parse() filled it
 * @now: time in ns
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 *
 * Return: 0, or -EINVAL if something cannot be; blocks before it count.
 */
int mptun_blocks_apply_tx(struct mptun_tunnel *tunnel, struct mptun_path *from,
			  const struct mptun_blocks *blocks, u64 now)
{
	struct mptun_blocks left = *blocks;
	struct mptun_parse_block b;
	int err = 0;

	if (!(blocks->types & MPTUN_BLOCKS_TX))
		return 0;
	spin_lock(&tunnel->tx.lock);
	while (!err && mptun_blocks_next(&left, &b)) {
		if (b.type == MPTUN_BLOCK_ACK)
			err = mptun_blocks_ack(tunnel, from, b.data, now);
		else if (b.type == MPTUN_BLOCK_STATUS)
			mptun_blocks_status(tunnel, b.data);
	}
	mptun_trial_check(tunnel, now);
	mptun_place_finish(tunnel, now);
	if (blocks->types & BIT(MPTUN_BLOCK_ACK))
		mptun_blocks_quota(tunnel, blocks, now);
	return err;
}
