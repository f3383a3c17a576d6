// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Paths: look-ups, and values derived from their settings.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/string.h>

#include "core/path.h"
#include "core/tunnel.h"
#include "wire/frag.h"

/**
 * mptun_path_find() - find a path by name
 * @tunnel: the tunnel
 * @name: the name
 *
 * Return: the path, or NULL; paths being deleted are skipped.
 */
struct mptun_path *mptun_path_find(struct mptun_tunnel *tunnel,
				   const char *name)
{
	struct mptun_path *path;

	lockdep_assert_held(&tunnel->lock);
	list_for_each_entry(path, &tunnel->paths, list)
		if (path->live.state != MPTUN_PATH_STATE_DRAINING &&
		    !strcmp(path->config.name, name))
			return path;
	return NULL;
}

/**
 * mptun_path_by_wire() - find a path by its id
 * @tunnel: the tunnel
 * @wire_id: path id
 *
 * Called under rcu_read_lock().
 *
 * Return: the path, or NULL.
 */
struct mptun_path *mptun_path_by_wire(const struct mptun_tunnel *tunnel,
				      u16 wire_id)
{
	struct mptun_path *path;

	hash_for_each_possible_rcu(tunnel->by_wire, path, wire_node,
				   wire_id >> 1)
		if (READ_ONCE(path->wire_id) == wire_id)
			return path;
	return NULL;
}

static u32 mptun_path_ip_header(const struct mptun_path *path)
{
	return READ_ONCE(path->config.family) == AF_INET ?
	       sizeof(struct iphdr) : sizeof(struct ipv6hdr);
}

/**
 * mptun_path_outer() - size of an outer packet
 * @path: the path
 * @bytes: its size from the UDP header on
 *
 * Return: bytes.
 */
u32 mptun_path_outer(const struct mptun_path *path, u32 bytes)
{
	return bytes + mptun_path_ip_header(path);
}

/**
 * mptun_path_inner_size() - size of the inner packet in an outer one
 * @path: the path
 * @outer: size of the outer packet in bytes
 *
 * Return: bytes, 0 if none fits.
 */
u32 mptun_path_inner_size(const struct mptun_path *path, u32 outer)
{
	u32 headers = path->tunnel->overhead + mptun_path_ip_header(path);

	return outer > headers ? outer - headers : 0;
}

/**
 * mptun_path_inner_mtu() - size of the largest inner packet of a path
 * @path: the path
 *
 * Return: bytes, 0 if none fits.
 */
u32 mptun_path_inner_mtu(const struct mptun_path *path)
{
	return mptun_path_inner_size(path, READ_ONCE(path->pmtu.size));
}

/**
 * mptun_path_size_settled() - check whether the size of a path is known
 * @path: the path
 *
 * Return: false during the first search for it, which takes three rounds or
 * a second.
 */
bool mptun_path_size_settled(const struct mptun_path *path)
{
	return READ_ONCE(path->pmtu.searched);
}

/**
 * mptun_path_takes() - size of the largest inner packet that a path is used for
 * @path: the path
 * @peer_frag: the peer takes fragments
 *
 * Packets are sent in fragments if that was requested, while the MTU of the
 * device follows the paths, which is slow to fall for that reason, while the
 * path's size is being searched, and if the path carries less than IPv6 needs.
 *
 * Return: bytes, 0 for none.
 */
u32 mptun_path_takes(const struct mptun_path *path, bool peer_frag)
{
	const struct mptun_tunnel_config *config = &path->tunnel->config;
	u32 mode = READ_ONCE(config->frag);
	u32 whole = mptun_path_inner_mtu(path);

	if (!peer_frag || mode == MPTUN_FRAG_MODE_OFF ||
	    (mode == MPTUN_FRAG_MODE_AUTO && !READ_ONCE(config->mtu_auto) &&
	     whole >= MPTUN_MTU_MIN && mptun_path_size_settled(path)))
		return whole;
	return max(whole, mptun_frag_most(whole));
}

/**
 * mptun_path_cc_name() - name of the congestion controller of a path
 * @path: the path
 *
 * Return: that of the path or else of the tunnel.
 */
const char *mptun_path_cc_name(const struct mptun_path *path)
{
	lockdep_assert_held(&path->tunnel->lock);
	return path->config.cc[0] ? path->config.cc :
				    path->tunnel->config.cc;
}

/**
 * mptun_path_mss() - size of a full packet of a path
 * @path: the path
 *
 * Return: bytes with the UDP header, without the IP header.
 */
u32 mptun_path_mss(const struct mptun_path *path)
{
	u32 inner = min_t(u32, READ_ONCE(path->tunnel->dev->mtu),
			  mptun_path_inner_mtu(path));

	return inner + path->tunnel->overhead;
}

/**
 * mptun_path_endpoint() - the addresses of a path, under mptun_tunnel.lock
 * @path: the path
 *
 * Return: the addresses.
 */
struct mptun_endpoint *mptun_path_endpoint(const struct mptun_path *path)
{
	return rcu_dereference_protected(path->endpoint,
					 lockdep_is_held(&path->tunnel->lock));
}

/**
 * mptun_path_best_rank() - lowest rank of the paths that work
 * @tunnel: the tunnel
 *
 * Called under rcu_read_lock(); the result is stable only under mptun_tx.lock.
 *
 * Return: the rank, U32_MAX if no path works.
 */
u32 mptun_path_best_rank(const struct mptun_tunnel *tunnel)
{
	const struct mptun_path *path;
	u32 best = U32_MAX;

	list_for_each_entry_rcu(path, &tunnel->paths, list)
		if (mptun_path_up(path))
			best = min(best, mptun_path_rank(path));
	return best;
}
