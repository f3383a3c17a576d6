// SPDX-License-Identifier: GPL-2.0
/*
 * The server of metrics and of the status page, for a few clients.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <errno.h>
#include <limits.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/listen.h"
#include "agent/openmetrics.h"
#include "agent/reply.h"
#include "lib/report.h"

/* How long a client may be silent. */
#define HTTP_SECONDS 10u

/**
 * struct http - the server
 * @daemon: that of the library, NULL after a failure
 * @where: where it is, as the file has it
 * @again: when it is tried again
 * @device: device of its socket of Unix, 0 if it has none
 * @inode: inode of that
 */
struct http {
	struct MHD_Daemon *daemon;
	char where[PLAN_METRICS_MAX + 1];
	struct again again;
	dev_t device;
	ino_t inode;
};

/* Answers a whole request. */
static enum MHD_Result http_serve(struct agent *agent,
				  struct MHD_Connection *client,
				  const char *url, const char *method)
{
	const char *host = MHD_lookup_connection_value(client, MHD_HEADER_KIND,
						       MHD_HTTP_HEADER_HOST);
	char name[HOST_NAME_MAX + 1] = "";

	gethostname(name, sizeof(name) - 1);
	if (!openmetrics_host(host, name))
		return reply_text(client, MHD_HTTP_MISDIRECTED_REQUEST,
				  "Host is not this machine\n");
	if (strcmp(method, MHD_HTTP_METHOD_GET) &&
	    strcmp(method, MHD_HTTP_METHOD_HEAD))
		return reply_text(client, MHD_HTTP_METHOD_NOT_ALLOWED,
				  "only GET and HEAD\n");
	return page_answer(agent, client, url);
}

/* The library calls it for the head of a request, each part of its body, which
 * is of no use, and its end.
 */
static enum MHD_Result http_answer(void *arg, struct MHD_Connection *client,
				   const char *url, const char *method,
				   const char *version, const char *data,
				   size_t *size, void **state)
{
	(void)version;
	(void)data;
	if (!*state) {
		*state = arg;
		return MHD_YES;
	}
	if (*size) {
		*size = 0;
		return MHD_YES;
	}
	return http_serve(arg, client, url, method);
}

static struct MHD_Daemon *http_daemon(struct agent *agent, int fd)
{
	return MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, http_answer,
				agent, MHD_OPTION_LISTEN_SOCKET, fd,
				MHD_OPTION_CONNECTION_LIMIT,
				(unsigned int)LISTEN_MAX,
				MHD_OPTION_CONNECTION_TIMEOUT,
				HTTP_SECONDS, MHD_OPTION_END);
}

/* Whether the socket is still this one: another agent may have replaced it. */
static bool http_own(const struct http *http, struct stat *st)
{
	return http->inode && !lstat(http->where, st) &&
	       st->st_dev == http->device && st->st_ino == http->inode;
}

static const char *http_error(const struct http *http)
{
	return errno == EACCES && *http->where != '/' ?
	       "a port below 1024 needs CAP_NET_BIND_SERVICE" :
	       strerror(errno);
}

/* An address or a port that is in use may become free. */
static void http_fail(struct http *http)
{
	if (!http->again.tries)
		report_warn("no metrics are served at %s yet: %s",
			    http->where, http_error(http));
	again_begins(&http->again, agent_clock());
}

static void http_begin(struct agent *agent)
{
	const struct plan_metrics *at = &agent->file->plan.host.metrics;
	struct http *http = agent->http;
	bool local = *at->text == '/';
	struct stat st;
	int fd;

	fd = listen_at(at);
	http->daemon = fd < 0 ? NULL : http_daemon(agent, fd);
	if (!http->daemon) {
		http_fail(http);
		if (fd >= 0)
			close(fd);
		return;
	}
	if (http->again.tries)
		report_note("metrics are served at %s now", http->where);
	again_works(&http->again);
	if (!local || lstat(at->text, &st))
		return;
	http->device = st.st_dev;
	http->inode = st.st_ino;
}

void http_open(struct agent *agent)
{
	const struct plan_metrics *at = &agent->file->plan.host.metrics;

	if (agent->http && !strcmp(agent->http->where, at->text))
		return;
	http_close(agent);
	if (!at->text[0])
		return;
	agent->http = calloc(1, sizeof(*agent->http));
	if (!agent->http)
		exit(report_fail("out of memory"));
	strcpy(agent->http->where, at->text);
	http_begin(agent);
}

int http_file(const struct agent *agent)
{
	const union MHD_DaemonInfo *info;

	if (!agent->http || !agent->http->daemon)
		return -1;
	info = MHD_get_daemon_info(agent->http->daemon,
				   MHD_DAEMON_INFO_EPOLL_FD);
	return info ? info->epoll_fd : -1;
}

uint64_t http_due(const struct agent *agent)
{
	MHD_UNSIGNED_LONG_LONG ms;
	uint64_t due;

	if (!agent->http)
		return UINT64_MAX;
	if (!agent->http->daemon)
		return agent->http->again.at;
	if (MHD_get_timeout(agent->http->daemon, &ms) != MHD_YES)
		return agent->page.end;
	due = agent_clock() + ms;
	return due < agent->page.end ? due : agent->page.end;
}

void http_run(struct agent *agent)
{
	struct http *http = agent->http;

	if (!http)
		return;
	if (http->daemon)
		MHD_run(http->daemon);
	else if (http->again.at <= agent_clock())
		http_begin(agent);
	page_run(agent);
}

void http_close(struct agent *agent)
{
	struct http *http = agent->http;
	struct stat st;
	int lock;

	if (!http)
		return;
	lock = http->inode ? listen_lock(http->where) : -1;
	if (http->daemon)
		MHD_stop_daemon(http->daemon);
	/* If the lock cannot be had, the next agent removes the socket. */
	if (lock >= 0 && http_own(http, &st))
		unlink(http->where);
	if (lock >= 0)
		close(lock);
	free(http);
	agent->http = NULL;
	page_close(agent);
}
