/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Commands that run one after the other, while the program continues.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_JOB_H
#define MPTUN_TOOLS_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Most commands that wait. */
#define JOB_MAX 64
/* Variables of the environment that a command gets. */
#define JOB_VARS 8
/* Time after which a command is ended, in milliseconds. */
#define JOB_MOST_MS 60000

/**
 * struct job - a command
 * @command: for /bin/sh
 * @var: variables NAME=VALUE; the list ends with NULL
 */
struct job {
	char *command;
	char *var[JOB_VARS + 1];
};

/**
 * struct job_queue - commands
 * @pid: the one that runs, or 0
 * @ended: it was asked to end
 * @until: when it is asked to end, or killed
 * @job: those that wait
 * @count: their number
 */
struct job_queue {
	pid_t pid;
	bool ended;
	uint64_t until;
	struct job job[JOB_MAX];
	size_t count;
};

/**
 * job_add() - add a command
 * @queue: the commands
 * @job: the command, which belongs to the queue then
 */
void job_add(struct job_queue *queue, const struct job *job);

/**
 * job_run() - let commands begin and end
 * @queue: the commands
 * @now: the time in ms
 *
 * To be called at times, after SIGCHLD, and at job_due().
 */
void job_run(struct job_queue *queue, uint64_t now);

/**
 * job_due() - when job_run() is to be called at the latest
 * @queue: the commands
 *
 * Return: the time in ms, UINT64_MAX for never.
 */
uint64_t job_due(const struct job_queue *queue);

/**
 * job_free() - forget commands that wait; one that runs is left alone
 * @queue: the commands
 */
void job_free(struct job_queue *queue);

#endif /* MPTUN_TOOLS_JOB_H */
