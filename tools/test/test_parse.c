// SPDX-License-Identifier: GPL-2.0
/*
 * Parsing and printing of values.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <inttypes.h>
#include <stdlib.h>

#include <linux/mptun.h>
#include <linux/mptun_link.h>

#include "lib/format.h"
#include "lib/keyword.h"
#include "lib/words.h"
#include "test/ktap.h"

/* A word, and the number it must give; none if it must be refused. */
struct number {
	const char *word;
	bool good;
	uint64_t num;
};

#define GOOD(word, num) { (word), true, (num) }
#define BAD(word) { (word), false, 0 }

static const struct number times[] = {
	GOOD("0", 0), GOOD("0s", 0), GOOD("1us", 1),
	GOOD("50ms", 50000), GOOD("1s", 1000000),
	GOOD("0.5s", 500000), GOOD("1.5ms", 1500),
	GOOD("0.000001s", 1), GOOD("50MS", 50000),
	GOOD("001ms", 1000),
	BAD("50"), BAD(""), BAD("ms"), BAD("-1ms"),
	BAD("+1ms"), BAD(" 1ms"), BAD("1ms "),
	BAD("1 ms"), BAD("1.ms"), BAD(".5ms"),
	BAD("1.5us"), BAD("0.0000001s"), BAD("1.0000000000s"),
	GOOD("0.0000001d", 8640), GOOD("0.0001h", 360000),
	GOOD("0.01m", 600000),
	BAD("1s1ms"), BAD("1m"), BAD("0x10ms"), BAD("1h"), BAD("1min"),
	BAD("0.000000001d"), BAD("18446744073709551615d"),
	BAD("1000001us"), BAD("1.1s"),
	BAD("99999999999999999999s"), BAD("18446744073709551615s"),
	BAD("18446744073709551615us"), BAD("nan"),
	BAD("1e3us"),
};

static const struct number spans[] = {
	GOOD("1", 1000000), GOOD("0.5", 500000), GOOD("500ms", 500000),
	GOOD("100000us", 100000), GOOD("2s", 2000000), GOOD("3600", 3600000000),
	GOOD("10m", 600000000), GOOD("1h", 3600000000),
	BAD("0"), BAD("0.05"), BAD("3601"), BAD("1d"), BAD("s"), BAD(""),
	BAD("-1"), BAD("0.1234567"), BAD("1 s"),
};

static const struct number seconds[] = {
	GOOD("1", 1), GOOD("1s", 1), GOOD("120", 120), GOOD("120S", 120),
	GOOD("86400s", 86400),
	GOOD("2m", 120), GOOD("0.5h", 1800), GOOD("1d", 86400),
	GOOD("2000ms", 2), GOOD("1.0s", 1),
	BAD("0"), BAD("0s"), BAD("86401"), BAD("1.5"), BAD("5ms"), BAD("2d"),
	BAD("s"), BAD("-1"), BAD(""), BAD("18446744073709551617"),
};

/* Numbers and words: the largest value is the word's alone. */
static const struct number keepalives[] = {
	GOOD("auto", 0), GOOD("0", 0), GOOD("10s", 10),
	GOOD("65534", 65534), GOOD("off", 65535),
	BAD("65535"), BAD("65535s"), BAD("on"), BAD("Off"), BAD("none"),
};

static const struct number sizes[] = {
	GOOD("65536", 65536), GOOD("64k", 65536),
	GOOD("16m", 16777216), GOOD("0.25g", 268435456),
	GOOD("1.5m", 1572864), GOOD("16M", 16777216),
	GOOD("16mb", 16000000), GOOD("16MiB", 16777216),
	BAD("65535"), BAD("63k"), BAD("257m"),
	BAD("16bit"), BAD("16q"), BAD("0"), BAD(""),
	BAD("0x10000"), BAD("65536.5"),
	BAD("18446744073709551616"), BAD("17179869184g"),
};

static const struct number volumes[] = {
	GOOD("0", 0), GOOD("none", 0), GOOD("1", 1),
	GOOD("50gb", 50000000000), GOOD("1.5GB", 1500000000),
	GOOD("1kib", 1024), GOOD("0.5gib", 536870912),
	GOOD("0.000000001gb", 1), GOOD("18446744073709551615", UINT64_MAX),
	GOOD("18446744073.709551615gb", UINT64_MAX),
	BAD("18446744073.709551616gb"), BAD("18446744073709551616"),
	GOOD("1tb", 1000000000000), GOOD("2t", 2199023255552),
	GOOD("1g", 1073741824), GOOD("1.5tib", 1649267441664),
	GOOD("16777215.999999999tb", 16777215999999999000u),
	BAD("17179869184gib"), BAD("0.3kib"), BAD("1.5"),
	BAD("16777216t"), BAD("gb"), BAD(""), BAD("-1"),
};

