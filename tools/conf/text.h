/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plans as text: what plan_read() reads back.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_TEXT_H
#define MPTUN_TOOLS_TEXT_H

#include <stdio.h>

#include "conf/plan.h"

/**
 * text_value() - a value as parse_word() reads it
 * @key: its keyword
 * @val: the value
 * @buf: buffer for numbers and addresses
 * @size: size of @buf
 *
 * Return: @buf, or the word that the value is.
 */
const char *text_value(const struct parse_key *key,
		       const struct parse_value *val, char *buf, size_t size);

/**
 * text_print() - print the settings of tunnel, paths and classes
 * @plan: the plan; what belongs to the machine is left out, and the key
 * @file: where to
 */
void text_print(const struct plan *plan, FILE *file);

#endif /* MPTUN_TOOLS_TEXT_H */
