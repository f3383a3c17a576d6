// SPDX-License-Identifier: GPL-2.0
/*
 * A server of many clients: its file, /etc/mptun/server.conf.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

#include "conf/text.h"
#include "lib/keyword.h"
#include "lib/report.h"
#include "lib/secret.h"
#include "lib/signals.h"
#include "server/check.h"
#include "server/mark.h"
#include "server/server.h"

/* Addresses of a server that is given none: RFC 1918, and RFC 4193 with 40
 * random bits.
 */
#define SERVER_POOL4 "10.47.0.0/16"
#define SERVER_RANDOM 5

/* In the environment of commands of files: who changes clients now. */
#define SERVER_HOLDER "MPTUN_SERVER_HOLDER"

/* Longest text of a value, of routes. */
#define SERVER_VALUE 4096

/* Blanks in lists, which the tables of keywords do not know. */
static void server_squeeze(char *text)
{
	char *to = text;

	for (; *text; text++)
		if (!isspace((unsigned char)*text))
			*to++ = *text;
	*to = '\0';
}

static int server_section(void *arg, int line, char *kind, char *name)
{
	struct server *server = arg;
	char quoted[32];

	if (!option_same(kind, "Server") || *name)
		return conf_fail(&server->error, line,
				 "unknown section [%s], the file of a server has [Server] only",
				 conf_quote(kind, quoted, sizeof(quoted)));
	if (!server->head)
		server->head = line;
	return 0;
}

static int server_unknown(struct server *server, int line, const char *key)
{
	char quoted[32], known[160], name[OPTION_NAME_MAX];
	size_t len = 0, count = keyword_server.count;

	for (size_t i = 0; i < count; i++)
		len += (size_t)snprintf(known + len, sizeof(known) - len,
					"%s%s", !i ? "" : i + 1 < count ?
					", " : " and ",
					option_name(keyword_server.keys[i].word,
						    name));
	return conf_fail(&server->error, line,
			 "unknown key \"%s\" in [Server], known are %s",
			 conf_quote(key, quoted, sizeof(quoted)), known);
}

static int server_key(void *arg, int line, char *word, char *value)
{
	int index = option_keyword(&keyword_server, word);
	char error[PARSE_ERROR_MAX], name[OPTION_NAME_MAX];
	struct server *server = arg;
	const struct parse_key *key;

	if (!server->head)
		return conf_fail(&server->error, line,
				 "there is no section before this line, begin with [Server]");
	if (index < 0)
		return server_unknown(server, line, word);
	key = &keyword_server.keys[index];
	if (server->line[index])
		return conf_fail(&server->error, line, "%s is already in line %d",
				 option_name(key->word, name),
				 server->line[index]);
	server->line[index] = line;
	if (key->type == PARSE_PREFIXES)
		server_squeeze(value);
	if (parse_word(key, value, &server->res.value[index], error))
		return conf_fail(&server->error, line, "%s", error);
	return 0;
}

/* Its clients, or the mark that it is to run, are there without its file. */
static bool server_left(void)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/" SERVER_CLIENTS, file_folder());
	return mark_there() || !access(path, F_OK);
}

static int server_missing(const struct conf_file *file, enum server_use use)
{
	if (use != SERVER_END || !server_left())
		return report_usage("there is no %s, \"mptunctl server init\" makes one",
				    file->path);
	report_warn("there is no %s any more", file->path);
	return STATUS_OK;
}

/* A mistake does not keep what runs from being ended. */
static int server_wrong(struct server *server, enum server_use use)
{
	int status = STATUS_OK;

	file_at(&server->file, server->error.line);
	if (use == SERVER_END)
		report_warn("%s", server->error.text);
	else
		status = report_usage("%s", server->error.text);
	report_at(NULL, 0);
	return status;
}

static int server_load(struct server *server, enum server_use use)
{
	const struct conf_handler handler = {
		.section = server_section, .key = server_key, .arg = server,
	};
	struct conf_file *file = &server->file;
	struct stat st;
	size_t len;
	int status;

	if (access(file->path, F_OK) && errno == ENOENT)
		return server_missing(file, use);
	status = file_text(file, &len, &st);
	if (status)
		return use == SERVER_END ? STATUS_OK : status;
	if (!conf_read(file->text, len, &handler, &server->error) &&
	    !server_check(server))
		return STATUS_OK;
	return server_wrong(server, use);
}

static int server_flock(int fd, int how)
{
	while (flock(fd, how)) {
		if (errno == EINTR && signals_noted())
			return report_fail("interrupted by a signal while another command uses %s",
					   file_folder());
		if (errno != EINTR)
			return report_fail("%s cannot be locked: %s",
					   file_folder(), strerror(errno));
	}
	return STATUS_OK;
}

int server_lock(struct server *server)
{
	return server_flock(server->folder, LOCK_EX);
}

void server_unlock(struct server *server)
{
	flock(server->folder, LOCK_UN);
}

/* A command of a file that runs now would wait for itself; the lock is taken. */
static int server_inside(void)
{
	const char *holder = getenv(SERVER_HOLDER);
	pid_t pid = holder ? (pid_t)atoi(holder) : 0;

	if (pid <= 0 || pid == getpid() || kill(pid, 0))
		return STATUS_OK;
	return report_usage("a command in the file of a client can list and export clients, but not change them");
}

/* Commands of files know who has the lock. */
static int server_hold(struct server *server)
{
	char pid[16];
	int status = STATUS_OK;

	if (flock(server->clients, LOCK_EX | LOCK_NB))
		status = server_inside();
	if (!status)
		status = server_flock(server->clients, LOCK_EX);
	if (status)
		return status;
	server->change = true;
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	setenv(SERVER_HOLDER, pid, 1);
	return server_lock(server);
}

