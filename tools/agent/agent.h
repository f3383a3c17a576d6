/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The agent of a tunnel: keeps its paths what the file and the uplinks say.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * It is driven by what it is to reach, not by what has happened: a notification
 * only says that it is time to look at the machine again, compare, and change
 * what differs.  So it may begin at any time, and lost notifications do no
 * harm.
 */
#ifndef MPTUN_TOOLS_AGENT_H
#define MPTUN_TOOLS_AGENT_H

#include <jansson.h>
#include <sys/types.h>

#include "agent/again.h"
#include "agent/events.h"
#include "agent/exchange.h"
#include "agent/http.h"
#include "agent/job.h"
#include "agent/lookup.h"
#include "agent/page.h"
#include "agent/period.h"
#include "agent/state.h"
#include "agent/trial.h"
#include "agent/turn.h"
#include "agent/want.h"
#include "conf/file.h"
#include "host/host.h"
#include "lib/conn.h"

/* Changes within this time after the first are looked at together. */
#define AGENT_SETTLE_MS 50

/**
 * struct agent_search - look-ups of the peer of a path
 * @name: name of the path
 * @again: when
 * @lookup: the one that runs, or NULL
 * @refused: address that the kernel has refused; not set if it took the last
 *	one
 * @works: the path works, so its peer stays where it is
 * @given: the file was read again: the path moves if its peer has no longer
 *	the address, though it works
 * @error: why the last one has failed, which was reported, or NULL
 */
struct agent_search {
	char name[PARSE_TEXT_MAX + 1];
	struct again again;
	struct lookup *lookup;
	struct parse_value refused;
	bool works;
	bool given;
	const char *error;
};

/**
 * struct agent_cap - data caps
 * @known: paths that are not new, so their counters continue
 * @count: their number
 * @clock: what is remembered of the clock
 * @due: when to look again, UINT64_MAX for never
 */
struct agent_cap {
	char known[MPTUN_PATHS_MAX][PARSE_TEXT_MAX + 1];
	size_t count;
	struct period_clock clock;
	uint64_t due;
};

/**
 * struct agent_save - writes of what is remembered
 * @changed: something is to be written
 * @waits: as soon as the process that writes has ended
 * @written: when the last one began
 * @writer: this process, 0 for none
 */
struct agent_save {
	bool changed;
	bool waits;
	uint64_t written;
	pid_t writer;
};

/**
 * struct agent - the agent
 * @file: the configuration
 * @now: the same with the paths of uplinks that are there
 * @have: the tunnel as it is
 * @world: the machine
 * @notes: what is remembered of paths
 * @search: look-ups, by the index of the note
 * @seen: states of paths
 * @jobs: commands
 * @host: the tunnel on the machine, with the configuration @now
 * @there: there is a tunnel, as far as is known
 * @moved: it has gone to another network namespace
 * @index: index of its interface
 * @family: connection to the family of mptun, or NULL
 * @paths: notifications of that family, or NULL
 * @links: notifications of the routing family
 * @on_paths: takes those of @paths
 * @on_links: takes those of @links
 * @due: when to look at the machine again, UINT64_MAX for never
 * @mend: when to look at the rules alone, UINT64_MAX for never
 * @failures: how often a look at the machine has failed
 * @reload: all settings of the file count, as it was read again
 * @turn: the server in use
 * @served: that is known
 * @led: the paths have to move to it
 * @trial: whether the preferred server answers
 * @cap: data caps
 * @save: writes of @store
 * @exchange: the exchange with the agent of the other end
 * @http: the server of metrics and of the status page, or NULL
 * @page: what the status page shows
 * @events: what was said last
 * @store: what is remembered over a restart
 * @lock: the lock on the file
 * @stale: the file has become wrong, and @file is the one before
 * @begun: it has looked at the machine once
 */
struct agent {
	struct conf_file *file;
	struct conf_file *now;
	struct plan *have;
	struct world world;
	struct want_notes notes;
	struct agent_search search[WANT_NOTES];
	struct state_seen seen;
	struct job_queue jobs;
	struct host host;
	bool there;
	bool moved;
	int index;
	struct conn *family;
	struct conn *paths;
	struct conn *links;
	struct conn_listener on_paths;
	struct conn_listener on_links;
	uint64_t due;
	uint64_t mend;
	unsigned int failures;
	bool reload;
	bool stale;
	struct turn turn;
	bool served;
	bool led;
	struct trial trial;
	struct agent_cap cap;
	struct agent_save save;
	struct exchange exchange;
	struct http *http;
	struct page page;
	struct events events;
	json_t *store;
	int lock;
	bool begun;
};

/* The time in ms, of a clock that does not jump. */
uint64_t agent_clock(void);

/**
 * agent_open() - begin
 * @agent: the agent, zeroed except @file, which belongs to it then
 *
 * Return: 0, or the exit status after a message.
 */
