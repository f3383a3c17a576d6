/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Answers to INITs: the other side of a handshake.
 */
#ifndef _MPTUN_ANSWER_H
#define _MPTUN_ANSWER_H

#include "wire/wire.h"

struct mptun_tunnel;
struct sk_buff;

/**
 * struct mptun_answer - the last INIT that was answered, and with what
 * @valid: there is one
 * @instance: instance that sent it
 * @counter: its counter
 * @init: the INIT; @mac2 may be that of any of its copies
 * @response: the RESPONSE
 *
 * Under mptun_tunnel.lock.
 */
struct mptun_answer {
	bool valid;
	u64 instance;
	u64 counter;
	struct mptun_init init;
	struct mptun_response response;
};

unsigned int mptun_answer_init(struct mptun_tunnel *tunnel,
			       const struct sk_buff *skb, bool prove);

#endif /* _MPTUN_ANSWER_H */
