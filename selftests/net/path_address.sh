#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Addresses, devices and routes that go and come back under traffic.
# Copyright (C) 2026 The mptun authors
# stages: tt tt-long debug-long vm-long
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
	two_paths "8mbit 5ms" "8mbit 10ms"
}

not_up() {
	! path_is "$@" up
}

# through CHANGE UNDO: a flow of 2 Mbit/s during both; wan1 goes down and up
through() {
	local lost=$1 change=$2 undo=$3

	wait_state a mp0 wan1 up
	wait_state a mp0 wan2 up
	flow_start a b "$(inner a mp0)" 2000 6
	sleep 1
	$change
	wait_for 3 not_up a mp0 wan1
	note "wan1 is $(path_state a mp0 wan1), because of" \
		"$(path_json a mp0 wan1 .reason)"
	sleep 1
	$undo
	wait_state a mp0 wan1 up 5
	wait_state b mp0 wan1 up 5
	flow_end
	figure "lost of $(flow .sent), longest gap" \
		"$(flow .lost), $(flow .gap_ms)" "packets, ms"
	timely lost "$(flow .lost) <= $lost"
}

address_del() {
	ipn a address del "$(addr a wan1)/24" dev wan1
}

address_add() {
	link_address wan1 A
	link_routes wan1 A
}

# the kernel reports it, so hardly a packet is lost
test_address() {
	through 5 address_del address_add
}

# the peer's address is deleted: only the missing answers show it
test_remote_address() {
	through 60 remote_del remote_add
}

remote_del() {
	ipn b address del "$(addr b wan1)/24" dev wan1
}

remote_add() {
	link_address wan1 B
	link_routes wan1 B
}

device_del() {
	ipn a link del wan1
}

device_add() {
	join a wan1 r-wan1 a
	link_address wan1 A
	link_routes wan1 A
	ip -n "$NSP-r-wan1" -batch - <<-END
		address add 10.${LINK_N[wan1]}.1.1/24 dev a
		address add fd00:${LINK_N[wan1]}:1::1/64 dev a nodad
	END
	# shellcheck disable=SC2086 # a list of words
	on r-wan1 tc qdisc add dev a root netem ${LINK_NETEM_A[wan1]}
}

# a USB modem is pulled and put back: another device of the same name
test_device() {
	through 5 device_del device_add
}

# the same with a path bound to the device by name
test_bound_device() {
	ctl a path set mp0 wan1 dev wan1
	through 5 device_del device_add
	ctl a path set mp0 wan1 dev none
}

# as PPP sets it: the network of the address is the other end
test_peer_address() {
	address_del
	ipn a address add "$(addr a wan1)" peer "10.${LINK_N[wan1]}.1.1/32" \
		dev wan1
	link_routes wan1 A
	wait_state a mp0 wan1 up 3
	ipn a address flush dev wan1
	address_add
	wait_state a mp0 wan1 up
}

route_del() {
	ipn a route add blackhole "$(remote a wan1)/32"
}

route_add() {
	ipn a route del blackhole "$(remote a wan1)/32"
}

test_route() {
	through 20 route_del route_add
}

# an idle tunnel, whose probes are seconds apart
test_idle_route() {
	local begin

	for _ in 1 2 3; do
		route_del
		wait_for 3 not_up a mp0 wan1
		sleep 3.3
		begin=$(now_ms)
		route_add
		wait_state a mp0 wan1 up 5
		timely "ms until it is up" "$(now_ms) - $begin < 300"
	done
}

