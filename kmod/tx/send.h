/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Sending: numbered packets are cut and sealed, and leave.
 */
#ifndef _MPTUN_SEND_H
#define _MPTUN_SEND_H

#include <linux/types.h>

struct mptun_tunnel;

void mptun_send_line_init(struct mptun_tunnel *tunnel);
bool mptun_send_behind(struct mptun_tunnel *tunnel);
void mptun_send_flush(struct mptun_tunnel *tunnel);

#endif /* _MPTUN_SEND_H */
