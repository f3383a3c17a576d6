// SPDX-License-Identifier: GPL-2.0
/*
 * A simulated kernel: tunnels, paths and classes.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Settings are kept as the attributes that came; figures are made up, the
 * number of an attribute plus 1000 where nothing better is at hand.
 */
#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/mptun.h>
#include <linux/mptun_link.h>

#include "lib/field.h"
#include "test/fake.h"
#include "test/policy.h"

#define FAKE_TUNNELS 4
#define FAKE_PATHS 8
#define FAKE_CLASSES 8
#define FAKE_BLOB 128

struct fake_blob {
	size_t len;
	char data[FAKE_BLOB];
};

struct fake_object {
	bool used;
	uint32_t ifindex;
	struct fake_blob blob[FIELD_MAX];
};

static struct fake_object fake_tunnel[FAKE_TUNNELS];
static struct fake_object fake_path[FAKE_PATHS];
static struct fake_object fake_class[FAKE_CLASSES];
static uint64_t fake_grown;	/* added to the bytes sent, of a path */

/* Attributes of a link, as attributes of a tunnel. */
static const uint16_t fake_link_attr[IFLA_MPTUN_MAX + 1] = {
	[IFLA_MPTUN_PORT] = MPTUN_A_TUNNEL_PORT,
	[IFLA_MPTUN_ID] = MPTUN_A_TUNNEL_ID,
	[IFLA_MPTUN_PEER_ID] = MPTUN_A_TUNNEL_PEER_ID,
	[IFLA_MPTUN_SCHED] = MPTUN_A_TUNNEL_SCHED,
	[IFLA_MPTUN_CC] = MPTUN_A_TUNNEL_CC,
	[IFLA_MPTUN_REORDER] = MPTUN_A_TUNNEL_REORDER,
	[IFLA_MPTUN_HOLD] = MPTUN_A_TUNNEL_HOLD,
	[IFLA_MPTUN_BUFFER] = MPTUN_A_TUNNEL_BUFFER,
	[IFLA_MPTUN_LEARN] = MPTUN_A_TUNNEL_LEARN,
	[IFLA_MPTUN_CIPHER] = MPTUN_A_TUNNEL_CIPHER,
	[IFLA_MPTUN_REKEY] = MPTUN_A_TUNNEL_REKEY,
	[IFLA_MPTUN_DSCP] = MPTUN_A_TUNNEL_DSCP,
	[IFLA_MPTUN_PARK] = MPTUN_A_TUNNEL_PARK,
	[IFLA_MPTUN_AUTO_GROUP] = MPTUN_A_TUNNEL_AUTO_GROUP,
	[IFLA_MPTUN_FWMARK] = MPTUN_A_TUNNEL_FWMARK,
	[IFLA_MPTUN_FRAG] = MPTUN_A_TUNNEL_FRAG,
	[IFLA_MPTUN_MSS_CLAMP] = MPTUN_A_TUNNEL_MSS_CLAMP,
	[IFLA_MPTUN_FOLLOW] = MPTUN_A_TUNNEL_FOLLOW,
	[IFLA_MPTUN_PSMC_FACTOR] = MPTUN_A_TUNNEL_PSMC_FACTOR,
	[IFLA_MPTUN_PSMC_PERIOD] = MPTUN_A_TUNNEL_PSMC_PERIOD,
};

static void fake_store(struct fake_object *obj, uint16_t attr,
		       const void *data, size_t len)
{
	if (attr >= FIELD_MAX || len > FAKE_BLOB)
		abort();
	obj->blob[attr].len = len;
	memcpy(obj->blob[attr].data, data, len);
}

/* All attributes but one of them, 0 for none. */
static void fake_store_all(struct fake_object *obj, const void *data,
			   size_t len, int secret)
{
	struct nlattr *attr;
	int rem;

	nla_for_each_attr(attr, (struct nlattr *)data, (int)len, rem) {
		if (nla_type(attr) == secret)
			continue;
		fake_store(obj, (uint16_t)nla_type(attr), nla_data(attr),
			   (size_t)nla_len(attr));
	}
}

