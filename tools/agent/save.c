// SPDX-License-Identifier: GPL-2.0
/*
 * What is remembered is written by a process of its own, as a disk may be slow.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/store.h"
#include "lib/report.h"

/* Starts the process that writes.  It closes all files: it must hold neither
 * the lock on the file of the tunnel nor connections.
 */
static pid_t save_fork(const struct agent *agent)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		report_warn("no process can write what is remembered: %s",
			    strerror(errno));
	if (pid)
		return pid;
	/* It must not outlive its agent: the next one may write newer data. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(STATUS_KERNEL);
	/* Not every C library has close_range(). */
	syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
	_exit(store_write(agent->file->name, agent->store));
}

void save_begin(struct agent *agent)
{
	struct agent_save *save = &agent->save;
	pid_t pid;

	save->waits = save->writer;
	if (save->writer || !save->changed)
		return;
	save->written = agent_clock();
	pid = save_fork(agent);
	if (pid < 0)
		return;
	save->changed = false;
	save->writer = pid;
}

static void save_done(struct agent *agent, int options)
{
	struct agent_save *save = &agent->save;
	int status = 0;

	if (!save->writer ||
	    waitpid(save->writer, &status, options) != save->writer)
		return;
	save->writer = 0;
	/* After a failure, the next look at the counters writes again. */
	if (status)
		save->changed = true;
	else if (save->waits)
		save_begin(agent);
	if (save->changed)
		cap_later(agent);
}

void save_run(struct agent *agent)
{
	save_done(agent, WNOHANG);
}

void save_end(struct agent *agent)
{
	save_done(agent, 0);
	save_begin(agent);
	save_done(agent, 0);
}
