/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Before v6.6 a dump found its attributes beside, not in, a genl_info.
 */
#ifndef _MPTUN_COMPAT_NET_GENETLINK_H
#define _MPTUN_COMPAT_NET_GENETLINK_H

#include_next <net/genetlink.h>

static inline struct nlattr **
mptun_compat_dump_attrs(struct netlink_callback *cb)
{
#ifdef MPTUN_HAVE_GENL_INFO_DUMP
	return genl_info_dump(cb)->attrs;
#else
	return genl_dumpit_info(cb)->attrs;
#endif
}

#endif /* _MPTUN_COMPAT_NET_GENETLINK_H */
