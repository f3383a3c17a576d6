/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of values, as users read and write them.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_NAMES_H
#define MPTUN_TOOLS_NAMES_H

#include <stddef.h>

/**
 * struct names - names of the values of an enumeration
 * @name: by value, NULL where there is none
 * @count: number of entries of @name
 */
struct names {
	const char *const *name;
	size_t count;
};

/* Generated from the spec, see field-gen.c. */
extern const struct names names_cipher;
extern const struct names names_assoc_state;
extern const struct names names_path_state;
extern const struct names names_pmtu_state;
extern const struct names names_path_reason;
extern const struct names names_reorder_mode;
extern const struct names names_frag_mode;
extern const struct names names_mss_clamp_mode;
extern const struct names names_cap_action;
extern const struct names names_class_policy;
extern const struct names names_repair_mode;
/* The kernel may know others. */
extern const struct names names_scheduler;
extern const struct names names_controller;

extern const struct names names_switch;
/* Names of some numbers. */
extern const struct names names_dscp;
extern const struct names names_protocol;

#endif /* MPTUN_TOOLS_NAMES_H */
