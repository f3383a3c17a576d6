/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Notifications of the kernel: names and contents.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_EVENT_H
#define MPTUN_TOOLS_EVENT_H

#include <linux/netlink.h>

#include "lib/record.h"

/* Events beside the kernel's commands, whose numbers are smaller. */
enum {
	EVENT_READY = 256,
	EVENT_LOST,
};

/**
 * event_name() - name of an event in JSON
 * @cmd: the kernel's command MPTUN_CMD_*_NTF, or EVENT_*
 *
 * Return: the name, or NULL.
 */
const char *event_name(int cmd);

/**
 * event_read() - decode a notification
 * @msg: the message
 * @cmd: filled in with its command
 * @rec: filled in with the tunnel or path, NULL if it is unknown
 *
 * Return: 0, or -1 without memory.
 */
int event_read(struct nlmsghdr *msg, int *cmd, struct record **rec);

#endif /* MPTUN_TOOLS_EVENT_H */
