// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Fuzzer of the ranges of received numbers, beside a bitmap: they never name
 * what did not come, stay in order and apart, and fit into an ACK that our own
 * parser takes.
 */
#include "fuzz.h"
#include "wire/parse.h"
#include "reorder/ack_ranges.h"

#define FUZZ_SPAN	8192

/* Largest number of the space, as it has 48 bits. */
#define FUZZ_TOP	(BIT_ULL(48) - 1)

/**
 * struct fuzz_ack - an ACK with all its ranges
 * @ack: its head
 * @range: its ranges
 */
struct fuzz_ack {
	struct mptun_ack ack;
	struct mptun_ack_range range[MPTUN_RANGES_MAX];
} __packed;

/* As report.c writes it. */
static void fuzz_report(const struct mptun_ranges *r)
{
	struct mptun_ack_span spans[MPTUN_RANGES_MAX];
	struct fuzz_ack ack = {};
	const struct mptun_ack *got;
	u64 above = 0;
	u32 i;

	if (!r->count)
		return;
	ack.ack.ranges = r->count;
	for (i = 0; i < r->count; i++) {
		const struct mptun_range *range = mptun_ranges_get(r, i);

		if (i)
			ack.range[i].gap = cpu_to_be32(above - range->last - 1);
		else
			ack.ack.largest = cpu_to_be64(range->last);
		ack.range[i].len = cpu_to_be32(range->last - range->first + 1);
		above = range->first;
	}
	got = mptun_parse_ack((const u8 *)&ack, sizeof(ack.ack) +
			      r->count * sizeof(ack.range[0]));
	FUZZ_CHECK(got);
	FUZZ_CHECK(!mptun_parse_spans(got, spans));
	for (i = 0; i < r->count; i++) {
		FUZZ_CHECK(spans[i].first == mptun_ranges_get(r, i)->first);
		FUZZ_CHECK(spans[i].last == mptun_ranges_get(r, i)->last);
	}
}

static void fuzz_check(const struct mptun_ranges *r, const bool *came,
		       u64 base)
{
	u64 above = U64_MAX, number;
	u32 i;

	FUZZ_CHECK(r->count <= MPTUN_RANGES_MAX);
	for (i = 0; i < r->count; i++) {
		const struct mptun_range *range = mptun_ranges_get(r, i);

		FUZZ_CHECK(range->first <= range->last);
		FUZZ_CHECK(range->last < above);
		FUZZ_CHECK(!i || range->last + 1 < above);
		/* the newest may lie below what matters */
		FUZZ_CHECK(!i || range->first >= r->floor);
		for (number = range->first; number <= range->last; number++)
			FUZZ_CHECK(came[number - base]);
		above = range->first;
	}
}

static void fuzz_add(struct mptun_ranges *r, bool *came, u64 number, u64 base)
{
	enum mptun_range_verdict verdict;
	bool before = came[number - base];
	u64 floor = r->floor;

	verdict = mptun_ranges_add(r, number);
	came[number - base] = true;
	FUZZ_CHECK((verdict == MPTUN_RANGE_OLD_OR_DUP) ==
		   (before || number < floor));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	struct fuzz_in in = { .data = data, .len = len };
	static bool came[FUZZ_SPAN];
	struct mptun_ranges r;
	u64 base;

	memset(came, 0, sizeof(came));
	base = fuzz_take(&in, 6) & (FUZZ_TOP - FUZZ_SPAN);
	mptun_ranges_init(&r);
	while (in.len) {
		u16 what = fuzz_take(&in, 2);
		u64 number = base + what % FUZZ_SPAN;

		if (what >> 13 == 7)
			mptun_ranges_prune(&r, number);
		else
			fuzz_add(&r, came, number, base);
		fuzz_check(&r, came, base);
	}
	fuzz_report(&r);
	return 0;
}
