// SPDX-License-Identifier: GPL-2.0
/*
 * The exchange of summaries with the agent of the other end.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * A tunnel is a link with two ends, so a packet to all hosts of the link
 * reaches the other end alone, whose addresses need not be known.  Routers do
 * not forward it.  The sockets are bound to the device of the tunnel, so what
 * they receive was authenticated by the kernel.  Hosts behind the other end are
 * kept out by the hop limit (RFC 5082): what was forwarded has less than 255.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/mptun.h>

#include "agent/agent.h"
#include "agent/reason.h"
#include "lib/report.h"

#define EXCHANGE_HOPS 255
/* All hosts of a link (RFC 1112, RFC 4291). */
#define EXCHANGE_ALL4 "224.0.0.1"
#define EXCHANGE_ALL6 "ff02::1"
/* Headers of UDP and IP, and those of the tunnel. */
#define EXCHANGE_HEADERS 120
/* Estimated size of a datagram before the first one: that of two paths. */
#define EXCHANGE_SIZE 700
/* Limits for a flood: each socket receives a number of datagrams in this time,
 * which is cheap, and parses some of them.
 */
#define EXCHANGE_PAUSE_MS 200
#define EXCHANGE_RECEIVE 256
#define EXCHANGE_READ 16
/* When a port that another program uses is tried again. */
#define EXCHANGE_AGAIN_MS 10000

void exchange_init(struct exchange *exchange)
{
	*exchange = (struct exchange) {
		.fd = { -1, -1 }, .look = UINT64_MAX, .size = EXCHANGE_SIZE,
		.again = UINT64_MAX,
	};
}

static bool exchange_option(int fd, int level, int name, int value)
{
	return !setsockopt(fd, level, name, &value, sizeof(value));
}

static bool exchange_options(int fd, bool old)
{
	if (old)
		return exchange_option(fd, IPPROTO_IP, IP_RECVTTL, 1) &&
		       exchange_option(fd, IPPROTO_IP, IP_MULTICAST_LOOP, 0) &&
		       exchange_option(fd, IPPROTO_IP, IP_MULTICAST_TTL,
				       EXCHANGE_HOPS);
	return exchange_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1) &&
	       exchange_option(fd, IPPROTO_IPV6, IPV6_RECVHOPLIMIT, 1) &&
	       exchange_option(fd, IPPROTO_IPV6, IPV6_MULTICAST_LOOP, 0) &&
	       exchange_option(fd, IPPROTO_IPV6, IPV6_MULTICAST_HOPS,
			       EXCHANGE_HOPS);
}

