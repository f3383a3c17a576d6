/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Epochs: the times between copies of this machine's memory.
 */
#ifndef _MPTUN_CORE_EPOCH_H
#define _MPTUN_CORE_EPOCH_H

#include <linux/atomic.h>
#include <linux/types.h>

extern atomic_t mptun_epoch;

/**
 * mptun_epoch_valid() - check whether memory may have been copied since
 * @epoch: what mptun_epoch_begin() returned
 *
 * Return: true if it has not: keys and numbers since then are used once.
 */
static inline bool mptun_epoch_valid(u32 epoch)
{
	return likely((u32)atomic_read(&mptun_epoch) == epoch);
}

u32 mptun_epoch_begin(void);
void mptun_epoch_end(void);
void mptun_epoch_freeze(void);
void mptun_epoch_thaw(void);

#endif /* _MPTUN_CORE_EPOCH_H */
