#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The unit of systemd: its form, and what it does after a start that failed.
#
# Copyright (C) 2026 The mptun authors
#
# Usage: unit.sh MPTUNCTL

set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tools/test/lib.sh
. "$here/lib.sh"
prog=$(realpath "$1")
unit=$here/../systemd/mptun@.service
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

test_verify()
{
	type systemd-analyze >/dev/null 2>&1 || ktap_skip "no systemd-analyze"
	sed "s,/usr/sbin/mptunctl,$prog," "$unit" >"$work/mptun@.service"
	check_equal "$(systemd-analyze verify --man=no \
		"$work/mptun@mp0.service" 2>&1 | grep mptun)" ""
}

# The commands that it runs are commands of the program.
test_commands()
{
	local word words

	words=$(sed -n 's/^Exec.*mptunctl \([a-z]*\) .*/\1/p' "$unit")
	check_equal "$(xargs <<<"$words")" "up syncconf down down"
	for word in $words; do
		"$prog" complete '' | grep -qx "$word"
	done
}

# after CODE: what the unit runs after a start that ended so
after()
{
	local line

	line=$(sed -n "s/^ExecStopPost=.*-c '\(.*\)'$/\1/p" "$unit")
	line=${line//\$\$/\$}
	line=${line//%i/mp0}
	printf '#!/bin/sh\necho "$@"\n' >"$work/mptunctl"
	chmod +x "$work/mptunctl"
	EXIT_CODE=$1 sh -c "${line//\/usr\/sbin/$work}"
}

test_failed_start()
{
	check_equal "$(after killed)" "down mp0"
	check_equal "$(after dumped)" "down mp0"
	check_equal "$(after exited)" ""
}

ktap_test "unit: systemd finds no fault" test_verify
ktap_test "unit: its commands exist" test_commands
ktap_test "unit: after a start that failed" test_failed_start
ktap_run
