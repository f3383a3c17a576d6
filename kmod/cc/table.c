// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * The congestion controllers.
 */
#include <linux/string.h>

#include "cc/cc.h"

const struct mptun_cc_ops *const mptun_cc_table[] = {
	&mptun_cc_newreno,
	&mptun_cc_cubic,
	&mptun_cc_lia,
	&mptun_cc_residual,
	&mptun_cc_delay,
	&mptun_cc_bbr,
	&mptun_cc_fixed,
	&mptun_cc_none,
	NULL
};

/**
 * mptun_cc_find() - find a controller
 * @name: its name
 *
 * Return: the controller, or NULL if there is none of this name.
 */
const struct mptun_cc_ops *mptun_cc_find(const char *name)
{
	const struct mptun_cc_ops *const *ops;

	for (ops = mptun_cc_table; *ops; ops++)
		if (!strcmp((*ops)->name, name))
			return *ops;
	return NULL;
}
