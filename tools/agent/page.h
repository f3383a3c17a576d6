/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is served: metrics, the status page and its figures.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_PAGE_H
#define MPTUN_TOOLS_PAGE_H

#include <microhttpd.h>

#include "lib/board.h"

struct agent;

/**
 * struct page - what the status page shows
 * @board: tunnels and paths
 * @next: time from which the figures are read again
 * @end: time when @board is freed unless a client asks, UINT64_MAX for never
 */
struct page {
	struct board board;
	uint64_t next;
	uint64_t end;
};

void page_init(struct page *page);

/**
 * page_answer() - answer a request
 * @agent: the agent
 * @client: the client
 * @url: path of the URL
 *
 * Return: that of the library.
 */
enum MHD_Result page_answer(struct agent *agent, struct MHD_Connection *client,
			    const char *url);

/* Free figures that nobody asks for any more. */
void page_run(struct agent *agent);

void page_close(struct agent *agent);

#endif /* MPTUN_TOOLS_PAGE_H */
