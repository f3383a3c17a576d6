#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The units of systemd: their form, and what happens after a start that failed.
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
agent=$here/../systemd/mptund@.service
server=$here/../systemd/mptun-server.service
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

test_verify()
{
	type systemd-analyze >/dev/null 2>&1 || ktap_skip "no systemd-analyze"
	sed "s,/usr/sbin/mptunctl,$prog," "$unit" >"$work/mptun@.service"
	sed "s,/usr/sbin/mptund,${prog%ctl}d," "$agent" >"$work/mptund@.service"
	sed "s,/usr/sbin/mptunctl,$prog," "$server" >"$work/mptun-server.service"
	check_equal "$(systemd-analyze verify --man=no "$work/mptun@mp0.service" \
		"$work/mptund@mp0.service" "$work/mptun-server.service" 2>&1 |
		grep mptun)" ""
}

# As systemd judges it, of 100 for a program that may do anything.
test_hardened()
{
	type systemd-analyze >/dev/null 2>&1 || ktap_skip "no systemd-analyze"
	systemd-analyze security --help | grep -q -- --offline ||
		ktap_skip "systemd-analyze is too old"
	systemd-analyze security --offline=true --no-pager --threshold=25 \
		"$agent" >/dev/null
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
	words=$(sed -n 's/^Exec.*mptunctl server \([a-z]*\)$/\1/p' "$server")
	check_equal "$(xargs <<<"$words")" "up up down"
	for word in $words; do
		"$prog" complete server '' | grep -qx "$word"
	done
}

# The status 2 is that of a server without any tunnel.
test_server_fails()
{
	check_equal "$(grep '^[A-Za-z]*ExitStatus=' "$server")" \
		SuccessExitStatus=4
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

# A reload that brings Uplinks leaves no path but those of the agent, which does not
# get a file that syncconf has refused.
test_reload()
{
	check_equal "$(sed -n 's/^ExecReload=//p' "$unit")" \
		"/usr/sbin/mptunctl syncconf %i
-/bin/systemctl --no-block reload-or-restart mptund@%i.service"
	check_equal "$(grep ReloadPropagatedFrom "$agent")" ""
}

# A start that others have preceded fails once, as that of wg-quick does.
test_no_restart()
{
	check_equal "$(grep '^Restart' "$unit")" "Restart=on-failure
RestartSec=5
RestartPreventExitStatus=1 5"
}

test_failed_start()
{
	check_equal "$(after killed)" "down mp0"
	check_equal "$(after dumped)" "down mp0"
	check_equal "$(after exited)" ""
}

ktap_test "unit: systemd finds no fault" test_verify
ktap_test "unit: the agent has few rights" test_hardened
ktap_test "unit: its commands exist" test_commands
ktap_test "unit: a server without tunnels has failed" test_server_fails
ktap_test "unit: a reload starts the agent" test_reload
ktap_test "unit: what cannot pass is not tried again" test_no_restart
ktap_test "unit: after a start that failed" test_failed_start
ktap_run
