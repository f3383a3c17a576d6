#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Lossy paths are suspended where traffic is better off without them.
# Copyright (C) 2026 The mptun authors
# stages: tt
#
#   ┌───────┐ wan1 (8 Mbit/s, 10 ms)            ┌───────┐
#   │       ├───────────────────────────────────┤       │
#   │   a   │ wan2 (the same, loses one in 50)  │   b   │
#   │       ├───────────────────────────────────┤       │
#   └───────┘                                   └───────┘
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

theme_setup() {
	two_paths "8mbit 10ms" "8mbit 10ms loss 2%"
	plain_queue mp0 a b
}

# lossy HOST: whether wan2 is suspended there
lossy() {
	path_value "$1" mp0 wan2 .lossy && [ "$VALUE" = true ]
}

# own: data packets that a sent on wan2 only, not as copies
own() {
	echo $(($(path_json a mp0 wan2 .stats.tx_packets) -
		$(path_json a mp0 wan2 .stats.tx_copies)))
}

# load KBITS SECONDS: a flow from a to b
load() {
	flow_start a b "$(inner a mp0)" "$1" "$2"
}

# One path is enough, and it loses nothing. The lossy one carries little, so it
# takes some seconds to measure its loss.
test_rests() {
	local before

	load 5000 30
	wait_for 25 lossy a
	lossy b && fail "b, which sends nothing, has judged its path"
	grep -q '^    wan2 *lossy ' <(ctl a show mp0) ||
		fail "not reported: $(ctl a show mp0)"
	before=$(own)
	sleep 1
	eq "packets for a suspended path" "$(own)" "$before"
	flow_end
	path_is a mp0 wan2 up || fail "the suspended path is not up"
}

# traffic that exceeds the clean path uses both paths, and keeps using them
test_needed() {
	local before

	load 20000 12
	wait_for 8 not lossy a
	before=$(own)
	sleep 3
	num "packets in 3 s" "$(own) - $before > 1000"
	lossy a && fail "not used though it is needed"
	flow_end
}

# a flow that slows down with each loss is as fast as without the lossy path
test_flow() {
	local mbit

	mbit=$(TCP_OMIT=12 tcp a b "$(inner a mp0)" 10)
	note "$mbit Mbit/s"
	num "Mbit/s over 8 Mbit/s" "$mbit > 6"
	lossy a || fail "the lossy path is not suspended"
}

# a class without order uses the suspended path
test_class() {
	local before

	before=$(own)
	ctl a class add mp0 1 protocol udp order off
	load 12000 2
	flow_end
	num "packets in 2 s" "$(own) - $before > 200"
	lossy a || fail "it is not suspended for other classes"
	ctl a class del mp0 1
}

# the clean path dies: the suspended path is used
test_last() {
	local before

	before=$(own)
	load 5000 4
	sleep 1
	link_blackhole wan1
	sleep 2
	num "packets on the lossy path" "$(own) > $before"
	link_heal wan1
	flow_end
	wait_state a mp0 wan1 up
}

# trial copies show that it no longer loses packets
test_ends() {
	local copies before

	load 5000 30
	wait_for 25 lossy a
	flow_end
	copies=$(path_json a mp0 wan2 .stats.tx_copies)
	link_set wan2 8mbit 10ms
	load 7600 30
	wait_for 25 not lossy a
	copies=$(($(path_json a mp0 wan2 .stats.tx_copies) - copies))
	before=$(own)
	sleep 2
	num "packets in 2 s" "$(own) - $before > 100"
	lossy a && fail "suspended again"
	note "$copies copies"
	flow_end
	link_set wan2 8mbit 10ms loss 2%
}

# "park off" switches it off
test_off() {
	ctl a set mp0 park off
	load 9000 4
	sleep 3
	lossy a && fail "suspended, though that is off"
	flow_end
	ctl a set mp0 park 20
}

t "a lossy path is suspended" test_rests
t "a lossy path is used if it is needed" test_needed
t "one flow is as fast as without a lossy path" test_flow
t "a class without order uses it" test_class
t "a lossy path is used if there is no other" test_last
t "a path that has stopped losing packets returns" test_ends
t "nothing is suspended with park off" test_off
run_theme
