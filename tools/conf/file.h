/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Configuration files on disk.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_FILE_H
#define MPTUN_TOOLS_FILE_H

#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

#include "conf/plan.h"
#include "lib/conn.h"

/* How their names end. */
#define FILE_END ".conf"

_Static_assert(sizeof(off_t) == 8 && sizeof(ino_t) == 8,
	       "large files and inodes");

/**
 * struct file_stamp - what differs if a file has changed
 * @dev: its file system
 * @ino: its number there
 * @size: its size
 * @changed: when it was changed
 */
struct file_stamp {
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec changed;
};

/**
 * struct conf_file - a configuration file
 * @name: name of the tunnel
 * @path: name of the file
 * @text: its contents
 * @size: size of @text
 * @stamp: what it was when it was read
 * @plan: what it says
 */
struct conf_file {
	char name[PARSE_TEXT_MAX + 1];
	char *path;
	char *text;
	size_t size;
	struct file_stamp stamp;
	struct plan plan;
};

/**
 * file_folder() - where the files of tunnels are
 *
 * Return: "/etc/mptun"; tests replace it.
 */
const char *file_folder(void);

/**
 * file_name_valid() - whether a tunnel of this name can have a file
 * @name: the name
 * @len: its length
 *
 * Return: true if so.
 */
bool file_name_valid(const char *name, size_t len);

/**
 * file_named() - find the file of a tunnel
 * @arg: name of the tunnel, or of a file NAME.conf
 * @dev: name of the tunnel if it is not to be that of the file, or NULL
 *
 * Return: the file without its contents, or NULL after a message.
 */
struct conf_file *file_named(const char *arg, const char *dev);

/**
 * file_exists() - whether the file is there
 * @file: the file
 *
 * Return: true if so.
 */
bool file_exists(const struct conf_file *file);

/**
 * file_text() - read the text of a file
 * @file: the file
 * @len: set to the length of the text, which has room for another character
 * @st: filled in with what the file is
 *
 * Return: 0, or the exit status of the program after a message.
 */
int file_text(struct conf_file *file, size_t *len, struct stat *st);

/**
 * file_load() - read and check a file
 * @file: the file
 * @create: the tunnel is created by it, so it needs a key
 *
 * Messages begin with file and line.
 *
 * Return: 0, or the exit status of the program after a message.
 */
int file_load(struct conf_file *file, bool create);

/**
 * file_changed() - whether a file is another one than it was
 * @file: the file
 *
 * Return: true if it has changed since it was read, or since the last call that
 *	has returned true.
 */
bool file_changed(struct conf_file *file);

/**
 * file_stays() - whether a file is still the one that it was
 * @file: the file
 *
 * Return: what file_changed() would not return; it stays as it is.
 */
bool file_stays(const struct conf_file *file);

/**
 * file_key() - make the key part of the settings
 * @file: the file, loaded
 *
 * A file with the key alone is read, relative to the folder of this one.
 *
 * Return: 0, or the exit status of the program after a message.
 */
int file_key(struct conf_file *file);

/**
 * file_resolve() - look up the host names of peers
 * @file: the file
 * @have: the tunnel as it is, or NULL; an address that is still among those of
 *	its name is kept, and so is that of a name that cannot be looked up now
 *
 * Return: 0, or the exit status of the program after a message.
 */
int file_resolve(struct conf_file *file, const struct plan *have);

/**
 * file_at() - begin messages with a line of the file
 * @file: the file
 * @line: the line, 0 for none
 */
void file_at(const struct conf_file *file, int line);

/**
 * file_place() - where settings are
 * @file: the file
 * @head: line of their section
 * @set: the settings
 *
 * Return: the place, for conn_at().
 */
struct conn_place file_place(const struct conf_file *file, int head,
			     const struct plan_set *set);

/**
 * file_free() - wipe and free a file
 * @file: the file, or NULL
 */
void file_free(struct conf_file *file);

#endif /* MPTUN_TOOLS_FILE_H */
