// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Keys: the secret that both ends of a tunnel share.
 *
 * A hash of the key in every INIT selects the tunnel on a port, so two tunnels
 * of one port cannot have the same key.  Only secrets derived from the key are
 * stored.
 *
 * A key can be replaced under traffic.  New sessions are opened with the new
 * key only; sessions and INITs with the old one are accepted for a grace period
 * in which the peer gets the new key.
 */
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "core/session.h"
#include "core/lookup.h"
#include "core/tunnel.h"

static void mptun_key_free_rcu(struct rcu_head *rcu)
{
	kfree_sensitive(container_of(rcu, struct mptun_key, rcu));
}

static void mptun_key_drop(struct mptun_key *key)
{
	if (!key)
		return;
	mptun_net_unhash(key->tunnel, &key->node);
	call_rcu(&key->rcu, mptun_key_free_rcu);
}

static void mptun_key_drop_old(struct mptun_tunnel *tunnel)
{
	struct mptun_keys *keys = &tunnel->keys;

	if (!keys->old)
		return;
	mptun_session_drop_key(tunnel, keys->old->serial);
	mptun_key_drop(keys->old);
	keys->old = NULL;
}

/**
 * mptun_key_get() - get the current key
 * @tunnel: the tunnel
 *
 * Return: the key, or NULL if none is set.
 */
struct mptun_key *mptun_key_get(const struct mptun_tunnel *tunnel)
{
	return rcu_dereference_protected(tunnel->keys.now,
					 lockdep_is_held(&tunnel->lock));
}

/**
 * mptun_key_by_id() - find a key that is accepted
 * @tunnel: the tunnel
 * @id: key id of an INIT, MPTUN_KEY_ID_LEN bytes
 *
 * Return: the key, or NULL.
 */
struct mptun_key *mptun_key_by_id(struct mptun_tunnel *tunnel, const u8 *id)
{
	struct mptun_key *key = mptun_key_get(tunnel);

	lockdep_assert_held(&tunnel->lock);
	if (key && !memcmp(key->secret.id, id, MPTUN_KEY_ID_LEN))
		return key;
	key = tunnel->keys.old;
	if (key && !memcmp(key->secret.id, id, MPTUN_KEY_ID_LEN))
		return key;
	return NULL;
}

/**
 * mptun_key_set() - set or replace the key of a tunnel
 * @tunnel: the tunnel, not in clear mode
 * @raw: MPTUN_KEY_LEN bytes
 * @grace_s: seconds for which the previous key is still accepted
 * @extack: error message
 *
 * Return: 0, or a negative error with nothing changed.
 */
int mptun_key_set(struct mptun_tunnel *tunnel, const u8 *raw, u32 grace_s,
		  struct netlink_ext_ack *extack)
{
	struct mptun_keys *keys = &tunnel->keys;
	struct mptun_key *key, *before;

	lockdep_assert_held(&tunnel->lock);
	if (!tunnel->net) {
		NL_SET_ERR_MSG(extack,
			       "namespace of the tunnel's sockets is gone");
		return -ENONET;
	}
	key = kzalloc(sizeof(*key), GFP_KERNEL_ACCOUNT);
	if (!key)
		return -ENOMEM;
	mptun_secret_init(&key->secret, raw);
	key->tunnel = tunnel;
	key->port = tunnel->config.port;
	before = mptun_key_get(tunnel);
	if (before && !memcmp(before->secret.id, key->secret.id,
			      MPTUN_KEY_ID_LEN)) {
		kfree_sensitive(key);
		return 0;
	}
	/* The old key becomes the current one again. */
	if (keys->old && !memcmp(keys->old->secret.id, key->secret.id,
				 MPTUN_KEY_ID_LEN)) {
		kfree_sensitive(key);
		key = keys->old;
		keys->old = NULL;
	} else if (mptun_net_hash_key(key)) {
		key->serial = ++keys->serial;
	} else {
		kfree_sensitive(key);
		NL_SET_ERR_MSG(extack,
			       "another tunnel on this port has the same key");
		return -EEXIST;
	}
	mptun_key_drop_old(tunnel);
	rcu_assign_pointer(keys->now, key);
	keys->old = before;
	keys->old_until_ns = mptun_key_now() + (u64)grace_s * NSEC_PER_SEC;
	mptun_tunnel_retry(tunnel);
	return 0;
}

/**
 * mptun_key_expire() - drop the old key at the end of its grace period
 * @tunnel: the tunnel
 * @now: mptun_key_now()
 *
 * Return: time of that clock at which to call again, U64_MAX for never.
 */
u64 mptun_key_expire(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_keys *keys = &tunnel->keys;

	lockdep_assert_held(&tunnel->lock);
	if (!keys->old)
		return U64_MAX;
	if (now < keys->old_until_ns)
		return keys->old_until_ns;
	mptun_key_drop_old(tunnel);
	return U64_MAX;
}

/**
 * mptun_key_forget() - drop all keys of a tunnel
 * @tunnel: the tunnel
 */
void mptun_key_forget(struct mptun_tunnel *tunnel)
{
	struct mptun_key *now;

	lockdep_assert_held(&tunnel->lock);
	mptun_key_drop_old(tunnel);
	now = rcu_replace_pointer(tunnel->keys.now, NULL,
				  lockdep_is_held(&tunnel->lock));
	mptun_key_drop(now);
}
