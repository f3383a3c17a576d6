// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Override: what the administrator sets for a path that the peer opened.
 *
 * Such a path comes and goes with the peer's associations and addresses, and is
 * another object each time.  What the administrator has set is therefore kept
 * by the name of the path, which the peer gives it (path/policy.c), and applied
 * to the next path of this name.  It precedes what the peer says, and ends when
 * the administrator deletes the path.
 *
 * A limited number of names is kept; the one that was set least recently is
 * forgotten first.  All of it is under mptun_tunnel.lock.
 */
#include <linux/slab.h>

#include "core/path.h"
#include "core/tunnel.h"
#include "path/path.h"

/* Names kept of a tunnel */
#define MPTUN_OVERRIDES_MAX	(2 * MPTUN_PATHS_MAX)

static_assert(MPTUN_A_PATH_MAX < 64);

/* Attributes that are kept */
#define MPTUN_OVERRIDE_ATTRS						\
	(BIT_ULL(MPTUN_A_PATH_WEIGHT) | BIT_ULL(MPTUN_A_PATH_PRIORITY) | \
	 BIT_ULL(MPTUN_A_PATH_SPILL) | BIT_ULL(MPTUN_A_PATH_BACKUP) |	\
	 BIT_ULL(MPTUN_A_PATH_CAP) | BIT_ULL(MPTUN_A_PATH_CAP_ACTION) |	\
	 BIT_ULL(MPTUN_A_PATH_MTU) | BIT_ULL(MPTUN_A_PATH_CC) |		\
	 BIT_ULL(MPTUN_A_PATH_RATE) | BIT_ULL(MPTUN_A_PATH_ENABLED) |	\
	 BIT_ULL(MPTUN_A_PATH_KEEPALIVE) | BIT_ULL(MPTUN_A_PATH_GROUP))

/**
 * struct mptun_override - settings of a learned path
 * @list: entry in mptun_tunnel.overrides, the most recent one last
 * @attrs: attributes that are set, as bits
 * @config: the name, and the values of these attributes
 * @used: bytes that counted against the cap when its last path ended
 */
struct mptun_override {
	struct list_head list;
	u64 attrs;
	struct mptun_path_config config;
	u64 used;
};

static struct mptun_override *mptun_override_find(struct mptun_tunnel *tunnel,
						  const char *name)
{
	struct mptun_override *o;

	lockdep_assert_held(&tunnel->lock);
	list_for_each_entry(o, &tunnel->overrides, list)
		if (!strcmp(o->config.name, name))
			return o;
	return NULL;
}

static void mptun_override_drop(struct mptun_tunnel *tunnel,
				struct mptun_override *o)
{
	list_del(&o->list);
	tunnel->n_overrides--;
	kfree(o);
}

/* Copies the settings that have an attribute among @attrs. */
static void mptun_override_copy(struct mptun_path_config *to,
				const struct mptun_path_config *from,
				u64 attrs)
{
	if (attrs & BIT_ULL(MPTUN_A_PATH_WEIGHT))
		to->weight = from->weight;
	if (attrs & BIT_ULL(MPTUN_A_PATH_PRIORITY))
		to->priority = from->priority;
	if (attrs & BIT_ULL(MPTUN_A_PATH_SPILL))
		to->spill_us = from->spill_us;
	if (attrs & BIT_ULL(MPTUN_A_PATH_BACKUP))
		to->backup = from->backup;
	if (attrs & BIT_ULL(MPTUN_A_PATH_CAP))
		to->cap = from->cap;
	if (attrs & BIT_ULL(MPTUN_A_PATH_CAP_ACTION))
		to->cap_action = from->cap_action;
	if (attrs & BIT_ULL(MPTUN_A_PATH_MTU))
		to->mtu = from->mtu;
	if (attrs & BIT_ULL(MPTUN_A_PATH_CC))
		strscpy(to->cc, from->cc, sizeof(to->cc));
	if (attrs & BIT_ULL(MPTUN_A_PATH_RATE))
		to->rate = from->rate;
	if (attrs & BIT_ULL(MPTUN_A_PATH_ENABLED))
		to->enabled = from->enabled;
	if (attrs & BIT_ULL(MPTUN_A_PATH_KEEPALIVE))
		to->keepalive = from->keepalive;
	if (attrs & BIT_ULL(MPTUN_A_PATH_GROUP))
		to->group = from->group;
}

