#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Devices on one path mark every packet, or every packet with ECN.
# Copyright (C) 2026 The mptun authors
# stages: tt-long
#
#   ┌───┐ wan1 (30 Mbit/s, 15 ms)           ┌───┐
#   │   ├───────────────────────────────────┤   │
#   │ a │ wan2 (20 Mbit/s, 25 ms)           │ b │
#   │   ├──────────────[router]─────────────┤   │
#   └───┘           marks packets           └───┘
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# shellcheck source=selftests/net/lib/dsfield.sh
. "$NET_DIR/lib/dsfield.sh"

# dropped HOST: packets dropped for a mark
dropped() {
	tun_json "$1" mp0 .drops.rx_ecn
}

# got HOST FIGURE: a counter of wan2
got() {
	path_json "$1" mp0 wan2 ".stats.$2"
}

test_none() {
	fresh ""
	both "no device"
	eq ignored "$(got a ecn_ignored)" 0
	eq faults "$(got a ecn_faults)" 0
}

# test_marks RULE: the marks are ignored at both ends
test_marks() {
	fresh "$1"
	both "$1"
	num "ignored at a" "$(got a ecn_ignored) > 1000"
	num "ignored at b" "$(got b ecn_ignored) > 1000"
	eq "dropped at a" "$(dropped a)" 0
	eq "dropped at b" "$(dropped b)" 0
}

# Control packets show that a path has begun to mark everything; until then, flows
# without ECN lose packets.
test_begins() {
	fresh ""
	on a sysctl -qw net.ipv4.tcp_ecn=0
	on b sysctl -qw net.ipv4.tcp_ecn=0
	both "before it marks"
	router "ip ecn set ce"
	both "every packet is marked later"
	num "ignored at b" "$(got b ecn_ignored) > 1000"
	figure "dropped before that is known" "$(dropped b)" packets
	num "dropped at a" "$(dropped a) < 100"
	num "dropped at b" "$(dropped b) < 100"
}

t "no such device" test_none
t "every packet with ECN is marked" test_marks "ip ecn != not-ect ip ecn set ce"
t "every packet is marked" test_marks "ip ecn set ce"
t "a path begins to mark every packet" test_begins
run_theme
