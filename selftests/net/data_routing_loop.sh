#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Routing loops: a path through its own tunnel, two tunnels through each other.
# Copyright (C) 2026 The mptun authors
# stages: tt vm-long
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
	hosts a b
	link a b wan1 8mbit 5ms
	link a b wan2 8mbit 10ms
	tunnel a b mp0
	paths a b mp0 wan1
	wait_ping a "$(inner a mp0)"
}

# a path whose remote is reached through the tunnel itself is not used
test_self() {
	ctl a path add mp0 loop remote 10.99.0.1
	wait_for 5 reason_is route
	ipn a route add 10.99.0.0/24 dev mp0
	wait_for 5 reason_is loop
	eq state "$(path_state a mp0 loop)" noroute
	on a ping -n -q -c 20 -i 0.02 "$(inner a mp0)"
	ipn a route del 10.99.0.0/24 dev mp0
	ctl a path del mp0 loop
}

reason_is() {
	[ "$(path_json a mp0 loop .reason)" = "$1" ]
}

# the default route leads into the tunnel, the usual set-up
test_default() {
	ipn a route add default dev mp0
	ctl a path add mp0 loop remote 10.99.0.1
	wait_for 5 reason_is loop
	on a ping -n -q -c 20 -i 0.02 "$(inner a mp0)"
	ipn a route del default dev mp0
	ctl a path del mp0 loop
}

# a new route leads a working path into the tunnel, under traffic
test_taken() {
	local before

	before=$(tun_json a mp0 .state)
	flow_start a b "$(inner a mp0)" 500 4
	sleep 1
	ipn a route add "$(remote a wan1)/32" dev mp0
	wait_for 5 path_is a mp0 wan1 noroute
	eq reason "$(path_json a mp0 wan1 .reason)" loop
	ipn a route del "$(remote a wan1)/32" dev mp0
	wait_state a mp0 wan1 up
	flow_end
	num "received" "$(flow .received) > 0"
	wait_ping a "$(inner a mp0)"
	eq state "$(tun_json a mp0 .state)" "$before"
}

# two tunnels, each routed through the other: packets may be lost, but nothing
# hangs, and both recover without these routes
test_circle() {
	tunnel a b mp1
	paths a b mp1 wan2
	wait_ping a "$(inner a mp1)"
	bg a ping -q -i 0.005 "$(inner a mp0)"
	bg a ping -q -i 0.005 "$(inner a mp1)"
	ipn a route add "$(remote a wan1)/32" dev mp1
	ipn a route add "$(remote a wan2)/32" dev mp0
	sleep 3
	ctl a show
	ctl a stats mp0 >/dev/null
	ipn a link set mp1 mtu 1300
	ipn a route del "$(remote a wan1)/32" dev mp1
	ipn a route del "$(remote a wan2)/32" dev mp0
	reap
	wait_state a mp0 wan1 up 15
	wait_state a mp1 wan2 up 15
	wait_ping a "$(inner a mp0)"
	wait_ping a "$(inner a mp1)"
	ipn a link del mp1
	ipn b link del mp1
}

# a tunnel inside a tunnel is no loop: it works, with a smaller MTU
test_nested() {
	local n=${TUN_N[mp0]} got

	tunnel a b mp1
	ipn a link set mp1 mtu 1300
	ipn b link set mp1 mtu 1300
	ctl a path add mp1 in remote "172.20.$n.2" local "172.20.$n.1"
	ctl b path add mp1 in remote "172.20.$n.1" local "172.20.$n.2"
	wait_paths a b mp1 in
	wait_ping a "$(inner a mp1)"
	got=$(tcp a b "$(inner a mp1)" 2)
	num "TCP in the inner tunnel" "$got > 0"
	timely "TCP in the inner tunnel" "$got > 1"
	ipn a link del mp1
	ipn b link del mp1
}

# six tunnels, each inside the one before: the first four carry packets, and
# what is deeper is dropped where the fifth would be
test_deep() {
	local at=mp0 n dev mtu=1400 got

	for dev in mp1 mp2 mp3 mp4 mp5; do
		n=${TUN_N[$at]}
		mtu=$((mtu - 72))
		tunnel a b "$dev"
		ipn a link set "$dev" mtu "$mtu"
		ipn b link set "$dev" mtu "$mtu"
		ctl a path add "$dev" in remote "172.20.$n.2" local "172.20.$n.1"
		ctl b path add "$dev" in remote "172.20.$n.1" local "172.20.$n.2"
		case $dev in
		mp4 | mp5) ;;
		*)
			wait_paths a b "$dev" in
			;;
		esac
		at=$dev
	done
	bg a ping -q -i 0.01 "$(inner a mp4)"
	bg a ping -q -i 0.01 "$(inner a mp5)"
	got=$(tcp a b "$(inner a mp3)" 3)
	num "TCP in the fourth tunnel" "$got > 0"
	timely "TCP in the fourth tunnel" "$got > 1"
	eq "state of the fifth" "$(tun_json a mp4 .state)" opening
	num "dropped by the first" "$(tun_json a mp0 .drops.tx_nested) > 0"
	eq "dropped by the second" "$(tun_json a mp1 .drops.tx_nested)" 0
	eq "state of the first path" "$(path_state a mp0 wan1)" up
	for dev in mp5 mp4 mp3 mp2 mp1; do
		ipn a link del "$dev"
		ipn b link del "$dev"
	done
}

t "a path through its own tunnel is refused" test_self
t "default route into the tunnel" test_default
t "a route leads a working path into the tunnel" test_taken
t "two tunnels through each other" test_circle
t "a tunnel in a tunnel" test_nested
t "six tunnels in each other" test_deep
run_theme
