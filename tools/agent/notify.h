/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages to the service manager.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_NOTIFY_H
#define MPTUN_TOOLS_NOTIFY_H

/**
 * notify_send() - report the state of the program to the service manager
 * @state: assignments as in sd_notify(3), for instance "READY=1"
 *
 * Does nothing without a service manager that listens.
 */
void notify_send(const char *state);

#endif /* MPTUN_TOOLS_NOTIFY_H */
