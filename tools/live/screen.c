// SPDX-License-Identifier: GPL-2.0
/*
 * A terminal as a screen that is redrawn.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "live/screen.h"

/* The alternate screen, without cursor, and back. */
#define SCREEN_TAKE "\033[?1049h\033[?25l"
#define SCREEN_GIVE "\033[?25h\033[?1049l"

static bool screen_taken;
static bool screen_keyboard;
static struct termios screen_before;

bool screen_usable(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb");
}

bool screen_utf8(void)
{
	return setlocale(LC_CTYPE, "") &&
	       !strcmp(nl_langinfo(CODESET), "UTF-8");
}

void screen_enter(void)
{
	static bool registered;
	struct termios mode;

	if (!registered)
		atexit(screen_leave);
	registered = true;
	screen_keyboard = !tcgetattr(STDIN_FILENO, &screen_before);
	if (screen_keyboard) {
		mode = screen_before;
		mode.c_lflag &= (tcflag_t)~(ICANON | ECHO);
		mode.c_cc[VMIN] = 0;
		mode.c_cc[VTIME] = 0;
		tcsetattr(STDIN_FILENO, TCSANOW, &mode);
	}
	fputs(SCREEN_TAKE, stdout);
	fflush(stdout);
	screen_taken = true;
}

void screen_leave(void)
{
	if (!screen_taken)
		return;
	screen_taken = false;
	fputs(SCREEN_GIVE, stdout);
	fflush(stdout);
	if (screen_keyboard)
		tcsetattr(STDIN_FILENO, TCSANOW, &screen_before);
}

static int screen_number(const char *name, int other)
{
	const char *text = getenv(name);
	int num = text ? atoi(text) : 0;

	return num > 0 ? num : other;
}

void screen_size(int *columns, int *rows)
{
	struct winsize size = { .ws_col = 0 };

	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	*columns = size.ws_col ? size.ws_col : screen_number("COLUMNS", 80);
	*rows = size.ws_row ? size.ws_row : screen_number("LINES", 24);
}

void screen_begin(void)
{
	fputs("\033[H", stdout);
}

void screen_line(void)
{
	fputs("\033[K\n", stdout);
}

void screen_end(void)
{
	fputs("\033[K\033[J", stdout);
	fflush(stdout);
}

int screen_input(void)
{
	return screen_keyboard ? STDIN_FILENO : -1;
}

int screen_key(void)
{
	unsigned char buf[8];
	ssize_t len = read(STDIN_FILENO, buf, 1);

	if (len <= 0)
		return SCREEN_KEY_END;
	if (buf[0] != '\033')
		return buf[0];
	/* A key sequence arrives in one piece on all but the slowest lines. */
	len = read(STDIN_FILENO, buf, sizeof(buf));
	if (len >= 2 && (buf[0] == '[' || buf[0] == 'O') && buf[1] == 'A')
		return SCREEN_KEY_UP;
	if (len >= 2 && (buf[0] == '[' || buf[0] == 'O') && buf[1] == 'B')
		return SCREEN_KEY_DOWN;
	return SCREEN_KEY_OTHER;
}
