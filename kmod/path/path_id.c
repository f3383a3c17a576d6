// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Path ids: what names a path in packets, and the state that belongs to it.
 *
 * A path keeps its id while its addresses and the association stay.  Packet
 * numbers, reports and replay windows belong to the id: with another one, both
 * ends treat the path as a new one.
 *
 * Ids change under mptun_tunnel.lock.  A path is taken out of the table before
 * its state is reset, and put back under the new id afterwards; the state is
 * reset under the lock that protects it.  So a look-up of an id under that lock
 * finds the state that belongs to it, or no path.  The sending and the
 * receiving side have the id as well: a path that was looked up before is
 * compared again under the lock.
 */
#include "core/path.h"
#include "core/tunnel.h"
#include "path/path.h"
#include "tx/tx.h"

/**
 * mptun_wire_id_next() - take an id for a path of ours
 * @tunnel: the tunnel, its association established
 *
 * Return: an id unused in this association, 0 if there is none left.
 */
u16 mptun_wire_id_next(struct mptun_tunnel *tunnel)
{
	struct mptun_assoc *assoc = &tunnel->assoc;
	u32 id = assoc->next_wire_id;

	lockdep_assert_held(&tunnel->lock);
	if (id > MPTUN_WIRE_ID_MAX)
		return 0;
	assoc->next_wire_id += 2;
	return id;
}

/**
 * mptun_wire_id_is_peers() - check whether the peer chose a path id
 * @tunnel: the tunnel, its association established
 * @wire_id: path id
 *
 * Both ends choose ids: the one with the larger instance takes odd ones.
 *
 * Return: true if the peer did.
 */
bool mptun_wire_id_is_peers(const struct mptun_tunnel *tunnel, u16 wire_id)
{
	const struct mptun_assoc *assoc = &tunnel->assoc;
	u16 odd = assoc->instance > assoc->peer_instance;

	lockdep_assert_held(&tunnel->lock);
	return wire_id && (wire_id & 1) != odd;
}

static void mptun_path_start_rx(struct mptun_path *path, u16 wire_id)
{
	struct mptun_path_rx *prx = &path->rx;

	prx->wire_id = wire_id;
	mptun_replay_start(&prx->data);
	mptun_replay_rate_init(&prx->data_rate);
	mptun_replay_start(&prx->control);
	mptun_ranges_init(&prx->ranges);
	mptun_loss_proof_init(&prx->loss_proof);
	mptun_owd_init(&prx->owd);
	mptun_playout_path_init(&prx->playout);
	prx->unreported = 0;
	prx->urgent = false;
	prx->cross_unreported = 0;
	prx->marks = (struct mptun_ecn_marks){};
	prx->ecn = (struct mptun_ecn_check){};
	atomic64_set(&prx->last_ns, mptun_now());
}

static void mptun_path_start_tx(struct mptun_path *path)
{
	struct mptun_path_tx *ptx = &path->tx;

	mptun_rtx_forget(path);
	mptun_sent_reset(&ptx->sent, 0);
	mptun_rtt_init(&ptx->rtt);
	mptun_rate_init(&ptx->rate);
	mptun_sample_reset(&ptx->sample);
	mptun_cc_reset(&ptx->cc, mptun_path_mss(path));
	mptun_pacer_reset(&ptx->pacer);
	mptun_group_restart(path);
	memset(&ptx->mem, 0, sizeof(ptx->mem));
	ptx->fseq = 0;
	ptx->pto_count = 0;
	ptx->marks = (struct mptun_ecn_marks){};
	path->dsfield = (struct mptun_dsfield){};
}

/**
 * mptun_path_start() - initialize what belongs to a path id
 * @path: the path, not yet visible
 */
void mptun_path_start(struct mptun_path *path)
{
	mptun_path_start_tx(path);
	mptun_path_start_rx(path, MPTUN_WIRE_ID_NONE);
}

/* Gives a path its id.  @opened is the control number of the probe of the
 * peer that opened it, or NULL.
 */
static void mptun_path_set_id(struct mptun_path *path, u16 wire_id,
			      const u64 *opened)
{
	struct mptun_replay *control = &path->rx.control.window;
	struct mptun_tunnel *tunnel = path->tunnel;
	const struct mptun_replay *taken = &tunnel->assoc.window.window;
	bool available;

	lockdep_assert_held(&tunnel->lock);
	/* The entry moves to another chain without a grace period: a reader
	 * standing on it may continue there and miss its path, which drops one
	 * packet.  It cannot loop, as every chain ends with NULL.
	 */
	hash_del_rcu(&path->wire_node);
	spin_lock_bh(&tunnel->rx.lock);
	mptun_path_start_rx(path, wire_id);
	if (opened) {
		if (mptun_tunnel_sealed(tunnel))
			mptun_replay_continue(control, taken);
		mptun_replay_update(control, *opened);
	}
	spin_unlock_bh(&tunnel->rx.lock);

	/* Packet numbers and path id change together under this lock. */
	spin_lock_bh(&tunnel->tx.lock);
	WRITE_ONCE(path->wire_id, wire_id);
	if (!wire_id)
		atomic64_set(&path->control_number, 0);
	WRITE_ONCE(path->peer_status, MPTUN_STATUS_AVAILABLE);
	/* The peer is notified of the cap again (path/cap.c). */
	available = path->own_status == MPTUN_STATUS_AVAILABLE;
	path->tx.notified_ns = 0;
	WRITE_ONCE(path->tx.notified, available ? MPTUN_CAP_NOTIFY_TIMES : 0);
	path->policy_in = (struct mptun_policy_in){};
	path->policy_out.send.acked = 0;
	path->roam = (struct mptun_roam){};
	mptun_policy_again(&path->policy_out.send);
	mptun_path_start_tx(path);
	mptun_ack_settle(tunnel);
	spin_unlock_bh(&tunnel->tx.lock);
	if (wire_id)
		hash_add_rcu(tunnel->by_wire, &path->wire_node, wire_id >> 1);
}

