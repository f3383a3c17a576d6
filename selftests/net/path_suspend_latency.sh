#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Detours: far paths rest where flows are faster without them.
# Copyright (C) 2026 The mptun authors
# stages: tt
#
#   ┌───────┐ wan1 (8 Mbit/s, 2 ms)             ┌───────┐
#   │       ├───────────────────────────────────┤       │
#   │   a   │ wan2 (the same, 50 ms)            │   b   │
#   │       ├───────────────────────────────────┤       │
#   └───────┘                                   └───────┘
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

theme_setup() {
	two_paths "10mbit 1ms" "10mbit 50ms"
}

# detour HOST: does wan2 rest there?
detour() {
	[ "$(path_json "$1" mp0 wan2 .detour)" = true ]
}

# own: data packets that a sent on wan2 and nowhere before
own() {
	echo $(($(path_json a mp0 wan2 .stats.tx_packets) -
		$(path_json a mp0 wan2 .stats.tx_copies)))
}

# one CONTROLLER OMIT SECONDS: one flow from a to b, its Mbit/s in MBIT
one() {
	MBIT=$(TCP_OMIT=$2 tcp a b "$(inner a mp0)" "$3" -C "$1") ||
		fail "$MBIT"
	note "$MBIT Mbit/s"
}

# who wants both has both
test_both() {
	one cubic 5 10
	num "Mbit/s over twice 10 Mbit/s" "$MBIT > 15"
	detour a && fail "rests, though it is needed"
	return 0
}

# one whose window follows the smallest round trip has the near one
test_rests() {
	one bbr 5 10
	num "Mbit/s over 10 Mbit/s" "$MBIT > 8"
	detour a || fail "the far path does not rest"
	detour b && fail "b, which sends acknowledgments, has judged its path"
	grep -q '^    wan2 *detour ' <(ctl a show mp0) ||
		fail "not told: $(ctl a show mp0)"
	path_is a mp0 wan2 up || fail "a far path is up"
}

# what is in no order does not wait for it
test_class() {
	local before

	before=$(own)
	ctl a class add mp0 1 protocol udp order off
	flow_start a b "$(inner a mp0)" 14000 2
	flow_end
	num "packets in 2 s" "$(own) - $before > 200"
	detour a || fail "it was to rest for the others"
	ctl a class del mp0 1
}

# the near path dies: better a far one than none
test_last() {
	local before

	before=$(own)
	flow_start a b "$(inner a mp0)" 5000 4
	sleep 1
	link_blackhole wan1
	sleep 2
	num "packets on the far path" "$(own) > $before"
	link_heal wan1
	flow_end
	wait_state a mp0 wan1 up
}

# the flow is over: the next one finds both
test_over() {
	flow_start a b "$(inner a mp0)" 500 20
	wait_for 15 not detour a
	flow_end
	one cubic 5 10
	num "Mbit/s over twice 10 Mbit/s" "$MBIT > 15"
}

# whoever does not want it switches it off
test_off() {
	ctl a set mp0 park off
	one bbr 5 5
	detour a && fail "rests, though that is off"
	ctl a set mp0 park 20
}

t "a far path is used if it is needed" test_both
t "a far path rests where a flow is faster without" test_rests
t "a class without order uses it" test_class
t "a far path is used if there is no other" test_last
t "a far path is there for the next flow" test_over
t "no far path rests with park off" test_off
run_theme
