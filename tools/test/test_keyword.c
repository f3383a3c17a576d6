// SPDX-License-Identifier: GPL-2.0
/*
 * The keywords agree with the kernel's policies, and none is missing.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <linux/mptun.h>
#include <linux/mptun_link.h>

#include "lib/field.h"
#include "lib/keyword.h"
#include "test/ktap.h"
#include "test/policy.h"

static bool carries(const struct parse_key *key, unsigned int attr)
{
	return key->attr == attr || key->attr6 == attr ||
	       key->attr_scope == attr;
}

static const struct parse_key *key_of(const struct parse_table *table,
				      unsigned int attr)
{
	for (size_t i = 0; i < table->count; i++)
		if (carries(&table->keys[i], attr))
			return &table->keys[i];
	return NULL;
}

static void check_range(const struct parse_key *key,
			const struct policy *policy)
{
	switch (key->type) {
	case PARSE_ADDR:
		ktap_checkf(policy->kind == POLICY_BINARY ||
			    policy->kind == POLICY_NUMBER, "%s", key->word);
		break;
	case PARSE_NAME:
		ktap_checkf(policy->kind == POLICY_STRING, "%s", key->word);
		ktap_checkf(policy->len == key->max, "%s", key->word);
		break;
	case PARSE_FILE:
		ktap_checkf(policy->kind == POLICY_BINARY, "%s", key->word);
		ktap_checkf(policy->len == key->max && key->min == key->max,
			    "%s", key->word);
		break;
	case PARSE_PREFIXES:
		ktap_checkf(policy->kind == POLICY_BINARY, "%s", key->word);
		ktap_checkf(policy->len == key->max, "%s", key->word);
		ktap_checkf(key->max == MPTUN_ALLOWED_IPS_MAX *
			    MPTUN_ALLOWED_IP_LEN, "%s", key->word);
		break;
	case PARSE_FLAG:
		ktap_checkf(policy->kind == POLICY_NUMBER, "%s", key->word);
		break;
	default:
		ktap_checkf(policy->kind == POLICY_NUMBER, "%s", key->word);
		ktap_checkf(key->min == policy->min, "%s", key->word);
		ktap_checkf(key->max == policy->max, "%s", key->word);
		break;
	}
}

/* Every attribute of a request has a keyword, except those of names. */
static void check_table(const struct parse_table *table, uint8_t cmd,
			const unsigned int *names)
{
	unsigned int found = 0, maxattr;
	bool privileged;

	ktap_check(policy_command(cmd, &maxattr, &privileged));
	for (unsigned int attr = 1; attr <= maxattr; attr++) {
		const struct parse_key *key = key_of(table, attr);
		struct policy policy = policy_of(cmd, attr);
		const unsigned int *name = names;

		while (*name && *name != attr)
			name++;
		if (policy.kind == POLICY_NONE || *name) {
			ktap_checkf(!key, "attribute %u", attr);
			continue;
		}
		ktap_checkf(key, "attribute %u has no keyword", attr);
		if (key) {
			check_range(key, &policy);
			found++;
		}
	}
	ktap_checkf(found >= table->count - 1, "%u", found);
}

static void test_path(void)
{
	static const unsigned int names[] = {
		MPTUN_A_PATH_IFINDEX, MPTUN_A_PATH_IFNAME, MPTUN_A_PATH_NAME, 0
	};

	check_table(&keyword_path, MPTUN_CMD_PATH_NEW, names);
	check_table(&keyword_path, MPTUN_CMD_PATH_SET, names);
}

static void test_class(void)
{
	static const unsigned int names[] = {
		MPTUN_A_CLASS_IFINDEX, MPTUN_A_CLASS_IFNAME, MPTUN_A_CLASS_ID, 0
	};
	struct policy id = policy_of(MPTUN_CMD_CLASS_NEW, MPTUN_A_CLASS_ID);

	check_table(&keyword_class, MPTUN_CMD_CLASS_NEW, names);
	check_table(&keyword_class, MPTUN_CMD_CLASS_SET, names);
	check_range(&keyword_class_id, &id);
}

static void test_set(void)
{
	static const unsigned int names[] = {
		MPTUN_A_TUNNEL_IFINDEX, MPTUN_A_TUNNEL_IFNAME, 0
	};

	check_table(&keyword_set, MPTUN_CMD_TUNNEL_SET, names);
}

/* The options of "key set" are those of "set". */
static void test_key(void)
{
	for (size_t i = 0; i < keyword_key.count; i++) {
		const struct parse_key *key = &keyword_key.keys[i];
		const struct parse_key *set = key_of(&keyword_set, key->attr);

		ktap_checkf(set && set->type == key->type &&
			    set->min == key->min && set->max == key->max, "%s",
			    key->word);
	}
	ktap_check(keyword_set.keys[KEYWORD_SET_KEY].attr ==
		   MPTUN_A_TUNNEL_KEY);
	ktap_check(keyword_set.keys[KEYWORD_SET_KEY_GRACE].attr ==
		   MPTUN_A_TUNNEL_KEY_GRACE);
	ktap_check(keyword_key.keys[KEYWORD_KEY_GRACE].attr ==
		   MPTUN_A_TUNNEL_KEY_GRACE);
}

