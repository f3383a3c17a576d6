/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Other programs, and the commands of a configuration file.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_RUN_H
#define MPTUN_TOOLS_RUN_H

#include <stdbool.h>

/* Exit status if a program cannot be run. */
#define RUN_MISSING 127

/**
 * run_program() - run a program and wait for its end
 * @argv: the program and its arguments, ended by NULL
 * @input: its standard input, or NULL
 * @quiet: drop what it prints
 *
 * Return: its exit status, RUN_MISSING if it cannot be run, 128 and more if a signal
 * ended it.
 */
int run_program(char *const *argv, const char *input, bool quiet);

/**
 * run_output() - run a program for what it prints
 * @argv: the program and its arguments, ended by NULL
 *
 * Return: what it has printed, to be freed; NULL if it has failed.
 */
char *run_output(char *const *argv);

/**
 * run_expand() - put the name of the tunnel into a command
 * @command: the command; %i stands for the name
 * @dev: the name
 *
 * Return: the command, to be freed.
 */
char *run_expand(const char *command, const char *dev);

/**
 * run_shell() - run a command of the configuration file
 * @command: the command; %i stands for the name of the tunnel
 * @dev: the name
 *
 * Return: its exit status.
 */
int run_shell(const char *command, const char *dev);

/**
 * run_find() - find a program
 * @name: its name
 *
 * Return: its file in the first folder of PATH that has it, without links, to
 * be freed; NULL if none has.
 */
char *run_find(const char *name);

/**
 * run_prepare() - make sure that programs are found and can be waited for
 *
 * They are in folders that PATH of a user or of cron may lack.
 */
void run_prepare(void);

/**
 * run_catch() - let signals end steps, but not the program
 *
 * They are noted, and the program that is running gets them, too.
 */
void run_catch(void);

#endif /* MPTUN_TOOLS_RUN_H */
