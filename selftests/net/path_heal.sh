#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Healing: what keeps a path down by a state of its own goes without a command.
# Copyright (C) 2026 The mptun authors
# stages: tt tt-long
#
#   ┌───────┐ wan1 (16 Mbit/s, 15 ms)  ┌───────┐
#   │       ├──────────────────────────┤       │
#   │   a   │ wan2 (16 Mbit/s, 25 ms)  │   b   │ learns its paths from a
#   │       ├─────────── NAT ──────────┤       │
#   └───────┘                          └───────┘
#
# The NAT keeps state, and each packet renews it. b has no route to the network
# behind the NAT.
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# shellcheck disable=SC2034 # used by tunnel_end
LEARN=on

theme_setup() {
	hosts a b
	link a b wan1 16mbit 15ms
	link a b wan2 16mbit 25ms
	ipn b route del "10.${LINK_N[wan2]}.1.0/24"
	OUTSIDE=10.${LINK_N[wan2]}.2
	nat_address 70
	nat_rule 70
	tunnel a b mp0
	path a mp0 wan1
	path a mp0 wan2
	wait_state a mp0 wan1 up
	wait_state a mp0 wan2 up
	wait_for 5 peers_are mp0 2 2
}

# nat_rule LAST [FLAG]: new mappings of wan2 have this address, and keep the port
# without a flag; others stay
nat_rule() {
	on r-wan2 nft -f - <<-END
		table ip nat {
			chain out {
				type nat hook postrouting priority 100
			}
		}
		flush chain ip nat out
		add rule ip nat out oifname b ip saddr $(addr a wan2) \
			snat to $OUTSIDE.$1 ${2:-}
	END
}

nat_address() {
	ipn r-wan2 address add "$OUTSIDE.$1/24" dev b
}

# nat_renumbers OLD NEW: the provider gives the router another address
nat_renumbers() {
	nat_rule "$2"
	nat_address "$2"
	ipn r-wan2 address del "$OUTSIDE.$1/24" dev b
	ipn b neighbour flush dev wan2
}

# peers_are DEV PATHS UP: how many paths b has, and how many of them are up
peers_are() {
	[ "$(ctl b path show "$1" -j | jq -r \
		'"\(length) \(map(select(.state == "up")) | length)"')" = \
		"$2 $3" ]
}

# peer_of DEV ADDRESS: number and name of b's path to an address
peer_of() {
	ctl b path show "$1" -j | jq -r --arg a "$2" \
		'.[] | select(.remote == $a) | "\(.id) \(.name)"'
}

# sockets HOST: ports of tunnels that are open, other than the default
sockets() {
	on "$1" ss -Hunl4 | awk '$4 !~ /:4725$/ && $4 !~ /127\.0\.0/ {
		sub(/.*:/, "", $4)
		n += !port[$4]++ } END { print n + 0 }'
}

sockets_are() {
	[ "$(sockets "$1")" = "$2" ]
}

few_sockets() {
	[ "$(sockets "$1")" -le 1 ]
}

