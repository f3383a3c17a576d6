// SPDX-License-Identifier: GPL-2.0
/*
 * The word that may have been meant.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "lib/guess.h"

/* Most wrong letters. */
#define GUESS_WRONG 2

/* Number of letters to insert, delete or replace (Levenshtein). */
static size_t guess_distance(const char *a, const char *b)
{
	size_t row[GUESS_MAX + 1], len = strlen(b);

	for (size_t j = 0; j <= len; j++)
		row[j] = j;
	for (size_t i = 1; *a; a++, i++) {
		size_t before = row[0];

		row[0] = i;
		for (size_t j = 1; j <= len; j++) {
			bool same = tolower((unsigned char)*a) ==
				    tolower((unsigned char)b[j - 1]);
			size_t least = before + !same;

			before = row[j];
			if (row[j] + 1 < least)
				least = row[j] + 1;
			if (row[j - 1] + 1 < least)
				least = row[j - 1] + 1;
			row[j] = least;
		}
	}
	return row[len];
}

void guess_try(struct guess *guess, const char *known)
{
	size_t distance;

	if (strlen(guess->word) > GUESS_MAX || strlen(known) > GUESS_MAX)
		return;
	distance = guess_distance(guess->word, known);
	if (distance > GUESS_WRONG || 2 * distance > strlen(known) ||
	    (guess->best && distance >= guess->distance))
		return;
	guess->best = known;
	guess->distance = distance;
}
