// SPDX-License-Identifier: GPL-2.0
/*
 * A simulated kernel: its state.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Settings are kept as the attributes that came.
 */
#include <errno.h>
#include <netlink/msg.h>
#include <stdlib.h>
#include <string.h>

#include <linux/mptun.h>

#include "test/fake.h"
#include "test/fake_state.h"

struct fake_object fake_tunnel[FAKE_TUNNELS];
struct fake_object fake_path[FAKE_PATHS];
struct fake_object fake_class[FAKE_CLASSES];

void fake_store(struct fake_object *obj, uint16_t attr, const void *data,
		size_t len)
{
	if (attr >= FIELD_MAX || len > FAKE_BLOB)
		abort();
	obj->blob[attr].len = len;
	memcpy(obj->blob[attr].data, data, len);
}

/* All attributes but one of them, 0 for none. */
void fake_store_all(struct fake_object *obj, const void *data, size_t len,
		    int secret)
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

void fake_fail(struct fake_reply *reply, int errnum, const char *text,
	       const struct nlattr *attr)
{
	reply->errnum = errnum;
	reply->text = text;
	reply->attr = attr;
}

bool fake_equal(const struct fake_object *obj, uint16_t attr,
		const struct nlattr *want)
{
	return obj->used && want && obj->blob[attr].len &&
	       !strcmp(obj->blob[attr].data, nla_data(want));
}

struct fake_object *fake_tunnel_by(const void *data, size_t len, uint16_t attr,
				   struct fake_reply *reply)
{
	const struct nlattr *name = fake_find(data, len, attr);

	for (int i = 0; i < FAKE_TUNNELS; i++)
		if (fake_equal(&fake_tunnel[i], MPTUN_A_TUNNEL_IFNAME, name))
			return &fake_tunnel[i];
	fake_fail(reply, ENODEV, "no such tunnel", name);
	return NULL;
}

struct fake_object *fake_path_by(const struct fake_object *tunnel,
				 const struct nlattr *name)
{
	for (int i = 0; i < FAKE_PATHS; i++)
		if (fake_path[i].ifindex == tunnel->ifindex &&
		    fake_equal(&fake_path[i], MPTUN_A_PATH_NAME, name))
			return &fake_path[i];
	return NULL;
}

struct fake_object *fake_class_by(const struct fake_object *tunnel,
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
