/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Version of the module; equal to the file VERSION.
 */
#ifndef _MPTUN_VERSION_H
#define _MPTUN_VERSION_H

#define MPTUN_RELEASE	"0.1.0"

#endif /* _MPTUN_VERSION_H */
