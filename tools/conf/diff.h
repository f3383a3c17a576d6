/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between plans.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Pure: no input or output, no memory, no look-up in the system.
 */
#ifndef MPTUN_TOOLS_DIFF_H
#define MPTUN_TOOLS_DIFF_H

#include "conf/plan.h"

/**
 * diff_fixed() - find a setting that differs and cannot change
 * @want: the settings that are fixed when a tunnel is created, as given
 * @have: as they are
 *
 * Return: its index in keyword_link, or -1.
 */
int diff_fixed(const struct plan_set *want, const struct plan_set *have);

/**
 * diff_set() - take the settings that differ
 * @want: settings; one that is not given has its default
 * @have: settings as they are
 * @plan: the plan of @have
 * @out: filled in with what has to change
 *
 * Return: true if there are any.
 */
bool diff_set(const struct plan_set *want, const struct plan_set *have,
	      const struct plan *plan, struct plan_set *out);

/**
 * diff_prune() - drop settings that have their default
 * @set: the settings
 * @plan: their plan
 */
void diff_prune(struct plan_set *set, const struct plan *plan);

#endif /* MPTUN_TOOLS_DIFF_H */
