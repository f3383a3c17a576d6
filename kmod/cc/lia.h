/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Private data of controller "lia".
 */
#ifndef _MPTUN_LIA_H
#define _MPTUN_LIA_H

#include <linux/build_bug.h>

#include "cc/window.h"

/**
 * struct mptun_lia - private data
 * @window: shared part
 * @round_ns: packets sent later end the round trip for which @per_packet is
 *	valid
 * @per_packet: acknowledged bytes per packet of growth, 0 if unknown
 */
struct mptun_lia {
	struct mptun_window window;
	u64 round_ns;
	u64 per_packet;
};

static_assert(sizeof(struct mptun_lia) <=
	      sizeof_field(struct mptun_cc, priv));

static inline struct mptun_lia *mptun_lia_priv(struct mptun_cc *cc)
{
	return (struct mptun_lia *)cc->priv;
}

#if IS_ENABLED(CONFIG_KUNIT)
void mptun_lia_couple(struct mptun_cc *cc, u64 now);
#endif

#endif /* _MPTUN_LIA_H */
