// SPDX-License-Identifier: GPL-2.0
/*
 * A simulated kernel: tunnels, paths and classes as messages, and events.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Figures are made up, the number of an attribute plus 1000 where nothing
 * better is at hand.
 */
#include <errno.h>
#include <netlink/msg.h>
#include <stdlib.h>
#include <string.h>

#include <linux/mptun.h>

#include "lib/field.h"
#include "test/fake.h"
#include "test/fake_state.h"

static uint64_t fake_grown;	/* added to the bytes sent, of a path */

/* A figure of the environment: of the name, which may have that of its set. */
static bool fake_given(const struct schema *schema, const char *name,
		       uint64_t *num)
{
	const char *list = getenv("MPTUN_FAKE_FIGURES");
	size_t set = strlen(schema->name), len = strlen(name);

	for (; list && *list; list += strcspn(list, ",") + 1) {
		const char *word = list;

		if (!strncmp(word, schema->name, set) && word[set] == '.')
			word += set + 1;
		if (!strncmp(word, name, len) && word[len] == '=') {
			*num = strtoull(word + len + 1, NULL, 0);
			return true;
		}
		if (!list[strcspn(list, ",")])
			break;
	}
	return false;
}

/* Figures that tests check; the others are derived from their attribute. */
static uint64_t fake_figure(const struct schema *schema,
			    const struct field *field)
{
	static const struct {
		const char *name;
		uint64_t value;
	} figures[] = {
		{ "reason", MPTUN_PATH_REASON_ANSWERED },
		{ "state-age", 3200 }, { "srtt", 23456 }, { "skew", 1200 },
		{ "ssthresh", UINT32_MAX }, { "learned", 0 }, { "parked", 0 },
		{ "detour", 0 },
		{ "pmtu", 1400 }, { "inner-mtu", 1328 },
		{ "pmtu-state", MPTUN_PMTU_STATE_COMPLETE },
		{ "instance", 0xfedcba9876543210 }, { "peer-instance", 0 },
		{ "lost-packets", 30 }, { "spurious", 5 },
		{ "acked-packets", 9970 },
		{ "recent-packets", 320 }, { "recent-lost", 4 },
		{ "key-fingerprint", 0 }, { "key-grace", 0 },
		{ "used", 4200000000 },
		{ "cap-state", MPTUN_CAP_STATE_NEAR },
		{ "paths", 2 }, { "paths-up", 1 }, { "sessions", 3 },
		{ "session-age", 65000 },
	};

	uint64_t num;

	if (fake_given(schema, field->name, &num))
		return num;
	if (!strcmp(field->name, "state"))
		return schema == &schema_path ? MPTUN_PATH_STATE_UP :
						MPTUN_ASSOC_STATE_ESTABLISHED;
	if (!strcmp(field->name, "tx-bytes"))
		return 1000000 + fake_grown;
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		if (!strcmp(field->name, figures[i].name))
			return figures[i].value;
	return fake_given(schema, "all", &num) ? num : 1000u + field->attr;
}

static void fake_put_schema(const struct schema *schema,
			    const struct fake_object *obj);

static void fake_put_field(const struct schema *schema,
			   const struct field *field)
{
	uint64_t num = fake_figure(schema, field), list[MPTUN_HISTOGRAM_SLOTS];
	uint32_t u32 = (uint32_t)num;
	uint16_t u16 = (uint16_t)num;
	uint8_t u8 = (uint8_t)num;
	size_t nest;

	switch (field->type) {
	case FIELD_U8:
		fake_put(field->attr, &u8, sizeof(u8));
		break;
	case FIELD_U16:
		fake_put(field->attr, &u16, sizeof(u16));
		break;
	case FIELD_U32:
		fake_put(field->attr, &u32, sizeof(u32));
		break;
	case FIELD_U64:
		fake_put(field->attr, &num, sizeof(num));
		break;
	case FIELD_LIST:
		for (uint64_t i = 0; i < MPTUN_HISTOGRAM_SLOTS; i++)
			list[i] = i * i;
		fake_put(field->attr, list, sizeof(list));
		break;
	case FIELD_NEST:
		nest = fake_nest(field->attr);
		fake_put_schema(field->nest, NULL);
		fake_nest_end(nest);
		break;
	default:
		break;
	}
}

static void fake_put_schema(const struct schema *schema,
			    const struct fake_object *obj)
{
	for (size_t i = 0; i < schema->count; i++) {
		const struct field *field = &schema->fields[i];
		bool setting = field->setting ||
			       !strcmp(field->name, "old-state") ||
			       !strcmp(field->name, "remote-scope");
		uint64_t num;

		if (!field->attr ||
		    (getenv("MPTUN_FAKE_USER") && schema == &schema_path &&
		     !strncmp(field->name, "remote", 6)))
			continue;
		if (obj && obj->blob[field->attr].len)
			fake_put(field->attr, obj->blob[field->attr].data,
				 obj->blob[field->attr].len);
		else if (!setting || fake_given(schema, field->name, &num))
			fake_put_field(schema, field);
	}
	/* From a newer kernel: an unknown attribute, a known one changed. */
	fake_put(200, "new", 4);
	fake_put(schema->fields[0].attr, "changed", 8);
}

/* A number of the environment, 0 if there is none. */
static int fake_trouble(const char *name)
{
	const char *text = getenv(name);

	return text ? atoi(text) : 0;
}

/* Comes and goes. */
static bool fake_gone(const struct fake_object *tunnel, int dumps)
{
	int every = fake_trouble("MPTUN_FAKE_GONE");

	return every && dumps && !(dumps % every) &&
	       !strcmp(tunnel->blob[MPTUN_A_TUNNEL_IFNAME].data, "mp1");
}

