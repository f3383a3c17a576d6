/* SPDX-License-Identifier: GPL-2.0 */
/*
 * QR codes in a terminal.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_QR_H
#define MPTUN_TOOLS_QR_H

#include <stddef.h>

/**
 * qr_check() - check that there can be a QR code
 * @len: length of what it says
 *
 * Return: 0, or the exit status of the program after a message.
 */
int qr_check(size_t len);

/**
 * qr_print() - print a QR code to standard output
 * @text: what it says
 * @len: its length
 *
 * The library does not wipe its copies of the text.
 *
 * Return: 0, or the exit status of the program after a message.
 */
int qr_print(const char *text, size_t len);

#endif /* MPTUN_TOOLS_QR_H */
