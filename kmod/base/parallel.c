// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Parallel crypto: several CPUs work on the packets of one direction of a
 * tunnel, which leave in the order of arrival.
 *
 * Packets stand in a line.  A worker takes the first packets that are not taken
 * yet; a finished packet waits until all before it have left.  The first worker
 * lets packets leave, and works when none can.  Further workers are woken as
 * the backlog grows; beyond that the CPU that adds packets helps, so the
 * backlog is bounded and a CPU works before packets are dropped.
 *
 * One worker lets all packets leave, so they stay on one CPU for the rest of
 * the way: a network device with a queue per CPU would reorder them otherwise.
 * That worker may wait long for its CPU, behind softirqs or another worker.  If
 * the source of packets cannot be stopped (no @room operation), they would be
 * late and then dropped, so the CPU that adds them takes over from a late
 * worker.
 *
 * Workers run on the CPUs after the one that wakes them.  Left to the
 * scheduler, the workers of both directions and everything else stayed on one
 * CPU for the sake of its cache.
 *
 * Waking another CPU costs more than a packet does, and adds latency.  So
 * packets are processed in place until the work takes a considerable part of
 * one CPU.
 */
#include <kunit/visibility.h>
#include <linux/cpumask.h>
#include <linux/minmax.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "base/limits.h"
#include "base/parallel.h"

/* Backlog in bytes per worker before the next one is woken. */
#define MPTUN_PARALLEL_WAKE	32768U

/* A worker without progress for this long is waiting for its CPU. */
#define MPTUN_PARALLEL_LATE_NS	(1 * NSEC_PER_MSEC)

/* Work becomes parallel from a quarter of one CPU's time on, and direct again
 * below a sixteenth.
 */
#define MPTUN_PARALLEL_HEAVY	2
#define MPTUN_PARALLEL_LIGHT	4

/**
 * enum mptun_parallel_state - state of a packet in line
 * @MPTUN_PARALLEL_FRESH: not taken
 * @MPTUN_PARALLEL_TAKEN: being worked on
 * @MPTUN_PARALLEL_DONE: may leave once it is first
 */
enum mptun_parallel_state {
	MPTUN_PARALLEL_FRESH,
	MPTUN_PARALLEL_TAKEN,
	MPTUN_PARALLEL_DONE,
};

static struct workqueue_struct *mptun_parallel_wq;

static struct mptun_parallel_cb *
mptun_parallel_cb_of(const struct mptun_parallel *parallel,
		     const struct sk_buff *skb)
{
	return parallel->ops->cb(skb);
}

/* CPU of worker @i if it is woken on @cpu. */
VISIBLE_IF_KUNIT unsigned int
mptun_parallel_cpu(unsigned int cpu, unsigned int i)
{
	do {
		cpu = cpumask_next(cpu, cpu_online_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_online_mask);
	} while (i--);
	return cpu;
}

static void mptun_parallel_wake(struct mptun_parallel *parallel, unsigned int i)
{
	struct mptun_parallel_worker *worker = &parallel->worker[i];

	lockdep_assert_held(&parallel->lock);
	if (worker->active)
		return;
	worker->active = true;
	atomic64_set(&worker->seen_ns, ktime_get_ns());
	queue_work_on(mptun_parallel_cpu(smp_processor_id(), i),
		      mptun_parallel_wq, &worker->work);
}

/* Takes packets; false if there are none. */
VISIBLE_IF_KUNIT bool
mptun_parallel_take(struct mptun_parallel *parallel,
		    struct mptun_parallel_share *share)
{
	struct sk_buff *skb = parallel->fresh;
	struct mptun_parallel_cb *cb;
	u32 cost = 0;

	lockdep_assert_held(&parallel->lock);
	share->first = skb;
	share->n = 0;
	while (skb && cost < MPTUN_PARALLEL_TAKE) {
		cb = mptun_parallel_cb_of(parallel, skb);
		cb->state = MPTUN_PARALLEL_TAKEN;
		cost += cb->cost * MPTUN_PARALLEL_UNIT;
		share->n++;
		skb = skb_queue_is_last(&parallel->line, skb) ?
		      NULL : skb_queue_next(&parallel->line, skb);
	}
	parallel->fresh = skb;
	parallel->fresh_cost -= cost;
	return share->n;
}

