// SPDX-License-Identifier: GPL-2.0
/*
 * Signals that end the program, and what a command makes of them.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stddef.h>

#include "lib/signals.h"

static const int signals_number[SIGNALS_COUNT] = {
	SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD, SIGWINCH, SIGTSTP,
};

static volatile sig_atomic_t signals_last;

void signals_save(struct signals *signals)
{
	sigprocmask(SIG_SETMASK, NULL, &signals->mask);
	for (size_t i = 0; i < SIGNALS_COUNT; i++)
		sigaction(signals_number[i], NULL, &signals->action[i]);
}

void signals_restore(const struct signals *signals)
{
	/* The mask first: signals that wait have handlers until then. */
	sigprocmask(SIG_SETMASK, &signals->mask, NULL);
	for (size_t i = 0; i < SIGNALS_COUNT; i++)
		sigaction(signals_number[i], &signals->action[i], NULL);
}

void signals_block(sigset_t *mask)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, mask);
}

void signals_unblock(const sigset_t *mask)
{
	sigprocmask(SIG_SETMASK, mask, NULL);
}

void signals_note(int number)
{
	signals_last = number;
}

int signals_noted(void)
{
	return signals_last;
}
