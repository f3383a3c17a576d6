/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Packets, an encoder and a decoder for the tests of the code.
 */
#ifndef _MPTUN_TEST_CODE_FRAME_H
#define _MPTUN_TEST_CODE_FRAME_H

#include <kunit/test.h>
#include <linux/prandom.h>

#include "code/decoder.h"
#include "code/encoder.h"
#include "wire/parse.h"

#define MPTUN_CODE_TEST_LEN	1500U
#define MPTUN_CODE_TEST_BODY	2048U
#define MPTUN_CODE_TEST_NS	1000000ULL

/**
 * struct mptun_code_test - both ends
 * @e: the sender
 * @d: the receiver
 * @random: state of the generator
 * @last: dsn of the last symbol taken
 * @window: the last symbol taken
 * @symbols: symbols taken
 * @decoded: packets decoded
 * @wrong: those that were not what was sent
 * @dsn: dsn of the packet decoded last
 * @body: body of the symbol, or of a packet
 * @want: body of a packet
 */
struct mptun_code_test {
	struct mptun_encoder e;
	struct mptun_decoder d;
	struct rnd_state random;
	u32 last;
	struct mptun_repair_window window;
	u32 symbols;
	u32 decoded;
	u32 wrong;
	u32 dsn;
	u8 body[MPTUN_CODE_TEST_BODY];
	u8 want[MPTUN_CODE_TEST_BODY];
};

/**
 * struct mptun_code_test_packet - a packet in pieces
 * @packet: the packet
 * @piece: its pieces
 */
struct mptun_code_test_packet {
	struct mptun_code_packet packet;
	struct mptun_code_piece piece[3];
};

struct mptun_code_test *mptun_code_test_new(struct kunit *test, u32 slots);
void mptun_code_test_end(struct mptun_code_test *t);
u32 mptun_code_test_len(u32 dsn);
void mptun_code_test_make(struct mptun_code_test_packet *p, u8 *body, u32 dsn);
int mptun_code_test_send(struct mptun_code_test *t, u32 dsn);
int mptun_code_test_arrive(struct mptun_code_test *t, u32 dsn);
bool mptun_code_test_take(struct mptun_code_test *t);
int mptun_code_test_symbol(struct mptun_code_test *t);
void mptun_code_test_sum(struct mptun_code_test *t, u32 last, u64 low,
			 u64 high, u16 seed);

/* Largest length of the packets, 1500 unless a test changes it. */
extern u32 mptun_code_test_most;

/* Out of memory in the n-th allocation from now on; 0 for never. */
extern unsigned int mptun_code_test_fails;
void mptun_code_test_memory(struct kunit *test);

#endif /* _MPTUN_TEST_CODE_FRAME_H */
