/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Answers to requests of HTTP.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * All have headers that keep a browser from anything but this server: it loads
 * nothing else, shows the page in no frame, and sends its address to no other
 * server.
 */
#ifndef MPTUN_TOOLS_REPLY_H
#define MPTUN_TOOLS_REPLY_H

#include <microhttpd.h>
#include <stddef.h>

#define REPLY_TEXT "text/plain; charset=utf-8"

/**
 * reply_text() - refuse with a sentence
 * @client: the client
 * @status: MHD_HTTP_*
 * @text: the sentence, which stays
 *
 * Return: that of the library.
 */
enum MHD_Result reply_text(struct MHD_Connection *client, unsigned int status,
			   const char *text);

/**
 * reply_memory() - answer with a text
 * @client: the client
 * @type: type of the text
 * @text: the text, freed later
 * @len: its length
 *
 * Return: that of the library.
 */
enum MHD_Result reply_memory(struct MHD_Connection *client, const char *type,
			     char *text, size_t len);

/**
 * reply_file() - answer with a file
 * @client: the client
 * @type: type of the file
 * @path: its name
 * @missing: sentence for a client if it cannot be read
 *
 * Return: that of the library.
 */
enum MHD_Result reply_file(struct MHD_Connection *client, const char *type,
			   const char *path, const char *missing);

#endif /* MPTUN_TOOLS_REPLY_H */