/* No packet of a share can leave, so they stay linked. */
VISIBLE_IF_KUNIT void
mptun_parallel_do(struct mptun_parallel *parallel,
		  const struct mptun_parallel_share *share)
{
	struct sk_buff *skb = share->first;
	unsigned int i;

	for (i = 0; i < share->n; i++, skb = READ_ONCE(skb->next))
		parallel->ops->work(parallel, skb);
}

/* Adds time spent on work, and judges the load after each interval. */
static void mptun_parallel_account(struct mptun_parallel *parallel, u64 from,
				   u64 to, u32 times)
{
	struct mptun_parallel_load *load = &parallel->load;
	u64 took = to - load->since_ns;

	lockdep_assert_held(&parallel->lock);
	if (to > from)
		load->spent_ns += (to - from) * times;
	if (to <= load->since_ns + MPTUN_PARALLEL_LOAD_NS)
		return;
	if (load->spent_ns >= took >> MPTUN_PARALLEL_HEAVY)
		load->heavy = true;
	else if (load->spent_ns < took >> MPTUN_PARALLEL_LIGHT)
		load->heavy = false;
	load->since_ns = to;
	load->spent_ns = 0;
}

/* The work on a share is done; wakes the first worker if it can leave. */
VISIBLE_IF_KUNIT void
mptun_parallel_done(struct mptun_parallel *parallel,
		    const struct mptun_parallel_share *share)
{
	struct sk_buff *skb = share->first;
	unsigned int i;

	lockdep_assert_held(&parallel->lock);
	for (i = 0; i < share->n; i++, skb = skb->next)
		mptun_parallel_cb_of(parallel, skb)->state =
			MPTUN_PARALLEL_DONE;
	if (skb_peek(&parallel->line) == share->first)
		mptun_parallel_wake(parallel, 0);
}

/* Works on one share without the lock; false if there is none. */
static bool mptun_parallel_work_some(struct mptun_parallel *parallel)
	__must_hold(&parallel->lock)
{
	struct mptun_parallel_share share;
	u64 from;

	if (!mptun_parallel_take(parallel, &share))
		return false;
	spin_unlock(&parallel->lock);
	from = ktime_get_ns();
	mptun_parallel_do(parallel, &share);
	spin_lock(&parallel->lock);
	mptun_parallel_account(parallel, from, ktime_get_ns(), 1);
	mptun_parallel_done(parallel, &share);
	return true;
}

/* Moves finished packets from the head of the line to @out. */
static bool mptun_parallel_due(struct mptun_parallel *parallel,
			       struct sk_buff_head *out)
{
	struct mptun_parallel_cb *cb;
	unsigned int n = 0;
	struct sk_buff *skb;

	lockdep_assert_held(&parallel->lock);
	while (n < MPTUN_PARALLEL_LEAVE && (skb = skb_peek(&parallel->line))) {
		cb = mptun_parallel_cb_of(parallel, skb);
		if (cb->state != MPTUN_PARALLEL_DONE)
			break;
		parallel->filled -= cb->fill * MPTUN_PARALLEL_UNIT;
		__skb_unlink(skb, &parallel->line);
		__skb_queue_tail(out, skb);
		n++;
	}
	mptun_pool_left(&parallel->share, parallel->filled);
	parallel->packets += n;
	return n;
}

/* Lets packets leave without the lock; false if none can, or another CPU does.
 */
VISIBLE_IF_KUNIT bool mptun_parallel_leave_some(struct mptun_parallel *parallel)
	__must_hold(&parallel->lock)
{
	struct sk_buff_head out;
	bool room;

	__skb_queue_head_init(&out);
	if (parallel->leaving || !mptun_parallel_due(parallel, &out))
		return false;
	room = parallel->full && parallel->filled <= parallel->most / 2;
	if (room)
		parallel->full = false;
	parallel->leaving = true;
	spin_unlock(&parallel->lock);
	parallel->ops->leave(parallel, &out);
	if (room && parallel->ops->room)
		parallel->ops->room(parallel);
	spin_lock(&parallel->lock);
	parallel->leaving = false;
	return true;
}

