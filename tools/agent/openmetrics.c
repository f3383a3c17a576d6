// SPDX-License-Identifier: GPL-2.0
/*
 * Figures of tunnels and paths in the format OpenMetrics.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * All samples of a family follow each other, as the format asks for.
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include <linux/mptun.h>

#include "agent/openmetrics.h"

/**
 * struct family - a family of metrics, made from one field
 * @name: its name, without the end of counters
 * @unit: its unit, or NULL
 * @counter: it only grows
 * @field: the field
 * @help: its meaning
 */
struct family {
	const char *name;
	const char *unit;
	bool counter;
	const char *field;
	const char *help;
};

static const struct family openmetrics_tunnel[] = {
	{ "mptun_tunnel_paths", NULL, false, "paths", "Paths of the tunnel." },
	{ "mptun_tunnel_paths_up", NULL, false, "paths-up",
	  "Paths that carry data." },
	{ "mptun_tunnel_sessions", NULL, true, "sessions",
	  "Sets of keys since the tunnel was created." },
	{ "mptun_tunnel_associations", NULL, true, "associations",
	  "Peers that were met since the tunnel was created." },
	{ "mptun_tunnel_session_age_seconds", "seconds", false, "session-age",
	  "Age of the session used for sending." },
};

static const struct family openmetrics_code[] = {
	{ "mptun_tunnel_received_symbols", NULL, true, "symbols",
	  "Repair symbols received." },
	{ "mptun_tunnel_useless_symbols", NULL, true, "symbols-useless",
	  "Those of packets that had arrived." },
	{ "mptun_tunnel_missed_symbols", NULL, true, "symbols-missed",
	  "Those for which there was no decoder yet, or no memory." },
	{ "mptun_tunnel_decoded_packets", "packets", true, "decoded",
	  "Lost packets computed from repair symbols." },
	{ "mptun_tunnel_undecoded_packets", "packets", true, "undecoded",
	  "Lost packets for which too few repair symbols arrived." },
};

static const struct family openmetrics_path[] = {
	{ "mptun_path_rtt_seconds", "seconds", false, "srtt",
	  "Smoothed round trip time." },
	{ "mptun_path_rtt_variation_seconds", "seconds", false, "rttvar",
	  "Variation of the round trip time." },
	{ "mptun_path_rtt_min_seconds", "seconds", false, "min-rtt",
	  "Smallest round trip time." },
	{ "mptun_path_window_bytes", "bytes", false, "cwnd",
	  "Congestion window." },
	{ "mptun_path_in_flight_bytes", "bytes", false, "in-flight",
	  "Data that is sent and not acknowledged." },
	{ "mptun_path_pacing_bits_per_second", "bits_per_second", false,
	  "pacing-rate", "Rate at which the path may send." },
	{ "mptun_path_loss_ratio", "ratio", false, "loss",
	  "Packets lost of those sent, since the path was added." },
	{ "mptun_path_recent_loss_ratio", "ratio", false, "recent-loss",
	  "Packets lost of those sent, in the last minute." },
	{ "mptun_path_mtu_bytes", "bytes", false, "pmtu",
	  "Largest outer packet that the path carries." },
	{ "mptun_path_cap_bytes", "bytes", false, "cap", "Data cap." },
	{ "mptun_path_used_bytes", "bytes", false, "used",
	  "Data that counts against the cap." },
};

static const struct family openmetrics_stats[] = {
	{ "mptun_path_sent_bytes", "bytes", true, "tx-bytes", "Data sent." },
	{ "mptun_path_received_bytes", "bytes", true, "rx-bytes",
	  "Data received." },
	{ "mptun_path_sent_packets", "packets", true, "tx-packets",
	  "Data packets sent." },
	{ "mptun_path_received_packets", "packets", true, "rx-packets",
	  "Data packets received." },
	{ "mptun_path_acked_packets", "packets", true, "acked-packets",
	  "Packets that the peer has acknowledged." },
	{ "mptun_path_lost_packets", "packets", true, "lost-packets",
	  "Packets that were taken for lost." },
	{ "mptun_path_sent_symbols", NULL, true, "tx-symbols",
	  "Repair symbols sent." },
	{ "mptun_path_spurious_losses", NULL, true, "spurious",
	  "Packets that were taken for lost and were not." },
	{ "mptun_path_marked_packets", "packets", true, "marked-packets",
	  "Packets that were marked with congestion." },
	{ "mptun_path_timeouts", NULL, true, "timeouts",
	  "Times that the peer did not answer in time." },
	{ "mptun_path_send_errors", NULL, true, "tx-errors",
	  "Packets that the network stack refused." },
	{ "mptun_path_state_changes", NULL, true, "state-changes",
	  "Changes of state." },
};

