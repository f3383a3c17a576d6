// SPDX-License-Identifier: GPL-2.0
/*
 * A UDP flow of constant rate, and its loss, gaps, order and age at the receiver.
 * Copyright (C) 2026 The mptun authors
 *
 * usage: udpflow send|fill ADDRESS PORT KBIT BYTES SECONDS [DSCP [FRAME]]
 *	  udpflow recv PORT [IDLE-SECONDS [DEADLINE-MS]]
 *
 * FRAME packets leave at once, as those of a picture do (default 1).
 *
 * The sender waits if a socket has no room.  "send" then takes longer to send all
 * packets, "fill" ends in time.
 *
 * The receiver ends soon after the sender's last packet (sent several times)
 * has come, or after IDLE-SECONDS (default 15) without a packet. What is older
 * than DEADLINE-MS (default 150) is late. Both print one JSON object. Sender and
 * receiver run on one machine and share its clock.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MAX_PACKETS	(1U << 25)
#define LAST_COPIES	10
/* The reordering that the receiver waits for after the last packet. */
#define LINGER_NS	300000000
/* The histogram of ages: bins of a tenth of a ms. */
#define AGES		20000
#define AGE_NS		100000

struct packet {
	uint64_t time_ns;
	uint32_t seq;
	uint32_t last;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void sleep_until(uint64_t ns)
{
	struct timespec ts = {
		.tv_sec = ns / 1000000000,
		.tv_nsec = ns % 1000000000,
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) ==
	       EINTR)
		;
}

static socklen_t address(const char *text, int port,
			 struct sockaddr_storage *out)
{
	struct sockaddr_in6 *in6 = (void *)out;
	struct sockaddr_in *in = (void *)out;

	memset(out, 0, sizeof(*out));
	if (inet_pton(AF_INET, text, &in->sin_addr) == 1) {
		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		return sizeof(*in);
	}
	if (inet_pton(AF_INET6, text, &in6->sin6_addr) != 1) {
		fprintf(stderr, "udpflow: %s is no address\n", text);
		exit(1);
	}
	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons(port);
	return sizeof(*in6);
}

/* The DSCP, in the field of either family. */
static void set_dscp(int fd, int family, int dscp)
{
	int ds = dscp << 2;

	if (family == AF_INET ?
	    setsockopt(fd, IPPROTO_IP, IP_TOS, &ds, sizeof(ds)) :
	    setsockopt(fd, IPPROTO_IPV6, IPV6_TCLASS, &ds, sizeof(ds)))
		die("setsockopt");
}

static int do_send(int argc, char **argv, bool fill)
{
	uint64_t start, next, step, end, errors = 0;
	double kbit = atof(argv[2]), seconds = atof(argv[4]);
	int bytes = atoi(argv[3]), frame = argc > 6 ? atoi(argv[6]) : 1, fd, i;
	struct sockaddr_storage to;
	char buf[65536] = { 0 };
	struct packet *p = (void *)buf;
	uint32_t seq = 0;
	socklen_t len;

	if (kbit <= 0 || frame < 1 || bytes < (int)sizeof(*p) || bytes > 65000)
		return 2;
	len = address(argv[0], atoi(argv[1]), &to);
	fd = socket(to.ss_family, SOCK_DGRAM, 0);
	if (fd < 0)
		die("socket");
	if (argc > 5)
		set_dscp(fd, to.ss_family, atoi(argv[5]));
	step = (uint64_t)(bytes * 8e6 / kbit);
	start = now_ns();
	end = start + (uint64_t)(seconds * 1e9);
	for (next = start; next < end; next += step) {
		sleep_until(next - seq % frame * step);
		p->time_ns = now_ns();
		if (fill && p->time_ns >= end)
			break;
		p->seq = seq++;
		if (sendto(fd, buf, bytes, 0, (void *)&to, len) < 0)
			errors++;
	}
	/* What is under way must not be overtaken by the end. */
	p->last = 1;
	p->seq = seq;
	for (i = 0; i < LAST_COPIES; i++) {
		sleep_until(now_ns() + 100000000);
		sendto(fd, buf, sizeof(*p), 0, (void *)&to, len);
	}
	printf("{\"sent\":%u,\"send_errors\":%llu}\n", seq,
	       (unsigned long long)errors);
	return 0;
}

