// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * The only process of a kernel that runs the unit tests: loads their module,
 * whose results are in the kernel's log, and turns the machine off.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	int fd = open("/mptun_kunit.ko", O_RDONLY);

	if (fd < 0 || syscall(SYS_finit_module, fd, "", 0))
		perror("mptun_kunit.ko");
	reboot(RB_POWER_OFF);
	return 1;
}
