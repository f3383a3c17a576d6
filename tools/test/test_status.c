// SPDX-License-Identifier: GPL-2.0
/*
 * The status page: its events and figures.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdlib.h>
#include <string.h>

#include <linux/mptun.h>

#include "agent/events.h"
#include "agent/reason.h"
#include "agent/status.h"
#include "test/ktap.h"

static const char *text_of(const json_t *list, size_t index)
{
	return json_string_value(json_object_get(json_array_get(list, index),
						 "text"));
}

/* A ring: the last ones, the latest first. */
static void test_events(void)
{
	static struct events events;
	char text[32];
	json_t *list = events_json(&events);

	ktap_check(json_array_size(list) == 0);
	json_decref(list);
	for (int i = 1; i <= 2 * EVENTS_MAX + 7; i++) {
		snprintf(text, sizeof(text), "event %d", i);
		events_add(&events, "2026-11-28T20:14:41.000000+00:00", text);
		list = events_json(&events);
		ktap_check(json_array_size(list) ==
			   (size_t)(i < EVENTS_MAX ? i : EVENTS_MAX));
		ktap_check(!strcmp(text_of(list, 0), text));
		json_decref(list);
	}
	list = events_json(&events);
	ktap_check(!strcmp(text_of(list, EVENTS_MAX - 1), "event 58"));
	json_decref(list);
}

/* A long sentence is cut, also within a character. */
static void test_text(void)
{
	static struct events events;
	char text[REPORT_TEXT_MAX + 20];
	json_t *list;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	memcpy(text + REPORT_TEXT_MAX - 1, "\303\244", 2);
	events_add(&events, "", text);
	events_add(&events, "", "path \377<b>\" is up");
	list = events_json(&events);
	ktap_check(!strcmp(text_of(list, 0), "path ?<b>\" is up"));
	ktap_check(strlen(text_of(list, 1)) == REPORT_TEXT_MAX);
	ktap_check(text_of(list, 1)[REPORT_TEXT_MAX - 1] == '?');
	json_decref(list);
}

static struct value *value_of(struct record *rec, const char *name)
{
	struct value *val;

	val = &rec->value[field_find(rec->schema, name)];
	val->present = true;
	return val;
}

static struct record *record_new(const struct schema *schema,
				 const char *name)
{
	struct record *rec = calloc(1, sizeof(*rec));

	rec->schema = schema;
	strcpy(value_of(rec, "ifname")->text, "mp0");
	if (name)
		strcpy(value_of(rec, "name")->text, name);
	return rec;
}

static void sample_fill(struct dump_sample *sample, uint64_t us,
			uint64_t bytes)
{
	struct record *stats = calloc(1, sizeof(*stats));
	struct record *old = record_new(&schema_path, "a");
	struct record *path = record_new(&schema_path, "a");

	sample->us = us;
	sample->tunnels.rec = calloc(1, sizeof(struct record *));
	sample->tunnels.rec[0] = record_new(&schema_tunnel, NULL);
	sample->tunnels.count = 1;
	value_of(sample->tunnels.rec[0], "key-fingerprint")->num = 0xabcdef;
	stats->schema = &schema_path_stats;
	value_of(stats, "tx-bytes")->num = bytes;
	value_of(path, "stats")->nest = stats;
	value_of(path, "state")->num = MPTUN_PATH_STATE_UP;
	value_of(path, "reason")->num = MPTUN_PATH_REASON_ANSWERED;
	value_of(path, "recent-loss")->num = 12500;
	strcpy(value_of(path, "remote4")->text, "198.51.100.7");
	value_of(old, "state")->num = MPTUN_PATH_STATE_DRAINING;
	sample->paths.rec = calloc(2, sizeof(struct record *));
	sample->paths.rec[0] = path;
	sample->paths.rec[1] = old;
	sample->paths.count = 2;
}

static json_t *status_of(const struct board *board)
{
	static const struct summary_view view = { .ifname = "mp0" };
	static const struct events events;

	return status_json(board, &events, "now", &view);
}