struct result {
	uint64_t received, duplicates, reordered, first, previous, gap;
	uint64_t gap_at, age_min, age_max, late, deadline;
	double age_sum;
	uint32_t next;
	uint32_t ages[AGES];
};

/* So old at most are this many percent, in ms. */
static double percentile(const struct result *r, unsigned int percent)
{
	uint64_t sum = 0;
	int i = 0;

	while (i < AGES - 1 && (sum += r->ages[i]) * 100 <
			       r->received * percent)
		i++;
	return (i + 1) * (AGE_NS / 1e6);
}

static void account(struct result *r, const struct packet *p, uint8_t *seen,
		    uint64_t now)
{
	uint64_t age = now - p->time_ns;

	if (p->seq >= MAX_PACKETS)
		return;
	if (seen[p->seq / 8] & (1 << p->seq % 8)) {
		r->duplicates++;
		return;
	}
	seen[p->seq / 8] |= 1 << p->seq % 8;
	if (!r->received++) {
		r->first = now;
	} else if (now - r->previous > r->gap) {
		r->gap = now - r->previous;
		r->gap_at = r->previous - r->first;
	}
	r->previous = now;
	if (p->seq < r->next)
		r->reordered++;
	else
		r->next = p->seq + 1;
	if (age < r->age_min)
		r->age_min = age;
	if (age > r->age_max)
		r->age_max = age;
	r->late += age > r->deadline;
	r->age_sum += age;
	r->ages[age / AGE_NS < AGES ? age / AGE_NS : AGES - 1]++;
}

static int do_recv(int argc, char **argv)
{
	struct sockaddr_in6 sin6 = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(atoi(argv[0])),
	};
	/* What a tunnel held back for a second comes all at once */
	int idle = argc > 1 ? atoi(argv[1]) : 15, size = 1 << 26;
	static struct result r = { .age_min = UINT64_MAX };
	int deadline = argc > 2 ? atoi(argv[2]) : 150;
	uint64_t end = UINT64_MAX;
	struct packet p;
	uint8_t *seen;
	int fd;

	r.deadline = deadline * 1000000ULL;
	seen = calloc(1, MAX_PACKETS / 8);
	fd = socket(AF_INET6, SOCK_DGRAM, 0);
	if (fd < 0 || !seen)
		die("socket");
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	if (bind(fd, (void *)&sin6, sizeof(sin6)) < 0)
		die("bind");
	while (now_ns() < end) {
		struct pollfd pfd = { .fd = fd, .events = POLLIN };

		if (poll(&pfd, 1, idle * 1000) <= 0)
			break;
		if (recv(fd, &p, sizeof(p), MSG_TRUNC) < (int)sizeof(p))
			continue;
		if (p.last && end == UINT64_MAX)
			end = now_ns() + LINGER_NS;
		if (!p.last)
			account(&r, &p, seen, now_ns());
	}
	if (!r.received)
		r.age_min = 0;
	printf("{\"received\":%llu,\"duplicates\":%llu,\"reordered\":%llu,"
	       "\"gap_ms\":%.2f,\"gap_at_s\":%.3f,\"age_min_ms\":%.2f,"
	       "\"age_max_ms\":%.2f,\"age_p5_ms\":%.2f,\"age_p99_ms\":%.2f,"
	       "\"age_mean_ms\":%.2f,\"late\":%llu}\n",
	       (unsigned long long)r.received,
	       (unsigned long long)r.duplicates,
	       (unsigned long long)r.reordered, r.gap / 1e6, r.gap_at / 1e9,
	       r.age_min / 1e6, r.age_max / 1e6, percentile(&r, 5),
	       percentile(&r, 99),
	       r.received ? r.age_sum / r.received / 1e6 : 0,
	       (unsigned long long)r.late);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc >= 7 && argc <= 9 && !strcmp(argv[1], "send"))
		return do_send(argc - 2, argv + 2, false);
	if (argc >= 7 && argc <= 9 && !strcmp(argv[1], "fill"))
		return do_send(argc - 2, argv + 2, true);
	if (argc >= 3 && !strcmp(argv[1], "recv"))
		return do_recv(argc - 2, argv + 2);
	fprintf(stderr,
		"usage: udpflow send|fill ADDRESS PORT KBIT BYTES SECONDS [DSCP [FRAME]]\n"
		"       udpflow recv PORT [IDLE-SECONDS]\n");
	return 2;
}
