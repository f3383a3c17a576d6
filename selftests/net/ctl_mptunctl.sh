#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# mptunctl: its output, as text and as JSON, and its errors.
# Copyright (C) 2026 The mptun authors
# stages: tt vm-long
#
#   ┌───────┐ wan1 (8 Mbit/s, 5 ms)    ┌───────┐
#   │       ├──────────────────────────┤       │
#   │   a   │ wan2 (8 Mbit/s, 10 ms)   │   b   │
#   │       ├──────────────────────────┤       │
#   └───────┘                          └───────┘
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

theme_setup() {
	two_paths "8mbit 5ms" "8mbit 10ms"
	wait_ping a "$(inner a mp0)"
	on a ping -n -q -c 20 -i 0.02 "$(inner a mp0)"
}

test_show() {
	ctl a show >"$TMP/show"
	ctl a >"$TMP/bare"
	eq "first line" "$(head -n 1 "$TMP/show")" \
		"mp0: established, 2 of 2 paths up"
	eq "first line of the bare form" "$(head -n 1 "$TMP/bare")" \
		"$(head -n 1 "$TMP/show")"
	grep -q "wan1 .*up .*$(remote a wan1)" "$TMP/show"
	grep -q "wan2 .*up .*$(remote a wan2)" "$TMP/show"
	! grep -q $'\033' "$TMP/show" || fail "colours without a terminal"
}

test_show_json() {
	local state

	ctl a show -j | jq -e 'length == 1 and (.[0] |
		.ifname == "mp0" and .state == "established" and
		.paths_up == 2 and (.paths | length) == 2 and
		.reorder == "adaptive" and .learn == false and
		(.reordering.in_order | type) == "number" and
		(.drops.rx_short | type) == "number" and
		(.paths[0].srtt >= 10000 and .paths[0].srtt < 60000))'
	eq "instances" "$(tun_json a mp0 .instance)" \
		"$(tun_json b mp0 .peer_instance)"
	eq "instances" "$(tun_json b mp0 .instance)" \
		"$(tun_json a mp0 .peer_instance)"
	state=$(ctl a show mp0 -j | jq -c '.[0].paths | map(.state)')
	eq "states" "$state" '["up","up"]'
}

test_show_every() {
	local bits

	flow_start a b "$(inner a mp0)" 1000 3
	ctl a show mp0 every 500ms count 3 -j >"$TMP/every"
	flow_end
	eq "number of looks" "$(jq -s length "$TMP/every")" 3
	bits=$(jq -s '.[1][0].paths | map(.tx_rate) | add' "$TMP/every")
	timely "rate" "$bits > 800000 && $bits < 1400000"
}

test_path_show() {
	ctl a path show mp0 >"$TMP/show"
	grep -q wan1 "$TMP/show"
	ctl a path show mp0 wan2 -j |
		jq -e 'length == 1 and .[0].name == "wan2"'
	ctl a path show mp0 -j | jq -e 'map(.name) | sort == ["wan1","wan2"]'
}

# both forms list every counter, the text with its meaning
test_stats() {
	local n

	ctl a stats mp0 -a >"$TMP/stats"
	n=$(wc -l <"$TMP/stats")
	num "lines" "$n > 50"
	grep -q "received before" "$TMP/stats"
	ctl a stats mp0 >"$TMP/counted"
	! grep -q '^ *0 [a-z]' "$TMP/counted" || fail "zeros without -a"
	grep -q ' tx-packets ' "$TMP/counted"
	ctl a stats mp0 -j | jq -e '.[0] | .reordering.hold_histogram |
		length == 16'
	ctl a stats mp0 -j | jq -e '[.. | .tx_packets? // empty] | add > 10'
}

# events are printed at once, one JSON object per line
test_monitor() {
	bg a mptunctl monitor -j
	wait_for 5 subscribed
	ctl a path set mp0 wan2 off
	wait_for 5 seen '.event == "path" and .name == "wan2" and
		.old_state == "up" and .state == "off" and .reason == "admin"'
	ctl a path set mp0 wan2 on
	wait_for 5 seen '.event == "path" and .name == "wan2" and
		.state == "up"'
	ctl a path add mp0 extra remote 10.99.0.1
	wait_for 5 seen '.event == "path" and .name == "extra"'
	ctl a path del mp0 extra
	wait_for 5 seen '.event == "path-gone" and .name == "extra"'
	bg_kill "$BG"
	wait_state a mp0 wan2 up
}

