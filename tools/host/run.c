// SPDX-License-Identifier: GPL-2.0
/*
 * Other programs, and the commands of a configuration file.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/run.h"
#include "lib/report.h"
#include "lib/signals.h"

/* The program that is running, 0 for none. */
static volatile sig_atomic_t run_child_pid;

static void run_on_signal(int number)
{
	signals_note(number);
	if (run_child_pid > 0)
		kill((pid_t)run_child_pid, number);
}

void run_prepare(void)
{
	static const char folders[] = "/usr/local/sbin:/usr/sbin:/sbin";
	const char *list = getenv("PATH");
	static bool done;
	char *path;

	if (done)
		return;
	done = true;
	/* If the parent ignores it no child can be waited for. */
	signal(SIGCHLD, SIG_DFL);
	if (asprintf(&path, "%s%s%s", list ? list : "",
		     list && *list ? ":" : "", folders) < 0 ||
	    setenv("PATH", path, 1))
		exit(report_fail("out of memory"));
	free(path);
}

/* A wait that a signal interrupts continues: the program that it waits for gets
 * the signal as well.
 */
void run_catch(void)
{
	struct sigaction action = {
		.sa_handler = run_on_signal, .sa_flags = SA_RESTART,
	};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	/* A program that ends before it has read its input. */
	signal(SIGPIPE, SIG_IGN);
}

static void run_child(char *const *argv, int input, int output, bool quiet,
		      const sigset_t *mask)
{
	int null = open("/dev/null", O_RDWR);

	signal(SIGPIPE, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	dup2(input >= 0 ? input : null, STDIN_FILENO);
	if (quiet) {
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
	}
	if (output >= 0)
		dup2(output, STDOUT_FILENO);
	execvp(argv[0], argv);
	_exit(RUN_MISSING);
}

static int run_wait(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return RUN_MISSING;
	return WIFEXITED(status) ? WEXITSTATUS(status) :
				   128 + WTERMSIG(status);
}

static void run_feed(int fd, const char *input)
{
	size_t len = strlen(input);

	while (len) {
		ssize_t put = write(fd, input, len);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			break;
		input += put;
		len -= (size_t)put;
	}
	close(fd);
}

/* No signal is lost between the begin of the program and its number. */
static pid_t run_fork(char *const *argv, int input, int output, bool quiet)
{
	sigset_t mask;
	pid_t pid;

	signals_block(&mask);
	pid = fork();
	if (!pid)
		run_child(argv, input, output, quiet, &mask);
	run_child_pid = pid;
	signals_unblock(&mask);
	return pid;
}

int run_program(char *const *argv, const char *input, bool quiet)
{
	int fds[2] = { -1, -1 }, status;
	pid_t pid;

	fflush(stdout);
	if (input && pipe2(fds, O_CLOEXEC))
		return RUN_MISSING;
	pid = run_fork(argv, fds[0], -1, quiet);
	if (input) {
		close(fds[0]);
		if (pid > 0)
			run_feed(fds[1], input);
		else
			close(fds[1]);
	}
	status = pid < 0 ? RUN_MISSING : run_wait(pid);
	run_child_pid = 0;
	return status;
}

/* What it prints, to be freed. */
static char *run_take(int fd)
{
	size_t size, len = 1;
	char buf[512], *text;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		exit(report_fail("out of memory"));
	while (len > 0) {
		ssize_t got = read(fd, buf, sizeof(buf));

		if (got < 0 && errno == EINTR)
			continue;
		len = got > 0 ? (size_t)got : 0;
		fwrite(buf, 1, len, file);
	}
	fclose(file);
	return text;
}

char *run_output(char *const *argv)
{
	char *text = NULL;
	int fds[2], status;
	pid_t pid;

	fflush(stdout);
	if (pipe2(fds, O_CLOEXEC))
		return NULL;
	pid = run_fork(argv, -1, fds[1], true);
	close(fds[1]);
	if (pid > 0)
		text = run_take(fds[0]);
	close(fds[0]);
	status = pid < 0 ? RUN_MISSING : run_wait(pid);
	run_child_pid = 0;
	if (!status)
		return text;
	free(text);
	return NULL;
}

char *run_expand(const char *command, const char *dev)
{
	size_t size;
	char *text;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		exit(report_fail("out of memory"));
	for (; *command; command++) {
		if (command[0] == '%' && command[1] == 'i') {
			fputs(dev, file);
			command++;
		} else {
			fputc(*command, file);
		}
	}
	fclose(file);
	return text;
}

int run_shell(const char *command, const char *dev)
{
	char shell[] = "/bin/sh", option[] = "-c";
	char *text = run_expand(command, dev);
	char *argv[] = { shell, option, text, NULL };
	int status = run_program(argv, NULL, false);

	free(text);
	return status;
}

char *run_find(const char *name)
{
	const char *list = getenv("PATH");
	char path[512];

	while (list && *list) {
		int len = (int)strcspn(list, ":");

		snprintf(path, sizeof(path), "%.*s/%s", len, list, name);
		if (!access(path, X_OK))
			return realpath(path, NULL);
		list += len + (list[len] == ':');
	}
	return NULL;
}
