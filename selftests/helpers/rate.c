// SPDX-License-Identifier: GPL-2.0
/*
 * Sends as many datagrams, or requests and answers, as the machine can.
 * Copyright (C) 2026 The mptun authors
 *
 * usage: rate send ADDRESS[,ADDRESS...] PORT BYTES SECONDS
 *	  rate ask ADDRESS PORT BYTES SECONDS
 *	  rate recv PORT
 *	  rate echo PORT
 *
 * BYTES are those of the UDP payload. "send" takes its addresses in turn, with
 * a batch of datagrams per system call and no segmentation offload, so that
 * each datagram goes through the stack on its own; "ask" sends the next one
 * when the answer is there (or after 1 s). "recv" and "echo" end with the
 * sender's last datagram, which is empty and comes several times, or after 10 s
 * without any. All but "echo" print one JSON object.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pace.h"

#define BATCH		32
#define MAX_TO		64
#define MAX_BYTES	2048
#define LAST_COPIES	10
#define IDLE_MS		10000

static int addresses(char *list, int port, struct sockaddr_in *to)
{
	char *text;
	int n = 0;

	for (text = strtok(list, ","); text && n < MAX_TO;
	     text = strtok(NULL, ",")) {
		memset(&to[n], 0, sizeof(to[n]));
		to[n].sin_family = AF_INET;
		to[n].sin_port = htons(port);
		if (inet_pton(AF_INET, text, &to[n].sin_addr) != 1) {
			fprintf(stderr, "rate: %s is no address\n", text);
			exit(1);
		}
		n++;
	}
	return n;
}

static int udp_socket(int port)
{
	struct sockaddr_in sin = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
	};
	int fd = socket(AF_INET, SOCK_DGRAM, 0), size = 1 << 20;

	if (fd < 0)
		die("socket");
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	if (port && bind(fd, (void *)&sin, sizeof(sin)) < 0)
		die("bind");
	return fd;
}

static void last(int fd, const struct sockaddr_in *to)
{
	int i;

	for (i = 0; i < LAST_COPIES; i++) {
		usleep(20000);
		sendto(fd, "", 0, 0, (const void *)to, sizeof(*to));
	}
}

static int do_send(char **argv)
{
	int bytes = atoi(argv[2]), fd = udp_socket(0), i, n;
	double seconds = atof(argv[3]), begin, end;
	static struct sockaddr_in to[MAX_TO];
	static char buf[MAX_BYTES];
	struct mmsghdr msg[BATCH] = { 0 };
	struct iovec iov = { .iov_base = buf, .iov_len = bytes };
	unsigned long long sent = 0;
	int next = 0, count;

	count = addresses(argv[0], atoi(argv[1]), to);
	if (!count || bytes < 1 || bytes > MAX_BYTES)
		return 2;
	for (i = 0; i < BATCH; i++) {
		msg[i].msg_hdr.msg_iov = &iov;
		msg[i].msg_hdr.msg_iovlen = 1;
		msg[i].msg_hdr.msg_namelen = sizeof(to[0]);
	}
	begin = pace_now();
	do {
		for (i = 0; i < BATCH; i++) {
			msg[i].msg_hdr.msg_name = &to[next];
			next = (next + 1) % count;
		}
		n = sendmmsg(fd, msg, BATCH, 0);
		if (n > 0)
			sent += n;
		else if (errno != ENOBUFS && errno != ECONNREFUSED)
			die("sendmmsg");
		end = pace_now();
	} while (end - begin < seconds);
	last(fd, &to[0]);
	printf("{\"sent\":%llu,\"seconds\":%.4f}\n", sent, end - begin);
	return 0;
}

static int do_ask(char **argv)
{
	int bytes = atoi(argv[2]), fd = udp_socket(0);
	double seconds = atof(argv[3]), begin, end;
	struct timeval patience = { .tv_sec = 1 };
	static char buf[MAX_BYTES];
	unsigned long long done = 0;
	struct sockaddr_in to[1];

	if (addresses(argv[0], atoi(argv[1]), to) != 1 || bytes < 1 ||
	    bytes > MAX_BYTES)
		return 2;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (connect(fd, (void *)to, sizeof(to[0])) < 0)
		die("connect");
	begin = pace_now();
	do {
		send(fd, buf, bytes, 0);
		if (recv(fd, buf, sizeof(buf), 0) > 0)
			done++;
		end = pace_now();
	} while (end - begin < seconds);
	last(fd, &to[0]);
	printf("{\"round_trips\":%llu,\"seconds\":%.4f}\n", done, end - begin);
	return 0;
}

static int do_recv(char **argv)
{
	static char buf[BATCH][MAX_BYTES];
	struct mmsghdr msg[BATCH] = { 0 };
	double begin = 0, end = 0;
	struct iovec iov[BATCH];
	unsigned long long got = 0;
	int fd = udp_socket(atoi(argv[0])), i, n, over = 0;
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	for (i = 0; i < BATCH; i++) {
		iov[i].iov_base = buf[i];
		iov[i].iov_len = MAX_BYTES;
		msg[i].msg_hdr.msg_iov = &iov[i];
		msg[i].msg_hdr.msg_iovlen = 1;
	}
	while (!over && poll(&pfd, 1, IDLE_MS) > 0) {
		n = recvmmsg(fd, msg, BATCH, MSG_DONTWAIT, NULL);
		for (i = 0; i < n; i++) {
			if (msg[i].msg_len)
				got++;
			else
				over = 1;
		}
		if (n > 0 && !over) {
			end = pace_now();
			if (!begin)
				begin = end;
		}
	}
	printf("{\"received\":%llu,\"seconds\":%.4f}\n", got, end - begin);
	return 0;
}

static int do_echo(char **argv)
{
	int fd = udp_socket(atoi(argv[0]));
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	static char buf[MAX_BYTES];

	while (poll(&pfd, 1, IDLE_MS) > 0) {
		struct sockaddr_in from;
		socklen_t len = sizeof(from);
		ssize_t n = recvfrom(fd, buf, sizeof(buf), 0, (void *)&from,
				     &len);

		if (!n)
			break;
		if (n > 0)
			sendto(fd, buf, n, 0, (void *)&from, len);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 6 && !strcmp(argv[1], "send"))
		return do_send(argv + 2);
	if (argc == 6 && !strcmp(argv[1], "ask"))
		return do_ask(argv + 2);
	if (argc == 3 && !strcmp(argv[1], "recv"))
		return do_recv(argv + 2);
	if (argc == 3 && !strcmp(argv[1], "echo"))
		return do_echo(argv + 2);
	fprintf(stderr, "usage: see the top of rate.c\n");
	return 2;
}
