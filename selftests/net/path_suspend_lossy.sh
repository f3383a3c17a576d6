#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Lossy paths: they rest where traffic is better off without them.
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

# lossy HOST: does wan2 rest there?
lossy() {
	[ "$(path_json "$1" mp0 wan2 .lossy)" = true ]
}

# own: data packets that a sent on wan2 and nowhere before
own() {
	echo $(($(path_json a mp0 wan2 .stats.tx_packets) -
		$(path_json a mp0 wan2 .stats.tx_copies)))
}

# load KBITS SECONDS: a flow from a to b
load() {
	flow_start a b "$(inner a mp0)" "$1" "$2"
}

# One path is enough, and it loses nothing. The other one has little to carry
# before that is known, so chance decides how long it takes: some seconds.
test_rests() {
	local before

	load 5000 30
	wait_for 25 lossy a
	lossy b && fail "b, which sends nothing, has judged its path"
	grep -q '^    wan2 *lossy ' <(ctl a show mp0) ||
		fail "not told: $(ctl a show mp0)"
	before=$(own)
	sleep 1
	eq "packets for a path that rests" "$(own)" "$before"
	flow_end
	path_is a mp0 wan2 up || fail "a lossy path is up"
}

# who has more to send than the clean path carries gets both, and keeps them
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

# one flow that slows down with each loss is as fast as without the path
test_flow() {
	local mbit

	mbit=$(TCP_OMIT=12 tcp a b "$(inner a mp0)" 10)
	note "$mbit Mbit/s"
	num "Mbit/s over 8 Mbit/s" "$mbit > 6"
	lossy a || fail "the lossy path does not rest"
}

# what is in no order is not hurt
test_class() {
	local before

	before=$(own)
	ctl a class add mp0 1 protocol udp order off
	load 12000 2
	flow_end
	num "packets in 2 s" "$(own) - $before > 200"
	lossy a || fail "it was to rest for the others"
	ctl a class del mp0 1
}

# the other path dies: better a lossy one than none
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

# copies tell that it loses nothing any more
test_ends() {
	local copies before

	load 9000 4
	wait_for 4 lossy a
	flow_end
	copies=$(path_json a mp0 wan2 .stats.tx_copies)
	link_set wan2 8mbit 10ms
	load 7600 30
	wait_for 25 not lossy a
	copies=$(($(path_json a mp0 wan2 .stats.tx_copies) - copies))
	before=$(own)
	sleep 2
	num "packets in 2 s" "$(own) - $before > 100"
	lossy a && fail "rests again"
	note "$copies copies"
	flow_end
	link_set wan2 8mbit 10ms loss 2%
}

# whoever does not want it switches it off
test_off() {
	ctl a set mp0 park off
	load 9000 4
	sleep 3
	lossy a && fail "rests, though that is off"
	flow_end
	ctl a set mp0 park 20
}

t "a lossy path rests" test_rests
t "a lossy path is used if it is needed" test_needed
t "one flow is as fast as without a lossy path" test_flow
t "a class without order uses it" test_class
t "a lossy path is used if there is no other" test_last
t "a path that has stopped losing packets returns" test_ends
t "nothing rests with park off" test_off
run_theme
