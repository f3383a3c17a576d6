#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# mptunctl test: what each path carries, and its latency meanwhile.
# Copyright (C) 2026 The mptun authors
# stages: tt
#
#   ┌───┐ wan1 (8 Mbit/s, 10 ms)     ┌───┐
#   │   ├────────────────────────────┤   │
#   │ a │ wan2 (20 Mbit/s, 25 ms)    │ b │
#   │   ├────────────────────────────┤   │
#   └───┘                            └───┘
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

theme_setup() {
	two_paths "8mbit 10ms" "20mbit 25ms"
}

# measured PATH FIGURE: of the last test
measured() {
	jq ".[] | select(.path == \"$1\") | .$2" "$TMP/test"
}

# is PATH MBIT MS: it has this rate and this round-trip time
is() {
	local rate

	rate=$(measured "$1" rate)
	figure "$1" "$(awk -v rate="$rate" 'BEGIN { print rate / 1e6 }')" Mbit/s
	figure "$1, before" "$(measured "$1" latency_before)" us
	figure "$1, meanwhile" "$(measured "$1" latency)" us
	timely "$1" "$rate > $2 * 850000 && $rate < $2 * 1010000"
	timely "$1, before" "$(measured "$1" latency_before) >= $3 * 1000 &&
		$(measured "$1" latency_before) < $3 * 1000 + 5000"
	timely "$1, meanwhile" "$(measured "$1" latency) >= $3 * 1000 &&
		$(measured "$1" latency) < $3 * 1000 + 100000"
}

# classes HOST: their numbers
classes() {
	ctl "$1" class show mp0 -j | jq -c 'map(.id) | sort'
}

# ip_counter NAME: of IP packets at b
# shellcheck disable=SC2016 # awk
ip_counter() {
	on b awk -v name="$1" '
		$1 != "Ip:" { next }
		!column { while ($++column != name) { } ; next }
		{ print $column }' /proc/net/snmp
}

test_both() {
	local forwarded expired before

	before=$(classes a)
	# b would forward the packets of the test if they did not end there
	on b sysctl -qw net.ipv4.ip_forward=1
	ipn b route add 198.18.0.0/15 dev mp0
	forwarded=$(ip_counter ForwDatagrams)
	expired=$(ip_counter InHdrErrors)
	ctl a test mp0 -j >"$TMP/test"
	is wan1 8 20
	is wan2 20 50
	eq "classes" "$(classes a)" "$before"
	eq "forwarded" "$(ip_counter ForwDatagrams)" "$forwarded"
	num "ended" "$(ip_counter InHdrErrors) > $expired + 1000"
	ipn b route del 198.18.0.0/15
	on b sysctl -qw net.ipv4.ip_forward=0
}

# the other direction, and other classes
test_one() {
	local before

	ctl b class add mp0 1 dscp ef
	before=$(classes b)
	ctl b test mp0 wan2 -t 3 -j >"$TMP/test"
	eq "paths" "$(jq -c 'map(.path)' "$TMP/test")" '["wan2"]'
	is wan2 20 50
	eq "classes" "$(classes b)" "$before"
	ctl b class del mp0 1
}

test_text() {
	link_set wan1 8mbit 10ms loss 5%
	ctl a path set mp0 wan2 off
	ctl a test mp0 -t 3 >"$TMP/text"
	note "$(cat "$TMP/text")"
	grep -Eq '^wan1: [0-9.]+[km]bit arrive at the peer, latency 2[0-9.]+ms before and [0-9.]+ms meanwhile, [3-7]\.[0-9]+% lost$' "$TMP/text"
	grep -Fxq 'wan2: not tested, its state is off' "$TMP/text"
	ctl a path set mp0 wan2 on
	link_set wan1 8mbit 10ms loss 0/0
	wait_paths a b mp0 wan1 wan2
}

# another class has the packets
test_taken() {
	local before

	ctl a class add mp0 1 protocol udp policy pin path wan2
	before=$(classes a)
	refused 2 "has carried no packet of the test" \
		ctl a test mp0 wan1 -t 1
	eq "classes" "$(classes a)" "$before"
	ctl a class del mp0 1
}

test_signal() {
	local before

	before=$(classes a)
	bg a mptunctl test mp0 wan1 -t 60
	wait_for 5 differs "$before"
	sleep 2
	kill "$BG"
	bg_wait "$BG" || fail "status $? after SIGTERM"
	eq "classes" "$(classes a)" "$before"
}

# differs LIST: the classes of a are others
differs() {
	[ "$(classes a)" != "$1" ]
}

t "both paths" test_both
t "one path, from the other end" test_one
t "losses, and a path that is off" test_text
t "another class has the packets" test_taken
t "a signal ends it" test_signal
run_theme
