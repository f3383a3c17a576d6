// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl bugreport: everything a developer needs, without secrets.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * What the parts print is caught in a file without name, and masked line by
 * line, so that no part can forget it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cmd/command.h"
#include "doctor/doctor.h"
#include "host/run.h"
#include "lib/mask.h"
#include "lib/print.h"
#include "lib/report.h"

/* Before the titles of parts, and that of paths. */
#define BUG_HEAD "== "
#define BUG_PATHS "mptunctl path show"

/* Room that masks may add to a line. */
#define BUG_ROOM 64

/**
 * struct bug_catch - output that is caught
 * @file: where it goes
 * @out: standard output before
 * @err: standard error before
 */
struct bug_catch {
	FILE *file;
	int out;
	int err;
};

static int bug_begin(struct bug_catch *catch)
{
	fflush(stdout);
	fflush(stderr);
	catch->file = tmpfile();
	catch->out = dup(STDOUT_FILENO);
	catch->err = dup(STDERR_FILENO);
	if (!catch->file || catch->out < 0 || catch->err < 0)
		return report_fail("the output cannot be caught");
	dup2(fileno(catch->file), STDOUT_FILENO);
	dup2(fileno(catch->file), STDERR_FILENO);
	return STATUS_OK;
}

static void bug_end(struct bug_catch *catch)
{
	fflush(stdout);
	fflush(stderr);
	dup2(catch->out, STDOUT_FILENO);
	dup2(catch->err, STDERR_FILENO);
	close(catch->out);
	close(catch->err);
	rewind(catch->file);
}

static void bug_head(const char *title)
{
	printf("\n" BUG_HEAD "%s\n", title);
}

/* Lines of a program, those with a text if it is not NULL. */
static void bug_program(const char *title, char *const *argv, const char *only)
{
	struct bug_catch catch;
	char *line = NULL;
	size_t size = 0;
	int status;

	bug_head(title);
	if (bug_begin(&catch))
		return;
	status = run_program(argv, NULL, false);
	bug_end(&catch);
	while (getline(&line, &size, catch.file) > 0)
		if (!only || strstr(line, only))
			fputs(line, stdout);
	free(line);
	fclose(catch.file);
	if (status)
		printf("(%s: status %d)\n", argv[0], status);
}

static void bug_command(const struct ctl *ctl, const struct command *cmd,
			const char *title)
{
	char none[] = "", *words[] = { none, NULL };

	bug_head(title);
	cmd->run(ctl, 0, words);
}

static void bug_verb(const struct ctl *ctl, const struct command *cmd,
		     const char *title)
{
	bug_command(ctl, command_find(cmd->verbs, "show"), title);
}

static void bug_machine(void)
{
	char text[160] = "not loaded";
	struct utsname name;

	printf("mptunctl %s\n", MPTUN_VERSION);
	fact_text("/sys/module/mptun/version", text, sizeof(text));
	printf("module mptun %s\n", text);
	if (!uname(&name))
		printf("machine %s, %ld processors\n", name.machine,
		       sysconf(_SC_NPROCESSORS_ONLN));
	if (fact_text("/proc/sys/kernel/osrelease", text, sizeof(text)))
		printf("kernel %s\n", text);
	if (fact_text("/proc/sys/kernel/tainted", text, sizeof(text)))
		printf("tainted %s\n", text);
	if (fact_text("/etc/os-release", text, sizeof(text)))
		printf("system %s\n", text);
}

static void bug_programs(void)
{
	char ip[] = "ip", four[] = "-4", six[] = "-6", brief[] = "-br";
	char rule[] = "rule", route[] = "route", show[] = "show";
	char table[] = "table", all[] = "all", address[] = "address";
	char dmesg[] = "dmesg";
	char *const rules4[] = { ip, four, rule, show, NULL };
	char *const rules6[] = { ip, six, rule, show, NULL };
	char *const routes4[] = { ip, four, route, show, table, all, NULL };
	char *const routes6[] = { ip, six, route, show, table, all, NULL };
	char *const addresses[] = { ip, brief, address, show, NULL };
	char *const log[] = { dmesg, NULL };

	run_prepare();
	bug_program("ip -br address", addresses, NULL);
	bug_program("ip -4 rule", rules4, NULL);
	bug_program("ip -6 rule", rules6, NULL);
	bug_program("ip -4 route show table all", routes4, NULL);
	bug_program("ip -6 route show table all", routes6, NULL);
	bug_program("dmesg, lines about mptun", log, "mptun");
}

static void bug_parts(const struct ctl *ctl)
{
	const struct ctl text = { .details = true, .commands = ctl->commands };

	bug_machine();
	bug_command(&text, &cmd_check, "mptunctl check -d");
	bug_command(&text, &cmd_show, "mptunctl show -d");
	bug_verb(&text, &cmd_path, BUG_PATHS);
	bug_verb(&text, &cmd_class, "mptunctl class show");
	bug_verb(&text, &cmd_key, "mptunctl key show");
	bug_command(&text, &cmd_stats, "mptunctl stats");
	bug_programs();
}

/* Each character of a line may become as long as a mask. */
static int bug_print(FILE *file)
{
	struct mask *mask = calloc(1, sizeof(*mask));
	char *line = NULL, *out = NULL;
	size_t size = 0;

	if (!mask)
		return report_fail("out of memory");
	while (getline(&line, &size, file) > 0) {
		size_t room = 4 * strlen(line) + BUG_ROOM;

		free(out);
		out = malloc(room);
		if (!out)
			exit(report_fail("out of memory"));
		if (!strncmp(line, BUG_HEAD, strlen(BUG_HEAD)))
			mask->paths = !strcmp(line, BUG_HEAD BUG_PATHS "\n");
		fputs(mask_line(mask, line, out, room), stdout);
	}
	free(line);
	free(out);
	free(mask);
	return STATUS_OK;
}

static int bug_run(const struct ctl *ctl, int argc, char **argv)
{
	struct bug_catch catch;
	int status;

	if (argc)
		return command_unexpected(argv[0]);
	if (ctl->json)
		return report_usage("bugreport prints no JSON");
	status = bug_begin(&catch);
	if (status)
		return status;
	/* No colours, which are for terminals. */
	print_init();
	bug_parts(ctl);
	bug_end(&catch);
	status = bug_print(catch.file);
	fclose(catch.file);
	return status;
}

const struct command cmd_bugreport = {
	.name = "bugreport", .args = "",
	.brief = "print everything that a report of a bug needs, without secrets",
	.details = "Public addresses, hardware addresses, ids and fingerprints are replaced by\n"
		   "numbers.  Read the text before you publish it.",
	.run = bug_run,
};
