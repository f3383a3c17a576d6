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

static volatile sig_atomic_t run_signal;

static void run_on_signal(int number)
{
	run_signal = number;
}

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

bool run_caught(void)
{
	return run_signal;
}

static void run_child(char *const *argv, int input, bool quiet)
{
	int null = open("/dev/null", O_RDWR);

	signal(SIGPIPE, SIG_DFL);
	dup2(input >= 0 ? input : null, STDIN_FILENO);
	if (quiet) {
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
	}
	execvp(argv[0], argv);
	_exit(127);
}

static int run_wait(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 127;
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

int run_program(char *const *argv, const char *input, bool quiet)
{
	int fds[2] = { -1, -1 };
	pid_t pid;

	fflush(stdout);
	if (input && pipe2(fds, O_CLOEXEC))
		return 127;
	pid = fork();
	if (!pid)
		run_child(argv, fds[0], quiet);
	if (input) {
		close(fds[0]);
		if (pid > 0)
			run_feed(fds[1], input);
		else
			close(fds[1]);
	}
	return pid < 0 ? 127 : run_wait(pid);
}

/* Replaces %i by the name. */
static char *run_expand(const char *command, const char *dev)
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

bool run_found(const char *name)
{
	const char *list = getenv("PATH");
	char path[512];

	while (list && *list) {
		int len = (int)strcspn(list, ":");

		snprintf(path, sizeof(path), "%.*s/%s", len, list, name);
		if (!access(path, X_OK))
			return true;
		list += len + (list[len] == ':');
	}
	return false;
}
