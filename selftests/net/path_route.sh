#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Where outer packets go: rules on the source or on a firewall mark, VRFs.
# Copyright (C) 2026 The mptun authors
# stages: tt
#
#   ┌───────┐ wan1 (8 Mbit/s, 5 ms)    ┌───────┐
#   │       ├──────────────────────────┤       │
#   │   a   │ wan2 (8 Mbit/s, 10 ms)   │   b   │
#   │       ├──────────────────────────┤       │
#   └───────┘                          └───────┘
#
# The main tables have no route between a and b, except where a test adds one. b
# learns paths.
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

LEARN=on

theme_setup() {
	hosts a b
	link a b wan1 8mbit 5ms
	link a b wan2 8mbit 10ms
}

# gate HOST LINK [6]: the router of a host
gate() {
	addr "$@" | sed 's/2$/1/'
}

# unrouted HOST: delete the routes to the other one
unrouted() {
	local link family

	for link in wan1 wan2; do
		for family in 4 6; do
			ipn "$1" "-$family" route flush via \
				"$(gate "$1" "$link" "$family")"
		done
	done
}

# table HOST N LINK: default routes over a link
table() {
	ipn "$1" route replace default via "$(gate "$1" "$3")" dev "$3" \
		table "$2"
	ipn "$1" -6 route replace default via "$(gate "$1" "$3" 6)" dev "$3" \
		table "$2"
}

# restored: what theme_setup() made
restored() {
	local host link n

	for host in a b; do
		for n in 101 102 103; do
			ipn "$host" rule flush table "$n"
			ipn "$host" -6 rule flush table "$n"
		done
		on "$host" nft flush ruleset
		for link in wan1 wan2; do
			ipn "$host" link set dev "$link" nomaster
			link_address "$link"
			link_routes "$link"
		done
		ipn "$host" link del vrf1 2>/dev/null || :
		ipn "$host" link del vrf2 2>/dev/null || :
	done
}

# passes DEV: inner packets pass both ways
passes() {
	wait_ping a "$(inner a "$1")"
	wait_ping b "$(inner b "$1")"
}

# each uplink has a table, chosen by the source address alone
test_source() {
	local n link

	unrouted a
	for n in 1 2; do
		link=wan$n
		table a "10$n" "$link"
		ipn a rule add from "$(addr a "$link")" table "10$n"
		ipn a -6 rule add from "$(addr a "$link" 6)" table "10$n"
	done
	tunnel a b mp1
	for link in wan1 wan2; do
		ctl a path add mp1 "$link" dev "$link" \
			remote "$(remote a "$link")"
		ctl a path add mp1 "$link-6" dev "$link" \
			remote "$(remote a "$link" 6)"
	done
	for link in wan1 wan2 wan1-6 wan2-6; do
		wait_state a mp1 "$link" up
	done
	passes mp1
	restored
}

# watch HOST RULE: count outer packets that a rule fits, and drop them
watch() {
	on "$1" nft -f - <<-END
		table inet watch {
			chain out {
				type filter hook output priority 0
				$2 counter drop
			}
		}
	END
}

# watched HOST: how many there were
watched() {
	on "$1" nft -j list chain inet watch out |
		jq '[.. | .counter? // empty | .packets] | add'
}

# marks choose the table, of requests and answers, handshakes included
test_mark() {
	local changed

	unrouted a
	unrouted b
	table a 101 wan1
	table b 101 wan1
	table a 102 wan2
	table b 102 wan2
	ipn a rule add fwmark 51 table 101
	ipn a -6 rule add fwmark 51 table 101
	ipn b rule add fwmark 0xffffffff table 101
	ipn b -6 rule add fwmark 0xffffffff table 101
	watch a 'meta mark != { 51, 52 } udp dport 4725'
	watch b 'meta mark != 0xffffffff udp sport 4725'
	tunnel a b mp2
	ctl b set mp2 fwmark 0xffffffff
	ctl a path add mp2 p1 remote "$(remote a wan1)"
	ctl a path add mp2 p1-6 remote "$(remote a wan1 6)"
	wait_state a mp2 p1 noroute
	ctl a set mp2 fwmark 51
	wait_state a mp2 p1 up 1
	wait_state a mp2 p1-6 up 1
	passes mp2
	eq "packets with other marks" "$(watched a) $(watched b)" "0 0"
	ctl a set mp2 fwmark off
	wait_state a mp2 p1 noroute 1
	ctl a set mp2 fwmark 51
	wait_state a mp2 p1 up
	# a path with a mark of its own
	ipn a rule add fwmark 52 table 102
	ctl a path add mp2 p2 remote "$(remote a wan2)"
	ctl a path set mp2 p2 fwmark 52
	eq "mark of p2" "$(path_json a mp2 p2 .fwmark)" 52
	ipn b rule add fwmark 0xffffffff to "$(addr a wan2)" table 102 prio 10
	wait_state a mp2 p2 up
	changed=$(path_json a mp2 p1 .stats.timeouts)
	ctl a path set mp2 p2 fwmark default
	wait_for 5 not path_is a mp2 p2 up
	ctl a path set mp2 p2 fwmark 52
	wait_state a mp2 p2 up
	eq "timeouts of the other path" \
		"$(path_json a mp2 p1 .stats.timeouts)" "$changed"
	eq "packets with other marks" "$(watched b)" 0
	restored
}