/* Return: the socket, or -1 with errno. */
static int exchange_socket(const char *dev, bool old)
{
	struct sockaddr_in6 six = {
		.sin6_family = AF_INET6, .sin6_port = htons(EXCHANGE_PORT),
	};
	struct sockaddr_in four = {
		.sin_family = AF_INET, .sin_port = htons(EXCHANGE_PORT),
	};
	int fd = socket(old ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC |
			SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	if (setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, dev,
		       (socklen_t)strlen(dev)) || !exchange_options(fd, old) ||
	    bind(fd, old ? (struct sockaddr *)&four : (struct sockaddr *)&six,
		 old ? sizeof(four) : sizeof(six))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Opens the sockets.  A machine may lack IPv4 or IPv6. */
static void exchange_open(struct agent *agent)
{
	struct exchange *exchange = &agent->exchange;
	bool said = exchange->again != UINT64_MAX;
	const char *dev = agent->file->name;

	exchange->again = UINT64_MAX;
	for (int i = 0; i < EXCHANGE_FDS; i++) {
		if (exchange->fd[i] >= 0)
			continue;
		exchange->fd[i] = exchange_socket(dev, !i);
		if (exchange->fd[i] >= 0 || errno != EADDRINUSE)
			continue;
		exchange->again = agent_clock() + EXCHANGE_AGAIN_MS;
		if (!said)
			report_warn("another program uses UDP port %d of %s, so nothing is exchanged with the other end over IPv%d yet",
				    EXCHANGE_PORT, dev, i ? 6 : 4);
	}
}

static void exchange_meet(struct exchange *exchange, uint64_t instance)
{
	uint32_t number = 0;

	while (!number)
		if (getrandom(&number, sizeof(number), 0) != sizeof(number))
			number = (uint32_t)agent_clock();
	summary_free(&exchange->peer);
	exchange->heard = 0;
	exchange->instance = instance;
	announce_begin(&exchange->announce, agent_clock(), number);
	free(exchange->states);
	exchange->states = NULL;
	exchange->look = 0;
}

void exchange_look(struct agent *agent)
{
	struct exchange *exchange = &agent->exchange;
	struct dump_list tunnels = { .count = 0 };
	uint64_t instance = 0;

	if (!agent->family)
		return;
	if (exchange->index != agent->index) {
		exchange_close(agent);
		exchange->index = agent->index;
		exchange_open(agent);
	}
	if (!dump_tunnels(agent->family, agent->file->name, &tunnels) &&
	    record_num(tunnels.rec[0], "state") ==
	    MPTUN_ASSOC_STATE_ESTABLISHED)
		instance = record_num(tunnels.rec[0], "peer-instance");
	dump_free(&tunnels);
	if (instance && instance != exchange->instance)
		exchange_meet(exchange, instance);
}

void exchange_event(struct agent *agent)
{
	uint64_t soon = agent_clock() + AGENT_SETTLE_MS;

	if (agent->exchange.instance && soon < agent->exchange.look)
		agent->exchange.look = soon;
}

/* Whether a summary can be sent over this version of IP. */
static bool exchange_has(const struct agent *agent, int version)
{
	if (agent->exchange.fd[version == 6] < 0)
		return false;
	for (size_t i = 0; i < agent->world.addrs; i++)
		if (agent->world.addr[i].index == agent->exchange.index &&
		    agent->world.addr[i].version == version)
			return true;
	return false;
}

/* Whether a summary can be sent: without a path it would wait in the tunnel,
 * and the other end accepts it only with a source address.
 */
static bool exchange_sends(const struct agent *agent)
{
	const struct exchange *exchange = &agent->exchange;

	return agent->family && exchange->instance &&
	       (exchange_has(agent, 4) || exchange_has(agent, 6)) &&
	       state_up(&agent->seen, NULL);
}

void exchange_fds(const struct agent *agent, struct pollfd *fd)
{
	const struct exchange *exchange = &agent->exchange;

	for (int i = 0; i < EXCHANGE_FDS; i++)
		fd[i].fd = agent_clock() < exchange->ready ? -1 :
							     exchange->fd[i];
}

uint64_t exchange_due(const struct agent *agent)
{
	const struct exchange *exchange = &agent->exchange;
	uint64_t next = announce_due(&exchange->announce, exchange->size);
	uint64_t due = exchange->look;

	if (next < due)
		due = next;
	if (due < exchange->wait)
		due = exchange->wait;
	if (!exchange_sends(agent))
		due = UINT64_MAX;
	if (agent_clock() < exchange->ready && exchange->ready < due)
		due = exchange->ready;
	return exchange->again < due ? exchange->again : due;
}

static uint64_t exchange_sum(const struct dump_list *paths, int index)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < paths->count; i++) {
		const struct record *stats = record_nest(paths->rec[i],
							 "stats");

		if (record_num(paths->rec[i], "ifindex") == (uint64_t)index)
			sum += record_num(stats, "tx-bytes") +
			       record_num(stats, "rx-bytes");
	}
	return sum;
}

/* Adds up what the paths have carried.  A path that is replaced begins at 0. */
static void exchange_carry(struct exchange *exchange,
			   const struct dump_list *paths)
{
	uint64_t total = exchange_sum(paths, exchange->index), more = 0;

	if (total > exchange->total)
		more = total - exchange->total;
	announce_carry(&exchange->announce, agent_clock(), more);
	exchange->total = total;
}

static void exchange_compare(struct exchange *exchange,
			     const struct summary *own)
{
	char *states = summary_states(own);

	if (!states)
		exit(report_fail("out of memory"));
	exchange->look = UINT64_MAX;
	if (exchange->states && strcmp(exchange->states, states))
		announce_change(&exchange->announce);
	free(exchange->states);
	exchange->states = states;
}

/* Sets the source address: never a link-local one, which allowed-ips of the
 * other end may exclude.
 */
static void exchange_source(const struct agent *agent, struct msghdr *head)
{
	struct cmsghdr *control = CMSG_FIRSTHDR(head);
	struct in6_pktinfo info = {
		.ipi6_ifindex = (unsigned int)agent->exchange.index,
	};

	for (size_t i = 0; i < agent->world.addrs; i++)
		if (agent->world.addr[i].index == agent->exchange.index &&
		    agent->world.addr[i].version == 6)
			memcpy(&info.ipi6_addr, agent->world.addr[i].addr, 16);
	control->cmsg_level = IPPROTO_IPV6;
	control->cmsg_type = IPV6_PKTINFO;
	control->cmsg_len = CMSG_LEN(sizeof(info));
	memcpy(CMSG_DATA(control), &info, sizeof(info));
}

