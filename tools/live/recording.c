// SPDX-License-Identifier: GPL-2.0
/*
 * A recording: all figures at intervals, and events, as lines of JSON.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * A recording names tunnels and paths but has no addresses, ports, devices,
 * numbers or fingerprints, so that it can be passed on.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/event.h"
#include "lib/print.h"
#include "lib/report.h"
#include "live/recording.h"

/* Version of the format, raised when the meaning of a line changes. */
#define RECORD_FORMAT 1

static bool rec_is(const struct field *field, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(field->name, *names))
			return true;
	return false;
}

static bool rec_is_name(const struct field *field)
{
	static const char *const names[] = { "ifname", "name", NULL };

	return rec_is(field, names);
}

/* Settings that mean the same on another machine. */
static bool rec_is_setting(const struct field *field)
{
	static const char *const local[] = {
		"port", "id", "peer-id", "remote-port", "local-port", "dev",
		NULL
	};

	return rec_is_name(field) ||
	       (field->setting && !rec_is(field, local));
}

/* Counters and other figures, which cannot be set. */
static bool rec_is_figure(const struct field *field)
{
	static const char *const local[] = {
		"ifindex", "id", "remote-scope", NULL
	};

	if (rec_is_name(field))
		return true;
	return !field->setting && field->unit != UNIT_HEX &&
	       field->type != FIELD_STRING && field->type != FIELD_BINARY4 &&
	       field->type != FIELD_BINARY6 && !rec_is(field, local);
}

static bool rec_is_event(const struct field *field)
{
	static const char *const names[] = {
		"old-state", "state", "reason", "paths", "paths-up",
		"associations", "cap-state", "parked", "detour",
		"group-now", NULL
	};

	return rec_is_name(field) || rec_is(field, names);
}

static json_t *rec_line(const char *type, uint64_t us)
{
	json_t *line = json_object();
	char now[PRINT_MAX];

	json_object_set_new(line, "type", json_string(type));
	json_object_set_new(line, "time", json_string(print_time(now, true)));
	json_object_set_new(line, "monotonic_us",
			    json_integer((json_int_t)us));
	return line;
}

static int rec_write(struct recorder *rec, json_t *line)
{
	errno = 0;
	if (!print_json_write(line, rec->file) && !fflush(rec->file))
		return 0;
	return report_fail("%s cannot be written%s%s", rec->name,
			   errno ? ": " : "", errno ? strerror(errno) : "");
}

/* The wanted fields of a tunnel and its paths. */
static json_t *rec_tunnel(const struct record *tunnel,
			  const struct dump_list *paths,
			  bool (*want)(const struct field *field))
{
	json_t *json = print_json_some(tunnel, want), *list = json_array();

	for (size_t i = 0; i < paths->count; i++)
		if (dump_of(paths->rec[i], tunnel))
			json_array_append_new(list,
					      print_json_some(paths->rec[i],
							      want));
	json_object_set_new(json, "paths", list);
	return json;
}

static json_t *rec_tunnels(const struct dump_sample *sample,
			   bool (*want)(const struct field *field))
{
	json_t *list = json_array();

	for (size_t i = 0; i < sample->tunnels.count; i++)
		json_array_append_new(list,
				      rec_tunnel(sample->tunnels.rec[i],
						 &sample->paths, want));
	return list;
}

/* An array of tunnels as an object, by their names. */
static json_t *rec_by_name(json_t *list)
{
	json_t *all = json_object(), *tunnel;
	size_t i;

	json_array_foreach(list, i, tunnel)
		json_object_set(all, json_string_value(
				json_object_get(tunnel, "ifname")), tunnel);
	json_decref(list);
	return all;
}

static json_t *rec_event(const char *event, uint64_t us, json_t *about)
{
	json_t *line = rec_line("event", us);

	json_object_set_new(line, "event", json_string(event));
	if (about)
		json_object_update(line, about);
	return line;
}

static json_t *rec_devices(const struct recorder *rec)
{
	json_t *list = rec->watch.count ? json_array() : json_null();

	for (size_t i = 0; i < rec->watch.count; i++)
		json_array_append_new(list, json_string(rec->watch.name[i]));
	return list;
}

static int rec_start(struct recorder *rec, const struct dump_sample *sample)
{
	json_t *line = rec_line("start", sample->us);
	json_t *settings = rec_tunnels(sample, rec_is_setting);

	json_object_set_new(line, "format", json_integer(RECORD_FORMAT));
	json_object_set_new(line, "version", json_string(MPTUN_VERSION));
	json_object_set_new(line, "interval_us",
			    json_integer((json_int_t)rec->interval));
	json_object_set_new(line, "duration_us", rec->duration ?
			    json_integer((json_int_t)rec->duration) :
			    json_null());
	json_object_set_new(line, "devices", rec_devices(rec));
	json_object_set(line, "tunnels", settings);
	rec->settings = rec_by_name(settings);
	return rec_write(rec, line);
}

/* New tunnels, and tunnels whose settings have changed. */
static int rec_new_settings(struct recorder *rec, json_t *settings,
			    uint64_t us)
{
	json_t *now, *before;
	const char *name;
	int status = 0;

	json_object_foreach(settings, name, now) {
		before = json_object_get(rec->settings, name);
		if (!status && !json_equal(before, now))
			status = rec_write(rec, rec_event(before ?
						"settings" : "tunnel-added",
						us, now));
	}
	return status;
}