void fake_tunnel_get(const struct nlmsghdr *request, const void *data,
		     size_t len, struct fake_reply *reply)
{
	bool dump = request->nlmsg_flags & NLM_F_DUMP;
	struct fake_object *one = NULL;
	static int dumps;

	if (dump)
		dumps++;
	if (!dump) {
		one = fake_tunnel_by(data, len, MPTUN_A_TUNNEL_IFNAME, reply);
		if (!one)
			return;
	}
	for (int i = 0; i < FAKE_TUNNELS; i++) {
		if (!fake_tunnel[i].used || (one && one != &fake_tunnel[i]) ||
		    (dump && fake_gone(&fake_tunnel[i], dumps)))
			continue;
		fake_begin(FAKE_FAMILY, MPTUN_CMD_TUNNEL_GET,
			   dump ? NLM_F_MULTI : 0);
		fake_put_schema(&schema_tunnel, &fake_tunnel[i]);
		fake_end();
	}
}

/* An interrupted dump has lost its end. */
static bool fake_interrupted(void)
{
	int fail = fake_trouble("MPTUN_FAKE_FAIL");
	static int dumps;

	dumps++;
	return dumps <= fake_trouble("MPTUN_FAKE_INTR") ||
	       (fail && dumps > fail);
}

void fake_path_get(const struct nlmsghdr *request, const void *data, size_t len,
		   struct fake_reply *reply)
{
	bool dump = request->nlmsg_flags & NLM_F_DUMP;
	const struct nlattr *name = fake_find(data, len, MPTUN_A_PATH_NAME);
	struct fake_object *tunnel = NULL, *one = NULL;
	bool interrupted = dump && fake_interrupted();
	static uint64_t dumps;

	if (!dump || fake_find(data, len, MPTUN_A_PATH_IFNAME)) {
		tunnel = fake_tunnel_by(data, len, MPTUN_A_PATH_IFNAME, reply);
		if (!tunnel)
			return;
	}
	if (!dump) {
		one = fake_path_by(tunnel, name);
		if (!one) {
			fake_fail(reply, ENOENT, "no such path", name);
			return;
		}
	}
	for (int i = 0; i < FAKE_PATHS; i++) {
		if (!fake_path[i].used || (one && one != &fake_path[i]) ||
		    (tunnel && fake_path[i].ifindex != tunnel->ifindex))
			continue;
		fake_grown = 0;
		if (!strcmp(fake_path[i].blob[MPTUN_A_PATH_NAME].data, "wan1"))
			fake_grown = dumps *
				(uint64_t)fake_trouble("MPTUN_FAKE_GROW");
		fake_begin(FAKE_FAMILY, MPTUN_CMD_PATH_GET, (uint16_t)
			   ((dump ? NLM_F_MULTI : 0) |
			    (interrupted ? NLM_F_DUMP_INTR : 0)));
		fake_put_schema(&schema_path, &fake_path[i]);
		fake_end();
		if (interrupted)
			return;
	}
	dumps++;
}

void fake_class_get(const struct nlmsghdr *request, const void *data,
		    size_t len, struct fake_reply *reply)
{
	const struct nlattr *id = fake_find(data, len, MPTUN_A_CLASS_ID);
	struct fake_object *tunnel = NULL, *one = NULL;
	bool dump = request->nlmsg_flags & NLM_F_DUMP;

	if (!dump || fake_find(data, len, MPTUN_A_CLASS_IFNAME)) {
		tunnel = fake_tunnel_by(data, len, MPTUN_A_CLASS_IFNAME,
					reply);
		if (!tunnel)
			return;
	}
	if (!dump) {
		one = fake_class_by(tunnel, id);
		if (!one) {
			fake_fail(reply, ENOENT, "no such class", id);
			return;
		}
	}
	for (int i = 0; i < FAKE_CLASSES; i++) {
		if (!fake_class[i].used || (one && one != &fake_class[i]) ||
		    (tunnel && fake_class[i].ifindex != tunnel->ifindex))
			continue;
		fake_begin(FAKE_FAMILY, MPTUN_CMD_CLASS_GET,
			   dump ? NLM_F_MULTI : 0);
		fake_put_schema(&schema_class, &fake_class[i]);
		fake_end();
	}
}

void fake_events(void)
{
	uint32_t old = MPTUN_PATH_STATE_PROBING;

	for (int i = 0; i < FAKE_TUNNELS; i++) {
		if (!fake_tunnel[i].used)
			continue;
		fake_begin(FAKE_FAMILY, MPTUN_CMD_TUNNEL_NTF, 0);
		fake_put_schema(&schema_tunnel, &fake_tunnel[i]);
		fake_end();
	}
	for (int i = 0; i < FAKE_PATHS; i++) {
		if (!fake_path[i].used)
			continue;
		fake_store(&fake_path[i], MPTUN_A_PATH_OLD_STATE, &old, 4);
		fake_begin(FAKE_FAMILY, MPTUN_CMD_PATH_NTF, 0);
		fake_put_schema(&schema_path, &fake_path[i]);
		fake_end();
		if (fake_path[i].blob[MPTUN_A_PATH_CAP].len) {
			fake_begin(FAKE_FAMILY, MPTUN_CMD_PATH_CAP_NTF, 0);
			fake_put_schema(&schema_path, &fake_path[i]);
			fake_end();
		}
		fake_begin(FAKE_FAMILY, MPTUN_CMD_PATH_DEL_NTF, 0);
		fake_put_schema(&schema_path, &fake_path[i]);
		fake_end();
	}
	/* From a newer kernel: a notification that is not known. */
	fake_begin(FAKE_FAMILY, 99, 0);
	fake_end();
}
