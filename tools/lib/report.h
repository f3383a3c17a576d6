/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages on standard error, and exit status.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_REPORT_H
#define MPTUN_TOOLS_REPORT_H

/* Longest message that report_listen() passes on. */
#define REPORT_TEXT_MAX 255

/* Exit status. */
enum {
	STATUS_OK = 0,
	STATUS_USAGE = 1,
	STATUS_KERNEL = 2,
	STATUS_WRONG = 3,	/* of check */
	STATUS_PART = 4,	/* of server up */
	STATUS_THERE = 5,	/* of up: it exists already */
};

/**
 * report_usage() - report wrong arguments
 * @fmt: one sentence
 *
 * Return: STATUS_USAGE.
 */
__attribute__((format(printf, 1, 2)))
int report_usage(const char *fmt, ...);

/**
 * report_fail() - report a failure outside this program
 * @fmt: one sentence
 *
 * Return: STATUS_KERNEL.
 */
__attribute__((format(printf, 1, 2)))
int report_fail(const char *fmt, ...);

/**
 * report_warn() - print a warning
 * @fmt: one sentence
 */
__attribute__((format(printf, 1, 2)))
void report_warn(const char *fmt, ...);

/**
 * report_note() - say what happens
 * @fmt: one sentence
 */
__attribute__((format(printf, 1, 2)))
void report_note(const char *fmt, ...);

/**
 * report_daemon() - report as another program, that runs in the background
 * @name: its name
 *
 * Unless standard error is a terminal, messages begin with their priority as
 * systemd takes it, see sd-daemon(3).
 */
void report_daemon(const char *name);

/**
 * report_at() - begin messages with a place in a file
 * @file: the file, NULL to end it
 * @line: the line, 0 for none
 */
void report_at(const char *file, int line);

/**
 * report_batch() - begin messages with the place of the command that runs
 * @file: file of commands, NULL to end it
 * @line: the line
 */
void report_batch(const char *file, int line);

/**
 * report_before() - call a function before a failure is printed
 * @call: restores the terminal, so that the message stays visible
 */
void report_before(void (*call)(void));

/**
 * report_listen() - pass notes and warnings to a function as well
 * @call: gets each of them, cut at REPORT_TEXT_MAX bytes; NULL to end it
 * @arg: its first argument
 */
void report_listen(void (*call)(void *arg, const char *text), void *arg);

#endif /* MPTUN_TOOLS_REPORT_H */
