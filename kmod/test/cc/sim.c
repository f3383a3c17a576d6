// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Simulated path: sender, bottleneck and receiver in virtual time.
 */
#include <kunit/test.h>
#include <linux/bitmap.h>
#include <linux/math64.h>
#include <linux/time64.h>
#include <linux/vmalloc.h>

#include "test/cc/sim.h"

/* Records a failed assertion.  The test can only be ended without the lock. */
static void mptun_sim_claim(struct mptun_sim *sim, bool ok, const char *what)
{
	if (!ok && !sim->broken)
		sim->broken = what;
}

/* Bytes in the buffer, the packet being sent included. */
static u64 mptun_sim_queue(const struct mptun_sim *link, u64 now)
{
	if (link->free_ns <= now)
		return 0;
	return div_u64((link->free_ns - now) * link->config.rate,
		       NSEC_PER_SEC);
}

static bool mptun_sim_swallowed(struct mptun_sim *sim)
{
	if (sim->now < sim->dark_ns)
		return true;
	if (sim->burst) {
		sim->burst--;
		return true;
	}
	return sim->config.loss &&
	       !(prandom_u32_state(&sim->rnd) % sim->config.loss);
}

/* Delay of a packet or report in ns; three uniform terms are nearly normal. */
static u64 mptun_sim_delay(struct mptun_sim *sim)
{
	s64 us = sim->config.delay_us;
	int i;

	for (i = 0; sim->config.spread_us && i < 3; i++)
		us += prandom_u32_state(&sim->rnd) %
		      (2 * sim->config.spread_us);
	us -= 3LL * sim->config.spread_us;
	return max(us, 0LL) * NSEC_PER_USEC;
}

static void mptun_sim_wait(struct mptun_sim *sim, u64 wait_ns)
{
	sim->waits++;
	sim->wait_ns += wait_ns;
	sim->max_wait_ns = max(sim->max_wait_ns, wait_ns);
	if (wait_ns > MPTUN_SIM_LONG_WAIT)
		sim->long_waits++;
}

/* Queues a packet at the bottleneck, or drops it. */
static void mptun_sim_enter(struct mptun_sim *sim, u64 number, u32 bytes,
			    bool probe)
{
	struct mptun_sim *link = sim->link;
	u64 queue = mptun_sim_queue(link, sim->now);
	struct mptun_sim_packet p = {
		.number = number,
		.sent_ns = sim->now,
		.probe = probe,
	};
	u32 i;

	if (mptun_sim_swallowed(sim))
		return;
	if (queue + bytes > link->config.buffer) {
		sim->dropped++;
		return;
	}
	link->max_queue = max_t(u32, link->max_queue, queue + bytes);
	link->free_ns = max(link->free_ns, sim->now);
	if (!link->config.policer)
		mptun_sim_wait(sim, link->free_ns - sim->now);
	link->free_ns += div64_u64((u64)bytes * NSEC_PER_SEC,
				   link->config.rate);
	p.at = (link->config.policer ? sim->now : link->free_ns) +
	       mptun_sim_delay(sim);
	/* what waits for a late packet follows it at the rate of the link */
	if (sim->config.spread_us)
		p.at = max(p.at, sim->last_ns +
			   div64_u64((u64)bytes * NSEC_PER_SEC,
				     link->config.rate));
	sim->last_ns = p.at;
	if (sim->config.jitter_us && !(prandom_u32_state(&sim->rnd) % 50))
		p.at += (u64)(prandom_u32_state(&sim->rnd) %
			      sim->config.jitter_us) * (u64)NSEC_PER_USEC;

	/* Late ones are overtaken. */
	i = sim->way_tail++;
	for (; i != sim->way_head &&
	     sim->way[(i - 1) % MPTUN_SIM_WAY].at > p.at; i--)
		sim->way[i % MPTUN_SIM_WAY] =
			sim->way[(i - 1) % MPTUN_SIM_WAY];
	sim->way[i % MPTUN_SIM_WAY] = p;
	mptun_sim_claim(sim, sim->way_tail - sim->way_head < MPTUN_SIM_WAY,
			"too many packets on the way");
}

static u64 mptun_sim_offered(const struct mptun_sim *sim)
{
	if (!sim->config.app_rate)
		return U64_MAX;
	return div_u64(div_u64(sim->now - MPTUN_SIM_START, NSEC_PER_USEC) *
		       sim->config.app_rate, USEC_PER_SEC);
}

