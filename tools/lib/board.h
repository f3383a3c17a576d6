/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The paths of all tunnels, followed from sample to sample.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_BOARD_H
#define MPTUN_TOOLS_BOARD_H

#include "lib/dump.h"
#include "lib/meter.h"

/**
 * struct board_path - a path that is followed
 * @path: its last record, belongs to the sample
 * @meter: its figures
 */
struct board_path {
	const struct record *path;
	struct meter meter;
};

/**
 * struct board - what is followed
 * @sample: the last sample
 * @path: the paths of @sample, in its order
 */
struct board {
	struct dump_sample sample;
	struct board_path *path;
};

/**
 * board_update() - take the next sample
 * @board: the board
 * @sample: the sample, owned by @board afterwards
 *
 * Paths get the rates since the last sample, if they were there.
 *
 * Return: 0, or the exit status after a message.
 */
int board_update(struct board *board, struct dump_sample *sample);

/**
 * board_free() - free all that belongs to a board
 * @board: the board, empty afterwards
 */
void board_free(struct board *board);

/**
 * board_sum() - sum of the rates of a tunnel
 * @board: the board
 * @tunnel: the tunnel
 * @rx: received rates, not sent ones
 *
 * Return: bits per second, METER_UNKNOWN if no rate is known.
 */
uint64_t board_sum(const struct board *board, const struct record *tunnel,
		   bool rx);

/**
 * board_peak() - largest figure of the charts of a tunnel
 * @board: the board
 * @tunnel: the tunnel
 *
 * Return: the largest rate of a path in the remembered intervals.
 */
uint64_t board_peak(const struct board *board, const struct record *tunnel);

#endif /* MPTUN_TOOLS_BOARD_H */