# whether the monitor has joined its netlink group
subscribed() {
	on a cat /proc/net/netlink |
		awk '$2 == 16 && $4 != "00000000" { n++ } END { exit !n }'
}

seen() {
	jq -es "map(select($1)) | length > 0" "$TMP/bg.$BG"
}

test_monitor_text() {
	bg a mptunctl monitor mp0
	wait_for 5 subscribed
	ctl a path set mp0 wan2 off
	wait_for 5 grep -q "mp0 path wan2 up -> off (admin)" "$TMP/bg.$BG"
	ctl a path set mp0 wan2 on
	bg_kill "$BG"
	wait_state a mp0 wan2 up
}

# one_path: switch wan2 off until both_paths
one_path() {
	ctl a path set mp0 wan2 off
	wait_state a mp0 wan2 off
}

both_paths() {
	ctl a path set mp0 wan2 on
	wait_state a mp0 wan2 up
	wait_state b mp0 wan2 up
}

# cells PATH COLUMN: the values of that cell in every refresh of top
cells() {
	awk -v path="$1" -v column="$2" '$1 == path { print $column }' \
		"$TMP/top"
}

# kbit RATE: a rate as top prints it, as a number
kbit() {
	awk -v rate="$1" 'BEGIN {
		print rate * (rate ~ /mbit$/ ? 1000 : rate ~ /kbit$/ ? 1 : 0.001)
	}'
}

# the rates show which path carries the traffic
test_top() {
	local rate

	one_path
	flow_start a b "$(inner a mp0)" 1000 4
	ctl a top mp0 -i 0.5 -n 6 >"$TMP/top"
	flow_end
	eq "looks" "$(grep -c '^mp0: established, 1 of 2 paths up, ' \
		"$TMP/top")" 6
	rate=$(kbit "$(cells wan1 3 | sed -n 4p)")
	timely "rate of wan1" "$rate > 800 && $rate < 1400"
	eq "rates of wan2" "$(cells wan2 3 | sort -u)" 0bit
	eq "states of wan2" "$(cells wan2 2 | sort -u)" off
	! grep -q $'\033' "$TMP/top" || fail "colours without a terminal"
	both_paths
}

# recorded FILTER: whether the recording has such a line
recorded() {
	jq -es "map(select($1)) | length > 0" "$TMP/recording"
}

# sent FILTER: bytes sent over wan1 and wan2, in one of the samples
sent() {
	jq -rs "[.[] | select(.type == \"sample\")][$1].tunnels[0].paths |
		sort_by(.name) | map(.stats.tx_bytes) | @tsv" "$TMP/recording"
}

# sent_now: the same, from the kernel
sent_now() {
	ctl a show mp0 -j | jq -r '.[0].paths | sort_by(.name) |
		map(.stats.tx_bytes) | @tsv'
}

# the recording has the counters of show, and the events in between
test_record() {
	local before after first last least recorder

	one_path
	read -ra before <<<"$(sent_now)"
	bg a mptunctl record mp0 -i 0.5 -o "$TMP/recording"
	recorder=$BG
	wait_for 5 recorded '.type == "sample"'
	flow_start a b "$(inner a mp0)" 1000 3
	flow_end
	read -ra after <<<"$(sent_now)"
	both_paths
	wait_for 5 recorded '.event == "path" and .name == "wan2" and
		.state == "up"'
	wait_for 5 recorded '.event == "settings" and
		(.paths[] | select(.name == "wan2").enabled)'
	kill "$recorder"
	bg_wait "$recorder" || fail "status $? after SIGTERM"

	jq -es 'map(.type) | .[0] == "start" and .[-1] == "end"' \
		"$TMP/recording"
	jq -es '.[-1].reason == "signal" and .[-1].samples ==
		(map(select(.type == "sample")) | length)' "$TMP/recording"
	read -ra first <<<"$(sent 0)"
	read -ra last <<<"$(sent -1)"
	least=$(flow '.sent * 1358')
	num "wan1 before" "${before[0]} <= ${first[0]}"
	num "wan1 after" "${last[0]} >= ${after[0]}"
	num "bytes over wan1" "${last[0]} - ${first[0]} >= $least &&
		${last[0]} - ${first[0]} < 1.2 * $least"
	eq "wan2 at first" "${first[1]}" "${before[1]}"
	eq "bytes over wan2 without it" "${after[1]}" "${before[1]}"
}