# the default route leads into the tunnel, except for marked packets
test_default() {
	table a 101 wan1
	unrouted a
	ipn a route add default via "$(gate a wan1)" dev wan1
	tunnel a b mp3 fwmark 51820
	ipn a route add default dev mp3 table 103
	ipn a rule add not fwmark 51820 table 103
	ipn a rule add table main suppress_prefixlength 0
	ctl a path add mp3 p1 remote "$(remote a wan1)"
	wait_state a mp3 p1 up
	passes mp3
	# everything else goes into the tunnel
	on a ip route get "$(remote a wan2)" | grep -q 'dev mp3'
	ipn a rule del table main suppress_prefixlength 0
	ipn a route del default dev wan1
	restored
}

# vrf HOST DEV TABLE LINK: put a link into a VRF with a default route
vrf() {
	ipn "$1" link add "$2" type vrf table "$3"
	ipn "$1" link set dev "$2" up
	ipn "$1" link set dev "$4" master "$2"
	link_address "$4"
	table "$1" "$3" "$4"
}

# uplinks in VRFs at both ends, named by a device in it or by the VRF; the server
# opens its port before there is a VRF, and learns the paths
test_vrf() {
	local peer

	eq "sysctl udp_l3mdev_accept" \
		"$(on b sysctl -n net.ipv4.udp_l3mdev_accept)" 0
	unrouted a
	unrouted b
	tunnel a b mp4
	vrf a vrf1 111 wan1
	vrf b vrf2 112 wan1
	link_routes wan2
	ctl a path add mp4 four dev wan1 remote "$(remote a wan1)"
	ctl a path add mp4 six dev vrf1 remote "$(remote a wan1 6)"
	ctl a path add mp4 plain dev wan2 remote "$(remote a wan2)"
	wait_state a mp4 four up
	wait_state a mp4 six up
	wait_state a mp4 plain up
	eq "paths of b" "$(tun_json b mp4 .paths_up)" 3
	# each of them alone carries data
	ctl a path set mp4 plain off
	passes mp4
	ctl a path set mp4 six off
	passes mp4
	ctl a path set mp4 four off
	ctl a path set mp4 six on
	wait_state a mp4 six up
	passes mp4
	# settings of a learned path leave its VRF alone
	peer=$(ctl b path show mp4 -j | jq -r --arg r "$(addr a wan1 6)" \
		'.[] | select(.remote == $r) | .name')
	ctl b path set mp4 "$peer" weight 2
	sleep 1
	wait_state b mp4 "$peer" up
	passes mp4
	# without the VRFs it is a network like others
	ipn a link del vrf1
	ipn b link del vrf2
	link_address wan1
	link_routes wan1
	ctl a path set mp4 six dev wan1
	wait_state a mp4 six up
	passes mp4
	# another tunnel opens its ports while there is a VRF
	vrf a vrf1 111 wan1
	vrf b vrf2 112 wan1
	tunnel a b mp5 port 4800
	ctl a path add mp5 p1 dev vrf1 remote "$(remote a wan1)" port 4800
	wait_state a mp5 p1 up
	passes mp5
	restored
}

# up_in SECONDS DEV: b's only path is up, and inner packets pass
up_in() {
	wait_for "$1" learned_up "$2" || fail "b's path is not up"
	wait_ping a "$(inner a "$2")" "$1"
}

learned_up() {
	[ "$(ctl b path show "$1" -j | jq -r '.[].state')" = up ] &&
		path_is a "$1" p1 up
}

# the server's uplink enters and leaves VRFs, with the same addresses: the path
# that it has learned follows, and nothing is done at the client
test_vrf_moves() {
	local family=$1

	vrf b vrf1 111 wan1
	tunnel a b "mp6$family"
	ctl a path add "mp6$family" p1 remote "$(remote a wan1 "$family")"
	up_in 10 "mp6$family"
	ipn b link set dev wan1 nomaster
	link_address wan1 B
	link_routes wan1 B
	sleep 1
	up_in 10 "mp6$family"
	vrf b vrf2 112 wan1
	sleep 1
	up_in 10 "mp6$family"
	ipn b link set dev wan1 master vrf1
	link_address wan1 B
	table b 111 wan1
	sleep 1
	up_in 10 "mp6$family"
	ipn b link del vrf1
	link_address wan1 B
	link_routes wan1 B
	sleep 1
	up_in 10 "mp6$family"
	restored
}

# the server is another tunnel of the machine, and dev the device of its address
test_own() {
	local family=$1 dev=mp7$1 server=mp8$1

	tunnel a b "$dev"
	TUN_N[$server]=${TUN_N[$dev]}
	TUN_A[$server]=b
	tunnel_end a "$server" port 4800
	ctl a path add "$dev" p1 dev wan1 remote "$(addr a wan1 "$family")" \
		port 4800
	wait_state a "$dev" p1 up
	eq "paths of the server" "$(tun_json a "$server" .paths_up)" 1
}

t "rules on the source address work with dev alone" test_source
t "firewall marks choose the route" test_mark
t "a default route through the tunnel" test_default
t "uplinks in VRFs at both ends" test_vrf
t "the server's uplink enters and leaves VRFs, IPv4" test_vrf_moves 4
t "the server's uplink enters and leaves VRFs, IPv6" test_vrf_moves 6
t "the server is on the same machine, IPv4" test_own 4
t "the server is on the same machine, IPv6" test_own 6
run_theme
