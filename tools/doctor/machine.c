// SPDX-License-Identifier: GPL-2.0
/*
 * Checks of the machine: the module and what keeps it from being loaded.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdio.h>
#include <string.h>

#include "doctor/doctor.h"

/* The variable has four bytes of attributes before its value. */
#define MACHINE_SECURE_BOOT \
	"/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
#define MACHINE_SECURE_BOOT_AT 4

static bool machine_installed(const char *release)
{
	char path[160];

	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", release);
	if (fact_line(path, "/mptun.ko"))
		return true;
	snprintf(path, sizeof(path), "/lib/modules/%s/modules.builtin",
		 release);
	return fact_line(path, "/mptun.ko");
}

static void machine_absent(struct doctor *doc, const char *release)
{
	if (fact_exists("/var/lib/dkms/mptun") ||
	    fact_exists("/usr/src/mptun-*/dkms.conf"))
		doctor_say(doc, DOCTOR_WRONG, "module",
			   "there is no module mptun for kernel %s: install the headers of this kernel (linux-headers-%s) and run \"dkms autoinstall -k %s\"",
			   release, release, release);
	else
		doctor_say(doc, DOCTOR_WRONG, "module",
			   "there is no module mptun for kernel %s: install the package mptun-dkms, or \"make dkms-install\" of the source",
			   release);
}

static void machine_unloaded(struct doctor *doc, bool secure)
{
	char release[80] = "?";

	fact_text("/proc/sys/kernel/osrelease", release, sizeof(release));
	if (!machine_installed(release)) {
		machine_absent(doc, release);
		return;
	}
	doctor_say(doc, DOCTOR_WRONG, "module",
		   "the module mptun is installed but not loaded: run \"modprobe mptun\"");
	if (secure)
		doctor_say(doc, DOCTOR_WRONG, "secure-boot",
			   "Secure Boot is on, so the kernel refuses modules whose key it does not know: enrol that of DKMS (\"mokutil --import /var/lib/dkms/mok.pub\") and restart the machine");
}

bool doctor_machine(struct doctor *doc)
{
	bool secure = fact_byte(MACHINE_SECURE_BOOT,
				MACHINE_SECURE_BOOT_AT) == 1;
	char version[32];

	if (!fact_text("/sys/module/mptun/version", version,
		       sizeof(version))) {
		machine_unloaded(doc, secure);
		return false;
	}
	if (strcmp(version, MPTUN_VERSION))
		doctor_say(doc, DOCTOR_WRONG, "version",
			   "the loaded module is version %s and this tool %s: install the same version of both, then load the new module (\"modprobe -r mptun\" without tunnels) or restart the machine",
			   version, MPTUN_VERSION);
	else
		doctor_say(doc, DOCTOR_OK, "version",
			   "the loaded module and this tool are version %s",
			   version);
	if (secure)
		doctor_say(doc, DOCTOR_OK, "secure-boot",
			   "Secure Boot is on and the module is loaded");
	return true;
}