static void fake_fail(struct fake_reply *reply, int errnum, const char *text,
		      const struct nlattr *attr)
{
	reply->errnum = errnum;
	reply->text = text;
	reply->attr = attr;
}

static bool fake_equal(const struct fake_object *obj, uint16_t attr,
		       const struct nlattr *want)
{
	return obj->used && want && obj->blob[attr].len &&
	       !strcmp(obj->blob[attr].data, nla_data(want));
}

static struct fake_object *fake_tunnel_by(const void *data, size_t len,
					  uint16_t attr,
					  struct fake_reply *reply)
{
	const struct nlattr *name = fake_find(data, len, attr);

	for (int i = 0; i < FAKE_TUNNELS; i++)
		if (fake_equal(&fake_tunnel[i], MPTUN_A_TUNNEL_IFNAME, name))
			return &fake_tunnel[i];
	fake_fail(reply, ENODEV, "no such tunnel", name);
	return NULL;
}

static struct fake_object *fake_path_by(const struct fake_object *tunnel,
					const struct nlattr *name)
{
	for (int i = 0; i < FAKE_PATHS; i++)
		if (fake_path[i].ifindex == tunnel->ifindex &&
		    fake_equal(&fake_path[i], MPTUN_A_PATH_NAME, name))
			return &fake_path[i];
	return NULL;
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
		{ "lossy", 0 }, { "detour", 0 },
		{ "pmtu", 1400 }, { "pmtu-state", MPTUN_PMTU_STATE_COMPLETE },
		{ "instance", 0xfedcba9876543210 }, { "peer-instance", 0 },
		{ "lost-packets", 30 }, { "spurious", 5 },
		{ "acked-packets", 9970 },
		{ "key-fingerprint", 0 }, { "key-grace", 0 },
		{ "used", 4200000000 },
		{ "cap-state", MPTUN_CAP_STATE_NEAR },
		{ "paths", 2 }, { "paths-up", 1 }, { "sessions", 3 }, { "session-age", 65000 },
	};

	if (!strcmp(field->name, "state"))
		return schema == &schema_path ? MPTUN_PATH_STATE_UP :
						MPTUN_ASSOC_STATE_ESTABLISHED;
	if (!strcmp(field->name, "tx-bytes"))
		return 1000000 + fake_grown;
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		if (!strcmp(field->name, figures[i].name))
			return figures[i].value;
	return 1000u + field->attr;
}

static void fake_put_schema(const struct schema *schema,
			    const struct fake_object *obj);

