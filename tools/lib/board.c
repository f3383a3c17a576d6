// SPDX-License-Identifier: GPL-2.0
/*
 * The paths of all tunnels, followed from sample to sample.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdlib.h>
#include <string.h>

#include "lib/board.h"
#include "lib/report.h"

static void board_meter(struct board_path *row, struct record *path,
			uint64_t us)
{
	static const char *const names[METER_COUNTERS] = {
		[METER_TX_BYTES] = "tx-bytes", [METER_RX_BYTES] = "rx-bytes",
		[METER_ACKED] = "acked-packets", [METER_LOST] = "lost-packets",
		[METER_SPURIOUS] = "spurious",
		[METER_CHANGES] = "state-changes",
	};
	const struct record *stats = record_nest(path, "stats");
	struct meter_sample sample = { .us = us };

	for (int i = 0; i < METER_COUNTERS; i++)
		sample.count[i] = record_num(stats, names[i]);
	meter_add(&row->meter, &sample);
	if (row->meter.tx_rate != METER_UNKNOWN)
		record_set(path, "tx-rate", row->meter.tx_rate);
	if (row->meter.rx_rate != METER_UNKNOWN)
		record_set(path, "rx-rate", row->meter.rx_rate);
}

static const struct board_path *board_find(const struct board *board,
					   const struct record *path)
{
	for (size_t i = 0; i < board->sample.paths.count; i++)
		if (dump_same(board->path[i].path, path))
			return &board->path[i];
	return NULL;
}

int board_update(struct board *board, struct dump_sample *sample)
{
	size_t count = sample->paths.count;
	struct board_path *rows = calloc(count + 1, sizeof(*rows));

	if (!rows) {
		dump_sample_free(sample);
		return report_fail("out of memory");
	}
	for (size_t i = 0; i < count; i++) {
		struct record *path = sample->paths.rec[i];
		const struct board_path *before = board_find(board, path);

		meter_init(&rows[i].meter);
		if (before)
			rows[i].meter = before->meter;
		rows[i].path = path;
		board_meter(&rows[i], path, sample->us);
	}
	board_free(board);
	board->sample = *sample;
	board->path = rows;
	return 0;
}

void board_free(struct board *board)
{
	dump_sample_free(&board->sample);
	free(board->path);
	board->path = NULL;
}

uint64_t board_sum(const struct board *board, const struct record *tunnel,
		   bool rx)
{
	uint64_t sum = METER_UNKNOWN;

	for (size_t i = 0; i < board->sample.paths.count; i++) {
		const struct board_path *row = &board->path[i];
		uint64_t rate = rx ? row->meter.rx_rate : row->meter.tx_rate;

		if (!dump_of(row->path, tunnel) || rate == METER_UNKNOWN)
			continue;
		sum = sum == METER_UNKNOWN ? rate : sum + rate;
	}
	return sum;
}

uint64_t board_peak(const struct board *board, const struct record *tunnel)
{
	uint64_t peak = 0;

	for (size_t i = 0; i < board->sample.paths.count; i++) {
		const struct board_path *row = &board->path[i];

		if (!dump_of(row->path, tunnel))
			continue;
		for (size_t j = 0; j < row->meter.count; j++)
			if (row->meter.history[j] > peak)
				peak = row->meter.history[j];
	}
	return peak;
}
