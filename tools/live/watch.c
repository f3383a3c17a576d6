// SPDX-License-Identifier: GPL-2.0
/*
 * Sampling tunnels at intervals: which ones, when, and until when.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/signals.h"
#include "live/watch.h"

/* Set by signals, which arrive only in watch_wait(), as do those that end. */
static volatile sig_atomic_t watch_stopped, watch_resized;
/* Signals that are blocked outside of watch_wait(). */
static sigset_t watch_outside;

int watch_words(const struct parse_table *table, int argc, char **argv,
		struct watch *watch, struct parse_result *res)
{
	char **words = calloc((size_t)argc + 1, sizeof(*words));
	int count = 0, err = 0;

	if (!words) {
		strcpy(res->error, "out of memory");
		return -1;
	}
	watch->name = argv;
	watch->count = 0;
	for (int i = 0; i < argc && !err; i++) {
		if (parse_find(table, argv[i]) < 0) {
			err = parse_dev_name(argv[i], res->error);
			argv[watch->count++] = argv[i];
			continue;
		}
		words[count++] = argv[i];
		if (i + 1 < argc)
			words[count++] = argv[++i];
	}
	if (!err)
		err = parse_words(table, count, words, res);
	free(words);
	return err;
}

bool watch_wants(const struct watch *watch, const struct record *rec)
{
	for (size_t i = 0; i < watch->count; i++)
		if (!strcmp(watch->name[i], record_text(rec, "ifname")))
			return true;
	return !watch->count;
}

static void watch_filter(const struct watch *watch, struct dump_list *list)
{
	size_t left = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (watch_wants(watch, list->rec[i]))
			list->rec[left++] = list->rec[i];
		else
			record_free(list->rec[i]);
	}
	list->count = left;
}

int watch_sample(const struct watch *watch, struct conn *conn,
		 struct dump_sample *sample)
{
	int status = dump_all(conn, NULL, sample);

	watch_filter(watch, &sample->tunnels);
	watch_filter(watch, &sample->paths);
	return status;
}

const char *watch_missing(const struct watch *watch,
			  const struct dump_sample *sample)
{
	for (size_t i = 0; i < watch->count; i++) {
		size_t j = 0;

		while (j < sample->tunnels.count &&
		       strcmp(watch->name[i],
			      record_text(sample->tunnels.rec[j], "ifname")))
			j++;
		if (j == sample->tunnels.count)
			return watch->name[i];
	}
	return NULL;
}

static void watch_signal(int number)
{
	if (number == SIGWINCH)
		watch_resized = 1;
	else if (number == SIGTSTP)
		watch_stopped = 1;
	else
		signals_note(number);
}

void watch_signals(bool terminal)
{
	static const int numbers[] = {
		SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP
	};
	struct sigaction action = { .sa_handler = watch_signal };
	size_t count = terminal ? 5 : 3;
	struct sigaction before;
	sigset_t set;

	sigemptyset(&set);
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < count; i++)
		sigaddset(&set, numbers[i]);
	sigprocmask(SIG_BLOCK, &set, &watch_outside);
	for (size_t i = 0; i < count; i++) {
		sigdelset(&watch_outside, numbers[i]);
		/* Signals that were ignored, as by nohup, stay ignored. */
		sigaction(numbers[i], &action, &before);
		if (before.sa_handler == SIG_IGN)
			sigaction(numbers[i], &before, NULL);
	}
}

void watch_stop(void)
{
	raise(SIGSTOP);
}

uint64_t watch_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

static bool watch_take(volatile sig_atomic_t *flag)
{
	bool set = *flag;

	*flag = 0;
	return set;
}

enum watch_reason watch_wait(uint64_t until, int fd)
{
	struct pollfd file = { .fd = fd, .events = POLLIN };
	uint64_t now = watch_now(), us = until > now ? until - now : 0;
	struct timespec ts = {
		.tv_sec = (time_t)(us / 1000000),
		.tv_nsec = (long)(us % 1000000) * 1000,
	};
	int count = ppoll(&file, 1, &ts, &watch_outside);

	if (signals_noted())
		return WATCH_ENDED;
	if (watch_take(&watch_stopped))
		return WATCH_STOPPED;
	if (watch_take(&watch_resized))
		return WATCH_RESIZED;
	return count > 0 ? WATCH_READY : WATCH_TIME;
}
