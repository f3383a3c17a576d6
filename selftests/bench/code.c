// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Bench of the code (kmod/code) in user space: what is left of losses, how late
 * the rest comes back, and what it costs; beside block codes and their losses.
 *
 * usage: code [PACKETS [SEED]]
 *
 * code.sh builds and runs it.
 */
#include <time.h>

#include "code/decoder.h"
#include "code/encoder.h"
#include "shim.h"
#include "wire/parse.h"

/* A packet has been given up this number of packets after it: the window, and
 * as much again.
 */
#define BENCH_GIVE_UP	128

#define BENCH_BODY	2048
#define BENCH_LEN	1400
#define BENCH_BLOCK	64

/**
 * struct bench_loss - how packets are lost
 * @name: how it is printed
 * @in: probability that a burst begins, per 100,000, as all of these
 * @out: probability that it ends
 * @burst: loss within
 * @rest: loss outside
 */
struct bench_loss {
	const char *name;
	u32 in;
	u32 out;
	u32 burst;
	u32 rest;
};

/**
 * struct bench_run - a code on a loss
 * @loss: the loss
 * @random: state of the generator
 * @bad: a burst is on
 * @lost: packets lost, by dsn
 * @delay: packets until one was decoded, by that number
 * @packets: packets sent
 * @symbols: repair symbols sent
 * @losses: packets lost
 * @back: those decoded in time
 */
struct bench_run {
	const struct bench_loss *loss;
	u64 random;
	bool bad;
	u8 *lost;
	u32 delay[BENCH_GIVE_UP + 1];
	u32 packets;
	u32 symbols;
	u32 losses;
	u32 back;
};

/* Where the generator begins. */
static u64 bench_seed = 0x9e3779b97f4a7c15ULL;

static u32 bench_random(struct bench_run *r)
{
	r->random ^= r->random << 13;
	r->random ^= r->random >> 7;
	r->random ^= r->random << 17;
	return r->random >> 32;
}

/* Whether the next transmission is lost. */
static bool bench_lost(struct bench_run *r)
{
	u32 dice = bench_random(r) % 100000;

	r->bad = r->bad ? dice >= r->loss->out : dice < r->loss->in;
	return bench_random(r) % 100000 <
	       (r->bad ? r->loss->burst : r->loss->rest);
}

static void bench_begin(struct bench_run *r, const struct bench_loss *loss,
			u32 packets)
{
	*r = (struct bench_run){
		.loss = loss,
		.random = bench_seed,
		.packets = packets,
		.lost = calloc(packets + BENCH_GIVE_UP, 1),
	};
	if (!r->lost)
		abort();
}

static void bench_back(struct bench_run *r, u32 dsn, u32 now)
{
	if (!r->lost[dsn] || now - dsn > BENCH_GIVE_UP)
		return;
	r->lost[dsn] = 0;
	r->back++;
	r->delay[now - dsn]++;
}

static u32 bench_percentile(const struct bench_run *r, u32 percent)
{
	u32 i, sum = 0;

	for (i = 0; i < BENCH_GIVE_UP; i++) {
		sum += r->delay[i];
		if ((u64)sum * 100 >= (u64)r->back * percent)
			break;
	}
	return i;
}

static void bench_end(struct bench_run *r, const char *code)
{
	printf("%-12s %-19s %6.1f %6u %7u %9.2e %5u %5u\n", r->loss->name,
	       code, 100.0 * r->symbols / r->packets, r->losses,
	       r->losses - r->back,
	       (double)(r->losses - r->back) / r->packets,
	       bench_percentile(r, 50), bench_percentile(r, 99));
	free(r->lost);
}

/* A block of @k packets, then @n - @k symbols of which any replaces any. */
static void bench_block(const struct bench_loss *loss, u32 k, u32 more,
			u32 packets)
{
	struct bench_run r;
	char name[24];
	u32 dsn, i, missing;

	bench_begin(&r, loss, packets);
	for (dsn = 0; dsn + k <= packets; dsn += k) {
		for (i = 0, missing = 0; i < k; i++) {
			r.lost[dsn + i] = bench_lost(&r);
			missing += r.lost[dsn + i];
		}
		r.losses += missing;
		for (i = 0; i < more; i++) {
			r.symbols++;
			if (!bench_lost(&r) && missing)
				missing--;
		}
		for (i = 0; i < k && !missing; i++)
			bench_back(&r, dsn + i, dsn + k - 1);
	}
	snprintf(name, sizeof(name), "block %u:%u", k, more);
	bench_end(&r, name);
}

