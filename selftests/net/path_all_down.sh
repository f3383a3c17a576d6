#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# All paths go down and come back: carrier, queue, no stale packets.
# Copyright (C) 2026 The mptun authors
# stages: tt debug-long vm-long
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
}

backlog() {
	on a tc -s -j qdisc show dev mp0 | jq '.[0].backlog'
}

# all paths fail: the carrier goes down, and up again with the first path
test_carrier() {
	wait_carrier a mp0 on 5
	link_blackhole wan1
	link_blackhole wan2
	bg a ping -n -q -i 0.05 -c 200 "$(inner a mp0)"
	wait_carrier a mp0 off 10
	eq state "$(path_state a mp0 wan1)" down
	eq reason "$(path_json a mp0 wan1 .reason)" timeout
	link_heal wan2
	wait_carrier a mp0 on 10
	wait_ping a "$(inner a mp0)"
	eq state "$(path_state a mp0 wan1)" down
	link_heal wan1
	wait_state a mp0 wan1 up
	wait_state b mp0 wan1 up
	bg_kill "$BG"
}

# a flow through an outage of five seconds: no packet is delivered that is older
# than the detection time, and the flow recovers within a second
test_stale() {
	local healed

	flow_start a b "$(inner a mp0)" 3000 10
	sleep 1.5
	link_blackhole wan1
	link_blackhole wan2
	wait_carrier a mp0 off 10
	eq backlog "$(backlog)" 0
	sleep 4
	link_heal wan1
	link_heal wan2
	healed=$(ping_passes a "$(inner a mp0)")
	figure "all paths healed until a ping passes" "$healed" ms
	timely "time" "$healed <= 1000"
	wait_state a mp0 wan1 up
	wait_state a mp0 wan2 up
	flow_end
	figure "oldest packet delivered" "$(flow .age_max_ms)" ms
	timely "oldest packet" "$(flow .age_max_ms) < 1000"
	timely reordered "$(flow .reordered) == 0"
}

# TCP survives an outage and uses both paths again
test_tcp() {
	(
		sleep 3
		link_blackhole wan1
		link_blackhole wan2
		sleep 2
		link_heal wan1
		link_heal wan2
	) &
	tcp a b "$(inner a mp0)" 11 -R -i 0.5
	wait
	figure "TCP before" "$(series 0 2)" Mbit/s
	figure "TCP after" "$(series 8 11)" Mbit/s
	timely "after" "$(series 8 11) > 0.8 * $(series 0 2)"
}

# the devices go down: detected at once, without a timeout
test_devices() {
	local begin

	begin=$(now_ms)
	ipn a link set wan1 down
	ipn a link set wan2 down
	wait_carrier a mp0 off 1
	begin=$(($(now_ms) - begin))
	figure "devices down until the carrier goes" "$begin" ms
	eq reason "$(path_json a mp0 wan1 .reason | grep -E 'carrier|route')" \
		"$(path_json a mp0 wan1 .reason)"
	ipn a link set wan1 up
	ipn a link set wan2 up
	link_address wan1 A
	link_address wan2 A
	link_routes wan1 A
	link_routes wan2 A
	wait_state a mp0 wan1 up
	wait_state a mp0 wan2 up
	wait_ping a "$(inner a mp0)"
}

# all paths are switched off
test_off() {
	ctl a path set mp0 wan1 off
	ctl a path set mp0 wan2 off
	wait_carrier a mp0 off 1
	ctl a path set mp0 wan1 on
	ctl a path set mp0 wan2 on
	wait_state a mp0 wan1 up
	wait_state a mp0 wan2 up
	wait_ping a "$(inner a mp0)"
}

t "no path, no carrier; first path, carrier" test_carrier
t "no stale packets after an outage" test_stale
t "TCP survives an outage" test_tcp
t "devices down: at once" test_devices
t "all paths off" test_off
run_theme