/* As a tunnel does for a new packet: checks whether it was idle. */
static void mptun_sim_idle(struct mptun_sim *sim)
{
	if (!sim->idle || sim->pacer.next_ns >= sim->now ||
	    mptun_cc_room(&sim->cc, sim->sent.in_flight) < MPTUN_SIM_MSS)
		return;
	mptun_sample_limited(&sim->sample, sim->sent.next);
	if (!sim->sent.in_flight)
		mptun_cc_on_restart(&sim->cc, sim->now);
}

/* Sends what may be sent, and records what limits it. */
static void mptun_sim_send(struct mptun_sim *sim)
{
	struct mptun_cc *cc = &sim->cc;
	u64 offered = mptun_sim_offered(sim);
	u64 number;
	u32 burst;

	sim->pace_ns = U64_MAX;
	if (sim->app_bytes + MPTUN_SIM_MSS <= offered) {
		mptun_sim_idle(sim);
		sim->idle = false;
	}
	while (sim->app_bytes + MPTUN_SIM_MSS <= offered) {
		if (mptun_cc_room(cc, sim->sent.in_flight) < MPTUN_SIM_MSS ||
		    !mptun_sent_can_add(&sim->sent)) {
			mptun_sent_limited(&sim->sent);
			return;
		}
		burst = mptun_pacer_burst(cc->pacing_rate, MPTUN_SIM_MSS,
					  cc->tick_ns);
		if (mptun_pacer_room(&sim->pacer, cc->pacing_rate, burst,
				     sim->now) < MPTUN_SIM_MSS) {
			sim->pace_ns = mptun_pacer_ready(&sim->pacer,
							 cc->pacing_rate,
							 burst, sim->now);
			mptun_sim_claim(sim, sim->pace_ns > sim->now,
					"pacer without room is ready");
			return;
		}
		number = mptun_sent_add(&sim->sent, 0, MPTUN_SIM_MSS, sim->now);
		mptun_pacer_charge(&sim->pacer, cc->pacing_rate, MPTUN_SIM_MSS,
				   sim->now);
		mptun_sim_claim(sim, sim->sent.in_flight <= cc->cwnd,
				"more in flight than the window");
		sim->app_bytes += MPTUN_SIM_MSS;
		mptun_sim_enter(sim, number, MPTUN_SIM_MSS, false);
	}
	sim->idle = true;
	/* The application returns a millisecond later. */
	if (sim->config.app_rate)
		sim->pace_ns = sim->now + NSEC_PER_MSEC;
}

static void mptun_sim_feed(struct mptun_sim *sim,
			   const struct mptun_sent_result *res,
			   const struct mptun_sample_report *rep)
{
	struct mptun_rate_sample sample;
	struct mptun_cc_ack ack = {
		.now = sim->now,
		.newest_sent_ns = res->newest_acked_ns,
		.bytes = res->acked_bytes,
		.packets = res->acked_packets,
		.prior_in_flight = res->prior_in_flight,
		.in_flight = sim->sent.in_flight,
		.spurious = res->spurious,
		.window_limited = res->window_limited,
		.rtt = &sim->rtt,
	};
	struct mptun_cc_loss loss = {
		.now = sim->now,
		.newest_sent_ns = res->newest_lost_ns,
		.bytes = res->lost_bytes,
		.packets = res->lost_packets,
		.in_flight = sim->sent.in_flight,
		.persistent = res->persistent,
		.rtt = &sim->rtt,
	};

	sim->acked += res->acked_bytes;
	sim->lost += res->lost_packets;
	sim->spurious += res->spurious;
	mptun_sample_lost(&sim->sample, res);
	if (rep && mptun_sample_report(&sim->sample, rep, &sample))
		ack.sample = &sample;
	ack.queue_us = mptun_oneway_queue_us(&sim->sample.oneway);
	if (res->acked_packets || res->spurious) {
		sim->probes = 0;
		mptun_cc_on_ack(&sim->cc, &ack);
		if (sim->cc.held)
			mptun_sample_limited(&sim->sample, sim->sent.next);
	}
	if (res->lost_packets)
		mptun_cc_on_loss(&sim->cc, &loss);
}

