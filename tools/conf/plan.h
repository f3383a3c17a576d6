/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A tunnel as a configuration file describes it.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Pure: no input or output, no look-up in the system.  A plan is also made from
 * what the kernel reports, so that both can be compared.
 */
#ifndef MPTUN_TOOLS_PLAN_H
#define MPTUN_TOOLS_PLAN_H

#include <linux/mptun.h>

#include "conf/option.h"
#include "conf/reader.h"
#include "lib/secret.h"

/* Most entries of a key that may be repeated. */
#define PLAN_LIST_MAX 64
/* Room for the text of all allowed addresses. */
#define PLAN_ALLOWED_MAX (MPTUN_ALLOWED_IPS_MAX * 48)

/* Most sections for uplinks that are found. */
#define PLAN_MODELS_MAX 16
/* Most addresses of an uplink that have rules. */
#define PLAN_OWN_MAX 8
/* Most servers, and the longest text of one. */
#define PLAN_SERVERS_MAX 8
#define PLAN_SERVER_MAX 263
/* Longest place of metrics: that of a socket. */
#define PLAN_METRICS_MAX 107

/* Tables for routes. */
#define PLAN_TABLE_AUTO 0
#define PLAN_TABLE_MAIN 254

/**
 * struct plan_set - settings of one table of keywords
 * @table: the keywords
 * @res: their values
 * @line: where each of them is
 */
struct plan_set {
	const struct parse_table *table;
	struct parse_result res;
	int line[PARSE_KEYS_MAX];
};

/**
 * struct plan_prefix - an address with the length of its network
 * @line: where it is
 * @entry: version of IP, length, two zeros, address; see PARSE_PREFIXES
 */
struct plan_prefix {
	int line;
	unsigned char entry[PARSE_PREFIX_LEN];
};

/**
 * struct plan_text - a text
 * @line: where it is
 * @text: the text
 */
struct plan_text {
	int line;
	const char *text;
};

struct plan_prefixes {
	size_t count;
	struct plan_prefix list[PLAN_LIST_MAX];
};

struct plan_texts {
	size_t count;
	struct plan_text list[PLAN_LIST_MAX];
};

/**
 * struct plan_server - a server
 * @line: where it is
 * @text: what the file says
 * @remote: its address, or its name
 * @port: its port
 */
struct plan_server {
	int line;
	char text[PLAN_SERVER_MAX + 1];
	struct parse_value remote;
	struct parse_value port;
};

/**
 * struct plan_metrics - where metrics are served
 * @text: what the file says: the path of a socket, or an address; "" for
 *	nowhere
 * @addr: the address
 * @port: the port
 */
struct plan_metrics {
	char text[PLAN_METRICS_MAX + 1];
	struct parse_value addr;
	uint64_t port;
};

/**
 * enum plan_masquerade - which packets get another source address
 * @MASQUERADE_OFF: none
 * @MASQUERADE_TUNNEL: those that leave through the tunnel
 * @MASQUERADE_UPLINK: those that come from the tunnel and leave elsewhere
 */
enum plan_masquerade {
	MASQUERADE_OFF,
	MASQUERADE_TUNNEL,
	MASQUERADE_UPLINK,
};

/**
 * struct plan_host - what belongs to the machine, not to the tunnel
 * @address: addresses of the interface
 * @route: networks behind the tunnel, without default routes
 * @all: lines of "Routes = default"
 * @all4: line that asks for the IPv4 default route, 0 for none
 * @all6: the same for IPv6
 * @dns: addresses of resolvers
 * @domain: search domains
 * @hook: commands, by OPTION_PRE_UP to OPTION_ON_CAP
 * @uplink: devices that get a path by themselves: patterns, those that begin
 *	with "!" exclude
 * @resolver: addresses of resolvers that uplinks lead to
 * @server: servers, the preferred one first
 * @servers: their number
 * @metrics: where metrics are served
 * @min_paths: spares join while fewer paths work, 0 for never
 * @min_rate: spares join while their rates have a smaller sum, in bits per
 *	second, 0 for never
 * @routed: routes are wanted (Table is not off)
 * @table: table for routes, PLAN_TABLE_AUTO for the one that fits
 * @masquerade: whose source addresses change
 * @kill_switch: only the tunnel may use the uplinks
 * @line: lines of keys that are given once, by enum conf_option
 */
struct plan_host {
	struct plan_prefixes address;
	struct plan_prefixes route;
	int all;
	int all4;
	int all6;
	struct plan_texts dns;
	struct plan_texts domain;
	struct plan_texts hook[OPTION_ON_CAP - OPTION_PRE_UP + 1];
	struct plan_texts uplink;
	struct plan_texts resolver;
	struct plan_server server[PLAN_SERVERS_MAX];
	size_t servers;
	struct plan_metrics metrics;
	size_t min_paths;
	uint64_t min_rate;
	bool routed;
	uint32_t table;
	enum plan_masquerade masquerade;
	bool kill_switch;
	int line[OPTIONS];
};

