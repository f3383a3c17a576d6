// SPDX-License-Identifier: GPL-2.0
/*
 * The plugin of ip-link, loaded as ip loads it.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Usage: test_plugin link_mptun.so
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <stdarg.h>

#include <linux/mptun_link.h>

#include "iproute2/iplink_abi.h"
#include "test/ktap.h"

static struct link_util *lu;
static char printed[1024];
static bool in_json;

/* What ip offers to plugins. */
int addattr_l(struct nlmsghdr *n, int maxlen, int type, const void *data,
	      int alen)
{
	struct rtattr *attr;
	int len = (int)RTA_LENGTH(alen);

	if ((int)NLMSG_ALIGN(n->nlmsg_len) + (int)RTA_ALIGN(len) > maxlen)
		return -1;
	attr = (struct rtattr *)((char *)n + NLMSG_ALIGN(n->nlmsg_len));
	attr->rta_type = (unsigned short)type;
	attr->rta_len = (unsigned short)len;
	if (alen)
		memcpy(RTA_DATA(attr), data, (size_t)alen);
	n->nlmsg_len = NLMSG_ALIGN(n->nlmsg_len) + RTA_ALIGN((unsigned)len);
	return 0;
}

__attribute__((format(printf, 1, 2)))
static void print(const char *fmt, ...)
{
	size_t len = strlen(printed);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(printed + len, sizeof(printed) - len, fmt, ap);
	va_end(ap);
}

static bool wanted(enum output_type type)
{
	return type == PRINT_ANY || type == (in_json ? PRINT_JSON : PRINT_FP);
}

int print_color_string(enum output_type type, enum color_attr color,
		       const char *key, const char *fmt, const char *value)
{
	if (!wanted(type) || color != COLOR_NONE)
		return 0;
	if (in_json) {
		print("\"%s\":\"%s\",", key, value);
	} else {
		const char *at = strstr(fmt, "%s");

		print("%.*s%s%s", (int)(at - fmt), fmt, value, at + 2);
	}
	return 0;
}

int print_color_u64(enum output_type type, enum color_attr color,
		    const char *key, const char *fmt, uint64_t value)
{
	(void)fmt;
	if (wanted(type) && color == COLOR_NONE)
		print("\"%s\":%llu,", key, (unsigned long long)value);
	return 0;
}

int print_color_bool(enum output_type type, enum color_attr color,
		     const char *key, const char *fmt, bool value)
{
	(void)fmt;
	if (wanted(type) && color == COLOR_NONE)
		print("\"%s\":%s,", key, value ? "true" : "false");
	return 0;
}

static struct {
	struct nlmsghdr hdr;
	char room[1024];
} message;

static int parse(const char *line)
{
	char copy[400], *words[40], *word;
	int count = 0;

	memset(&message, 0, sizeof(message));
	message.hdr.nlmsg_len = NLMSG_LENGTH(0);
	snprintf(copy, sizeof(copy), "%s", line);
	for (word = strtok(copy, " "); word; word = strtok(NULL, " "))
		words[count++] = word;
	return lu->parse_opt(lu, count, words, &message.hdr);
}

static const char *show(bool json)
{
	struct rtattr *tb[IFLA_MPTUN_MAX + 1] = { NULL };
	struct rtattr *attr = NLMSG_DATA(&message.hdr);
	int len = (int)message.hdr.nlmsg_len - (int)NLMSG_LENGTH(0);

	for (; RTA_OK(attr, len); attr = RTA_NEXT(attr, len))
		tb[attr->rta_type] = attr;
	printed[0] = '\0';
	in_json = json;
	lu->print_opt(lu, stdout, tb);
	return printed;
}

/* What is printed is what was typed. */
static void test_round_trip(void)
{
	const char *line = "port 4726 id 7 peer-id 4294967295 cipher clear sched wrr cc fixed reorder adaptive hold 200ms buffer 16m learn on rekey 120s dscp 46 park 10 auto-group on fwmark 51820 frag on mss-clamp auto follow off psmc-factor 300 psmc-period 50ms ";

	ktap_check(!parse(line));
	ktap_checkf(!strcmp(show(false), line), "%s", printed);
	ktap_checkf(!strcmp(show(true),
			    "\"port\":4726,\"id\":7,\"peer_id\":4294967295,"
			    "\"cipher\":\"clear\",\"sched\":\"wrr\","
			    "\"cc\":\"fixed\",\"reorder\":\"adaptive\","
			    "\"hold\":200000,\"buffer\":16777216,"
			    "\"learn\":true,\"rekey\":120,\"dscp\":46,"
			    "\"park\":10,\"auto_group\":true,"
			    "\"fwmark\":51820,"
			    "\"frag\":\"on\",\"mss_clamp\":\"auto\","
			    "\"follow\":false,\"psmc_factor\":300,"
			    "\"psmc_period\":50000,"),
		    "%s", printed);
}

