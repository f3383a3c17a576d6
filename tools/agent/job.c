// SPDX-License-Identifier: GPL-2.0
/*
 * Commands that run one after the other, while the program continues.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/job.h"
#include "lib/report.h"

/* Time for which a command may continue after SIGTERM, before it is killed. */
#define JOB_GRACE_MS 5000

static void job_wipe(struct job *job)
{
	free(job->command);
	for (size_t i = 0; job->var[i]; i++)
		free(job->var[i]);
}

void job_add(struct job_queue *queue, const struct job *job)
{
	struct job last = *job;

	if (queue->count < JOB_MAX) {
		queue->job[queue->count++] = last;
		return;
	}
	report_warn("%d commands wait, so this one is left out: %s", JOB_MAX,
		    last.command);
	job_wipe(&last);
}

/* The environment of this program and the variables of the command. */
static char **job_environment(const struct job *job)
{
	size_t count = 0;
	char **list;

	while (environ[count])
		count++;
	list = calloc(count + JOB_VARS + 1, sizeof(*list));
	if (!list)
		exit(report_fail("out of memory"));
	memcpy(list, environ, count * sizeof(*list));
	for (size_t i = 0; job->var[i]; i++)
		list[count++] = job->var[i];
	return list;
}

/* In a group of its own, so that what it starts can be ended with it. */
static int job_spawn(const struct job *job, pid_t *pid)
{
	char shell[] = "/bin/sh", option[] = "-c";
	char *argv[] = { shell, option, job->command, NULL };
	char **list = job_environment(job);
	posix_spawnattr_t attr;
	sigset_t none, all;
	int err;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP |
				 POSIX_SPAWN_SETSIGMASK |
				 POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	err = posix_spawn(pid, shell, NULL, &attr, argv, list);
	posix_spawnattr_destroy(&attr);
	free(list);
	return err;
}

static void job_reap(struct job_queue *queue)
{
	int status;

	if (waitpid(queue->pid, &status, WNOHANG) != queue->pid)
		return;
	if (WIFEXITED(status) && WEXITSTATUS(status))
		report_warn("a command of the file has failed with status %d",
			    WEXITSTATUS(status));
	else if (WIFSIGNALED(status) && !queue->ended)
		report_warn("a command of the file was ended by signal %d",
			    WTERMSIG(status));
	queue->pid = 0;
}

static void job_end(struct job_queue *queue, uint64_t now)
{
	if (now < queue->until)
		return;
	if (!queue->ended)
		report_warn("a command of the file has run for %d s, and is ended",
			    JOB_MOST_MS / 1000);
	kill(-queue->pid, queue->ended ? SIGKILL : SIGTERM);
	queue->ended = true;
	queue->until = now + JOB_GRACE_MS;
}

static void job_begin(struct job_queue *queue, uint64_t now)
{
	struct job job = queue->job[0];
	int err;

	queue->count--;
	memmove(&queue->job[0], &queue->job[1],
		queue->count * sizeof(queue->job[0]));
	err = job_spawn(&job, &queue->pid);
	if (err) {
		queue->pid = 0;
		report_warn("a command of the file cannot be run: %s",
			    strerror(err));
	}
	queue->ended = false;
	queue->until = now + JOB_MOST_MS;
	job_wipe(&job);
}

void job_run(struct job_queue *queue, uint64_t now)
{
	if (queue->pid)
		job_reap(queue);
	if (queue->pid)
		job_end(queue, now);
	while (!queue->pid && queue->count)
		job_begin(queue, now);
}

uint64_t job_due(const struct job_queue *queue)
{
	if (queue->pid)
		return queue->until;
	return queue->count ? 0 : UINT64_MAX;
}

void job_free(struct job_queue *queue)
{
	for (size_t i = 0; i < queue->count; i++)
		job_wipe(&queue->job[i]);
	queue->count = 0;
}
