#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Schedulers: greedy, redundant and flow.
# Copyright (C) 2026 The mptun authors
# stages: tt
#
#   ┌───────┐ wan1 (8 Mbit/s, 10 ms)   ┌───────┐
#   │       ├──────────────────────────┤       │
#   │   a   │ wan2 (8 Mbit/s, 25 ms)   │   b   │
#   │       ├──────────────────────────┤       │
#   └───────┘                          └───────┘
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

STREAM=$TESTS_DIR/helpers/stream.py
SKEW_MS=15

theme_setup() {
	two_paths "8mbit 10ms" "8mbit 25ms"
	plain_queue mp0 a b
}

both_up() {
	local link

	for link in wan1 wan2; do
		wait_state a mp0 "$link" up
		wait_state b mp0 "$link" up
	done
}

# count FILTER: a counter of a path at a
count() {
	path_json a mp0 "$1" ".stats.$2"
}

# copied: packets that were copied so far
copied() {
	echo $(($(count wan1 tx_copies) + $(count wan2 tx_copies)))
}

# test_redundant LINK: a flow on both paths, of which LINK dies silently
test_redundant() {
	local link copies duplicates

	ctl a set mp0 sched redundant
	copies=$(copied)
	duplicates=$(tun_json b mp0 .reordering.duplicates)
	flow_start a b "$(inner a mp0)" 2000 6
	sleep 2
	link_blackhole "$1"
	sleep 2
	path_is a mp0 "$1" up && fail "$1 is up, though its link is dead"
	link_heal "$1"
	flow_end
	copies=$(($(copied) - copies))
	duplicates=$(($(tun_json b mp0 .reordering.duplicates) - duplicates))
	figure "longest gap when $1 dies" "$(flow .gap_ms)" ms
	note "$copies copies of $(flow .sent) packets, $duplicates came twice"
	eq "packets lost" "$(flow .lost)" 0
	eq "packets out of order" "$(flow .reordered)" 0
	# packets are sent each 5.4 ms
	timely gap "$(flow .gap_ms) <= $SKEW_MS + 2 * 5.4"
	num "copies" "$copies > 0.6 * $(flow .sent)"
	num "copies that came as well" "$duplicates > 0.55 * $(flow .sent)"
	both_up
}

# refused_by HOST: packets dropped so far, for any reason
refused_by() {
	tun_json "$1" mp0 '[.drops | .[] | tonumber] | add'
}

# runs of packets are copied as runs, and arrive unchanged
test_runs() {
	local port address copies refused

	address=$(inner a mp0)
	ctl a set mp0 sched redundant
	copies=$(copied)
	refused=$(refused_by b)
	port=$(next_port)
	bg b python3 "$STREAM" recv tcp "$address" "$port" 1000000
	wait_for 20 grep -q listens "$TMP/bg.$BG"
	on a python3 "$STREAM" send tcp "$address" "$port" 1000000 0 \
		>"$TMP/sent" || fail "$(cat "$TMP/bg.$BG")"
	bg_wait "$BG" || fail "$BG_OUT"
	eq "stream" "$(tail -n 1 <<<"$BG_OUT")" "$(cat "$TMP/sent")"
	copies=$(($(copied) - copies))
	note "$copies copies"
	num "copies" "$copies > 20"
	eq "packets that were refused" "$(refused_by b)" "$refused"
}

# growth: data packets that each path carries in half a second
growth() {
	local one two

	one=$(count wan1 tx_packets) two=$(count wan2 tx_packets)
	sleep 0.5
	echo "$(($(count wan1 tx_packets) - one))" \
		"$(($(count wan2 tx_packets) - two))"
}

# pinned: the link that carries all packets
pinned() {
	local one two

	read -r one two < <(growth)
	case $((one > 0)) in
	$((two > 0))) fail "$one packets on wan1, $two on wan2" ;;
	1) echo wan1 ;;
	*) echo wan2 ;;
	esac
}