/* Locks are those of folders, as files are replaced. */
static int server_folders(struct server *server, enum server_use use)
{
	bool change = use == SERVER_CHANGE || use == SERVER_END;
	int status = STATUS_OK;
	char path[256];

	server->folder = store_folder(AT_FDCWD, file_folder(), file_folder(),
				      false);
	if (server->folder < 0)
		return STATUS_KERNEL;
	if (use == SERVER_READ)
		status = server_flock(server->folder, LOCK_SH);
	if (status || (!change &&
		       !store_exists(server->folder, SERVER_CLIENTS)))
		return status;
	snprintf(path, sizeof(path), "%s/" SERVER_CLIENTS, file_folder());
	server->clients = store_folder(server->folder, SERVER_CLIENTS, path,
				       change);
	if (server->clients < 0)
		return STATUS_KERNEL;
	return change ? server_hold(server) : STATUS_OK;
}

int server_open(struct server **out, enum server_use use)
{
	struct server *server = calloc(1, sizeof(*server));
	int status;

	*out = NULL;
	if (!server)
		return report_fail("out of memory");
	server->folder = -1;
	server->clients = -1;
	if (asprintf(&server->file.path, "%s/%s", file_folder(),
		     SERVER_FILE) < 0)
		exit(report_fail("out of memory"));
	status = server_load(server, use);
	if (!status)
		status = server_folders(server, use);
	if (status)
		server_close(server);
	else
		*out = server;
	return status;
}

void server_close(struct server *server)
{
	if (!server)
		return;
	if (server->change)
		unsetenv(SERVER_HOLDER);
	if (server->clients >= 0)
		close(server->clients);
	if (server->folder >= 0)
		close(server->folder);
	/* It is no secret, but each file is read alike. */
	if (server->file.text)
		secret_wipe(server->file.text, server->file.size);
	free(server->file.text);
	free(server->file.path);
	free(server);
}

/* A pool that is drawn, unless one is given. */
static int server_pool(struct parse_value *val, char *buf, size_t size)
{
	unsigned char id[SERVER_RANDOM];

	if (val->set)
		return STATUS_OK;
	if (getrandom(id, sizeof(id), 0) != sizeof(id))
		return report_fail("the kernel returns no random numbers: %s",
				   strerror(errno));
	snprintf(buf, size, SERVER_POOL4 ",fd%02x:%02x%02x:%02x%02x::/64",
		 id[0], id[1], id[2], id[3], id[4]);
	val->set = true;
	val->word = buf;
	return STATUS_OK;
}

/* Defaults are written as well, so that the file shows what can be set. */
static void server_write(const struct parse_result *res,
			 struct store_text *text)
{
	store_print(text, "# A server of multipath tunnels, see mptunctl-server(8).\n"
		    "[Server]\n");
	for (size_t i = 0; i < keyword_server.count; i++) {
		const struct parse_key *key = &keyword_server.keys[i];
		char name[OPTION_NAME_MAX], buf[SERVER_VALUE];

		if (!res->value[i].set && !key->standard)
			continue;
		store_print(text, "%s = %s\n", option_name(key->word, name),
			    res->value[i].set ?
			    text_value(key, &res->value[i], buf, sizeof(buf)) :
			    key->standard);
	}
}

static int server_create(int folder, const struct store_text *text)
{
	static const char name[] = "." SERVER_NAME ".new";
	int status;

	if (store_exists(folder, SERVER_FILE))
		return report_usage("%s/%s exists already, nothing is changed",
				    file_folder(), SERVER_FILE);
	/* What an interrupted run has left. */
	unlinkat(folder, name, 0);
	status = store_write(folder, name, text);
	/* It is on the disk before it gets its name. */
	if (!status && syncfs(folder))
		status = report_fail("%s cannot be written: %s", file_folder(),
				     strerror(errno));
	if (!status)
		status = store_rename(folder, name, SERVER_FILE);
	if (status)
		unlinkat(folder, name, 0);
	else
		fsync(folder);
	return status;
}

/* As when the file is read. */
static int server_check_new(struct parse_result *res)
{
	struct server *server = calloc(1, sizeof(*server));
	int status = STATUS_OK;

	if (!server)
		return report_fail("out of memory");
	server->res = *res;
	server->head = 1;
	if (server_check(server))
		status = report_usage("%s", server->error.text);
	free(server);
	return status;
}

int server_init(struct parse_result *res)
{
	struct store_text text = { .len = 0 };
	int folder, status;
	char buf[64];

	status = server_pool(&res->value[KEYWORD_SERVER_POOL], buf,
			     sizeof(buf));
	if (!status)
		status = server_check_new(res);
	if (status)
		return status;
	server_write(res, &text);
	folder = store_folder(AT_FDCWD, file_folder(), file_folder(), true);
	if (folder < 0)
		return STATUS_KERNEL;
	while (flock(folder, LOCK_EX) && errno == EINTR)
		;
	status = server_create(folder, &text);
	close(folder);
	return status;
}

unsigned int server_port(const struct server *server)
{
	const struct parse_value *port =
		&server->res.value[KEYWORD_SERVER_PORT];

	return port->set ? (unsigned int)port->num : MPTUN_PORT_DEFAULT;
}

bool server_masquerade(const struct server *server)
{
	const struct parse_value *val =
		&server->res.value[KEYWORD_SERVER_MASQUERADE];

	return !val->set || val->num;
}
