/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Before v6.5 segmentation was declared in linux/netdevice.h.
 */
#ifndef _MPTUN_COMPAT_NET_GSO_H
#define _MPTUN_COMPAT_NET_GSO_H

#ifdef MPTUN_HAVE_GSO_H
#include_next <net/gso.h>
#else
#include <linux/netdevice.h>
#endif

#endif /* _MPTUN_COMPAT_NET_GSO_H */
