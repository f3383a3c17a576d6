/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Paths: creation, ids, liveness, roaming, data caps and deletion.
 */
#ifndef _MPTUN_PATH_PATH_H
#define _MPTUN_PATH_PATH_H

#include <linux/list.h>
#include <linux/mptun.h>
#include <linux/types.h>

#include "core/path.h"

struct mptun_change;
struct mptun_endpoint;
struct mptun_path;
struct mptun_path_config;
struct mptun_port;
struct mptun_probe;
struct mptun_tunnel;
struct netlink_ext_ack;
struct sk_buff;

/* path/manage.c */
int mptun_path_setup(void);
void mptun_path_cleanup(void);
struct mptun_path *mptun_path_by_tuple(struct mptun_tunnel *tunnel,
				       const struct mptun_endpoint *from);
struct mptun_path *mptun_path_create(struct mptun_tunnel *tunnel,
				     const struct mptun_path_config *config,
				     bool learned,
				     struct netlink_ext_ack *extack);
void mptun_path_open(struct mptun_path *path);
int mptun_path_configure(struct mptun_path *path,
			 const struct mptun_path_config *config,
			 struct netlink_ext_ack *extack);
int mptun_path_apply(struct mptun_path *path,
		     const struct mptun_path_config *config);
int mptun_path_move(struct mptun_path *path,
		    const struct mptun_path_config *config, __be16 local_port);
void mptun_path_free(struct mptun_path *path);

/* path/locate.c */
struct mptun_endpoint *
mptun_path_resolve(struct mptun_tunnel *tunnel,
		   const struct mptun_path_config *config, u16 local_port,
		   struct netlink_ext_ack *extack);
void mptun_path_set_endpoint(struct mptun_path *path,
			     struct mptun_endpoint *ep);
int mptun_path_locate(struct mptun_path *path, u16 local_port,
		      const union mptun_addr *present, bool another);
void mptun_path_unroutable(struct mptun_path *path, int err);
void mptun_path_settle(struct mptun_path *path);
void mptun_path_rebind(struct mptun_path *path, bool retry);

/* path/path_id.c */
u16 mptun_wire_id_next(struct mptun_tunnel *tunnel);
bool mptun_wire_id_is_peers(const struct mptun_tunnel *tunnel, u16 wire_id);
void mptun_path_start(struct mptun_path *path);
void mptun_path_associate(struct mptun_path *path, u16 wire_id);
void mptun_path_opened(struct mptun_path *path, u16 wire_id, u64 number);
void mptun_path_dissociate(struct mptun_path *path);
void mptun_path_renumber(struct mptun_path *path,
			 enum mptun_path_reason reason);
void mptun_path_restart(struct mptun_path *path, bool moved,
			enum mptun_path_reason reason);
void mptun_path_try(struct mptun_path *path, enum mptun_path_reason reason);

/* path/change.c */
void mptun_path_watch(struct mptun_path *path, int err);
void mptun_path_unwatch(struct mptun_path *path);
bool mptun_path_concerned(const struct mptun_path *path,
			  const struct mptun_change *changes, unsigned int n);

/* path/adopt.c */
struct mptun_path *mptun_adopt(struct mptun_tunnel *tunnel,
			       const struct mptun_path_config *config,
			       struct mptun_endpoint *ep);

/* path/delete.c */
void mptun_path_notify_status(struct mptun_path *path, u16 status);
void mptun_delete_path(struct mptun_path *path, struct list_head *dead);
u64 mptun_delete_step(struct mptun_path *path, struct list_head *dead);
void mptun_delete_unlink(struct mptun_path *path, struct list_head *dead);
void mptun_delete_free(struct list_head *dead);
void mptun_delete_unread(struct list_head *dead);

/* path/carrier.c */
void mptun_carrier_update(struct mptun_tunnel *tunnel);

/* path/liveness.c */
void mptun_liveness_init(struct mptun_path *path, enum mptun_path_reason why);
void mptun_liveness_set(struct mptun_path *path, enum mptun_path_state state,
			enum mptun_path_reason reason, u64 now);
