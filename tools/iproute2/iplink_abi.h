/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface between the ip command of iproute2 and its plugins.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * No installed header declares this interface.  The struct has had this
 * layout since iproute2 4.20; it and the functions are the same in 5.10, 6.1,
 * 6.12 and 7.1.  The plugin is loaded by "ip" itself, which exports the
 * functions; it is named link_KIND.so and exports KIND_link_util.
 *
 * matches() changed its type between 6.1 and 6.12 and is not declared here.
 */
#ifndef MPTUN_TOOLS_IPLINK_ABI_H
#define MPTUN_TOOLS_IPLINK_ABI_H

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/**
 * struct link_util - a kind of link
 * @next: used by ip
 * @id: name of the kind
 * @maxattr: highest attribute of IFLA_INFO_DATA
 * @parse_opt: take the words after the kind, append attributes; called only
 *	if there are words; returns -1 on failure
 * @print_opt: print the settings for "ip -d"; @tb is NULL without data
 * @print_xstats: print statistics of the kind, or NULL
 * @print_help: print the help of "ip link help KIND"
 * @parse_ifla_xstats: or NULL
 * @print_ifla_xstats: or NULL
 */
struct link_util {
	struct link_util *next;
	const char *id;
	int maxattr;
	int (*parse_opt)(struct link_util *lu, int argc, char **argv,
			 struct nlmsghdr *n);
	void (*print_opt)(struct link_util *lu, FILE *f, struct rtattr *tb[]);
	void (*print_xstats)(struct link_util *lu, FILE *f,
			     struct rtattr *xstats);
	void (*print_help)(struct link_util *lu, int argc, char **argv,
			   FILE *f);
	int (*parse_ifla_xstats)(struct link_util *lu, int argc, char **argv);
	int (*print_ifla_xstats)(struct nlmsghdr *n, void *arg);
};

/* Whether a value is printed as text, in JSON, or in both. */
enum output_type {
	PRINT_FP = 1,
	PRINT_JSON = 2,
	PRINT_ANY = 4,
};

/* Only the one used here. */
enum color_attr {
	COLOR_NONE = 6,
};

int addattr_l(struct nlmsghdr *n, int maxlen, int type, const void *data,
	      int alen);
int print_color_string(enum output_type type, enum color_attr color,
		       const char *key, const char *fmt, const char *value);
int print_color_u64(enum output_type type, enum color_attr color,
		    const char *key, const char *fmt, uint64_t value);
int print_color_bool(enum output_type type, enum color_attr color,
		     const char *key, const char *fmt, bool value);

#endif /* MPTUN_TOOLS_IPLINK_ABI_H */
