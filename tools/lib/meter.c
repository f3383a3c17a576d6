// SPDX-License-Identifier: GPL-2.0
/*
 * Rates and losses of a path, from its counters at two times.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <string.h>

#include "lib/meter.h"

uint64_t meter_rate(uint64_t bytes, uint64_t us)
{
	return (uint64_t)((double)bytes * 8e6 / (double)us);
}

uint64_t meter_loss(uint64_t lost, uint64_t spurious, uint64_t acked)
{
	uint64_t total = lost + acked;

	/* A loss may prove spurious long afterwards. */
	lost -= spurious < lost ? spurious : lost;
	if (!total)
		return METER_UNKNOWN;
	return (uint64_t)((double)lost / (double)total * 1e6);
}

void meter_init(struct meter *meter)
{
	memset(meter, 0, sizeof(*meter));
	meter->tx_rate = METER_UNKNOWN;
	meter->rx_rate = METER_UNKNOWN;
	meter->loss = METER_UNKNOWN;
}

static bool meter_restarted(const struct meter *meter,
			     const struct meter_sample *sample)
{
	for (int i = 0; i < METER_COUNTERS; i++)
		if (sample->count[i] < meter->last.count[i])
			return true;
	return false;
}

static void meter_remember(struct meter *meter, uint64_t rate)
{
	if (meter->count == METER_HISTORY)
		memmove(meter->history, meter->history + 1,
			--meter->count * sizeof(meter->history[0]));
	meter->history[meter->count++] = rate;
}

void meter_add(struct meter *meter, const struct meter_sample *sample)
{
	uint64_t us = sample->us - meter->last.us, delta[METER_COUNTERS];
	bool restarted = meter_restarted(meter, sample);

	/* No time has passed: no rate. */
	if (meter->sampled && sample->us <= meter->last.us)
		return;
	for (int i = 0; i < METER_COUNTERS; i++)
		delta[i] = sample->count[i] - (restarted ? 0 : meter->last.count[i]);
	if (meter->sampled) {
		meter->tx_rate = meter_rate(delta[METER_TX_BYTES], us);
		meter->rx_rate = meter_rate(delta[METER_RX_BYTES], us);
		meter->loss = meter_loss(delta[METER_LOST],
					 delta[METER_SPURIOUS],
					 delta[METER_ACKED]);
		meter_remember(meter, meter->tx_rate + meter->rx_rate);
	}
	meter->last = *sample;
	meter->sampled = true;
}