# a path without a local address uses the source address of its route: of one
# that replaces the route in use, and of one that is more specific
test_source() {
	local family=$1 len=$2 n=${LINK_N[wan1]} gate net new old to whole

	if [ "$family" = 6 ]; then
		gate=fd00:$n:1::1 new=fd00:$n:1::99 net=$new/64
		whole=fd00:$n:2::/64
	else
		gate=10.$n.1.1 new=10.$n.1.99 net=$new/24
		whole=10.$n.2.0/24
	fi
	old=$(addr a wan1 "$family") to=$(remote a wan1 "$family")
	tunnel a b mp1
	ctl b set mp1 learn on
	ctl a path add mp1 wan1 remote "$to"
	wait_state a mp1 wan1 up
	ipn a address add "$net" dev wan1
	[ "$family" = 4 ] || sleep 3 # duplicate address detection
	flow_start a b "$(inner a mp1)" 500 6
	sleep 1
	ipn a route replace "$whole" via "$gate" dev wan1 src "$new"
	wait_for 3 learned_is b mp1 "$new"
	ipn a route add "$to/$len" via "$gate" dev wan1 src "$old"
	wait_for 3 learned_is b mp1 "$old"
	flow_end
	figure "lost of $(flow .sent), longest gap" \
		"$(flow .lost), $(flow .gap_ms)" "packets, ms"
	timely lost "$(flow .lost) <= 20"
	ipn a route del "$to/$len"
	link_routes wan1
	ipn a address del "$net" dev wan1
	ipn a link del mp1
	ipn b link del mp1
	wait_state a mp0 wan1 up
	wait_state b mp0 wan1 up
}

# learned_is HOST DEV ADDRESS: whether a path to that address is up
learned_is() {
	ctl "$1" path show "$2" -j | jq -e --arg a "$3" \
		'any(.[]; .remote == $a and .state == "up")' >/dev/null
}

# the device is moved to another namespace and back
test_device_moved() {
	hosts elsewhere
	through 5 device_away device_back
}

device_away() {
	ipn a link set wan1 netns "$NSP-elsewhere"
}

device_back() {
	ipn elsewhere link set wan1 netns "$NSP-a"
	ipn a link set wan1 up
	link_address wan1 A
	link_routes wan1 A
}

# a flow follows its route to another uplink; the address stays
test_reroute() {
	local n=${LINK_N[wan1]} m=${LINK_N[wan2]}

	# the remote address of wan1 by way of wan2, and back
	ipn a route add "$(remote a wan1)/32" via "10.$m.1.1" dev wan2
	ipn r-wan2 route add "$(remote a wan1)/32" via "10.$m.2.2" dev b
	ipn r-wan2 route add "$(addr a wan1)/32" via "10.$m.1.2" dev a
	ipn b route add "$(addr a wan1)/32" via "10.$m.2.1" dev wan2
	ipn b address add "$(remote a wan1)/32" dev lo
	wait_state a mp0 wan1 up
	# of two paths with equal latency either might carry the pings
	ctl a path set mp0 wan2 off
	ctl b path set mp0 wan2 off
	link_blackhole wan1
	on a ping -n -q -i 0.05 -c 40 "$(inner a mp0)"
	wait_state a mp0 wan1 up
	timely "rtt of wan1" "$(path_json a mp0 wan1 .srtt) > 18000"
	ctl a path set mp0 wan2 on
	ctl b path set mp0 wan2 on
	link_heal wan1
	ipn a route del "$(remote a wan1)/32" via "10.$m.1.1" dev wan2
	ipn b route del "$(addr a wan1)/32" via "10.$m.2.1" dev wan2
	ipn b address del "$(remote a wan1)/32" dev lo
	wait_state a mp0 wan1 up
	wait_state b mp0 wan1 up
	echo "$n"
}

# one of the paths is dead from the start
test_first_dead() {
	local dead=$1 alive=$2

	tunnel a b mp1
	link_blackhole "$dead"
	path a mp1 "$dead"
	path b mp1 "$dead"
	path a mp1 "$alive"
	path b mp1 "$alive"
	wait_ping a "$(inner a mp1)"
	wait_state a mp1 "$alive" up
	! path_is a mp1 "$dead" up || fail "the dead path is up"
	link_heal "$dead"
	wait_state a mp1 "$dead" up
	ipn a link del mp1
	ipn b link del mp1
	wait_state a mp0 wan1 up
	wait_state a mp0 wan2 up
}

# server_through ADDRESS: b's address for the tests below, by way of wan1
server_through() {
	ipn b address add "$1" dev lo
	if [[ $1 == *:* ]]; then
		ipn r-wan1 route replace "$1" via "$(addr b wan1 6)"
	else
		ipn r-wan1 route replace "$1" via "$(addr b wan1)"
	fi
}

