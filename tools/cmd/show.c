// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl show: tunnels, and their paths as a table.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <linux/mptun.h>

#include "cmd/command.h"
#include "cmd/table.h"
#include "conf/diff.h"
#include "conf/kernel.h"
#include "conf/text.h"
#include "lib/dump.h"
#include "lib/keyword.h"
#include "lib/print.h"
#include "lib/report.h"
#include "live/screen.h"

/* Words that are shown first, whatever their values are. */
static const char *const show_always[] = {
	"port", "id", "peer-id", "cipher", "sched", "cc",
};

/* Figures of a tunnel that are always shown, and with details. */
static const char *const show_brief[] = { "sched-now", "mtu-now", NULL };
static const char *const show_figures[] = {
	"sched-now", "mtu-now", "hold-now", "sessions", "session-age", "associations",
	"instance", "peer-instance", "spread-sealed", "spread-opened", NULL
};
static const char *const show_held[] = { "held-packets", "held-bytes", NULL };

/**
 * struct show - what is shown
 * @rates: rates are measured
 * @details: everything
 * @width: columns of the terminal
 * @plan: settings of the tunnel
 */
struct show {
	bool rates;
	bool details;
	int width;
	struct plan *plan;
};

static bool show_is_first(const char *word)
{
	for (size_t i = 0; i < sizeof(show_always) / sizeof(*show_always); i++)
		if (!strcmp(show_always[i], word))
			return true;
	return false;
}

static void show_setting(struct print_flow *flow, const struct plan_set *set,
			 size_t index)
{
	const struct parse_key *key = &set->table->keys[index];
	char buf[PRINT_MAX];

	if (key->type == PARSE_FLAG)
		print_flow_pair(flow, key->word, NULL);
	else
		print_flow_pair(flow, key->word,
				text_value(key, &set->res.value[index], buf,
					   sizeof(buf)));
}

/* Those that are shown first, or the other ones. */
static void show_settings(struct print_flow *flow, const struct plan_set *set,
			  bool first)
{
	for (size_t i = 0; i < set->table->count; i++)
		if (set->res.value[i].set &&
		    show_is_first(set->table->keys[i].word) == first)
			show_setting(flow, set, i);
}

static void show_fields(struct print_flow *flow, const struct record *rec,
			const char *const *names)
{
	char buf[PRINT_MAX];

	for (; *names; names++)
		if (record_value(rec, *names))
			print_flow_pair(flow, *names,
					print_field(rec, *names, buf));
}

/* Keys belong to all ciphers but clear; grace is shown while some is left. */
static void show_key(struct print_flow *flow, const struct record *tunnel)
{
	static const char *const key[] = { "key-fingerprint", NULL };
	static const char *const grace[] = { "key-grace", NULL };

	if (record_num(tunnel, "cipher") == MPTUN_CIPHER_CLEAR)
		return;
	show_fields(flow, tunnel, key);
	if (record_num(tunnel, "key-grace"))
		show_fields(flow, tunnel, grace);
}

/* Settings that are not the default, or all of them. */
static void show_tunnel(const struct show *show, const struct record *tunnel)
{
	struct print_flow flow = {
		.width = show->width, .indent = PRINT_INDENT,
	};
	struct plan *plan = show->plan;
	struct plan_set all, *set = &plan->set;

	all = plan->set;
	if (!show->details)
		diff_prune(set, plan);
	/* The first words are shown in any case. */
	for (size_t i = 0; i < set->table->count; i++)
		if (show_is_first(set->table->keys[i].word))
			set->res.value[i] = all.res.value[i];
	show_settings(&flow, &plan->link, true);
	show_settings(&flow, set, true);
	show_key(&flow, tunnel);
	show_settings(&flow, &plan->link, false);
	show_settings(&flow, set, false);
	if (show->details)
		print_flow_end(&flow);
	show_fields(&flow, tunnel, show->details ? show_figures : show_brief);
	if (show->details)
		show_fields(&flow, record_nest(tunnel, "reordering"),
			    show_held);
	print_flow_end(&flow);
}

/* Without a key nothing happens, which the state alone does not say. */
static void show_head(const struct record *tunnel)
{
	const struct value *key = record_value(tunnel, "key-fingerprint");
	char state[PRINT_MAX];

	print_colored(PRINT_BOLD, record_text(tunnel, "ifname"), 0);
	printf(": %s, ", print_field(tunnel, "state", state));
	if (key && !key->num &&
	    record_num(tunnel, "cipher") != MPTUN_CIPHER_CLEAR)
		printf("no key, ");
	printf("%llu of %llu paths up\n",
	       (unsigned long long)record_num(tunnel, "paths-up"),
	       (unsigned long long)record_num(tunnel, "paths"));
}

/* What the table has is not repeated. */
static bool show_in_table(const struct table *table, const char *word)
{
	if (!strcmp(word, "remote") || !strcmp(word, "port"))
		return table_shows(table, "remote");
	return !strcmp(word, "dev") && table_shows(table, "dev");
}

static void show_name(struct print_flow *flow, const struct record *path)
{
	if (!flow->column)
		flow->column = printf("%*s%s:", PRINT_INDENT, "",
				      record_text(path, "name"));
}

