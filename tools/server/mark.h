/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The mark of a server that runs.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * It is a file that does not outlive a boot, one for each network namespace.
 */
#ifndef MPTUN_TOOLS_MARK_H
#define MPTUN_TOOLS_MARK_H

#include <stdbool.h>

/**
 * mark_folder() - where marks are
 *
 * Return: "/run/mptun"; tests replace it.
 */
const char *mark_folder(void);

/**
 * mark_set() - note that the server runs
 *
 * Return: 0, or the exit status of the program after a message.
 */
int mark_set(void);

/**
 * mark_clear() - note that it does not
 */
void mark_clear(void);

/**
 * mark_there() - whether it runs
 *
 * Return: true if so.
 */
bool mark_there(void);

#endif /* MPTUN_TOOLS_MARK_H */
