// SPDX-License-Identifier: GPL-2.0
/*
 * Sends malformed and unauthenticated datagrams, as fast as one CPU can.
 * Copyright (C) 2026 The mptun authors
 *
 * usage: flood [-c COUNT] [-t SECONDS] [-p PACKETS-PER-SECOND] [-s SEED]
 *		[-f SOURCE PORT] MODE ADDRESS PORT
 *	  flood ... -i DEVICE mutate ADDRESS PORT
 *
 * Modes: random (bytes), short (a valid beginning, cut off), type (unknown
 * types, versions, flags), index (a well-formed packet for nobody), hello
 * (handshakes with wrong fields), mix (all of these in turn), mutate (what
 * passes on DEVICE towards ADDRESS and PORT, with some bytes or its length
 * changed). With -f the datagrams carry that source address. Prints one JSON
 * object.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pace.h"

#ifndef IP_TRANSPARENT
#define IP_TRANSPARENT 19
#endif

#define BATCH		32
#define SIZE		1472
#define SAMPLES		64

/* The wire, as far as it takes to be believed for a moment (proto.h) */
#define TYPE_INIT	1
#define TYPE_RESPONSE	2
#define TYPE_COOKIE	3
#define TYPE_PACKET	4
#define VERSION		1
#define OUTER_LEN	16
#define PACKET_LEN	28
#define INIT_LEN	168
#define RESPONSE_LEN	136
#define COOKIE_LEN	88

static uint64_t rng_state;

static uint8_t sample[SAMPLES][SIZE];
static int sample_len[SAMPLES], samples;

static uint64_t rng(void)
{
	rng_state ^= rng_state << 13;
	rng_state ^= rng_state >> 7;
	rng_state ^= rng_state << 17;
	return rng_state;
}

static void fill(uint8_t *p, int len)
{
	int i;

	for (i = 0; i < len; i += 8) {
		uint64_t r = rng();

		memcpy(p + i, &r, len - i < 8 ? len - i : 8);
	}
}

static void outer(uint8_t *p, int type, uint32_t receiver)
{
	memset(p, 0, OUTER_LEN);
	p[0] = type;
	p[1] = VERSION;
	memcpy(p + 4, &receiver, 4);
}

static int make_random(uint8_t *p)
{
	int len = rng() % (SIZE + 1);

	fill(p, len);
	return len;
}

static int make_short(uint8_t *p)
{
	int len = rng() % (PACKET_LEN + 8);

	fill(p, PACKET_LEN + 8);
	outer(p, 1 + rng() % 4, rng());
	return len;
}

static int make_type(uint8_t *p)
{
	int len = OUTER_LEN + rng() % 200;

	fill(p, len);
	outer(p, TYPE_PACKET, rng());
	switch (rng() % 3) {
	case 0:
		p[0] = rng();
		break;
	case 1:
		p[1] = 2 + rng() % 254;
		break;
	default:
		p[2] = 1 + rng() % 255;
		break;
	}
	return len;
}

static int make_index(uint8_t *p)
{
	int len = PACKET_LEN + rng() % (SIZE - PACKET_LEN);

	fill(p, len);
	outer(p, TYPE_PACKET, rng());
	p[8] = 0;
	p[9] = 2 + rng() % 8;
	p[15] = rng();
	p[16] = (1 + rng() % 6) << 4;
	p[24] = 0;
	return len;
}

static int make_hello(uint8_t *p)
{
	static const struct {
		int type;
		int len;
	} kinds[] = {
		{ TYPE_INIT, INIT_LEN }, { TYPE_INIT, INIT_LEN },
		{ TYPE_RESPONSE, RESPONSE_LEN }, { TYPE_COOKIE, COOKIE_LEN },
	};
	int i = rng() % 4, len = kinds[i].len;

	fill(p, len + 8);
	outer(p, kinds[i].type, kinds[i].type == TYPE_INIT ? 0 : rng());
	if (rng() % 2 && kinds[i].type == TYPE_INIT) {
		/* a small number may be that of a tunnel; no key, tag */
		memset(p + OUTER_LEN, 0, 48);
		p[OUTER_LEN + 3] = rng() % 32;
		p[OUTER_LEN + 7] = rng() % 32;
		memset(p + INIT_LEN - 48, 0, 48);
	}
	return rng() % 8 ? len : (int)(len - 8 + rng() % 16);
}

static int make_mix(uint8_t *p)
{
	static int (*const make[])(uint8_t *p) = {
		make_random, make_short, make_type, make_index, make_hello,
	};

	return make[rng() % 5](p);
}

static int make_mutate(uint8_t *p)
{
	int n = rng() % samples, len = sample_len[n], changes;

	memcpy(p, sample[n], len);
	for (changes = rng() % 4; changes >= 0 && len; changes--) {
		/* mostly in the headers */
		int end = rng() % 4 && len > PACKET_LEN + 40 ?
			PACKET_LEN + 40 : len;

		if (rng() % 2)
			p[rng() % end] = rng();
		else
			p[rng() % end] ^= 1 << rng() % 8;
	}
	if (!(rng() % 4))
		len = rng() % (len + 1);
	else if (!(rng() % 8) && len < SIZE - 64)
		len += rng() % 64;
	return len;
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
		fprintf(stderr, "flood: %s is no address\n", text);
		exit(1);
	}
	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons(port);
	return sizeof(*in6);
}

