/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files with keys.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_KEYFILE_H
#define MPTUN_TOOLS_KEYFILE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * keyfile_read() - read a key
 * @name: name of the file, "-" for standard input
 * @key: filled in with SECRET_LEN bytes
 *
 * The name is not repeated in messages: it may be a key that was given in
 * its place.
 *
 * Return: 0, or the exit status of the program after a message.
 */
int keyfile_read(const char *name, unsigned char *key);

/**
 * keyfile_take_input() - refuse keys from standard input from now on
 *
 * It holds the commands, the next of which would be read as a key.
 */
void keyfile_take_input(void);

/**
 * keyfile_input_taken() - whether standard input holds the commands
 *
 * Return: true after keyfile_take_input().
 */
bool keyfile_input_taken(void);

/**
 * keyfile_draw() - draw a new key
 * @key: filled in with SECRET_LEN bytes
 *
 * Return: 0, or the exit status of the program after a message.
 */
int keyfile_draw(unsigned char *key);

/**
 * keyfile_write() - write a key to standard output
 * @key: SECRET_LEN bytes
 *
 * Return: 0, or the exit status of the program after a message.
 */
int keyfile_write(const unsigned char *key);

/**
 * keyfile_print() - write a file that has a key to standard output
 * @text: the file
 * @len: its length
 *
 * Return: 0, or the exit status of the program after a message.
 */
int keyfile_print(const char *text, size_t len);

#endif /* MPTUN_TOOLS_KEYFILE_H */