/**
 * struct plan_path - a path
 * @line: head of its section
 * @name: its name
 * @set: its settings
 * @enabled: line of Enabled, or 0
 * @gateway: line of Gateway, or 0
 * @reset_line: line of CapReset, or 0
 * @reset: day on which the month of its cap begins, or 0
 * @spare_line: line of Spare, or 0
 * @spare: the agent adds the path when it is needed, see mptund(8)
 * @direct: the gateway is "none": the device is a point-to-point link
 * @via: the gateway
 * @onlink: no network of the device has the gateway
 * @number: table of the gateway, of those of the tunnel
 * @own: addresses beside Local that are sent from through the gateway
 * @owns: their number
 */
struct plan_path {
	int line;
	char name[PARSE_TEXT_MAX + 1];
	struct plan_set set;
	int enabled;
	int gateway;
	int reset_line;
	int reset;
	int spare_line;
	bool spare;
	bool direct;
	struct parse_value via;
	bool onlink;
	uint32_t number;
	unsigned char own[PLAN_OWN_MAX][16];
	size_t owns;
};

/**
 * struct plan_class - a class of packets
 * @line: head of its section
 * @id: its number
 * @set: its settings
 */
struct plan_class {
	int line;
	uint32_t id;
	struct plan_set set;
};

/**
 * struct plan - a tunnel
 * @error: what is wrong
 * @line: head of [Interface], 0 if there is none
 * @link: settings that are fixed when the tunnel is created
 * @set: settings that may change
 * @keyed: @key is given
 * @key: the key
 * @allowed: text of allowed-ips
 * @host: what belongs to the machine
 * @path: the paths
 * @paths: their number
 * @model: paths of uplinks that are found; their names are patterns
 * @models: their number
 * @class: the classes
 * @classes: their number
 * @section: the section that is read
 * @reading: the path of that section
 */
struct plan {
	struct conf_error error;
	int line;
	struct plan_set link;
	struct plan_set set;
	bool keyed;
	unsigned char key[SECRET_LEN];
	char allowed[PLAN_ALLOWED_MAX];
	struct plan_host host;
	struct plan_path path[MPTUN_PATHS_MAX];
	size_t paths;
	struct plan_path model[PLAN_MODELS_MAX];
	size_t models;
	struct plan_class class[MPTUN_CLASSES_MAX];
	size_t classes;
	enum conf_section section;
	struct plan_path *reading;
};

/**
 * plan_init() - begin an empty plan
 * @plan: the plan
 */
void plan_init(struct plan *plan);

/**
 * plan_read() - make a plan from a file
 * @plan: filled in; it points into @text
 * @text: the file, with a byte after its end that may be changed, too
 * @len: its length
 *
 * Return: 0, or -1 with @plan->error set.
 */
int plan_read(struct plan *plan, char *text, size_t len);

/**
 * plan_check() - check what concerns several keys
 * @plan: the plan
 * @create: the tunnel is created by it, so it needs a key
 *
 * Return: 0, or -1 with @plan->error set.
 */
int plan_check(struct plan *plan, bool create);

/**
 * plan_value() - look up a setting
 * @set: the settings
 * @word: its keyword
 *
 * Return: its value, NULL if it is not given.
 */
const struct parse_value *plan_value(const struct plan_set *set,
				     const char *word);

/**
 * plan_line() - where a setting is
 * @set: the settings
 * @word: its keyword
 *
 * Return: the line, 0 if it is not given.
 */
int plan_line(const struct plan_set *set, const char *word);

/**
 * plan_spare() - the first spare of a plan
 * @plan: the plan
 *
 * Return: its section, NULL if there is none.
 */
const struct plan_path *plan_spare(const struct plan *plan);

/**
 * plan_add_path() - add a path
 * @plan: the plan, with less than MPTUN_PATHS_MAX paths
 *
 * Return: the path, empty.
 */
struct plan_path *plan_add_path(struct plan *plan);

/**
 * plan_add_class() - add a class
 * @plan: the plan, with less than MPTUN_CLASSES_MAX classes
 *
 * Return: the class, empty.
 */
struct plan_class *plan_add_class(struct plan *plan);

/**
 * plan_host_key() - take a key that is no setting of the kernel's tunnel
 * @plan: the plan
 * @option: the key
 * @line: where it is
 * @value: its value
 *
 * Return: 0, or -1 with @plan->error set.
 */
int plan_host_key(struct plan *plan, enum conf_option option, int line,
		  char *value);

#endif /* MPTUN_TOOLS_PLAN_H */
