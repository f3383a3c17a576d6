#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Playout: packets of all paths are delivered with equal latency.
# Copyright (C) 2026 The mptun authors
# stages: tt debug-long
#
#   ┌───────┐ wan1 (10 Mbit/s, 1 ms)            ┌───────┐
#   │       ├───────────────────────────────────┤       │
#   │   a   │ wan2 (the same, 26 ms)            │   b   │
#   │       ├───────────────────────────────────┤       │
#   └───────┘                                   └───────┘
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

theme_setup() {
	two_paths "10mbit 1ms" "10mbit 26ms"
	plain_queue mp0 a b
}

# playout on|off [HOST...]: set it for class 0 at these receivers (default:
# both)
playout() {
	local host on=$1

	shift
	[ $# -gt 0 ] || set -- a b
	for host; do
		ctl "$host" class set mp0 0 playout "$on"
	done
}

# rtt [PING-ARGUMENT...]: LEAST and MOST are the minimum and maximum RTT in ms
rtt() {
	local line

	line=$(on a ping -q -c 6 -i 0.2 "$@" "$(inner a mp0)" |
		sed -n 's/^rtt .* = //p')
	IFS=/ read -r LEAST _ MOST _ <<<"$line"
	[ -n "$MOST" ] || fail "no answers"
	note "$LEAST to $MOST ms"
}

# slow WHAT LATENCY MS: it is more than that, as on the slower path. What a slow
# machine adds to the latency of either path changes the difference.
slow() {
	timely "$1" "$2 > $3"
	num "$1" "$2 > $3 / 2"
}

# stat FILTER: a figure of the reorder buffer of b
stat() {
	ctl b show mp0 -j | first ".reordering.$1"
}

# waits: whether packets wait at b
waits() {
	[ "$(stat playout_packets)" -gt 0 ]
}

# back: no playout, both paths up
back() {
	playout off
	wait_paths a b mp0 wan1 wan2
}

# from the first packet on, each direction has the latency of the slower path
test_even() {
	back
	rtt
	timely "as they come" "$MOST < 10"
	playout on b
	rtt
	slow "one way" "$LEAST" 25
	timely "one way" "$MOST < 32"
	playout on
	rtt
	slow "both ways" "$LEAST" 50
	timely "both ways" "$MOST < 58"
	timely "shown" "$(stat playout_delay) > 24000"
	timely "shown" "$(stat playout_delay) < 28000"
	num "waited" "$(stat played_out) > 0"
	playout off
	eq "shown without" "$(stat playout_delay)" 0
	rtt
	timely "as they come again" "$MOST < 10"
}

# also after a while without traffic
test_idle() {
	back
	playout on
	sleep 25
	rtt
	slow "both ways" "$LEAST" 50
}

# the default class of real-time traffic does not wait, nor does another class
# without playout
test_class() {
	back
	playout on
	rtt -Q 0xb8
	timely "expedited" "$MOST < 10"
	ctl b class add mp0 1 protocol icmp
	ctl a class add mp0 1 protocol icmp
	rtt
	timely "of a class without" "$MOST < 10"
	ctl b class set mp0 1 playout on
	rtt
	slow "of a class with it" "$LEAST" 25
	timely "of a class with it" "$MOST < 32"
	ctl a class del mp0 1
	ctl b class del mp0 1
}

# a sender whose window follows the minimum RTT fills both paths
test_bbr() {
	local without

	back
	without=$(TCP_OMIT=5 tcp a b "$(inner a mp0)" 10 -C bbr) ||
		fail "$without"
	playout on
	sleep 2
	MBIT=$(TCP_OMIT=5 tcp a b "$(inner a mp0)" 10 -C bbr) || fail "$MBIT"
	note "$MBIT Mbit/s, as they come $without"
	timely "Mbit/s as they come" "$without < 12"
	timely "Mbit/s" "$MBIT > 16"
}

# changes under traffic lose nothing and keep the order
test_traffic() {
	back
	flow_start a b "$(inner a mp0)" 12000 6
	sleep 1
	playout on
	sleep 1
	playout off
	sleep 1
	playout on
	sleep 2
	flow_end
	timely lost "$(flow .lost) == 0"
	timely reordered "$(flow .reordered) == 0"
	eq twice "$(flow .duplicates)" 0
	eq "wait after all of it" "$(stat playout_packets)" 0
}

# alike JOB: the flow that this job receives arrives with the latency of the
# slower path, from its first packet to its last
alike() {
	local report

	bg_wait "$1" || fail "receiver: $BG_OUT"
	report=$BG_OUT
	note "$(jq -c '{age_min_ms, age_max_ms, reordered}' <<<"$report")"
	slow "youngest" "$(jq .age_min_ms <<<"$report")" 25
	timely "oldest" "$(jq .age_max_ms <<<"$report") < 32"
	timely reordered "$(jq .reordered <<<"$report") == 0"
}

# flows on different paths have equal latency and do not wait for each other
test_flows() {
	local fast slow

	back
	playout on
	ctl a class add mp0 1 protocol udp port 6000 policy pin path wan1
	ctl a class add mp0 2 protocol udp port 6001 policy pin path wan2
	ctl b class add mp0 1 protocol udp port 6000 playout on
	ctl b class add mp0 2 protocol udp port 6001 playout on
	bg b "$(helper udpflow)" recv 6000
	fast=$BG
	bg b "$(helper udpflow)" recv 6001
	slow=$BG
	wait_for 10 flow_listens b 6000
	wait_for 10 flow_listens b 6001
	bg a "$(helper udpflow)" send "$(inner a mp0)" 6000 2000 1000 3
	bg a "$(helper udpflow)" send "$(inner a mp0)" 6001 2000 1000 3
	alike "$fast"
	alike "$slow"
	ctl a class del mp0 1
	ctl a class del mp0 2
	ctl b class del mp0 1
	ctl b class del mp0 2
}

# with repair, retransmitted packets arrive in order
test_repair() {
	back
	playout on
	ctl a class set mp0 0 repair on
	link_set wan1 10mbit 1ms loss 2%
	flow_start a b "$(inner a mp0)" 5000 6
	flow_end
	link_set wan1 10mbit 1ms
	ctl a class set mp0 0 repair auto
	timely lost "$(flow .lost) == 0"
	timely reordered "$(flow .reordered) == 0"
	num "retransmitted" "$(ctl a class show mp0 0 -j |
		first .stats.tx_resent) > 0"
}