# a flow stays on one path, moves when it dies, and returns with it
test_flow() {
	local own other

	ctl a set mp0 sched flow
	flow_start a b "$(inner a mp0)" 1000 8
	sleep 1
	own=$(pinned)
	[ "$own" = wan1 ] && other=wan2 || other=wan1
	link_blackhole "$own"
	wait_for 5 not path_is a mp0 "$own" up
	eq "path while $own is dead" "$(pinned)" "$other"
	link_heal "$own"
	wait_state a mp0 "$own" up
	eq "path after $own is back" "$(pinned)" "$own"
	flow_end
	figure "lost of $(flow .sent)" "$(flow .lost)" packets
	timely "percent lost" "$(flow .lost_percent) <= 3"
	timely reordered "$(flow .reordered) == 0"
	both_up
}

# many flows are spread over both paths
test_flows() {
	local one two

	ctl a set mp0 sched flow
	one=$(count wan1 tx_packets) two=$(count wan2 tx_packets)
	on a python3 - "$(inner a mp0)" <<-'END'
		import socket, sys, time
		for port in range(20000, 20100):
		    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
		        s.sendto(b"x" * 100, (sys.argv[1], port))
		    time.sleep(0.002)
	END
	sleep 0.2
	one=$(($(count wan1 tx_packets) - one))
	two=$(($(count wan2 tx_packets) - two))
	note "$one on wan1, $two on wan2"
	num "on wan1" "$one >= 20"
	num "on wan2" "$two >= 20"
}

# bursts SECONDS: from a to b, 16 packets each 50 ms, about 3.6 Mbit/s
bursts() {
	on a python3 - "$(inner a mp0)" "$1" <<-'END'
		import socket, sys, time
		with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
		    for _ in range(20 * int(sys.argv[2])):
		        for _ in range(16):
		            s.sendto(b"x" * 1500, (sys.argv[1], 20000))
		        time.sleep(0.05)
	END
}

# saturate: more than both paths carry, for a while
saturate() {
	flow_start a b "$(inner a mp0)" 20000 3
	flow_end
}

# a low-rate path takes nothing of bursts that fit the high-rate path, and helps
# if they do not
test_thin() {
	local two

	ctl a set mp0 sched greedy
	link_set wan2 1mbit 25ms
	saturate
	sleep 1
	two=$(count wan2 tx_packets)
	bursts 2
	two=$(($(count wan2 tx_packets) - two))
	note "$two of 640 packets in bursts on wan2"
	num "packets in bursts on wan2" "$two <= 6"
	two=$(count wan2 tx_packets)
	saturate
	two=$(($(count wan2 tx_packets) - two))
	note "$two packets on wan2 while wan1 is busy"
	num "packets on wan2 while wan1 is busy" "$two > 120"
	link_set wan2 8mbit 25ms
}

# wan2_round_trip MIN MAX: whether it is measured as between these, in us
wan2_round_trip() {
	local us

	us=$(path_json a mp0 wan2 .min_rtt)
	[ "$us" -ge "$1" ] && [ "$us" -le "$2" ]
}

# a high-rate, high-latency path takes nothing that fits the low-latency path,
# and carries the most once that has been too much for a while
test_lead() {
	local two

	ctl a set mp0 sched greedy
	link_set wan1 1mbit 10ms
	link_set wan2 8mbit 300ms
	wait_for 60 wan2_round_trip 600000 700000
	flow_start a b "$(inner a mp0)" 20000 15
	flow_end
	two=$(($(count wan2 tx_packets) - $(count wan2 tx_copies)))
	bursts 4
	two=$(($(count wan2 tx_packets) - $(count wan2 tx_copies) - two))
	note "$two of 2560 fragments on wan2 that are too many for wan1"
	num "fragments on wan2 that are too many for wan1" "$two >= 2048"
	sleep 11
	two=$(count wan2 tx_packets)
	on a ping -n -q -i 0.2 -c 10 "$(inner a mp0)"
	num "packets on wan2 that fit wan1" "$(count wan2 tx_packets) == $two"
	link_set wan1 8mbit 10ms
	link_set wan2 8mbit 25ms
	wait_for 60 wan2_round_trip 50000 60000
}

t "greedy: a low-rate path helps when the other is full" test_thin
t "redundant: the low-latency path dies, nothing is lost" test_redundant wan1
t "redundant: the high-latency path dies, nothing is lost" test_redundant wan2
t "redundant: large packets" test_runs
t "flow: one path for each flow, another one when it dies" test_flow
t "flow: many flows are spread" test_flows
t "greedy: a high-rate, high-latency path" test_lead
run_theme
