// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * The table of schedulers.
 */
#include <linux/string.h>

#include "sched/sched.h"

const struct mptun_sched_ops *const mptun_sched_table[] = {
	&mptun_sched_greedy,
	&mptun_sched_ecf,
	&mptun_sched_flow,
	&mptun_sched_redundant,
	&mptun_sched_wrr,
	&mptun_sched_wrr_auto,
	NULL
};

/**
 * mptun_sched_find() - find a scheduler
 * @name: its name
 *
 * Return: the scheduler, or NULL if there is none of this name.
 */
const struct mptun_sched_ops *mptun_sched_find(const char *name)
{
	const struct mptun_sched_ops *const *ops;

	for (ops = mptun_sched_table; *ops; ops++)
		if (!strcmp((*ops)->name, name))
			return *ops;
	return NULL;
}
