// SPDX-License-Identifier: GPL-2.0
/*
 * A simulated kernel: changes of tunnels, paths and classes.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <errno.h>
#include <netlink/msg.h>
#include <stdlib.h>
#include <string.h>

#include <linux/mptun.h>

#include "test/fake.h"
#include "test/fake_state.h"

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

void fake_tunnel_set(const void *data, size_t len, struct fake_reply *reply)
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

void fake_path_change(uint8_t cmd, const void *data, size_t len,
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

/* Nothing is checked but whether it is there, that is the kernel's part. */
void fake_class_change(uint8_t cmd, const void *data, size_t len,
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
