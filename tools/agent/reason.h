/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The reason for the state of a path, in words.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_REASON_H
#define MPTUN_TOOLS_REASON_H

#include "lib/record.h"

/**
 * reason_text() - why a path is in its state
 * @path: the path
 *
 * Return: the end of a sentence about the path.
 */
const char *reason_text(const struct record *path);

#endif /* MPTUN_TOOLS_REASON_H */