# changes_of HOST DEV PATH: how often its state has changed
changes_of() {
	path_json "$1" "$2" "$3" .stats.state_changes
}

# an uplink that has a link-local address only: an address of the LAN is used,
# never that of a tunnel or of another uplink, and not another one meanwhile
test_unnumbered6() {
	local lan=fd00:99::1 server=fd00:98::7 changes

	join a bare r-wan1 bare
	ipn a address add fe80::a/64 dev bare nodad
	ipn r-wan1 address add fe80::1/64 dev bare nodad
	ipn a link add lan type dummy
	ipn a link set lan up arp on
	ipn a address add "$lan/64" dev lan nodad
	# another tunnel has a closer match
	ipn a link add vpn type dummy
	ipn a link set vpn up
	ipn a address add fd00:98:9::1/64 dev vpn nodad
	ipn r-wan1 route add fd00:98::/31 via fe80::a dev bare
	ipn b route add fd00:98::/31 via "fd00:${LINK_N[wan1]}:2::1" dev wan1
	server_through "$server/128"
	ipn a route add "$server/128" via fe80::1 dev bare
	ipn a route add "$server/128" via "fd00:${LINK_N[wan1]}:1::1" \
		dev wan1 metric 4000
	tunnel a b mp1
	ctl b set mp1 learn on
	ctl a path add mp1 bare remote "$server" dev bare
	wait_state a mp1 bare up
	wait_for 3 learned_is b mp1 "$lan"
	changes=$(changes_of a mp1 bare)
	ipn a address add fd00:98:1::1/64 dev mp1 nodad
	ipn a address add fd00:98:0:1::1/64 dev wan1 nodad
	ipn a link add br0 type dummy
	ipn a link set br0 up arp on
	ipn a address add fd00:98:2::1/64 dev br0 nodad
	sleep 4
	timely "changes of state" "$(changes_of a mp1 bare) == $changes"
	learned_is b mp1 "$lan" || fail "b has another address of a"
	# the next best
	ipn a address del "$lan/64" dev lan
	wait_for 5 learned_is b mp1 fd00:98:2::1
	wait_state a mp1 bare up
	ipn a link del mp1
	ipn b link del mp1
	ipn a link del br0
	ipn a link del lan
	ipn a link del vpn
	ipn a link del bare
	ipn a address del fd00:98:0:1::1/64 dev wan1
	ipn a route del "$server/128" via "fd00:${LINK_N[wan1]}:1::1" dev wan1
	ipn b address del "$server/128" dev lo
	wait_paths a b mp0 wan1 wan2
}

# the same with IPv4, and without any address that may be used
test_unnumbered4() {
	local lan=192.0.2.1 server=198.51.100.7

	join a bare r-wan1 bare
	ipn r-wan1 address add 10.77.0.1/32 dev bare
	ipn r-wan1 route add "$lan/32" dev bare
	ipn b route add "$lan/32" via "10.${LINK_N[wan1]}.2.1" dev wan1
	server_through "$server/32"
	ipn a route add "$server/32" via 10.77.0.1 dev bare onlink
	ipn a route add "$server/32" via "10.${LINK_N[wan1]}.1.1" dev wan1 \
		metric 400
	ipn a route add "$server/32" via "10.${LINK_N[wan2]}.1.1" dev wan2 \
		metric 500
	tunnel a b mp1
	ctl b set mp1 learn on
	ctl a path add mp1 bare remote "$server" dev bare
	sleep 1
	eq "state without an address" "$(path_state a mp1 bare)" noroute
	eq "reason" "$(path_json a mp1 bare .reason)" address
	ipn a link add lan type dummy
	ipn a link set lan up
	ipn a address add "$lan/32" dev lan
	wait_state a mp1 bare up
	wait_for 3 learned_is b mp1 "$lan"
	# its own address is better
	ipn a address add 10.77.0.2/24 dev bare
	ipn b route add 10.77.0.0/24 via "10.${LINK_N[wan1]}.2.1" dev wan1
	ipn r-wan1 route add 10.77.0.0/24 dev bare
	wait_for 5 learned_is b mp1 10.77.0.2
	wait_state a mp1 bare up
	ipn a link del mp1
	ipn b link del mp1
	ipn a link del lan
	ipn a link del bare
	ipn a route del "$server/32" dev wan1
	ipn a route del "$server/32" dev wan2
	ipn b address del "$server/32" dev lo
	wait_paths a b mp0 wan1 wan2
}