/* The packet of a dsn. */
static void bench_packet(struct mptun_code_packet *packet,
			 struct mptun_code_piece *piece, u8 *body, u32 dsn,
			 u32 len)
{
	memset(body, dsn * 0x9e3779b9U >> 24, len);
	memcpy(body, &dsn, sizeof(dsn));
	*piece = (struct mptun_code_piece){ .data = body, .len = len };
	*packet = (struct mptun_code_packet){
		.dsn = dsn,
		.prev = 1,
		.class = 3,
		.pieces = 1,
		.piece = piece,
	};
}

/* Takes decoded packets, which must be the ones that were sent. */
static void bench_decoded(struct bench_run *r, struct mptun_decoder *d,
			  u32 now)
{
	struct mptun_code_packet got, want;
	struct mptun_code_piece piece;
	u8 body[BENCH_LEN];

	while (mptun_decoder_next(d, &got)) {
		bench_packet(&want, &piece, body, got.dsn, got.piece->len);
		if (memcmp(got.piece->data, body, piece.len)) {
			fprintf(stderr, "%u was decoded wrongly\n", got.dsn);
			exit(1);
		}
		bench_back(r, got.dsn, now);
	}
}

static void bench_make(struct mptun_encoder *e, struct mptun_decoder *d,
		       u32 len)
{
	const struct mptun_encoder_config sender = {
		.field = &mptun_field_portable,
		.len = len,
		.sums = 40,
		.idle_ns = NSEC_PER_SEC,
	};
	const struct mptun_decoder_config receiver = {
		.field = &mptun_field_portable,
		.len = len,
		.slots = 256,
		.rows = MPTUN_DECODER_ROWS,
	};

	if (mptun_encoder_init(e, &sender, GFP_KERNEL) ||
	    mptun_decoder_init(d, &receiver, GFP_KERNEL))
		abort();
}

static void bench_sliding(const struct bench_loss *loss, u32 overhead,
			  u32 window, u32 share, u32 packets)
{
	struct mptun_code_packet packet;
	struct mptun_code_piece piece;
	struct mptun_repair_window symbol;
	u8 body[BENCH_BODY];
	struct mptun_encoder e;
	struct mptun_decoder d;
	struct bench_run r;
	char name[24];
	u32 dsn, last, len;

	bench_begin(&r, loss, packets);
	bench_make(&e, &d, BENCH_BLOCK);
	mptun_encoder_set(&e, overhead, window, share);
	/* the last ones need what comes after them */
	for (dsn = 0; dsn < packets + BENCH_GIVE_UP; dsn++) {
		bench_packet(&packet, &piece, body, dsn, 4 + dsn % 61);
		mptun_encoder_add(&e, &packet, 0);
		r.lost[dsn] = bench_lost(&r) && dsn < packets;
		r.losses += r.lost[dsn];
		if (!r.lost[dsn]) {
			mptun_decoder_packet(&d, &packet);
			bench_decoded(&r, &d, dsn);
		}
		while ((len = mptun_encoder_take(&e, body, &last)) != 0) {
			r.symbols++;
			if (bench_lost(&r))
				continue;
			if (mptun_parse_repair(last, body, len, &symbol))
				abort();
			mptun_decoder_symbol(&d, &symbol);
			bench_decoded(&r, &d, dsn);
		}
	}
	snprintf(name, sizeof(name), "window %u %u/%u", window, share,
		 MPTUN_ENCODER_DENSE);
	bench_end(&r, name);
	mptun_encoder_destroy(&e);
	mptun_decoder_destroy(&d);
}

/* Time of this program, in ns. */
static u64 bench_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/**
 * struct bench_symbol - a repair symbol that was sent
 * @after: dsn of the packet before it
 * @last: dsn in its header
 * @len: length of its body
 * @body: its body
 */
struct bench_symbol {
	u32 after;
	u32 last;
	u32 len;
	u8 body[BENCH_BODY];
};

/* A round of all packets of full size, at both ends. */
static void bench_round(struct bench_run *r, u32 overhead, u32 share,
			struct bench_symbol *symbols, u64 *times)
{
	static u8 body[BENCH_LEN] = { 0x45 };
	const struct mptun_code_piece piece = {
		.data = body,
		.len = BENCH_LEN,
	};
	struct mptun_code_packet packet = { .pieces = 1, .piece = &piece };
	struct bench_symbol *symbol = symbols;
	struct mptun_repair_window window;
	struct mptun_encoder e;
	struct mptun_decoder d;
	u64 at;

