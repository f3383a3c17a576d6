// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Probes: challenges that validate a path, and their answers.
 *
 * An answer repeats token and time of its challenge.  It validates both
 * directions, and yields a round-trip time without state at the sender.
 */
#include <linux/udp.h>

#include "core/path.h"
#include "core/tunnel.h"
#include "path/path.h"
#include "transport/transport.h"
#include "tx/tx.h"
#include "wire/parse.h"

/**
 * mptun_probe_bytes() - size of a probe without padding
 * @tunnel: the tunnel
 *
 * Return: bytes, UDP header included.
 */
u32 mptun_probe_bytes(const struct mptun_tunnel *tunnel)
{
	return tunnel->overhead + sizeof(struct mptun_probe);
}

static struct sk_buff *mptun_probe_alloc(unsigned int padding)
{
	struct sk_buff *skb;

	skb = mptun_control_alloc(sizeof(struct mptun_probe) + padding);
	if (skb)
		skb_put_zero(skb, sizeof(struct mptun_probe) + padding);
	return skb;
}

static struct sk_buff *mptun_probe_make(u64 token, unsigned int padding)
{
	struct mptun_probe *probe;
	struct sk_buff *skb;

	skb = mptun_probe_alloc(padding);
	if (!skb)
		return NULL; /* repeated like a lost one */
	probe = (void *)skb->data;
	probe->size = cpu_to_be16(skb->len);
	probe->echo = cpu_to_be32(mptun_now_us(mptun_now()));
	probe->token = cpu_to_be64(token);
	return skb;
}

/**
 * mptun_probe_send() - challenge an address of the peer
 * @path: the path
 * @ep: the address, NULL for that of the path
 * @token: token of the answer
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 */
void mptun_probe_send(struct mptun_path *path,
		      const struct mptun_endpoint *ep, u64 token)
{
	struct sk_buff *skb = mptun_probe_make(token, 0);

	if (!skb)
		return;
	if (ep)
		mptun_control_send_to(path->tunnel, path,
				      READ_ONCE(path->wire_id), ep, skb,
				      MPTUN_KIND_PROBE);
	else
		mptun_control_send(path, skb, MPTUN_KIND_PROBE);
}

/**
 * mptun_probe_sizes() - send the probes of a round that looks for the MTU
 * @path: the path
 * @round: the round
 *
 * The small one leaves last: when it is answered before a large one, that was
 * lost.
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 */
void mptun_probe_sizes(struct mptun_path *path, const struct mptun_pmtu *round)
{
	struct sk_buff *skb;
	unsigned int i;
	u32 body;

	for (i = 0; i < round->n; i++) {
		body = mptun_path_inner_size(path, round->probe[i]);
		body -= min_t(u32, body, sizeof(struct mptun_probe));
		skb = mptun_probe_make(round->token + i, body);
		if (skb)
			mptun_control_send(path, skb, MPTUN_KIND_PROBE);
	}
	mptun_probe_send(path, NULL, round->token + i);
}

/**
 * mptun_probe_dsfields() - send the probes of a round about DS fields
 * @path: the path
 * @round: the round
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 */
void mptun_probe_dsfields(struct mptun_path *path,
			  const struct mptun_dsfield_round *round)
{
	struct mptun_probe *probe;
	struct sk_buff *skb;
	unsigned int i;

	for (i = 0; i < round->n; i++) {
		skb = mptun_probe_make(round->token[i], 0);
		if (!skb)
			continue;
		probe = (void *)skb->data;
		probe->ds = round->ds[i];
		mptun_control_send_as(path, READ_ONCE(path->wire_id), skb,
				      MPTUN_KIND_PROBE, round->ds[i]);
	}
	mptun_probe_send(path, NULL, round->plain);
}

/**
 * mptun_probe_challenge() - challenge the peer on a path
 * @path: the path
 * @to: where a probe with the id came from, with its port; NULL for the
 *	remote of the path
 * @wire_id: the path id, that of the path or one that the peer may use for it
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 */
void mptun_probe_challenge(struct mptun_path *path,
			   const struct mptun_endpoint *to, u16 wire_id)
{
	struct sk_buff *skb;

	skb = mptun_probe_make(atomic64_read(&path->live.token), 0);
	if (!skb)
		return;
	if (to)
		mptun_control_send_to(path->tunnel, path, wire_id, to, skb,
				      MPTUN_KIND_PROBE);
	else
		mptun_control_send_as(path, wire_id, skb, MPTUN_KIND_PROBE,
				      mptun_control_ds(path->tunnel));
}

/**
 * mptun_probe_proves() - check whether a probe answers our challenge
 * @path: path it arrived on
 * @skb: the packet, at its body
 *
 * Return: true if it does.
 */
bool mptun_probe_proves(struct mptun_path *path, struct sk_buff *skb)
{
	const struct mptun_probe *probe;

	if (!pskb_may_pull(skb, sizeof(*probe)))
		return false;
	probe = (const void *)skb->data;
	return probe->answer == 1 &&
	       be64_to_cpu(probe->token) ==
	       (u64)atomic64_read(&path->live.token);
}

