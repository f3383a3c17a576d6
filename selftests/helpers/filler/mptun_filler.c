// SPDX-License-Identifier: GPL-2.0
/*
 * Takes the lowest 64 MiB of the room for modules.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * QEMU before 8.0 computes addresses of the s390 instruction LARL with 32 bits.
 * The first modules are more than 2 GiB below the kernel, so what they refer to
 * in it would be 4 GiB off.
 */
#include <linux/module.h>

static char filler[64 << 20];

static int __init mptun_filler_init(void)
{
	filler[0] = 1;
	barrier_data(filler);
	return 0;
}

static void __exit mptun_filler_exit(void)
{
}

module_init(mptun_filler_init);
module_exit(mptun_filler_exit);

MODULE_AUTHOR("The mptun authors");
MODULE_DESCRIPTION("Takes room for modules");
MODULE_LICENSE("GPL");
