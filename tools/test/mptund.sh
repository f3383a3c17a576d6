#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mptund on the command line.  What it does needs a kernel:
# selftests/net/ctl_agent.sh and ctl_servers.sh.
#
# Copyright (C) 2026 The mptun authors
#
# Usage: mptund.sh MPTUND

set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tools/test/lib.sh
. "$here/lib.sh"
prog=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
umask 077

# conf LINE...: the file mp0.conf
conf()
{
	printf '%s\n' '[Interface]' 'Cipher = clear' 'ID = 1' "$@" >mp0.conf
}

# says STATUS TEXT WORD...: the command fails so, and says so on standard error
says()
{
	local status=$1 text=$2 rc=0 err

	shift 2
	err=$(timeout 20 "$prog" "$@" 2>&1 >/dev/null) || rc=$?
	check_equal "$rc" "$status"
	check_equal "$err" "$text"
}

test_words()
{
	check_equal "$("$prog" -V)" "mptund $(<"$here/../../VERSION")"
	"$prog" -h | grep -q '^Usage: mptund NAME|FILE'
	says 1 '<3>mptund needs the name of a tunnel or of its file'
	says 1 '<3>mptund needs the name of a tunnel or of its file' a b
	says 1 '<3>/etc/mptun/nosuch0.conf cannot be read: No such file or directory' \
		nosuch0
	conf 'Prot = 1'
	says 1 '<3>mp0.conf:4: unknown key "Prot" in [Interface], did you mean Port?' \
		mp0.conf
}

# A file that needs no agent gets none.
test_needed()
{
	conf '[Path a]' 'Remote = 192.0.2.1' 'Dev = lo'
	says 2 '' -c mp0.conf
	conf '[Path a]' 'Remote = vpn.example.org'
	says 0 '' -c mp0.conf
	conf '[Path a]' 'Remote = 192.0.2.1' 'Dev = lo' 'Gateway = none'
	says 0 '' -c mp0.conf
	conf 'Server = 192.0.2.1' '[Path a]' 'Dev = lo'
	says 2 '' -c mp0.conf
	conf 'Server = 192.0.2.1, 192.0.2.2' '[Path a]' 'Dev = lo'
	says 0 '' -c mp0.conf
	conf 'Metrics = 9100'
	says 0 '' -c mp0.conf
	conf 'OnCap = true'
	says 0 '' -c mp0.conf
	conf '[Path a]' 'Remote = 192.0.2.1' 'Cap = 1gb'
	says 2 '' -c mp0.conf
	conf '[Path a]' 'Remote = 192.0.2.1' 'Cap = 1gb' 'CapReset = 1'
	says 0 '' -c mp0.conf
	conf 'Uplinks = auto' '[Path *]' 'Remote = 192.0.2.1'
	says 0 '' -c mp0.conf
	conf 'MinPaths = 2' '[Path a]' 'Remote = 192.0.2.1' 'Spare = on'
	says 0 '' -c mp0.conf
	conf 'Uplinks = none'
	says 2 '' -c mp0.conf
	conf 'OnPathDown = true'
	says 0 '' -c mp0.conf
	# the unit of the agent fails then, and is not skipped
	conf 'Uplink = auto'
	says 0 '<3>mp0.conf:4: unknown key "Uplink" in [Interface], did you mean Uplinks?' \
		-c mp0.conf
}

# begin [COMMAND...]: an agent of mptun-none0.conf, run by COMMAND, that handles
# signals; sets $pid.  What an agent before it has said is gone.
begin()
{
	local n

	: >"$work/log"
	"$@" "$prog" mptun-none0.conf 2>"$work/log" &
	pid=$!
	for ((n = 0; n < 100; n++)); do
		! grep -q "is not there yet" "$work/log" || return 0
		sleep 0.1
	done
	return 1
}

# holds PID: an agent has the file
holds()
{
	local fd

	for fd in /proc/"$1"/fd/*; do
		[ "$fd" -ef mptun-none0.conf ] && return
	done
	return 1
}

# Two would undo what the other one does.
test_alone()
{
	local pid

	conf 'Uplinks = none'
	mv mp0.conf mptun-none0.conf
	begin
	says 1 '<3>another agent has mptun-none0.conf' mptun-none0.conf
	# a file that was replaced: the first one sees that when it looks
	cp mptun-none0.conf new
	mv new mptun-none0.conf
	kill -HUP "$pid"
	for _ in $(seq 100); do
		holds "$pid" && break
		sleep 0.1
	done
	says 1 '<3>another agent has mptun-none0.conf' mptun-none0.conf
	kill "$pid"
	wait "$pid"
	begin
	kill "$pid"
	wait "$pid"
}

# code OPTION...: status of an answer of the agent at $work/sock
code()
{
	curl -s --path-as-is --max-time 5 --unix-socket sock -o body -D head \
		-w '%{http_code}' "$@"
}

# The status page needs no tunnel, and no module.
test_page()
{
	local pid n

	type curl >/dev/null 2>&1 || ktap_skip "no curl"
	conf "Metrics = $work/sock"
	mv mp0.conf mptun-none0.conf
	begin env MPTUN_STATUS="$here/../status"
	check_equal "$(code http://localhost/)" 200
	cmp body "$here/../status/index.html"
	grep -qi "^content-security-policy: default-src 'self';" head
	check_equal "$(code http://localhost/status.js)" 200
	cmp body "$here/../status/status.js"
	check_equal "$(code -H 'Host: evil.example' http://localhost/)" 421
	check_equal "$(code -X PUT http://localhost/)" 405
	for n in /../etc/passwd //etc/passwd /status.json/x /index.html; do
		check_equal "$n $(code "http://localhost$n")" "$n 404"
	done
	kill "$pid"
	wait "$pid"
}

# Every metric of the dashboard is one that the agent writes.
test_dashboard()
{
	local board=$here/../grafana/mptun.json

	type jq >/dev/null 2>&1 || ktap_skip "no jq"
	jq -r '.panels[].targets[].expr, .templating.list[].query.query?' \
		"$board" | grep -oE 'mptun_[a-z_]+' | sort -u >used
	[ "$(wc -l <used)" -gt 15 ]
	sed -n 's/^.*"\(mptun_[a-z_]*\)", .*\(true\|false\),.*/\1 \2/p' \
		"$here/../agent/openmetrics.c" |
		sed 's/ true$/_total/; s/ false$//' >written
	# those that are no rows of its tables
	grep -q '"mptun_tunnel_dropped_packets", "counter"' \
		"$here/../agent/openmetrics.c"
	printf '%s\n' mptun_tunnel_state mptun_path_state mptun_path_info \
		mptun_tunnel_dropped_packets_total >>written
	check_equal "$(sort -u written | comm -23 used -)" ""
	# no source of data of another installation
	check_equal "$(jq -r '.. | objects | .datasource? | objects | .uid' \
		"$board" | sort -u)" "\${datasource}"
}

# A terminal gets no priorities.
test_terminal()
{
	local out

	type script >/dev/null 2>&1 || ktap_skip "no script(1)"
	out=$(script -qec "$prog nosuch0" /dev/null </dev/null | tr -d '\r')
	check_equal "$out" \
		"mptund: /etc/mptun/nosuch0.conf cannot be read: No such file or directory"
}

ktap_test "mptund: words" test_words
ktap_test "mptund: which files need it" test_needed
ktap_test "mptund: one agent for each file" test_alone
ktap_test "mptund: the status page without a tunnel" test_page
ktap_test "mptund: metrics of the dashboard" test_dashboard
ktap_test "mptund: messages on a terminal" test_terminal
ktap_run
