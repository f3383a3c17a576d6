/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The word that may have been meant.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Pure: no input or output, no memory, no look-up in the system.
 */
#ifndef MPTUN_TOOLS_GUESS_H
#define MPTUN_TOOLS_GUESS_H

#include <stddef.h>

/* Longest word that is compared. */
#define GUESS_MAX 32

/**
 * struct guess - the best word so far
 * @word: the unknown word
 * @best: the most similar one, NULL if none is similar
 * @distance: in how many letters they differ
 */
struct guess {
	const char *word;
	const char *best;
	size_t distance;
};

/**
 * guess_try() - compare a word that is known
 * @guess: begins with @word, all else zero
 * @known: the word, which must remain
 *
 * Two letters may be wrong, if as many others are right.  Capitals do not count.
 */
void guess_try(struct guess *guess, const char *known);

#endif /* MPTUN_TOOLS_GUESS_H */