	bench_make(&e, &d, BENCH_LEN);
	mptun_encoder_set(&e, overhead, MPTUN_REPAIR_MEMBERS, share);
	r->symbols = 0;
	at = bench_now();
	for (packet.dsn = 0; packet.dsn < r->packets; packet.dsn++) {
		mptun_encoder_add(&e, &packet, 0);
		if (!mptun_encoder_ready(&e))
			continue;
		symbol->after = packet.dsn;
		symbol->len = mptun_encoder_take(&e, symbol->body,
						 &symbol->last);
		symbol++;
		r->symbols++;
	}
	times[0] = min(times[0], bench_now() - at);
	symbol->after = U32_MAX;
	symbol = symbols;
	at = bench_now();
	for (packet.dsn = 0; packet.dsn < r->packets; packet.dsn++) {
		if (!bench_lost(r))
			mptun_decoder_packet(&d, &packet);
		if (symbol->after != packet.dsn)
			continue;
		mptun_parse_repair(symbol->last, symbol->body, symbol->len,
				   &window);
		if (!bench_lost(r))
			mptun_decoder_symbol(&d, &window);
		symbol++;
	}
	times[1] = min(times[1], bench_now() - at);
	mptun_encoder_destroy(&e);
	mptun_decoder_destroy(&d);
}

/* Time per packet of full size, at both ends: the best of some rounds. */
static void bench_cost(const struct bench_loss *loss, u32 overhead, u32 share)
{
	struct bench_symbol *symbols;
	u64 times[] = { U64_MAX, U64_MAX };
	struct bench_run r;
	unsigned int i;

	bench_begin(&r, loss, 2000);
	symbols = calloc(r.packets + 1, sizeof(*symbols));
	if (!symbols)
		abort();
	for (i = 0; i < 5; i++)
		bench_round(&r, overhead, share, symbols, times);
	printf("%-12s %3u/%u %6.1f %8.2f %8.2f %8.1f\n", loss->name, share,
	       MPTUN_ENCODER_DENSE, 100.0 * r.symbols / r.packets,
	       times[0] / 1e3 / r.packets, times[1] / 1e3 / r.packets,
	       times[0] / 1e3 / r.symbols);
	free(symbols);
	free(r.lost);
}

/* The best time of many for 64 packets of full size. */
static void bench_multiply(void)
{
	static u8 from[64][BENCH_LEN], to[BENCH_LEN];
	u64 at, best = U64_MAX;
	unsigned int i, n;

	memset(from, 0x5a, sizeof(from));
	for (n = 0; n < 1000; n++) {
		at = bench_now();
		for (i = 0; i < 64; i++)
			mptun_field_portable.mul_add(to, from[i], 3 * i + 1,
						     BENCH_LEN);
		best = min(best, bench_now() - at);
	}
	printf("64 packets of %u bytes times coefficients: %.1f us\n",
	       BENCH_LEN, best / 1e3);
}

static const struct bench_loss bench_losses[] = {
	{ "1 %", 0, 0, 0, 1000 },
	{ "3 %", 0, 0, 0, 3000 },
	{ "5 %", 0, 0, 0, 5000 },
	{ "10 %", 0, 0, 0, 10000 },
	{ "bursts 10 %", 4000, 30000, 80000, 500 },
};

int main(int argc, char **argv)
{
	static const u32 percent[] = { 65, 125, 133, 267, 267 };
	static const u32 shares[] = { 256, 192, 128, 96, 64 };
	u32 packets = argc > 1 ? strtoul(argv[1], NULL, 10) : 300000;
	const struct bench_loss *loss = bench_losses;
	unsigned int i, n;
	u32 overhead;

	if (argc > 2)
		bench_seed *= 2 * strtoul(argv[2], NULL, 10) + 1;
	printf("%-12s %-19s %6s %6s %7s %9s %5s %5s\n", "loss", "code",
	       "ovhd %", "lost", "gone", "residual", "p50", "p99");
	for (i = 0; i < ARRAY_SIZE(bench_losses); i++, loss++) {
		overhead = percent[i] * MPTUN_ENCODER_ONE / 1000;
		for (n = 0; n < ARRAY_SIZE(shares); n++)
			bench_sliding(loss, overhead, 64, shares[n], packets);
		bench_sliding(loss, overhead, 128, 128, packets);
		bench_sliding(loss, overhead, 32, 256, packets);
		bench_block(loss, 15, 2, packets);
		bench_block(loss, 15, 4, packets);
		bench_block(loss, 20, 10, packets);
	}
	printf("\nus per packet of %u bytes\n%-12s %7s %6s %8s %8s %8s\n",
	       BENCH_LEN, "loss", "share", "ovhd %", "encoder", "decoder",
	       "symbol");
	for (i = 0, loss = bench_losses; i < ARRAY_SIZE(bench_losses);
	     i++, loss++) {
		overhead = percent[i] * MPTUN_ENCODER_ONE / 1000;
		bench_cost(loss, overhead, 256);
		bench_cost(loss, overhead, 128);
	}
	bench_multiply();
	return 0;
}
