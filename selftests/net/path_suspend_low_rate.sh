#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A path that carries next to nothing is suspended, and comes back.
# Copyright (C) 2026 The mptun authors
# stages: tt
#
#   ┌───────┐ wan1 (8 Mbit/s, 10 ms)   ┌───────┐
#   │       ├──────────────────────────┤       │
#   │   a   │ wan2 (200 kbit/s, 20 ms) │   b   │
#   │       ├──────────────────────────┤       │
#   └───────┘                          └───────┘
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

theme_setup() {
	two_paths "8mbit 10ms" "200kbit 20ms"
	plain_queue mp0 a b
}

# parked HOST: whether wan2 is suspended there
parked() {
	path_value "$1" mp0 wan2 .parked && [ "$VALUE" = true ]
}

# own: data packets that a sent on wan2 only, not as copies
own() {
	echo $(($(path_json a mp0 wan2 .stats.tx_packets) -
		$(path_json a mp0 wan2 .stats.tx_copies)))
}

# overload SECONDS: more than both paths carry, from a to b
overload() {
	flow_start a b "$(inner a mp0)" 12000 "$1"
}

# an idle path is not judged; under load it takes seconds
test_parks() {
	local before

	overload 9
	sleep 1.5
	parked a && fail "suspended at once"
	wait_for 5 parked a
	parked b && fail "b, which sends nothing, has suspended its path"
	grep -q '^    wan2 *parked ' <(ctl a show mp0) ||
		fail "not reported: $(ctl a show mp0)"
	before=$(own)
	flow_end
	eq "packets for a parked path" "$(own)" "$before"
	path_is a mp0 wan2 up || fail "the suspended path is not up"
}

# trials with copies fail, and are repeated later
test_tried() {
	local copies before

	copies=$(path_json a mp0 wan2 .stats.tx_copies)
	before=$(own)
	overload 12
	sleep 11
	parked a || fail "returned, though it is as bad as before"
	copies=$(($(path_json a mp0 wan2 .stats.tx_copies) - copies))
	flow_end
	note "$copies copies"
	num "copies" "$copies > 10"
	eq "packets for a parked path" "$(own)" "$before"
}

# the other path dies: the suspended path is used
test_last() {
	local before

	before=$(own)
	overload 4
	sleep 1
	link_blackhole wan1
	sleep 2
	num "packets on the bad path" "$(own) > $before"
	link_heal wan1
	flow_end
	wait_state a mp0 wan1 up
}

# the path recovers: a trial detects it, and it carries its share
test_returns() {
	local before

	link_set wan2 8mbit 20ms
	overload 40
	wait_for 35 not parked a
	before=$(own)
	sleep 3
	num "packets in 3 s" "$(own) - $before > 1000"
	flow_end
	parked a && fail "suspended again"
	link_set wan2 200kbit 20ms
}

# "park off" switches it off
test_off() {
	ctl a set mp0 park off
	overload 8
	sleep 7
	parked a && fail "suspended, though that is off"
	flow_end
	ctl a set mp0 park 20
}

t "a path of a very low rate is suspended" test_parks
t "a suspended path is tried with copies" test_tried
t "a suspended path is used if there is no other" test_last
t "a path that has recovered returns" test_returns
t "nothing is suspended with park off" test_off
run_theme
