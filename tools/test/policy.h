/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's netlink policies, compiled in user space.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Apart from the kernel's own types, which libnl has by the same names.
 */
#ifndef MPTUN_TOOLS_POLICY_H
#define MPTUN_TOOLS_POLICY_H

#include <linux/netlink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * enum policy_kind - what a policy allows
 * @POLICY_NONE: the attribute is not allowed
 * @POLICY_NUMBER: a number
 * @POLICY_STRING: a string
 * @POLICY_BINARY: something of fixed length
 */
enum policy_kind {
	POLICY_NONE,
	POLICY_NUMBER,
	POLICY_STRING,
	POLICY_BINARY,
};

/**
 * struct policy - what is allowed for an attribute
 * @kind: its kind
 * @len: largest length of a string or list, length of something fixed or a
 *	number
 * @list: the length may be smaller
 * @min: smallest number
 * @max: largest number
 */
struct policy {
	enum policy_kind kind;
	size_t len;
	bool list;
	uint64_t min;
	uint64_t max;
};

/**
 * policy_command() - find out about a command
 * @cmd: the command
 * @maxattr: filled in with its highest attribute
 * @privileged: filled in
 *
 * Return: whether there is such a command.
 */
bool policy_command(uint8_t cmd, unsigned int *maxattr, bool *privileged);

/**
 * policy_of() - find out about an attribute
 * @cmd: an existing command
 * @attr: the attribute
 *
 * Return: what is allowed.
 */
struct policy policy_of(uint8_t cmd, unsigned int attr);

/**
 * policy_check() - check attributes as the kernel does
 * @cmd: an existing command
 * @data: the attributes
 * @len: length of @data
 * @bad: attribute that is wrong
 *
 * Return: NULL, or what the kernel says.
 */
const char *policy_check(uint8_t cmd, const void *data, size_t len,
			 const struct nlattr **bad);

#endif /* MPTUN_TOOLS_POLICY_H */
