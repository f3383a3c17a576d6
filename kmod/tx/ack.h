/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Feedback: what the peer says about the packets we sent.
 */
#ifndef _MPTUN_FEEDBACK_H
#define _MPTUN_FEEDBACK_H

#include <linux/types.h>

struct mptun_path;
struct mptun_tunnel;

int mptun_feedback_blocks(struct mptun_tunnel *tunnel, struct mptun_path *path,
			  const u8 *data, unsigned int len);
void mptun_feedback_detect(struct mptun_path *path, u64 now);
void mptun_feedback_witness(struct mptun_path *path, u64 sent_ns, u64 now);
void mptun_feedback_abandon(struct mptun_path *path, u64 now);
void mptun_feedback_settle(struct mptun_tunnel *tunnel);
void mptun_feedback_tell(struct mptun_tunnel *tunnel);

#endif /* _MPTUN_FEEDBACK_H */
