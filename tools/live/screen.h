/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A terminal as a screen that is drawn anew again and again.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Needs the few sequences that all terminals of today know, so no library.
 */
#ifndef MPTUN_TOOLS_SCREEN_H
#define MPTUN_TOOLS_SCREEN_H

#include <stdbool.h>

/* Keys beside those that are characters. */
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
 * screen_utf8() - whether characters are written in UTF-8 here
 *
 * Return: true if the locale says so.
 */
bool screen_utf8(void);

/**
 * screen_enter() - take the terminal
 *
 * It is given back at the end of the program at the latest.
 */
void screen_enter(void);

/**
 * screen_leave() - give the terminal back as it was; harmless if it was not
 *	taken
 */
void screen_leave(void);

/**
 * screen_size() - size of the terminal, or what the environment says
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
 * screen_end() - clear what is left below, and show all of it
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
