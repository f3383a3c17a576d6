/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers as text: times, sizes, rates, ages, percentages.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * The exact forms are those that parse.c reads back to the same value; the
 * short ones keep three digits.  Each returns the buffer it was given.
 */
#ifndef MPTUN_TOOLS_FORMAT_H
#define MPTUN_TOOLS_FORMAT_H

#include <stddef.h>
#include <stdint.h>

/* Large enough for every form below. */
#define FORMAT_MAX 32

const char *format_time(uint64_t us, char *buf);
const char *format_seconds(uint64_t s, char *buf);
const char *format_size(uint64_t bytes, char *buf);
const char *format_volume(uint64_t bytes, char *buf);
const char *format_rate(uint64_t bps, char *buf);

const char *format_time_short(uint64_t us, char *buf);
const char *format_size_short(uint64_t bytes, char *buf);
const char *format_rate_short(uint64_t bps, char *buf);
const char *format_age(uint64_t ms, char *buf);
const char *format_ppm(uint64_t ppm, char *buf);

#endif /* MPTUN_TOOLS_FORMAT_H */