int agent_open(struct agent *agent);

/* Look at the machine again, soon. */
void agent_touch(struct agent *agent);

/**
 * agent_sync() - look at the machine, and change what differs
 * @agent: the agent
 */
void agent_sync(struct agent *agent);

/**
 * agent_mend() - add rules again that other programs have deleted
 * @agent: the agent
 *
 * Those of mptun may be deleted by syncconf, which may yet refuse the file.  So
 * the file is not read.
 */
void agent_mend(struct agent *agent);

/* Read the file again, and make the paths of uplinks what it says. */
void agent_reload(struct agent *agent);

void agent_close(struct agent *agent);

/* In search.c: look-ups of the names of peers. */

/**
 * search_state() - a path is in a state
 * @agent: the agent
 * @name: the path
 * @state: MPTUN_PATH_STATE_*
 */
void search_state(struct agent *agent, const char *name, uint64_t state);

/**
 * search_sync() - begin look-ups for paths that wait for an address
 * @agent: the agent
 * @all: and for all others whose peers have names
 *
 * Those of paths that are gone end.
 */
void search_sync(struct agent *agent, bool all);

/**
 * search_taken() - the kernel has got the address of a peer
 * @agent: the agent
 * @note: the note of the path
 * @refused: it does not take it, so another one is looked for
 */
void search_taken(struct agent *agent, struct want_note *note, bool refused);

/* Begin look-ups that are due. */
void search_begin(struct agent *agent);

/* When the next one is due, UINT64_MAX for never. */
uint64_t search_due(const struct agent *agent);

/**
 * search_done() - take an answer
 * @agent: the agent
 * @index: index of the note
 * @answer: the answer
 */
void search_done(struct agent *agent, size_t index,
		 const struct lookup_answer *answer);

void search_end(struct agent *agent);

/* In server.c: servers, if there are several. */

/**
 * server_find() - find out which server is in use
 * @agent: the agent, with the tunnel as it is
 */
void server_find(struct agent *agent);

/**
 * server_keep() - stay with the server in use when the file is read again
 * @agent: the agent
 * @file: what replaces its file; if it lacks the server the paths move
 */
void server_keep(struct agent *agent, const struct conf_file *file);

/**
 * server_states() - write down where the paths lead
 * @agent: the agent
 * @paths: the paths
 */
void server_states(struct agent *agent, const struct dump_list *paths);

/**
 * server_lost() - which paths are to be led to the server in use
 * @agent: the agent, with the tunnel as it is
 *
 * Return: one bit for each path of the tunnel.
 */
uint64_t server_lost(const struct agent *agent);

/* Whether the path of a note is not there, as its peer has no address yet. */
bool server_unknown(const struct agent *agent, const struct want_note *note);

/**
 * server_event() - a path was reported
 * @agent: the agent
 * @path: the path; one that leads elsewhere than it is known to is looked at
 */
void server_event(struct agent *agent, const struct record *path);

/* Look whether the server in use answers. */
void server_look(struct agent *agent);

/* The trial of another server has come up. */
void server_nudge(struct agent *agent);

/* When server_run() is to be called, UINT64_MAX for never. */
uint64_t server_due(const struct agent *agent);

/* Move the paths to another server if it is time to. */
void server_run(struct agent *agent);

/* In cap.c: data caps. */

/**
 * cap_event() - a path has changed
 * @agent: the agent
 * @cmd: what the kernel has reported, MPTUN_CMD_*_NTF
 * @path: the path
 */
void cap_event(struct agent *agent, int cmd, const struct record *path);

/**
 * cap_states() - take what all paths have used, and begin new months
 * @agent: the agent
 * @paths: the paths
 */
void cap_states(struct agent *agent, const struct dump_list *paths);

/* Look again if it is time to. */
void cap_run(struct agent *agent);

/* Look again after a while. */
void cap_later(struct agent *agent);

/* Write down what was counted. */
void cap_end(struct agent *agent);

/* In spares.c: spares. */

/**
 * spares_look() - look which spares are needed
 * @agent: the agent
 *
 * Return: true if this differs from what was needed before.
 */
bool spares_look(struct agent *agent);

/* A path was reported. */
void spares_event(struct agent *agent);

/* Look if it is time to. */
void spares_run(struct agent *agent);

/* In save.c: writes of what is remembered. */

/* Begin to write what has changed, or do so when the present write ends. */
void save_begin(struct agent *agent);

/* Look whether a write has ended. */
void save_run(struct agent *agent);

/* Write what has changed, and wait until that is done. */
void save_end(struct agent *agent);

/* In loop.c */

/**
 * agent_loop() - run until a signal ends it
 * @agent: the agent, open
 *
 * Return: exit status of the program.
 */
int agent_loop(struct agent *agent);

#endif /* MPTUN_TOOLS_AGENT_H */
