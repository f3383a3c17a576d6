// SPDX-License-Identifier: GPL-2.0
/*
 * What the agent waits for.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <errno.h>
#include <poll.h>
#include <netlink/socket.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/notify.h"
#include "lib/report.h"

/* Files besides those of look-ups. */
enum {
	LOOP_SIGNAL,
	LOOP_LINKS,
	LOOP_PATHS,
	LOOP_HTTP,
	LOOP_EXCHANGE,
	LOOP_EXCHANGE_END = LOOP_EXCHANGE + EXCHANGE_FDS,
	LOOP_LOOKUPS = LOOP_EXCHANGE_END,
};

/* Those of paths, and that of a trial. */
#define LOOP_SEARCHES (WANT_NOTES + 1)

#define LOOP_FDS (LOOP_LOOKUPS + LOOP_SEARCHES * LOOKUP_FDS)

/**
 * struct loop - what the agent waits for
 * @fd: the files
 * @count: their number
 * @of: number of files of each look-up
 * @wait: the longest time to wait in ms, -1 for any
 */
struct loop {
	struct pollfd fd[LOOP_FDS];
	size_t count;
	size_t of[LOOP_SEARCHES];
	int wait;
};

static int loop_signals(void)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* Do not end when the reader of the log has. */
	signal(SIGPIPE, SIG_IGN);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		report_fail("signals cannot be received: %s", strerror(errno));
	return fd;
}

/* Return: true if the program is to end. */
static bool loop_signal(struct agent *agent, int fd)
{
	struct signalfd_siginfo info;

	while (read(fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGHUP)
			agent_reload(agent);
		else if (info.ssi_signo != SIGCHLD)
			return true;
	}
	return false;
}

static void loop_until(struct loop *loop, uint64_t now, uint64_t when)
{
	uint64_t left = when > now ? when - now : 0;

	if (when == UINT64_MAX)
		return;
	if (left > 60000)
		left = 60000;
	if (loop->wait < 0 || (int)left < loop->wait)
		loop->wait = (int)left;
}

static int loop_file(struct conn *conn)
{
	return conn ? nl_socket_get_fd(conn->sock) : -1;
}

static struct lookup *loop_search(const struct agent *agent, size_t index)
{
	return index == WANT_NOTES ? agent->trial.lookup :
				     agent->search[index].lookup;
}

static void loop_prepare(struct loop *loop, struct agent *agent)
{
	uint64_t now = agent_clock();

	loop->wait = -1;
	loop_until(loop, now, agent->due);
	loop_until(loop, now, agent->mend);
	loop_until(loop, now, search_due(agent));
	loop_until(loop, now, server_due(agent));
	loop_until(loop, now, agent->cap.due);
	loop_until(loop, now, agent->notes.spares.due);
	loop_until(loop, now, job_due(&agent->jobs));
	loop_until(loop, now, http_due(agent));
	loop_until(loop, now, exchange_due(agent));
	loop->fd[LOOP_LINKS].fd = loop_file(agent->links);
	loop->fd[LOOP_PATHS].fd = loop_file(agent->paths);
	loop->fd[LOOP_HTTP].fd = http_file(agent);
	exchange_fds(agent, &loop->fd[LOOP_EXCHANGE]);
	for (size_t i = 0; i < LOOP_LOOKUPS; i++)
		loop->fd[i].events = POLLIN;
	loop->count = LOOP_LOOKUPS;
	for (size_t i = 0; i < LOOP_SEARCHES; i++) {
		struct lookup *lookup = loop_search(agent, i);

		loop->of[i] = 0;
		if (!lookup)
			continue;
		loop->of[i] = lookup_fds(lookup, &loop->fd[loop->count]);
		loop->count += loop->of[i];
		loop_until(loop, now, now + (uint64_t)lookup_wait(lookup));
	}
}

static void loop_lookups(struct loop *loop, struct agent *agent)
{
	size_t at = LOOP_LOOKUPS;

	for (size_t i = 0; i < LOOP_SEARCHES; i++) {
		struct lookup *lookup = loop_search(agent, i);
		const struct lookup_answer *answer;

		if (!lookup)
			continue;
		answer = lookup_run(lookup, &loop->fd[at], loop->of[i]);
		at += loop->of[i];
		if (answer && i == WANT_NOTES)
			trial_answer(agent, answer);
		else if (answer)
			search_done(agent, i, answer);
	}
}

/* Look-ups first: their descriptors may be reused by what follows. */
static int loop_once(struct loop *loop, struct agent *agent, bool *ended)
{
	loop_lookups(loop, agent);
	if (conn_receive(agent->links, &agent->on_links) ||
	    (agent->paths && conn_receive(agent->paths, &agent->on_paths)))
		return STATUS_KERNEL;
	*ended = loop_signal(agent, loop->fd[LOOP_SIGNAL].fd);
	if (*ended)
		return STATUS_OK;
	spares_run(agent);
	if (agent->due <= agent_clock())
		agent_sync(agent);
	if (agent->mend <= agent_clock())
		agent_mend(agent);
	server_run(agent);
	cap_run(agent);
	save_run(agent);
	exchange_run(agent);
	http_run(agent);
	search_begin(agent);
	job_run(&agent->jobs, agent_clock());
	return STATUS_OK;
}

int agent_loop(struct agent *agent)
{
	static struct loop loop;
	int status = STATUS_OK;
	bool ended = false;

	loop.fd[LOOP_SIGNAL].fd = loop_signals();
	if (loop.fd[LOOP_SIGNAL].fd < 0)
		return STATUS_KERNEL;
	agent_sync(agent);
	notify_send("READY=1");
	while (!status && !ended) {
		loop_prepare(&loop, agent);
		if (poll(loop.fd, loop.count, loop.wait) < 0 &&
		    errno != EINTR)
			return report_fail("poll: %s", strerror(errno));
		status = loop_once(&loop, agent, &ended);
	}
	notify_send("STOPPING=1");
	close(loop.fd[LOOP_SIGNAL].fd);
	return status;
}
