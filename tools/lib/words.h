/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lines of a file as words of a command.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Pure: no input or output, no memory, no look-up in the system.
 */
#ifndef MPTUN_TOOLS_WORDS_H
#define MPTUN_TOOLS_WORDS_H

/**
 * words_split() - split a line into words
 * @line: the line, which is changed
 * @argv: filled in with the words
 * @max: most words
 * @error: set to a sentence
 *
 * Blanks separate words, unless they are between quotes; # begins a comment.
 *
 * Return: the number of words, or -1 with @error set.
 */
int words_split(char *line, char **argv, int max, const char **error);

#endif /* MPTUN_TOOLS_WORDS_H */