static void fake_put_field(const struct schema *schema,
			   const struct field *field)
{
	uint64_t num = fake_figure(schema, field), list[MPTUN_HISTOGRAM_SLOTS];
	uint32_t u32 = (uint32_t)num;
	uint8_t u8 = (uint8_t)num;
	size_t nest;

	switch (field->type) {
	case FIELD_U8:
		fake_put(field->attr, &u8, sizeof(u8));
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

		if (!field->attr)
			continue;
		if (obj && obj->blob[field->attr].len)
			fake_put(field->attr, obj->blob[field->attr].data,
				 obj->blob[field->attr].len);
		else if (!setting)
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

static void fake_tunnel_get(const struct nlmsghdr *request, const void *data,
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

static void fake_path_get(const struct nlmsghdr *request, const void *data,
			  size_t len, struct fake_reply *reply)
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

/* A key is not kept, only its fingerprint. */
static void fake_key(struct fake_object *tunnel, const struct nlattr *key,
		     const struct nlattr *grace)
{
	uint32_t left = MPTUN_KEY_GRACE_DEFAULT_S;
	const unsigned char *data = nla_data(key);
	uint64_t hash = 0xcbf29ce484222325u;

	for (int i = 0; i < nla_len(key); i++)
		hash = (hash ^ data[i]) * 0x100000001b3u;
	if (grace)
		memcpy(&left, nla_data(grace), sizeof(left));
	if (!tunnel->blob[MPTUN_A_TUNNEL_KEY_FINGERPRINT].len)
		left = 0;
	fake_store(tunnel, MPTUN_A_TUNNEL_KEY_FINGERPRINT, &hash, sizeof(hash));
	fake_store(tunnel, MPTUN_A_TUNNEL_KEY_GRACE, &left, sizeof(left));
	fake_memory_keep(data);
}

static void fake_tunnel_set(const void *data, size_t len,
			    struct fake_reply *reply)
{
	struct fake_object *tunnel = fake_tunnel_by(data, len,
						    MPTUN_A_TUNNEL_IFNAME,
						    reply);
	const struct nlattr *cc = fake_find(data, len, MPTUN_A_TUNNEL_CC);
	const struct nlattr *key = fake_find(data, len, MPTUN_A_TUNNEL_KEY);
	uint32_t cipher;

	if (!tunnel)
		return;
	memcpy(&cipher, tunnel->blob[MPTUN_A_TUNNEL_CIPHER].data,
	       sizeof(cipher));
	if (key && cipher == MPTUN_CIPHER_CLEAR) {
		fake_fail(reply, EINVAL, "a tunnel in clear mode has no key",
			  key);
		return;
	}
	if (cc && !strcmp(nla_data(cc), "nonesuch")) {
		fake_fail(reply, ENOENT, "no such congestion controller", cc);
		return;
	}
	fake_store_all(tunnel, data, len, MPTUN_A_TUNNEL_KEY);
	if (key)
		fake_key(tunnel, key,
			 fake_find(data, len, MPTUN_A_TUNNEL_KEY_GRACE));
}

static void fake_path_store(struct fake_object *tunnel,
			    struct fake_object *path, const void *data,
			    size_t len)
{
	static const uint16_t four[] = {
		MPTUN_A_PATH_REMOTE4, MPTUN_A_PATH_LOCAL4
	};
	static const uint16_t six[] = {
		MPTUN_A_PATH_REMOTE6, MPTUN_A_PATH_LOCAL6
	};

	/* An address replaces one of the other family. */
	for (int i = 0; i < 2; i++) {
		if (fake_find(data, len, four[i]))
			path->blob[six[i]].len = 0;
		if (fake_find(data, len, six[i]))
			path->blob[four[i]].len = 0;
	}
	fake_store_all(path, data, len, 0);
	fake_store(path, MPTUN_A_PATH_IFINDEX, &tunnel->ifindex, 4);
	path->ifindex = tunnel->ifindex;
	path->used = true;
}

static void fake_path_change(uint8_t cmd, const void *data, size_t len,
			     struct fake_reply *reply)
{
	const struct nlattr *name = fake_find(data, len, MPTUN_A_PATH_NAME);
	struct fake_object *tunnel = fake_tunnel_by(data, len,
						    MPTUN_A_PATH_IFNAME,
						    reply);
	struct fake_object *path = tunnel ? fake_path_by(tunnel, name) : NULL;

	if (!tunnel)
		return;
	if (cmd == MPTUN_CMD_PATH_NEW && path) {
		fake_fail(reply, EEXIST, "the name is in use", name);
	} else if (cmd == MPTUN_CMD_PATH_NEW) {
		for (int i = 0; i < FAKE_PATHS && !path; i++)
			path = fake_path[i].used ? NULL : &fake_path[i];
		if (path)
			fake_path_store(tunnel, path, data, len);
		else
			fake_fail(reply, ENOSPC, "too many paths", NULL);
	} else if (!path) {
		fake_fail(reply, ENOENT, "no such path", name);
	} else if (cmd == MPTUN_CMD_PATH_SET) {
		fake_path_store(tunnel, path, data, len);
	} else {
		memset(path, 0, sizeof(*path));
	}
}

static struct fake_object *fake_class_by(const struct fake_object *tunnel,
					 const struct nlattr *id)
{
	for (int i = 0; i < FAKE_CLASSES; i++)
		if (fake_class[i].used && id &&
		    fake_class[i].ifindex == tunnel->ifindex &&
		    !memcmp(fake_class[i].blob[MPTUN_A_CLASS_ID].data,
			    nla_data(id), 4))
			return &fake_class[i];
	return NULL;
}

/* Nothing is checked but whether it is there, that is the kernel's part. */
static void fake_class_change(uint8_t cmd, const void *data, size_t len,
			      struct fake_reply *reply)
{
	const struct nlattr *id = fake_find(data, len, MPTUN_A_CLASS_ID);
	struct fake_object *tunnel = fake_tunnel_by(data, len,
						    MPTUN_A_CLASS_IFNAME,
						    reply);
	struct fake_object *class = tunnel ? fake_class_by(tunnel, id) : NULL;

	if (!tunnel)
		return;
	if (cmd == MPTUN_CMD_CLASS_NEW && class) {
		fake_fail(reply, EEXIST, "the id is in use", id);
		return;
	}
	for (int i = 0; cmd == MPTUN_CMD_CLASS_NEW && !class; i++) {
		if (i == FAKE_CLASSES)
			abort();
		class = fake_class[i].used ? NULL : &fake_class[i];
	}
	if (!class) {
		fake_fail(reply, ENOENT, "no such class", id);
	} else if (cmd == MPTUN_CMD_CLASS_DEL) {
		memset(class, 0, sizeof(*class));
	} else {
		fake_store_all(class, data, len, 0);
		fake_store(class, MPTUN_A_CLASS_IFINDEX, &tunnel->ifindex, 4);
		class->ifindex = tunnel->ifindex;
		class->used = true;
	}
}

static void fake_class_get(const struct nlmsghdr *request, const void *data,
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

/* Defaults as in the kernel, where tests check them. */
static void fake_link_make(struct fake_object *tunnel, uint32_t ifindex,
			   const struct nlattr *name, struct nlattr *opts)
{
	uint32_t cipher = MPTUN_CIPHER_CHACHA20_POLY1305;
	uint32_t rekey = MPTUN_REKEY_DEFAULT_S;
	uint32_t dscp = 0;
	struct nlattr *attr;
	int rem;

	tunnel->used = true;
	tunnel->ifindex = ifindex;
	fake_store(tunnel, MPTUN_A_TUNNEL_IFINDEX, &ifindex, sizeof(ifindex));
	fake_store(tunnel, MPTUN_A_TUNNEL_IFNAME, nla_data(name),
		   (size_t)nla_len(name));
	fake_store(tunnel, MPTUN_A_TUNNEL_CIPHER, &cipher, sizeof(cipher));
	fake_store(tunnel, MPTUN_A_TUNNEL_REKEY, &rekey, sizeof(rekey));
	fake_store(tunnel, MPTUN_A_TUNNEL_DSCP, &dscp, sizeof(dscp));
	if (!opts)
		return;
	nla_for_each_nested(attr, opts, rem)
		if (nla_type(attr) <= IFLA_MPTUN_MAX &&
		    fake_link_attr[nla_type(attr)])
			fake_store(tunnel, fake_link_attr[nla_type(attr)],
				   nla_data(attr), (size_t)nla_len(attr));
}

static void fake_newlink(const void *data, size_t len,
			 struct fake_reply *reply)
{
	const struct nlattr *name = fake_find(data, len, IFLA_IFNAME);
	struct nlattr *info = nla_find(data, (int)len, IFLA_LINKINFO);
	struct nlattr *kind = nla_find(nla_data(info), nla_len(info),
				       IFLA_INFO_KIND);
	struct nlattr *opts = nla_find(nla_data(info), nla_len(info),
				       IFLA_INFO_DATA);
	int i = 0;

	if (!kind || strcmp(nla_data(kind), "mptun")) {
		fake_fail(reply, EOPNOTSUPP, "Unknown device type", NULL);
		return;
	}
	while (i < FAKE_TUNNELS && fake_tunnel[i].used)
		i++;
	if (i == FAKE_TUNNELS) {
		fake_fail(reply, ENOMEM, NULL, NULL);
		return;
	}
	for (int j = 0; j < FAKE_TUNNELS; j++) {
		if (fake_equal(&fake_tunnel[j], MPTUN_A_TUNNEL_IFNAME, name)) {
			fake_fail(reply, EEXIST, NULL, NULL);
			return;
		}
	}
	fake_link_make(&fake_tunnel[i], (uint32_t)(100 + i), name, opts);
}

static void fake_dellink(uint32_t index, struct fake_reply *reply)
{
	bool found = false;

	for (int i = 0; i < FAKE_TUNNELS; i++) {
		if (fake_tunnel[i].used && fake_tunnel[i].ifindex == index) {
			memset(&fake_tunnel[i], 0, sizeof(fake_tunnel[i]));
			found = true;
		}
	}
	for (int i = 0; i < FAKE_PATHS; i++)
		if (fake_path[i].ifindex == index)
			memset(&fake_path[i], 0, sizeof(fake_path[i]));
	if (!found)
		fake_fail(reply, ENODEV, NULL, NULL);
}

static void fake_genl(const struct nlmsghdr *request, struct fake_reply *reply)
{
	const struct genlmsghdr *genl = NLMSG_DATA(request);
	const char *data = (const char *)genl + GENL_HDRLEN;
	size_t len = request->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN;
	const struct nlattr *bad = NULL;
	unsigned int maxattr;
	const char *text;
	bool privileged;

	if (!policy_command(genl->cmd, &maxattr, &privileged)) {
		fake_fail(reply, EOPNOTSUPP, NULL, NULL);
		return;
	}
	text = policy_check(genl->cmd, data, len, &bad);
	if (text) {
		fake_fail(reply, EINVAL, text, bad);
		return;
	}
	switch (genl->cmd) {
	case MPTUN_CMD_TUNNEL_GET:
		fake_tunnel_get(request, data, len, reply);
		break;
	case MPTUN_CMD_TUNNEL_SET:
		fake_tunnel_set(data, len, reply);
		break;
	case MPTUN_CMD_PATH_GET:
		fake_path_get(request, data, len, reply);
		break;
	case MPTUN_CMD_CLASS_GET:
		fake_class_get(request, data, len, reply);
		break;
	case MPTUN_CMD_CLASS_NEW:
	case MPTUN_CMD_CLASS_SET:
	case MPTUN_CMD_CLASS_DEL:
		fake_class_change(genl->cmd, data, len, reply);
		break;
	default:
		fake_path_change(genl->cmd, data, len, reply);
		break;
	}
}

void fake_request(const struct nlmsghdr *request, struct fake_reply *reply)
{
	const struct ifinfomsg *info = NLMSG_DATA(request);
	const char *data = (const char *)info + NLMSG_ALIGN(sizeof(*info));
	size_t len = request->nlmsg_len - NLMSG_HDRLEN -
		     NLMSG_ALIGN(sizeof(*info));

	if (request->nlmsg_type == FAKE_FAMILY)
		fake_genl(request, reply);
	else if (request->nlmsg_type == RTM_NEWLINK)
		fake_newlink(data, len, reply);
	else if (request->nlmsg_type == RTM_DELLINK)
		fake_dellink((uint32_t)info->ifi_index, reply);
	else
		fake_fail(reply, EOPNOTSUPP, NULL, NULL);
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
