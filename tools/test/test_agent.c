// SPDX-License-Identifier: GPL-2.0
/*
 * What the agent decides: paths, steps, look-ups.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <arpa/inet.h>
#include <linux/if_addr.h>

#include "agent/again.h"
#include "agent/turn.h"
#include "agent/want.h"
#include "conf/server.h"
#include "lib/keyword.h"
#include "test/ktap.h"
#include "test/world.h"

#define HEAD "[Interface]\nCipher=clear\nID=1\nUplinks=auto\n"
#define ANY HEAD "[Path *]\nRemote=198.51.100.7\n"
#define NAMED HEAD "[Path *]\nRemote=vpn.example.org\n"

static struct plan file, want, have;
static struct want_notes notes;
static struct want_step step[WANT_STEPS];
static char text[4096];

/* A file, a tunnel without paths, and nothing that is remembered. */
static void begin(const char *conf)
{
	strcpy(text, conf);
	memset(&notes, 0, sizeof(notes));
	plan_init(&have);
	ktap_checkf(!plan_read(&file, text, strlen(text)) &&
		    !plan_check(&file, true), "%s", file.error.text);
}

static size_t make(bool all)
{
	want = file;
	want_make(&want, &world, &have, &notes, all);
	return want_steps(&want, &have, &notes, all, step);
}

/* The tunnel gets what it is to have, as by the agent. */
static void apply(size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct want_note *note = want_find(&notes, step[i].path.name);

		if (note)
			want_done(note, step[i].cmd);
	}
	have.paths = want.paths;
	memcpy(have.path, want.path, sizeof(have.path));
}

static void check_step(size_t index, uint8_t cmd, const char *name)
{
	ktap_checkf(step[index].cmd == cmd, "%s: command %u", name,
		    step[index].cmd);
	ktap_checkf(!strcmp(step[index].path.name, name), "%s, not %s",
		    step[index].path.name, name);
}

static void test_paths(void)
{
	const struct plan_path *path;

	machine();
	addr_of(2, "10.2.9.2", 0);
	addr_of(2, "169.254.1.1", RT_SCOPE_LINK);
	addr_of(2, "fd00::1", 0);
	begin(ANY "Weight=3\n");
	ktap_check(make(false) == 2);
	check_step(0, MPTUN_CMD_PATH_NEW, "eth0");
	check_step(1, MPTUN_CMD_PATH_NEW, "wwan0");
	path = &want.path[0];
	ktap_check(!strcmp(plan_value(&path->set, "dev")->text, "eth0"));
	ktap_check(plan_value(&path->set, "weight")->num == 3);
	ktap_check(same(path->via.addr, "10.2.1.1") && !path->direct);
	ktap_check(path->gateway == 5);
	ktap_check(path->owns == 2 && same(path->own[1], "10.2.9.2"));
	ktap_check(path->number == NUMBER_UPLINKS);
	ktap_check(want.path[1].number == NUMBER_UPLINKS + 1);
	/* it has them: nothing is left to do */
	apply(2);
	ktap_check(make(false) == 0);
}

/* A device without gateway, and a gateway of the other version of IP. */
static void test_gateways(void)
{
	struct nl_msg *msg;

	world_free(&world);
	link_of(2, "ppp0", "ppp", 0, IFF_UP);
	ROUTE(2, NULL, .version = 4);
	link_of(3, "eth0", NULL, 0, IFF_UP);
	msg = way_message(RTM_NEWROUTE, &(struct way) { 3, .version = 4 });
	nla_put(msg, RTA_VIA, 18, "\12\0................");
	take(msg);
	begin(ANY);
	ktap_check(make(false) == 2);
	ktap_check(want.path[0].direct && want.path[0].gateway);
	ktap_check(!want.path[1].gateway);
}

/* The path of an uplink that is gone waits a while. */
static void gone(const char *name)
{
	uint32_t number = want_find(&notes, name)->number;
	uint64_t was = notes.now;

	ktap_check(make(false) == 0);
	ktap_check(want_held(&notes) == 1ull << number);
	ktap_check(want_due(&notes) == was + WANT_GONE_MS);
	notes.now += WANT_GONE_MS - 1;
	ktap_check(make(false) == 0);
	notes.now++;
	ktap_check(make(false) == 1);
	check_step(0, MPTUN_CMD_PATH_DEL, name);
	ktap_check(!want_held(&notes) && want_due(&notes) == UINT64_MAX);
	apply(1);
}

