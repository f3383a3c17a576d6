/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Network namespaces, as ip-netns names them.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_NETNS_H
#define MPTUN_TOOLS_NETNS_H

/* Where namespaces with a name are. */
#define NETNS_FOLDER "/var/run/netns"

/**
 * netns_enter() - continue in another network namespace
 * @name: its name, or a file that stands for it
 *
 * Return: 0, or the exit status after a message.
 */
int netns_enter(const char *name);

#endif /* MPTUN_TOOLS_NETNS_H */