/* Collect what passes, IPv4 only */
static void collect(const char *dev, const char *to, int port)
{
	struct sockaddr_ll ll = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = if_nametoindex(dev),
	};
	struct timeval tv = { .tv_sec = 5 };
	struct in_addr addr;
	uint8_t buf[2048];
	int fd, tries;

	fd = socket(AF_PACKET, SOCK_DGRAM, htons(ETH_P_ALL));
	if (fd < 0 || bind(fd, (void *)&ll, sizeof(ll)) < 0)
		die("packet socket");
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	inet_pton(AF_INET, to, &addr);
	for (tries = 0; tries < 4096 && samples < SAMPLES; tries++) {
		int len = recv(fd, buf, sizeof(buf), 0);
		struct iphdr *ip = (void *)buf;
		struct udphdr *udp = (void *)(buf + 20);

		if (len < 0)
			break;
		if (len < 28 || ip->version != 4 || ip->ihl != 5 ||
		    ip->protocol != IPPROTO_UDP ||
		    ip->daddr != addr.s_addr || udp->dest != htons(port))
			continue;
		len -= 28;
		if (len > SIZE)
			continue;
		memcpy(sample[samples], buf + 28, len);
		sample_len[samples++] = len;
	}
	close(fd);
	if (!samples) {
		fprintf(stderr, "flood: nothing passes on %s\n", dev);
		exit(1);
	}
}

static int (*mode(const char *name))(uint8_t *p)
{
	static const struct {
		const char *name;
		int (*make)(uint8_t *p);
	} modes[] = {
		{ "random", make_random }, { "short", make_short },
		{ "type", make_type }, { "index", make_index },
		{ "hello", make_hello }, { "mix", make_mix },
		{ "mutate", make_mutate },
	};
	unsigned int i;

	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(name, modes[i].name))
			return modes[i].make;
	return NULL;
}

static int open_socket(const struct sockaddr_storage *to, socklen_t len,
		       const char *from, int from_port)
{
	struct sockaddr_storage src;
	int fd, one = 1;

	fd = socket(to->ss_family, SOCK_DGRAM, 0);
	if (fd < 0)
		die("socket");
	if (from) {
		if (setsockopt(fd, SOL_IP, IP_TRANSPARENT, &one,
			       sizeof(one)) < 0)
			die("transparent");
		if (bind(fd, (void *)&src, address(from, from_port, &src)) < 0)
			die("bind");
	}
	if (connect(fd, (const void *)to, len) < 0)
		die("connect");
	return fd;
}

static void flood(int fd, int (*make)(uint8_t *p), struct pace *pace)
{
	static uint8_t buf[BATCH][SIZE + 64];
	struct mmsghdr msg[BATCH] = { 0 };
	struct iovec iov[BATCH];
	int i, n, sent;

	for (i = 0; i < BATCH; i++) {
		iov[i].iov_base = buf[i];
		msg[i].msg_hdr.msg_iov = &iov[i];
		msg[i].msg_hdr.msg_iovlen = 1;
	}
	while ((n = pace_batch(pace, BATCH))) {
		for (i = 0; i < n; i++)
			iov[i].iov_len = make(buf[i]);
		sent = sendmmsg(fd, msg, n, 0);
		/* An ICMP error of an earlier one is no reason to stop */
		if (sent < 0 && errno != ECONNREFUSED && errno != ENOBUFS &&
		    errno != EHOSTUNREACH && errno != ENETUNREACH)
			die("sendmmsg");
		pace_did(pace, n, sent);
	}
}

int main(int argc, char **argv)
{
	const char *from = NULL, *dev = NULL;
	struct pace pace = { .count = ~0ULL, .seconds = 1 };
	int (*make)(uint8_t *p);
	struct sockaddr_storage to;
	int from_port = 0, c, fd;
	socklen_t len;

	rng_state = 1;
	while ((c = getopt(argc, argv, PACE_OPTIONS "s:f:i:")) != -1) {
		if (pace_option(&pace, c, optarg))
			continue;
		switch (c) {
		case 's':
			rng_state = strtoull(optarg, NULL, 0) + 1;
			break;
		case 'f':
			from = optarg;
			from_port = optind < argc ? atoi(argv[optind++]) : 0;
			break;
		case 'i':
			dev = optarg;
			break;
		default:
			return 2;
		}
	}
	make = optind + 3 == argc ? mode(argv[optind]) : NULL;
	if (!make || (make == make_mutate) != !!dev) {
		fprintf(stderr, "usage: see the top of flood.c\n");
		return 2;
	}
	rng_state *= 0x9e3779b97f4a7c15ULL;
	if (dev)
		collect(dev, argv[optind + 1], atoi(argv[optind + 2]));
	len = address(argv[optind + 1], atoi(argv[optind + 2]), &to);
	fd = open_socket(&to, len, from, from_port);
	pace.begin = pace_now();
	flood(fd, make, &pace);
	printf("{\"sent\":%llu,\"seconds\":%.3f,\"samples\":%d}\n",
	       pace.sent, pace_taken(&pace), samples);
	return 0;
}
