/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mptunctl up and down, for other commands.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_UP_H
#define MPTUN_TOOLS_UP_H

#include "cmd/command.h"
#include "conf/file.h"

/**
 * up_file() - create a tunnel from its file
 * @file: the file, loaded and with its key
 *
 * Return: 0, or the exit status after a message; then nothing is left.
 */
int up_file(struct conf_file *file);

/**
 * down_file() - delete a tunnel, and what up has set up for it
 * @ctl: options of the run
 * @file: its file
 * @loaded: the file has been read
 *
 * Return: 0, or the exit status after a message.
 */
int down_file(const struct ctl *ctl, struct conf_file *file, bool loaded);

#endif /* MPTUN_TOOLS_UP_H */