# tunnels that come and go do not end a recording
test_record_devices() {
	rm -f "$TMP/recording"
	bg a mptunctl record -i 0.1 -o "$TMP/recording"
	wait_for 5 recorded '.type == "sample"'
	ctl a add mp8
	wait_for 5 recorded '.event == "tunnel-added" and .ifname == "mp8"'
	ctl a del mp8
	wait_for 5 recorded '.event == "tunnel-gone" and .ifname == "mp8"'
	kill "$BG"
	bg_wait "$BG" || fail "status $?"
	recorded '.type == "sample" and (.tunnels | length) == 2'
	jq -es '.[-1].type == "end" and
		(map(select(.event == "tunnel-gone")) | length) == 1' \
		"$TMP/recording"
}

# from another namespace, also several commands at once
test_netns() {
	eq "from outside" "$(mptunctl -n "$NSP-a" show mp0 | head -n 1)" \
		"$(ctl a show mp0 | head -n 1)"
	mptunctl -n "$NSP-a" -batch - <<-END
		# a comment
		path set mp0 wan2 weight 5
		path set mp0 wan2 prio 1
		path set mp0 wan2 prio 0
	END
	eq "weight" "$(path_json a mp0 wan2 .weight)" 5
	refused 1 "-:2: " mptunctl -n "$NSP-a" -batch - <<-END
		path set mp0 wan2 weight 1
		path set mp0 wan2 weight 0
	END
	eq "weight" "$(path_json a mp0 wan2 .weight)" 1
	refused 2 "no network namespace" mptunctl -n nosuch show
}

# faults HOST DEV: what check finds, as path and check
faults() {
	{ ctl "$1" check "$2" -j || [ $? -eq 3 ]; } | jq -c \
		'map(select(.level == "wrong") | [.path, .check])'
}

# nothing is found if nothing is wrong; and faults that the kernel knows of
test_check() {
	local right

	right=$(addr a wan2)
	ctl a check mp0 >"$TMP/check"
	eq "at a" "$(grep -v '^note: ' "$TMP/check")" "Nothing is wrong."
	ctl b check mp0 >"$TMP/check"
	eq "at b" "$(grep -v '^note: ' "$TMP/check")" "Nothing is wrong."
	eq "routes" "$(ctl a check mp0 -j | jq -c 'map(select(.check == "route")
		| .text) | sort')" \
		"[\"packets leave over wan1 with address $(addr a wan1) and port 4725\",\"packets leave over wan2 with address $right and port 4725\"]"
	ctl a path set mp0 wan2 local 10.77.0.1
	eq "wrong address" "$(faults a mp0)" '[["wan2","address"]]'
	ctl a path set mp0 wan2 local "$right"
	wait_state a mp0 wan2 up
	ctl a path set mp0 wan2 dev nosuch0
	eq "wrong device" "$(faults a mp0)" '[["wan2","device"]]'
	ctl a path set mp0 wan2 dev none
	wait_state a mp0 wan2 up
	eq "in order again" "$(faults a mp0)" '[]'
	eq "missing" "$(faults a mp9)" '[[null,"tunnel"]]'
}

# add does all or nothing; which end knows what when keys differ
test_add() {
	local n

	for n in 1 2; do
		(umask 077 && mptunctl key gen >"$TMP/key$n")
	done
	ctl a add mp9 port 4801 key "$TMP/key1" \
		address 10.88.0.1/24,fd88::1/64 up
	ctl b add mp9 port 4802 key "$TMP/key2" up
	ipn a addr show dev mp9 >"$TMP/addr"
	grep -q ' 10.88.0.1/24 ' "$TMP/addr"
	grep -q ' fd88::1/64 ' "$TMP/addr"
	ctl a path add mp9 x remote "$(remote a wan1)" port 4802
	wait_for 10 key_refused
	eq "at a" "$(faults a mp9)" '[[null,"handshake"]]'
	ctl b key set mp9 "$TMP/key1"
	wait_state a mp9 x up
	eq "at a, the same key" "$(faults a mp9)" '[]'
	eq "at b, the same key" "$(faults b mp9)" '[]'
	ctl a del mp9
	ctl b del mp9
	refused 2 "cannot be set" ctl a add mp9 key "$TMP/key1" \
		address 10.88.0.1/24,10.88.0.1/24 up
	! ipn a link show mp9 2>/dev/null || fail "mp9 was left"
}

key_refused() {
	[ "$(faults b mp9)" = '[[null,"peer-key"]]' ]
}