/* Rates from two samples, no deleted path, no key and no address. */
static void test_json(void)
{
	struct dump_sample sample = { .us = 0 };
	struct board board = { .path = NULL };
	json_t *status, *tunnel, *path;
	char *text;

	sample_fill(&sample, 1000000, 1000);
	board_update(&board, &sample);
	status = status_of(&board);
	tunnel = json_array_get(json_object_get(status, "tunnels"), 0);
	path = json_array_get(json_object_get(tunnel, "paths"), 0);
	ktap_check(json_is_null(json_object_get(path, "tx_rate")));
	ktap_check(json_is_null(json_object_get(tunnel, "tx_rate")));
	ktap_check(json_array_size(json_object_get(tunnel, "paths")) == 1);
	json_decref(status);
	sample_fill(&sample, 2000000, 2000);
	board_update(&board, &sample);
	status = status_of(&board);
	tunnel = json_array_get(json_object_get(status, "tunnels"), 0);
	path = json_array_get(json_object_get(tunnel, "paths"), 0);
	ktap_check(json_integer_value(json_object_get(path, "tx_rate")) ==
		   8000);
	ktap_check(json_integer_value(json_object_get(tunnel, "tx_rate")) ==
		   8000);
	ktap_check(json_real_value(json_object_get(path, "recent_loss")) ==
		   1.25);
	ktap_check(!strcmp(json_string_value(json_object_get(path, "why")),
			   "its peer answers"));
	text = json_dumps(status, 0);
	ktap_check(!strstr(text, "abcdef") && !strstr(text, "finger"));
	ktap_check(!strstr(text, "198.51"));
	free(text);
	json_decref(status);
	board_free(&board);
}

#define SUMMARY "{\"version\":\"9\",\"number\":1,\"seen\":1,\"paths\":[{" \
	"\"name\":\"<b>\",\"state\":\"noroute\",\"reason\":\"carrier\"," \
	"\"recent_loss\":1.25}]}"

/* The summary of the other end of one tunnel. */
static void test_peer(void)
{
	struct summary_view view = { .ifname = "mp0", .age = 7 };
	struct dump_sample sample = { .us = 0 };
	struct board board = { .path = NULL };
	static const struct events events;
	json_t *status, *peer, *path;
	struct summary summary;

	sample_fill(&sample, 1000000, 1000);
	board_update(&board, &sample);
	ktap_check(!summary_read(&summary, "mp0", SUMMARY, strlen(SUMMARY)));
	view.summary = &summary;
	status = status_json(&board, &events, "now", &view);
	peer = json_object_get(json_array_get(json_object_get(status, "tunnels"),
					      0), "peer");
	path = json_array_get(json_object_get(peer, "paths"), 0);
	ktap_check(json_integer_value(json_object_get(peer, "age")) == 7);
	ktap_check(json_is_false(json_object_get(peer, "answers")));
	ktap_check(!strcmp(json_string_value(json_object_get(path, "why")),
			   "its device is down"));
	ktap_check(!strcmp(json_string_value(json_object_get(path, "name")),
			   "<b>"));
	ktap_check(!json_object_get(path, "ifname"));
	json_decref(status);
	view.ifname = "mp1";
	status = status_json(&board, &events, "now", &view);
	peer = json_object_get(json_array_get(json_object_get(status, "tunnels"),
					      0), "peer");
	ktap_check(json_is_null(peer));
	json_decref(status);
	summary_free(&summary);
	board_free(&board);
}

/* Each reason and each suspended path has words. */
static void test_reasons(void)
{
	struct record *path = record_new(&schema_path, "a");
	const struct names *names;

	ktap_check(!strcmp(reason_text(path), "the reason is not known"));
	names = path->schema->fields[field_find(&schema_path, "reason")].names;
	for (size_t i = 1; i < names->count; i++) {
		value_of(path, "reason")->num = i;
		ktap_checkf(!!strcmp(reason_text(path),
				     "the reason is not known"), "%s",
			    names->name[i]);
	}
	value_of(path, "reason")->num = names->count;
	ktap_check(!strcmp(reason_text(path), "the reason is not known"));
	value_of(path, "state")->num = MPTUN_PATH_STATE_UP;
	value_of(path, "parked")->num = 1;
	ktap_check(!strcmp(reason_text(path), "it carries too little"));
	value_of(path, "parked")->num = 0;
	value_of(path, "detour")->num = 1;
	ktap_check(!strcmp(reason_text(path), "its latency is too high"));
	value_of(path, "state")->num = MPTUN_PATH_STATE_DOWN;
	value_of(path, "reason")->num = MPTUN_PATH_REASON_CARRIER;
	ktap_check(!strcmp(reason_text(path), "its device is down"));
	free(path);
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "status: the last events", test_events },
		{ "status: events that are long or no UTF-8", test_text },
		{ "status: figures", test_json },
		{ "status: the other end", test_peer },
		{ "status: reasons in words", test_reasons },
	};

	return ktap_run(tests, sizeof(tests) / sizeof(*tests));
}
