// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * The module that holds the KUnit suites of the pure cores.
 */
#include <linux/module.h>

MODULE_DESCRIPTION("KUnit tests of the multipath tunnel");
MODULE_LICENSE("GPL");
