// SPDX-License-Identifier: GPL-2.0
/*
 * Answers to requests of HTTP.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/reply.h"

/* Largest file. */
#define REPLY_FILE_MAX (1 << 20)

static const char *const reply_headers[][2] = {
	{ "X-Content-Type-Options", "nosniff" },
	{ "Content-Security-Policy",
	  "default-src 'self'; base-uri 'none'; form-action 'none'; "
	  "frame-ancestors 'none'" },
	{ "Referrer-Policy", "no-referrer" },
	{ "Cross-Origin-Resource-Policy", "same-origin" },
};

static enum MHD_Result reply_queue(struct MHD_Connection *client,
				   unsigned int status,
				   struct MHD_Response *reply,
				   const char *type, const char *cache)
{
	enum MHD_Result result;

	for (size_t i = 0; i < sizeof(reply_headers) / sizeof(*reply_headers);
	     i++)
		MHD_add_response_header(reply, reply_headers[i][0],
					reply_headers[i][1]);
	MHD_add_response_header(reply, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	MHD_add_response_header(reply, MHD_HTTP_HEADER_CACHE_CONTROL, cache);
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(reply, MHD_HTTP_HEADER_ALLOW,
					"GET, HEAD");
	result = MHD_queue_response(client, status, reply);
	MHD_destroy_response(reply);
	return result;
}

enum MHD_Result reply_text(struct MHD_Connection *client, unsigned int status,
			   const char *text)
{
	struct MHD_Response *reply;

	reply = MHD_create_response_from_buffer(strlen(text), (char *)text,
						MHD_RESPMEM_PERSISTENT);
	if (!reply)
		return MHD_NO;
	return reply_queue(client, status, reply, REPLY_TEXT, "no-store");
}

enum MHD_Result reply_memory(struct MHD_Connection *client, const char *type,
			     char *text, size_t len)
{
	struct MHD_Response *reply;

	reply = MHD_create_response_from_buffer(len, text,
						MHD_RESPMEM_MUST_FREE);
	if (!reply) {
		free(text);
		return MHD_NO;
	}
	return reply_queue(client, MHD_HTTP_OK, reply, type, "no-store");
}

/* Return: the file, or -1. */
static int reply_open(const char *path, struct stat *st)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0 && !fstat(fd, st) && S_ISREG(st->st_mode) &&
	    st->st_size <= REPLY_FILE_MAX)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

enum MHD_Result reply_file(struct MHD_Connection *client, const char *type,
			   const char *path, const char *missing)
{
	struct MHD_Response *reply;
	struct stat st;
	int fd = reply_open(path, &st);

	if (fd < 0)
		return reply_text(client, MHD_HTTP_NOT_FOUND, missing);
	reply = MHD_create_response_from_fd((size_t)st.st_size, fd);
	if (!reply) {
		close(fd);
		return MHD_NO;
	}
	/* Those of another version are not used after an upgrade. */
	return reply_queue(client, MHD_HTTP_OK, reply, type, "no-cache");
}