void mptun_liveness_probe(struct mptun_path *path,
			  enum mptun_path_reason reason, u64 now);
void mptun_liveness_acked(struct mptun_path *path, u64 newest_ns, u64 now);
void mptun_liveness_answered(struct mptun_path *path, u64 now);
void mptun_liveness_retry(struct mptun_path *path, u64 now);
void mptun_liveness_others(struct mptun_tunnel *tunnel,
			   const struct mptun_path *back, u64 now);
void mptun_liveness_reschedule(struct mptun_path *path, u64 now);
void mptun_liveness_heard(struct mptun_path *path, u64 now);
void mptun_liveness_allow(struct mptun_path *path, u32 bytes);
void mptun_liveness_unroutable(struct mptun_path *path, int err, u64 now);
bool mptun_liveness_expire(struct mptun_path *path, u64 now);

/* path/probe.c */
u32 mptun_probe_bytes(const struct mptun_tunnel *tunnel);
void mptun_probe_sizes(struct mptun_path *path,
		       const struct mptun_pmtu *round);
void mptun_probe_dsfields(struct mptun_path *path,
			  const struct mptun_dsfield_round *round);
void mptun_probe_send(struct mptun_path *path,
		      const struct mptun_endpoint *ep, u64 token);
void mptun_probe_challenge(struct mptun_path *path,
			   const struct mptun_endpoint *to, u16 wire_id);
bool mptun_probe_proves(struct mptun_path *path, struct sk_buff *skb);
int mptun_probe_receive(struct mptun_path *path, u16 wire_id,
			struct sk_buff *skb, bool *newest);

/* path/stall.c */
bool mptun_stall_begin(struct mptun_path *path, enum mptun_path_reason reason);
void mptun_stall_end(struct mptun_path *path, u64 now);
void mptun_stall_expire(struct mptun_path *path, u64 now);

/* path/roam.c */
bool mptun_roam_allowed(const struct mptun_path *path);
void mptun_roam_notice(struct mptun_path *path, u16 wire_id,
		       const struct mptun_endpoint *from);
bool mptun_roam_answered(struct mptun_path *path, const struct sk_buff *skb,
			 u64 token);
void mptun_roam_work(struct mptun_path *path);

/* path/heal.c */
struct mptun_port *mptun_path_port(struct mptun_tunnel *tunnel,
				   __be16 local_port);
void mptun_heal_home(const struct mptun_path *path,
		     struct mptun_path_config *config);
void mptun_heal_answered(struct mptun_path *path);
u64 mptun_heal_work(struct mptun_path *path);

/* path/learn.c */
void mptun_learn_name(struct mptun_tunnel *tunnel, char *name, u16 wire_id);
void mptun_learn(struct mptun_tunnel *tunnel, struct sk_buff *skb);

/* path/override.c */
int mptun_override_reserve(struct mptun_path *path);
void mptun_override_set(struct mptun_path *path, u64 attrs);
void mptun_override_rename(struct mptun_path *path,
			   struct mptun_path_config *config);
bool mptun_override_used(struct mptun_path *path, u64 *used);
void mptun_override_ends(struct mptun_path *path);
bool mptun_override_forget(struct mptun_tunnel *tunnel, const char *name);
void mptun_override_destroy(struct mptun_tunnel *tunnel);

/* path/tunnel_policy.c */
u64 mptun_tunnel_policy_work(struct mptun_tunnel *tunnel);
void mptun_tunnel_policy_sched(struct mptun_tunnel *tunnel);
void mptun_tunnel_policy_associate(struct mptun_tunnel *tunnel);

/* path/policy.c */
int mptun_policy_yield(struct mptun_path *path);
u64 mptun_policy_work(struct mptun_path *path);
void mptun_policy_switch(struct mptun_tunnel *tunnel);

/* path/cap.c */
u64 mptun_path_cap_used(struct mptun_path *path);
void mptun_path_cap_set(struct mptun_path *path, const u64 *used);
void mptun_path_cap_check(struct mptun_path *path, u64 now);

/* path/work.c */
u64 mptun_path_work(struct mptun_path *path, struct list_head *dead);

#endif /* _MPTUN_PATH_PATH_H */
