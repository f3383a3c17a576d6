# SPDX-License-Identifier: GPL-2.0
#
# Completion of mptunctl for fish.
#
# Copyright (C) 2026 The mptun authors
#
# "mptunctl complete" lists the candidates for the last word; a slash stands for
# file names.  fish quotes what it would execute in a name.

function __mptunctl_complete
	set -l words (commandline -opc)
	set -l tool $words[1]
	set -e words[1]
	set -l list ($tool complete $words (commandline -ct) 2>/dev/null)
	if test "$list" = /
		__fish_complete_path (commandline -ct)
	else
		printf '%s\n' $list
	end
end

complete -c mptunctl -f -a '(__mptunctl_complete)'
