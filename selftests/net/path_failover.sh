#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Failover: one of two paths dies silently, and comes back.
# Copyright (C) 2026 The mptun authors
# stages: tt
#
#   ┌───────┐ wan1 (8 Mbit/s)   ┌───────┐
#   │       ├───────────────────┤       │
#   │   a   │ wan2 (8 Mbit/s)   │   b   │    delays: see the tests
#   │       ├───────────────────┤       │
#   └───────┘                   └───────┘
#
# For comparison: netcombiner (2021) lost 0.88 % (4 of 453 packets) of a flow of
# 1 Mbit/s, and its throughput did not return with the link.
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

theme_setup() {
	two_paths "8mbit 1ms" "8mbit 1ms"
}

delays() {
	link_set wan1 8mbit "$1"
	link_set wan2 8mbit "$2"
	sleep 0.5
	wait_state a mp0 wan1 up
	wait_state b mp0 wan1 up
	wait_state a mp0 wan2 up
	wait_state b mp0 wan2 up
}

# busier: the path that carries the flow now
busier() {
	local one two

	one=$(path_json a mp0 wan1 .stats.tx_packets)
	two=$(path_json a mp0 wan2 .stats.tx_packets)
	sleep 0.3
	one=$(($(path_json a mp0 wan1 .stats.tx_packets) - one))
	two=$(($(path_json a mp0 wan2 .stats.tx_packets) - two))
	[ "$one" -ge "$two" ] && echo wan1 || echo wan2
}

# udp DELAY1 DELAY2 SECONDS SIDE: 1 Mbit/s, 1448 bytes as iperf3 sends them;
# the path in use is blackholed in the middle, and comes back at the end
udp() {
	local dead

	delays "$1" "$2"
	flow_start a b "$(inner a mp0)" 1000 "$3" 1372
	sleep "$(calc "$3 / 2 - 0.5")"
	dead=$(busier)
	link_blackhole "$dead" ${4:+"$4"}
	wait_for 5 not path_is a mp0 "$dead" up
	sleep "$(calc "$3 / 4")"
	link_heal "$dead"
	flow_end
	figure "lost of $(flow .sent) ($1, $2${4:+, towards $4 only})" \
		"$(flow .lost) ($(flow .lost_percent) %)" packets
	figure "longest gap" "$(flow .gap_ms)" ms
	timely "percent lost" "$(flow .lost_percent) <= 0.5"
	timely reordered "$(flow .reordered) == 0"
	wait_state a mp0 "$dead" up
	wait_state b mp0 "$dead" up
}

# the gap at a round trip of 40 ms, blackholed several times
test_gap() {
	local i dead worst=0

	delays 20ms 20ms
	for i in $(seq 1 "$(quick 2 6)"); do
		flow_start a b "$(inner a mp0)" 2000 4
		sleep 1.5
		dead=$(busier)
		link_blackhole "$dead"
		flow_end
		link_heal "$dead"
		worst=$(calc "$worst > $(flow .gap_ms) ? $worst : \
			$(flow .gap_ms)")
		wait_state a mp0 "$dead" up
		wait_state b mp0 "$dead" up
	done
	figure "longest gap of $i blackholes at 40 ms round trip" "$worst" ms
	timely gap "$worst <= 150"
}

# tcp_through DELAY1 DELAY2: 14 s both, 4 s one, 4 s both again. The first
# seconds do not count: the delays have just changed, and a slow start that ends
# early is followed by seconds of slow growth.
tcp_through() {
	local before during after

	delays "$1" "$2"
	(
		sleep 14
		link_blackhole wan1
		sleep 4
		link_heal wan1
	) &
	tcp a b "$(inner a mp0)" 22 -R -i 0.5
	wait
	before=$(series 8 13)
	during=$(series 14 17)
	after=$(series 18.5 22)
	figure "TCP before, during, from 1.5 s after" \
		"$before, $during, $after" "Mbit/s"
	timely "before: both paths" "$before >= 1.7 * $during"
	timely "during: one path" "$during >= 0.75 * $before / 2"
	timely "after" "$after >= 0.9 * $before"
}

t "UDP of 1 Mbit/s over links like netcombiner's" udp 1ms 1ms 5.3
t "UDP, 20 ms each way" udp 20ms 20ms "$(quick 15 40 5)"
t "UDP, 5 and 20 ms" udp 5ms 20ms "$(quick 10 40 5)"
t "UDP, only the forward direction dies" udp 10ms 10ms \
	"$(quick 8 30 5)" b
t "UDP, only the reverse direction dies" udp 10ms 10ms \
	"$(quick 8 30 5)" a
t "the longest gap" test_gap
t "TCP continues, both paths come back" tcp_through 5ms 5ms
t "TCP, 5 and 25 ms" tcp_through 5ms 25ms
run_theme