static const struct number rates[] = {
	GOOD("0", 0), GOOD("none", 0), GOOD("1bit", 1),
	GOOD("20mbit", 20000000), GOOD("1.5mbit", 1500000),
	GOOD("1gbit", 1000000000), GOOD("0.000000001gbit", 1),
	GOOD("18446744073709551615bit", UINT64_MAX),
	GOOD("18446744073.709551615gbit", UINT64_MAX),
	GOOD("1.5tbit", 1500000000000),
	BAD("18446744073.709551616gbit"), GOOD("20Mbit", 20000000),
	BAD("20"), BAD("20mbps"), BAD("20m"),
	BAD("1.5bit"), BAD("18446744073709551616bit"),
	BAD("mbit"),
};

static const struct number ports[] = {
	GOOD("1", 1), GOOD("65535", 65535), GOOD("0x1275", 4725),
	BAD("0"), BAD("65536"), BAD("-1"), BAD(""),
	BAD("0x"), BAD("1.0"), BAD("1 "), BAD("ssh"),
	BAD("18446744073709551617"), BAD("0x10000000000000001"),
};

static const struct parse_key *key(const struct parse_table *table,
				   const char *word)
{
	int index = parse_find(table, word);

	if (index < 0) {
		printf("Bail out! no keyword %s\n", word);
		exit(1);
	}
	return &table->keys[index];
}

static void check_numbers(const struct parse_key *k,
			  const struct number *list, size_t count)
{
	char error[PARSE_ERROR_MAX];
	struct parse_value val;

	for (size_t i = 0; i < count; i++) {
		int err = parse_word(k, list[i].word, &val, error);

		ktap_checkf(list[i].good == !err, "%s \"%s\"", k->word,
			   list[i].word);
		if (!err)
			ktap_checkf(val.num == list[i].num,
				   "%s \"%s\": %" PRIu64, k->word,
				   list[i].word, val.num);
		else
			ktap_checkf(strstr(error, k->word) == error,
				   "\"%s\"", error);
	}
}

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static void test_times(void)
{
	check_numbers(key(&keyword_set, "hold"), times, COUNT(times));
}

static void test_spans(void)
{
	check_numbers(key(&keyword_top, "-i"), spans, COUNT(spans));
}

static void test_seconds(void)
{
	check_numbers(key(&keyword_set, "rekey"), seconds, COUNT(seconds));
	check_numbers(key(&keyword_path, "keepalive"), keepalives,
		      COUNT(keepalives));
}

static void test_sizes(void)
{
	check_numbers(key(&keyword_set, "buffer"), sizes, COUNT(sizes));
}

static void test_volumes(void)
{
	check_numbers(key(&keyword_path, "cap"), volumes, COUNT(volumes));
}

static void test_rates(void)
{
	check_numbers(key(&keyword_path, "rate"), rates, COUNT(rates));
}

static void test_integers(void)
{
	check_numbers(key(&keyword_link, "port"), ports, COUNT(ports));
}

/* What is printed exactly must be read back as the same number. */
static void check_round(const struct parse_key *k,
			const char *(*format)(uint64_t, char *), uint64_t num)
{
	struct parse_key wide = *k;
	char error[PARSE_ERROR_MAX], buf[FORMAT_MAX];
	struct parse_value val;

	wide.min = 0;
	wide.max = UINT64_MAX;
	format(num, buf);
	ktap_check(strlen(buf) < FORMAT_MAX - 1);
	ktap_checkf(!parse_word(&wide, buf, &val, error), "%s", error);
	ktap_checkf(val.num == num, "%s is not %" PRIu64, buf, num);
}

static void test_round_trip(void)
{
	uint64_t x = 88172645463325252u;

	for (int i = 0; i < 100000 && !ktap_failed; i++) {
		uint64_t num;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		num = x >> (i % 64);
		if (i % 3 == 0)
			num -= num % 1000;
		check_round(key(&keyword_set, "hold"), format_time, num);
		check_round(key(&keyword_set, "rekey"), format_seconds,
			    num & UINT32_MAX);
		check_round(key(&keyword_set, "buffer"), format_size, num);
		check_round(key(&keyword_path, "cap"), format_volume, num);
		check_round(key(&keyword_path, "rate"), format_rate, num);
	}
}