/* Settings that only mptunctl has, and the MTU, which links have anyway. */
static bool without_link(const struct parse_key *set)
{
	return set->attr == MPTUN_A_TUNNEL_KEY ||
	       set->attr == MPTUN_A_TUNNEL_KEY_GRACE ||
	       set->attr == MPTUN_A_TUNNEL_MTU ||
	       set->type == PARSE_PREFIXES;
}

/* A link takes the other settings of a tunnel, with the same ranges. */
static void test_link(void)
{
	for (unsigned int attr = 1; attr <= IFLA_MPTUN_MAX; attr++)
		ktap_checkf(key_of(&keyword_link, attr), "attribute %u", attr);
	for (size_t i = 0; i < keyword_set.count; i++) {
		const struct parse_key *set = &keyword_set.keys[i], *link;
		int index = parse_find(&keyword_link, set->word);

		if (without_link(set))
			continue;
		ktap_checkf(index >= 0, "%s", set->word);
		if (index < 0)
			continue;
		link = &keyword_link.keys[index];
		ktap_checkf(link->type == set->type && link->min == set->min &&
			   link->max == set->max && link->names == set->names,
			   "%s", set->word);
	}
}

static void check_names(const struct parse_table *table)
{
	ktap_check(table->count <= PARSE_KEYS_MAX);
	for (size_t i = 0; i < table->count; i++) {
		const struct parse_key *key = &table->keys[i];

		ktap_checkf(key->help && *key->help, "%s", key->word);
		ktap_checkf(key->type == PARSE_FLAG || key->value, "%s",
			   key->word);
		if (key->type != PARSE_ENUM)
			continue;
		ktap_checkf(key->names && key->names->count == key->max + 1,
			   "%s", key->word);
		for (uint64_t v = key->min; v <= key->max; v++)
			ktap_checkf(key->names->name[v], "%s %d", key->word,
				   (int)v);
	}
}

static void test_tables(void)
{
	check_names(&keyword_link);
	check_names(&keyword_set);
	check_names(&keyword_path);
	check_names(&keyword_class);
	check_names(&keyword_show);
	check_names(&keyword_key);
}

/*
 * Every attribute up to the last one of a set is in the tool's tables, except
 * the one that can be set but not read.
 */
static void check_schema(const struct schema *schema, unsigned int max,
			 unsigned int secret)
{
	ktap_checkf(schema->count <= FIELD_MAX, "%s", schema->name);
	for (unsigned int attr = 1; attr <= max; attr++) {
		int found = 0;

		for (size_t i = 0; i < schema->count; i++)
			found += schema->fields[i].attr == attr;
		ktap_checkf(found == (attr != secret), "%s: attribute %u",
			    schema->name, attr);
	}
	for (size_t i = 0; i < schema->count; i++)
		ktap_checkf(schema->fields[i].type == FIELD_PAD ||
			   schema->fields[i].doc, "%s: %s", schema->name,
			   schema->fields[i].name);
}

static void test_schemas(void)
{
	check_schema(&schema_tunnel, MPTUN_A_TUNNEL_MAX, MPTUN_A_TUNNEL_KEY);
	check_schema(&schema_reorder_stats, MPTUN_A_REORDER_STATS_MAX, 0);
	check_schema(&schema_drop_stats, MPTUN_A_DROP_STATS_MAX, 0);
	check_schema(&schema_path, MPTUN_A_PATH_MAX, 0);
	check_schema(&schema_path_stats, MPTUN_A_PATH_STATS_MAX, 0);
	check_schema(&schema_class, MPTUN_A_CLASS_MAX, 0);
	check_schema(&schema_class_stats, MPTUN_A_CLASS_STATS_MAX, 0);
}

/* Only reading needs no privilege. */
static void test_privileges(void)
{
	for (uint8_t cmd = 1; cmd <= MPTUN_CMD_MAX; cmd++) {
		bool reads = cmd == MPTUN_CMD_TUNNEL_GET ||
			     cmd == MPTUN_CMD_PATH_GET ||
			     cmd == MPTUN_CMD_CLASS_GET;
		unsigned int maxattr;
		bool privileged;

		if (policy_command(cmd, &maxattr, &privileged))
			ktap_checkf(reads == !privileged, "command %u", cmd);
	}
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "keys: settings of a path are those of the policies",
		  test_path },
		{ "keys: settings of a class are those of the policies",
		  test_class },
		{ "keys: settings of a tunnel are those of the policies",
		  test_set },
		{ "keys: words of \"key set\" are those of \"set\"", test_key },
		{ "keys: a link takes every setting", test_link },
		{ "keys: every keyword is complete", test_tables },
		{ "keys: every attribute of the spec is known", test_schemas },
		{ "keys: all commands but reading need a privilege",
		  test_privileges },
	};

	return ktap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