/* Paths of the other end, out of its summary. */
static const struct family openmetrics_peer[] = {
	{ "mptun_peer_path_rtt_seconds", "seconds", false, "srtt",
	  "Smoothed round trip time, as the other end has measured it." },
	{ "mptun_peer_path_pacing_bits_per_second", "bits_per_second", false,
	  "pacing-rate", "Rate at which the other end may send." },
	{ "mptun_peer_path_recent_loss_ratio", "ratio", false, "recent-loss",
	  "Packets lost of those that the other end has sent, in the last minute." },
	{ "mptun_peer_path_cap_bytes", "bytes", false, "cap",
	  "Data cap at the other end." },
	{ "mptun_peer_path_used_bytes", "bytes", false, "used",
	  "Data that counts against the cap at the other end." },
};

/* Whether a path is draining: another path may have its name already. */
static bool openmetrics_drains(const struct record *rec)
{
	return rec->schema == &schema_path &&
	       record_num(rec, "state") == MPTUN_PATH_STATE_DRAINING;
}

static void openmetrics_head(FILE *to, const char *name, const char *type,
			     const char *unit, const char *help)
{
	fprintf(to, "# TYPE %s %s\n", name, type);
	if (unit)
		fprintf(to, "# UNIT %s %s\n", name, unit);
	fprintf(to, "# HELP %s %s\n", name, help);
}

static void openmetrics_quote(FILE *to, const char *text)
{
	for (; *text; text++) {
		if (*text == '\n') {
			fputs("\\n", to);
			continue;
		}
		if (*text == '"' || *text == '\\')
			fputc('\\', to);
		fputc(*text, to);
	}
}

/* Begins a sample; what follows may have more labels. */
static void openmetrics_label(FILE *to, const char *name, const char *end,
			      const struct record *rec)
{
	fprintf(to, "%s%s{tunnel=\"", name, end);
	openmetrics_quote(to, record_text(rec, "ifname"));
	if (rec->schema == &schema_path) {
		fputs("\",path=\"", to);
		openmetrics_quote(to, record_text(rec, "name"));
	}
	fputc('"', to);
}

static void openmetrics_number(FILE *to, const struct field *field,
			       uint64_t num)
{
	switch (field->unit) {
	case UNIT_US:
	case UNIT_PPM:
		fprintf(to, "} %" PRIu64 ".%06u\n", num / 1000000,
			(unsigned int)(num % 1000000));
		break;
	case UNIT_MS:
		fprintf(to, "} %" PRIu64 ".%03u\n", num / 1000,
			(unsigned int)(num % 1000));
		break;
	default:
		fprintf(to, "} %" PRIu64 "\n", num);
	}
}

/* Writes a sample, unless the value is not known. */
static void openmetrics_sample(FILE *to, const struct family *family,
			       const struct record *of,
			       const struct record *rec, int index)
{
	const struct field *field = &rec->schema->fields[index];
	const struct value *val = &rec->value[index];

	if (!val->present || (field->none && val->num == field->none_value))
		return;
	openmetrics_label(to, family->name, family->counter ? "_total" : "",
			  of);
	openmetrics_number(to, field, val->num);
}