/* A gap in its route costs nothing. */
static void test_gap(void)
{
	machine();
	begin(ANY);
	apply(make(false));
	world_free(&world);
	uplink_of(3, "wwan0");
	ktap_check(make(false) == 0);
	notes.now += WANT_GONE_MS - 1;
	uplink_of(2, "eth0");
	ktap_check(make(false) == 0);
	ktap_check(!want_held(&notes));
	/* the next one has its own time */
	world_free(&world);
	uplink_of(3, "wwan0");
	gone("eth0");
}

/* Others keep their tables when one goes, and it may get another one. */
static void test_tables(void)
{
	machine();
	begin(ANY);
	apply(make(false));
	world_free(&world);
	uplink_of(3, "wwan0");
	gone("eth0");
	ktap_check(want.path[0].number == NUMBER_UPLINKS + 1);
	uplink_of(4, "eth1");
	ktap_check(make(false) == 1);
	check_step(0, MPTUN_CMD_PATH_NEW, "eth1");
	ktap_check(want_find(&notes, "eth1")->number == NUMBER_UPLINKS);
	ktap_check(want_find(&notes, "wwan0")->number == NUMBER_UPLINKS + 1);
	/* The next agent finds them in the rules. */
	apply(1);
	memset(&notes, 0, sizeof(notes));
	want_table(&notes, "wwan0", NUMBER_UPLINKS + 1);
	want_table(&notes, "gone", NUMBER_UPLINKS + 2);
	ktap_check(make(false) == 0);
	ktap_check(want.path[0].number == NUMBER_UPLINKS + 1);
	ktap_check(want.path[1].number == NUMBER_UPLINKS);
	ktap_check(!want_find(&notes, "gone"));
}

/* Paths of the file, of users and of the peer are the concern of others. */
static void test_others(void)
{
	struct plan_path *path;

	machine();
	begin(ANY "[Path home]\nRemote=192.0.2.1\n");
	path = plan_add_path(&have);
	strcpy(path->name, "mine");
	path = plan_add_path(&have);
	strcpy(path->name, "eth7");
	ktap_check(make(false) == 2);
	path->set.res.value[parse_find(&keyword_path, "dev")].set = true;
	strcpy(path->set.res.value[parse_find(&keyword_path, "dev")].text,
	       "eth7");
	/* made by hand with the name of its device */
	ktap_check(make(false) == 2);
	/* one of an uplink that was found before, as its rules say */
	want_table(&notes, "eth7", NUMBER_UPLINKS + 3);
	ktap_check(make(false) == 2);
	notes.now += WANT_GONE_MS;
	ktap_check(make(false) == 3);
	check_step(0, MPTUN_CMD_PATH_DEL, "eth7");
	/* again if that has failed */
	ktap_check(make(false) == 3);
	apply(3);
	ktap_check(!want_find(&notes, "eth7"));
}

static struct parse_value *value_of(struct plan_path *path, const char *word)
{
	return &path->set.res.value[parse_find(&keyword_path, word)];
}

static struct parse_value address(const char *addr)
{
	struct parse_value val = { .set = true };

	val.family = strchr(addr, ':') ? 6 : 4;
	inet_pton(val.family == 6 ? AF_INET6 : AF_INET, addr, val.addr);
	return val;
}

/* What was changed by hand stays, until the file is read again. */
static void test_settings(void)
{
	machine();
	begin(ANY "Weight=3\n");
	apply(make(false));
	value_of(&have.path[0], "weight")->num = 9;
	*value_of(&have.path[1], "remote") = address("192.0.2.9");
	ktap_check(make(false) == 0);
	ktap_check(make(true) == 2);
	check_step(0, MPTUN_CMD_PATH_SET, "eth0");
	ktap_check(plan_value(&step[0].path.set, "weight")->num == 3);
	ktap_check(!plan_value(&step[0].path.set, "remote"));
	check_step(1, MPTUN_CMD_PATH_SET, "wwan0");
	ktap_check(same(plan_value(&step[1].path.set, "remote")->addr,
			"198.51.100.7"));
}