# paths that are down, not in use, or slower than hold do not count
test_others() {
	back
	playout on
	link_blackhole wan2
	wait_state a mp0 wan2 down
	wait_state b mp0 wan2 down
	rtt
	timely "without the slower path" "$MOST < 10"
	link_heal wan2
	wait_state a mp0 wan2 up
	wait_state b mp0 wan2 up
	rtt
	slow "with it again" "$LEAST" 50
	ctl b path set mp0 wan2 backup on
	rtt
	slow "a backup at b" "$LEAST" 25
	timely "a backup at b" "$MOST < 32"
	ctl b path set mp0 wan2 backup off
	ctl b path set mp0 wan2 priority 1
	rtt
	timely "of a higher number at b" "$MOST < 32"
	ctl b path set mp0 wan2 priority 0
	ctl b path set mp0 wan1 backup on
	ctl b path set mp0 wan2 backup on
	rtt
	slow "nothing but backups at b" "$LEAST" 50
	ctl b path set mp0 wan1 backup off
	ctl b path set mp0 wan2 backup off
	ctl b set mp0 hold 20ms
	rtt
	timely "slower than hold at b" "$MOST < 32"
	ctl b set mp0 hold 500ms
	rtt
	slow "as before" "$LEAST" 50
}

# bad requests are refused with a sentence; show prints the setting
test_shown() {
	back
	refused 1 "" ctl a class set mp0 0 playout maybe
	refused 2 "class 0 takes repair, playout and code, nothing else" \
		ctl a class set mp0 0 port 7 playout on
	eq "playout of class 0" \
		"$(ctl a class show mp0 0 -j | first .playout)" false
	playout on a
	grep -q '^    order on  repair auto  playout on  code auto$' \
		<(ctl a class show mp0 0) ||
		fail "not shown: $(ctl a class show mp0 0)"
}

# waiting packets do not leak, which the kernel log would show
test_teardown() {
	back
	playout on
	flow_start a b "$(inner a mp0)" 5000 20
	sleep 1
	wait_for 5 waits || fail "nothing waits"
	ipn b link set mp0 down
	ipn b link set mp0 up
	sleep 1
	wait_for 5 waits || fail "nothing waits again"
	ipn b link del mp0
	bg_kill "$FLOW_TX"
	bg_kill "$FLOW_RX"
	ipn a link del mp0
}

t "the latency of the slower path" test_even
t "after a while without traffic" test_idle
t "for some classes only" test_class
t "one flow fills both paths" test_bbr
t "changes under traffic" test_traffic
t "flows on different paths" test_flows
t "with repair" test_repair
t "paths that do not count" test_others
t "what is shown and refused" test_shown
t "down and deleted under traffic" test_teardown
run_theme
