// SPDX-License-Identifier: GPL-2.0
/*
 * When spares join a tunnel, and when they leave.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include "agent/want.h"
#include "test/ktap.h"
#include "test/world.h"

/* A path as the kernel has it, in the order of one letter each: a spare of the
 * file is a capital.
 */
static struct spares spares, before;
static uint64_t now;

static void begin(void)
{
	memset(&spares, 0, sizeof(spares));
	now = 1000000;
}

/**
 * look() - look at the paths, as "a+ b- C. D+" says
 * @paths: the paths; + works, ? begins, - fails, . has no path
 * @rate: rate of those that work
 * @bounds: the bounds
 *
 * Return: the spares that are wanted, one letter each.
 */
static const char *look(const char *paths, uint64_t rate,
			const struct spare_bounds *bounds)
{
	static char wanted[32];
	size_t count = 0;

	spare_begin(&spares, now, &before);
	for (; *paths; paths += paths[2] ? 3 : 2) {
		const char name[] = { paths[0], '\0' };
		struct spare_path *path = spare_add(&spares, &before, name);

		path->offered = *name < 'a';
		path->kind = paths[1] == '+' ? SPARE_WORKS :
			     paths[1] == '?' ? SPARE_BEGINS :
			     paths[1] == '-' ? SPARE_FAILS : SPARE_GONE;
		if (path->kind == SPARE_WORKS)
			spare_rate(&spares, path, rate);
	}
	spare_judge(&spares, bounds);
	for (size_t i = 0; i < spares.count; i++)
		if (spares.path[i].wanted)
			wanted[count++] = spares.path[i].name[0];
	wanted[count] = '\0';
	return wanted;
}

static void check(const char *paths, const struct spare_bounds *bounds,
		  const char *want)
{
	const char *got = look(paths, 0, bounds);

	ktap_checkf(!strcmp(got, want), "%s: \"%s\", not \"%s\"", paths, got,
		    want);
}

static void check_rate(const char *paths, uint64_t rate,
		       const struct spare_bounds *bounds, const char *want)
{
	const char *got = look(paths, rate, bounds);

	ktap_checkf(!strcmp(got, want), "%s at %llu: \"%s\", not \"%s\"",
		    paths, (unsigned long long)rate, got, want);
}

static const struct spare_bounds two = { .paths = 2 };

/* It joins at once, and leaves when it was not needed for a minute. */
static void test_paths(void)
{
	begin();
	check("a+ b+ C.", &two, "");
	ktap_check(spares.due == UINT64_MAX);
	check("a+ b- C.", &two, "C");
	now += 100;
	check("a+ b- C?", &two, "C");
	now += 100;
	check("a+ b- C+", &two, "C");
	ktap_check(spares.due == UINT64_MAX);
	now += 1000000;
	check("a+ b- C+", &two, "C");
	check("a+ b+ C+", &two, "C");
	ktap_check(spares.due == now + SPARE_SETTLE_MS);
	now += SPARE_SETTLE_MS - 1;
	check("a+ b+ C+", &two, "C");
	/* it fails again, so the minute begins again */
	check("a+ b- C+", &two, "C");
	now++;
	check("a+ b+ C+", &two, "C");
	now += SPARE_SETTLE_MS;
	check("a+ b+ C+", &two, "");
	/* the kernel has not deleted it yet, and has it no more */
	check("a+ b+ C+", &two, "");
	check("a+ b+ C.", &two, "");
	check("a+ b- C.", &two, "C");
	/* all are gone, and so is the device of the spare */
	check("", &two, "");
}

/* What begins has a while to come up, once. */
static void test_begins(void)
{
	begin();
	check("a? b? C.", &two, "");
	ktap_check(spares.due == now + SPARE_TRY_MS);
	now += SPARE_TRY_MS - 1;
	check("a+ b? C.", &two, "");
	now++;
	check("a+ b? C.", &two, "C");
	ktap_check(spares.due == now + SPARE_TRY_MS);
	/* a path that has failed and is probed is not new */
	begin();
	check("a+ b- C.", &two, "C");
	now += SPARE_TRY_MS;
	check("a+ b? C+", &two, "C");
	/* one that is gone and comes back is */
	begin();
	check("a+ C.", &two, "C");
	now += 60000;
	check("a+ b? C+", &two, "C");
	ktap_check(spares.due == now + SPARE_TRY_MS);
}

