/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keys as text, and wiping them.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Pure: no input or output, no memory, no look-up in the system.
 */
#ifndef MPTUN_TOOLS_SECRET_H
#define MPTUN_TOOLS_SECRET_H

#include <stdbool.h>
#include <stddef.h>

/* Length of a key, in bytes: MPTUN_KEY_LEN. */
#define SECRET_LEN 32
/* Length of a key as base64 and as hexadecimal digits, in characters. */
#define SECRET_BASE64 44
#define SECRET_HEX 64

/**
 * secret_parse() - read a key
 * @text: base64 or hexadecimal digits, may have white space around it
 * @len: length of @text, which need not end with a zero byte
 * @key: filled in with SECRET_LEN bytes; zeros on failure
 *
 * Return: NULL, or what is wrong, as the end of a sentence.
 */
const char *secret_parse(const char *text, size_t len, unsigned char *key);

/**
 * secret_print() - write a key as base64
 * @key: SECRET_LEN bytes
 * @text: buffer of SECRET_BASE64 characters, gets no zero byte
 */
void secret_print(const unsigned char *key, char *text);

/**
 * secret_like() - whether a word looks like a key
 * @word: the word
 *
 * Return: true for the text of a key, also without the sign at the end of
 * base64, which is easily missed when text is selected with a mouse.
 */
bool secret_like(const char *word);

/**
 * secret_quote() - a word in a form fit for a message: printable and short
 * @word: the word
 * @buf: buffer for it
 * @size: size of @buf, at least 4
 *
 * A word that may be a key, or a part of one, is shown as dots: messages get
 * into logs.
 *
 * Return: @buf.
 */
const char *secret_quote(const char *word, char *buf, size_t size);

/**
 * secret_refuse() - find keys in a command line
 * @argc: number of words
 * @argv: the words
 *
 * Other users see the command line, and shells store it, so a key in it is
 * compromised.  No message repeats it, and words that look like a key are
 * wiped.
 *
 * Return: NULL, or a sentence.
 */
const char *secret_refuse(int argc, char **argv);

/**
 * secret_wipe() - overwrite secrets in memory
 * @data: what to overwrite
 * @len: its length
 */
void secret_wipe(void *data, size_t len);

/**
 * secret_hook() - let tests check what is wiped
 * @data: what has been overwritten
 * @len: its length
 *
 * Does nothing; tests replace it.
 */
void secret_hook(const void *data, size_t len);

#endif /* MPTUN_TOOLS_SECRET_H */
