/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The texts of both files of a client.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_DRAFT_H
#define MPTUN_TOOLS_DRAFT_H

#include "server/client.h"

/**
 * struct draft - both files of a client
 * @its: the one that is copied to the client
 * @mine: its tunnel at the server
 */
struct draft {
	struct store_text its;
	struct store_text mine;
};

/**
 * draft_write() - write both texts
 * @draft: filled in; has the key, so it is to be wiped
 * @server: the server
 * @client: the client
 * @secret: its key, of SECRET_LEN bytes
 */
void draft_write(struct draft *draft, const struct server *server,
		 const struct client *client, const unsigned char *secret);

/**
 * draft_check() - check that both texts are configuration files
 * @server: the server
 * @client: the client; it needs no key
 * @error: filled in if one is none; its line is that of the setting in the file
 *	of the server, 0 if there is none
 *
 * Return: the length of the text for the client, or -1.
 */
int draft_check(const struct server *server, const struct client *client,
		struct conf_error *error);

#endif /* MPTUN_TOOLS_DRAFT_H */