static void check_text(const char *got, const char *want)
{
	ktap_checkf(!strcmp(got, want), "\"%s\" is not \"%s\"", got, want);
}

static void test_format(void)
{
	char buf[FORMAT_MAX];

	check_text(format_time(0, buf), "0");
	check_text(format_time(200000, buf), "200ms");
	check_text(format_time(1500, buf), "1.5ms");
	check_text(format_seconds(0, buf), "0s");
	check_text(format_seconds(86400, buf), "86400s");
	check_text(format_size(16777216, buf), "16m");
	check_text(format_size(65537, buf), "65537");
	check_text(format_size(0, buf), "0");
	check_text(format_volume(50000000000, buf), "50gb");
	check_text(format_volume(1234, buf), "1.234kb");
	check_text(format_rate(20000000, buf), "20mbit");
	check_text(format_rate(12345678, buf), "12.345678mbit");
	check_text(format_time_short(12345, buf), "12.3ms");
	check_text(format_time_short(999, buf), "999us");
	check_text(format_time_short(1005, buf), "1.00ms");
	check_text(format_size_short(1536, buf), "1.50k");
	check_text(format_size_short(123456789012, buf), "114g");
	check_text(format_rate_short(94700000, buf), "94.7mbit");
	check_text(format_rate_short(UINT64_MAX, buf), "18446744073gbit");
	check_text(format_age(3200, buf), "3.2s");
	check_text(format_age(125000, buf), "2m05s");
	check_text(format_age(3720000, buf), "1h02m");
	check_text(format_age(93600000, buf), "1d02h");
	check_text(format_ppm(12345, buf), "1.23%");
	check_text(format_ppm(12350, buf), "1.24%");
	check_text(format_ppm(1000000, buf), "100.00%");
}

static void test_addresses(void)
{
	static const char *const bad[] = {
		"", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.4/8",
		":", "::g", "1.2.3.4%eth0", "fe80::1%", "fe80::1%a/b",
		"fe80::1%0123456789012345", "host..example", "-host", "1.2",
		"0x7f.1", "10.0x1", "host.example.7", "host%eth0", "a b", ".",
		"1.2.3.4.1.2.3.4.1.2.3.4.1.2.3.4.1.2.3.4.1.2.3.4.1.2.3.4.1.2.3",
	};
	const struct parse_key *remote = key(&keyword_path, "remote");
	const struct parse_key *local = key(&keyword_path, "local");
	char error[PARSE_ERROR_MAX];
	struct parse_value val;

	ktap_check(!parse_word(remote, "198.51.100.7", &val, error) &&
		   val.family == 4 && val.addr[0] == 198 && val.addr[3] == 7);
	ktap_check(!parse_word(remote, "2001:db8::1", &val, error) &&
		   val.family == 6 && val.addr[15] == 1 && !val.text[0]);
	ktap_check(!parse_word(remote, "fe80::1%wan0", &val, error) &&
		   val.family == 6 && !strcmp(val.text, "wan0"));
	ktap_check(!parse_word(local, "any", &val, error) && val.set &&
		   !val.family);
	ktap_check(parse_word(local, "fe80::1%wan0", &val, error));
	ktap_check(!parse_word(remote, "2001:db8::1", &val, error) &&
		   !val.word);
	ktap_check(!parse_word(remote, "vpn-1.example.", &val, error) &&
		   !val.family && !strcmp(val.word, "vpn-1.example."));
	ktap_check(!parse_word(remote, "4server", &val, error) && val.word);
	ktap_check(parse_word(local, "vpn-1.example", &val, error));
	for (size_t i = 0; i < COUNT(bad); i++)
		ktap_checkf(parse_word(remote, bad[i], &val, error), "\"%s\"",
			   bad[i]);
}

