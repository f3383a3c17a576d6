// SPDX-License-Identifier: GPL-2.0
/*
 * Text without secrets.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/mask.h"
#include "test/ktap.h"

static struct mask mask;

static bool masks(const char *line, const char *want)
{
	char out[400];

	mask_line(&mask, line, out, sizeof(out));
	if (strcmp(out, want))
		printf("# %s\n", out);
	return !strcmp(out, want);
}

static void test_addresses(void)
{
	memset(&mask, 0, sizeof(mask));
	ktap_check(masks("remote 198.51.100.7:4725 dev wwan0",
			 "remote PUBLIC-1:4725 dev wwan0"));
	ktap_check(masks("203.0.113.9/24 via 198.51.100.7",
			 "PUBLIC-2/24 via PUBLIC-1"));
	ktap_check(masks("[2001:db8::1]:4725 2001:db8::1 ::ffff:198.51.100.7",
			 "[PUBLIC-3]:4725 PUBLIC-3 PUBLIC-4"));
	ktap_check(masks("from:2001:DB8::2, (198.51.100.7)",
			 "from:PUBLIC-5, (PUBLIC-1)"));
	ktap_check(masks("2001:db8::2:", "PUBLIC-5:"));
	ktap_check(masks("fe80::1:2%lo/64", "HOST-6%lo/64"));
	ktap_check(masks("link/ether 02:00:5e:10:00:01 brd ff",
			 "link/ether HOST-7 brd ff"));
	ktap_check(masks("198.51.100.7.", "PUBLIC-1."));
	ktap_check(masks("198.51.100.7", "PUBLIC-1"));
}

/* In each form, and within other addresses and names */
static void test_hardware(void)
{
	memset(&mask, 0, sizeof(mask));
	ktap_check(masks("02:00:5e:10:00:01 02-00-5E-10-00-01 0200.5e10.0001",
			 "HOST-1 HOST-1 HOST-1"));
	ktap_check(masks("02:00:5e:10:00:01: 02-00-5e-10-00-01-, 0200.5e10.0001.",
			 "HOST-1: HOST-1-, HOST-1."));
	ktap_check(masks("2: enx02005e100001@if3: wlx0011223344ff up",
			 "2: enxHOST-1@if3: wlxHOST-2 up"));
	ktap_check(masks("path enx02005e100001: dev wwx02005e100002.",
			 "path enxHOST-1: dev wwxHOST-3."));
	ktap_check(masks("fd00:1::5eff:fe10:1/64 fd00:1::200:5eff:fe10:2",
			 "HOST-4/64 HOST-5"));
	ktap_check(masks("enx02005e10000 enx02005e1000011 enp0s31f6 enX0",
			 "enx02005e10000 enx02005e1000011 enp0s31f6 enX0"));
	ktap_check(masks("link/infiniband 80:00:02:08:fe:80:00:00:00:00:00:00:00:02:c9:03:00:31:77:f1 brd",
			 "link/infiniband HOST-6 brd"));
	ktap_check(masks("2026-11-28 01-02-03-04-05 0011.2233 fd00::ff:fe00",
			 "2026-11-28 01-02-03-04-05 0011.2233 fd00::ff:fe00"));
}

/* All that is no secret stays as it is. */
static void test_kept(void)
{
	static const char *const lines[] = {
		"", "\n", "10.1.2.3 172.16.0.1 172.31.255.255 192.168.0.1/16",
		"100.64.0.1 100.127.255.255 127.0.0.1 169.254.1.1 0.0.0.0",
		"224.0.0.1 239.255.255.255 255.255.255.255",
		":: ::1 fd00:1::7 fc00::/7 ff02::1",
		"09:01:33 up 3.2s, 6.1.0-13-amd64 version 0.1.0",
		"1.2.3 256.1.1.1 a:b:c", "mp0: path lte: up",
		"rx-bytes 123456789012345", "pid 77 paid 5 identity 8",
		"/usr/share/doc/mptun", "0x12345678", "[   12.345678] mptun:",
	};

	memset(&mask, 0, sizeof(mask));
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		ktap_checkf(masks(lines[i], lines[i]), "%s", lines[i]);
	ktap_check(masks("172.32.0.1 100.128.0.1", "PUBLIC-1 PUBLIC-2"));
}

static void test_keys(void)
{
	memset(&mask, 0, sizeof(mask));
	ktap_check(masks("Key = AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
			 "Key = KEY"));
	ktap_check(masks("Key=AAECAwQFBgcICQoLDA0O/+AREhMUFRYXGBkaGxwdHh8",
			 "Key=KEY"));
	ktap_check(masks("+/ECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=.",
			 "KEY."));
	ktap_check(masks("k 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f k",
			 "k KEY k"));
	ktap_check(masks("key-fingerprint 0xb1aebd2a0c0a5ba5  mtu-now 1420",
			 "key-fingerprint ID-1  mtu-now 1420"));
	ktap_check(masks("fingerprint b1aebd2a0c0a5ba5.",
			 "fingerprint ID-2."));
	ktap_check(masks("port 5000  id 7  peer-id 0x8  sched wrr",
			 "port 5000  id ID-3  peer-id ID-4  sched wrr"));
	ktap_check(masks("ID = 7", "ID = ID-3"));
	mask.paths = true;
	ktap_check(masks("    dev wwan0  id 3  port 4725 0xb1aebd2a0c0a5ba5",
			 "    dev wwan0  id 3  port 4725 ID-1"));
}

/* A long line is cut, not written beyond its end. */
static void test_room(void)
{
	char out[40], line[] = "198.51.100.7 198.51.100.7 198.51.100.7";

	memset(&mask, 0, sizeof(mask));
	mask_line(&mask, line, out, sizeof(out));
	ktap_check(strlen(out) < sizeof(out));
	ktap_check(!strstr(out, "198"));
}

/* Values beyond those that are distinguished are masked, too. */
static void test_many(void)
{
	char line[24], out[80];

	memset(&mask, 0, sizeof(mask));
	for (int i = 0; i < 2 * MASK_VALUES; i++) {
		snprintf(line, sizeof(line), "8.8.%d.%d", i / 256, i % 256);
		mask_line(&mask, line, out, sizeof(out));
		ktap_check(!strncmp(out, "PUBLIC-", 7));
		ktap_check(!strcmp(out, "PUBLIC-more") == (i >= MASK_VALUES));
	}
	ktap_check(mask.count == MASK_VALUES);
	ktap_check(masks("8.8.1.255 8.8.2.0 8.8.0.0",
			 "PUBLIC-512 PUBLIC-more PUBLIC-1"));
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "mask: addresses", test_addresses },
		{ "mask: hardware addresses", test_hardware },
		{ "mask: what is no secret stays", test_kept },
		{ "mask: keys, fingerprints and ids", test_keys },
		{ "mask: long lines", test_room },
		{ "mask: many values", test_many },
	};

	return ktap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
