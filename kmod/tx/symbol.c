// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Repair symbols on their way out: their paths, the ends of bursts, and the
 * life of encoders.
 *
 * Symbols leave on the path that has carried the least of what they protect,
 * among those with room, unless a retransmission would arrive earlier.  They
 * are packets of that path like any other.  One that finds no room waits, and
 * covers later packets as well.
 *
 * See tx/code.c for what is coded, and for who may use the encoders.
 */
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/random.h>

#include "core/path.h"
#include "core/session.h"
#include "core/tunnel.h"
#include "tx/run.h"
#include "tx/tx.h"

/* A pause that ends a burst. */
#define MPTUN_CODE_PAUSE_NS	(5ULL * NSEC_PER_MSEC)

/* Time until another attempt to send a symbol. */
#define MPTUN_CODE_RETRY_NS	NSEC_PER_MSEC

/* An encoder without packets for this long is freed.  Without memory for one,
 * none is made for this long.
 */
#define MPTUN_CODE_IDLE_NS	(10ULL * NSEC_PER_SEC)

/* Returns how many of the last packets of an encoder a path has carried. */
static u32 mptun_code_carried(const struct mptun_coder *coder, u16 wire_id)
{
	u32 n = min3(coder->packets, (u64)coder->window,
		     (u64)MPTUN_REPAIR_MEMBERS), carried = 0;
	u64 at = coder->packets;

	while (n--)
		carried += coder->paths[--at % MPTUN_REPAIR_MEMBERS] == wire_id;
	return carried;
}

/* Returns the path that has carried most of them, -1 for none of these. */
static int mptun_code_main(const struct mptun_tx *tx,
			   const struct mptun_coder *coder, unsigned int n)
{
	u32 most = 0, carried;
	int main = -1;

	while (n--) {
		carried = mptun_code_carried(coder, tx->cand_path[n]->wire_id);
		if (carried > most) {
			most = carried;
			main = n;
		}
	}
	return main;
}

/* Tests whether a candidate takes a symbol, and in time: before a
 * retransmission on the path that has carried the most would arrive.
 */
static bool mptun_code_takes(struct mptun_tunnel *tunnel, unsigned int i,
			     int main, u32 need, bool passes)
{
	const struct mptun_sched_cand *c = &tunnel->tx.cand[i], *m;
	struct mptun_path *path = tunnel->tx.cand_path[i];

	if (!c->eligible || mptun_path_stalled(path) ||
	    !mptun_sent_can_add(&path->tx.sent))
		return false;
	if (c->room < need && !(passes && mptun_sparse_fits(c, need)))
		return false;
	if (main < 0 || (int)i == main)
		return true;
	m = &tunnel->tx.cand[main];
	return !m->srtt_us || c->arrival_us <= m->arrival_us + m->srtt_us;
}

/* Chooses the path of a symbol.  Returns an index into mptun_tx.cand, or a
 * negative error.
 */
static int mptun_code_pick(struct mptun_tunnel *tunnel,
			   const struct mptun_coder *coder, u32 len, u64 now)
{
	const struct mptun_class *class =
		&mptun_classify_list(tunnel)->class[coder->class];
	u32 need = len + tunnel->overhead, least = U32_MAX, carried;
	unsigned int q = mptun_queue_of(tunnel, coder->class);
	struct mptun_tx *tx = &tunnel->tx;
	u64 wake_ns = tx->sched.wake_ns;
	int err, main, best = -EAGAIN;
	unsigned int i, n;

	n = mptun_cand_list(tunnel, q, need, now);
	/* It is not sent in fragments. */
	for (i = 0; i < n; i++) {
		tx->cand[i].mtu = tx->cand[i].whole;
		tx->cand[i].cut = 0;
	}
	n = mptun_classify_cands(tunnel, class, n, len);
	err = mptun_sched_filter(&tx->sched, tx->cand, n, need, len);
	/* that of packets which wait */
	tx->sched.wake_ns = wake_ns;
	if (err)
		return err;
	main = mptun_code_main(tx, coder, n);
	for (i = 0; i < n; i++) {
		if (!mptun_code_takes(tunnel, i, main, need, coder->passes))
			continue;
		carried = mptun_code_carried(coder, tx->cand_path[i]->wire_id);
		if (carried > least ||
		    (carried == least && !mptun_sched_earlier(&tx->cand[i],
							      &tx->cand[best])))
			continue;
		least = carried;
		best = i;
	}
	return best;
}