/* Processes the spans of a report. */
static void mptun_sim_hear_ack(struct mptun_sim *sim,
			       const struct mptun_sim_report *rep)
{
	struct mptun_sample_report report = {
		.now = sim->now,
		.newest = rep->spans[0].last,
		.bytes = rep->bytes,
		.arrival_us = rep->arrival_us,
	};
	const struct mptun_sent_origin from = {
		.arrival_us = rep->arrival_us,
		.delay_us = rep->delay_us,
		.same_path = true,
	};
	struct mptun_sent_result res;
	int err;

	err = mptun_sent_ack(&sim->sent, rep->spans, rep->n, sim->now,
			     &sim->rtt, &from, &res);
	mptun_sim_claim(sim, !err, "report refused");
	if (res.rtt_valid)
		mptun_cc_on_rtt(&sim->cc, &sim->rtt);
	report.sent_ns = res.newest_acked_ns;
	report.next = sim->sent.next;
	report.late = mptun_sent_late(&sim->sent) * MPTUN_SIM_MSS;
	report.prior_in_flight = res.prior_in_flight;
	report.srtt_us = sim->rtt.srtt_us;
	mptun_sim_feed(sim, &res, res.rtt_valid ? &report : NULL);
}

/* Processes a report at the sender. */
static void mptun_sim_hear(struct mptun_sim *sim)
{
	struct mptun_sim_report *rep;
	struct mptun_sent_result res;

	rep = &sim->back[sim->back_head++ % MPTUN_SIM_REPORTS];
	if (rep->n)
		mptun_sim_hear_ack(sim, rep);
	if (rep->probe_ns) {
		mptun_rtt_sample(&sim->rtt,
				 div_u64(sim->now - rep->probe_ns,
					 NSEC_PER_USEC), 0, sim->now);
		mptun_cc_on_rtt(&sim->cc, &sim->rtt);
		mptun_sent_witness(&sim->sent, &sim->rtt, rep->probe_ns,
				   sim->now, &res);
		mptun_sim_feed(sim, &res, NULL);
		sim->probes = 0;
	}
}

static void mptun_sim_spans(struct mptun_sim *sim, struct mptun_sim_report *rep)
{
	u64 low = mptun_sent_floor(&sim->sent);
	struct mptun_ack_span *span = NULL;
	u64 number;

	rep->n = 0;
	for (number = sim->largest; number >= low; number--) {
		if (!test_bit((u32)number % MPTUN_SIM_WAY, sim->got)) {
			span = NULL;
		} else if (span) {
			span->first = number;
		} else {
			if (rep->n == MPTUN_SIM_SPANS)
				return;
			span = &rep->spans[rep->n++];
			*span = (struct mptun_ack_span){ number, number };
		}
	}
}

static void mptun_sim_report(struct mptun_sim *sim, u64 probe_ns)
{
	struct mptun_sim_report *rep;

	mptun_sim_claim(sim, sim->back_tail - sim->back_head <
			MPTUN_SIM_REPORTS, "too many reports on the way");
	rep = &sim->back[sim->back_tail++ % MPTUN_SIM_REPORTS];
	rep->at = sim->now + mptun_sim_delay(sim);
	if (sim->back_tail - sim->back_head > 1)
		rep->at = max(rep->at, sim->back[(sim->back_tail - 2) %
						 MPTUN_SIM_REPORTS].at);
	rep->probe_ns = probe_ns;
	rep->delay_us = div_u64(sim->now - sim->largest_ns, NSEC_PER_USEC);
	/* A clock of its own, which wraps after ten seconds. */
	rep->arrival_us = div_u64(sim->largest_ns - MPTUN_SIM_START,
				  NSEC_PER_USEC) - 10 * USEC_PER_SEC;
	rep->bytes = sim->delivered;
	rep->n = 0;
	if (sim->any)
		mptun_sim_spans(sim, rep);
	sim->reported_ns = sim->now;
	sim->report_ns = U64_MAX;
}

