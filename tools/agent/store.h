/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the agent remembers over a restart: a file of JSON.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_STORE_H
#define MPTUN_TOOLS_STORE_H

#include <jansson.h>

/* Where it is, unless the service manager says otherwise. */
#define STORE_FOLDER "/var/lib/mptun"

/**
 * store_read() - read what is remembered of a tunnel
 * @name: name of the tunnel
 *
 * A file that is damaged is left out, after a message.
 *
 * Return: an object, empty if there is nothing.
 */
json_t *store_read(const char *name);

/**
 * store_write() - replace what is remembered of a tunnel
 * @name: name of the tunnel
 * @root: what is to be remembered
 *
 * After a crash the file is the one before, or the new one.
 * It waits for the disk.
 *
 * Return: 0, or the exit status after a message.
 */
int store_write(const char *name, const json_t *root);

#endif /* MPTUN_TOOLS_STORE_H */