/* Sends the symbol of an encoder that is due.  Returns false if none is, or if
 * no path has room for it.
 */
static bool mptun_code_send(struct mptun_tunnel *tunnel,
			    struct mptun_coder *coder, u64 now)
{
	unsigned int len = mptun_encoder_ready(&coder->encoder);
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_path *path;
	struct sk_buff *skb;
	int chosen;
	u32 dsn;

	if (!len)
		return false;
	/* Symbols are of no use for packets of long ago, nor in another
	 * association.
	 */
	if (now > coder->added_ns + MPTUN_CODE_WINDOW_NS ||
	    coder->assoc != READ_ONCE(tunnel->assoc.count)) {
		mptun_encoder_reset(&coder->encoder);
		return false;
	}
	chosen = mptun_code_pick(tunnel, coder, len, now);
	if (chosen < 0)
		return false;
	skb = mptun_control_alloc(len);
	if (!skb)
		return false;
	skb->protocol = htons(ETH_P_IP);
	*mptun_tx_cb(skb) = (struct mptun_tx_cb){
		.ds = coder->ds,
		.class = coder->class,
	};
	path = tx->cand_path[chosen];
	mptun_encoder_take(&coder->encoder, skb_put(skb, len), &dsn);
	mptun_stamp_repair(path, skb, dsn, now);
	tx->classes[coder->class].symbols++;
	mptun_stamp_out(path, skb, 1, now);
	mptun_timer_update(path, now);
	if (!mptun_cand_room(path, 0, now))
		tx->used_up = true;
	return true;
}

/* Sets the timer to the end of the next burst, or to another attempt to send a
 * symbol that found no room, if that is earlier.
 */