static bool exchange_send4(const struct agent *agent, struct iovec *data)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = htons(EXCHANGE_PORT),
	};
	struct msghdr head = {
		.msg_name = &to, .msg_namelen = sizeof(to),
		.msg_iov = data, .msg_iovlen = 1,
	};

	inet_pton(AF_INET, EXCHANGE_ALL4, &to.sin_addr);
	return sendmsg(agent->exchange.fd[0], &head, 0) >= 0;
}

static bool exchange_send6(const struct agent *agent, struct iovec *data)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(struct in6_pktinfo))];
	} control = { .room = "" };
	struct sockaddr_in6 to = {
		.sin6_family = AF_INET6, .sin6_port = htons(EXCHANGE_PORT),
		.sin6_scope_id = (uint32_t)agent->exchange.index,
	};
	struct msghdr head = {
		.msg_name = &to, .msg_namelen = sizeof(to),
		.msg_iov = data, .msg_iovlen = 1, .msg_control = &control,
		.msg_controllen = sizeof(control),
	};

	inet_pton(AF_INET6, EXCHANGE_ALL6, &to.sin6_addr);
	exchange_source(agent, &head);
	return sendmsg(agent->exchange.fd[1], &head, 0) >= 0;
}

/* Sends the summary.  A failure counts as a loss, so it is sent again. */
static void exchange_send(struct agent *agent, const struct summary *own)
{
	struct exchange *exchange = &agent->exchange;
	static char buf[SUMMARY_MAX];
	struct iovec data = { .iov_base = buf };
	bool done = false;

	data.iov_len = summary_write(own, buf);
	if (data.iov_len && exchange_has(agent, 4))
		done = exchange_send4(agent, &data);
	else if (data.iov_len && exchange_has(agent, 6))
		done = exchange_send6(agent, &data);
	exchange->sent += done;
	exchange->size = data.iov_len + EXCHANGE_HEADERS;
	announce_sent(&exchange->announce, agent_clock(), exchange->size);
}

/* Looks at the own paths, and sends the summary if it is time to. */
static void exchange_update(struct agent *agent)
{
	struct exchange *exchange = &agent->exchange;
	struct summary own = { .version = MPTUN_VERSION };

	if (dump_paths(agent->family, agent->file->name, NULL, &own.paths)) {
		exchange->wait = agent_clock() + ANNOUNCE_PAUSE_MS;
		return;
	}
	exchange_carry(exchange, &own.paths);
	exchange_compare(exchange, &own);
	own.number = exchange->announce.number;
	own.seen = exchange->announce.seen;
	own.asks = announce_asks(&exchange->announce);
	if (announce_due(&exchange->announce, exchange->size) <= agent_clock())
		exchange_send(agent, &own);
	summary_free(&own);
}

/* Remembers a path that was reported as failed; an end has a limited number. */
static void exchange_fails(struct exchange *exchange, const char *name)
{
	if (json_object_size(exchange->failed) >= MPTUN_PATHS_MAX)
		json_object_clear(exchange->failed);
	if (!exchange->failed)
		exchange->failed = json_object();
	json_object_set_new(exchange->failed, name, json_true());
}

/* Reports the paths of the other end that fail or work again. */
static void exchange_say(struct exchange *exchange, const struct summary *now)
{
	for (size_t i = 0; i < now->paths.count; i++) {
		const struct record *path = now->paths.rec[i];
		enum state_kind is = state_kind(record_num(path, "state"));
		const char *name = record_text(path, "name");
		bool failed = json_object_get(exchange->failed, name);

		if (record_num(path, "learned") || !record_value(path, "state"))
			continue;
		if (is == STATE_DOWN && !failed) {
			report_note("path %s does not work at the other end, %s",
				    name, reason_text(path));
			exchange_fails(exchange, name);
		} else if (is == STATE_UP && failed) {
			report_note("path %s works at the other end again",
				    name);
			json_object_del(exchange->failed, name);
		}
	}
}

static void exchange_refuse(struct exchange *exchange, const char *why)
{
	exchange->refused++;
	if (exchange->refused == 1)
		report_warn("a datagram to port %d of the tunnel is refused, %s; others are only counted",
			    EXCHANGE_PORT, why);
}

static void exchange_take(struct agent *agent, const char *buf, size_t len)
{
	struct exchange *exchange = &agent->exchange;
	struct summary summary;
	const char *error;

	error = summary_read(&summary, agent->file->name, buf, len);
	if (error) {
		exchange_refuse(exchange, error);
		return;
	}
	/* Agents pause between summaries: faster ones are not reported. */
	if (agent_clock() >= exchange->heard + ANNOUNCE_PAUSE_MS / 2)
		exchange_say(exchange, &summary);
	summary_free(&exchange->peer);
	exchange->peer = summary;
	exchange->heard = agent_clock();
	announce_hear(&exchange->announce, summary.number, summary.seen,
		      summary.asks);
}