static int rec_gone(struct recorder *rec, json_t *settings, uint64_t us)
{
	json_t *before, *about;
	const char *name;
	int status = 0;

	json_object_foreach(rec->settings, name, before) {
		if (status || json_object_get(settings, name))
			continue;
		about = json_pack("{s:s}", "ifname", name);
		status = rec_write(rec, rec_event("tunnel-gone", us,
						  about));
		json_decref(about);
	}
	return status;
}

static int rec_changes(struct recorder *rec, const struct dump_sample *sample)
{
	json_t *settings = rec_by_name(rec_tunnels(sample,
						   rec_is_setting));
	int status = rec_gone(rec, settings, sample->us);

	if (!status)
		status = rec_new_settings(rec, settings, sample->us);
	json_decref(rec->settings);
	rec->settings = settings;
	return status;
}

static int rec_sample(struct recorder *rec, const struct dump_sample *sample)
{
	json_t *line = rec_line("sample", sample->us);

	json_object_set_new(line, "tunnels",
			    rec_tunnels(sample, rec_is_figure));
	rec->samples++;
	return rec_write(rec, line);
}

static int rec_end(struct recorder *rec, const char *reason)
{
	json_t *line = rec_line("end", watch_now());

	json_object_set_new(line, "reason", json_string(reason));
	json_object_set_new(line, "samples",
			    json_integer((json_int_t)rec->samples));
	return rec_write(rec, line);
}

static int rec_reply(struct nlmsghdr *msg, void *arg)
{
	struct recorder *rec = arg;
	struct record *about = NULL;
	int cmd = EVENT_LOST, status;
	json_t *json = NULL;

	if (msg && event_read(msg, &cmd, &about))
		return -1;
	if (msg && (!about || !watch_wants(&rec->watch, about))) {
		record_free(about);
		return 0;
	}
	if (about)
		json = print_json_some(about, rec_is_event);
	status = rec_write(rec, rec_event(event_name(cmd), watch_now(),
					  json));
	json_decref(json);
	record_free(about);
	return status ? -1 : 0;
}

static int rec_next(struct recorder *rec)
{
	struct dump_sample sample;
	int status = watch_sample(&rec->watch, rec->conn, &sample);

	if (!status)
		status = rec_changes(rec, &sample);
	if (!status)
		status = rec_sample(rec, &sample);
	dump_sample_free(&sample);
	return status;
}

/* Waits for the next sample; true if the program is to end. */
static bool rec_wait(struct recorder *rec, uint64_t until, int *status)
{
	int fd = nl_socket_get_fd(rec->events->sock);
	bool ended;

	do {
		ended = watch_wait(until, fd) == WATCH_ENDED;
		*status = conn_receive(rec->events, &rec->listener);
		if (rec->listener.stop)
			*status = STATUS_KERNEL;
	} while (!ended && !*status && watch_now() < until);
	return ended;
}

/* The last sample is taken at the end. */
static int rec_run(struct recorder *rec, uint64_t begin)
{
	uint64_t end = rec->duration ? begin + rec->duration : UINT64_MAX;
	uint64_t next = begin, now;
	int status;

	for (;;) {
		bool ended;

		/* Skip samples that are late by more than one interval. */
		now = watch_now();
		next += rec->interval;
		if (next < now)
			next += (now - next) / rec->interval * rec->interval;
		if (next > end)
			next = end;
		ended = rec_wait(rec, next, &status);
		if (!status)
			status = rec_next(rec);
		if (status)
			return status;
		if (ended)
			return rec_end(rec, "signal");
		if (next == end)
			return rec_end(rec, "time");
	}
}

static int rec_open(struct recorder *rec)
{
	bool named = rec->name && strcmp(rec->name, "-");

	rec->file = named ? fopen(rec->name, "we") : stdout;
	if (!named)
		rec->name = "the output";
	if (!rec->file)
		return report_fail("%s cannot be written: %s", rec->name,
				   strerror(errno));
	return 0;
}

static int rec_close(struct recorder *rec)
{
	if (!rec->file || rec->file == stdout || !fclose(rec->file))
		return 0;
	return report_fail("%s cannot be written: %s", rec->name,
			   strerror(errno));
}

/* A file is truncated only if all tunnels exist. */
static int rec_begin(struct recorder *rec, const struct dump_sample *sample)
{
	const char *missing = watch_missing(&rec->watch, sample);
	int status;

	if (missing)
		return report_fail("there is no tunnel \"%s\"", missing);
	status = rec_open(rec);
	if (!status)
		status = rec_start(rec, sample);
	if (!status)
		status = rec_sample(rec, sample);
	if (!status)
		status = rec_run(rec, sample->us);
	return rec_close(rec) && !status ? STATUS_KERNEL : status;
}

/* Subscribes first, so that no event is missed before the first sample. */
static int rec_listen(struct recorder *rec)
{
	struct dump_sample sample;
	int status;

	rec->listener = (struct conn_listener) {
		.reply = rec_reply, .arg = rec,
	};
	watch_signals(false);
	status = conn_subscribe(rec->events, &rec->listener);
	if (status)
		return status;
	status = watch_sample(&rec->watch, rec->conn, &sample);
	if (!status)
		status = rec_begin(rec, &sample);
	dump_sample_free(&sample);
	return status;
}

int recording_run(struct recorder *rec)
{
	int status = STATUS_KERNEL;

	rec->conn = conn_open();
	rec->events = rec->conn ? conn_open() : NULL;
	if (rec->events)
		status = rec_listen(rec);
	json_decref(rec->settings);
	conn_close(rec->events);
	conn_close(rec->conn);
	return status;
}