static void show_path(const struct show *show, const struct table *table,
		      const struct record *path)
{
	struct print_flow flow = {
		.width = show->width, .indent = PRINT_INDENT_PART,
	};
	struct plan_set set;
	char buf[PRINT_MAX];

	kernel_path(path, show->plan, &set);
	diff_prune(&set, show->plan);
	for (size_t i = 0; i < set.table->count; i++) {
		if (!set.res.value[i].set ||
		    show_in_table(table, set.table->keys[i].word))
			continue;
		show_name(&flow, path);
		show_setting(&flow, &set, i);
	}
	if (plan_value(&set, "cap"))
		print_flow_pair(&flow, "used", print_field(path, "used", buf));
	if (dump_small(path, table->tunnel)) {
		/* Large packets are cut for it. */
		show_name(&flow, path);
		print_flow_pair(&flow, "inner-mtu",
				print_field(path, "inner-mtu", buf));
	}
	print_flow_end(&flow);
}

static void show_paths(const struct show *show, const struct record *tunnel,
		       const struct dump_list *paths)
{
	struct table table = {
		.tunnel = tunnel, .paths = paths, .rates = show->rates,
		.all = show->details, .width = show->width,
	};

	table_print(&table);
	for (size_t i = 0; i < paths->count; i++)
		if (dump_of(paths->rec[i], tunnel))
			show_path(show, &table, paths->rec[i]);
}

static int show_json(const struct dump_list *tunnels,
		     const struct dump_list *paths)
{
	json_t *all = json_array();

	for (size_t i = 0; i < tunnels->count; i++) {
		json_t *tunnel = print_json(tunnels->rec[i]);
		json_t *list = json_array();

		for (size_t j = 0; j < paths->count; j++)
			if (dump_of(paths->rec[j], tunnels->rec[i]))
				json_array_append_new(list,
						print_json(paths->rec[j]));
		json_object_set_new(tunnel, "paths", list);
		json_array_append_new(all, tunnel);
	}
	return print_json_print(all);
}

static int show_print(const struct ctl *ctl, const struct dump_sample *sample,
		      bool rates)
{
	struct show show = { .rates = rates, .details = ctl->details };
	int rows;

	if (ctl->json)
		return show_json(&sample->tunnels, &sample->paths);
	show.plan = calloc(1, sizeof(*show.plan));
	if (!show.plan)
		return report_fail("out of memory");
	screen_size(&show.width, &rows);
	for (size_t i = 0; i < sample->tunnels.count; i++) {
		const struct record *tunnel = sample->tunnels.rec[i];

		if (i)
			putchar('\n');
		kernel_plan(tunnel, show.plan);
		show_head(tunnel);
		show_tunnel(&show, tunnel);
		show_paths(&show, tunnel, &sample->paths);
	}
	free(show.plan);
	return STATUS_OK;
}

static void show_wait(uint64_t us)
{
	struct timespec ts = {
		.tv_sec = (time_t)(us / 1000000),
		.tv_nsec = (long)(us % 1000000) * 1000,
	};

	nanosleep(&ts, NULL);
}

/* Each sample after the first is printed, with the rates since the last. */
static int show_again(const struct ctl *ctl, struct conn *conn,
		      const char *dev, struct dump_sample *last,
		      const struct parse_result *res)
{
	uint64_t every = res->value[KEYWORD_SHOW_EVERY].num;
	uint64_t count = res->value[KEYWORD_SHOW_COUNT].num;
	int status;

	for (uint64_t i = 0; !count || i < count; i++) {
		struct dump_sample now;

		show_wait(every);
		status = dump_all(conn, dev, &now);
		if (status)
			return status;
		dump_rates(&now.paths, &last->paths, now.us - last->us);
		if (i && !ctl->json)
			putchar('\n');
		status = show_print(ctl, &now, true);
		dump_sample_free(last);
		*last = now;
		if (status || fflush(stdout))
			return status;
	}
	return STATUS_OK;
}

/* Whether the words begin with a tunnel.  A keyword that is abbreviated may be
 * the name of one, unless its value follows.
 */
static bool show_is_named(int argc, char **argv)
{
	if (!argc || parse_find(&keyword_show, argv[0]) >= 0)
		return false;
	return argc < 2 || parse_match(&keyword_show, argv[0]) < 0 ||
	       parse_match(&keyword_show, argv[1]) >= 0;
}

static int show_command(const struct ctl *ctl, int argc, char **argv)
{
	struct parse_result res;
	const char *dev = NULL;
	struct conn *conn;
	struct dump_sample sample;
	int status;

	if (show_is_named(argc, argv)) {
		dev = argv[0];
		argc--;
		argv++;
	}
	if ((dev && parse_dev_name(dev, res.error)) ||
	    parse_words(&keyword_show, argc, argv, &res))
		return report_usage("%s", res.error);
	if (res.value[KEYWORD_SHOW_COUNT].set &&
	    !res.value[KEYWORD_SHOW_EVERY].set)
		return report_usage("count needs every TIME");
	conn = conn_open();
	if (!conn)
		return STATUS_KERNEL;
	status = dump_all(conn, dev, &sample);
	if (!status && res.value[KEYWORD_SHOW_EVERY].set)
		status = show_again(ctl, conn, dev, &sample, &res);
	else if (!status)
		status = show_print(ctl, &sample, false);
	dump_sample_free(&sample);
	conn_close(conn);
	return status;
}

const struct command cmd_show = {
	.name = "show", .other = "list", .args = "[DEV] [every TIME [count N]] [-d] [-j]",
	.brief = "show tunnels and their paths (default)",
	.words = { CTL_TUNNEL }, .table = &keyword_show,
	.run = show_command,
};
