// SPDX-License-Identifier: GPL-2.0
/*
 * What agents send to each other, and when.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdlib.h>
#include <string.h>

#include <linux/mptun.h>

#include "agent/summary.h"
#include "agent/announce.h"
#include "test/ktap.h"

#define DAY_MS 86400000ull

static char buf[SUMMARY_MAX + 1];

static struct value *value_of(struct record *rec, const char *name)
{
	struct value *val = &rec->value[field_find(rec->schema, name)];

	val->present = true;
	return val;
}

static struct record *path_new(const char *name, uint64_t state)
{
	struct record *rec = calloc(1, sizeof(*rec));

	rec->schema = &schema_path;
	snprintf(value_of(rec, "name")->text, RECORD_TEXT_MAX, "%s", name);
	value_of(rec, "state")->num = state;
	return rec;
}

static void fill(struct summary *summary, size_t count)
{
	memset(summary, 0, sizeof(*summary));
	strcpy(summary->version, "1.2.3");
	summary->paths.rec = calloc(count, sizeof(struct record *));
	summary->paths.count = count;
	for (size_t i = 0; i < count; i++) {
		char name[8];

		snprintf(name, sizeof(name), "wan%u", (unsigned int)i & 63);
		summary->paths.rec[i] = path_new(name, MPTUN_PATH_STATE_UP);
	}
}

/* What is written is read. */
static void test_read(void)
{
	struct summary out, in;
	struct record *path;
	size_t len;

	fill(&out, 2);
	out.number = UINT32_MAX;
	out.seen = 7;
	out.asks = true;
	path = out.paths.rec[1];
	value_of(path, "state")->num = MPTUN_PATH_STATE_NOROUTE;
	value_of(path, "reason")->num = MPTUN_PATH_REASON_CARRIER;
	value_of(path, "recent-loss")->num = 12345;
	value_of(path, "srtt")->num = 0;
	value_of(path, "used")->num = 5000000000;
	value_of(path, "learned")->num = 1;
	strcpy(value_of(path, "dev")->text, "wwan0");
	len = summary_write(&out, buf);
	ktap_check(len && !summary_read(&in, "mp0", buf, len));
	ktap_check(!strcmp(in.version, "1.2.3") && in.asks);
	ktap_check(in.number == UINT32_MAX && in.seen == 7);
	ktap_check(in.paths.count == 2 && summary_path(&in, "wan0"));
	path = (struct record *)summary_path(&in, "wan1");
	ktap_check(!strcmp(record_text(path, "ifname"), "mp0"));
	ktap_check(!strcmp(record_text(path, "dev"), "wwan0"));
	ktap_check(record_num(path, "state") == MPTUN_PATH_STATE_NOROUTE);
	ktap_check(record_num(path, "reason") == MPTUN_PATH_REASON_CARRIER);
	ktap_check(record_num(path, "recent-loss") == 12345);
	ktap_check(record_num(path, "used") == 5000000000);
	ktap_check(record_num(path, "learned") == 1);
	ktap_check(record_value(path, "srtt") && !record_num(path, "srtt"));
	ktap_check(!record_value(path, "pacing-rate"));
	summary_free(&in);
	summary_free(&out);
}

/* Neither addresses nor deleted paths. */
static void test_fields(void)
{
	struct summary out;

	fill(&out, 2);
	strcpy(value_of(out.paths.rec[0], "remote4")->text, "198.51.100.7");
	value_of(out.paths.rec[0], "remote-port")->num = 4725;
	value_of(out.paths.rec[1], "state")->num = MPTUN_PATH_STATE_DRAINING;
	buf[summary_write(&out, buf)] = '\0';
	ktap_check(!strstr(buf, "198.51") && !strstr(buf, "4725"));
	ktap_check(strstr(buf, "wan0") && !strstr(buf, "wan1"));
	summary_free(&out);
}

/* All paths with all fields, and the longest names. */
static void test_longest(void)
{
	struct summary out, in;
	size_t len;

	fill(&out, MPTUN_PATHS_MAX);
	memset(out.version, 'v', SUMMARY_VERSION_MAX);
	for (size_t i = 0; i < out.paths.count; i++) {
		struct record *path = out.paths.rec[i];

		for (size_t j = 0; j < path->schema->count; j++) {
			const struct field *field = &path->schema->fields[j];

			if (field->type == FIELD_NEST ||
			    field->type == FIELD_LIST)
				continue;
			path->value[j].present = true;
			path->value[j].num = field->names || field->unit ==
				UNIT_BOOL ? 1 : field->unit == UNIT_PPM ?
				999999 : INT64_MAX;
		}
		memset(value_of(path, "dev")->text, '"', PARSE_TEXT_MAX);
		memset(value_of(path, "name")->text, '\\', PARSE_TEXT_MAX);
		value_of(path, "name")->text[0] = (char)('A' + i);
	}
	len = summary_write(&out, buf);
	printf("# %zu bytes\n", len);
	ktap_check(len && !summary_read(&in, "mp0", buf, len));
	ktap_check(in.paths.count == MPTUN_PATHS_MAX);
	summary_free(&in);
	summary_free(&out);
}

