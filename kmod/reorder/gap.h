/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * What a path proves about the packets it lost.
 */
#ifndef _MPTUN_BRACKET_H
#define _MPTUN_BRACKET_H

#include <linux/types.h>

/**
 * struct mptun_bracket - proof of loss on one path
 * @after: dsn of a first transmission received on the path
 * @before: dsn of a later first transmission received on the path
 * @lost: number of first transmissions of that path whose dsn lies strictly
 *	between @after and @before and which were lost
 */
struct mptun_bracket {
	u32 after;
	u32 before;
	u32 lost;
};

#endif /* _MPTUN_BRACKET_H */
