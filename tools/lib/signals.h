/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Signals that end the program, and what a command makes of them.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_SIGNALS_H
#define MPTUN_TOOLS_SIGNALS_H

#include <signal.h>

/* Signals whose handling commands change. */
#define SIGNALS_COUNT 7

/**
 * struct signals - how signals are handled
 * @action: their handlers
 * @mask: signals that are blocked
 */
struct signals {
	struct sigaction action[SIGNALS_COUNT];
	sigset_t mask;
};

/**
 * signals_save() - remember how signals are handled
 * @signals: filled in
 */
void signals_save(struct signals *signals);

/**
 * signals_restore() - handle signals as before
 * @signals: by signals_save()
 *
 * What arrives before is still taken by the handlers of the command.
 */
void signals_restore(const struct signals *signals);

/**
 * signals_block() - let no signal interrupt what follows
 * @mask: filled in, for signals_unblock()
 */
void signals_block(sigset_t *mask);

/**
 * signals_unblock() - take signals again, also those that came meanwhile
 * @mask: by signals_block()
 */
void signals_unblock(const sigset_t *mask);

/**
 * signals_note() - note a signal that wants the program to end
 * @number: its number
 *
 * Handlers may call it.
 */
void signals_note(int number);

/**
 * signals_noted() - whether a signal wants the program to end
 *
 * Return: its number, or 0.
 */
int signals_noted(void);

#endif /* MPTUN_TOOLS_SIGNALS_H */