/* Processes a packet at the receiver. */
static void mptun_sim_arrive(struct mptun_sim *sim)
{
	struct mptun_sim_packet *p;
	u64 pause, at;
	bool gap;

	p = &sim->way[sim->way_head++ % MPTUN_SIM_WAY];
	if (p->probe) {
		mptun_sim_report(sim, p->sent_ns);
		return;
	}
	sim->delivered += MPTUN_SIM_MSS;
	gap = sim->any && p->number > sim->largest + 1;
	if (!sim->any || p->number > sim->largest) {
		/* Clear the bits of numbers not seen yet. */
		for (at = sim->any ? sim->largest + 1 : p->number;
		     at < p->number; at++)
			clear_bit((u32)at % MPTUN_SIM_WAY, sim->got);
		sim->largest = p->number;
		sim->largest_ns = sim->now;
		sim->any = true;
	}
	set_bit((u32)p->number % MPTUN_SIM_WAY, sim->got);

	pause = max_t(u64, sim->config.delay_us * 2 / 8, 1000) * NSEC_PER_USEC;
	if (gap || sim->now >= sim->reported_ns + pause)
		mptun_sim_report(sim, 0);
	else if (sim->report_ns == U64_MAX)
		sim->report_ns = sim->reported_ns + pause;
}

static u64 mptun_sim_pto(const struct mptun_sim *sim)
{
	u64 at = mptun_sent_pto_deadline(&sim->sent, &sim->rtt);

	return at == U64_MAX ? at : max(at, sim->probe_ns);
}

static void mptun_sim_timers(struct mptun_sim *sim)
{
	struct mptun_sent_result res;
	u64 pto;

	if (mptun_sent_loss_deadline(&sim->sent) <= sim->now) {
		mptun_sent_detect(&sim->sent, &sim->rtt, sim->now, &res);
		mptun_sim_feed(sim, &res, NULL);
	}
	if (mptun_sim_pto(sim) <= sim->now) {
		pto = (u64)mptun_rtt_pto_us(&sim->rtt) * NSEC_PER_USEC;
		sim->probe_ns = sim->now + (pto << min(sim->probes, 6U));
		sim->probes++;
		mptun_sim_enter(sim, 0, 100, true);
	}
}

static u64 mptun_sim_next(const struct mptun_sim *sim)
{
	u64 at = min(sim->pace_ns, sim->report_ns);

	if (sim->way_head != sim->way_tail)
		at = min(at, sim->way[sim->way_head % MPTUN_SIM_WAY].at);
	if (sim->back_head != sim->back_tail)
		at = min(at, sim->back[sim->back_head % MPTUN_SIM_REPORTS].at);
	at = min(at, mptun_sent_loss_deadline(&sim->sent));
	return min(at, mptun_sim_pto(sim));
}

/* Processes all events of this time. */
static void mptun_sim_step(struct mptun_sim *sim, u64 now)
{
	mptun_sim_claim(sim, now >= sim->now, "time goes backwards");
	sim->now = now;
	while (sim->way_head != sim->way_tail &&
	       sim->way[sim->way_head % MPTUN_SIM_WAY].at <= now)
		mptun_sim_arrive(sim);
	if (sim->report_ns <= now)
		mptun_sim_report(sim, 0);
	while (sim->back_head != sim->back_tail &&
	       sim->back[sim->back_head % MPTUN_SIM_REPORTS].at <= now)
		mptun_sim_hear(sim);
	mptun_sim_timers(sim);
	mptun_sim_send(sim);
}

/* Time of the next event on any path. */
static u64 mptun_sim_next_all(const struct mptun_sim *first)
{
	const struct mptun_sim *sim;
	u64 next = U64_MAX;

	for (sim = first; sim; sim = sim->next)
		next = min(next, mptun_sim_next(sim));
	return next;
}

/**
 * mptun_sim_run() - advance time
 * @first: the first path of the simulation
 * @ms: duration in milliseconds
 */
void mptun_sim_run(struct mptun_sim *first, u32 ms)
{
	u64 end = first->now + ms * (u64)NSEC_PER_MSEC;
	u64 next = first->now;
	struct mptun_sim *sim;

	while (next <= end) {
		for (sim = first; sim; sim = sim->next) {
			spin_lock_bh(&sim->lock);
			mptun_sim_step(sim, next);
			spin_unlock_bh(&sim->lock);
			KUNIT_ASSERT_TRUE_MSG(sim->test, !sim->broken, "%s",
					      sim->broken);
		}
		next = mptun_sim_next_all(first);
	}
	for (sim = first; sim; sim = sim->next)
		sim->now = end;
	cond_resched();
}

/**
 * mptun_sim_forget() - reset the statistics of waiting times
 * @sim: the simulation
 */
