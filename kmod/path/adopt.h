/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Adoption: a path that the peer opened gets a name and settings here.
 */
#ifndef _MPTUN_ADOPT_H
#define _MPTUN_ADOPT_H

struct mptun_endpoint;
struct mptun_path;
struct mptun_path_config;
struct mptun_tunnel;

struct mptun_path *mptun_adopt(struct mptun_tunnel *tunnel,
			       const struct mptun_path_config *config,
			       struct mptun_endpoint *ep);

#endif /* _MPTUN_ADOPT_H */
