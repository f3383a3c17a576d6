/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much a program sends, and how fast: shared by the floods.
 * Copyright (C) 2026 The mptun authors
 *
 * In virtual time, where the clock stands still while programs run, only -c
 * together with -p ends a flood.
 */
#ifndef MPTUN_PACE_H
#define MPTUN_PACE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define PACE_OPTIONS "c:t:p:"

struct pace {
	unsigned long long count;	/* limit of packets */
	double seconds;			/* limit of time */
	double rate;			/* packets a second, 0 for any */
	double begin;
	unsigned long long tried, sent;
};

static inline void die(const char *what)
{
	perror(what);
	exit(1);
}

static inline double pace_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* Take an option if it is one of PACE_OPTIONS. */
static inline bool pace_option(struct pace *pace, int option,
			       const char *value)
{
	switch (option) {
	case 'c':
		pace->count = strtoull(value, NULL, 0);
		return true;
	case 't':
		pace->seconds = atof(value);
		return true;
	case 'p':
		pace->rate = atof(value);
		return true;
	default:
		return false;
	}
}

static inline double pace_taken(const struct pace *pace)
{
	return pace_now() - pace->begin;
}

/* The number of packets of a batch to send now, 0 at the end. */
static inline int pace_batch(struct pace *pace, int most)
{
	unsigned long long left = pace->count - pace->tried;
	double early;

	if (pace->rate) {
		early = pace->tried / pace->rate - pace_taken(pace);
		if (early > 0)
			usleep(early * 1e6);
	}
	if (pace_taken(pace) >= pace->seconds)
		return 0;
	return left < (unsigned long long)most ? (int)left : most;
}

/* Count the packets of a batch: tried, and sent. */
static inline void pace_did(struct pace *pace, int tried, int sent)
{
	pace->tried += tried;
	pace->sent += sent > 0 ? sent : 0;
}

#endif /* MPTUN_PACE_H */
