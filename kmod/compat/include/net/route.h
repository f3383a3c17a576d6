/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Before v6.10 a route was taken for an IPv4 one by a cast.
 */
#ifndef _MPTUN_COMPAT_NET_ROUTE_H
#define _MPTUN_COMPAT_NET_ROUTE_H

#include_next <net/route.h>

#ifndef dst_rtable
#define dst_rtable(_ptr) container_of(_ptr, struct rtable, dst)
#endif

#endif /* _MPTUN_COMPAT_NET_ROUTE_H */
