// SPDX-License-Identifier: GPL-2.0
/*
 * A server of metrics, for one client or a few.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <errno.h>
#include <limits.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/openmetrics.h"
#include "lib/report.h"

/* Most clients at once, and how long one may be silent. */
#define METRICS_CLIENTS 8
#define METRICS_SECONDS 10u

/**
 * struct metrics - the server
 * @daemon: that of the library
 * @where: where it is, as the file has it
 */
struct metrics {
	struct MHD_Daemon *daemon;
	char where[PLAN_METRICS_MAX + 1];
};

static enum MHD_Result metrics_reply(struct MHD_Connection *client,
				     unsigned int status, char *text,
				     size_t len, const char *type)
{
	struct MHD_Response *reply;
	enum MHD_Result result;

	reply = MHD_create_response_from_buffer(len, text, type ?
						MHD_RESPMEM_MUST_FREE :
						MHD_RESPMEM_PERSISTENT);
	if (!reply) {
		if (type)
			free(text);
		return MHD_NO;
	}
	MHD_add_response_header(reply, MHD_HTTP_HEADER_CONTENT_TYPE,
				type ? type : "text/plain; charset=utf-8");
	MHD_add_response_header(reply, "X-Content-Type-Options", "nosniff");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(reply, MHD_HTTP_HEADER_ALLOW,
					"GET, HEAD");
	result = MHD_queue_response(client, status, reply);
	MHD_destroy_response(reply);
	return result;
}

static enum MHD_Result metrics_refuse(struct MHD_Connection *client,
				      unsigned int status, const char *text)
{
	return metrics_reply(client, status, (char *)text, strlen(text), NULL);
}

static enum MHD_Result metrics_figures(struct agent *agent,
				       struct MHD_Connection *client)
{
	struct dump_sample sample = { .us = 0 };
	char *text = NULL;
	size_t len = 0;
	FILE *to;

	if (agent->family && dump_all(agent->family, NULL, &sample))
		return metrics_refuse(client, MHD_HTTP_SERVICE_UNAVAILABLE,
				      "the tunnels cannot be read\n");
	to = open_memstream(&text, &len);
	if (!to)
		exit(report_fail("out of memory"));
	openmetrics_write(to, &sample);
	dump_sample_free(&sample);
	if (fclose(to))
		exit(report_fail("out of memory"));
	return metrics_reply(client, MHD_HTTP_OK, text, len, OPENMETRICS_TYPE);
}

/* The library calls it for the head of a request, each part of its body, which is
 * of no use, and its end.
 */
static enum MHD_Result metrics_answer(void *arg, struct MHD_Connection *client,
				      const char *url, const char *method,
				      const char *version, const char *data,
				      size_t *size, void **state)
{
	const char *host = MHD_lookup_connection_value(client, MHD_HEADER_KIND,
						       MHD_HTTP_HEADER_HOST);
	char name[HOST_NAME_MAX + 1] = "";

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
	gethostname(name, sizeof(name) - 1);
	if (!openmetrics_host(host, name))
		return metrics_refuse(client, MHD_HTTP_MISDIRECTED_REQUEST,
				      "Host is not this machine\n");
	if (strcmp(method, MHD_HTTP_METHOD_GET) &&
	    strcmp(method, MHD_HTTP_METHOD_HEAD))
		return metrics_refuse(client, MHD_HTTP_METHOD_NOT_ALLOWED,
				      "only GET and HEAD\n");
	if (strcmp(url, "/metrics"))
		return metrics_refuse(client, MHD_HTTP_NOT_FOUND,
				      "see /metrics\n");
	return metrics_figures(arg, client);
}

/* One that an agent before has left is replaced. */
static int metrics_local(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct stat st;

	if (fd < 0)
		return -1;
	strcpy(addr.sun_path, path);
	if (!lstat(path, &st) && S_ISSOCK(st.st_mode))
		unlink(path);
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) ||
	    listen(fd, METRICS_CLIENTS)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* The address may come later, as one of DHCP does. */
static int metrics_inet(const struct plan_metrics *at)
{
	struct sockaddr_in6 six = {
		.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)at->port),
	};
	struct sockaddr_in four = {
		.sin_family = AF_INET, .sin_port = htons((uint16_t)at->port),
	};
	bool old = at->addr.family == 4;
	int fd = socket(old ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC |
			SOCK_NONBLOCK, 0), one = 1;

	if (fd < 0)
		return -1;
	memcpy(&six.sin6_addr, at->addr.addr, 16);
	memcpy(&four.sin_addr, at->addr.addr, 4);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	setsockopt(fd, IPPROTO_IP, IP_FREEBIND, &one, sizeof(one));
	if (!old)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
	if (bind(fd, old ? (struct sockaddr *)&four : (struct sockaddr *)&six,
		 old ? sizeof(four) : sizeof(six)) ||
	    listen(fd, METRICS_CLIENTS)) {
		close(fd);
		return -1;
	}
	return fd;
}

static struct MHD_Daemon *metrics_daemon(struct agent *agent, int fd)
{
	return MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, metrics_answer,
				agent, MHD_OPTION_LISTEN_SOCKET, fd,
				MHD_OPTION_CONNECTION_LIMIT,
				(unsigned int)METRICS_CLIENTS,
				MHD_OPTION_CONNECTION_TIMEOUT,
				METRICS_SECONDS, MHD_OPTION_END);
}

void metrics_open(struct agent *agent)
{
	const struct plan_metrics *at = &agent->file->plan.host.metrics;
	struct MHD_Daemon *daemon;
	int fd;

	if (agent->metrics && !strcmp(agent->metrics->where, at->text))
		return;
	metrics_close(agent);
	if (!at->text[0])
		return;
	fd = *at->text == '/' ? metrics_local(at->text) : metrics_inet(at);
	daemon = fd < 0 ? NULL : metrics_daemon(agent, fd);
	if (!daemon) {
		report_warn("no metrics are served at %s: %s", at->text,
			    strerror(errno));
		if (fd >= 0)
			close(fd);
		return;
	}
	agent->metrics = calloc(1, sizeof(*agent->metrics));
	if (!agent->metrics)
		exit(report_fail("out of memory"));
	agent->metrics->daemon = daemon;
	strcpy(agent->metrics->where, at->text);
}

int metrics_file(const struct agent *agent)
{
	const union MHD_DaemonInfo *info;

	if (!agent->metrics)
		return -1;
	info = MHD_get_daemon_info(agent->metrics->daemon,
				   MHD_DAEMON_INFO_EPOLL_FD);
	return info ? info->epoll_fd : -1;
}

uint64_t metrics_wait(const struct agent *agent)
{
	MHD_UNSIGNED_LONG_LONG ms;

	if (!agent->metrics ||
	    MHD_get_timeout(agent->metrics->daemon, &ms) != MHD_YES)
		return UINT64_MAX;
	return ms;
}

void metrics_run(struct agent *agent)
{
	if (agent->metrics)
		MHD_run(agent->metrics->daemon);
}

void metrics_close(struct agent *agent)
{
	if (!agent->metrics)
		return;
	MHD_stop_daemon(agent->metrics->daemon);
	if (*agent->metrics->where == '/')
		unlink(agent->metrics->where);
	free(agent->metrics);
	agent->metrics = NULL;
}