/**
 * mptun_override_reserve() - prepare to keep what the administrator sets
 * @path: the path
 *
 * Return: 0 or -ENOMEM.
 */
int mptun_override_reserve(struct mptun_path *path)
{
	struct mptun_tunnel *tunnel = path->tunnel;
	struct mptun_override *o, *oldest;

	lockdep_assert_held(&tunnel->lock);
	if (!path->learned || mptun_override_find(tunnel, path->config.name))
		return 0;
	o = kzalloc(sizeof(*o), GFP_KERNEL_ACCOUNT);
	if (!o)
		return -ENOMEM;
	strscpy(o->config.name, path->config.name, sizeof(o->config.name));
	list_add_tail(&o->list, &tunnel->overrides);
	oldest = list_first_entry(&tunnel->overrides, struct mptun_override,
				  list);
	if (tunnel->n_overrides++ == MPTUN_OVERRIDES_MAX)
		mptun_override_drop(tunnel, oldest);
	return 0;
}

/**
 * mptun_override_set() - keep what the administrator has set
 * @path: the path, reserved and the settings applied
 * @attrs: attributes of the request, as bits
 */
void mptun_override_set(struct mptun_path *path, u64 attrs)
{
	struct mptun_tunnel *tunnel = path->tunnel;
	struct mptun_override *o;

	o = mptun_override_find(tunnel, path->config.name);
	attrs &= MPTUN_OVERRIDE_ATTRS;
	if (!path->learned || !o || !attrs)
		return;
	list_move_tail(&o->list, &tunnel->overrides);
	path->overrides |= attrs;
	o->attrs |= attrs;
	mptun_override_copy(&o->config, &path->config, attrs);
}

/**
 * mptun_override_rename() - a learned path gets another name
 * @path: the path, still with its present name
 * @config: its new settings with the new name; what was set for that name is
 *	merged into them
 *
 * What was set for the present name goes with the path.
 */
void mptun_override_rename(struct mptun_path *path,
			   struct mptun_path_config *config)
{
	struct mptun_tunnel *tunnel = path->tunnel;
	struct mptun_override *o, *old;

	old = mptun_override_find(tunnel, path->config.name);
	o = mptun_override_find(tunnel, config->name);
	if (o)
		mptun_override_copy(config, &o->config,
				    o->attrs & ~path->overrides);
	if (!path->overrides || !old) {
		path->overrides |= o ? o->attrs : 0;
		return;
	}
	if (o) {
		mptun_override_copy(&o->config, config, path->overrides);
		path->overrides |= o->attrs;
		o->attrs = path->overrides;
		mptun_override_drop(tunnel, old);
		return;
	}
	strscpy(old->config.name, config->name, sizeof(old->config.name));
}

/**
 * mptun_override_used() - data that counts against the cap of a new path
 * @path: the path
 * @used: set to the bytes
 *
 * Return: true if the cap is kept by its name.
 */
bool mptun_override_used(struct mptun_path *path, u64 *used)
{
	const struct mptun_override *o;

	if (!(path->overrides & BIT_ULL(MPTUN_A_PATH_CAP)))
		return false;
	o = mptun_override_find(path->tunnel, path->config.name);
	if (o)
		*used = o->used;
	return o;
}

/**
 * mptun_override_ends() - a learned path ends
 * @path: the path
 */
void mptun_override_ends(struct mptun_path *path)
{
	struct mptun_override *o;

	if (!path->overrides)
		return;
	o = mptun_override_find(path->tunnel, path->config.name);
	if (o)
		o->used = mptun_path_cap_used(path);
}

/**
 * mptun_override_forget() - the administrator deletes a path
 * @tunnel: the tunnel
 * @name: name of the path, of which there may be none now
 *
 * Return: false if nothing was set for it.
 */
bool mptun_override_forget(struct mptun_tunnel *tunnel, const char *name)
{
	struct mptun_override *o = mptun_override_find(tunnel, name);

	if (o)
		mptun_override_drop(tunnel, o);
	return o;
}

/**
 * mptun_override_destroy() - forget all settings, as the tunnel is destroyed
 * @tunnel: the tunnel
 */
void mptun_override_destroy(struct mptun_tunnel *tunnel)
{
	struct mptun_override *o, *tmp;

	list_for_each_entry_safe(o, tmp, &tunnel->overrides, list)
		mptun_override_drop(tunnel, o);
}