static void openmetrics_family(FILE *to, const struct family *family,
			       const struct schema *schema,
			       const struct dump_list *list)
{
	int index = field_find(schema, family->field);

	openmetrics_head(to, family->name,
			 family->counter ? "counter" : "gauge", family->unit,
			 family->help);
	for (size_t i = 0; index >= 0 && i < list->count; i++) {
		const struct record *rec = list->rec[i];
		const struct record *in = rec;

		if (schema == &schema_path_stats)
			in = record_nest(rec, "stats");
		else if (schema == &schema_reorder_stats)
			in = record_nest(rec, "reordering");
		if (in && !openmetrics_drains(rec))
			openmetrics_sample(to, family, rec, in, index);
	}
}

/* Writes states: 1 for the present one, 0 for all others. */
static void openmetrics_states(FILE *to, const char *name, const char *help,
			       const struct schema *schema,
			       const struct dump_list *list)
{
	const int index = field_find(schema, "state");
	const struct names *names = schema->fields[index].names;

	openmetrics_head(to, name, "stateset", NULL, help);
	for (size_t i = 0; i < list->count; i++) {
		const struct value *is = &list->rec[i]->value[index];

		if (openmetrics_drains(list->rec[i]))
			continue;
		for (size_t j = 0; j < names->count; j++) {
			openmetrics_label(to, name, "", list->rec[i]);
			fprintf(to, ",%s=\"%s\"} %d\n", name, names->name[j],
				is->present && is->num == j);
		}
	}
}

static void openmetrics_paths(FILE *to, const char *name, const char *help,
			      const struct dump_list *list)
{
	const struct field *field;
	int index = field_find(&schema_path, "reason");

	field = &schema_path.fields[index];
	openmetrics_head(to, name, "info", NULL, help);
	for (size_t i = 0; i < list->count; i++) {
		const struct value *why = &list->rec[i]->value[index];

		if (openmetrics_drains(list->rec[i]))
			continue;
		openmetrics_label(to, name, "_info", list->rec[i]);
		fputs(",dev=\"", to);
		openmetrics_quote(to, record_text(list->rec[i], "dev"));
		fprintf(to, "\",reason=\"%s\"} 1\n",
			why->present && why->num < field->names->count ?
			field->names->name[why->num] : "unknown");
	}
}

static void openmetrics_drops(FILE *to, const struct dump_list *list)
{
	openmetrics_head(to, "mptun_tunnel_dropped_packets", "counter",
			 "packets", "Packets dropped, by the reason.");
	for (size_t i = 0; i < list->count; i++) {
		const struct record *drops = record_nest(list->rec[i], "drops");

		for (size_t j = 0; drops && j < drops->schema->count; j++) {
			const struct field *field = &drops->schema->fields[j];

			if (!drops->value[j].present)
				continue;
			openmetrics_label(to, "mptun_tunnel_dropped_packets",
					  "_total", list->rec[i]);
			fprintf(to, ",reason=\"%s\"", field->name);
			openmetrics_number(to, field, drops->value[j].num);
		}
	}
}

#define OPENMETRICS_COUNT(list) (sizeof(list) / sizeof(*(list)))

/* Figures of the exchange of summaries; they are in no record. */
static const struct family openmetrics_exchange[] = {
	{ "mptun_peer_age_seconds", "seconds", false, NULL,
	  "Time since the agent of the other end was heard." },
	{ "mptun_exchange_sent_packets", "packets", true, NULL,
	  "Datagrams sent to the agent of the other end." },
	{ "mptun_exchange_received_packets", "packets", true, NULL,
	  "Datagrams received on the port of the agent in the tunnel." },
	{ "mptun_exchange_refused_packets", "packets", true, NULL,
	  "Those of them that were not from the agent of the other end." },
};

static void openmetrics_value(FILE *to, const struct family *family,
			      const struct summary_view *view, uint64_t num)
{
	openmetrics_head(to, family->name,
			 family->counter ? "counter" : "gauge", family->unit,
			 family->help);
	fprintf(to, "%s%s{tunnel=\"", family->name,
		family->counter ? "_total" : "");
	openmetrics_quote(to, view->ifname);
	fprintf(to, "\"} %" PRIu64 "\n", num);
}