/* One round of a worker; false if it has nothing to do. */
static bool mptun_parallel_step(struct mptun_parallel_worker *worker)
{
	struct mptun_parallel *parallel = worker->parallel;
	bool more = false;

	local_bh_disable();
	rcu_read_lock();
	spin_lock(&parallel->lock);
	atomic64_set(&worker->seen_ns, ktime_get_ns());
	if (worker == &parallel->worker[0])
		more = mptun_parallel_leave_some(parallel);
	if (!more)
		more = mptun_parallel_work_some(parallel);
	worker->active = more;
	spin_unlock(&parallel->lock);
	rcu_read_unlock();
	local_bh_enable();
	return more;
}

static void mptun_parallel_run(struct work_struct *work)
{
	struct mptun_parallel_worker *worker;

	worker = container_of(work, struct mptun_parallel_worker, work);
	while (mptun_parallel_step(worker))
		cond_resched();
}

/**
 * mptun_parallel_wanted() - check whether the next packet must stand in line
 * @parallel: the line
 *
 * Return: true if the load is high, or if packets are in line that must not be
 * overtaken.
 */
bool mptun_parallel_wanted(struct mptun_parallel *parallel)
{
	if (READ_ONCE(parallel->worker[0].active) ||
	    READ_ONCE(parallel->leaving) ||
	    !skb_queue_empty_lockless(&parallel->line))
		return true;
	return READ_ONCE(parallel->load.heavy) && num_online_cpus() > 1;
}

/**
 * mptun_parallel_full() - check for room
 * @parallel: the line
 *
 * Return: true if there is no room; then @room of &struct mptun_parallel_ops is
 * called once there is.
 */
bool mptun_parallel_full(struct mptun_parallel *parallel)
{
	u32 filled = READ_ONCE(parallel->filled);
	bool full;

	if (filled < parallel->most &&
	    mptun_pool_near(&parallel->share, filled))
		return false;
	spin_lock(&parallel->lock);
	full = parallel->filled >= parallel->most ||
	       (!mptun_pool_takes(&parallel->share, parallel->filled) &&
		parallel->filled >= MPTUN_BURST_BYTES);
	parallel->full |= full;
	spin_unlock(&parallel->lock);
	return full;
}

/* Converts bytes to MPTUN_PARALLEL_UNIT, rounded up. */
static u16 mptun_parallel_units(u32 bytes)
{
	return min_t(u32, DIV_ROUND_UP(bytes, MPTUN_PARALLEL_UNIT), U16_MAX);
}

/**
 * mptun_parallel_add() - put a packet in line
 * @parallel: the line
 * @skb: the packet
 * @packets: number of packets it consists of
 * @bytes: bytes of all of them
 *
 * If the caller has noted the result of the work in the packet, the packet only
 * waits for its turn.
 *
 * Wakes as many workers as the backlog needs.  The CPU that adds packets needs
 * none.
 *
 * Called with bottom halves disabled.  The order of concurrent calls is
 * undefined unless the caller holds a lock of its own.
 */
void mptun_parallel_add(struct mptun_parallel *parallel, struct sk_buff *skb,
			u32 packets, u32 bytes)
{
	unsigned int i, n = min(num_online_cpus() - 1,
				MPTUN_PARALLEL_WORKERS + 0U);
	struct mptun_parallel_cb *cb = mptun_parallel_cb_of(parallel, skb);
	u32 cost = packets * MPTUN_PARALLEL_PACKET + bytes;
	u32 fill = parallel->ops->room ? cost : skb->truesize;

	*cb = (struct mptun_parallel_cb){
		.cost = mptun_parallel_units(cost),
		.fill = mptun_parallel_units(fill),
		.err = cb->err,
		.state = MPTUN_PARALLEL_FRESH,
	};
	spin_lock(&parallel->lock);
	__skb_queue_tail(&parallel->line, skb);
	if (!parallel->fresh)
		parallel->fresh = skb;
	parallel->fresh_cost += cb->cost * MPTUN_PARALLEL_UNIT;
	parallel->filled += cb->fill * MPTUN_PARALLEL_UNIT;
	mptun_parallel_wake(parallel, 0);
	for (i = 1; i < n; i++)
		if (parallel->fresh_cost > i * MPTUN_PARALLEL_WAKE)
			mptun_parallel_wake(parallel, i);
	spin_unlock(&parallel->lock);
}

