/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files of a server, written as a whole or not at all.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Avoids stdio, whose buffers cannot be wiped: the files have keys.
 */
#ifndef MPTUN_TOOLS_STORE_H
#define MPTUN_TOOLS_STORE_H

#include <stdbool.h>
#include <stddef.h>

/* Longest file that is written. */
#define STORE_TEXT 8192

/**
 * struct store_text - a file to be written
 * @buf: its text
 * @len: the length of it
 */
struct store_text {
	char buf[STORE_TEXT];
	size_t len;
};

/**
 * store_print() - append to a text
 * @text: the text
 * @fmt: what to append
 */
__attribute__((format(printf, 2, 3)))
void store_print(struct store_text *text, const char *fmt, ...);

/**
 * store_folder() - open a folder, and make it if there is none
 * @at: the folder that it is in, or AT_FDCWD
 * @name: its name
 * @path: its name in messages
 * @create: make it
 *
 * Return: the descriptor, or -1 after a message.
 */
int store_folder(int at, const char *name, const char *path, bool create);

/**
 * store_write() - write a new file that only its owner can read
 * @folder: the folder
 * @name: its name
 * @text: the text
 *
 * Return: 0, or the exit status of the program after a message.
 */
int store_write(int folder, const char *name, const struct store_text *text);

/**
 * store_rename() - give a file a name that no other file has
 * @folder: the folder
 * @from: its name
 * @to: the new one
 *
 * Return: 0, or the exit status of the program after a message.
 */
int store_rename(int folder, const char *from, const char *to);

/**
 * store_exists() - whether there is a file
 * @folder: the folder
 * @name: its name
 *
 * Return: true if so.
 */
bool store_exists(int folder, const char *name);

/**
 * store_each() - go through the names of a folder
 * @folder: the folder
 * @take: called with each name but "." and ".."
 * @arg: its first argument
 *
 * Names may be removed meanwhile.
 */
void store_each(int folder, void (*take)(void *arg, const char *name),
		void *arg);

#endif /* MPTUN_TOOLS_STORE_H */
