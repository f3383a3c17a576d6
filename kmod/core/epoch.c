// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Epochs: the times between copies of this machine's memory.
 *
 * A virtual machine that is cloned, or restored from a snapshot, and an image
 * of hibernation that is resumed have the keys and numbers of the time of the
 * copy.  Two machines that continue from there, or one that does so twice, use
 * the same number with the same key for different packets.  So an epoch ends
 * with every copy.  An association and its sessions belong to the epoch in
 * which they began, and no packet is numbered for them after it.
 *
 * The end takes effect at once, on every CPU, whatever locks are held.  The
 * worker of each tunnel tidies up later.
 */
#include "core/epoch.h"

/* Set while an image of memory is made: all that began earlier has ended, and
 * nothing begins.
 */
#define MPTUN_EPOCH_FROZEN	1

/* Other bits: number of the epoch. */
#define MPTUN_EPOCH_NEXT	2

atomic_t mptun_epoch = ATOMIC_INIT(0);

/**
 * mptun_epoch_begin() - get the epoch of what begins now
 *
 * Return: the epoch; not valid while frozen.
 */
u32 mptun_epoch_begin(void)
{
	return atomic_read(&mptun_epoch) & ~MPTUN_EPOCH_FROZEN;
}

/**
 * mptun_epoch_end() - end the epoch, as memory has been copied
 */
void mptun_epoch_end(void)
{
	atomic_add(MPTUN_EPOCH_NEXT, &mptun_epoch);
}

/**
 * mptun_epoch_freeze() - end the epoch before memory is copied
 */
void mptun_epoch_freeze(void)
{
	atomic_or(MPTUN_EPOCH_FROZEN, &mptun_epoch);
}

/**
 * mptun_epoch_thaw() - begin the next epoch after mptun_epoch_freeze()
 */
void mptun_epoch_thaw(void)
{
	/* In this order no epoch that has ended becomes valid. */
	atomic_add(MPTUN_EPOCH_NEXT, &mptun_epoch);
	atomic_andnot(MPTUN_EPOCH_FROZEN, &mptun_epoch);
}
