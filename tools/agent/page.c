// SPDX-License-Identifier: GPL-2.0
/*
 * What is served: metrics, the status page and its figures.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/openmetrics.h"
#include "agent/page.h"
#include "agent/reply.h"
#include "agent/status.h"
#include "lib/print.h"
#include "lib/report.h"

/* Figures are read at most once in this time, however many clients ask, so
 * rates are averages of at least this time.
 */
#define PAGE_FRESH_MS 900
/* Averages of a longer time are not shown as rates. */
#define PAGE_KEEP_MS 10000

/* Files of the page, all that there are; "/" begins one that is not in its
 * folder.
 */
static const struct {
	const char *url;
	const char *type;
	const char *name;
	const char *missing;
} page_files[] = {
	{ "/", "text/html; charset=utf-8", "index.html",
	  "the status page is not installed, see /metrics\n" },
	{ "/status.css", "text/css; charset=utf-8", "status.css",
	  "the status page is not installed, see /metrics\n" },
	{ "/status.js", "text/javascript; charset=utf-8", "status.js",
	  "the status page is not installed, see /metrics\n" },
	{ "/chart.js", "text/javascript; charset=utf-8", MPTUN_CHART,
	  "libjs-chart.js is not installed\n" },
};

void page_init(struct page *page)
{
	page->end = UINT64_MAX;
}

/* Other tunnels are there, though that of the agent may be gone.  The client is
 * notified of a module that is not loaded, and not the log each time.
 */
static int page_read(struct agent *agent, struct dump_sample *sample)
{
	struct conn *conn = agent->family ? agent->family :
					    conn_open_loaded();
	int status = conn ? dump_all(conn, NULL, sample) : STATUS_KERNEL;

	if (!agent->family)
		conn_close(conn);
	return status;
}

static enum MHD_Result page_unread(struct MHD_Connection *client)
{
	return reply_text(client, MHD_HTTP_SERVICE_UNAVAILABLE,
			  "the tunnels cannot be read\n");
}

static FILE *page_begin(char **text, size_t *len)
{
	FILE *to = open_memstream(text, len);

	if (!to)
		exit(report_fail("out of memory"));
	return to;
}

static enum MHD_Result page_metrics(struct agent *agent,
				    struct MHD_Connection *client)
{
	struct dump_sample sample = { .us = 0 };
	struct summary_view view;
	char *text = NULL;
	size_t len = 0;
	FILE *to;

	if (page_read(agent, &sample))
		return page_unread(client);
	exchange_view(agent, &sample, &view);
	to = page_begin(&text, &len);
	openmetrics_write(to, &sample, &view);
	dump_sample_free(&sample);
	if (fclose(to))
		exit(report_fail("out of memory"));
	return reply_memory(client, OPENMETRICS_TYPE, text, len);
}

static int page_update(struct agent *agent)
{
	struct dump_sample sample = { .us = 0 };
	struct page *page = &agent->page;
	uint64_t now = agent_clock();
	int status;

	page_run(agent);
	if (now < page->next)
		return STATUS_OK;
	status = page_read(agent, &sample);
	if (status)
		return status;
	if (board_update(&page->board, &sample))
		exit(STATUS_KERNEL);
	page->next = now + PAGE_FRESH_MS;
	page->end = now + PAGE_KEEP_MS;
	return STATUS_OK;
}

static enum MHD_Result page_status(struct agent *agent,
				   struct MHD_Connection *client)
{
	char now[PRINT_MAX], *text = NULL;
	struct summary_view view;
	size_t len = 0;
	int err;
	FILE *to;

	if (page_update(agent))
		return page_unread(client);
	exchange_view(agent, &agent->page.board.sample, &view);
	to = page_begin(&text, &len);
	err = print_json_write(status_json(&agent->page.board, &agent->events,
					   print_time(now, true), &view), to);
	if (fclose(to) || err)
		exit(report_fail("out of memory"));
	return reply_memory(client, "application/json", text, len);
}

/* MPTUN_STATUS names another folder, for a run without an installation. */
static enum MHD_Result page_file(struct MHD_Connection *client, size_t index)
{
	const char *name = page_files[index].name;
	const char *folder = getenv("MPTUN_STATUS");
	char path[PATH_MAX];

	if (*name == '/')
		snprintf(path, sizeof(path), "%s", name);
	else
		snprintf(path, sizeof(path), "%s/%s", folder ? folder :
			 MPTUN_DATADIR "/status", name);
	return reply_file(client, page_files[index].type, path,
			  page_files[index].missing);
}

enum MHD_Result page_answer(struct agent *agent, struct MHD_Connection *client,
			    const char *url)
{
	if (!strcmp(url, "/metrics"))
		return page_metrics(agent, client);
	if (!strcmp(url, "/status.json"))
		return page_status(agent, client);
	for (size_t i = 0; i < sizeof(page_files) / sizeof(*page_files); i++)
		if (!strcmp(url, page_files[i].url))
			return page_file(client, i);
	return reply_text(client, MHD_HTTP_NOT_FOUND, "see / and /metrics\n");
}

void page_run(struct agent *agent)
{
	if (agent_clock() >= agent->page.end)
		page_close(agent);
}

void page_close(struct agent *agent)
{
	board_free(&agent->page.board);
	agent->page.next = 0;
	agent->page.end = UINT64_MAX;
}