static void test_prefixes(void)
{
	static const char *const bad[] = {
		"", ",", "10.0.0.0/8,", ",10.0.0.0/8", "10.0.0.0/33", "10/8",
		"10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/0x8", "10.0.0.0/8/8",
		"fd00::/129", "fd00::/8 ", "10.0.0.0/8,,fd00::/8", "fe80::1%lo",
		"::/99999999999999999999999", "none",
	};
	const struct parse_key *allowed = key(&keyword_set, "allowed-ips");
	unsigned char data[MPTUN_ALLOWED_IPS_MAX * PARSE_PREFIX_LEN];
	char error[PARSE_ERROR_MAX], many[2048] = "10.0.0.0/8";
	struct parse_value val;
	size_t len;

	ktap_check(!parse_word(allowed, "any", &val, error) && !val.word);
	ktap_check(!parse_word(allowed, "10.0.0.0/8,fd00::/8", &val, error) &&
		   !parse_prefixes(allowed, val.word, data, &len, error) &&
		   len == 40 && data[0] == 4 && data[1] == 8 &&
		   data[4] == 10 && data[20] == 6 && data[21] == 8 &&
		   data[24] == 0xfd);
	ktap_check(!parse_prefixes(allowed, "::1", data, &len, error) &&
		   data[1] == 128 && data[19] == 1);
	ktap_check(!parse_prefixes(allowed, "0.0.0.0/0", data, &len, error) &&
		   data[0] == 4 && !data[1]);
	for (size_t i = 0; i < COUNT(bad); i++)
		ktap_checkf(parse_word(allowed, bad[i], &val, error), "\"%s\"",
			    bad[i]);
	for (int i = 1; i < MPTUN_ALLOWED_IPS_MAX; i++)
		strcat(many, ",10.0.0.0/8");
	ktap_check(!parse_prefixes(allowed, many, data, &len, error) &&
		   len == sizeof(data));
	strcat(many, ",::/0");
	ktap_check(parse_prefixes(allowed, many, data, &len, error));
}

static void test_names(void)
{
	static const char *const bad[] = {
		"", "0123456789012345", "a b", "a/b", "-j", ".", "..",
		"a\tb", "a\033[1m",
	};
	char error[PARSE_ERROR_MAX];

	ktap_check(!parse_path_name("wan1", error));
	ktap_check(!parse_path_name("012345678901234", error));
	ktap_check(!parse_path_name("a:b", error));
	ktap_check(!parse_dev_name("mp0.7", error));
	ktap_check(parse_dev_name("mp0:1", error));
	for (size_t i = 0; i < COUNT(bad); i++) {
		ktap_checkf(parse_path_name(bad[i], error), "\"%s\"", bad[i]);
		ktap_checkf(parse_dev_name(bad[i], error), "\"%s\"", bad[i]);
		for (const char *p = error; *p; p++)
			ktap_checkf(*p >= ' ' && *p < 127, "%d", *p);
	}
}

/* Words that must be refused, and what must be said. */
static const struct {
	const char *words[6];
	const char *error;
} wrong[] = {
	{ { "hodl", "1s" },
	  "unknown keyword \"hodl\", did you mean \"hold\"?" },
	{ { "nonesuch", "1s" },
	  "unknown keyword \"nonesuch\", known are key, key-grace, sched, cc, reorder, hold, buffer, psmc-factor, psmc-period, learn, follow, rekey, dscp, park, auto-group, fwmark, allowed-ips, mtu, frag, mss-clamp" },
	{ { "hold" }, "\"hold\" needs a value (TIME)" },
	{ { "hold", "2s" }, "hold 2s is out of range (0..1s)" },
	{ { "hold", "5" }, "hold \"5\" lacks a unit (us, ms, s, m, h or d)" },
	{ { "hold", "5w" }, "hold \"5w\" has an unknown unit (us, ms, s, m, h or d)" },
	{ { "hold", "5h" }, "hold 5h is out of range (0..1s)" },
	{ { "hold", "1.5us" }, "hold \"1.5us\" is not a multiple of the smallest unit (us, ms, s, m, h or d)" },
	{ { "hold", "1s", "hold", "1s" }, "\"hold\" is given twice" },
	{ { "learn", "yes" }, "learn must be on or off, not \"yes\"" },
	{ { "reorder", "fast" },
	  "reorder must be off, fixed, adaptive or psmc, not \"fast\"" },
	{ { "sched", "" }, "name after \"sched\" must not be empty" },
	{ { "sched", "0123456789012345" },
	  "name after \"sched\" \"0123456789012345\" is longer than 15 characters" },
	{ { "hold", "1s", "" },
	  "unknown keyword \"\", known are key, key-grace, sched, cc, reorder, hold, buffer, psmc-factor, psmc-period, learn, follow, rekey, dscp, park, auto-group, fwmark, allowed-ips, mtu, frag, mss-clamp" },
	{ { "key" }, "\"key\" needs a value (FILE|-)" },
	{ { "key", "" },
	  "the name of the file after \"key\" must not be empty" },
	{ { "key-grace", "86401s" },
	  "key-grace 86401s is out of range (0s..86400s)" },
	{ { "buffer", "1k" }, "buffer 1k is out of range (64k..256m)" },
};