/* As many as are needed, in their order; one that fails is replaced. */
static void test_order(void)
{
	begin();
	check("C. D. E. a+ b+", &two, "");
	check("C. D. E. a+ b-", &two, "C");
	check("C? D. E. a- b-", &two, "CD");
	now += SPARE_TRY_MS;
	check("C- D+ E. a- b-", &two, "CDE");
	now += SPARE_TRY_MS;
	check("C+ D+ E+ a- b-", &two, "CDE");
	now += SPARE_SETTLE_MS;
	check("C+ D+ E+ a- b-", &two, "CD");
	check("C+ D+ E. a+ b-", &two, "CD");
	now += SPARE_SETTLE_MS;
	check("C+ D+ E. a+ b-", &two, "C");
	/* two leave together, and one is needed again */
	begin();
	check("C+ D+ E+ a+ b+", &two, "CDE");
	now += SPARE_SETTLE_MS / 2;
	check("C+ D+ E+ a+ b-", &two, "CDE");
	now += SPARE_SETTLE_MS / 2;
	check("C+ D+ E+ a+ b-", &two, "C");
}

/* One that the kernel refuses, or whose peer has no address, is passed by. */
static void test_refused(void)
{
	begin();
	check("a+ C. D.", &two, "C");
	now += SPARE_TRY_MS - 1;
	check("a+ C. D.", &two, "C");
	now++;
	check("a+ C. D.", &two, "CD");
	/* one whose device is gone is not wanted */
	check("a+ D+", &two, "D");
}

static void test_rate(void)
{
	const struct spare_bounds rate = { .rate = 30 };
	const struct spare_bounds both = { .paths = 1, .rate = 30 };

	begin();
	check_rate("a+ b+ C.", 15, &rate, "");
	ktap_check(spares.due == now + SPARE_LOOK_MS);
	/* a path that is gone counts at once, one that is slower after 5 s */
	check_rate("a+ b- C.", 15, &rate, "C");
	begin();
	check_rate("a+ b+ C.", 15, &rate, "");
	for (int i = 0; i < SPARE_LOOKS - 1; i++) {
		now += SPARE_LOOK_MS;
		check_rate("a+ b+ C.", 14, &rate, "");
		/* looks between these do not shorten the time */
		check_rate("a+ b+ C.", 14, &rate, "");
	}
	now += SPARE_LOOK_MS;
	check_rate("a+ b+ C.", 14, &rate, "C");
	/* the rate of the spare counts, but not for its own stay */
	now += SPARE_LOOK_MS;
	check_rate("a+ b+ C+", 14, &rate, "C");
	now += SPARE_SETTLE_MS;
	check_rate("a+ b+ C+", 14, &rate, "C");
	now += SPARE_LOOK_MS;
	check_rate("a+ b+ C+", 15, &rate, "C");
	now += SPARE_SETTLE_MS;
	check_rate("a+ b+ C+", 15, &rate, "");
	/* a rate that is not known is enough; no path is not */
	begin();
	check_rate("a+ C.", 0, &rate, "");
	check_rate("a- C.", 0, &rate, "C");
	begin();
	check_rate("a+ C.", 30, &both, "");
	check_rate("a- C.", 30, &both, "C");
}

/* A rate of 1000 bit/s is a guess until half of it was carried. */
static void test_measure(void)
{
	static const struct {
		uint64_t ms;
		uint64_t sent;
		uint64_t rate;
	} looks[] = {
		{ 0, 5000, 0 }, { SPARE_LOOK_MS - 1, 6000, 0 },
		{ SPARE_LOOK_MS, 5062, 0 }, { SPARE_LOOK_MS, 5124, 0 },
		{ SPARE_LOOK_MS, 5187, 1000 }, { SPARE_LOOK_MS, 5187, 1000 },
		/* another path of the name */
		{ SPARE_LOOK_MS, 0, 0 }, { SPARE_LOOK_MS, 62, 0 },
		{ 2 * SPARE_LOOK_MS, 186, 0 }, { SPARE_LOOK_MS, 249, 1000 },
	};

	begin();
	for (size_t i = 0; i < sizeof(looks) / sizeof(*looks); i++) {
		struct spare_path *path;

		now += looks[i].ms;
		spare_begin(&spares, now, &before);
		path = spare_add(&spares, &before, "a");
		path->kind = SPARE_WORKS;
		spare_measure(&spares, path, 1000, looks[i].sent);
		ktap_checkf(path->rate[spares.look] == looks[i].rate,
			    "look %zu", i);
		/* the second look has not counted */
		if (i == 1)
			ktap_check(path->sent == 5000);
		if (i == 1)
			now -= looks[i].ms;
	}
}

/* An agent that begins finds its spares in the kernel. */
static void test_restart(void)
{
	begin();
	check("a+ b+ C+", &two, "C");
	now += SPARE_SETTLE_MS;
	check("a+ b+ C+", &two, "");
	begin();
	check("a+ b- C+", &two, "C");
	now += SPARE_SETTLE_MS;
	check("a+ b- C+", &two, "C");
}

#define HEAD "[Interface]\nCipher=clear\nID=1\nMinPaths=1\nUplinks=auto\n"
#define FILES HEAD "[Path *]\nRemote=198.51.100.7\n"
#define LTE "[Path lte]\nRemote=198.51.100.7\nDev=ppp0\nSpare=on\n"