/**
 * mptun_path_associate() - give a path its id in an association
 * @path: the path
 * @wire_id: path id, 0 for none
 *
 * All number spaces restart, except that of control packets sent.  The caller
 * probes the path.
 */
void mptun_path_associate(struct mptun_path *path, u16 wire_id)
{
	mptun_path_set_id(path, wire_id, NULL);
}

/**
 * mptun_path_opened() - give a path the id by which the peer has opened it
 * @path: the path
 * @wire_id: path id
 * @number: control number of the probe that opened it
 *
 * As mptun_path_associate().  Control packets up to this probe were for the
 * window of the association, so that of the path continues it: packets that the
 * probe has overtaken are new.  In clear mode that window is not used.
 */
void mptun_path_opened(struct mptun_path *path, u16 wire_id, u64 number)
{
	mptun_path_set_id(path, wire_id, &number);
}

/**
 * mptun_path_dissociate() - take the id of a path away
 * @path: the path
 *
 * The state changes first: nothing chooses a path that has no id.
 */
void mptun_path_dissociate(struct mptun_path *path)
{
	struct mptun_tx *tx = &path->tunnel->tx;

	spin_lock_bh(&tx->lock);
	path->live.probe_ns = U64_MAX;
	path->live.answer_ns = U64_MAX;
	if (path->config.enabled)
		mptun_liveness_set(path, MPTUN_PATH_STATE_NEW,
				   MPTUN_PATH_REASON_PEER, mptun_now());
	spin_unlock_bh(&tx->lock);
	mptun_path_associate(path, MPTUN_WIRE_ID_NONE);
}

/**
 * mptun_path_try() - probe a path
 * @path: the path; its association is established
 * @reason: why
 */
void mptun_path_try(struct mptun_path *path, enum mptun_path_reason reason)
{
	struct mptun_tx *tx = &path->tunnel->tx;

	lockdep_assert_held(&path->tunnel->lock);
	spin_lock_bh(&tx->lock);
	mptun_liveness_probe(path, reason, mptun_now());
	mptun_timer_update(path, mptun_now());
	spin_unlock_bh(&tx->lock);
}

/**
 * mptun_path_renumber() - give a path of ours another id and probe it
 * @path: the path; its association is established
 * @reason: why
 *
 * Without an id left, it waits for the next association.
 */
void mptun_path_renumber(struct mptun_path *path,
			 enum mptun_path_reason reason)
{
	u16 wire_id = mptun_wire_id_next(path->tunnel);

	if (!wire_id) {
		mptun_path_dissociate(path);
		return;
	}
	mptun_path_associate(path, wire_id);
	mptun_path_try(path, reason);
}

/**
 * mptun_path_restart() - restart a path after a change of route or settings
 * @path: the path
 * @moved: its addresses have changed
 * @reason: why
 *
 * The peer associates the old id with the old addresses: a path that moved gets
 * a new id.  The old one is abandoned over another path, as the peer would not
 * accept it from the new addresses.
 */
void mptun_path_restart(struct mptun_path *path, bool moved,
			enum mptun_path_reason reason)
{
	struct mptun_tunnel *tunnel = path->tunnel;
	struct mptun_tx *tx = &tunnel->tx;

	lockdep_assert_held(&tunnel->lock);
	spin_lock_bh(&tx->lock);
	path->live.error = 0;
	/* Another address may have another NAT. */
	if (moved)
		path->keep = (struct mptun_keep){};
	if (!path->config.enabled)
		mptun_liveness_set(path, MPTUN_PATH_STATE_OFF,
				   MPTUN_PATH_REASON_ADMIN, mptun_now());
	else if (moved && mptun_path_usable(path))
		mptun_liveness_set(path, MPTUN_PATH_STATE_PROBING, reason,
				   mptun_now());
	mptun_ack_abandon(path, mptun_now());
	spin_unlock_bh(&tx->lock);

	if (tunnel->assoc.established && moved) {
		if (path->wire_id)
			mptun_path_notify_status(path, MPTUN_STATUS_ABANDON);
		mptun_path_renumber(path, reason);
	} else if (tunnel->assoc.established && path->wire_id) {
		mptun_path_try(path, reason);
	} else {
		spin_lock_bh(&tx->lock);
		mptun_liveness_set(path, path->config.enabled ?
				   MPTUN_PATH_STATE_NEW :
				   MPTUN_PATH_STATE_OFF, reason, mptun_now());
		spin_unlock_bh(&tx->lock);
	}
	mptun_tunnel_retry(tunnel);
}
