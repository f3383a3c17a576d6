#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mptunctl top and record, against a simulated kernel.
#
# Copyright (C) 2026 The mptun authors
#
# Usage: watch.sh MPTUNCTL-FAKE [WRAPPER...]
#   as cli.sh

set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tools/test/lib.sh
. "$here/lib.sh"
# shellcheck source=tools/test/ctl.sh
. "$here/ctl.sh"
export LC_ALL=C COLUMNS=80

fresh()
{
	rm -f state
	ctl add mp0 cipher clear id 7
	ctl path add mp0 wan1 remote 198.51.100.7
	ctl path add mp0 wan2 remote 198.51.100.7
	ctl add mp1
	ctl path add mp1 dsl remote 2001:db8::1
}

# row FILE PATH: columns of the last row of a path, joined by blanks
row()
{
	awk -v path="$2" '$1 == path { $1 = $1; last = $0 }
		END { print last }' "$1"
}

test_top()
{
	local up

	fresh
	MPTUN_FAKE_GROW=125000 ctl top mp0 -i 0.2 -n 3 >out
	check_equal "$(grep -c '^....-..-.. ..:..:..$' out)" 3
	check_equal "$(grep -c '^mp0: established, 1 of 2 paths up, clear, peer 198.51.100.7$' out)" 3
	check_equal "$(grep -Ec '^ PATH STATE +UP +DOWN +CWND FLIGHT +RTT +MIN +LOSS +TREND$' out)" 3
	# 125000 bytes, in the time measured
	up=$(row out wan1 | sed -E 's/^wan1 up ([0-9.]+[kmg]?bit) .*/\1/')
	check_equal "$(grep -c '^0' <<<"$up")" 0
	row out wan1 | grep -Eq ' [#=-]+ 0bit .* 23\.4ms [0-9.]+ms - .*[.:=+*%#-]$'
	row out wan2 | grep -Eq '^wan2 up 0bit 0bit .* 23\.4ms [0-9.]+ms -$'
	grep -q "^ up $up *down 0bit *full bar " out
	if grep -q 'mp1\|dsl' out; then
		return 1
	fi
	check_equal "$(LC_ALL=C grep -c $'[^\t -~]' out)" 0
	check_equal "$(awk 'length > 80' out)" ""
}

test_top_widths()
{
	local width

	fresh
	for width in 1 20 60 79 100 200 1000; do
		COLUMNS=$width MPTUN_FAKE_GROW=9999 ctl top -i 0.1 -n 1 >out
		check_equal "$(sed 1d out | awk "length > $width")" ""
	done
	LC_ALL=C.UTF-8 MPTUN_FAKE_GROW=100000 ctl top mp0 -i 0.1 -n 1 >out
	row out wan1 | grep -q '[▏▎▍▌▋▊▉█]'
	row out wan1 | grep -q '[▁▂▃▄▅▆▇█]$'
	ctl path add mp0 wan3 remote 192.0.2.9
	ctl top mp0 -i 0.1 -n 1 >out
	grep -q ', clear, peer 198.51.100.7 +1$' out
}

test_top_gone()
{
	fresh
	MPTUN_FAKE_GONE=3 ctl top mp0 mp1 -i 0.1 -n 2 >out
	check_equal "$(grep -c '^mp1: ' out)" 1
	check_equal "$(grep -c '^there is no tunnel "mp1" now$' out)" 1
	rm -f state
	check_equal "$(ctl top -i 0.1 -n 1 | sed 1d)" "no tunnels"
}

test_record()
{
	fresh
	MPTUN_FAKE_GROW=1000 ctl record -i 1 mp0 -t 2.5 >out
	check_equal "$(jq -r .type out | uniq -c | awk '{ print $1 $2 }' |
		tr '\n' ' ')" "1start 1sample 6event 3sample 1end "
	check_equal "$(jq -c 'select(.type == "start") | [.format, .version,
		.interval_us, .duration_us, .devices]' out)" \
		"[1,\"$(cat "$here/../../VERSION")\",1000000,2500000,[\"mp0\"]]"
	check_equal "$(jq -c 'select(.type == "sample") | .tunnels[].paths |
		map(.stats.tx_bytes)' out)" \
		"[1000000,1000000]
[1001000,1000000]
[1002000,1000000]
[1003000,1000000]"
	jq -es '[.[] | select(.type == "sample") | .monotonic_us] |
		.[1] - .[0] >= 990000 and .[3] >= .[0] + 2500000' out
	check_equal "$(jq -c 'select(.type == "event") | [.event, .ifname,
		.name, .old_state, .state, .reason]' out)" \
		'["tunnel","mp0",null,null,"established",null]
["path","mp0","wan1","probing","up","answered"]
["path-gone","mp0","wan1","probing","up","answered"]
["path","mp0","wan2","probing","up","answered"]
["path-gone","mp0","wan2","probing","up","answered"]
["lost",null,null,null,null,null]'
	check_equal "$(tail -n 1 out | jq -c '[.reason, .samples]')" '["time",4]'
	jq -r .time out | grep -Eqv '^....-..-..T..:..:..\.......[+-]..:..$' &&
		return 1
	return 0
}