# no device has an address that the server can answer: nothing is sent
test_no_address() {
	local lan=192.0.2.9/32 server=198.51.100.9 of=ip from=0.0.0.0
	local gate=10.77.0.1 via='' n=${LINK_N[wan1]} next

	next=10.$n.2.1
	hosts c
	join c bare r-wan1 bare
	ipn c address add fe80::a/64 dev bare nodad
	if [ "$1" = 6 ]; then
		lan=fd00:99::1/128 server=fd00:98::7 of=ip6
		from='{ ::1, fe80::/10 }' gate=fe80::1
		via="via fe80::a" next=fd00:$n:2::1
	fi
	ipn r-wan1 address add "$gate/${lan#*/}" dev bare
	# shellcheck disable=SC2086 # a list of words
	ipn r-wan1 route add "$lan" $via dev bare
	ipn b route add "$lan" via "$next" dev wan1
	server_through "$server/${lan#*/}"
	ipn c route add default via "$gate" dev bare onlink
	on c nft -f - <<-END
		table $of watch {
			counter unanswerable {}
			chain out {
				type filter hook output priority 0
				$of saddr $from udp dport 4725 counter name unanswerable
			}
		}
	END
	tunnel c b mp1
	ctl b set mp1 learn on
	ipn c "-$1" address flush dev mp1 scope global
	ctl c path add mp1 bare remote "$server"
	sleep 10
	eq "packets" "$(on c nft -j list counter "$of" watch unanswerable |
		jq '.nftables[] | .counter? | values | .packets')" 0
	eq state "$(path_state c mp1 bare)" noroute
	eq reason "$(path_json c mp1 bare .reason)" address
	num "packets that were not sent" \
		"$(path_json c mp1 bare .stats.tx_errors) > 0"
	ipn c address add "$lan" dev lo
	wait_state c mp1 bare up 3
	ipn c link del mp1
	ipn b link del mp1
	ipn r-wan1 link del bare
	ipn b route del "$lan"
	ipn b address del "$server/${lan#*/}" dev lo
}

# delegated N...: uplinks bareN of a that have a link-local address only. Provider
# N has delegated the prefix fd00:aN::/48 and drops other sources; the LAN has an
# address of each, and one of its own that no provider routes.
delegated() {
	local link n

	ipn a link add lan type dummy
	ipn a link set lan up arp on
	ipn a address add fd00:99::1/64 dev lan nodad
	for n; do
		link=wan$n
		join a "bare$n" "r-$link" bare
		ipn a address add fe80::a/64 dev "bare$n" nodad
		ipn a address add "fd00:a$n::1/64" dev lan nodad
		ipn "r-$link" address add fe80::1/64 dev bare nodad
		ipn "r-$link" route add "fd00:a$n::/48" via fe80::a dev bare
		on "r-$link" nft -f - <<-END
			table ip6 delegated {
				chain forward {
					type filter hook forward priority 0
					iifname bare ip6 saddr != fd00:a$n::/48 drop
				}
			}
		END
		ipn b route add "fd00:a$n::/48" \
			via "fd00:${LINK_N[$link]}:2::1" dev "$link"
		ipn "r-$link" route add fd00:97::7 via "$(addr b "$link" 6)"
	done
	ipn b address add fd00:97::7/128 dev lo
}

undelegated() {
	local n

	ipn a link del lan
	for n; do
		ipn a link del "bare$n"
		on "r-wan$n" nft delete table ip6 delegated
		ipn "r-wan$n" route del fd00:97::7
		ipn b route del "fd00:a$n::/48"
	done
	ipn b address del fd00:97::7/128 dev lo
}

