/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Paths that come up and go down: sentences and commands about it.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_STATE_H
#define MPTUN_TOOLS_STATE_H

#include "agent/job.h"
#include "conf/file.h"
#include "lib/record.h"

/**
 * state_works() - whether a path needs no help
 * @state: MPTUN_PATH_STATE_*
 *
 * Return: true if it carries data, or is not to.
 */
bool state_works(uint64_t state);

/**
 * state_changed() - a path has changed its state
 * @queue: commands of the file are added to it
 * @file: the configuration
 * @path: the path, as the kernel has reported it
 */
void state_changed(struct job_queue *queue, const struct conf_file *file,
		   const struct record *path);

#endif /* MPTUN_TOOLS_STATE_H */