/**
 * mptun_parallel_help() - work if the backlog is too large or too old
 * @parallel: the line
 *
 * Called after mptun_parallel_add() with bottom halves disabled and under
 * rcu_read_lock(), without a lock that the work or the output of packets takes.
 */
void mptun_parallel_help(struct mptun_parallel *parallel)
{
	const struct mptun_parallel_worker *first = &parallel->worker[0];
	bool late;

	/* The first worker waits for its CPU, and the source cannot be stopped:
	 * do a round of its job.
	 */
	late = !parallel->ops->room && READ_ONCE(first->active) &&
	       ktime_get_ns() > (u64)atomic64_read(&first->seen_ns) +
				MPTUN_PARALLEL_LATE_NS;
	if (READ_ONCE(parallel->fresh_cost) <= MPTUN_PARALLEL_HELP && !late)
		return;
	spin_lock(&parallel->lock);
	while (parallel->fresh_cost > MPTUN_PARALLEL_HELP)
		mptun_parallel_work_some(parallel);
	if (late && !mptun_parallel_leave_some(parallel) &&
	    mptun_parallel_work_some(parallel))
		mptun_parallel_leave_some(parallel);
	/* The worker may have run meanwhile and found nothing to do. */
	if (late && !skb_queue_empty(&parallel->line))
		mptun_parallel_wake(parallel, 0);
	spin_unlock(&parallel->lock);
}

/**
 * mptun_parallel_spent() - account for work done directly
 * @parallel: the line
 * @from: start in ns
 * @to: end in ns
 * @times: number of equal pieces of work this sample stands for
 *
 * Called with bottom halves disabled.
 */
void mptun_parallel_spent(struct mptun_parallel *parallel, u64 from, u64 to,
			  u32 times)
{
	spin_lock(&parallel->lock);
	mptun_parallel_account(parallel, from, to, times);
	spin_unlock(&parallel->lock);
}

/**
 * mptun_parallel_packets() - number of packets that have been in line
 * @parallel: the line
 *
 * Return: the number.
 */
u64 mptun_parallel_packets(struct mptun_parallel *parallel)
{
	u64 packets;

	spin_lock_bh(&parallel->lock);
	packets = parallel->packets;
	spin_unlock_bh(&parallel->lock);
	return packets;
}

/**
 * mptun_parallel_init() - initialise a line
 * @parallel: the line
 * @ops: operations on packets
 * @most: bytes at which it is full: of cost, or of memory if @ops has no @room
 */
void mptun_parallel_init(struct mptun_parallel *parallel,
			 const struct mptun_parallel_ops *ops, u32 most)
{
	unsigned int i;

	*parallel = (struct mptun_parallel){ .ops = ops, .most = most };
	spin_lock_init(&parallel->lock);
	__skb_queue_head_init(&parallel->line);
	for (i = 0; i < MPTUN_PARALLEL_WORKERS; i++) {
		parallel->worker[i].parallel = parallel;
		INIT_WORK(&parallel->worker[i].work, mptun_parallel_run);
	}
}

/**
 * mptun_parallel_finish() - wait until all packets have left
 * @parallel: the line; no packets are added any more; unusable afterwards
 *
 * May sleep.
 */
void mptun_parallel_finish(struct mptun_parallel *parallel)
{
	unsigned int i = MPTUN_PARALLEL_WORKERS;

	/* Whichever worker finishes last wakes the first one. */
	while (i--)
		flush_work(&parallel->worker[i].work);
	WARN_ON_ONCE(!skb_queue_empty(&parallel->line));
}

/**
 * mptun_parallel_setup() - allocate what all lines share
 *
 * Return: 0 or -ENOMEM.
 */
int mptun_parallel_setup(void)
{
	/* Dirty pages may be written through a tunnel.  No WQ_FREEZABLE: the
	 * deletion of a tunnel waits for packets in line, under RTNL, which
	 * drivers may take to suspend.
	 */
	mptun_parallel_wq = alloc_workqueue("mptun-parallel",
					    WQ_PERCPU | WQ_CPU_INTENSIVE |
					    WQ_HIGHPRI | WQ_MEM_RECLAIM, 0);
	return mptun_parallel_wq ? 0 : -ENOMEM;
}

/**
 * mptun_parallel_cleanup() - undo mptun_parallel_setup()
 */
void mptun_parallel_cleanup(void)
{
	destroy_workqueue(mptun_parallel_wq);
}
