// SPDX-License-Identifier: GPL-2.0
/*
 * Packets that load one path of a tunnel.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * They are UDP to port 9 (discard) of an address for benchmarks (RFC 2544), in
 * a class of their own that is pinned to the path.  Their TTL of 1 ends at the
 * peer, which needs no service for them: it acknowledges each packet of the
 * tunnel, and forwards none of these.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/mptun.h>

#include "cmd/load.h"
#include "lib/dump.h"
#include "lib/keyword.h"
#include "lib/report.h"
#include "lib/request.h"
#include "live/watch.h"

#define LOAD_ADDRESS "198.18.0.1"
#define LOAD_PORT 9
/* Headers of IPv4 and UDP. */
#define LOAD_HEADERS 28
#define LOAD_MOST 9000
#define LOAD_SMALL 64
/* Pauses between small packets, and while the socket is full. */
#define LOAD_LIGHT_US 20000
#define LOAD_FULL_US 1000
/* Packets between two looks at the clock and at signals. */
#define LOAD_BURST 32

int load_open(struct load *load, size_t mtu)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = htons(LOAD_PORT),
	};
	int hops = 1;

	load->size = mtu > LOAD_HEADERS + LOAD_SMALL ? mtu - LOAD_HEADERS :
						       LOAD_SMALL;
	if (load->size > LOAD_MOST)
		load->size = LOAD_MOST;
	inet_pton(AF_INET, LOAD_ADDRESS, &to.sin_addr);
	load->fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
			  0);
	if (load->fd >= 0 &&
	    !setsockopt(load->fd, SOL_SOCKET, SO_BINDTODEVICE, load->dev,
			(socklen_t)strlen(load->dev)) &&
	    !setsockopt(load->fd, IPPROTO_IP, IP_TTL, &hops, sizeof(hops)) &&
	    !connect(load->fd, (struct sockaddr *)&to, sizeof(to)))
		return STATUS_OK;
	return report_fail("packets cannot be sent through %s: %s", load->dev,
			   strerror(errno));
}

/* The lowest free number, as the lowest one wins; 0 if there is none. */
static uint32_t load_number(const struct dump_list *classes)
{
	for (uint32_t id = 1; id < MPTUN_CLASSES_MAX; id++) {
		bool taken = false;

		for (size_t i = 0; i < classes->count; i++)
			taken |= record_num(classes->rec[i], "id") == id;
		if (!taken)
			return id;
	}
	return 0;
}

static int load_class(struct load *load, uint8_t cmd,
		      const struct parse_table *table, struct parse_result *res,
		      const char *what)
{
	char name[16];
	struct request request = {
		.cmd = cmd,
		.attr_dev = MPTUN_A_CLASS_IFNAME, .dev = load->dev,
		.attr_id = MPTUN_A_CLASS_ID, .id = load->class, .name = name,
		.table = table, .res = res, .what = what,
	};

	snprintf(name, sizeof(name), "%u", load->class);
	return request_send(load->conn, &request);
}

int load_pin(struct load *load, const char *path)
{
	char name[MPTUN_PATH_NAME_MAX + 1], port[8];
	char *words[] = {
		"protocol", "udp", "port", port, "policy", "pin", "path", name,
		"strict", "on", "order", "off", "repair", "off",
	};
	struct dump_list classes;
	struct parse_result res;
	int status;

	status = dump_classes(load->conn, load->dev, NULL, &classes);
	if (status)
		return status;
	load->class = load_number(&classes);
	dump_free(&classes);
	if (!load->class)
		return report_fail("%s has %d classes, and the test needs one: delete one",
				   load->dev, MPTUN_CLASSES_MAX - 1);
	snprintf(name, sizeof(name), "%s", path);
	snprintf(port, sizeof(port), "%d", LOAD_PORT);
	if (parse_words(&keyword_class, sizeof(words) / sizeof(*words), words,
			&res))
		return report_usage("%s", res.error);
	status = load_class(load, MPTUN_CMD_CLASS_NEW, &keyword_class, &res,
			    "cannot be added");
	if (status)
		load->class = 0;
	return status;
}

int load_unpin(struct load *load)
{
	int status = STATUS_OK;

	if (load->class)
		status = load_class(load, MPTUN_CMD_CLASS_DEL, NULL, NULL,
				    "cannot be deleted");
	load->class = 0;
	return status;
}

bool load_light(struct load *load, uint64_t until)
{
	static const char packet[LOAD_SMALL];
	enum watch_reason reason = WATCH_TIME;

	while (reason != WATCH_ENDED && watch_now() < until) {
		send(load->fd, packet, sizeof(packet), 0);
		reason = watch_wait(watch_now() + LOAD_LIGHT_US, -1);
	}
	return reason != WATCH_ENDED;
}

/* An error may be that of an earlier packet, from an ICMP message. */
bool load_full(struct load *load, uint64_t until)
{
	static const char packet[LOAD_MOST];
	enum watch_reason reason = WATCH_TIME;

	while (reason != WATCH_ENDED && watch_now() < until) {
		uint64_t pause = 0;

		for (int i = 0; i < LOAD_BURST && !pause; i++)
			if (send(load->fd, packet, load->size, 0) < 0 &&
			    (errno == EAGAIN || errno == ENOBUFS))
				pause = LOAD_FULL_US;
		reason = watch_wait(watch_now() + pause, -1);
	}
	return reason != WATCH_ENDED;
}

void load_close(struct load *load)
{
	if (load->fd >= 0)
		close(load->fd);
}
