/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text without secrets.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Pure: no input or output, no look-up in the system.
 */
#ifndef MPTUN_TOOLS_MASK_H
#define MPTUN_TOOLS_MASK_H

#include <stdbool.h>
#include <stddef.h>

/* Most values that are distinguished, and the longest one. */
#define MASK_VALUES 512
#define MASK_VALUE_MAX 48

/**
 * struct mask - values that have been masked
 * @value: the values; each one is masked alike wherever it is
 * @count: their number
 * @paths: lines are about paths, whose ids are numbers that count them
 */
struct mask {
	char value[MASK_VALUES][MASK_VALUE_MAX];
	size_t count;
	bool paths;
};

/**
 * mask_line() - mask what must not leave the machine
 * @mask: begins as zeros
 * @line: the line
 * @out: buffer for the masked line
 * @size: size of @out
 *
 * Public addresses become PUBLIC-N, hardware addresses, also in names of
 * devices, and addresses of IPv6 that are link-local or made of one HOST-N,
 * long numbers in hexadecimal digits (ids, fingerprints) ID-N, and what may be a key
 * KEY.  Private, loopback and multicast addresses stay.  A word after "id" or
 * "peer-id" is masked as well.  What is beyond MASK_VALUES has no number, as
 * PUBLIC-more.
 *
 * Return: @out.
 */
const char *mask_line(struct mask *mask, const char *line, char *out,
		      size_t size);

#endif /* MPTUN_TOOLS_MASK_H */
