// SPDX-License-Identifier: GPL-2.0
/*
 * Configuration files on disk.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Avoids stdio, whose buffers cannot be wiped.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/file.h"
#include "conf/number.h"
#include "lib/keyfile.h"
#include "lib/keyword.h"
#include "lib/report.h"
#include "lib/resolve.h"

/* Largest file, in bytes. */
#define FILE_MAX (1 << 20)

__attribute__((weak)) const char *file_folder(void)
{
	return "/etc/mptun";
}

static char *file_join(const char *folder, size_t len, const char *name,
		       const char *end)
{
	char *path;

	if (asprintf(&path, "%.*s/%s%s", (int)len, folder, name, end) < 0)
		exit(report_fail("out of memory"));
	return path;
}

/* The name is part of names in nftables, which takes these characters. */
static bool file_name_plain(const char *name, size_t len)
{
	static const char valid[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

	return len && len <= PARSE_TEXT_MAX && strspn(name, valid) >= len &&
	       name[0] != '-' && name[0] != '.';
}

bool file_name_valid(const char *name, size_t len)
{
	char word[PARSE_TEXT_MAX + 1], error[PARSE_ERROR_MAX];

	if (!file_name_plain(name, len))
		return false;
	memcpy(word, name, len);
	word[len] = '\0';
	return !parse_kept_name(word, error);
}

static int file_name(struct conf_file *file, const char *name, size_t len)
{
	char error[PARSE_ERROR_MAX];

	if (!len)
		return report_usage("the file has to be called NAME%s, after the tunnel",
				    FILE_END);
	if (!file_name_plain(name, len))
		return report_usage("the name of a tunnel with a file has 1 to 15 letters, digits, \"_\", \"-\" and \".\", not \"%.*s\"",
				    (int)(len > 40 ? 40 : len), name);
	memcpy(file->name, name, len);
	if (parse_kept_name(file->name, error))
		return report_usage("%s", error);
	return STATUS_OK;
}

/* Length of the name without ".conf"; 0 if it has no such end. */
static size_t file_stem(const char *name)
{
	size_t len = strlen(name), end = strlen(FILE_END);

	return len > end && !strcmp(name + len - end, FILE_END) ? len - end : 0;
}

struct conf_file *file_named(const char *arg, const char *dev)
{
	const char *slash = strrchr(arg, '/'), *base = slash ? slash + 1 : arg;
	struct conf_file *file = calloc(1, sizeof(*file));
	bool is_file = slash || file_stem(base);
	size_t len = is_file ? file_stem(base) : strlen(arg);

	if (!file)
		exit(report_fail("out of memory"));
	if (dev ? file_name(file, dev, strlen(dev)) :
		  file_name(file, base, len)) {
		free(file);
		return NULL;
	}
	file->path = is_file ? strdup(arg) :
			       file_join(file_folder(), strlen(file_folder()),
					 arg, FILE_END);
	return file;
}

bool file_exists(const struct conf_file *file)
{
	return !access(file->path, F_OK);
}

void file_at(const struct conf_file *file, int line)
{
	report_at(file->path, line);
}

struct conn_place file_place(const struct conf_file *file, int head,
			     const struct plan_set *set)
{
	return (struct conn_place) { file->path, head, set->line };
}

static int file_wrong(const struct conf_file *file, const char *what)
{
	report_at(NULL, 0);
	return report_usage("%s %s", file->path, what);
}

static int file_fill(struct conf_file *file, int fd, const struct stat *st,
		     size_t *len)
{
	ssize_t got = 1;

	if (!S_ISREG(st->st_mode))
		return file_wrong(file, "is no file");
	if (st->st_size > FILE_MAX)
		return file_wrong(file, "is too large");
	file->size = (size_t)st->st_size + 1;
	file->text = malloc(file->size);
	if (!file->text)
		exit(report_fail("out of memory"));
	while (got && *len + 1 < file->size) {
		got = read(fd, file->text + *len, file->size - 1 - *len);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return file_wrong(file, strerror(errno));
		*len += (size_t)got;
	}
	return STATUS_OK;
}

/* Its commands run as root, and it may have a key. */
static void file_warn(const struct conf_file *file, const struct stat *st)
{
	mode_t mode = st->st_mode, write = mode & (S_IWGRP | S_IWOTH);
	const char *what = write ? "write" : "read";

	if (st->st_uid && st->st_uid != geteuid())
		report_warn("%s is not owned by root, who runs its commands",
			    file->path);
	if (write || (file->plan.keyed && mode & (S_IRGRP | S_IROTH)))
		report_warn("other users may %s %s (mode %04o), use chmod 600",
			    what, file->path, (unsigned int)mode & 07777);
}

int file_key(struct conf_file *file)
{
	struct parse_value *val = &file->plan.set.res.value[KEYWORD_SET_KEY];
	const char *slash = strrchr(file->path, '/');
	int status = STATUS_OK;
	char *path;

	if (val->set) {
		file_at(file, file->plan.host.line[OPTION_KEY_FILE]);
		if (*val->word == '/' || !slash)
			path = strdup(val->word);
		else
			path = file_join(file->path,
					 (size_t)(slash - file->path),
					 val->word, "");
		status = keyfile_read(path, file->plan.key);
		free(path);
		report_at(NULL, 0);
	}
	if (file->plan.keyed || val->set) {
		val->set = true;
		val->data = file->plan.key;
	}
	return status;
}

static struct file_stamp file_stamp(const struct stat *st)
{
	return (struct file_stamp) {
		.dev = st->st_dev, .ino = st->st_ino, .size = st->st_size,
		.changed = st->st_mtim,
	};
}

/* One that cannot be read is another one than any that can. */
static bool file_differs(const struct conf_file *file, struct file_stamp *now)
{
	const struct file_stamp *was = &file->stamp;
	struct file_stamp is = { 0 };
	struct stat st;

	if (!stat(file->path, &st))
		is = file_stamp(&st);
	*now = is;
	return was->dev != is.dev || was->ino != is.ino ||
	       was->size != is.size ||
	       was->changed.tv_sec != is.changed.tv_sec ||
	       was->changed.tv_nsec != is.changed.tv_nsec;
}

bool file_stays(const struct conf_file *file)
{
	struct file_stamp is;

	return !file_differs(file, &is);
}

bool file_changed(struct conf_file *file)
{
	struct file_stamp is;
	bool changed = file_differs(file, &is);

	file->stamp = is;
	return changed;
}

int file_text(struct conf_file *file, size_t *len, struct stat *st)
{
	int fd = open(file->path, O_RDONLY | O_CLOEXEC), status;

	*len = 0;
	if (fd < 0)
		return report_usage("%s cannot be read: %s", file->path,
				    strerror(errno));
	if (fstat(fd, st))
		status = file_wrong(file, strerror(errno));
	else
		status = file_fill(file, fd, st, len);
	close(fd);
	return status;
}

int file_load(struct conf_file *file, bool create)
{
	struct plan *plan = &file->plan;
	struct stat st;
	size_t len;
	int status;

	status = file_text(file, &len, &st);
	if (status)
		return status;
	file->stamp = file_stamp(&st);
	if (plan_read(plan, file->text, len) || plan_check(plan, create)) {
		file_at(file, plan->error.line);
		status = report_usage("%s", plan->error.text);
		report_at(NULL, 0);
		return status;
	}
	file_warn(file, &st);
	number_mark(plan, file->name);
	return STATUS_OK;
}

static const struct parse_value *file_remote(const struct plan *plan,
					     const char *path)
{
	for (size_t i = 0; plan && i < plan->paths; i++)
		if (!strcmp(plan->path[i].name, path))
			return plan_value(&plan->path[i].set, "remote");
	return NULL;
}

/* A path that is there keeps its peer: the agent, or the next reload, finds it
 * when the resolver answers.
 */
static int file_unresolved(const struct conf_file *file,
			   const struct plan_path *path, int need,
			   const struct parse_value *was,
			   struct parse_value *remote)
{
	const char *why = file->plan.error.text;

	if (!was || !was->family || (need && was->family != need))
		return report_fail("%s", why);
	report_warn("%s, path %s keeps the peer that it has", why, path->name);
	*remote = *was;
	return STATUS_OK;
}

static int file_resolve_path(struct conf_file *file, const struct plan *have,
			     struct plan_path *path)
{
	const struct parse_value *local = plan_value(&path->set, "local");
	const struct parse_value *was = file_remote(have, path->name);
	int index = parse_find(&keyword_path, "remote");
	struct parse_value *remote = &path->set.res.value[index];
	int need = local ? local->family : 0;

	if (!need)
		need = path->via.family;
	if (!remote->word ||
	    !resolve_again(remote, need, was, file->plan.error.text))
		return STATUS_OK;
	file_at(file, path->set.line[index]);
	return file_unresolved(file, path, need, was, remote);
}

int file_resolve(struct conf_file *file, const struct plan *have)
{
	for (size_t i = 0; i < file->plan.paths; i++)
		if (file_resolve_path(file, have, &file->plan.path[i]))
			return STATUS_KERNEL;
	return STATUS_OK;
}

void file_free(struct conf_file *file)
{
	if (!file)
		return;
	if (file->text)
		secret_wipe(file->text, file->size);
	secret_wipe(file->plan.key, sizeof(file->plan.key));
	free(file->text);
	free(file->path);
	free(file);
}