# delegated_up: each path has found the address that its provider routes
delegated_up() {
	local n

	tunnel a b mp1
	ctl b set mp1 learn on
	for n in 1 2; do
		ctl a path add mp1 "p$n" remote fd00:97::7 dev "bare$n"
	done
	for n in 1 2; do
		wait_state a mp1 "p$n" up 60
		wait_for 3 learned_is b mp1 "fd00:a$n::1"
	done
	ipn a link del mp1
	ipn b link del mp1
}

# two uplinks without addresses, and an address of each provider on the LAN; the
# default routes do not say which source is whose
test_delegated() {
	local n

	delegated 1 2
	for n in 1 2; do
		ipn a route add fd00:97::/64 via fe80::1 dev "bare$n" \
			metric "${n}00"
	done
	delegated_up
	undelegated 1 2
}

# the same with routes that depend on the source, as OpenWrt makes them
test_delegated_sources() {
	local n

	delegated 1 2
	for n in 1 2; do
		ipn a -6 route add default via fe80::1 dev "bare$n" table "10$n"
		ipn a -6 rule add from "fd00:a$n::/48" table "10$n"
	done
	delegated_up
	for n in 1 2; do
		ipn a -6 rule del from "fd00:a$n::/48" table "10$n"
	done
	undelegated 1 2
}

# the LAN gets an address after the routes from it are there
test_delegated_late() {
	local begin n

	delegated 1
	ipn a address del fd00:a1::1/64 dev lan
	ipn a -6 route add default via fe80::1 dev bare1 table 101
	ipn a -6 rule add from fd00:a1::/48 table 101
	tunnel a b mp1
	ctl b set mp1 learn on
	path a mp1 wan1
	wait_state a mp1 wan1 up
	ctl a path add mp1 p1 remote fd00:97::7 dev bare1
	for n in 1 2; do
		wait_state a mp1 p1 noroute
		sleep 6.3
		begin=$(now_ms)
		ipn a address add "fd00:a1::$n/64" dev lan nodad
		wait_state a mp1 p1 up
		figure "up after" "$(($(now_ms) - begin))" ms
		timely "ms until it is up" "$(now_ms) - $begin < 300"
		ipn a address del "fd00:a1::$n/64" dev lan
	done
	ipn a link del mp1
	ipn b link del mp1
	ipn a -6 rule del from fd00:a1::/48 table 101
	undelegated 1
}

# a path has found the address that its provider routes; then the server's
# address changes, behind a router
test_delegated_server_moves() {
	local changes

	delegated 1
	ipn a route add fd00:97::/64 via fe80::1 dev bare1
	tunnel a b mp1
	ctl b set mp1 learn on
	ctl a path add mp1 p1 remote fd00:97::7 dev bare1
	sleep 20
	wait_state a mp1 p1 up 60
	wait_for 3 learned_is b mp1 fd00:a1::1
	changes=$(changes_of a mp1 p1)
	bg b ping -n -q -i 0.5 "$(inner b mp1)"
	on r-wan1 nft -f - <<-END
		table ip6 moved {
			chain in {
				type filter hook prerouting priority -300
				ip6 daddr fd00:97::7 drop
				ip6 daddr fd00:97::8 ip6 daddr set fd00:97::7
			}
			chain out {
				type filter hook prerouting priority -299
				ip6 saddr fd00:97::7 ip6 saddr set fd00:97::8
			}
		}
	END
	wait_for 10 remote_is a mp1 p1 fd00:97::8
	sleep 3
	timely "changes of state" "$(changes_of a mp1 p1) == $changes"
	learned_is b mp1 fd00:a1::1 || fail "b has another address of a"
	wait_ping a "$(inner a mp1)" 1
	on r-wan1 nft delete table ip6 moved
	bg_kill "$BG"
	ipn a link del mp1
	ipn b link del mp1
	undelegated 1
}

remote_is() {
	[ "$(path_json "$1" "$2" "$3" .remote)" = "$4" ]
}

