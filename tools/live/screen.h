/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A terminal as a screen that is redrawn.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Uses only sequences that all current terminals know, so it needs no library.
 */
#ifndef MPTUN_TOOLS_SCREEN_H
#define MPTUN_TOOLS_SCREEN_H

#include <stdbool.h>

/* Keys that are no characters. */
enum {
	SCREEN_KEY_END = 256,
	SCREEN_KEY_UP,
	SCREEN_KEY_DOWN,
	SCREEN_KEY_OTHER,
};

/**
 * screen_usable() - whether standard output is a terminal to draw on
 *
 * Return: true if so.
 */
bool screen_usable(void);

/**
 * screen_utf8() - whether the locale is UTF-8
 *
 * Return: true if the locale says so.
 */
bool screen_utf8(void);

/**
 * screen_enter() - take the terminal
 *
 * The end of the program restores it at the latest.
 */
void screen_enter(void);

/**
 * screen_leave() - restore the terminal; harmless if it was not taken
 */
void screen_leave(void);

/**
 * screen_size() - size of the terminal, else of the environment
 * @columns: filled in
 * @rows: filled in
 */
void screen_size(int *columns, int *rows);

/**
 * screen_begin() - begin to draw at the top
 */
void screen_begin(void);

/**
 * screen_line() - end a line of the screen
 */
void screen_line(void);

/**
 * screen_end() - clear the lines below, and show everything
 */
void screen_end(void);

/**
 * screen_input() - where keys come from
 *
 * Return: a file to wait for, -1 if there is no keyboard.
 */
int screen_input(void);

/**
 * screen_key() - take a key that was pressed, when screen_input() is readable
 *
 * Return: the character or SCREEN_KEY_*: END if there will never be one again.
 */
int screen_key(void);

#endif /* MPTUN_TOOLS_SCREEN_H */