void mptun_sim_forget(struct mptun_sim *sim)
{
	sim->waits = 0;
	sim->wait_ns = 0;
	sim->max_wait_ns = 0;
	sim->long_waits = 0;
}

/**
 * mptun_sim_use() - advance time and measure the use of the link
 * @sim: the simulation
 * @ms: duration in milliseconds
 *
 * Return: use of the bottleneck in tenths of a percent.
 */
u32 mptun_sim_use(struct mptun_sim *sim, u32 ms)
{
	u64 before = sim->delivered;

	mptun_sim_run(sim, ms);
	return div64_u64((sim->delivered - before) * 1000 * MSEC_PER_SEC,
			 sim->config.rate * ms);
}

/**
 * mptun_sim_new() - create a path
 * @test: the test
 * @config: the path and its traffic
 *
 * Return: the simulation, freed with mptun_sim_free(); NULL without memory.
 */
struct mptun_sim *mptun_sim_new(struct kunit *test,
				const struct mptun_sim_config *config)
{
	struct mptun_sim *sim = vzalloc(sizeof(*sim));

	if (!sim)
		return NULL;
	sim->test = test;
	spin_lock_init(&sim->lock);
	sim->config = *config;
	sim->link = sim;
	sim->now = MPTUN_SIM_START;
	sim->report_ns = U64_MAX;
	prandom_seed_state(&sim->rnd, 4725);
	sim->way = vzalloc(array_size(MPTUN_SIM_WAY, sizeof(*sim->way)));
	sim->back = vzalloc(array_size(MPTUN_SIM_REPORTS, sizeof(*sim->back)));
	sim->got = vzalloc(BITS_TO_LONGS(MPTUN_SIM_WAY) * sizeof(long));
	if (!sim->way || !sim->back || !sim->got ||
	    mptun_sent_init(&sim->sent) ||
	    mptun_cc_assign(&sim->cc, config->cc)) {
		mptun_sim_free(sim);
		return NULL;
	}
	/* As a tunnel does: numbers close to a wrap, and a probe first. */
	mptun_sent_reset(&sim->sent, U32_MAX - 1000ULL);
	mptun_rtt_init(&sim->rtt);
	mptun_cc_set_rate(&sim->cc, config->fixed_rate);
	mptun_cc_reset(&sim->cc, MPTUN_SIM_MSS);
	mptun_rtt_sample(&sim->rtt, config->delay_us * 2, 0, sim->now - 1);
	mptun_cc_on_rtt(&sim->cc, &sim->rtt);
	return sim;
}

/**
 * mptun_sim_free() - free all paths of a simulation
 * @sim: the first path
 */
void mptun_sim_free(struct mptun_sim *sim)
{
	struct mptun_sim *next;

	for (; sim; sim = next) {
		next = sim->next;
		mptun_sent_destroy(&sim->sent);
		vfree(sim->way);
		vfree(sim->back);
		vfree(sim->got);
		vfree(sim);
	}
}

/**
 * mptun_sim_path() - replace the path of a test
 * @test: the test, whose private data it becomes
 * @config: the path and its traffic
 *
 * Return: the path.
 */
struct mptun_sim *mptun_sim_path(struct kunit *test,
				 const struct mptun_sim_config *config)
{
	mptun_sim_exit(test);
	test->priv = mptun_sim_new(test, config);
	KUNIT_ASSERT_NOT_NULL(test, test->priv);
	return test->priv;
}

/**
 * mptun_sim_beside() - add a path
 * @sim: the first path, which has not run yet
 * @config: the new path
 * @link: the path whose bottleneck it shares, NULL for its own
 *
 * It runs together with the first one, and is freed with it.
 *
 * Return: the new path.
 */
struct mptun_sim *mptun_sim_beside(struct mptun_sim *sim,
				   const struct mptun_sim_config *config,
				   struct mptun_sim *link)
{
	struct mptun_sim *other = mptun_sim_new(sim->test, config);

	KUNIT_ASSERT_NOT_NULL(sim->test, other);
	other->link = link ?: other;
	other->next = sim->next;
	sim->next = other;
	return other;
}

/**
 * mptun_sim_exit() - exit of a test
 * @test: the test
 */
void mptun_sim_exit(struct kunit *test)
{
	if (test->priv)
		mptun_sim_free(test->priv);
	test->priv = NULL;
}
