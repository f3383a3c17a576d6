// SPDX-License-Identifier: GPL-2.0
/*
 * Pretends that the machine was suspended for some time.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * The parameter "seconds" is added to the time since boot, and to no other
 * clock, as suspend does.  A virtual machine whose files are those of its host
 * cannot be suspended.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/timekeeping.h>

static unsigned int seconds;
module_param(seconds, uint, 0644);
MODULE_PARM_DESC(seconds, "time of suspend");

/* Only calls that read the time since boot are followed to their return. */
static int mptun_slept_entry(struct kretprobe_instance *ri,
			     struct pt_regs *regs)
{
	return regs_get_kernel_argument(regs, 0) != TK_OFFS_BOOT;
}

NOKPROBE_SYMBOL(mptun_slept_entry);

static int mptun_slept_return(struct kretprobe_instance *ri,
			      struct pt_regs *regs)
{
	s64 time = regs_return_value(regs);

	regs_set_return_value(regs, time + seconds * (s64)NSEC_PER_SEC);
	return 0;
}

NOKPROBE_SYMBOL(mptun_slept_return);

static struct kretprobe mptun_slept_probe = {
	.kp.symbol_name = "ktime_get_with_offset",
	.entry_handler = mptun_slept_entry,
	.handler = mptun_slept_return,
	.maxactive = 64,
};

static int __init mptun_slept_init(void)
{
	return register_kretprobe(&mptun_slept_probe);
}

static void __exit mptun_slept_exit(void)
{
	unregister_kretprobe(&mptun_slept_probe);
}

module_init(mptun_slept_init);
module_exit(mptun_slept_exit);

MODULE_DESCRIPTION("Pretends that the machine was suspended");
MODULE_LICENSE("GPL");