/* A path waits for the address of its peer, and moves to another one. */
static void test_names(void)
{
	machine();
	begin(NAMED);
	ktap_check(make(false) == 0);
	ktap_check(!strcmp(want_find(&notes, "eth0")->host,
			   "vpn.example.org"));
	ktap_check(want_find(&notes, "eth0")->ask4);
	ktap_check(!want_find(&notes, "eth0")->ask6);
	want_find(&notes, "eth0")->next = address("192.0.2.1");
	ktap_check(make(false) == 1);
	check_step(0, MPTUN_CMD_PATH_NEW, "eth0");
	ktap_check(same(plan_value(&step[0].path.set, "remote")->addr,
			"192.0.2.1"));
	apply(1);
	ktap_check(make(false) == 0);
	want_find(&notes, "eth0")->next = address("192.0.2.2");
	ktap_check(make(false) == 1);
	check_step(0, MPTUN_CMD_PATH_SET, "eth0");
	apply(1);
	ktap_check(same(plan_value(&have.path[0].set, "remote")->addr,
			"192.0.2.2"));
	/* An address that the uplink does not lead to is of no use. */
	want_find(&notes, "eth0")->next = address("2001:db8::1");
	ktap_check(make(false) == 0);
	ktap_check(same(plan_value(&want.path[0].set, "remote")->addr,
			"192.0.2.2"));
	ROUTE(2, "fe80::1", .version = 6);
	ktap_check(make(false) == 1);
	check_step(0, MPTUN_CMD_PATH_SET, "eth0");
	ktap_check(want_find(&notes, "eth0")->ask6);
	apply(1);
	/* One version is lost: it is looked up for the other one. */
	machine();
	ktap_check(make(false) == 0);
	ktap_check(!want.path[0].gateway);
	ktap_check(want_held(&notes) ==
		   1ull << want_find(&notes, "eth0")->number);
	ktap_check(want_due(&notes) == UINT64_MAX);
	ktap_check(!want_find(&notes, "eth0")->ask6);
	want_find(&notes, "eth0")->next = address("192.0.2.2");
	ktap_check(make(false) == 1);
	check_step(0, MPTUN_CMD_PATH_SET, "eth0");
	ktap_check(want.path[0].gateway && !want_held(&notes));
}

/* The same for a path of the file, of which nothing else is changed. */
static void test_given(void)
{
	machine();
	begin("[Interface]\nCipher=clear\nID=1\n[Path a]\nRemote=x.example\nDev=eth0\nGateway=10.2.1.1\nWeight=2\n");
	apply(make(false));
	ktap_check(have.path[0].gateway == 7);
	ktap_check(want_find(&notes, "a")->ask4);
	ktap_check(!want_find(&notes, "a")->ask6);
	ktap_check(!strcmp(want_find(&notes, "a")->dev, "eth0"));
	*value_of(&have.path[0], "remote") = address("192.0.2.1");
	value_of(&have.path[0], "weight")->num = 5;
	ktap_check(make(true) == 0);
	want_find(&notes, "a")->next = address("192.0.2.2");
	ktap_check(make(true) == 1);
	check_step(0, MPTUN_CMD_PATH_SET, "a");
	ktap_check(!plan_value(&step[0].path.set, "weight"));
	/* It was deleted by hand, and is not added. */
	have.paths = 0;
	ktap_check(make(false) == 0);
}

/* More uplinks than a tunnel takes paths. */
static void test_many(void)
{
	char name[16];

	world_free(&world);
	for (int i = 2; i < 60; i++) {
		snprintf(name, sizeof(name), "eth%d", i);
		uplink_of(i, name);
	}
	begin(ANY "[Path a]\nRemote=::1\n[Path b]\nRemote=::1\n");
	ktap_check(make(false) == MPTUN_PATHS_MAX - 2);
	begin(ANY);
	/* There is one table less than paths. */
	ktap_check(make(false) == WANT_UPLINKS);
	apply(WANT_UPLINKS);
	world_free(&world);
	for (int i = 60; i < 100; i++) {
		snprintf(name, sizeof(name), "eth%d", i);
		uplink_of(i, name);
	}
	/* All others: those that are gone leave their tables to them. */
	make(false);
	apply(0);
	ktap_check(make(false) == 0 || want.paths == WANT_UPLINKS);
	make(false);
	ktap_checkf(want.paths == WANT_UPLINKS, "%zu paths", want.paths);
}

static void test_back_off(void)
{
	static const uint64_t waits[] = {
		1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000,
	};
	struct again again = { 0 };
	uint64_t now = 5000;

	again_works(&again);
	ktap_check(again.at == AGAIN_NEVER);
	/* a new path has its time, one that worked has none */
	again_fails(&again, now, false);
	ktap_check(again.at == 6000);
	/* it is down before that */
	again_fails(&again, 5200, true);
	ktap_check(again.at == 5200);
	again_works(&again);
	again_fails(&again, now, true);
	ktap_check(again.at == 5000);
	again_fails(&again, 5500, true);
	ktap_check(again.at == 5000);
	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++) {
		again_begins(&again, now);
		ktap_checkf(again.at - now == waits[i], "%zu", i);
		now = again.at;
	}
	/* a path that goes up and down does not ask each time */
	again_works(&again);
	again_fails(&again, now, true);
	again_begins(&again, now);
	again_works(&again);
	again_fails(&again, now + 10, true);
	ktap_check(again.at == now + 1000);
}

