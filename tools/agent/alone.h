/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One agent for each file.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_ALONE_H
#define MPTUN_TOOLS_ALONE_H

/**
 * alone_lock() - keep other agents away from a file
 * @path: the file
 * @fd: the lock on what it was before, or -1; replaced by the new one, which
 *	ends with the process
 *
 * Return: 0, or the exit status after a message.
 */
int alone_lock(const char *path, int *fd);

#endif /* MPTUN_TOOLS_ALONE_H */