/* Hop limit of what was received, or -1. */
static int exchange_hops(struct msghdr *head)
{
	struct cmsghdr *control;
	int hops = -1;

	for (control = CMSG_FIRSTHDR(head); control;
	     control = CMSG_NXTHDR(head, control))
		if ((control->cmsg_level == IPPROTO_IP &&
		     control->cmsg_type == IP_TTL) ||
		    (control->cmsg_level == IPPROTO_IPV6 &&
		     control->cmsg_type == IPV6_HOPLIMIT))
			memcpy(&hops, CMSG_DATA(control), sizeof(hops));
	return hops;
}

/* Return: NULL, or why it is not from the other end. */
static const char *exchange_stranger(struct msghdr *head)
{
	const struct sockaddr_in6 *from = head->msg_name;

	if (exchange_hops(head) != EXCHANGE_HOPS)
		return "it was forwarded by a router";
	/* The port is at the same place in an address of IPv4. */
	if (from->sin6_port != htons(EXCHANGE_PORT))
		return "it is not from the port of an agent";
	if (head->msg_flags & MSG_TRUNC)
		return "it is too long";
	return NULL;
}

/* Return: false if there was none; @read counts those that were read. */
static bool exchange_receive(struct agent *agent, int fd, int *read)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct exchange *exchange = &agent->exchange;
	static char buf[SUMMARY_MAX];
	struct sockaddr_in6 from = { .sin6_port = 0 };
	struct iovec data = { .iov_base = buf, .iov_len = sizeof(buf) };
	struct msghdr head = {
		.msg_name = &from, .msg_namelen = sizeof(from),
		.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t len = recvmsg(fd, &head, 0);
	const char *why;

	if (len < 0)
		return false;
	exchange->received++;
	exchange->ready = agent_clock() + EXCHANGE_PAUSE_MS;
	why = exchange_stranger(&head);
	*read += !why;
	if (why)
		exchange_refuse(exchange, why);
	else
		exchange_take(agent, buf, (size_t)len);
	return true;
}

static void exchange_receive_all(struct agent *agent)
{
	for (int i = 0; i < EXCHANGE_FDS; i++) {
		int fd = agent->exchange.fd[i], left = EXCHANGE_RECEIVE;
		int read = 0;

		while (fd >= 0 && left-- && read < EXCHANGE_READ &&
		       exchange_receive(agent, fd, &read))
			;
	}
}

void exchange_run(struct agent *agent)
{
	struct exchange *exchange = &agent->exchange;
	bool worked = exchange->works;
	uint64_t now = agent_clock();
	bool due;

	if (exchange->again <= now)
		exchange_open(agent);
	exchange->works = exchange_sends(agent);
	if (exchange->works && !worked)
		announce_again(&exchange->announce);
	if (now >= exchange->ready)
		exchange_receive_all(agent);
	due = exchange->look <= now ||
	      announce_due(&exchange->announce, exchange->size) <= now;
	if (exchange->works && due && now >= exchange->wait)
		exchange_update(agent);
}

void exchange_view(struct agent *agent, const struct dump_sample *sample,
		   struct summary_view *view)
{
	struct exchange *exchange = &agent->exchange;

	*view = (struct summary_view) {
		.ifname = agent->file->name,
		.summary = exchange->heard ? &exchange->peer : NULL,
		.age = (agent_clock() - exchange->heard) / 1000,
		.answers = announce_answers(&exchange->announce),
		.sent = exchange->sent, .received = exchange->received,
		.refused = exchange->refused,
	};
	if (!exchange_sends(agent))
		return;
	exchange_carry(exchange, &sample->paths);
	announce_ask(&exchange->announce, exchange->size);
}

void exchange_close(struct agent *agent)
{
	struct exchange *exchange = &agent->exchange;

	for (int i = 0; i < EXCHANGE_FDS; i++)
		if (exchange->fd[i] >= 0)
			close(exchange->fd[i]);
	summary_free(&exchange->peer);
	free(exchange->states);
	exchange->states = NULL;
	json_decref(exchange->failed);
	exchange->failed = NULL;
	exchange->fd[0] = -1;
	exchange->fd[1] = -1;
	exchange->index = 0;
	exchange->instance = 0;
	exchange->heard = 0;
	exchange->look = UINT64_MAX;
	exchange->again = UINT64_MAX;
}
