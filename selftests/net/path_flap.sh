#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Paths whose carrier, device or link comes and goes.
# Copyright (C) 2026 The mptun authors
# stages: tt debug-long vm-long kcsan
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

# flap LOST TIMES PERIOD DOWN UP: wan1 goes down and up, under a flow that one
# path can carry; each cycle loses at most LOST packets and changes the state a
# few times (up, suspect or probing, down, probing, up)
flap() {
	local lost=$1 times=$2 period=$3 down=$4 up=$5 i changes monitor

	wait_state a mp0 wan1 up
	changes=$(path_json a mp0 wan1 .stats.state_changes)
	bg a mptunctl monitor mp0
	monitor=$BG
	flow_start a b "$(inner a mp0)" 2000 \
		"$(calc "2 * $period * $times + 1")"
	for ((i = 0; i < times; i++)); do
		sleep "$period"
		$down
		sleep "$period"
		$up
	done
	flow_end
	wait_state a mp0 wan1 up
	wait_state b mp0 wan1 up
	changes=$(($(path_json a mp0 wan1 .stats.state_changes) - changes))
	figure "$times flaps: changes of state" "$changes" ""
	figure "$times flaps: lost of $(flow .sent), longest gap" \
		"$(flow .lost), $(flow .gap_ms)" "packets, ms"
	bg_kill "$monitor"
	sed -n "1,25p" "$TMP/bg.$monitor"
	timely lost "$(flow .lost) <= $lost * $times"
	timely "changes of state" "$changes <= 5 * $times"
	timely reordered "$(flow .reordered) == 0"
}

# the cable is pulled at the modem: the device stays, without carrier
carrier_down() {
	ipn r-wan1 link set dev a down
}

carrier_up() {
	ipn r-wan1 link set dev a up
	ip -n "$NSP-r-wan1" -batch - <<-END
		address replace fd00:${LINK_N[wan1]}:1::1/64 dev a nodad
	END
	link_routes wan1 A
}

device_down() {
	ipn a link set wan1 down
}

device_up() {
	ipn a link set wan1 up
	link_address wan1 A
	link_routes wan1 A
}

# the link fails silently in the middle
silence() {
	link_blackhole wan1
}

sound() {
	link_heal wan1
}

t "carrier, 1 s off and 1 s on" flap 5 "$(quick 3 10)" 1 \
	carrier_down carrier_up
t "device, 1 s down and 1 s up" flap 5 "$(quick 3 10)" 1 \
	device_down device_up
t "silence, 2 s off and 2 s on" flap 40 "$(quick 2 10)" 2 silence sound
t "carrier, 0.1 s off and 0.1 s on" flap 5 "$(quick 10 50)" 0.1 \
	carrier_down carrier_up
run_theme
