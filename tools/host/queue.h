/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The queues of the interface.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_QUEUE_H
#define MPTUN_TOOLS_QUEUE_H

#include "lib/conn.h"

/**
 * queue_plain() - whether the queues of an interface are plain FIFOs by default
 * @route: connection by conn_open_route()
 * @index: index of the interface
 *
 * Return: true if so; false if somebody has set any.
 */
bool queue_plain(struct conn *route, int index);

#endif /* MPTUN_TOOLS_QUEUE_H */
