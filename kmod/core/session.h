/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Keys of a tunnel, and the sessions opened with them.
 */
#ifndef _MPTUN_CORE_SESSION_H
#define _MPTUN_CORE_SESSION_H

#include <linux/types.h>

struct mptun_key;
struct mptun_session;
struct mptun_tunnel;
struct netlink_ext_ack;

/* core/session.c */
struct mptun_session *mptun_session_new(struct mptun_tunnel *tunnel,
					const u8 *seal, const u8 *open);
void mptun_session_add(struct mptun_session *session);
void mptun_session_heard(struct mptun_session *session);
void mptun_session_use(struct mptun_session *session);
void mptun_session_choose(struct mptun_tunnel *tunnel);
struct mptun_session *mptun_session_take(struct mptun_tunnel *tunnel, u32 n);
bool mptun_session_matches(const struct mptun_session *session);
u64 mptun_session_expire(struct mptun_tunnel *tunnel, u64 now);
u64 mptun_session_rekey_at(struct mptun_tunnel *tunnel);
void mptun_session_drop_all(struct mptun_tunnel *tunnel, u64 next);
void mptun_session_drop_key(struct mptun_tunnel *tunnel, u32 serial);
void mptun_session_put(struct mptun_session *session);
bool mptun_session_none(void);
void mptun_session_wait(void);

/* core/key.c */
int mptun_key_set(struct mptun_tunnel *tunnel, const u8 *raw, u32 grace_s,
		  struct netlink_ext_ack *extack);
void mptun_key_forget(struct mptun_tunnel *tunnel);
u64 mptun_key_expire(struct mptun_tunnel *tunnel, u64 now);
struct mptun_key *mptun_key_get(const struct mptun_tunnel *tunnel);
struct mptun_key *mptun_key_by_id(struct mptun_tunnel *tunnel, const u8 *id);

#endif /* _MPTUN_CORE_SESSION_H */
