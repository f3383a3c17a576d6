/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Named algorithms that can be chosen at run time.
 */
#ifndef _MPTUN_REGISTRY_H
#define _MPTUN_REGISTRY_H

#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/types.h>

struct module;

/**
 * struct mptun_algo - what any algorithm has; first member of its ops table
 * @name: name by which users choose it, at most MPTUN_ALGO_NAME_MAX long
 * @owner: module it lives in; NULL for those of mptun itself, which must not
 *	keep mptun from being unloaded
 * @list: link in the registry
 */
struct mptun_algo {
	const char *name;
	struct module *owner;
	struct list_head list;
};

/**
 * struct mptun_registry - algorithms of one kind
 * @lock: protects changes of @list
 * @list: the algorithms, read under RCU
 */
struct mptun_registry {
	struct mutex lock; /* protects changes of @list */
	struct list_head list;
};

int mptun_registry_add(struct mptun_registry *r, struct mptun_algo *algo);
void mptun_registry_del(struct mptun_registry *r, struct mptun_algo *algo);
struct mptun_algo *mptun_registry_get(struct mptun_registry *r,
				      const char *name);
void mptun_registry_put(const struct mptun_algo *algo);
bool mptun_registry_has(struct mptun_registry *r, const char *name);

#endif /* _MPTUN_REGISTRY_H */