static void test_choice(void)
{
	struct parse_value list[3] = {
		address("2001:db8::1"), address("192.0.2.1"),
		address("192.0.2.2"),
	};
	struct parse_value none = { 0 }, other = address("192.0.2.9");
	struct again first = { .tries = 1 }, later = { .tries = 2 };

	ktap_check(!again_choose(&first, list, 0, &none));
	ktap_check(again_choose(&first, list, 3, &none) == &list[0]);
	/* it has moved */
	ktap_check(again_choose(&first, list, 3, &other) == &list[0]);
	/* it has not, so it gets another chance, and then others do */
	ktap_check(!again_choose(&first, list, 3, &list[1]));
	ktap_check(again_choose(&later, list, 3, &list[1]) == &list[2]);
	ktap_check(again_choose(&later, list, 3, &list[2]) == &list[0]);
	ktap_check(!again_choose(&later, list, 1, &list[0]));
}

/* What filters and captive portals answer. */
static void test_useful(void)
{
	static const char *const good[] = {
		"192.0.2.1", "10.0.0.1", "223.255.255.255", "240.0.0.1",
		"2001:db8::1", "::2", "::1:0", "fd00::1", "64:ff9b::c000:201",
	};
	static const char *const bad[] = {
		"0.0.0.0", "0.1.2.3", "127.0.0.1", "127.9.9.9", "224.0.0.1",
		"239.255.255.255", "255.255.255.255", "::", "::1", "ff02::1",
		"::ffff:192.0.2.1",
	};
	struct parse_value val;

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		val = address(good[i]);
		ktap_checkf(again_useful(&val), "%s", good[i]);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		val = address(bad[i]);
		ktap_checkf(!again_useful(&val), "%s", bad[i]);
	}
}

/* Others are tried after a while, and each has its time. */
static void test_turns(void)
{
	struct turn turn = { .at = AGAIN_NEVER };
	bool again;

	turn_fails(&turn, 1000);
	ktap_check(turn.at == 1000 + TURN_MS);
	/* it began then */
	turn_fails(&turn, 2000);
	ktap_check(turn.at == 1000 + TURN_MS);
	turn_works(&turn, true);
	ktap_check(turn.at == AGAIN_NEVER && !turn.fails);
	turn_fails(&turn, 5);
	for (unsigned int i = 0; i < 12; i++) {
		uint64_t wait = TURN_TRY_MS << (i / 2);

		/* two ways to the one other server */
		ktap_checkf(turn_next(&turn, 2, 2, &again) ==
			    (wait < AGAIN_MAX_MS ? wait : AGAIN_MAX_MS),
			    "%u", i);
		ktap_check(turn.next == 1 && !again && !turn.index);
		ktap_check(turn.at == AGAIN_NEVER);
	}
	/* without an uplink none is to blame, and the wait stays */
	turn_works(&turn, false);
	turn_fails(&turn, 0);
	ktap_check(turn_next(&turn, 2, 0, &again) == AGAIN_MAX_MS);
	/* it answers in a trial only */
	turn_to(&turn, 1);
	ktap_check(turn.index == 1 && turn.at == AGAIN_NEVER);
	turn_fails(&turn, 0);
	ktap_check(turn_next(&turn, 2, 2, &again) == AGAIN_MAX_MS);
	ktap_check(turn.next == 0);
	turn_works(&turn, true);
	turn_fails(&turn, 0);
	ktap_check(turn_next(&turn, 2, 2, &again) == TURN_TRY_MS);
}

/* A preferred server that soon fails again has to answer for longer before the
 * paths return.
 */
static void test_returns(void)
{
	struct turn turn = { .at = AGAIN_NEVER };
	uint64_t now = 1000, back = TURN_BACK_MS;

	ktap_check(turn_steady(&turn) == TURN_BACK_MS);
	for (unsigned int i = 0; i < 6; i++) {
		turn_fails(&turn, now);
		ktap_check(turn_steady(&turn) == TURN_STEADY_MS);
		turn_move(&turn, 1, now);
		ktap_checkf(turn_steady(&turn) == back, "%u", i);
		turn_move(&turn, 0, now += back);
		now += AGAIN_MAX_MS - 1;
		back = 2 * back < AGAIN_MAX_MS ? 2 * back : AGAIN_MAX_MS;
	}
	/* it has lasted */
	turn_fails(&turn, ++now);
	turn_move(&turn, 1, now);
	ktap_check(turn_steady(&turn) == TURN_BACK_MS);
}

