// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl test: what each path carries, and its latency meanwhile.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * The tunnel measures: it knows what the peer has acknowledged, and when.  So
 * an end measures the direction in which it sends.
 */
#include <stdio.h>
#include <string.h>

#include <linux/mptun.h>

#include "cmd/command.h"
#include "cmd/load.h"
#include "lib/dump.h"
#include "lib/format.h"
#include "lib/keyword.h"
#include "lib/meter.h"
#include "lib/print.h"
#include "lib/report.h"
#include "live/watch.h"

/* Default time for which a path is loaded. */
#define TEST_SPAN_US 5000000
/* Time for the latency without load. */
#define TEST_LIGHT_US 1000000
/* Two fifths of the load are for the congestion controller to find the rate. */
#define TEST_WARM(span) ((span) / 5 * 2)
/* Interval between looks at the latency. */
#define TEST_LOOK_US 100000

/**
 * struct test - a test of paths
 * @load: what is sent
 * @span: time for which a path is loaded
 * @list: results as JSON, NULL for text
 */
struct test {
	struct load load;
	uint64_t span;
	json_t *list;
};

/**
 * struct test_look - figures of a path at one time
 * @us: the time
 * @srtt: smoothed round-trip time, in microseconds
 * @bytes: bytes acknowledged
 * @acked: packets acknowledged
 * @lost: packets declared lost
 * @spurious: those of them acknowledged later
 */
struct test_look {
	uint64_t us;
	uint64_t srtt;
	uint64_t bytes;
	uint64_t acked;
	uint64_t lost;
	uint64_t spurious;
};

/**
 * struct test_result - what was measured
 * @light: round-trip time before the load, in microseconds
 * @full: mean of that under load
 * @rate: bits per second that arrived
 * @loss: share of packets lost, in parts per million
 */
struct test_result {
	uint64_t light;
	uint64_t full;
	uint64_t rate;
	uint64_t loss;
};

static int test_take(struct test *test, const char *path,
		     struct test_look *look)
{
	const struct record *stats;
	struct dump_list list;
	int status;

	status = dump_paths(test->load.conn, test->load.dev, path, &list);
	if (status)
		return status;
	stats = record_nest(list.rec[0], "stats");
	*look = (struct test_look){
		.us = watch_now(),
		.srtt = record_num(list.rec[0], "srtt"),
		.bytes = record_num(stats, "acked-bytes"),
		.acked = record_num(stats, "acked-packets"),
		.lost = record_num(stats, "lost-packets"),
		.spurious = record_num(stats, "spurious"),
	};
	dump_free(&list);
	return STATUS_OK;
}

/* Returns the exit status, or -1 if the program is to end. */
static int test_measure(struct test *test, const char *path,
			struct test_result *result)
{
	uint64_t end, sum = 0, count = 0;
	struct test_look begin, look;
	int status;

	if (!load_light(&test->load, watch_now() + TEST_LIGHT_US))
		return -1;
	status = test_take(test, path, &look);
	if (status)
		return status;
	result->light = look.srtt;
	end = watch_now() + test->span;
	if (!load_full(&test->load, watch_now() + TEST_WARM(test->span)))
		return -1;
	status = test_take(test, path, &begin);
	while (!status && watch_now() < end) {
		if (!load_full(&test->load, watch_now() + TEST_LOOK_US))
			return -1;
		status = test_take(test, path, &look);
		sum += look.srtt;
		count++;
	}
	if (status)
		return status;
	if (look.acked == begin.acked || !count)
		return report_fail("%s path %s has carried no packet of the test: look whether another class has UDP to port 9, and at the firewall",
				   test->load.dev, path);
	result->full = sum / count;
	result->rate = meter_rate(look.bytes - begin.bytes,
				  look.us - begin.us);
	result->loss = meter_loss(look.lost - begin.lost,
				  look.spurious - begin.spurious,
				  look.acked - begin.acked);
	return STATUS_OK;
}

