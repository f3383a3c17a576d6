/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Devices that get a path by themselves, as "Uplinks" says.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Pure: no input or output, no memory, no look-up in the system.
 */
#ifndef MPTUN_TOOLS_UPLINK_H
#define MPTUN_TOOLS_UPLINK_H

#include "conf/plan.h"

/**
 * uplink_model() - the section for the path of a device
 * @plan: the plan
 * @dev: name of the device
 *
 * The first [Path PATTERN] that matches counts.  A device of the file's own
 * paths gets no other one, nor does one whose name is that of such a path.
 *
 * Return: the section, NULL if the device gets no path.
 */
const struct plan_path *uplink_model(const struct plan *plan, const char *dev);

/**
 * uplink_named() - whether "Uplinks" has the name of a device in full
 * @plan: the plan
 * @dev: name of the device
 *
 * Return: true if so.
 */
bool uplink_named(const struct plan *plan, const char *dev);

/**
 * uplink_owns() - whether a path of a tunnel is one of an uplink
 * @plan: the plan of the file
 * @path: the path, as it is
 *
 * Return: true if so, false if it is a path of the file, or of others.
 */
bool uplink_owns(const struct plan *plan, const struct plan_path *path);

#endif /* MPTUN_TOOLS_UPLINK_H */