# two uplinks with addresses whose default routes have other metrics: dev decides,
# not the metric, with a local address as well
test_metrics() {
	local n link

	ipn b address add fd00:97::7/128 dev lo
	tunnel a b mp1
	ctl b set mp1 learn on
	for n in 1 2; do
		link=wan$n
		ipn "r-$link" route add fd00:97::7 via "$(addr b "$link" 6)"
		ipn a route add default via "fd00:${LINK_N[$link]}:1::1" \
			dev "$link" metric "${n}00"
		on "r-$link" nft -f - <<-END
			table ip6 own {
				chain forward {
					type filter hook forward priority 0
					iifname a ip6 saddr != $(addr a "$link" 6) drop
				}
			}
		END
		ctl a path add mp1 "p$n" remote fd00:97::7 dev "$link" \
			${1:+"$1" "$(addr a "$link" 6)"}
	done
	for n in 1 2; do
		link=wan$n
		wait_state a mp1 "p$n" up 3
		wait_for 3 learned_is b mp1 "$(addr a "$link" 6)"
	done
	ipn a link del mp1
	ipn b link del mp1
	for n in 1 2; do
		link=wan$n
		ipn "r-$link" route del fd00:97::7
		ipn a route del default via "fd00:${LINK_N[$link]}:1::1" \
			dev "$link" metric "${n}00"
		on "r-$link" nft delete table ip6 own
	done
	ipn b address del fd00:97::7/128 dev lo
}

# modem NAME [ROUTE...]: a link of c like that of any other modem of the make
modem() {
	local name=$1 n=${LINK_N[$1]}

	shift
	ipn c address flush dev "$name"
	ipn c address add 192.168.8.100/24 dev "$name"
	ipn c link set "$name" up
	ipn c route add default via 192.168.8.1 dev "$name" metric "${n}00" \
		"$@"
}

modem_router() {
	ipn "r-$1" address flush dev a
	ipn "r-$1" address add 192.168.8.1/24 dev a
	ipn "r-$1" route replace 198.51.100.9/32 via "$(addr b "$1")"
	on "r-$1" nft -f - <<-END
		table ip nat {
			chain out {
				type nat hook postrouting priority 100
				oifname b masquerade
			}
		}
	END
}

carries() {
	local before after

	before=$(path_json c mp1 "$1" .stats.tx_packets)
	on c ping -n -q -i 0.05 -c 20 "$(inner c mp1)" || return 1
	after=$(path_json c mp1 "$1" .stats.tx_packets)
	[ "$after" -gt "$before" ]
}

# two modems with the same address; one is pulled and comes back under another
# name, then they change names
test_modems() {
	local name

	hosts c
	link c b lte1 8mbit 10ms
	link c b lte2 8mbit 20ms
	ipn b address add 198.51.100.9/32 dev lo
	for name in lte1 lte2; do
		modem_router "$name"
		modem "$name"
	done
	tunnel c b mp1
	ctl b set mp1 learn on
	for name in lte1 lte2; do
		ctl c path add mp1 "$name" remote 198.51.100.9 dev "$name"
	done
	wait_paths c c mp1 lte1 lte2
	ctl c path set mp1 lte2 off
	carries lte1
	ctl c path set mp1 lte2 on
	wait_state c mp1 lte2 up
	ctl c path set mp1 lte1 off
	carries lte2
	ctl c path set mp1 lte1 on
	wait_state c mp1 lte1 up
	ipn c link set lte2 down
	ipn c link set lte2 name usb5
	wait_state c mp1 lte2 noroute 3
	eq reason "$(path_json c mp1 lte2 .reason)" device
	eq "the other one" "$(path_state c mp1 lte1)" up
	ipn c link set usb5 name lte2
	modem lte2
	wait_state c mp1 lte2 up 5
	for name in lte1 lte2; do
		ipn c link set "$name" down
	done
	ipn c link set lte1 name swap
	ipn c link set lte2 name lte1
	ipn c link set swap name lte2
	modem lte1
	modem lte2
	wait_paths c c mp1 lte1 lte2
	wait_ping c "$(inner c mp1)"
	ipn c link del mp1
	ipn b link del mp1
}

# control PATH: control packets that c has sent on it
control() {
	path_json c mp1 "$1" .stats.tx_control
}

