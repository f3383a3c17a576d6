/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A simulated kernel: answers the requests of mptunctl in tests.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Requests are checked with the kernel's own policies.  Those that change
 * something are appended to the file MPTUN_FAKE and replayed at the next
 * start, so that several runs of the tool see one state.  The environment
 * arranges trouble:
 *   MPTUN_FAKE_FAMILY=none  the module is not loaded
 *   MPTUN_FAKE_ERROR=N      changes fail with errno N and no text
 *   MPTUN_FAKE_INTR=N       the first N dumps are interrupted
 *   MPTUN_FAKE_FAIL=N       all dumps after the first N are interrupted
 *   MPTUN_FAKE_GROW=N       bytes sent over paths named wan1 grow by N from
 *                           dump to dump
 *   MPTUN_FAKE_GONE=N       tunnel mp1 does not exist in every Nth dump
 *   MPTUN_FAKE_FIGURES=LIST figures, as NAME=N or SET.NAME=N with commas
 *                           between them; "all" are those that are not made up
 *                           better
 *   MPTUN_FAKE_USER=1       addresses of paths are not reported
 *   MPTUN_FAKE_ROOT=FOLDER  stands for /, see fake_net.c
 *   MPTUN_FAKE_SIGNAL=N     SIGINT comes when the Nth file has got another name
 *   MPTUN_FAKE_SECRET=XEH   at its end the program looks for a key in its own
 *                           memory, and fails with status 97 if it is there;
 *                           this is the key in hexadecimal digits, backwards;
 *                           random numbers are this key, too
 *   MPTUN_FAKE_KEEP=1       the kernel keeps the key, so that it is there
 */
#ifndef MPTUN_TOOLS_FAKE_H
#define MPTUN_TOOLS_FAKE_H

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ids of the family, and of both its multicast groups. */
#define FAKE_FAMILY 0x42
#define FAKE_GROUP 16

/**
 * struct fake_reply - answer to a request
 * @errnum: a positive errno, 0 for success
 * @text: extended acknowledgement, or NULL
 * @attr: attribute of the request it is about, or NULL
 */
struct fake_reply {
	int errnum;
	const char *text;
	const struct nlattr *attr;
};

/**
 * fake_begin() - begin a message of the answer
 * @type: its type
 * @cmd: its generic netlink command
 * @flags: its flags
 */
void fake_begin(uint16_t type, uint8_t cmd, uint16_t flags);

/**
 * fake_begin_head() - begin a message of another family
 * @type: its type
 * @flags: its flags
 * @head: its header
 * @len: length of @head
 */
void fake_begin_head(uint16_t type, uint16_t flags, const void *head,
		     size_t len);

/**
 * fake_put() - append an attribute to the message
 * @attr: its type
 * @data: its payload
 * @len: length of @data
 */
void fake_put(uint16_t attr, const void *data, size_t len);

/* Begin and end a nest; fake_nest() returns where it begins. */
size_t fake_nest(uint16_t attr);
void fake_nest_end(size_t start);

/* Complete the message. */
void fake_end(void);

/**
 * fake_request() - answer a request to the family of mptun, or for a link
 * @request: the request
 * @reply: filled in
 */
void fake_request(const struct nlmsghdr *request, struct fake_reply *reply);

/**
 * fake_events() - send what a listener is to see
 */
void fake_events(void);

/**
 * fake_find() - find an attribute
 * @data: the attributes
 * @len: length of @data
 * @type: its type
 *
 * Return: the attribute, or NULL.
 */
const struct nlattr *fake_find(const void *data, size_t len, uint16_t type);

/**
 * fake_memory_touch() - demand that a buffer is wiped until the end
 * @what: what was done with it: "read", "sent"
 * @data: where it is
 * @len: its length
 */
void fake_memory_touch(const char *what, const void *data, size_t len);

/**
 * fake_memory_keep() - keep a key in memory, if the environment says so
 * @key: the key
 */
void fake_memory_keep(const unsigned char *key);

/* Something was written, and a file has got the name by which it is found. */
void fake_disk_written(void);
void fake_disk_named(const char *name);

/* Requests of earlier runs, which are in a file, once. */
void fake_replay(void);

#endif /* MPTUN_TOOLS_FAKE_H */