static void test_each_alone(void)
{
	static const char *const lines[] = {
		"port 1 ", "id 1 ", "peer-id 9 ", "sched greedy ",
		"sched auto ", "cc newreno ", "reorder off ", "reorder psmc ", "hold 0 ",
		"hold 1.5ms ", "buffer 65537 ", "learn off ",
		"cipher chacha20-poly1305 ", "cipher aes-gcm ",
		"cipher auth-only ", "rekey 1s ", "rekey 86400s ",
		"dscp 0 ", "dscp 63 ", "dscp inherit ",
		"park 1 ", "park 1000 ", "park off ",
		"auto-group on ", "auto-group off ", "fwmark 4294967295 ",
		"frag auto ", "frag off ", "mss-clamp off ",
		"follow on ", "psmc-factor 100 ", "psmc-factor 10000 ",
		"psmc-period 10ms ", "psmc-period 600s ",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		ktap_checkf(!parse(lines[i]), "%s", lines[i]);
		ktap_checkf(!strcmp(show(false), lines[i]), "%s", printed);
	}
}

static void test_refused(void)
{
	static const char *const lines[] = {
		"port", "port 0", "port 65536", "id 0", "cipher none",
		"cipher 2", "rekey 0", "rekey 86401s", "rekey 1ms",
		"hold 50", "hold 2s", "learn maybe", "paths 3",
		"port 1 port 2", "remote 192.0.2.1", "dscp 64", "dscp af15",
		"park 1001", "auto-group 1", "frag maybe",
		"mss-clamp on", "follow 1", "psmc-factor 99",
		"psmc-factor 10001", "psmc-period 9ms", "psmc-period 601s",
	};

	/* The sentences are for the user; here they would be in the way. */
	if (!freopen("/dev/null", "w", stderr))
		ktap_check(!"stderr");
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		ktap_checkf(parse(lines[i]) == -1, "%s", lines[i]);
}

/* Without data, and with data of an unexpected form. */
static void test_foreign(void)
{
	struct nlmsghdr *n = &message.hdr;

	memset(&message, 0, sizeof(message));
	n->nlmsg_len = NLMSG_LENGTH(0);
	addattr_l(n, sizeof(message), IFLA_MPTUN_PORT, "abcd", 4);
	addattr_l(n, sizeof(message), IFLA_MPTUN_SCHED, "ab", 2);
	addattr_l(n, sizeof(message), IFLA_MPTUN_CC, NULL, 0);
	ktap_checkf(!*show(false), "%s", printed);
	lu->print_opt(lu, stdout, NULL);
	ktap_checkf(!*printed, "%s", printed);
}

static void test_help(void)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	lu->print_help(lu, 0, NULL, file);
	fclose(file);
	ktap_check(strstr(text, "peer-id N") && strstr(text, "64k..256m") &&
		   strstr(text, "1s..86400s"));
	free(text);
}

int main(int argc, char **argv)
{
	static const struct ktap_test tests[] = {
		{ "plugin: what is printed is what was typed",
		  test_round_trip },
		{ "plugin: each setting alone", test_each_alone },
		{ "plugin: refused words", test_refused },
		{ "plugin: unexpected data", test_foreign },
		{ "plugin: help", test_help },
	};
	void *lib = argc > 1 ? dlopen(argv[1], RTLD_LAZY) : NULL;
	int status;

	lu = lib ? dlsym(lib, "mptun_link_util") : NULL;
	if (!lu || strcmp(lu->id, "mptun")) {
		printf("Bail out! %s\n", lib ? "no plugin" : dlerror());
		return 1;
	}
	status = ktap_run(tests, sizeof(tests) / sizeof(tests[0]));
	dlclose(lib);
	return status;
}
