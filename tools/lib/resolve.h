/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Host names of peers.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * The kernel knows addresses only.  A name is looked up when a command gives it.
 */
#ifndef MPTUN_TOOLS_RESOLVE_H
#define MPTUN_TOOLS_RESOLVE_H

#include "lib/parse.h"

/**
 * resolve_host() - replace a host name by its address
 * @val: value with the name; the address is filled in
 * @need: family that it must have: 4, 6, or 0 for any
 * @prefer: family that it has if possible: 4, 6, or 0 for none
 * @error: buffer for a sentence, of PARSE_ERROR_MAX characters
 *
 * If there are several it takes the first that getaddrinfo() lists, which puts
 * those that have a route before the others.
 *
 * Return: 0, or -1 with a sentence in @error.
 */
int resolve_host(struct parse_value *val, int need, int prefer, char *error);

/**
 * resolve_again() - replace a host name that may have been looked up before
 * @val: value with the name; the address is filled in
 * @need: family that it must have: 4, 6, or 0 for any
 * @have: the address in use, or NULL: it stays if the name still has it, else
 *	its family if possible
 * @error: buffer for a sentence, of PARSE_ERROR_MAX characters
 *
 * Return: 0, or -1 with a sentence in @error.
 */
int resolve_again(struct parse_value *val, int need,
		  const struct parse_value *have, char *error);

#endif /* MPTUN_TOOLS_RESOLVE_H */
