#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Devices on one path drop packets with ECN, or with a DSCP.
# Copyright (C) 2026 The mptun authors
# stages: tt tt-long
#
#   ┌───┐ wan1 (30 Mbit/s, 15 ms)           ┌───┐
#   │   ├───────────────────────────────────┤   │
#   │ a │ wan2 (20 Mbit/s, 25 ms)           │ b │
#   │   ├──────────────[router]─────────────┤   │
#   └───┘           drops packets           └───┘
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# shellcheck source=selftests/net/lib/dsfield.sh
. "$NET_DIR/lib/dsfield.sh"

# packets HOST PATH: how many were sent without ECN or DSCP
packets() {
	path_json "$1" mp0 "$2" .stats.ds_cleared
}

# begins RULE: the path begins again, on a device with that rule; b continues to
# count
begins() {
	fresh "$1"
	before=$(packets b wan2)
}

# cleared HOST PATH: packets sent without ECN or DSCP since then
cleared() {
	if [ "$1 $2" = "b wan2" ]; then
		echo $(($(packets b wan2) - before))
	else
		packets "$1" "$2"
	fi
}

# refused HOST: it has seen that wan2 drops them, and wan1 does not
refused() {
	num "cleared on wan2 at $1" "$(cleared "$1" wan2) > 1000"
	eq "cleared on wan1 at $1" "$(cleared "$1" wan1)" 0
}

# test_drops RULE: those packets go without what the path drops
test_drops() {
	begins "$1"
	both "$1"
	refused a
	refused b
}

# The path begins to drop them while a flow is on it, and ends a minute later.
test_begins() {
	local down

	begins ""
	(
		sleep 5
		router "ip ecn != not-ect drop"
	) &
	tcp a b "$(inner a mp0)" 15 -R >/dev/null
	wait
	down=$(series 8 15)
	figure "from 3 s after the change on" "$down" Mbit/s
	timely "of 47" "$down > 42"
	num "cleared on wan2 at b" "$(cleared b wan2) > 1000"

	router ""
	flow_start a b "$(inner a mp0)" 2000 70
	flow_end
	down=$(cleared b wan2)
	both "a minute after that has ended"
	eq "cleared since" "$(cleared b wan2)" "$down"
}

# Loss, also in bursts, and packets that overtake others are no reason.
test_harsh() {
	begins ""
	link_set wan2 20mbit 25ms jitter 10ms/normal loss "2%*4"
	tcp a b "$(inner a mp0)" 20 >/dev/null
	link_set wan2 20mbit 25ms loss 4%
	tcp a b "$(inner a mp0)" 20 -R >/dev/null
	link_set wan2 20mbit 25ms loss 0/0
	eq "cleared at a" "$(cleared a wan2)" 0
	eq "cleared at b" "$(cleared b wan2)" 0
}

# cs1: packets of both ends have this DSCP, and the tunnel copies it
cs1() {
	local host

	for host in a b; do
		on "$host" sysctl -qw net.ipv4.tcp_ecn=0
		on "$host" nft add table ip d
		on "$host" nft add chain ip d c \
			"{ type route hook output priority 0; }"
		on "$host" nft add rule ip d c oifname mp0 ip dscp set cs1
		ctl "$host" set mp0 dscp inherit
	done
}

test_dscp() {
	cs1
	test_drops "ip dscp cs1 drop"
}

# Large packets get lost whatever DSCP they have.
test_size() {
	begins "ip length > 1300 drop"
	tcp a b "$(inner a mp0)" 10 >/dev/null
	tcp a b "$(inner a mp0)" 10 -R >/dev/null
	eq "cleared at a" "$(cleared a wan2)" 0
	eq "cleared at b" "$(cleared b wan2)" 0
}

t "packets with ECN get lost" test_drops "ip ecn != not-ect drop"
t "a path begins to drop packets with ECN" test_begins
t_full "loss and jitter" test_harsh
t "packets with a DSCP get lost" test_dscp
t_full "a hole in the MTU" test_size
run_theme