static void test_print(struct test *test, const char *path,
		       const struct test_result *result)
{
	char light[FORMAT_MAX], full[FORMAT_MAX], rate[FORMAT_MAX];
	char loss[FORMAT_MAX];
	json_t *one;

	if (!test->list) {
		printf("%s: %s arrive at the peer, latency %s before and %s meanwhile, %s lost\n",
		       path, format_rate_short(result->rate, rate),
		       format_time_short(result->light, light),
		       format_time_short(result->full, full),
		       format_ppm(result->loss, loss));
		fflush(stdout);
		return;
	}
	one = json_object();
	json_object_set_new(one, "ifname", json_string(test->load.dev));
	json_object_set_new(one, "path", print_json_text(path));
	json_object_set_new(one, "rate",
			    json_integer((json_int_t)result->rate));
	json_object_set_new(one, "latency_before",
			    json_integer((json_int_t)result->light));
	json_object_set_new(one, "latency",
			    json_integer((json_int_t)result->full));
	json_object_set_new(one, "loss",
			    json_real((double)result->loss / 10000));
	json_array_append_new(test->list, one);
}

/* The class is deleted in any case. */
static int test_path(struct test *test, const struct record *rec)
{
	const char *path = record_text(rec, "name");
	struct test_result result = { 0 };
	char state[PRINT_MAX];
	int status, end;

	if (record_num(rec, "state") != MPTUN_PATH_STATE_UP) {
		if (!test->list)
			printf("%s: not tested, its state is %s\n", path,
			       print_field(rec, "state", state));
		return STATUS_OK;
	}
	status = load_pin(&test->load, path);
	if (status)
		return status;
	status = test_measure(test, path, &result);
	end = load_unpin(&test->load);
	if (!status)
		test_print(test, path, &result);
	return status ? status : end;
}

static int test_paths(struct test *test, const char *path)
{
	struct dump_list tunnel, paths;
	int status;

	status = dump_tunnels(test->load.conn, test->load.dev, &tunnel);
	if (status)
		return status;
	status = load_open(&test->load, record_num(tunnel.rec[0], "mtu-now"));
	dump_free(&tunnel);
	if (!status)
		status = dump_paths(test->load.conn, test->load.dev, path,
				    &paths);
	if (status)
		return status;
	watch_signals(false);
	for (size_t i = 0; !status && i < paths.count; i++)
		if (!strcmp(record_text(paths.rec[i], "ifname"),
			    test->load.dev))
			status = test_path(test, paths.rec[i]);
	dump_free(&paths);
	return status;
}

static int test_command(const struct ctl *ctl, int argc, char **argv)
{
	struct test test = { .load.fd = -1, .span = TEST_SPAN_US };
	const char *path = NULL;
	struct parse_result res;
	int status, words = 1;

	if (!argc)
		return report_usage("the tunnel name is missing");
	if (argc > 1 && parse_find(&keyword_test, argv[1]) < 0)
		path = argv[words++];
	if (parse_dev_name(argv[0], res.error) ||
	    (path && parse_path_name(path, res.error)) ||
	    parse_words(&keyword_test, argc - words, argv + words, &res))
		return report_usage("%s", res.error);
	if (res.value[KEYWORD_TEST_TIME].set)
		test.span = res.value[KEYWORD_TEST_TIME].num;
	test.load.dev = argv[0];
	test.load.conn = conn_open();
	if (!test.load.conn)
		return STATUS_KERNEL;
	test.list = ctl->json ? json_array() : NULL;
	status = test_paths(&test, path);
	load_close(&test.load);
	conn_close(test.load.conn);
	if (!test.list)
		return status < 0 ? STATUS_OK : status;
	if (status > 0)
		json_decref(test.list);
	else
		print_json_print(test.list);
	return status < 0 ? STATUS_OK : status;
}

const struct command cmd_test = {
	.name = "test", .args = "DEV [PATH] [-t SPAN] [-j]",
	.brief = "measure what each path carries, and its latency meanwhile",
	.details = "Loads one path after the other, as far as it sends; run it at the other end for\n"
		   "the other direction.  The data counts against data caps.",
	.words = { CTL_TUNNEL, CTL_PATH }, .table = &keyword_test,
	.run = test_command,
};