# a message about a packet of one modem concerns its path, also if each of them
# is in a VRF of its own
test_modems_vrf() {
	local name other n sent others

	hosts c
	link c b lte3 8mbit 10ms
	link c b lte4 8mbit 20ms
	ipn b address replace 198.51.100.9/32 dev lo
	for n in 3 4; do
		name=lte$n
		modem_router "$name"
		ipn c link add "vrf$n" type vrf table "11$n"
		ipn c link set "vrf$n" up
		ipn c link set "$name" master "vrf$n"
		modem "$name" table "11$n"
	done
	tunnel c b mp1
	ctl b set mp1 learn on
	for name in lte3 lte4; do
		ctl c path add mp1 "$name" remote 198.51.100.9 dev "$name"
	done
	wait_paths c c mp1 lte3 lte4
	for n in 3 4; do
		name=lte$n other=lte$((7 - n))
		sleep 2
		sent=$(control "$name") others=$(control "$other")
		on "r-$name" python3 "$TESTS_DIR/helpers/toobig.py" \
			192.168.8.100 198.51.100.9 4725 1300
		sleep 0.2
		num "probes of $name" "$(control "$name") - $sent >= 3"
		timely "probes of $other" "$(control "$other") - $others <= 1"
	done
	ipn c link del mp1
	ipn b link del mp1
}

# containers local|global: those of twenty containers, also with default routes
# in a table of their own
containers() {
	local i

	ipn a link add br0 type dummy
	ipn a link set br0 up
	ipn a address add 172.17.0.1/16 dev br0
	ipn a address add fd00:17::1/64 dev br0 nodad
	for i in {1..20}; do
		ipn a -batch - <<-END
			link add c$i type veth peer name e$i
			link set e$i up
			address add 172.18.$i.1/24 dev e$i
			address add fd00:18:$i::1/64 dev e$i nodad
			route add 172.19.$i.0/24 dev e$i
			link set c$i up
		END
		[ "$1" = local ] || {
			ipn a route add default dev "e$i" table 77
			ipn a route del default dev "e$i" table 77
		}
		[ $((i % 2)) = 0 ] || ipn a link del "c$i"
	done
	for i in {2..20..2}; do
		ipn a link del "c$i"
	done
	ipn a link del br0
}

nothing_looked_at() {
	[ "$(looked_at true)" = 0 ]
}

# devices, addresses and routes that no path uses: nothing happens to any path
test_containers() {
	local before

	wait_paths a b mp0 wan1 wan2
	wait_for 10 nothing_looked_at
	before=$(($(changes_of a mp0 wan1) + $(changes_of a mp0 wan2)))
	eq "paths looked at" "$(looked_at containers local)" 0
	looked_at containers global >/dev/null
	timely "changes of state" "$before == \
		$(changes_of a mp0 wan1) + $(changes_of a mp0 wan2)"
	num "paths looked at" "$(looked_at address_del) > 0"
	address_add
	wait_paths a b mp0 wan1 wan2
}

t "own address deleted and added again" test_address
t "a point-to-point address" test_peer_address
t "the peer's address deleted and added again" test_remote_address
t "interface deleted and created again" test_device
t "interface deleted and created again, path bound to it" test_bound_device
t "interface moved to another namespace and back" test_device_moved
t "route lost and back" test_route
t_full "route lost and back while idle" test_idle_route
t "the route's source address changes" test_source 4 32
t "... over IPv6" test_source 6 128
t "route changed to another uplink" test_reroute
t "uplink without an address, IPv6" test_unnumbered6
t "uplink without an address, IPv4" test_unnumbered4
t "no address that can be answered, IPv4" test_no_address 4
t "... IPv6" test_no_address 6
t "two uplinks, default routes with metrics, IPv6" test_metrics
t_full "... with local addresses" test_metrics local
t "two uplinks without an address, two prefixes" test_delegated
t_full "... with routes for each source" test_delegated_sources
t "... that are there before the address" test_delegated_late
t_full "... and the server moves" test_delegated_server_moves
t "two modems with one address, pulled and renamed" test_modems
t_full "two modems with one address in VRFs, ICMP messages" test_modems_vrf
t "devices of containers come and go" test_containers
t "first path dead at the start" test_first_dead wan1 wan2
t "second path dead at the start" test_first_dead wan2 wan1
run_theme