# heals LAST PEER: wan2 goes down, and is the same path of b when it is back
heals() {
	local begin took

	wait_for 40 not_up a mp0 wan2
	begin=$(now_ms)
	wait_state a mp0 wan2 up 60
	took=$(($(now_ms) - begin))
	figure "wan2 is back after" "$took" ms
	timely "ms until it is back" "$took < 10000"
	wait_for 5 peers_are mp0 2 2
	eq "path of b" "$(peer_of mp0 "$OUTSIDE.$1")" "$2"
	eq "its weight" "$(path_json b mp0 "${2#* }" .weight)" 7
	eq associations "$(tun_json b mp0 .associations)" 1
	# the port of an attempt before is closed
	wait_for 5 few_sockets a
}

# dead_mapping OLD NEW: the mapping of wan2 leads nowhere, and the probes of a
# keep it
dead_mapping() {
	local peer

	peer=$(peer_of mp0 "$OUTSIDE.$1")
	[ -n "$peer" ] || fail "b has no path to $OUTSIDE.$1"
	ctl b path set mp0 "${peer#* }" weight 7
	nat_renumbers "$1" "$2"
	heals "$2" "$peer"
}

not_up() {
	! path_is "$@" up
}

test_busy() {
	on a ping -q -i 0.2 "$(inner a mp0)" >/dev/null &
	dead_mapping 70 71
	kill $!
}

test_idle() {
	dead_mapping 71 72
}

# what b sends through the mapping of wan2 is lost, while a is heard
test_deaf() {
	local peer port

	peer=$(peer_of mp0 "$OUTSIDE.72")
	port=$(path_json b mp0 "${peer#* }" .remote_port)
	on r-wan2 nft -f - <<-END
		table ip deaf {
			chain in {
				type filter hook prerouting priority -300
				ip daddr $OUTSIDE.72 udp dport $port drop
			}
		}
	END
	heals 72 "$peer"
	on r-wan2 nft delete table ip deaf
}

# the uplink is in a VRF
test_vrf() {
	local n=${LINK_N[wan2]}

	ctl a path del mp0 wan2
	ipn a link add red type vrf table 100
	ipn a link set red up
	ipn a link set wan2 master red
	ipn a route add table 100 default via "10.$n.1.1" dev wan2
	ctl a path add mp0 wan2 dev wan2 remote "$(addr b wan2)"
	wait_state a mp0 wan2 up
	wait_for 5 peers_are mp0 2 2
	dead_mapping 72 73
	dead_mapping 73 72
	ctl a path del mp0 wan2
	ipn a link del red
	ipn a route add "10.$n.2.0/24" via "10.$n.1.1" dev wan2
	path a mp0 wan2
	wait_state a mp0 wan2 up
	wait_for 5 peers_are mp0 2 2
}

# the rules are loaded after the first packet, so that its entry translates
# nothing; there is no other path, so it concerns the handshake
test_handshake() {
	local begin

	tunnel a b mp1
	on r-wan2 nft flush ruleset
	on r-wan2 nft -f - <<-END
		table ip filter {
			chain forward {
				type filter hook forward priority 0
				ct state new counter
			}
		}
	END
	path a mp1 wan2
	sleep 5
	! path_is a mp1 wan2 up || fail "the path is up"
	begin=$(now_ms)
	nat_rule 72
	wait_state a mp1 wan2 up 60
	timely "ms until it is up" "$(now_ms) - $begin < 20000"
	wait_ping a "$(inner a mp1)"
	wait_for 5 peers_are mp1 1 1
	ipn a link del mp1
	ipn b link del mp1
}

# a link that is dead for a minute: few ports are open at a time, the peer keeps
# one path for each of a, and it is up soon after the link
test_outage() {
	local i begin

	link_blackhole wan2
	for i in {1..6}; do
		sleep 10
		# the former port is closed after a grace period
		wait_for 5 few_sockets a || fail "ports at $((i * 10)) s"
	done
	link_heal wan2
	begin=$(now_ms)
	wait_state a mp0 wan2 up 10
	timely "ms until it is up" "$(now_ms) - $begin < 5000"
	wait_for 5 peers_are mp0 2 2
}

paths_are() {
	[ "$(ctl "$1" path show "$2" -j | jq length)" = "$3" ]
}

# both ends configure the path, one of them later: the other one has tried other
# ports, and it is one path nevertheless
test_late() {
	tunnel a b mp1 learn "$1"
	ipn b link set mp1 down
	path a mp1 wan1
	sleep 20
	num "ports" "$(sockets a) > 0"
	path b mp1 wan1
	ipn b link set mp1 up
	wait_paths a b mp1 wan1
	wait_ping a "$(inner a mp1)"
	wait_for 5 paths_are a mp1 1
	wait_for 5 paths_are b mp1 1
	ipn a link del mp1
	ipn b link del mp1
}

# the later end has learned the path before it is configured there
test_adopted() {
	tunnel a b mp1
	ipn b link set mp1 down
	path a mp1 wan1
	sleep 20
	ipn b link set mp1 up
	wait_state a mp1 wan1 up
	wait_for 5 peers_are mp1 1 1
	path b mp1 wan1
	wait_paths a b mp1 wan1
	sleep 5
	wait_paths a b mp1 wan1
	paths_are b mp1 1 || fail "b has another path"
	ipn a link del mp1
	ipn b link del mp1
}

# a port that was chosen stays
test_configured() {
	ctl a path set mp0 wan2 local-port 5005
	wait_state a mp0 wan2 up
	wait_for 5 peers_are mp0 2 2
	link_blackhole wan2
	sleep 20
	eq "other ports" "$(sockets a)" 1
	on a ss -Hunl4 | grep -q ':5005 ' || fail "port 5005 is not open"
	link_heal wan2
	wait_state a mp0 wan2 up 10
	ctl a path set mp0 wan2 local-port 4725
	wait_state a mp0 wan2 up
	wait_for 5 peers_are mp0 2 2
}

# the address of the server, which both paths lead to, is replaced
server_address() {
	ipn b address replace "$1/32" dev lo
	ipn r-wan1 route replace "$1/32" via "$(addr b wan1)"
	ipn r-wan2 route replace "$1/32" via "$(addr b wan2)"
	ipn a route replace "$1/32" via "10.${LINK_N[wan1]}.1.1" dev wan1 \
		metric 100
	ipn a route replace "$1/32" via "10.${LINK_N[wan2]}.1.1" dev wan2 \
		metric 200
}

test_server_moves() {
	local begin

	server_address 198.51.100.7
	server_address 198.51.100.8
	tunnel a b mp1
	ctl a path add mp1 wan1 remote 198.51.100.7 dev wan1
	ctl a path add mp1 wan2 remote 198.51.100.7 dev wan2
	wait_paths a a mp1 wan1 wan2
	wait_for 5 peers_are mp1 2 2
	on a ping -q -i 0.1 "$(inner a mp1)" >/dev/null &
	ipn b address del 198.51.100.7/32 dev lo
	wait_for 1 peers_are mp1 2 0
	sleep 1
	begin=$(now_ms)
	ctl a path set mp1 wan1 remote 198.51.100.8
	ctl a path set mp1 wan2 remote 198.51.100.8
	wait_ping a "$(inner a mp1)" 5
	timely "ms until pings pass" "$(now_ms) - $begin < 2000"
	wait_paths a a mp1 wan1 wan2
	wait_for 5 peers_are mp1 2 2
	# while nothing is sent
	kill $!
	sleep 12
	ipn b address add 198.51.100.7/32 dev lo
	ipn b address del 198.51.100.8/32 dev lo
	ctl a path set mp1 wan1 remote 198.51.100.7
	ctl a path set mp1 wan2 remote 198.51.100.7
	wait_paths a a mp1 wan1 wan2
	wait_for 5 peers_are mp1 2 2
	ipn a link del mp1
	ipn b link del mp1
}

# a server behind a router that forwards the port to another address of it
test_forwarded() {
	local peer

	server_address 198.51.100.7
	server_address 198.51.100.8
	tunnel a b mp1
	ctl a path add mp1 wan1 remote 198.51.100.7 dev wan1
	wait_state a mp1 wan1 up
	wait_for 5 peers_are mp1 1 1
	peer=$(peer_of mp1 "$(addr a wan1)")
	on r-wan1 nft -f - <<-END
		table ip forward
		delete table ip forward
		table ip forward {
			chain in {
				type filter hook prerouting priority -300
				ip daddr 198.51.100.7 ip daddr set 198.51.100.8
			}
			chain out {
				type filter hook prerouting priority -299
				ip saddr 198.51.100.8 ip saddr set 198.51.100.7
			}
		}
	END
	ipn b address del 198.51.100.7/32 dev lo
	wait_ping a "$(inner a mp1)" 5
	wait_state a mp1 wan1 up
	wait_for 5 peers_are mp1 1 1
	eq "path of b" "$(peer_of mp1 "$(addr a wan1)")" "$peer"
	on r-wan1 nft delete table ip forward
	ipn a link del mp1
	ipn b link del mp1
}

# mapping_kept SECONDS [PORT]: no packet (of this port) begins a mapping
mapping_kept() {
	on r-wan2 nft -f - <<-END
		table ip watch {
			counter mappings {}
			chain forward {
				type filter hook forward priority 0
				${2:+udp sport $2} ct state new \
					counter name mappings
			}
		}
	END
	sleep "$1"
	eq "new mappings" "$(on r-wan2 nft -j list counter ip watch mappings |
		jq '.nftables[] | .counter? | values | .packets')" 0
	on r-wan2 nft delete table ip watch
}

