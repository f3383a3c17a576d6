/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Settings of a plan, sent to the kernel.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Messages about what the kernel refuses begin with file and line.
 */
#ifndef MPTUN_TOOLS_APPLY_H
#define MPTUN_TOOLS_APPLY_H

#include "conf/file.h"

/**
 * apply_tunnel() - change settings of a tunnel
 * @conn: connection to the kernel
 * @file: where they are
 * @set: the settings
 *
 * Return: 0, or the exit status after a message.
 */
int apply_tunnel(struct conn *conn, const struct conf_file *file,
		 struct plan_set *set);

/**
 * apply_path() - add, change or delete a path
 * @conn: connection to the kernel
 * @file: where it is
 * @cmd: MPTUN_CMD_PATH_*
 * @path: the path
 *
 * Return: 0, or the exit status after a message.
 */
int apply_path(struct conn *conn, const struct conf_file *file, uint8_t cmd,
	       struct plan_path *path);

/**
 * apply_class() - add, change or delete a class
 * @conn: connection to the kernel
 * @file: where it is
 * @cmd: MPTUN_CMD_CLASS_*
 * @class: the class
 *
 * Return: 0, or the exit status after a message.
 */
int apply_class(struct conn *conn, const struct conf_file *file, uint8_t cmd,
		struct plan_class *class);

#endif /* MPTUN_TOOLS_APPLY_H */
