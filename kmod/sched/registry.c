// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Named algorithms that can be chosen at run time.
 *
 * A registry is a list that changes under a mutex and is read under RCU, so
 * that an algorithm can be looked up with a spinlock held.  Who uses one holds
 * a reference to its module: what is in use cannot be unloaded, and what is
 * being unloaded is not found.
 */
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include <linux/mptun.h>

#include "sched/registry.h"

static struct mptun_algo *mptun_registry_find(struct mptun_registry *r,
					      const char *name)
{
	struct mptun_algo *algo;

	list_for_each_entry_rcu(algo, &r->list, list,
				lockdep_is_held(&r->lock))
		if (!strcmp(algo->name, name))
			return algo;
	return NULL;
}

/**
 * mptun_registry_add() - make an algorithm known
 * @r: registry
 * @algo: algorithm, must stay until mptun_registry_del()
 *
 * Return: 0, -EINVAL if its name is empty or too long, -EEXIST if there is one
 * of this name.
 */
int mptun_registry_add(struct mptun_registry *r, struct mptun_algo *algo)
{
	size_t len = algo->name ? strlen(algo->name) : 0;
	int err = -EEXIST;

	if (!len || len > MPTUN_ALGO_NAME_MAX)
		return -EINVAL;

	mutex_lock(&r->lock);
	if (!mptun_registry_find(r, algo->name)) {
		list_add_tail_rcu(&algo->list, &r->list);
		err = 0;
	}
	mutex_unlock(&r->lock);
	return err;
}

/**
 * mptun_registry_del() - make an algorithm unknown
 * @r: registry
 * @algo: algorithm, registered before and used by nobody
 *
 * Waits until nobody can be looking at it any more.
 */
void mptun_registry_del(struct mptun_registry *r, struct mptun_algo *algo)
{
	mutex_lock(&r->lock);
	list_del_rcu(&algo->list);
	mutex_unlock(&r->lock);
	synchronize_rcu();
}

/**
 * mptun_registry_get() - find an algorithm and hold its module
 * @r: registry
 * @name: name
 *
 * Return: the algorithm, to be released with mptun_registry_put(), or NULL.
 */
struct mptun_algo *mptun_registry_get(struct mptun_registry *r,
				      const char *name)
{
	struct mptun_algo *algo;

	rcu_read_lock();
	algo = mptun_registry_find(r, name);
	if (algo && !try_module_get(algo->owner))
		algo = NULL;
	rcu_read_unlock();
	return algo;
}

/**
 * mptun_registry_put() - release an algorithm
 * @algo: what mptun_registry_get() returned
 */
void mptun_registry_put(const struct mptun_algo *algo)
{
	module_put(algo->owner);
}

/**
 * mptun_registry_has() - is an algorithm known?
 * @r: registry
 * @name: name
 *
 * Return: true if there is one of this name.
 */
bool mptun_registry_has(struct mptun_registry *r, const char *name)
{
	bool has;

	rcu_read_lock();
	has = mptun_registry_find(r, name);
	rcu_read_unlock();
	return has;
}
