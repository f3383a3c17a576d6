// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Heal: a path that does not work tries another way.
 *
 * A NAT or firewall may have a dead entry for the addresses and ports of a
 * path, from before its own address changed or its rules were loaded.  Each
 * packet renews that entry, so it lasts as long as the path is probed.  A path
 * of ours that gets no answer therefore continues from another source port,
 * with its route looked up again, and repeats that less and less often.  It
 * keeps its id, so the peer moves the path to the new port (path/roam.c).
 * Before there is an association, the INIT leaves from the new port.
 *
 * If the route does not select its source address, each second attempt leaves
 * from another one in turn (transport/source.c), and those between from the one
 * that it had when it last worked.
 *
 * A path whose configured local port is not that of the tunnel keeps it, and so
 * does one that the peer could not follow.  If both ends have configured a
 * path, the one that chose its id tries.
 *
 * A path that has followed the peer to another remote tries that remote and the
 * configured one in turn.
 *
 * A path may have an id of the peer under which the peer no longer knows it;
 * then no answer comes.  So a path under an id of the peer takes one of its own
 * once, at its second attempt; the ends agree on the lower one again
 * (path/learn.c).
 *
 * The worker performs the attempts under mptun_tunnel.lock.
 */
#include "core/path.h"
#include "core/tunnel.h"
#include "path/path.h"
#include "transport/transport.h"
#include "tx/tx.h"

/**
 * mptun_path_port() - find a port of a tunnel by its number
 * @tunnel: the tunnel
 * @local_port: the number
 *
 * Return: the port, valid under mptun_tunnel.lock, or NULL.
 */
struct mptun_port *mptun_path_port(struct mptun_tunnel *tunnel,
				   __be16 local_port)
{
	struct mptun_endpoint *ep;
	struct mptun_path *path;

	lockdep_assert_held(&tunnel->lock);
	if (htons(tunnel->port->number) == local_port)
		return tunnel->port;
	list_for_each_entry(path, &tunnel->paths, list) {
		ep = mptun_path_endpoint(path);
		if (ep->local_port == local_port)
			return ep->port;
	}
	return NULL;
}

/**
 * mptun_heal_home() - complete settings that move a path
 * @path: the path
 * @config: its new settings, made from the present ones
 *
 * What the administrator has not set is as configured, even if the path has
 * followed the peer meanwhile.
 */
void mptun_heal_home(const struct mptun_path *path,
		     struct mptun_path_config *config)
{
	const struct mptun_heal *heal = &path->heal;

	lockdep_assert_held(&path->tunnel->lock);
	if (!heal->away || heal->home)
		return;
	if (config->remote_port == path->config.remote_port)
		config->remote_port = heal->remote_port;
	if (memcmp(&config->remote, &path->config.remote,
		   sizeof(config->remote)))
		return;
	config->remote = heal->remote;
	config->scope = heal->scope;
}

/* Returns true if packets leave and are not answered.  Without an association
 * they are INITs.
 */
static bool mptun_heal_broken(const struct mptun_path *path)
{
	const struct mptun_tunnel *tunnel = path->tunnel;

	if (!tunnel->running || !tunnel->net)
		return false;
	switch (READ_ONCE(path->live.state)) {
	case MPTUN_PATH_STATE_NEW:
		return !tunnel->assoc.established && tunnel->initiator.wait;
	case MPTUN_PATH_STATE_PROBING:
		return true;
	case MPTUN_PATH_STATE_DOWN:
		return !READ_ONCE(path->live.good);
	default:
		return false;
	}
}

/* Continues on another local port, which the caller holds.  For both ends it
 * remains the same path: its next packet makes the peer move it.
 */
static void mptun_heal_move(struct mptun_path *path, u16 port)
{
	union mptun_addr before = path->source;
	struct mptun_tx *tx = &path->tunnel->tx;
	struct mptun_heal *heal = &path->heal;
	int moved;

	if (heal->tries == 1)
		heal->source = before;
	moved = mptun_path_locate(path, port, &heal->source, heal->tries % 2);
	heal->source = before;
	path->source_cookie_valid = false;
	if (moved < 0) {
		mptun_path_unroutable(path, moved);
		return;
	}
	if (moved) {
		mptun_path_restart(path, true, MPTUN_PATH_REASON_ADDRESS);
		return;
	}
	spin_lock_bh(&tx->lock);
	if (path->live.probe_ns != U64_MAX || path->live.answer_ns != U64_MAX) {
		path->live.answer_ns = U64_MAX;
		path->live.probe_ns = mptun_now();
		mptun_timer_update(path, mptun_now());
	}
	spin_unlock_bh(&tx->lock);
}

static void mptun_heal_try(struct mptun_path *path)
{
	struct mptun_path_config *config = &path->config;
	struct mptun_tunnel *tunnel = path->tunnel;
	struct mptun_heal *heal = &path->heal;
	struct mptun_tx *tx = &tunnel->tx;
	u16 number = config->local_port;
	struct mptun_port *port = NULL;

	if (heal->tries == MPTUN_HEAL_RENUMBER && path->wire_id &&
	    mptun_wire_id_is_peers(tunnel, path->wire_id))
		mptun_path_renumber(path, MPTUN_PATH_REASON_TIMEOUT);
	if ((path->wire_id && mptun_wire_id_is_peers(tunnel, path->wire_id)) ||
	    number != tunnel->config.port || !mptun_roam_allowed(path)) {
		/* This end may not change the source port. */
		number = heal->port ?: number;
	} else if (heal->tries % MPTUN_HEAL_CONFIGURED) {
		port = mptun_port_draw(tunnel->net, tunnel->config.port,
				       heal->port);
		/* The present one may work again. */
		if (IS_ERR(port))
			return;
		number = port->number;
	}
	netdev_dbg(tunnel->dev, "path %s tries local port %u\n", config->name,
		   number);
	/* Back to the remote that was configured, or away from it again */
	if (heal->away) {
		spin_lock_bh(&tx->lock);
		swap(config->remote, heal->remote);
		swap(config->remote_port, heal->remote_port);
		swap(config->scope, heal->scope);
		spin_unlock_bh(&tx->lock);
		heal->home = !heal->home;
	}
	mptun_heal_move(path, number);
	mptun_port_put(port);
}

/**
 * mptun_heal_answered() - the peer has answered what left on a path
 * @path: the path
 *
 * The path reaches the peer, though the handshake may be incomplete: restart
 * the wait.
 */
void mptun_heal_answered(struct mptun_path *path)
{
	lockdep_assert_held(&path->tunnel->lock);
	path->heal.at_ns = 0;
}

/**
 * mptun_heal_work() - try another way for a path, if one is due
 * @path: the path, not being deleted
 *
 * Return: time in ns at which to call it again, U64_MAX for none.
 */
u64 mptun_heal_work(struct mptun_path *path)
{
	struct mptun_tx *tx = &path->tunnel->tx;
	struct mptun_heal *heal = &path->heal;

	lockdep_assert_held(&path->tunnel->lock);
	if (path->learned)
		return U64_MAX;
	/* Forget an attempt that was due before the path has worked again. */
	if (heal->at_ns) {
		spin_lock_bh(&tx->lock);
		if (path->live.proved_ns > heal->began_ns)
			heal->at_ns = 0;
		spin_unlock_bh(&tx->lock);
	}
	if (mptun_heal_due(heal, mptun_heal_broken(path), mptun_now()))
		mptun_heal_try(path);
	return heal->at_ns ?: U64_MAX;
}
