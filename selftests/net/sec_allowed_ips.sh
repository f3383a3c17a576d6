#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# allowed-ips: which source addresses packets from a tunnel may have.
# Copyright (C) 2026 The mptun authors
# stages: tt
#
#   ┌───────┐ wan1 (8 Mbit/s, 5 ms)    ┌───────┐
#   │   a   ├──────────────────────────┤   b   │ 10.9.9.9, fd99::9
#   └───────┘                          └───────┘
#
# a filters what comes from b, which has addresses besides those of the tunnel.
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

theme_setup() {
	hosts a b
	link a b wan1 8mbit 5ms
	tunnel a b mp0
	paths a b mp0 wan1
	ipn b address add 10.9.9.9/32 dev lo
	ipn b -6 address add fd99::9/128 dev lo nodad
	ipn a route add 10.9.9.9/32 dev mp0
	ipn a -6 route add fd99::9/128 dev mp0
	wait_ping a "$(inner a mp0)"
}

# from ADDRESS TO: ten pings of b from an address; the number of answers
from() {
	{ on b ping -n -q -c 10 -i 0.02 -W 1 -I "$1" "$2" || :; } |
		sed -n 's/.* \([0-9]*\) received.*/\1/p'
}

allowed() {
	ctl a set mp0 allowed-ips "$1"
}

not_allowed() {
	tun_json a mp0 .drops.rx_not_allowed
}

mine() {
	inner a mp0 "$@"
}

at_a() {
	inner b mp0 "$@"
}

test_off() {
	local before

	before=$(not_allowed)
	eq list "$(tun_json a mp0 '.allowed_ips | length')" 0
	eq "from elsewhere" "$(from 10.9.9.9 "$(at_a)")" 10
	eq "from elsewhere, IPv6" "$(from fd99::9 "$(at_a 6)")" 10
	eq refused "$(not_allowed)" "$before"
}

test_list() {
	local before lost

	allowed "$(mine)/24,$(mine 6)"
	lost=$(path_json b mp0 wan1 .stats.lost_packets)
	before=$(not_allowed)
	eq "from the tunnel" "$(from "$(mine)" "$(at_a)")" 10
	eq "from the tunnel, IPv6" "$(from "$(mine 6)" "$(at_a 6)")" 10
	eq refused "$(not_allowed)" "$before"
	eq "from elsewhere" "$(from 10.9.9.9 "$(at_a)")" 0
	eq refused "$(not_allowed)" $((before + 10))
	eq "from elsewhere, IPv6" "$(from fd99::9 "$(at_a 6)")" 0
	eq refused "$(not_allowed)" $((before + 20))
	# they were received, so the sender must not repeat them
	eq "lost on the path" "$(path_json b mp0 wan1 .stats.lost_packets)" \
		"$lost"
	# only one direction is filtered
	on a ping -n -q -c 10 -i 0.02 "$(mine)"
	allowed "$(mine)/24,$(mine 6),10.9.0.0/16"
	eq "from elsewhere" "$(from 10.9.9.9 "$(at_a)")" 10
	eq "from elsewhere, IPv6" "$(from fd99::9 "$(at_a 6)")" 0
	allowed any
	eq "from elsewhere, IPv6" "$(from fd99::9 "$(at_a 6)")" 10
}

# refused packets beside a flow cost it nothing
test_beside() {
	allowed "$(mine)"
	bg b ping -q -i 0.01 -I 10.9.9.9 "$(at_a)"
	flow_start b a "$(at_a)" 1000 3
	for _ in 1 2 3 4 5 6 7 8; do
		allowed "$(mine),fd00::/8"
		sleep 0.1
		allowed "$(mine)"
	done
	flow_end
	bg_kill "$BG" 2>/dev/null || :
	eq duplicates "$(flow .duplicates)" 0
	timely lost "$(flow .lost) == 0"
	num refused "$(not_allowed) > 100"
	allowed any
}

# what is shown is the set; it has a limit
test_shown() {
	local many

	allowed 10.1.0.0/16,10.0.0.0/8,192.0.2.77/24,fd00::1/8
	eq shown "$(tun_json a mp0 '.allowed_ips | join(" ")')" \
		"10.0.0.0/8 192.0.2.0/24 fd00::/8"
	ctl a show mp0 | grep -q "allowed-ips 10.0.0.0/8,192.0.2.0/24,fd00::/8"
	many=$(printf '10.0.%d.0/24,' $(seq 0 63))
	allowed "${many%,}"
	eq entries "$(tun_json a mp0 '.allowed_ips | length')" 64
	! allowed "${many}::1" || fail "65 entries are accepted"
	! allowed 10.0.0.0/33 || fail "a prefix of 33 bits is accepted"
	eq entries "$(tun_json a mp0 '.allowed_ips | length')" 64
	allowed any
	eq entries "$(tun_json a mp0 '.allowed_ips | length')" 0
}

t "off unless set" test_off
t "a list" test_list
t "beside a flow" test_beside
t "shown, and its limit" test_shown
run_theme
