/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Commands from a file.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_BATCH_H
#define MPTUN_TOOLS_BATCH_H

#include <stdbool.h>

/**
 * batch_run() - run the commands of a file, one per line
 * @name: name of the file, "-" for standard input
 * @force: continue after a command that fails
 * @run: runs a command, returns its exit status
 *
 * A signal that a command has taken, as up and record do, ends the program once
 * the command has ended, also with @force.
 *
 * Return: exit status of the first command that failed, 0 if none did.
 */
int batch_run(const char *name, bool force, int (*run)(int argc, char **argv));

#endif /* MPTUN_TOOLS_BATCH_H */
