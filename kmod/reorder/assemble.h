/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Reassembly of inner packets that arrive in fragments.
 */
#ifndef _MPTUN_ASSEMBLE_H
#define _MPTUN_ASSEMBLE_H

#include <linux/types.h>

#include "wire/wire.h"

struct sk_buff;
struct sk_buff_head;

/* Incomplete packets at a time.  The fragments of a packet leave the reorder
 * buffer together, unless one was lost: then they wait here in vain.
 */
#define MPTUN_ASSEMBLE_SLOTS	16

/* How long an incomplete packet waits: the longest hold time. */
#define MPTUN_ASSEMBLE_NS	1000000000ULL

/**
 * struct mptun_assemble_slot - an incomplete packet
 * @piece: its fragments, NULL if missing
 * @since_ns: when the first of them came
 * @first: data sequence number of fragment 0
 * @len: length of the packet in bytes
 * @count: number of fragments, 0 if the slot is free
 * @have: how many of them are there
 */
struct mptun_assemble_slot {
	struct sk_buff *piece[MPTUN_FRAGS_MAX];
	u64 since_ns;
	u32 first;
	u16 len;
	u8 count;
	u8 have;
};

/**
 * struct mptun_assemble - the incomplete packets of a tunnel
 * @slot: one for each
 * @used: number of slots in use
 * @bytes: memory (truesize) of all fragments
 */
struct mptun_assemble {
	struct mptun_assemble_slot slot[MPTUN_ASSEMBLE_SLOTS];
	u32 used;
	u32 bytes;
};

bool mptun_assemble_add(struct mptun_assemble *a, u32 dsn,
			const struct mptun_frag *frag, struct sk_buff *skb,
			u64 now, struct sk_buff_head *whole,
			struct sk_buff_head *dropped);
void mptun_assemble_expire(struct mptun_assemble *a, u64 now,
			   struct sk_buff_head *dropped);
void mptun_assemble_flush(struct mptun_assemble *a,
			  struct sk_buff_head *dropped);

#endif /* _MPTUN_ASSEMBLE_H */