# A mapping that has seen few packets lives for 30 s, which an idle path
# outlasts.
test_kept() {
	ctl a path set mp0 wan2 local-port 4730
	wait_state a mp0 wan2 up
	mapping_kept 60
	ctl a path set mp0 wan2 local-port 4725
	wait_state a mp0 wan2 up
	wait_for 5 peers_are mp0 2 2
}

# lifetime SECONDS: of mappings
lifetime() {
	on r-wan2 sysctl -qw "net.netfilter.nf_conntrack_udp_timeout=$1" \
		"net.netfilter.nf_conntrack_udp_timeout_stream=$1"
}

# test_short SECONDS [FLAG]: the client finds out that mappings live for this
# time, and keeps its own from then on: the server that sends first reaches it
test_short() {
	nat_rule 70 "${2:-}"
	on r-wan2 nft -f - <<-END
		table ip closed {
			chain in {
				type filter hook input priority 0
				meta l4proto udp drop
			}
		}
	END
	lifetime "$1"
	tunnel a b mp1
	ctl a path add mp1 wan2 remote "$(addr b wan2)" dev wan2 local-port 4730
	wait_state a mp1 wan2 up
	wait_for 5 peers_are mp1 1 1
	sleep 120
	mapping_kept 60 4730
	on b ping -q -c 1 -W 1 "$(inner b mp1)" || fail "no answer to b"
	wait_for 5 peers_are mp1 1 1
	ipn a link del mp1
	ipn b link del mp1
	lifetime 30
	on r-wan2 nft delete table ip closed
	nat_rule 70
}

t "mapping of a NAT while nothing is sent" test_kept
t "mapping of a NAT that lives for 15 s" test_short 15
t "mapping of a NAT that lives for 12 s, then of another port" \
	test_short 12 fully-random
t "mapping of a NAT dead under traffic" test_busy
t "mapping of a NAT dead while idle" test_idle
t "mapping of a NAT dead towards the client alone" test_deaf
t_full "mapping of a NAT dead, uplink in a VRF" test_vrf
t "rules loaded after the first packet of a handshake" test_handshake
t "link dead for a minute" test_outage
t "peer that comes later" test_late on
t "peer that comes later and learns no paths" test_late off
t "peer that comes later and learns the path first" test_adopted
t "local port that was chosen" test_configured
t "the server's address changes" test_server_moves
t "the server's address behind a router changes" test_forwarded
run_theme
