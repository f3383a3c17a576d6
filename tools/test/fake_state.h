/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A simulated kernel: its state, and the handlers of requests.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_FAKE_STATE_H
#define MPTUN_TOOLS_FAKE_STATE_H

#include <stdbool.h>

#include "lib/field.h"
#include "test/fake.h"

#define FAKE_TUNNELS 4
#define FAKE_PATHS 8
#define FAKE_CLASSES 8
#define FAKE_BLOB 128
#define FAKE_ADDRESSES 4

struct fake_blob {
	size_t len;
	char data[FAKE_BLOB];
};

/**
 * struct fake_object - a tunnel, a path or a class
 * @used: it exists
 * @ifindex: the tunnel that it is, or belongs to
 * @up: of a tunnel: its interface is up
 * @addr: of a tunnel: its addresses, with their length in bytes
 * @blob: attributes by their type, as they came
 */
struct fake_object {
	bool used;
	uint32_t ifindex;
	bool up;
	struct {
		size_t len;
		unsigned char data[16];
	} addr[FAKE_ADDRESSES];
	struct fake_blob blob[FIELD_MAX];
};

/* fake_state.c: all objects. */
extern struct fake_object fake_tunnel[FAKE_TUNNELS];
extern struct fake_object fake_path[FAKE_PATHS];
extern struct fake_object fake_class[FAKE_CLASSES];

void fake_store(struct fake_object *obj, uint16_t attr, const void *data,
		size_t len);
void fake_store_all(struct fake_object *obj, const void *data, size_t len,
		    int secret);
void fake_fail(struct fake_reply *reply, int errnum, const char *text,
	       const struct nlattr *attr);
bool fake_equal(const struct fake_object *obj, uint16_t attr,
		const struct nlattr *want);
struct fake_object *fake_tunnel_by(const void *data, size_t len, uint16_t attr,
				   struct fake_reply *reply);
struct fake_object *fake_path_by(const struct fake_object *tunnel,
				 const struct nlattr *name);
struct fake_object *fake_class_by(const struct fake_object *tunnel,
				  const struct nlattr *id);

/* fake_get.c: objects as messages. */
void fake_tunnel_get(const struct nlmsghdr *request, const void *data,
		     size_t len, struct fake_reply *reply);
void fake_path_get(const struct nlmsghdr *request, const void *data, size_t len,
		   struct fake_reply *reply);
void fake_class_get(const struct nlmsghdr *request, const void *data,
		    size_t len, struct fake_reply *reply);

/* fake_set.c: changes of objects. */
void fake_tunnel_set(const void *data, size_t len, struct fake_reply *reply);
void fake_path_change(uint8_t cmd, const void *data, size_t len,
		      struct fake_reply *reply);
void fake_class_change(uint8_t cmd, const void *data, size_t len,
		       struct fake_reply *reply);

/* fake_link.c: tunnels come and go. */
void fake_newlink(const void *data, size_t len, struct fake_reply *reply);
void fake_dellink(uint32_t index, const struct nlattr *name,
		  struct fake_reply *reply);
void fake_setlink(uint32_t index, unsigned int flags, struct fake_reply *reply);
void fake_newaddr(uint32_t index, const void *data, size_t len,
		  struct fake_reply *reply);

/* fake_net.c: devices, addresses and routes of the machine. */
void fake_net_dump(uint16_t type);
void fake_net_route(const void *data, size_t len, struct fake_reply *reply);

#endif /* MPTUN_TOOLS_FAKE_STATE_H */
