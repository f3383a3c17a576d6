/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets that load one path of a tunnel.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_LOAD_H
#define MPTUN_TOOLS_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/conn.h"

/**
 * struct load - packets on their way through a tunnel
 * @conn: connection to the kernel
 * @dev: the tunnel
 * @class: number of the class that has them, 0 while there is none
 * @fd: socket that sends them
 * @size: size of a large one
 */
struct load {
	struct conn *conn;
	const char *dev;
	uint32_t class;
	int fd;
	size_t size;
};

/**
 * load_open() - prepare to send
 * @load: @conn and @dev are set
 * @mtu: MTU of the tunnel
 *
 * Return: 0, or the exit status after a message.
 */
int load_open(struct load *load, size_t mtu);

/**
 * load_pin() - lead what is sent over one path alone
 * @load: prepared
 * @path: name of the path
 *
 * Return: 0, or the exit status after a message.
 */
int load_pin(struct load *load, const char *path);

/**
 * load_unpin() - undo load_pin()
 * @load: prepared
 *
 * Return: 0, or the exit status after a message.
 */
int load_unpin(struct load *load);

/**
 * load_light() - send small packets with pauses
 * @load: pinned
 * @until: until this time, on the clock of watch_now()
 *
 * Return: false if the program is to end.
 */
bool load_light(struct load *load, uint64_t until);

/**
 * load_full() - send as much as the path takes
 * @load: pinned
 * @until: until this time, on the clock of watch_now()
 *
 * Return: false if the program is to end.
 */
bool load_full(struct load *load, uint64_t until);

/**
 * load_close() - end sending
 * @load: prepared
 */
void load_close(struct load *load);

#endif /* MPTUN_TOOLS_LOAD_H */