/* All others on one way, then all on the next one. */
static void test_rounds(void)
{
	struct turn turn = { .index = 1, .next = 1, .at = AGAIN_NEVER };
	bool again;

	for (unsigned int i = 0; i < 4; i++) {
		uint64_t wait = TURN_TRY_MS << (i / 2);

		turn_fails(&turn, 0);
		ktap_check(turn_next(&turn, 3, 2, &again) == wait);
		ktap_check(turn.next == 2 && !again);
		ktap_check(turn_next(&turn, 3, 2, &again) == wait);
		ktap_check(turn.next == 0 && again);
	}
}

/* Paths of uplinks and of the file move, with the port. */
static void test_moves(void)
{
	const struct plan_set *set = &step[0].path.set;

	machine();
	begin(HEAD "Server=198.51.100.7,198.51.100.9:4800\n[Path *]\n"
	      "[Path a]\nWeight=2\n");
	have.path[0] = file.path[0];
	have.paths = 1;
	ktap_check(make(false) == 2);
	apply(2);
	ktap_check(make(false) == 0);
	server_use(&file, 1);
	notes.lead = UINT64_MAX;
	ktap_check(make(false) == 3);
	check_step(0, MPTUN_CMD_PATH_SET, "a");
	ktap_check(same(plan_value(set, "remote")->addr, "198.51.100.9"));
	ktap_check(plan_value(set, "port")->num == 4800);
	ktap_check(!plan_value(set, "weight"));
	apply(3);
	ktap_check(make(false) == 0);
	/* where the peer or users have moved it, it stays */
	notes.lead = 0;
	*value_of(&have.path[0], "remote") = address("192.0.2.9");
	*value_of(&have.path[1], "remote") = address("192.0.2.9");
	value_of(&have.path[1], "port")->num = 9;
	ktap_check(make(false) == 0);
	notes.lead = 2;
	ktap_check(make(false) == 1);
	check_step(0, MPTUN_CMD_PATH_SET, "eth0");
	ktap_check(same(plan_value(set, "remote")->addr, "198.51.100.9"));
	ktap_check(plan_value(set, "port")->num == 4800);
	/* a path that others have deleted is not added */
	have.paths = 0;
	ktap_check(make(false) == 2);
	check_step(0, MPTUN_CMD_PATH_NEW, "eth0");
}

/* The address of a name that a trial has found, for all paths to it. */
static void test_found(void)
{
	machine();
	begin(HEAD "Server=vpn.example.org:4800,198.51.100.9\n[Path *]\n"
	      "[Path a]\nWeight=2\n");
	server_use(&file, 1);
	have.path[0] = file.path[0];
	have.paths = 1;
	ktap_check(make(false) == 2);
	apply(2);
	begin(HEAD "Server=vpn.example.org:4800,198.51.100.9\n[Path *]\n"
	      "[Path a]\nWeight=2\n");
	have = want;
	notes.lead = UINT64_MAX;
	notes.found = address("192.0.2.1");
	notes.found.word = "vpn.example.org";
	ktap_check(make(false) == 3);
	for (size_t i = 0; i < 3; i++) {
		const struct plan_set *set = &step[i].path.set;

		ktap_check(same(plan_value(set, "remote")->addr, "192.0.2.1"));
		ktap_check(plan_value(set, "port")->num == 4800);
	}
	/* of another name */
	memset(&notes, 0, sizeof(notes));
	notes.found = address("192.0.2.1");
	notes.found.word = "other.example.org";
	ktap_check(make(false) == 0);
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "agent: an uplink gets a path", test_paths },
		{ "agent: gateways", test_gateways },
		{ "agent: a gap in a route", test_gap },
		{ "agent: tables stay", test_tables },
		{ "agent: paths of others stay", test_others },
		{ "agent: settings by hand stay", test_settings },
		{ "agent: names of peers", test_names },
		{ "agent: paths of the file", test_given },
		{ "agent: more uplinks than paths", test_many },
		{ "agent: addresses of no use", test_useful },
		{ "agent: back-off of look-ups", test_back_off },
		{ "agent: the choice of an address", test_choice },
		{ "agent: servers take turns", test_turns },
		{ "agent: a server that returns and fails", test_returns },
		{ "agent: servers on several ways", test_rounds },
		{ "agent: paths move to another server", test_moves },
		{ "agent: the address that a trial has found", test_found },
	};
	int status = ktap_run(tests, sizeof(tests) / sizeof(*tests));

	world_free(&world);
	return status;
}