static struct plan file, want, have;
static struct want_notes notes;
static struct want_step step[WANT_STEPS];
static char text[4096];

static void plan(const char *conf)
{
	strcpy(text, conf);
	memset(&notes, 0, sizeof(notes));
	plan_init(&have);
	machine();
	ktap_checkf(!plan_read(&file, text, strlen(text)) &&
		    !plan_check(&file, true), "%s", file.error.text);
}

/* The steps, with this spare as it is. */
static size_t make(const char *spare, bool of_file, bool wanted)
{
	struct spare_path *path = &notes.spares.path[0];

	notes.spares.count = 1;
	strcpy(path->name, spare);
	path->offered = true;
	path->file = of_file;
	path->wanted = wanted;
	want = file;
	want_make(&want, &world, &have, &notes, false);
	return want_steps(&want, &have, &notes, false, step);
}

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

static void check_step(size_t index, uint8_t cmd, const char *name, bool spare)
{
	ktap_checkf(step[index].cmd == cmd, "%s: command %u", name,
		    step[index].cmd);
	ktap_checkf(!strcmp(step[index].path.name, name), "%s, not %s",
		    step[index].path.name, name);
	ktap_check(step[index].spare == spare);
}

/* One of the file: the agent makes and deletes it, and no other. */
static void test_steps_file(void)
{
	plan(FILES LTE "[Path own]\nRemote=198.51.100.7\n");
	ktap_check(make("lte", true, false) == 2);
	check_step(0, MPTUN_CMD_PATH_NEW, "eth0", false);
	ktap_check(want.paths == 3 && !strcmp(want.path[0].name, "own"));
	ktap_check(want.path[0].number == 2);
	apply(2);
	ktap_check(make("lte", true, true) == 1);
	check_step(0, MPTUN_CMD_PATH_NEW, "lte", true);
	apply(1);
	ktap_check(make("lte", true, true) == 0);
	ktap_check(make("lte", true, false) == 1);
	check_step(0, MPTUN_CMD_PATH_DEL, "lte", true);
	apply(1);
	ktap_check(make("lte", true, false) == 0);
}

/* One whose peer has a name waits for its address. */
static void test_steps_name(void)
{
	struct want_note *note;

	plan(HEAD "[Path *]\nRemote=198.51.100.7\n"
	     "[Path lte]\nRemote=vpn.example.org\nDev=ppp0\nSpare=on\n");
	apply(make("lte", true, false));
	ktap_check(!want_find(&notes, "lte"));
	ktap_check(make("lte", true, true) == 0);
	note = want_find(&notes, "lte");
	ktap_check(note && note->host && !strcmp(note->dev, "ppp0"));
	note->next = (struct parse_value) { .set = true, .family = 4 };
	ktap_check(make("lte", true, true) == 1);
	check_step(0, MPTUN_CMD_PATH_NEW, "lte", true);
	apply(1);
	ktap_check(make("lte", true, false) == 1);
	check_step(0, MPTUN_CMD_PATH_DEL, "lte", true);
}

/* One of an uplink has neither a path nor a table while it is not needed. */
static void test_steps_uplink(void)
{
	plan(HEAD "[Path w*]\nRemote=198.51.100.7\nSpare=on\n"
	     "[Path *]\nRemote=198.51.100.7\n");
	ktap_check(make("wwan0", false, false) == 1);
	check_step(0, MPTUN_CMD_PATH_NEW, "eth0", false);
	ktap_check(!want_find(&notes, "wwan0"));
	apply(1);
	ktap_check(make("wwan0", false, true) == 1);
	check_step(0, MPTUN_CMD_PATH_NEW, "wwan0", true);
	apply(1);
	/* it leaves at once, as it does not wait for its route */
	notes.now = 5;
	ktap_check(make("wwan0", false, false) == 1);
	check_step(0, MPTUN_CMD_PATH_DEL, "wwan0", true);
	ktap_check(!want_held(&notes));
	apply(1);
	/* made by hand, with the name of the device */
	strcpy(plan_add_path(&have)->name, "wwan0");
	ktap_check(make("wwan0", false, false) == 0);
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "spare: a smallest number of paths", test_paths },
		{ "spare: paths that begin", test_begins },
		{ "spare: several, in their order", test_order },
		{ "spare: one that gets no path", test_refused },
		{ "spare: a smallest rate", test_rate },
		{ "spare: a rate that is a guess", test_measure },
		{ "spare: the agent begins", test_restart },
		{ "spare: steps for one of the file", test_steps_file },
		{ "spare: steps for one whose peer has a name",
		  test_steps_name },
		{ "spare: steps for one of an uplink", test_steps_uplink },
	};
	int status = ktap_run(tests, sizeof(tests) / sizeof(*tests));

	world_free(&world);
	return status;
}
