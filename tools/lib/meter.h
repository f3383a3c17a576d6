/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rates and losses of a path, from its counters at two times.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Pure: counters and a clock in, figures out.
 */
#ifndef MPTUN_TOOLS_METER_H
#define MPTUN_TOOLS_METER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Intervals that are remembered. */
#define METER_HISTORY 128
/* A figure that is unknown. */
#define METER_UNKNOWN UINT64_MAX

/* The counters that a meter uses, since the path was added. */
enum meter_counter {
	METER_TX_BYTES,
	METER_RX_BYTES,
	METER_ACKED,
	METER_LOST,
	METER_SPURIOUS,
	METER_CHANGES,
	METER_COUNTERS,
};

/**
 * struct meter_sample - counters of a path at one time
 * @us: the time in microseconds, on a monotonic clock
 * @count: the counters
 */
struct meter_sample {
	uint64_t us;
	uint64_t count[METER_COUNTERS];
};

/**
 * struct meter - figures of a path
 * @sampled: there has been a sample
 * @last: the last sample
 * @tx_rate: bits per second sent in the last interval, or METER_UNKNOWN
 * @rx_rate: the same received
 * @loss: share lost of the packets acknowledged or lost in the last interval,
 *	in parts per million, or METER_UNKNOWN if there were none
 * @history: sum of both rates in the last intervals, the oldest first
 * @count: number of entries of @history
 */
struct meter {
	bool sampled;
	struct meter_sample last;
	uint64_t tx_rate;
	uint64_t rx_rate;
	uint64_t loss;
	uint64_t history[METER_HISTORY];
	size_t count;
};

/**
 * meter_rate() - bits per second
 * @bytes: number of bytes
 * @us: time they took in microseconds, not 0
 *
 * Return: the rate.
 */
uint64_t meter_rate(uint64_t bytes, uint64_t us);

/**
 * meter_loss() - share of packets that were lost
 * @lost: packets declared lost
 * @spurious: lost packets that were acknowledged later
 * @acked: packets acknowledged
 *
 * Return: parts per million, METER_UNKNOWN if there were no packets.
 */
uint64_t meter_loss(uint64_t lost, uint64_t spurious, uint64_t acked);

/**
 * meter_init() - begin to follow a path
 * @meter: its meter
 */
void meter_init(struct meter *meter);

/**
 * meter_add() - take the next sample of a path
 * @meter: its meter
 * @sample: its counters
 *
 * If a counter decreases, the path was deleted and added again, and all
 * counters began at zero.
 */
void meter_add(struct meter *meter, const struct meter_sample *sample);

#endif /* MPTUN_TOOLS_METER_H */