test_bugreport() {
	ctl a bugreport >"$TMP/report"
	grep -q '^mp0: established, ' "$TMP/report"
	grep -q '^== ip -4 route show table all$' "$TMP/report"
	grep -q 'dev wan1' "$TMP/report"
	! grep -F "$(tun_json a mp0 .instance)" "$TMP/report" ||
		fail "the report has the instance"
}

# usage errors: status 1, one line, no request to the kernel
test_usage() {
	local words

	while read -r words; do
		# shellcheck disable=SC2086 # a list of words
		refused 1 "mptunctl: " ctl a $words
	done <<-END
		shwo
		show mp0 extra
		show toolongdevicename
		path
		path frobnicate mp0
		path add mp0
		path add mp0 x
		path add mp0 x remote
		path add mp0 x remote 10.0.0.256
		path add mp0 x remote 10.0.0.1 weight 0
		path add mp0 x remote 10.0.0.1 weight 65536
		path add mp0 x remote 10.0.0.1 port 0
		path add mp0 x remote 10.0.0.1 priority 256
		path add mp0 x remote 10.0.0.1 rate 20
		path add mp0 x remote 10.0.0.1 rate 20mbyte
		path add mp0 x remote 10.0.0.1 backup maybe
		path add mp0 x remote 10.0.0.1 remote 10.0.0.2
		path set mp0 wan1
		path set mp0 wan1 weight
		path set mp0 wan1 colour blue
		path del mp0
		set mp0
		set mp0 hold 2s
		set mp0 hold 5
		set mp0 buffer 1
		set mp0 reorder sometimes
		set mp0 learn maybe
		add
		add mp9 cipher clear id 0
		del
		monitor mp0 mp1
		top -x
		top mp0 -n
		top mp0 -n 0
		top -i 0.01
		top -j
		record -i soon
		record mp0 -t 0
		record mp0 -t 1 -t 2
	END
	! ipn a link show mp9 2>/dev/null || fail "mp9 was made"
}

# what the kernel refuses: status 2 and its error text
test_kernel() {
	refused 2 "" ctl a show nosuch0
	refused 2 "" ctl a show lo
	refused 2 "nosuch0: " ctl a stats nosuch0
	refused 2 "nosuch0: " ctl a monitor nosuch0
	refused 2 "nosuch0" ctl a top nosuch0 -n 1
	refused 2 "nosuch0" ctl a record mp0 nosuch0
	refused 2 "" ctl a record mp0 -o /nosuch/file
	refused 2 "" ctl a set nosuch0 hold 5ms
	refused 2 "no scheduler of this name" ctl a set mp0 sched nosuch
	refused 2 "no congestion controller of this name" \
		ctl a set mp0 cc nosuch
	refused 2 "exists already" path a mp0 wan1
	refused 2 "" ctl a path del mp0 nosuch
	refused 2 "needs an id" ctl a add mp9 cipher clear
	refused 2 "local and remote must be of one family" \
		ctl a path add mp0 x remote 10.0.0.1 local fd00::1
	refused 2 "" ctl a path add mp0 x remote 224.0.0.1
	refused 2 "" ctl a path add mp0 x remote 0.0.0.0
	refused 2 "" ctl a path add mp0 x remote fe80::1
	refused 2 "cannot resolve nosuch.invalid" \
		ctl a path add mp0 x remote nosuch.invalid
	eq "paths" "$(ctl a path show mp0 -j | jq length)" 2
}

test_help() {
	local c

	for c in "" show path "path add" "path set" "path del" set add del \
		check monitor stats top record bugreport help; do
		# shellcheck disable=SC2086 # a list of words
		[ -n "$(ctl a $c --help)" ] || fail "no help for '$c'"
	done
}

# output that cannot be written is an error, not silence
test_full_disk() {
	! ctl a show >/dev/full 2>"$TMP/err" || fail "status 0"
	grep -q . "$TMP/err"
}

t "show, text" test_show
t "show, JSON" test_show_json
t "show every: rates" test_show_every
t "path show" test_path_show
t "stats: every counter" test_stats
t "monitor, JSON" test_monitor
t "monitor, text" test_monitor_text
t "top: the rates of each path" test_top
t "record: counters and events, complete after SIGTERM" test_record
t "record: tunnels that come and go" test_record_devices
t "namespaces, and commands from a file" test_netns
t "check: nothing wrong, and faults" test_check
t "add: key, addresses, up; keys that differ" test_add
t "bugreport" test_bugreport
t "usage errors: status 1 and one line" test_usage
t "refused by the kernel: status 2 and its error text" test_kernel
t "every command has help" test_help
t "a full disk is noticed" test_full_disk
run_theme
