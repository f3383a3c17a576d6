#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Shared bottlenecks: auto-group finds the paths that share one.
# Copyright (C) 2026 The mptun authors
# stages: tt-long
#
#   ┌───────┐ wan1 and wan3 (8 Mbit/s, 10 ms)  ┌───────┐
#   │       ├──────────────────────────────────┤       │
#   │   a   │ wan2 (5 Mbit/s, 15 ms)           │   b   │
#   │       ├──────────────────────────────────┤       │
#   └───────┘                                  └───────┘
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

theme_setup() {
	local host link

	hosts a b
	link a b wan1 8mbit 10ms
	link a b wan2 5mbit 15ms
	for host in a b; do
		for link in wan1 wan2; do
			ipn "$host" address add "$(second "$host" "$link")/24" \
				dev "$link"
		done
	done
	tunnel a b mp0 cc lia auto-group on
	paths a b mp0 wan1 wan2
	ctl a path add mp0 wan3 remote "$(second b wan1)"
	ctl b path add mp0 wan3 remote "$(second a wan1)"
	third wan1
}

# third LINK: move the path wan3 to this link, with other addresses
third() {
	ctl a path set mp0 wan3 remote "$(second b "$1")" \
		local "$(second a "$1")"
	ctl b path set mp0 wan3 remote "$(second a "$1")" \
		local "$(second b "$1")"
	wait_state a mp0 wan3 up
	wait_state b mp0 wan3 up
}

# second HOST LINK: its other address on a link
second() {
	local own

	own=$(addr "$1" "$2")
	echo "${own%.*}.$((${own##*.} + 100))"
}

# group PATH: the group that a has found, null for none
group() {
	path_json a mp0 "$1" .group_now
}

together() {
	local one

	path_value a mp0 "$1" .group_now
	one=$VALUE
	path_value a mp0 "$2" .group_now
	[ "$VALUE" = "$one" ]
}

# found PATH PATH: more traffic than the paths carry, until a finds that both
# share a link
found() {
	flow_start a b "$(inner a mp0)" 16000 90
	wait_for 60 together "$1" "$2" || fail "not found: $(ctl a show mp0)"
	bg_kill "$FLOW_TX"
	bg_kill "$FLOW_RX"
}

# without traffic no path is grouped with another one
test_alone() {
	local path

	eq auto-group "$(tun_json a mp0 .auto_group)" true
	for path in wan1 wan2 wan3; do
		eq "given group of $path" "$(path_json a mp0 "$path" .group)" 0
		[ "$(group "$path")" != null ] || fail "$path has no group"
	done
	together wan1 wan3 && fail "wan1 and wan3 are one from the start"
	together wan1 wan2 && fail "wan1 and wan2 are one from the start"
	together wan2 wan3 && fail "wan2 and wan3 are one from the start"
	grep -q '^    PATH .* GROUP ' <(ctl a show mp0) ||
		fail "not shown: $(ctl a show mp0)"
}

# the path that shares wan1 is found and reported; the third one stays alone
test_found() {
	local own monitor

	own=$(group wan2)
	bg a mptunctl monitor mp0
	monitor=$BG
	found wan1 wan3
	bg_kill "$monitor"
	eq "group of wan2" "$(group wan2)" "$own"
	grep -q "path wan3 up .* group $(group wan3)\>" "$TMP/bg.$monitor" ||
		fail "not reported: $(cat "$TMP/bg.$monitor")"
}

# b, which sends nothing, finds nothing
test_other_end() {
	local one three

	one=$(path_json b mp0 wan1 .group_now)
	three=$(path_json b mp0 wan3 .group_now)
	[ "$one" != "$three" ] || fail "one: $(ctl b show mp0)"
}

# a configured group has precedence; without it the path is alone again
test_given() {
	ctl a path set mp0 wan3 group 7
	eq "given group" "$(path_json a mp0 wan3 .group)" 7
	eq "found group" "$(group wan3)" null
	ctl a path set mp0 wan3 group 0
	[ "$(group wan3)" != null ] || fail "not compared"
	together wan1 wan3 && fail "known without a comparison"
	found wan1 wan3
}

# a path that moves may use another link, so it is compared again
test_restart() {
	third wan2
	together wan1 wan3 && fail "still of the group"
	found wan2 wan3
	together wan1 wan2 && fail "one: $(ctl a show mp0)"
	return 0
}

# switched on and off, paths added and deleted under traffic
test_switch() {
	local i

	flow_start a b "$(inner a mp0)" 5000 6
	for i in 1 2 3 4; do
		ctl a set mp0 auto-group off
		eq "group of wan1" "$(group wan1)" null
		if grep -q ' GROUP ' <(ctl a show mp0); then
			fail "shown: $(ctl a show mp0)"
		fi
		ctl a path add mp0 "more$i" remote "$(remote a wan1)" \
			local "$(addr a wan1)" local-port $((6000 + i))
		ctl a set mp0 auto-group on
		[ "$(group wan1)" != null ] || fail "no group"
		[ "$(group "more$i")" != null ] || fail "no group"
		nap 0.5
		ctl a path del mp0 "more$i"
		ipn a link set mp0 type mptun auto-group on
	done
	flow_end
	num lost "$(flow .lost_percent)" "<=" 20
}

t "paths are alone at first" test_alone
t "paths that share a link are found" test_found
t "the other end" test_other_end
t "a configured group has precedence" test_given
t "a path that moves is compared again" test_restart
t "switched under traffic" test_switch
run_theme
