// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl monitor: changes of tunnels and paths as they happen.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <linux/genetlink.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include <linux/mptun.h>

#include "ctl.h"
#include "fetch.h"
#include "out.h"

/* What is printed beside the kernel's commands, whose numbers are smaller. */
enum {
	MONITOR_READY = 256,
	MONITOR_LOST,
};

/**
 * struct monitor - what is watched
 * @ctl: options of the run
 * @dev: name of the tunnel, or NULL
 */
struct monitor {
	const struct ctl *ctl;
	const char *dev;
};

/* "2026-01-31 12:34:56.123456", in JSON with T and the offset from UTC. */
static void monitor_time(char *buf, size_t size, bool json)
{
	struct timeval tv;
	struct tm tm;
	char day[24], zone[8];

	gettimeofday(&tv, NULL);
	localtime_r(&tv.tv_sec, &tm);
	strftime(day, sizeof(day), json ? "%Y-%m-%dT%H:%M:%S" :
					  "%Y-%m-%d %H:%M:%S", &tm);
	strftime(zone, sizeof(zone), "%z", &tm);
	snprintf(buf, size, "%s.%06ld%s", day, (long)tv.tv_usec,
		 json ? zone : "");
}

static void monitor_path(const struct record *path, bool gone)
{
	char buf[OUT_MAX];

	printf("%s path ", record_text(path, "ifname"));
	out_color(OUT_BOLD, record_text(path, "name"), 0);
	if (gone) {
		printf(" gone\n");
		return;
	}
	if (record_value(path, "old-state"))
		printf(" %s ->", out_field(path, "old-state", buf));
	putchar(' ');
	out_color(out_state_color(record_num(path, "state")),
		  out_field(path, "state", buf), 0);
	printf(" (%s)", out_field(path, "reason", buf));
	printf(" remote %s", out_endpoint(path, "remote", buf));
	if (record_num(path, "srtt"))
		printf(" rtt %s", out_field(path, "srtt", buf));
	putchar('\n');
}

static void monitor_tunnel(const struct record *tunnel)
{
	char buf[OUT_MAX];

	printf("%s association ", record_text(tunnel, "ifname"));
	out_color(OUT_BOLD, out_field(tunnel, "state", buf), 0);
	printf(", %llu of %llu paths up",
	       (unsigned long long)record_num(tunnel, "paths-up"),
	       (unsigned long long)record_num(tunnel, "paths"));
	printf(", peer instance %s\n", out_field(tunnel, "peer-instance", buf));
}

static void monitor_json(const struct record *rec, const char *event)
{
	json_t *json = json_object(), *fields;
	char now[48];

	monitor_time(now, sizeof(now), true);
	json_object_set_new(json, "time", json_string(now));
	json_object_set_new(json, "event", json_string(event));
	fields = rec ? out_json(rec) : NULL;
	if (fields)
		json_object_update(json, fields);
	json_decref(fields);
	out_json_print(json);
}

static void monitor_text(const struct record *rec, int cmd)
{
	char now[48];

	monitor_time(now, sizeof(now), false);
	printf("%s ", now);
	if (!rec)
		printf("%s\n", cmd == MONITOR_READY ? "listening" :
		       "some changes were lost, the machine is too busy");
	else if (cmd == MPTUN_CMD_TUNNEL_NTF)
		monitor_tunnel(rec);
	else
		monitor_path(rec, cmd == MPTUN_CMD_PATH_DEL_NTF);
}

static const char *monitor_event(int cmd)
{
	switch (cmd) {
	case MONITOR_READY:
		return "listening";
	case MONITOR_LOST:
		return "lost";
	case MPTUN_CMD_TUNNEL_NTF:
		return "tunnel";
	case MPTUN_CMD_PATH_NTF:
		return "path";
	case MPTUN_CMD_PATH_DEL_NTF:
		return "path-gone";
	default:
		return NULL;
	}
}

static int monitor_print(const struct monitor *monitor,
			 const struct record *rec, int cmd)
{
	if (rec && monitor->dev &&
	    strcmp(monitor->dev, record_text(rec, "ifname")))
		return 0;
	if (monitor->ctl->json)
		monitor_json(rec, monitor_event(cmd));
	else
		monitor_text(rec, cmd);
	return fflush(stdout) ? -1 : 0;
}

static int monitor_ready(void *arg)
{
	return monitor_print(arg, NULL, MONITOR_READY);
}

static int monitor_reply(struct nlmsghdr *msg, void *arg)
{
	const struct genlmsghdr *head;
	const struct schema *schema;
	struct record *rec;
	int err;

	if (!msg)
		return monitor_print(arg, NULL, MONITOR_LOST);
	if (msg->nlmsg_len < NLMSG_HDRLEN + GENL_HDRLEN)
		return 0;
	head = nlmsg_data(msg);
	if (!monitor_event(head->cmd))
		return 0;
	schema = head->cmd == MPTUN_CMD_TUNNEL_NTF ? &schema_tunnel :
						     &schema_path;
	rec = fetch_message(schema, msg);
	if (!rec)
		return -1;
	err = monitor_print(arg, rec, head->cmd);
	record_free(rec);
	return err;
}

int cmd_monitor(const struct ctl *ctl, int argc, char **argv)
{
	struct monitor monitor = { .ctl = ctl };
	char error[PARSE_ERROR_MAX];
	struct conn *conn;
	int status;

	if (argc > 1)
		return ctl_usage("unexpected word \"%s\"", argv[1]);
	if (argc && parse_dev_name(argv[0], error))
		return ctl_usage("%s", error);
	monitor.dev = argc ? argv[0] : NULL;
	conn = conn_open();
	if (!conn)
		return CTL_KERNEL;
	status = conn_listen(conn, monitor_ready, monitor_reply, &monitor);
	conn_close(conn);
	return status;
}
