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
#include "lib/dump.h"

/* What a state means for those who use the tunnel. */
enum state_kind {
	STATE_BEGINS,
	STATE_UP,
	STATE_DOWN,
};

/**
 * state_kind() - what a state means
 * @state: MPTUN_PATH_STATE_*
 *
 * Return: the meaning.
 */
enum state_kind state_kind(uint64_t state);

/**
 * state_works() - whether a path needs no help
 * @state: MPTUN_PATH_STATE_*
 *
 * Return: true if it carries data, or is not to.
 */
bool state_works(uint64_t state);

/**
 * struct state_seen - paths, as they were when they were last seen
 * @path: the paths
 * @name: name of a path, "" if this is free
 * @kind: what its state means
 * @said: it was reported as up, and not as down since then
 * @asks: it leads to its peer, which does not answer
 */
struct state_seen {
	struct {
		char name[PARSE_TEXT_MAX + 1];
		int kind;
		bool said;
		bool asks;
	} path[MPTUN_PATHS_MAX];
};

/**
 * state_changed() - a path may have changed its state
 * @queue: commands of the file are added to it
 * @file: the configuration
 * @seen: the states before, brought up to date
 * @path: the path, as the kernel has reported it
 */
void state_changed(struct job_queue *queue, const struct conf_file *file,
		   struct state_seen *seen, const struct record *path);

/**
 * state_up() - whether a path is up, and answers
 * @seen: states
 * @name: the path, NULL for any
 *
 * Return: true if so.
 */
bool state_up(const struct state_seen *seen, const char *name);

/**
 * state_asks() - whether a path leads to its peer, which does not answer now
 * @seen: states
 * @name: the path, NULL for any
 *
 * Return: true if there is one.
 */
bool state_asks(const struct state_seen *seen, const char *name);

/**
 * state_job() - run commands of the file
 * @queue: they are added to it
 * @file: the configuration
 * @option: which ones
 * @var: variables of their environment, up to NULL
 */
void state_job(struct job_queue *queue, const struct conf_file *file,
	       enum conf_option option, const char *const *var);

/**
 * state_gone() - a path is deleted
 * @queue: commands of the file are added to it, if it was up
 * @file: the configuration
 * @seen: states, brought up to date
 * @path: the path, as the kernel has reported it
 */
void state_gone(struct job_queue *queue, const struct conf_file *file,
		struct state_seen *seen, const struct record *path);

/**
 * state_forget() - forget paths that there are no more
 * @queue: commands of the file are added to it, for those that were up
 * @file: the configuration
 * @seen: states
 * @paths: the paths that there are
 */
void state_forget(struct job_queue *queue, const struct conf_file *file,
		  struct state_seen *seen, const struct dump_list *paths);

#endif /* MPTUN_TOOLS_STATE_H */