#define HEAD "{\"version\":\"1\",\"number\":1,\"seen\":2,\"paths\":"

/* Later versions may know more. */
static void test_unknown(void)
{
	static const char text[] = HEAD
		"[{\"name\":\"a\",\"state\":\"asleep\",\"reason\":\"answered\","
		"\"colour\":[{}]}],\"more\":null}";
	struct summary in;
	const struct record *path;

	ktap_check(!summary_read(&in, "mp0", text, strlen(text)));
	path = summary_path(&in, "a");
	ktap_check(path && !record_value(path, "state"));
	ktap_check(record_num(path, "reason") == MPTUN_PATH_REASON_ANSWERED);
	ktap_check(!in.asks);
	summary_free(&in);
}

/* Each of them is refused, with a sentence. */
static void test_refused(void)
{
	static const char *const texts[] = {
		"", "{", "[]", "null", "7", "\"x\"", "{}", HEAD "[]",
		HEAD "{}}",
		HEAD "null}", HEAD "[1]}", HEAD "[{}]}", HEAD "[[]]}",
		HEAD "[]}x", HEAD "[],\"number\":1}",
		HEAD "[{\"name\":\"\"}]}", HEAD "[{\"name\":7}]}",
		HEAD "[{\"name\":\"a23456789012345678901234567890123\"}]}",
		HEAD "[{\"name\":\"a\\n\"}]}",
		HEAD "[{\"name\":\"a\\u0000b\"}]}",
		HEAD "[{\"name\":\"a\\u001b[2J\"}]}",
		HEAD "[{\"name\":\"\377\"}]}",
		HEAD "[{\"name\":\"a\"},{\"name\":\"a\"}]}",
		HEAD "[{\"name\":\"a\",\"state\":1}]}",
		HEAD "[{\"name\":\"a\",\"state\":null}]}",
		HEAD "[{\"name\":\"a\",\"dev\":{}}]}",
		HEAD "[{\"name\":\"a\",\"parked\":1}]}",
		HEAD "[{\"name\":\"a\",\"srtt\":-1}]}",
		HEAD "[{\"name\":\"a\",\"srtt\":1.5}]}",
		HEAD "[{\"name\":\"a\",\"srtt\":1e999}]}",
		HEAD "[{\"name\":\"a\",\"srtt\":99999999999999999999}]}",
		HEAD "[{\"name\":\"a\",\"recent_loss\":101}]}",
		HEAD "[{\"name\":\"a\",\"recent_loss\":-0.1}]}",
		HEAD "[{\"name\":\"a\",\"recent_loss\":\"1\"}]}",
		"{\"version\":\"1\",\"number\":-1,\"seen\":2,\"paths\":[]}",
		"{\"version\":\"1\",\"number\":4294967296,\"seen\":2,\"paths\":[]}",
		"{\"version\":\"1\",\"number\":1,\"seen\":\"\",\"paths\":[]}",
		"{\"version\":1,\"number\":1,\"seen\":2,\"paths\":[]}",
		"{\"version\":\"12345678901234567890123456789012\",\"number\":1,"
		"\"seen\":2,\"paths\":[]}",
	};
	char many[2048] = HEAD "[";
	struct summary in;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		const char *error = summary_read(&in, "mp0", texts[i],
						 strlen(texts[i]));

		ktap_checkf(error && *error, "%s", texts[i]);
		ktap_check(!in.paths.count && !in.paths.rec);
		if (!error)
			summary_free(&in);
	}
	for (size_t i = 0; i <= MPTUN_PATHS_MAX; i++)
		sprintf(many + strlen(many), "%s{\"name\":\"p%zu\"}",
			i ? "," : "", i);
	strcat(many, "]}");
	ktap_check(summary_read(&in, "mp0", many, strlen(many)));
	/* as deep as a datagram can be */
	memset(buf, '[', SUMMARY_MAX);
	ktap_check(summary_read(&in, "mp0", buf, SUMMARY_MAX));
}

/* States are sent at once, and figures with them. */
static void test_states(void)
{
	struct summary own;
	char *before, *after;

	fill(&own, 1);
	before = summary_states(&own);
	value_of(own.paths.rec[0], "srtt")->num = 17;
	value_of(own.paths.rec[0], "used")->num = 17;
	after = summary_states(&own);
	ktap_check(!strcmp(before, after));
	free(after);
	value_of(own.paths.rec[0], "detour")->num = 1;
	after = summary_states(&own);
	ktap_check(strcmp(before, after));
	free(after);
	free(before);
	summary_free(&own);
}

/* Two ends, of one agent each. */
static struct announce end[2];
static uint64_t now;
static unsigned int sent, lose;

#define SIZE 700

/* Sends what is due, and delivers it unless it is one of those to lose. */
static void step(int from)
{
	bool asks;

	if (announce_due(&end[from], SIZE) > now)
		return;
	asks = announce_asks(&end[from]);
	announce_sent(&end[from], now, SIZE);
	sent++;
	if (sent <= 8 && lose & 1u << (sent - 1))
		return;
	announce_hear(&end[!from], end[from].number, end[from].seen, asks);
}

