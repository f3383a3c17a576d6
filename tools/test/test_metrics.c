// SPDX-License-Identifier: GPL-2.0
/*
 * Metrics: for whom they are, and what 100 tunnels cost.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <linux/mptun.h>

#include "agent/openmetrics.h"
#include "test/ktap.h"

/* Tunnels, and paths of each. */
#define TUNNELS 100
#define PATHS 2

static const struct summary_view nothing = { .ifname = "mp0" };

/* Requests of pages that a browser takes for others are refused. */
static void test_host(void)
{
	static const char *const good[] = {
		"localhost", "LOCALHOST:9100", "127.0.0.1", "192.0.2.1:80",
		"[::1]", "[2001:db8::1]:9100", "router", "Router:1",
	};
	static const char *const bad[] = {
		"", ":", ":80", "evil.example", "localhost.evil.example",
		"127.0.0.1.evil.example:9100", "[::1", "[evil]", "::1",
		"localhost:80x", "[::1]x", "router2", "127.0.0.1:80:80",
	};

	ktap_check(!openmetrics_host(NULL, "router"));
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		ktap_checkf(openmetrics_host(good[i], "router"), "%s", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ktap_checkf(!openmetrics_host(bad[i], "router"), "%s", bad[i]);
}

/* All fields are present, with the same number. */
static struct record *filled(const struct schema *schema)
{
	struct record *rec = calloc(1, sizeof(*rec));

	rec->schema = schema;
	for (size_t i = 0; i < schema->count; i++) {
		rec->value[i].present = true;
		rec->value[i].num = 5;
	}
	return rec;
}

static void fill(struct dump_list *list, const struct schema *schema,
		 const char *nest, struct record *in, size_t count)
{
	list->count = count;
	list->rec = calloc(count, sizeof(*list->rec));
	for (size_t i = 0; i < count; i++) {
		struct record *rec = filled(schema);

		snprintf(rec->value[field_find(schema, "ifname")].text, 16,
			 "mp%zu", i % TUNNELS);
		rec->value[field_find(schema, nest)].nest = in;
		list->rec[i] = rec;
	}
}

static void drop(struct dump_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->rec[i]);
	free(list->rec);
}

static size_t lines(const char *text, const char *begin)
{
	size_t count = 0;

	for (; (text = strstr(text, begin)); text++)
		count++;
	return count;
}

/* A path that was deleted, beside its successor of the same name. */
static void test_draining(void)
{
	int state = field_find(&schema_path, "state");
	struct record *stats = filled(&schema_path_stats);
	struct dump_sample sample = { .us = 0 };
	char *out = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&out, &len);

	fill(&sample.paths, &schema_path, "stats", stats, 2);
	strcpy(sample.paths.rec[1]->value[field_find(&schema_path,
						     "ifname")].text, "mp0");
	sample.paths.rec[0]->value[state].num = MPTUN_PATH_STATE_DRAINING;
	sample.paths.rec[1]->value[state].num = MPTUN_PATH_STATE_UP;
	openmetrics_write(to, &sample, &nothing);
	fclose(to);
	ktap_check(lines(out, "\nmptun_path_rtt_seconds{") == 1);
	ktap_check(lines(out, "\nmptun_path_sent_bytes_total{") == 1);
	ktap_check(lines(out, "\nmptun_path_info{") == 1);
	ktap_check(lines(out, "path_state=\"up\"} 1\n") == 1);
	ktap_check(!lines(out, "path_state=\"draining\"} 1\n"));
	free(out);
	drop(&sample.paths);
	free(stats);
}

#define SUMMARY "{\"version\":\"9\\\"\",\"number\":1,\"seen\":1,\"paths\":[{" \
	"\"name\":\"a\",\"state\":\"noroute\",\"reason\":\"carrier\"," \
	"\"recent_loss\":1.25,\"srtt\":null},{\"name\":\"b\"," \
	"\"state\":\"later\",\"reason\":\"later\"}]}"

/* The summary of the other end. */
static void test_peer(void)
{
	struct dump_sample sample = { .us = 0 };
	struct summary_view view = {
		.ifname = "mp0", .age = 7, .sent = 3, .refused = 2,
	};
	struct summary summary;
	char *out = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&out, &len);

	ktap_check(!summary_read(&summary, "mp0", SUMMARY, strlen(SUMMARY)));
	view.summary = &summary;
	openmetrics_write(to, &sample, &view);
	fclose(to);
	ktap_check(lines(out, "\nmptun_peer_info{tunnel=\"mp0\",version=\"9\\\"\"} 1\n"));
	ktap_check(lines(out, "\nmptun_peer_age_seconds{tunnel=\"mp0\"} 7\n"));
	ktap_check(lines(out, "\nmptun_exchange_sent_packets_total{tunnel=\"mp0\"} 3\n"));
	ktap_check(lines(out, "\nmptun_exchange_refused_packets_total{tunnel=\"mp0\"} 2\n"));
	ktap_check(lines(out, "\nmptun_peer_path_info{tunnel=\"mp0\",path=\"a\",dev=\"\",reason=\"carrier\"} 1\n"));
	ktap_check(lines(out, "\nmptun_peer_path_state{tunnel=\"mp0\",path=\"a\",mptun_peer_path_state=\"noroute\"} 1\n"));
	ktap_check(lines(out, "\nmptun_peer_path_recent_loss_ratio{tunnel=\"mp0\",path=\"a\"} 0.012500\n"));
	ktap_check(!lines(out, "\nmptun_peer_path_rtt_seconds{"));
	/* words of a later version */
	ktap_check(lines(out, "\nmptun_peer_path_info{tunnel=\"mp0\",path=\"b\",dev=\"\",reason=\"unknown\"} 1\n"));
	ktap_check(lines(out, "\nmptun_peer_path_state{tunnel=\"mp0\",path=\"b\",mptun_peer_path_state=\"new\"} 0\n"));
	free(out);
	summary_free(&summary);
}

/* The best of several times, as other programs run, too. */
static void test_time(void)
{
	struct record *drops = filled(&schema_drop_stats);
	struct record *stats = filled(&schema_path_stats);
	struct dump_sample sample = { .us = 0 };
	clock_t best = CLOCKS_PER_SEC, took;
	char *out = NULL;
	size_t len = 0;

	fill(&sample.tunnels, &schema_tunnel, "drops", drops, TUNNELS);
	fill(&sample.paths, &schema_path, "stats", stats, TUNNELS * PATHS);
	for (size_t i = 0; i < 20; i++) {
		FILE *to;

		free(out);
		to = open_memstream(&out, &len);
		took = clock();
		openmetrics_write(to, &sample, &nothing);
		took = clock() - took;
		fclose(to);
		if (took < best)
			best = took;
	}
	printf("# %zu bytes in %ld us\n", len,
	       best * 1000000 / CLOCKS_PER_SEC);
	ktap_check(strstr(out, "mptun_path_rtt_seconds{tunnel=\"mp99\",path="));
	ktap_check(strstr(out, "mptun_path_lost_packets_total{tunnel=\"mp0\""));
	ktap_check(!strcmp(out + len - 6, "# EOF\n"));
	/* the sanitizers take most of that */
	ktap_check(best < CLOCKS_PER_SEC / 20);
	free(out);
	drop(&sample.tunnels);
	drop(&sample.paths);
	free(drops);
	free(stats);
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "metrics: for whom they are", test_host },
		{ "metrics: paths that are deleted", test_draining },
		{ "metrics: the other end", test_peer },
		{ "metrics: 100 tunnels", test_time },
	};

	return ktap_run(tests, sizeof(tests) / sizeof(*tests));
}
