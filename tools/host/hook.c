// SPDX-License-Identifier: GPL-2.0
/*
 * Commands of a configuration file.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include "host/host.h"
#include "host/run.h"
#include "lib/report.h"

int host_hooks(const struct conf_file *file, enum conf_option option)
{
	const struct plan_texts *hooks;

	hooks = &file->plan.host.hook[option - OPTION_PRE_UP];
	for (size_t i = 0; i < hooks->count; i++) {
		int status = run_shell(hooks->list[i].text, file->name);

		if (!status)
			continue;
		file_at(file, hooks->list[i].line);
		return report_fail("the command has failed with status %d",
				   status);
	}
	return STATUS_OK;
}