static void run(uint64_t ms, bool both)
{
	for (uint64_t until = now + ms; now < until; now += 50) {
		step(0);
		if (both)
			step(1);
	}
}

static void begin(void)
{
	memset(end, 0, sizeof(end));
	now = 5000;
	sent = 0;
	lose = 0;
	announce_begin(&end[0], now, 100);
	announce_begin(&end[1], now, 4000000000u);
}

static bool settled(void)
{
	return announce_answers(&end[0]) && announce_answers(&end[1]) &&
	       !end[0].open && !end[1].open &&
	       end[0].seen == end[1].number && end[1].seen == end[0].number;
}

/* A few datagrams, and then none. */
static void test_two(void)
{
	begin();
	run(10000, true);
	ktap_checkf(settled() && sent <= 3, "%u", sent);
	sent = 0;
	run(DAY_MS / 24, true);
	ktap_checkf(!sent, "%u", sent);
	announce_change(&end[0]);
	run(10000, true);
	ktap_checkf(settled() && sent == 2, "%u", sent);
	/* one begins again, the other has not noticed */
	sent = 0;
	announce_begin(&end[1], now, 12345);
	run(10000, true);
	ktap_checkf(settled() && sent <= 3, "%u", sent);
}

/* Each of the first datagrams may be lost. */
static void test_lost(void)
{
	for (unsigned int which = 0; which < 64; which++) {
		begin();
		lose = which;
		run(30000, true);
		ktap_checkf(settled() || __builtin_popcount(which) > 3,
			    "%x: %u", which, sent);
	}
}

/* Without an agent at the other end. */
static void test_silent(void)
{
	begin();
	run(DAY_MS / 24, false);
	ktap_checkf(sent == ANNOUNCE_TRIES, "%u", sent);
	ktap_check(!announce_answers(&end[0]));
	ktap_check(announce_due(&end[0], SIZE) == UINT64_MAX);
	announce_change(&end[0]);
	run(DAY_MS / 24, false);
	ktap_checkf(sent == ANNOUNCE_TRIES, "%u", sent);
	announce_again(&end[0]);
	run(DAY_MS / 24, false);
	ktap_checkf(sent == ANNOUNCE_TRIES, "%u", sent);
	/* it begins now */
	announce_begin(&end[1], now, 5);
	run(10000, true);
	ktap_check(settled());
	/* and ends */
	announce_change(&end[0]);
	run(60000, false);
	ktap_check(!announce_answers(&end[0]));
	/* or was not to be reached */
	announce_again(&end[0]);
	run(10000, true);
	ktap_check(settled());
}

/* Nor does it matter how much happens here then. */
static void test_flaps(void)
{
	begin();
	for (int i = 0; i < 1000; i++) {
		announce_change(&end[0]);
		run(500, false);
	}
	ktap_checkf(sent == ANNOUNCE_TRIES, "%u", sent);
}

/* A path that flaps all day. */
static void test_budget(void)
{
	uint64_t most;

	begin();
	for (uint64_t i = 0; i < DAY_MS / 500; i++) {
		announce_change(&end[0]);
		announce_change(&end[1]);
		run(500, true);
	}
	printf("# %u datagrams of %d bytes a day\n", sent, SIZE);
	most = ANNOUNCE_SAVED + ANNOUNCE_RATE * DAY_MS / 1000;
	ktap_check((uint64_t)sent * SIZE <= 2 * (most + SIZE));
	ktap_check(sent > 100);
}

/* Figures are asked for while the tunnel carries something. */
static void test_ask(void)
{
	uint64_t carried = 0;

	begin();
	ktap_check(!announce_ask(&end[0], SIZE));
	run(10000, true);
	sent = 0;
	for (int i = 0; i < 600; i++) {
		ktap_check(!announce_ask(&end[0], SIZE));
		run(1000, true);
	}
	ktap_check(!sent);
	/* 1 Mbit/s for a minute, and the page is open at both ends */
	for (int i = 0; i < 60; i++) {
		for (int j = 0; j < 2; j++) {
			announce_carry(&end[j], now, 125000);
			announce_ask(&end[j], SIZE);
		}
		carried += 125000;
		run(1000, true);
	}
	printf("# %u datagrams for %llu bytes\n", sent,
	       (unsigned long long)carried);
	ktap_check(sent >= 40);
	ktap_check((uint64_t)sent * SIZE <= 2 * carried / ANNOUNCE_SHARE +
					    4 * SIZE);
	ktap_check(settled());
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "exchange: what is written is read", test_read },
		{ "exchange: fields of a summary", test_fields },
		{ "exchange: the longest summary", test_longest },
		{ "exchange: fields of later versions", test_unknown },
		{ "exchange: what is refused", test_refused },
		{ "exchange: changes of states", test_states },
		{ "exchange: two agents", test_two },
		{ "exchange: lost datagrams", test_lost },
		{ "exchange: no agent at the other end", test_silent },
		{ "exchange: changes without such an agent", test_flaps },
		{ "exchange: a day of changes", test_budget },
		{ "exchange: questions", test_ask },
	};

	return ktap_run(tests, sizeof(tests) / sizeof(*tests));
}