# Settings that mean the same elsewhere, nothing of this machine; each counter
test_record_contents()
{
	rm -f state
	ctl add mp0 port 5000 id 7 peer-id 8 cipher clear sched wrr hold 5ms
	ctl path add mp0 wan1 remote 198.51.100.7 port 5001 local 192.0.2.1 \
		local-port 99 dev wwan0 weight 3 rate 20mbit backup on
	ctl record -t 0.05 -o file
	check_equal "$(jq -c 'select(.type == "start") | .tunnels[0] |
		[.sched, .hold, .rekey, .port, .id, .peer_id, (.paths[0] |
		.weight, .backup, .rate, .dev, .remote, .local_port)]' file)" \
		'["wrr",5000,120,null,null,null,3,true,20000000,null,null,null]'
	check_equal "$(grep -Ec '198\.51|192\.0\.2|wwan0|5001|fedcba' file)" 0
	jq -c 'select(.type == "sample") | .tunnels[0] | (.reordering, .drops,
		.port_drops, .paths[0].stats) | keys[]' file | sort -u >machine
	ctl stats mp0 -j | jq -c '.[0] | (.reordering, .drops, .port_drops,
		.paths[0].stats) | keys[]' | sort -u >all
	diff machine all
	[ -s all ]
	check_equal "$(jq -cs '[.[] | select(.type == "sample")][0].tunnels[0] |
		[.state, .hold_now, .paths[0].state, .paths[0].srtt]' file)" \
		"$(json '.[0] | [.state, .hold_now, .paths[0].state,
			.paths[0].srtt]' show mp0)"
}

test_record_devices()
{
	fresh
	MPTUN_FAKE_GONE=3 ctl record -i 1 -t 2 >out
	check_equal "$(jq -c 'select(.type != "event") | [.type,
		(.tunnels // [] | map(.ifname))]' out)" \
		'["start",["mp0","mp1"]]
["sample",["mp0","mp1"]]
["sample",["mp0","mp1"]]
["sample",["mp0"]]
["end",[]]'
	check_equal "$(jq -c 'select(.event == "tunnel-gone") | .ifname' out)" \
		'"mp1"'
	MPTUN_FAKE_GONE=2 ctl record -i 1 -t 2 >out
	check_equal "$(jq -c 'select(.event | . == "tunnel-gone" or
		. == "tunnel-added") | [.event, .ifname, (.paths // [] |
		map(.name))]' out)" \
		'["tunnel-gone","mp1",[]]
["tunnel-added","mp1",["dsl"]]'
}

# ends SIGNAL: a recording ends with a complete line at any time
ends()
{
	local pid rc=0

	# Ignored signals stay ignored: SIGINT by the shell, SIGHUP by nohup.
	MPTUN_FAKE=$work/state python3 -c '
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])' \
		"${wrapper[@]}" "$prog" record -i 0.1 -o file &
	pid=$!
	until [ "$(grep -c '"type":"sample"' file)" -ge 2 ]; do
		sleep 0.02
	done
	kill "-$1" "$pid"
	wait "$pid" || rc=$?
	check_equal "$rc" 0
	check_equal "$(tail -n 1 file | jq -c '[.type, .reason]')" \
		'["end","signal"]'
	check_equal "$(jq -s 'map(select(.type == "sample")) | length' file)" \
		"$(tail -n 1 file | jq .samples)"
}

test_record_signals()
{
	local signal

	fresh
	for signal in TERM INT HUP; do
		: >file
		ends "$signal"
	done
}

test_refused()
{
	fresh
	refused 1 'unknown option "-x", known are -i, -n, -j, -d, -a, -n, -b, -force, -h and -V' top -x
	refused 1 'unknown option "-z", known are -i, -t, -o, -j, -d, -a, -n, -b, -force, -h and -V' \
		record mp0 -z 3
	refused 1 'unknown option "-i", known are -j, -d, -a, -n, -b, -force, -h and -V' -i 1 top
	refused 1 '"-n" needs a value (N)' top mp0 -n
	refused 1 '-n 0 is out of range (1..4294967295)' top -n 0
	refused 1 '-i 0.05 is out of range (100ms..3600s)' top -i 0.05
	refused 1 '-i "soon" is not a number (seconds, or us, ms, m, h or d)' top -i soon
	refused 1 '"-i" is given twice' record -i 1 -i 2
	refused 1 '-t 0 is out of range (10ms..31536000s)' record -t 0
	refused 1 'the name of the file after "-o" must not be empty' record -o ''
	refused 1 'top prints no JSON, use record' top -j
	refused 1 'device name "a/b" contains a character that is not allowed' \
		top a/b
	refused 2 'there is no tunnel "mp7"' top mp0 mp7 -n 1
	echo kept >file
	refused 2 'there is no tunnel "mp7"' record mp7 -o file
	check_equal "$(cat file)" kept
	refused 2 'nonesuch/file cannot be written: No such file or directory' \
		record -o nonesuch/file
	MPTUN_FAKE_FAMILY=none refused 2 \
		'the kernel has no mptun, load the module (modprobe mptun)' \
		record
	[ ! -w /dev/full ] || refused 2 \
		'/dev/full cannot be written: No space left on device' \
		record -o /dev/full
}

ktap_test "watch: top as text" test_top
ktap_test "watch: top fits every width" test_top_widths
ktap_test "watch: top without tunnels, and with one that goes" test_top_gone
ktap_test "watch: record: samples, events, end" test_record
ktap_test "watch: record: every figure, nothing of the machine" \
	test_record_contents
ktap_test "watch: record: tunnels that come and go" test_record_devices
ktap_test "watch: record: signals end it whole" test_record_signals
ktap_test "watch: refused: one sentence and a status" test_refused
ktap_run