static void openmetrics_summary(FILE *to, const struct summary_view *view)
{
	const struct dump_list *paths = &view->summary->paths;

	openmetrics_head(to, "mptun_peer", "info", NULL,
			 "Version of the agent of the other end.");
	fprintf(to, "mptun_peer_info{tunnel=\"");
	openmetrics_quote(to, view->ifname);
	fputs("\",version=\"", to);
	openmetrics_quote(to, view->summary->version);
	fputs("\"} 1\n", to);
	openmetrics_value(to, &openmetrics_exchange[0], view, view->age);
	openmetrics_paths(to, "mptun_peer_path",
			  "Device of a path at the other end, and the reason for its state there.",
			  paths);
	openmetrics_states(to, "mptun_peer_path_state",
			   "State of a path at the other end.", &schema_path,
			   paths);
	for (size_t i = 0; i < OPENMETRICS_COUNT(openmetrics_peer); i++)
		openmetrics_family(to, &openmetrics_peer[i], &schema_path,
				   paths);
}

/* Writes the figures of the exchange, of the tunnel of this agent. */
static void openmetrics_view(FILE *to, const struct summary_view *view)
{
	const uint64_t count[] = { view->sent, view->received, view->refused };

	for (size_t i = 0; i < OPENMETRICS_COUNT(count); i++)
		openmetrics_value(to, &openmetrics_exchange[i + 1], view,
				  count[i]);
	if (view->summary)
		openmetrics_summary(to, view);
}

void openmetrics_write(FILE *to, const struct dump_sample *sample,
		       const struct summary_view *view)
{
	const struct dump_list *tunnels = &sample->tunnels;
	const struct dump_list *paths = &sample->paths;

	openmetrics_states(to, "mptun_tunnel_state", "State of a tunnel.",
			   &schema_tunnel, tunnels);
	for (size_t i = 0; i < OPENMETRICS_COUNT(openmetrics_tunnel); i++)
		openmetrics_family(to, &openmetrics_tunnel[i], &schema_tunnel,
				   tunnels);
	for (size_t i = 0; i < OPENMETRICS_COUNT(openmetrics_code); i++)
		openmetrics_family(to, &openmetrics_code[i],
				   &schema_reorder_stats, tunnels);
	openmetrics_drops(to, tunnels);
	openmetrics_paths(to, "mptun_path",
			  "Device of a path, and the reason for its state.",
			  paths);
	openmetrics_states(to, "mptun_path_state", "State of a path.",
			   &schema_path, paths);
	for (size_t i = 0; i < OPENMETRICS_COUNT(openmetrics_path); i++)
		openmetrics_family(to, &openmetrics_path[i], &schema_path,
				   paths);
	for (size_t i = 0; i < OPENMETRICS_COUNT(openmetrics_stats); i++)
		openmetrics_family(to, &openmetrics_stats[i],
				   &schema_path_stats, paths);
	openmetrics_view(to, view);
	fputs("# EOF\n", to);
}

/* Length of the name or address in HOST[:PORT]; 0 if it is none. */
static size_t openmetrics_length(const char *host)
{
	size_t len = strcspn(host, ":");
	const char *port;

	if (*host == '[') {
		len = strcspn(host, "]") + 1;
		if (len > strlen(host))
			return 0;
	}
	port = host + len;
	if (*port == ':' && strspn(port + 1, "0123456789") != strlen(port + 1))
		return 0;
	return *port && *port != ':' ? 0 : len;
}

bool openmetrics_host(const char *host, const char *name)
{
	unsigned char addr[16];
	char text[INET6_ADDRSTRLEN + 2];
	size_t len = host ? openmetrics_length(host) : 0;

	if (!len)
		return false;
	if ((len == 9 && !strncasecmp(host, "localhost", len)) ||
	    (len == strlen(name) && !strncasecmp(host, name, len)))
		return true;
	if (len >= sizeof(text))
		return false;
	memcpy(text, host, len);
	text[len] = '\0';
	if (*text != '[')
		return inet_pton(AF_INET, text, addr) == 1;
	text[len - 1] = '\0';
	return inet_pton(AF_INET6, text + 1, addr) == 1;
}