static void test_errors(void)
{
	static char on[] = "on", off[] = "off";
	char *both[] = { on, off };
	struct parse_result res;

	for (size_t i = 0; i < COUNT(wrong); i++) {
		char *words[6];
		int count = 0;

		while (count < 6 && wrong[i].words[count]) {
			words[count] = strdup(wrong[i].words[count]);
			count++;
		}
		ktap_checkf(parse_words(&keyword_set, count, words, &res) &&
			   !strcmp(res.error, wrong[i].error), "%s", res.error);
		while (count)
			free(words[--count]);
	}
	ktap_checkf(parse_words(&keyword_path, 2, both, &res) &&
		   !strcmp(res.error, "\"off\" contradicts \"on\""), "%s",
		   res.error);
}

static void test_words(void)
{
	static const char *const line[] = {
		"remote", "198.51.100.7", "port", "5000", "local", "any",
		"dev", "none", "weight", "3", "backup", "on", "rate",
		"20mbit", "cc", "default", "off",
	};
	struct parse_result res;
	char *words[COUNT(line)];
	int enabled = parse_find(&keyword_path, "off");
	int weight = parse_find(&keyword_path, "weight");

	for (size_t i = 0; i < COUNT(line); i++)
		words[i] = strdup(line[i]);
	ktap_checkf(!parse_words(&keyword_path, COUNT(line), words, &res), "%s",
		   res.error);
	ktap_check(res.value[enabled].set && !res.value[enabled].num);
	ktap_check(res.value[weight].num == 3);
	ktap_check(!res.value[parse_find(&keyword_path, "mtu")].set);
	ktap_check(!parse_words(&keyword_path, 0, NULL, &res));
	for (size_t i = 0; i < COUNT(line); i++)
		free(words[i]);
}

/* index of the keyword that a word stands for */
static bool matches(const char *word, const char *want)
{
	int index = parse_match(&keyword_path, word);

	return want ? index >= 0 && !strcmp(keyword_path.keys[index].word, want) :
		      index < 0;
}

static void test_match(void)
{
	ktap_check(matches("weight", "weight"));
	ktap_check(matches("w", "weight"));
	/* the word itself, then the only one that begins with it */
	ktap_check(matches("rate", "rate"));
	ktap_check(matches("rate-", "rate-down"));
	ktap_check(matches("rem", "remote"));
	ktap_check(matches("r", NULL));
	ktap_check(matches("weights", NULL));
	ktap_check(matches("Weight", NULL));
	ktap_check(matches("", NULL));
	/* options are not abbreviated */
	ktap_check(parse_match(&keyword_top, "-") < 0);
	ktap_check(parse_match(&keyword_top, "-i") >= 0);
}

/* splits a line, and joins its words with | */
static const char *split(const char *line, int max)
{
	static char out[80];
	char copy[80], *argv[8];
	const char *error;
	int count;

	strcpy(copy, line);
	strcpy(out, "");
	count = words_split(copy, argv, max, &error);
	if (count < 0)
		return error;
	for (int i = 0; i < count; i++) {
		strcat(out, argv[i]);
		strcat(out, "|");
	}
	return out;
}

static void test_split(void)
{
	ktap_check(!strcmp(split("", 8), ""));
	ktap_check(!strcmp(split(" \t\r\n", 8), ""));
	ktap_check(!strcmp(split("# a b", 8), ""));
	ktap_check(!strcmp(split("a  b\tc\n", 8), "a|b|c|"));
	ktap_check(!strcmp(split("a b#c #d", 8), "a|b#c|"));
	ktap_check(!strcmp(split("'a # b' \"c'd\"e ''", 8), "a # b|c'd|e||"));
	ktap_check(!strcmp(split("a \"b", 8), "a quote has no end"));
	ktap_check(!strcmp(split("a b c", 3), "a|b|c|"));
	ktap_check(!strcmp(split("a b c", 2), "the line has too many words"));
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "parse: times", test_times },
		{ "parse: spans of time", test_spans },
		{ "parse: seconds", test_seconds },
		{ "parse: sizes", test_sizes },
		{ "parse: volumes", test_volumes },
		{ "parse: rates", test_rates },
		{ "parse: whole numbers", test_integers },
		{ "parse: what is printed is read back", test_round_trip },
		{ "parse: printing", test_format },
		{ "parse: addresses", test_addresses },
		{ "parse: prefixes", test_prefixes },
		{ "parse: names", test_names },
		{ "parse: error sentences", test_errors },
		{ "parse: a line of keywords", test_words },
		{ "parse: abbreviations", test_match },
		{ "parse: words of a line", test_split },
	};

	return ktap_run(tests, COUNT(tests));
}
