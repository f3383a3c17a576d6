#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Roaming: a NAT on the way changes its mapping under traffic.
# Copyright (C) 2026 The mptun authors
# stages: tt debug-long
#
#   ┌───────┐ wan1 (8 Mbit/s, 20 ms)   ┌───────┐
#   │   a   ├──────── translator ──────┤   b   │ learns its paths from a
#   │       │ wan2 (8 Mbit/s, 40 ms)   │       │
#   │       ├──────────────────────────┤       │
#   └───────┘                          └───────┘
#
# The NAT keeps no state: it replaces the source port or address of what a sends
# and restores it in the answers; packets to an older mapping are lost.
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

LEARN=on

theme_setup() {
	hosts a b
	link a b wan1 8mbit 20ms
	link a b wan2 8mbit 40ms
	translate "$(addr a wan1)" 5000
	tunnel a b mp0
	plain_queue mp0 a b
	path a mp0 wan1
	wait_state a mp0 wan1 up
	learned
}

# translate ADDRESS PORT: the source of a's packets on wan1, as b sees it
translate() {
	on r-wan1 nft -f - <<-END
		table ip translator
		delete table ip translator
		table ip translator {
			chain out {
				type filter hook postrouting priority 0
				ip daddr $(addr b wan1) udp dport 4725 \
					udp sport set $2 ip saddr set $1
			}
			chain back {
				type filter hook prerouting priority -300
				ip daddr $1 udp dport $2 udp dport set 4725 \
					ip daddr set $(addr a wan1)
				ip daddr $(addr a wan1) udp dport != 4725 \
					drop
			}
		}
	END
}

# learned: wait for b's path over wan1 and set PEER to its name
learned() {
	wait_for 5 learned_one
	PEER=$(ctl b path show mp0 -j | first .name)
	wait_state b mp0 "$PEER" up
}

learned_one() {
	[ "$(ctl b path show mp0 -j | jq -r '[.[].name] | join(" ")')" = wan1 ]
}

leads_to() {
	[ "$(path_json b mp0 "$PEER" '.remote + " " + (.remote_port | tostring)')" \
		= "$1 $2" ]
}

# moves ADDRESS PORT FROM TO MOST: a flow continues and loses at most MOST
# packets, those in flight
moves() {
	local id

	id=$(path_json b mp0 "$PEER" .id)
	flow_start "$3" "$4" "$(inner "$3" mp0)" 1000 5 500
	sleep 1
	translate "$1" "$2"
	wait_for 5 leads_to "$1" "$2" ||
		fail "leads to $(path_json b mp0 "$PEER" .remote)"
	flow_end
	figure "lost while the mapping changed, $3 to $4" "$(flow .lost)" \
		packets
	timely "lost" "$(flow .lost) <= $5"
	eq duplicates "$(flow .duplicates)" 0
	eq "number of the path" "$(path_json b mp0 "$PEER" .id)" "$id"
	eq associations "$(tun_json b mp0 .associations)" 1
	wait_state b mp0 "$PEER" up
	wait_state a mp0 wan1 up
}

# 250 packets per second. The server loses what was in flight to the old mapping
# and what it sends until it learns the new one: 1.5 round trips.
test_port() {
	moves "$(addr a wan1)" 5001 a b 0
	moves "$(addr a wan1)" 5002 b a 25
}

# a new IP address is another network: rate and round-trip time start again
test_address() {
	moves 10.1.1.77 5003 a b 0
	moves 10.1.1.78 5004 b a 25
	moves "$(addr a wan1)" 5000 a b 0
}

# with another path, nothing that can be retransmitted is lost
test_beside() {
	path a mp0 wan2
	wait_state a mp0 wan2 up
	translate "$(addr a wan1)" 5005
	tcp a b "$(inner a mp0)" 3 -R
	wait_for 5 leads_to "$(addr a wan1)" 5005
	ctl a path del mp0 wan2
	wait_for 10 learned_one
	learned
}

# while nothing is sent the keepalive detects it
test_idle() {
	ctl a path set mp0 wan1 keepalive 1
	sleep 1
	translate "$(addr a wan1)" 5006
	wait_for 6 leads_to "$(addr a wan1)" 5006
	ctl a path set mp0 wan1 keepalive auto
	wait_ping b "$(inner b mp0)"
}

# The path is silent until the server forgets it: the server refuses the number,
# and the client takes another one. The server waits for 60 s; new session keys
# may begin them again.
test_forgotten() {
	local id

	id=$(path_json a mp0 wan1 .id)
	ctl a path set mp0 wan1 keepalive off
	ctl b path set mp0 "$PEER" keepalive off
	nap 100
	wait_for 50 has_paths b mp0 0
	ctl a path set mp0 wan1 keepalive auto
	wait_ping a "$(inner a mp0)" 15
	num "number of the path" "$(path_json a mp0 wan1 .id) > $id"
	learned
}

# Both ends have settings for the path, but b does not know the port that the
# NAT gives it. The number of either end is in use: the lower one.
test_settings() {
	local LEARN=off n

	tunnel a b mp1
	ctl b path add mp1 wan1 remote "$(addr a wan1)" port 4999
	path a mp1 wan1
	wait_state a mp1 wan1 up
	for n in 1 2 3; do
		ctl a path del mp1 wan1
		path a mp1 wan1
		wait_state a mp1 wan1 up
		wait_state b mp1 wan1 up
	done
	num "port that b has followed" \
		"$(path_json b mp1 wan1 .remote_port) != 4999"
	ctl b path set mp1 wan1 remote 192.0.2.1
	eq "port that is configured" "$(path_json b mp1 wan1 .remote_port)" 4999
	ipn a link del mp1
	ipn b link del mp1
}

# Each end has the path under a number that the peer has left. The link was dead
# when it did, so no message said so.
test_swapped() {
	tunnel a b mp1
	path b mp1 wan2
	wait_state b mp1 wan2 up
	ctl a path add mp1 wan2 remote "$(remote a wan2)" local-port 4800
	wait_state a mp1 wan2 up
	wait_for 5 has_paths b mp1 2
	link_blackhole wan2
	ctl a path set mp1 wan2 local-port 4725
	ctl b path del mp1 wan2
	path b mp1 wan2
	sleep 5
	link_heal wan2
	note "numbers $(path_json a mp1 wan2 .id), $(path_json b mp1 wan2 .id)"
	wait_state a mp1 wan2 up 30
	wait_state b mp1 wan2 up
	wait_ping a "$(inner a mp1)"
	ipn a link del mp1
	ipn b link del mp1
}

has_paths() {
	[ "$(ctl "$1" path show "$2" -j | jq length)" = "$3" ]
}

t "another port" test_port
t "another address" test_address
t "another path beside it" test_beside
t "while nothing is sent" test_idle
t "forgotten by the server" test_forgotten
t "settings at both ends, another port" test_settings
t "settings at both ends, numbers swapped" test_swapped
run_theme
