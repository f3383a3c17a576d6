// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Path MTU: the largest outer packet of one path.
 *
 * A path follows the MTU that the administrator has set for its route or the
 * device of the route.  An ICMP message can be forged by anyone, so the size
 * that it claims is a hint only: it starts an examination.  Each round sends a
 * challenge of full size and a small one.  An answer to the full one proves the
 * larger size.  If only the small one is answered, several rounds in a row, the
 * smaller size is taken.  When the claim expires, the larger size is proved in
 * the same way before it is used.
 *
 * The caller sends the challenges, and holds a lock.
 */
#include <linux/compiler.h>
#include <linux/limits.h>
#include <linux/minmax.h>

#include "recovery/pmtu.h"

/**
 * mptun_pmtu_init() - initialize the MTU of a path
 * @p: the MTU
 * @link: configured size
 */
void mptun_pmtu_init(struct mptun_pmtu *p, u32 link)
{
	*p = (struct mptun_pmtu){
		.link = link,
		.size = link,
		.claim = link,
		.due_ns = U64_MAX,
	};
}

static void mptun_pmtu_end(struct mptun_pmtu *p, u32 size, u64 again_ns)
{
	WRITE_ONCE(p->size, size);
	p->due_ns = U64_MAX;
	p->again_ns = again_ns;
}

/**
 * mptun_pmtu_route() - consider the MTU of the route
 * @p: the MTU
 * @link: size that is configured
 * @claim: size that ICMP messages claim, or @link
 * @token: token for an examination, random
 * @now: time in ns
 *
 * A changed configuration counts at once.
 */
void mptun_pmtu_route(struct mptun_pmtu *p, u32 link, u32 claim, u64 token,
		      u64 now)
{
	claim = min(max(claim, MPTUN_PMTU_FLOOR), link);
	if (link != p->link) {
		WRITE_ONCE(p->link, link);
		mptun_pmtu_end(p, link, now);
	}
	if (claim == p->size || p->due_ns != U64_MAX || now < p->again_ns)
		return;
	p->claim = claim;
	p->token = token;
	p->due_ns = now;
	p->rounds = 0;
	p->lost = 0;
	p->small = false;
}

/**
 * mptun_pmtu_expire() - end a round, and begin the next one
 * @p: the MTU
 * @pto_ns: how long an answer may take
 * @now: time in ns
 *
 * Return: true if the caller has to send both challenges, the full one first.
 */
bool mptun_pmtu_expire(struct mptun_pmtu *p, u64 pto_ns, u64 now)
{
	bool raise = p->claim > p->size;

	if (now < p->due_ns)
		return false;
	p->lost += p->small;
	p->small = false;
	if (p->lost >= MPTUN_PMTU_TRIES) {
		mptun_pmtu_end(p, min(p->claim, p->size),
			       now + (raise ? MPTUN_PMTU_RAISE_NS : 0));
		return false;
	}
	if (p->rounds >= MPTUN_PMTU_ROUNDS) {
		mptun_pmtu_end(p, p->size, now + MPTUN_PMTU_AGAIN_NS);
		return false;
	}
	p->rounds++;
	p->due_ns = now + pto_ns;
	return true;
}

/**
 * mptun_pmtu_answered() - a challenge was answered
 * @p: the MTU
 * @token: token of the answer
 * @now: time in ns
 *
 * Return: true if the answer belongs to the examination.
 */
bool mptun_pmtu_answered(struct mptun_pmtu *p, u64 token, u64 now)
{
	if (p->due_ns == U64_MAX || !p->rounds)
		return false;
	if (token == p->token + 1) {
		p->small = true;
		return true;
	}
	if (token != p->token)
		return false;
	mptun_pmtu_end(p, max(p->claim, p->size), now + MPTUN_PMTU_AGAIN_NS);
	return true;
}

/**
 * mptun_pmtu_probed() - size of the full challenge
 * @p: the MTU
 *
 * Return: bytes of the outer packet.
 */
u32 mptun_pmtu_probed(const struct mptun_pmtu *p)
{
	return max(p->claim, p->size);
}
