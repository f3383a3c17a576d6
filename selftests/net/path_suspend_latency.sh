#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# High-latency paths are suspended where flows are faster without them.
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

# detour HOST: whether wan2 is suspended there
detour() {
	[ "$(path_json "$1" mp0 wan2 .detour)" = true ]
}

# own: data packets that a sent on wan2 only, not as copies
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

# a flow that gains from both paths uses both
test_both() {
	one cubic 5 10
	num "Mbit/s over twice 10 Mbit/s" "$MBIT > 15"
	detour a && fail "suspended, though it is needed"
	return 0
}

# a flow whose window follows the minimum RTT uses the low-latency path
test_rests() {
	one bbr 5 10
	num "Mbit/s over 10 Mbit/s" "$MBIT > 8"
	detour a || fail "the high-latency path is not suspended"
	detour b && fail "b, which sends acknowledgments, has judged its path"
	grep -q '^    wan2 *detour ' <(ctl a show mp0) ||
		fail "not reported: $(ctl a show mp0)"
	path_is a mp0 wan2 up || fail "the suspended path is not up"
}

# a class without order uses the suspended path
test_class() {
	local before

	before=$(own)
	ctl a class add mp0 1 protocol udp order off
	flow_start a b "$(inner a mp0)" 14000 2
	flow_end
	num "packets in 2 s" "$(own) - $before > 200"
	detour a || fail "it is not suspended for other classes"
	ctl a class del mp0 1
}

# the low-latency path dies: the suspended path is used
test_last() {
	local before

	before=$(own)
	flow_start a b "$(inner a mp0)" 5000 4
	sleep 1
	link_blackhole wan1
	sleep 2
	num "packets on the high-latency path" "$(own) > $before"
	link_heal wan1
	flow_end
	wait_state a mp0 wan1 up
}

# when the flow ends, the next one has both paths
test_over() {
	flow_start a b "$(inner a mp0)" 500 20
	wait_for 15 not detour a
	flow_end
	one cubic 5 10
	num "Mbit/s over twice 10 Mbit/s" "$MBIT > 15"
}

# "park off" switches it off
test_off() {
	ctl a set mp0 park off
	one bbr 5 5
	detour a && fail "suspended, though that is off"
	ctl a set mp0 park 20
}

t "a high-latency path is used if it is needed" test_both
t "it is suspended if the flow is faster without" test_rests
t "a class without order uses it" test_class
t "it is used if there is no other" test_last
t "it is back for the next flow" test_over
t "nothing is suspended with park off" test_off
run_theme
