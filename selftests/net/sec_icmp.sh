#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# ICMP messages about the size of packets: forged ones and honest ones.
# Copyright (C) 2026 The mptun authors
# stages: tt
#
#   ┌───────┐ wan1 (20 Mbit/s, 10 ms)   ┌───────┐
#   │   a   ├────────────( r )──────────┤   b   │
#   └───────┘                           └───────┘
#
# The router r has a smaller link at first, and then forges messages.
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

theme_setup() {
	hosts a b
	link a b wan1 20mbit 10ms
}

# over FAMILY: mp0 with a path over that family
over() {
	local add=path

	ipn r-wan1 link set dev b mtu 1500
	forget
	[ "$1" = 4 ] || add=path6
	tunnel a b mp0
	"$add" a mp0 wan1
	"$add" b mp0 wan1
	wait_paths a b mp0 wan1
	# the largest inner packet
	MTU=$((1500 - 52 - 20 * ($1 / 2 - 1)))
	dev_mtu mp0 "$MTU"
	wait_ping a "$(inner a mp0)"
}

dev_mtu() {
	ctl a set "$1" mtu "$2"
	ctl b set "$1" mtu "$2"
}

# forget: what messages have claimed before, which is stored with the routes
forget() {
	ipn a route del "10.${LINK_N[wan1]}.2.0/24"
	ipn a -6 route del "fd00:${LINK_N[wan1]}:2::/64"
	link_routes wan1 A
	ipn a -4 route flush cache
	ipn a -6 route flush cache
}

# claim FAMILY MTU...: messages to a about packets to b
claim() {
	local family=$1

	shift
	on r-wan1 python3 "$TESTS_DIR/helpers/toobig.py" \
		"$(addr a wan1 "$family")" "$(remote a wan1 "$family")" \
		4725 "$@"
}

# claimed FAMILY: the MTU of the route at a
claimed() {
	ipn a -j route get "$(remote a wan1 "$1")" |
		jq -r '.[0].metrics[0].mtu // 1500'
}

# full PACKETS HOST [6]: these pings of full size pass, without fragments
full() {
	on "$2" ping -n -q -M "do" -c "$1" -i 0.1 -W 1 \
		-s $((MTU - 28 - 20 * (${3:-4} / 2 - 2))) \
		"$(inner "$2" mp0 "${3:-4}")"
}

size() {
	path_json a mp0 wan1 .pmtu
}

size_is() {
	[ "$(size)" = "$1" ]
}

# one forged message of each size: not a packet is lost, nor smaller, although
# the stack books it on its route
test_forged() {
	local family=$1 mtu

	over "$family"
	# the stack takes smaller ones only
	for mtu in 1499 1400 1281 1280 576 68; do
		claim "$family" "$mtu"
		full 4 a
		full 4 a 6
		eq "size after $mtu" "$(size)" 1500
	done
	num "claimed" "$(claimed "$family") < 1500"
}

# throughput before and after a forged message, and while they keep coming
test_forged_rate() {
	local family=$1 before after during forger

	over "$family"
	before=$(tcp a b "$(inner a mp0)" 2)
	claim "$family" 576 1280
	sleep 0.1
	after=$(tcp a b "$(inner a mp0)" 2)
	bg r-wan1 python3 "$TESTS_DIR/helpers/toobig.py" --every 0.02 \
		"$(addr a wan1 "$family")" "$(remote a wan1 "$family")" \
		4725 1280 1300 576 1499
	forger=$BG
	during=$(tcp a b "$(inner a mp0)" 2)
	bg_kill "$forger"
	figure "before" "$before" Mbit/s
	figure "after" "$after" Mbit/s
	figure "while they keep coming" "$during" Mbit/s
	timely "after" "$after > 0.97 * $before"
	timely "while they keep coming" "$during > 0.97 * $before"
	eq "size" "$(size)" 1500
}

# a router with a smaller link: its message is believed within a second, and the
# size grows again when the link does
test_honest() {
	local family=$1 got

	over "$family"
	flow_start a b "$(inner a mp0)" 500 3 $((MTU - 28))
	sleep 1
	ipn r-wan1 link set dev b mtu 1400
	wait_for 1 size_is 1400 || fail "size $(size), not 1400"
	flow_end
	eq state "$(path_state a mp0 wan1)" up
	full 1 a && fail "a packet of full size passes"
	MTU=$((MTU - 100))
	full 3 a
	got=$(tcp a b "$(inner a mp0)" 2)
	figure "over the smaller link" "$got" Mbit/s
	timely "over the smaller link" "$got > 15"
	MTU=$((MTU + 100))
	ipn r-wan1 link set dev b mtu 1500
	# the raise timer of the path
	sleep 590
	wait_for 15 size_is 1500 || fail "size $(size), not 1500"
	full 1 a
}

# the route of the administrator counts at once, below the floor as well
test_configured() {
	local family=$1 mtu=1300

	[ "$family" = 6 ] || mtu=1000
	over "$family"
	ipn a route replace "$(addr b wan1 "$family")" \
		via "$(gateway "$family")" mtu "$mtu"
	wait_for 2 size_is "$mtu" || fail "size $(size), not $mtu"
	ipn a route del "$(addr b wan1 "$family")"
	wait_for 2 size_is 1500 || fail "size $(size), not 1500"
}

# examined REMOTE...: SENT is the number of control packets that a sends in the
# 0.2 s after messages about packets to these addresses, one right behind another
examined() {
	local before to

	sleep 2
	before=$(path_json a mp0 wan1 .stats.tx_control)
	for to; do
		on r-wan1 python3 "$TESTS_DIR/helpers/toobig.py" \
			"$(addr a wan1)" "$to" 4725 1300
	done
	sleep 0.2
	SENT=$(($(path_json a mp0 wan1 .stats.tx_control) - before))
}

# messages are looked at once in a while: one that concerns no path keeps out the
# next one
test_pause() {
	local remote

	over 4
	remote=$(remote a wan1)
	examined "$remote"
	num "probes after a message" "$SENT >= 3"
	examined 203.0.113.7 "$remote"
	timely "probes after another one" "$SENT <= 1"
	eq size "$(size)" 1500
}

gateway() {
	[ "$1" = 4 ] && echo "10.${LINK_N[wan1]}.1.1" ||
		echo "fd00:${LINK_N[wan1]}:1::1"
}

t "messages are looked at once in a while" test_pause
for family in 4 6; do
	t "an honest message, IPv$family" test_honest "$family"
	t "a route with an MTU, IPv$family" test_configured "$family"
	t "forged messages, IPv$family" test_forged "$family"
	t "throughput with forged messages, IPv$family" \
		test_forged_rate "$family"
done
run_theme
