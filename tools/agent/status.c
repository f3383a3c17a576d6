// SPDX-License-Identifier: GPL-2.0
/*
 * What the status page shows, as JSON.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <string.h>

#include <linux/mptun.h>

#include "agent/reason.h"
#include "agent/status.h"
#include "lib/print.h"

/* Neither keys nor their fingerprints, nor addresses. */
static const char *const status_tunnel[] = {
	"ifname", "state", "cipher", "paths", "paths-up", "session-age",
	"mtu-now", NULL
};

static const char *const status_path[] = {
	"name", "dev", "state", "reason", "state-age", "backup", "priority",
	"learned", "parked", "detour", "srtt", "min-rtt", "pmtu", "loss",
	"recent-loss", "cap", "used", "cap-state", "tx-rate", "rx-rate", "stats", NULL
};

static bool status_of_tunnel(const struct field *field)
{
	return field_among(field, status_tunnel);
}

static bool status_of_path(const struct field *field)
{
	return field_among(field, status_path);
}

static void status_rate(json_t *json, const char *key, uint64_t rate)
{
	json_object_set_new(json, key, rate == METER_UNKNOWN ? json_null() :
			    json_integer((json_int_t)rate));
}

static json_t *status_one(const struct board_path *row)
{
	json_t *json = print_json_some(row->path, status_of_path);

	json_object_set_new(json, "why", json_string(reason_text(row->path)));
	status_rate(json, "tx_rate", row->meter.tx_rate);
	status_rate(json, "rx_rate", row->meter.rx_rate);
	return json;
}

/* One that is deleted may have a successor of its name already. */
static json_t *status_paths(const struct board *board,
			    const struct record *tunnel)
{
	json_t *list = json_array();

	for (size_t i = 0; i < board->sample.paths.count; i++) {
		const struct record *path = board->path[i].path;

		if (dump_of(path, tunnel) && record_num(path, "state") !=
		    MPTUN_PATH_STATE_DRAINING)
			json_array_append_new(list,
					      status_one(&board->path[i]));
	}
	return list;
}

static bool status_all(const struct field *field)
{
	return strcmp(field->name, "ifname");
}

static json_t *status_peer(const struct summary_view *view)
{
	json_t *json = json_object(), *list = json_array();

	json_object_set_new(json, "version",
			    print_json_text(view->summary->version));
	json_object_set_new(json, "age",
			    json_integer((json_int_t)view->age));
	json_object_set_new(json, "answers", json_boolean(view->answers));
	for (size_t i = 0; i < view->summary->paths.count; i++) {
		const struct record *rec = view->summary->paths.rec[i];
		json_t *path = print_json_some(rec, status_all);

		json_object_set_new(path, "why", json_string(reason_text(rec)));
		json_array_append_new(list, path);
	}
	json_object_set_new(json, "paths", list);
	return json;
}

static json_t *status_tunnels(const struct board *board,
			      const struct summary_view *view)
{
	json_t *list = json_array();

	for (size_t i = 0; i < board->sample.tunnels.count; i++) {
		const struct record *rec = board->sample.tunnels.rec[i];
		json_t *tunnel = print_json_some(rec, status_of_tunnel);

		status_rate(tunnel, "tx_rate", board_sum(board, rec, false));
		status_rate(tunnel, "rx_rate", board_sum(board, rec, true));
		json_object_set_new(tunnel, "paths", status_paths(board, rec));
		json_object_set_new(tunnel, "peer", view->summary &&
				    !strcmp(record_text(rec, "ifname"),
					    view->ifname) ?
				    status_peer(view) : json_null());
		json_array_append_new(list, tunnel);
	}
	return list;
}

json_t *status_json(const struct board *board, const struct events *events,
		    const char *time, const struct summary_view *view)
{
	json_t *json = json_object();

	json_object_set_new(json, "time", json_string(time));
	json_object_set_new(json, "version", json_string(MPTUN_VERSION));
	json_object_set_new(json, "tunnels", status_tunnels(board, view));
	json_object_set_new(json, "events", events_json(events));
	return json;
}