/* Sends an answer to where the challenge came from, if that is another address
 * or port than the path leads to.  While a path works, that is the business of
 * path/roam.c.  One that does not may lead nowhere: both ends have settings for
 * it, and the peer has moved or is behind a NAT.
 *
 * If a challenge of that address is due it leaves instead: no more is sent
 * there than was received.  It moves the path, and makes the peer probe again.
 */
static void mptun_probe_answer_there(struct mptun_path *path, u16 wire_id,
				     const struct sk_buff *challenge,
				     const struct sk_buff *answer, bool *newest)
{
	const struct mptun_endpoint *ep = rcu_dereference(path->endpoint);
	struct mptun_tx *tx = &path->tunnel->tx;
	struct mptun_endpoint to;
	struct sk_buff *skb;
	bool due;

	mptun_endpoint_of(challenge, &to);
	if (mptun_path_up(path) || to.local_port != ep->local_port ||
	    (to.family == ep->family && to.remote_port == ep->remote_port &&
	     mptun_endpoint_same_addr(ep->family, &to.remote, &ep->remote)))
		return;
	if (*newest) {
		spin_lock(&tx->lock);
		due = mptun_path_may_roam(path, wire_id, mptun_now());
		spin_unlock(&tx->lock);
		if (due)
			return;
	}
	skb = skb_copy(answer, GFP_ATOMIC);
	if (!skb)
		return;
	*newest = false;
	to.port = ep->port;
	to.mark = ep->mark;
	to.ifindex = mptun_endpoint_back(ep, &to,
					 READ_ONCE(path->tunnel->net));
	mptun_control_send_to(path->tunnel, path, wire_id, &to, skb,
			      MPTUN_KIND_PROBE);
}

static void mptun_probe_answer(struct mptun_path *path, u16 wire_id,
			       const struct sk_buff *challenge, bool *newest)
{
	struct mptun_tx *tx = &path->tunnel->tx;
	struct mptun_probe *probe;
	struct sk_buff *skb;

	skb = mptun_probe_alloc(0);
	if (!skb)
		return;
	probe = (void *)skb->data;
	memcpy(probe, challenge->data, sizeof(*probe));
	probe->answer = 1;
	mptun_probe_answer_there(path, wire_id, challenge, skb, newest);
	mptun_control_send(path, skb, MPTUN_KIND_PROBE);

	spin_lock(&tx->lock);
	mptun_liveness_heard(path, mptun_now());
	mptun_timer_update(path, mptun_now());
	spin_unlock(&tx->lock);
}

static void mptun_probe_answered(struct mptun_path *path, u16 wire_id,
				 const struct sk_buff *skb,
				 const struct mptun_probe *probe)
{
	struct mptun_tunnel *tunnel = path->tunnel;
	u64 token = be64_to_cpu(probe->token);
	struct mptun_tx *tx = &tunnel->tx;
	u64 now = mptun_now();
	u32 rtt_us;

	if (mptun_roam_answered(path, skb, token))
		return;
	rtt_us = min(mptun_now_us(now) - be32_to_cpu(probe->echo),
		     MPTUN_RTT_MAX_US);
	spin_lock(&tx->lock);
	if (mptun_path_answered(path, wire_id, token)) {
		if (mptun_rtt_sample(&path->tx.rtt, rtt_us, 0, now)) {
			mptun_rtt_alone(&path->tx.rtt, !path->tx.sent.packets,
					now);
			mptun_cc_on_rtt(&path->tx.cc, &path->tx.rtt);
		}
		mptun_ack_witness(path, now - (u64)rtt_us * NSEC_PER_USEC, now);
		mptun_liveness_answered(path, now);
		mptun_timer_update(path, now);
	} else if (mptun_dsfield_answered(&path->dsfield, token, now)) {
		mptun_timer_update(path, now);
	} else if (mptun_pmtu_answered(&path->pmtu, token, now)) {
		if (!mptun_pmtu_doubted(&path->pmtu))
			path->tx.sent.doubt = 0;
		mptun_out_resize(path);
		mptun_timer_update(path, now);
	}
	mptun_place_finish_unlock(tunnel);
}

/**
 * mptun_probe_receive() - process a PROBE
 * @path: path it arrived on
 * @wire_id: id of the path then
 * @skb: the packet, at its body, its network and transport headers in place
 * @newest: its source may be challenged (path/roam.c); cleared if an answer
 *	was sent there
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 *
 * Return: 0, or -EINVAL if it does not parse.
 */
int mptun_probe_receive(struct mptun_path *path, u16 wire_id,
			struct sk_buff *skb, bool *newest)
{
	const struct mptun_probe *probe;

	if (!pskb_may_pull(skb, sizeof(*probe)))
		return -EINVAL;
	probe = mptun_parse_probe(skb->data, skb_headlen(skb));
	if (!probe)
		return -EINVAL;
	/* A path that is being deleted proves nothing: the peer would take its
	 * id for that of another one.  A path that has changed its local port
	 * is not at the former one any more: an answer would keep the peer from
	 * moving it.
	 */
	if (probe->answer)
		mptun_probe_answered(path, wire_id, skb, probe);
	else if (READ_ONCE(path->live.state) == MPTUN_PATH_STATE_DRAINING)
		return 0;
	else if (READ_ONCE(path->learned) || udp_hdr(skb)->dest ==
		 rcu_dereference(path->endpoint)->local_port)
		mptun_probe_answer(path, wire_id, skb, newest);
	return 0;
}
