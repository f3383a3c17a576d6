/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sampling tunnels at intervals: which ones, when, and until when.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_WATCH_H
#define MPTUN_TOOLS_WATCH_H

#include "lib/dump.h"

/**
 * struct watch - tunnels to sample
 * @name: their names
 * @count: number of names, 0 for all tunnels
 */
struct watch {
	char **name;
	size_t count;
};

/**
 * enum watch_reason - why watch_wait() returned
 * @WATCH_TIME: the time has come
 * @WATCH_READY: one of the files can be read
 * @WATCH_RESIZED: the terminal has another size (SIGWINCH)
 * @WATCH_STOPPED: the terminal suspends the program (SIGTSTP)
 * @WATCH_ENDED: the program is to end (SIGINT, SIGTERM, SIGHUP)
 */
enum watch_reason {
	WATCH_TIME,
	WATCH_READY,
	WATCH_RESIZED,
	WATCH_STOPPED,
	WATCH_ENDED,
};

/**
 * watch_words() - parse names of tunnels with options among them
 * @table: the options
 * @argc: number of words
 * @argv: the words; the names are moved to its beginning
 * @watch: filled in, with names in @argv
 * @res: filled in
 *
 * Return: 0, or -1 with a sentence in @res->error.
 */
int watch_words(const struct parse_table *table, int argc, char **argv,
		struct watch *watch, struct parse_result *res);

/**
 * watch_wants() - whether a tunnel is to be sampled
 * @watch: which tunnels
 * @rec: a tunnel, or a path of it
 *
 * Return: true if so.
 */
bool watch_wants(const struct watch *watch, const struct record *rec);

/**
 * watch_sample() - read the tunnels and their paths
 * @watch: which tunnels; those that do not exist are left out
 * @conn: connection to the kernel
 * @sample: filled in, empty on failure
 *
 * Return: 0, or the exit status after a message.
 */
int watch_sample(const struct watch *watch, struct conn *conn,
		 struct dump_sample *sample);

/**
 * watch_missing() - a name without a tunnel
 * @watch: the names
 * @sample: the existing tunnels
 *
 * Return: the name, or NULL.
 */
const char *watch_missing(const struct watch *watch,
			  const struct dump_sample *sample);

/**
 * watch_signals() - let signals end only watch_wait()
 * @terminal: signals of a terminal as well
 */
void watch_signals(bool terminal);

/**
 * watch_stop() - stop until the shell continues the program
 */
void watch_stop(void);

/**
 * watch_now() - the time on a monotonic clock
 *
 * Return: microseconds.
 */
uint64_t watch_now(void);

/**
 * watch_wait() - wait
 * @until: until this time, on the clock of watch_now()
 * @fd: or until this file can be read, -1 for none
 *
 * Return: what happened, the first of the signals if there were any.
 */
enum watch_reason watch_wait(uint64_t until, int fd);

#endif /* MPTUN_TOOLS_WATCH_H */
