// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Fuzzer of the replay windows: no number is accepted twice, and a new one
 * within the window always is, whatever came before.
 */
#include "fuzz.h"
#include "reorder/replay.h"

#define FUZZ_NUMBERS	4096
#define FUZZ_BITS	256

/* A number: close to the current one, or anywhere. */
static u64 fuzz_number(struct fuzz_in *in, const struct mptun_replay *w)
{
	u8 how = fuzz_take(in, 1);

	if (how & 0x80)
		return fuzz_take(in, 8);
	return w->next + (s16)fuzz_take(in, 2) * (how & 0x40 ? 64 : 1);
}

static bool fuzz_seen(const u64 *seen, unsigned int n, u64 number)
{
	while (n--)
		if (seen[n] == number)
			return true;
	return false;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	struct fuzz_in in = { .data = data, .len = len };
	u64 map[MPTUN_REPLAY_BITS / MPTUN_REPLAY_WORD_BITS];
	unsigned int n = 0, bits, window;
	u64 seen[FUZZ_NUMBERS], number;
	struct mptun_replay w;
	bool credit, want;

	bits = fuzz_take(&in, 1) & 1 ? MPTUN_REPLAY_BITS : FUZZ_BITS;
	credit = fuzz_take(&in, 1) & 1;
	window = bits - MPTUN_REPLAY_WORD_BITS;
	mptun_replay_init(&w, map, bits);
	while (in.len && n < FUZZ_NUMBERS) {
		number = fuzz_number(&in, &w);
		if (credit &&
		    mptun_replay_filter(&w, number) == MPTUN_REPLAY_RESTART)
			n = 0;
		want = number != U64_MAX &&
		       (number >= w.next ||
			(w.next - number <= window &&
			 !fuzz_seen(seen, n, number)));
		FUZZ_CHECK(mptun_replay_check(&w, number) == want);
		FUZZ_CHECK(mptun_replay_update(&w, number) == want);
		FUZZ_CHECK(!mptun_replay_check(&w, number));
		FUZZ_CHECK(number == U64_MAX || w.next > number);
		if (want)
			seen[n++] = number;
	}
	return 0;
}
