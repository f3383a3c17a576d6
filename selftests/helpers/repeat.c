// SPDX-License-Identifier: GPL-2.0
/*
 * Replays recordings of wiretap.py, as fast as one CPU can.
 * Copyright (C) 2026 The mptun authors
 *
 * usage: repeat [-c COUNT] [-t SECONDS] [-p PACKETS-PER-SECOND] [-k TYPE]
 *		[-d DESTINATION] [-s] FILE...
 *
 * Sends those datagrams of the files that have this type (first byte) and
 * address, in turn, as IPv4 packets with the source that they had. With -s
 * each comes from another address and port, of 198.18.0.0/15. Prints one JSON
 * object.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
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

#define BATCH		32
#define SAMPLES		4096
#define SIZE		1600
#define FILE_HEAD	24
#define RECORD_HEAD	16
#define HEAD		(sizeof(struct iphdr) + sizeof(struct udphdr))
#define SPOOFED_NET	0xc6120000U
#define SPOOFED_MASK	0x0001ffffU

struct sample {
	int len;
	uint8_t data[SIZE];
};

static struct sample samples[SAMPLES];
static int n_samples;

static uint32_t rng(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15ULL;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state >> 16;
}

static bool wanted(const struct sample *one, int type, in_addr_t to)
{
	const struct iphdr *ip = (const void *)one->data;

	if (one->len <= (int)HEAD || ip->version != 4 || ip->ihl != 5 ||
	    ip->protocol != IPPROTO_UDP)
		return false;
	return (!type || one->data[HEAD] == type) && (!to || ip->daddr == to);
}

/* The kernel completes the IP header; without a checksum of its own a UDP
 * datagram may have any source.
 */
static void load(const char *name, int type, in_addr_t to)
{
	uint8_t head[RECORD_HEAD];
	struct sample *one;
	struct udphdr *udp;
	uint32_t len;
	FILE *file;

	file = fopen(name, "rb");
	if (!file || fseek(file, FILE_HEAD, SEEK_SET))
		die(name);
	while (n_samples < SAMPLES && fread(head, sizeof(head), 1, file)) {
		one = &samples[n_samples];
		memcpy(&len, head + 8, sizeof(len));
		one->len = ntohl(len);
		if (one->len > SIZE) {
			fseek(file, one->len, SEEK_CUR);
			continue;
		}
		if (!fread(one->data, one->len, 1, file))
			break;
		if (!wanted(one, type, to))
			continue;
		udp = (void *)(one->data + sizeof(struct iphdr));
		udp->check = 0;
		n_samples++;
	}
	fclose(file);
}

static void spoof(uint8_t *packet)
{
	struct iphdr *ip = (void *)packet;
	struct udphdr *udp = (void *)(packet + sizeof(*ip));

	ip->saddr = htonl(SPOOFED_NET | (rng() & SPOOFED_MASK));
	udp->source = htons(1024 + rng() % 60000);
}

static void fill(struct mmsghdr *msg, struct sockaddr_in *to, bool spoofed)
{
	static int next;
	struct sample *one = &samples[next];

	next = (next + 1) % n_samples;
	memcpy(msg->msg_hdr.msg_iov->iov_base, one->data, one->len);
	msg->msg_hdr.msg_iov->iov_len = one->len;
	to->sin_addr.s_addr = ((struct iphdr *)one->data)->daddr;
	if (spoofed)
		spoof(msg->msg_hdr.msg_iov->iov_base);
}

static void flood(int fd, struct pace *pace, bool spoofed)
{
	static struct sockaddr_in to[BATCH];
	static uint8_t buf[BATCH][SIZE];
	static struct iovec iov[BATCH];
	struct mmsghdr msg[BATCH] = { 0 };
	int i, n, sent;

	for (i = 0; i < BATCH; i++) {
		iov[i].iov_base = buf[i];
		to[i].sin_family = AF_INET;
		msg[i].msg_hdr.msg_iov = &iov[i];
		msg[i].msg_hdr.msg_iovlen = 1;
		msg[i].msg_hdr.msg_name = &to[i];
		msg[i].msg_hdr.msg_namelen = sizeof(to[i]);
	}
	while ((n = pace_batch(pace, BATCH))) {
		for (i = 0; i < n; i++)
			fill(&msg[i], &to[i], spoofed);
		sent = sendmmsg(fd, msg, n, 0);
		if (sent < 0 && errno != ENOBUFS)
			die("sendmmsg");
		pace_did(pace, n, sent);
	}
}

int main(int argc, char **argv)
{
	struct pace pace = { .count = ~0ULL, .seconds = 1e9 };
	bool spoofed = false;
	int type = 0, c, fd;
	in_addr_t to = 0;

	while ((c = getopt(argc, argv, PACE_OPTIONS "k:d:s")) != -1) {
		if (pace_option(&pace, c, optarg))
			continue;
		switch (c) {
		case 'k':
			type = atoi(optarg);
			break;
		case 'd':
			to = inet_addr(optarg);
			break;
		case 's':
			spoofed = true;
			break;
		default:
			return 2;
		}
	}
	for (; optind < argc; optind++)
		load(argv[optind], type, to);
	if (!n_samples) {
		fprintf(stderr, "repeat: there is nothing to be sent\n");
		return 1;
	}
	fd = socket(AF_INET, SOCK_RAW, IPPROTO_RAW);
	if (fd < 0)
		die("socket");
	pace.begin = pace_now();
	flood(fd, &pace, spoofed);
	printf("{\"sent\":%llu,\"seconds\":%.3f,\"different\":%d}\n",
	       pace.sent, pace_taken(&pace), n_samples);
	return 0;
}
