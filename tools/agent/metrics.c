// SPDX-License-Identifier: GPL-2.0
/*
 * A server of metrics, for one client or a few.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
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
 * @daemon: that of the library, NULL after a failure
 * @where: where it is, as the file has it
 * @again: when it is tried again
 * @device: device of its socket of Unix, 0 if it has none
 * @inode: inode of that
 */
struct metrics {
	struct MHD_Daemon *daemon;
	char where[PLAN_METRICS_MAX + 1];
	struct again again;
	dev_t device;
	ino_t inode;
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

/* Other tunnels are there, though that of the agent may be gone.  The client is
 * notified of a module that is not loaded, and not the log each time.
 */
static int metrics_read(struct agent *agent, struct dump_sample *sample)
{
	struct conn *conn = agent->family ? agent->family :
					      conn_open_loaded();
	int status = conn ? dump_all(conn, NULL, sample) : STATUS_KERNEL;

	if (!agent->family)
		conn_close(conn);
	return status;
}

static enum MHD_Result metrics_figures(struct agent *agent,
				       struct MHD_Connection *client)
{
	struct dump_sample sample = { .us = 0 };
	char *text = NULL;
	size_t len = 0;
	FILE *to;

	if (metrics_read(agent, &sample))
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

/* The library calls it for the head of a request, each part of its body, which
 * is of no use, and its end.
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

static int metrics_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* Agents that make and remove sockets of a folder do it one after another.  It
 * does not wait, as others could hold the lock.
 */
static int metrics_lock(const char *path)
{
	char folder[PLAN_METRICS_MAX + 1];
	int fd;

	strcpy(folder, path);
	fd = open(dirname(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Nobody listens at a socket that an agent before has left. */
static bool metrics_left(const struct sockaddr_un *addr)
{
	int fd = metrics_socket();
	bool refused;

	refused = fd >= 0 && connect(fd, (const struct sockaddr *)addr,
				     sizeof(*addr)) && errno == ECONNREFUSED;
	if (fd >= 0)
		close(fd);
	return refused;
}

static bool metrics_bind(int fd, const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct stat st;

	strcpy(addr.sun_path, path);
	if (!lstat(path, &st) && S_ISSOCK(st.st_mode) && metrics_left(&addr))
		unlink(path);
	return !bind(fd, (struct sockaddr *)&addr, sizeof(addr)) &&
	       !listen(fd, METRICS_CLIENTS);
}

static int metrics_local(const char *path)
{
	int fd = metrics_socket(), lock;

	if (fd < 0)
		return -1;
	lock = metrics_lock(path);
	if (lock < 0 || !metrics_bind(fd, path)) {
		close(fd);
		fd = -1;
	}
	if (lock >= 0)
		close(lock);
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

/* Another agent may have made another socket of this name meanwhile. */
static bool metrics_own(const struct metrics *metrics, struct stat *st)
{
	return metrics->inode && !lstat(metrics->where, st) &&
	       st->st_dev == metrics->device && st->st_ino == metrics->inode;
}

static const char *metrics_error(const struct metrics *metrics)
{
	return errno == EACCES && *metrics->where != '/' ?
	       "a port below 1024 needs CAP_NET_BIND_SERVICE" :
	       strerror(errno);
}

/* An address or a port that is in use may become free. */
static void metrics_fail(struct metrics *metrics)
{
	if (!metrics->again.tries)
		report_warn("no metrics are served at %s yet: %s",
			    metrics->where, metrics_error(metrics));
	again_begins(&metrics->again, agent_clock());
}

static void metrics_begin(struct agent *agent)
{
	const struct plan_metrics *at = &agent->file->plan.host.metrics;
	struct metrics *metrics = agent->metrics;
	bool local = *at->text == '/';
	struct stat st;
	int fd;

	fd = local ? metrics_local(at->text) : metrics_inet(at);
	metrics->daemon = fd < 0 ? NULL : metrics_daemon(agent, fd);
	if (!metrics->daemon) {
		metrics_fail(metrics);
		if (fd >= 0)
			close(fd);
		return;
	}
	if (metrics->again.tries)
		report_note("metrics are served at %s now", metrics->where);
	again_works(&metrics->again);
	if (!local || lstat(at->text, &st))
		return;
	metrics->device = st.st_dev;
	metrics->inode = st.st_ino;
}

void metrics_open(struct agent *agent)
{
	const struct plan_metrics *at = &agent->file->plan.host.metrics;

	if (agent->metrics && !strcmp(agent->metrics->where, at->text))
		return;
	metrics_close(agent);
	if (!at->text[0])
		return;
	agent->metrics = calloc(1, sizeof(*agent->metrics));
	if (!agent->metrics)
		exit(report_fail("out of memory"));
	strcpy(agent->metrics->where, at->text);
	metrics_begin(agent);
}

int metrics_file(const struct agent *agent)
{
	const union MHD_DaemonInfo *info;

	if (!agent->metrics || !agent->metrics->daemon)
		return -1;
	info = MHD_get_daemon_info(agent->metrics->daemon,
				   MHD_DAEMON_INFO_EPOLL_FD);
	return info ? info->epoll_fd : -1;
}

uint64_t metrics_due(const struct agent *agent)
{
	MHD_UNSIGNED_LONG_LONG ms;

	if (!agent->metrics)
		return UINT64_MAX;
	if (!agent->metrics->daemon)
		return agent->metrics->again.at;
	if (MHD_get_timeout(agent->metrics->daemon, &ms) != MHD_YES)
		return UINT64_MAX;
	return agent_clock() + ms;
}

void metrics_run(struct agent *agent)
{
	struct metrics *metrics = agent->metrics;

	if (!metrics)
		return;
	if (metrics->daemon)
		MHD_run(metrics->daemon);
	else if (metrics->again.at <= agent_clock())
		metrics_begin(agent);
}

void metrics_close(struct agent *agent)
{
	struct metrics *metrics = agent->metrics;
	struct stat st;
	int lock;

	if (!metrics)
		return;
	lock = metrics->inode ? metrics_lock(metrics->where) : -1;
	if (metrics->daemon)
		MHD_stop_daemon(metrics->daemon);
	/* Without the lock, the next agent removes it. */
	if (lock >= 0 && metrics_own(metrics, &st))
		unlink(metrics->where);
	if (lock >= 0)
		close(lock);
	free(metrics);
	agent->metrics = NULL;
}
