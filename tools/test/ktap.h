/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Test results in KTAP.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * A test is a function that checks; each failed check prints a diagnostic
 * line, and the test fails if one did.
 */
#ifndef MPTUN_TOOLS_KTAP_H
#define MPTUN_TOOLS_KTAP_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Failed checks of the test that runs. */
extern int ktap_failed;

/**
 * struct ktap_test - a test
 * @name: its name
 * @run: does the checks
 */
struct ktap_test {
	const char *name;
	void (*run)(void);
};

/**
 * ktap_run() - run tests and print their results
 * @tests: the tests
 * @count: their number
 *
 * Return: exit status of the program.
 */
int ktap_run(const struct ktap_test *tests, size_t count);

/**
 * ktap_note() - print why a check failed
 * @file: where it is
 * @line: where it is
 * @cond: what did not hold
 * @fmt: more about it
 */
__attribute__((format(printf, 4, 5)))
void ktap_note(const char *file, int line, const char *cond,
	       const char *fmt, ...);

/* The condition must hold. */
#define ktap_check(cond) do {						\
	if (!(cond))							\
		ktap_note(__FILE__, __LINE__, #cond, "failed");		\
} while (0)

/* The condition must hold; the rest is printed if it does not. */
#define ktap_checkf(cond, ...) do {					\
	if (!(cond))							\
		ktap_note(__FILE__, __LINE__, #cond, __VA_ARGS__);	\
} while (0)

#endif /* MPTUN_TOOLS_KTAP_H */