static void mptun_code_timer(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_code_tx *code = &tunnel->tx.code;
	const struct mptun_encoder *e;
	u64 at = U64_MAX;
	unsigned int id;

	for (id = 0; id < MPTUN_CODERS; id++) {
		if (!code->coder[id])
			continue;
		e = &code->coder[id]->encoder;
		if (mptun_encoder_ready(e))
			at = min(at, now + MPTUN_CODE_RETRY_NS);
		else if (id != MPTUN_CODER_SPARSE)
			at = min(at, e->deadline);
	}
	if (at >= code->timer_ns)
		return;
	code->timer_ns = at;
	hrtimer_start(&code->timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}

/**
 * mptun_code_place() - send the symbols that are due
 * @tunnel: the tunnel
 *
 * Called by the owner of the encoders, under mptun_tx.lock; the symbols are in
 * mptun_tx.out.
 */
void mptun_code_place(struct mptun_tunnel *tunnel)
{
	struct mptun_code_tx *code = &tunnel->tx.code;
	const struct mptun_session *session;
	u64 now = mptun_now();
	unsigned int id;

	lockdep_assert_held(&tunnel->tx.lock);
	session = rcu_dereference(tunnel->tx.session);
	if (!session || !session->peer_repair)
		return;
	for (id = 0; id < MPTUN_CODERS; id++)
		while (code->coder[id] &&
		       mptun_code_send(tunnel, code->coder[id], now))
			;
	mptun_code_timer(tunnel, now);
}

/**
 * mptun_code_fired() - end bursts: the last packets of each get their symbols
 * @timer: &mptun_code_tx.timer
 *
 * Return: HRTIMER_NORESTART.
 */
enum hrtimer_restart mptun_code_fired(struct hrtimer *timer)
{
	struct mptun_tunnel *tunnel = container_of(timer, struct mptun_tunnel,
						   tx.code.timer);
	struct mptun_code_tx *code = &tunnel->tx.code;
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_encoder *e;
	u64 now = mptun_now();
	unsigned int id;

	mptun_enter();
	spin_lock(&tx->lock);
	code->timer_ns = U64_MAX;
	for (id = 0; !tx->busy && id < MPTUN_CODER_SPARSE; id++) {
		e = code->coder[id] ? &code->coder[id]->encoder : NULL;
		if (e && e->deadline <= now)
			mptun_encoder_finish(e);
	}
	if (!tx->busy) {
		mptun_code_place(tunnel);
		mptun_send_flush(tunnel);
	} else {
		/* Another CPU sends now, and has the encoders. */
		code->timer_ns = now + MPTUN_CODE_RETRY_NS;
		hrtimer_start(timer, ns_to_ktime(code->timer_ns),
			      HRTIMER_MODE_ABS_SOFT);
	}
	spin_unlock(&tx->lock);
	mptun_leave();
	return HRTIMER_NORESTART;
}

static unsigned int mptun_code_sums(unsigned int id)
{
	return id == MPTUN_CODER_SPARSE ? MPTUN_CODE_SPARSE :
					  MPTUN_REPAIR_MEMBERS / 2;
}

/* Memory of an encoder, as it is charged. */
static u32 mptun_code_bytes(unsigned int id)
{
	return sizeof(struct mptun_coder) +
	       mptun_code_sums(id) * (MPTUN_FRAG_INNER_MAX + 256U);
}

/* Frees an encoder, if there is one. */
static void mptun_code_free(struct mptun_tunnel *tunnel,
			    struct mptun_coder *coder, unsigned int id)
{
	if (!coder)
		return;
	mptun_encoder_destroy(&coder->encoder);
	kvfree(coder);
	mptun_pool_uncharge(tunnel->pool, mptun_code_bytes(id));
}

/* Allocates an encoder.  Returns NULL if there is no memory, or if waiting
 * packets need it.
 */
static struct mptun_coder *mptun_code_new(struct mptun_tunnel *tunnel,
					  unsigned int id)
{
	struct mptun_encoder_config config = {
		.field = &mptun_field_portable,
		.len = MPTUN_FRAG_INNER_MAX,
		.sums = mptun_code_sums(id),
		/* each packet of a sparse flow has its symbol already */
		.overdraft = id == MPTUN_CODER_SPARSE ?
			     0 : 2 * MPTUN_ENCODER_ONE,
		.idle_ns = MPTUN_CODE_PAUSE_NS,
		.seed = get_random_u32(),
	};
	struct mptun_coder *coder;

	if (!mptun_pool_charge(tunnel->pool, mptun_code_bytes(id)))
		return NULL;
	coder = kvzalloc(sizeof(*coder), GFP_KERNEL_ACCOUNT);
	if (coder && !mptun_encoder_init(&coder->encoder, &config,
					 GFP_KERNEL_ACCOUNT)) {
		coder->last_ns = mptun_now();
		return coder;
	}
	kvfree(coder);
	mptun_pool_uncharge(tunnel->pool, mptun_code_bytes(id));
	return NULL;
}

/* Makes the encoder @id if it is wanted, and frees one that is idle.  Returns
 * when to look again.
 */
static u64 mptun_code_renew(struct mptun_tunnel *tunnel, unsigned int id,
			    u64 now)
{
	struct mptun_code_tx *code = &tunnel->tx.code;
	bool wanted = READ_ONCE(code->wanted) & BIT(id);
	struct mptun_coder *made = NULL, *old = NULL;
	u64 at = U64_MAX;

	if (wanted)
		made = mptun_code_new(tunnel, id);
	spin_lock_bh(&tunnel->tx.lock);
	if (wanted && !made)
		code->retry_ns = now + MPTUN_CODE_IDLE_NS;
	if (made && !code->coder[id])
		swap(code->coder[id], made);
	__clear_bit(id, &code->wanted);
	if (code->coder[id])
		at = code->coder[id]->last_ns + MPTUN_CODE_IDLE_NS;
	/* Another CPU may be using it while one sends. */
	if (at <= now && !tunnel->tx.busy)
		swap(code->coder[id], old);
	spin_unlock_bh(&tunnel->tx.lock);
	mptun_code_free(tunnel, made, id);
	mptun_code_free(tunnel, old, id);
	if (old)
		return U64_MAX;
	return max(at, now + MPTUN_CODE_WINDOW_NS);
}

/**
 * mptun_code_work() - make encoders that are wanted, free those that are idle
 * @tunnel: the tunnel
 * @now: time in ns, U64_MAX to free all, of a tunnel that no longer sends
 *
 * Return: when to call it again, U64_MAX for never.
 */
u64 mptun_code_work(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_code_tx *code = &tunnel->tx.code;
	u64 at = U64_MAX;
	unsigned int id;

	for (id = 0; id < MPTUN_CODERS; id++)
		if (code->coder[id] || READ_ONCE(code->wanted) & BIT(id))
			at = min(at, mptun_code_renew(tunnel, id, now));
	return at;
}
