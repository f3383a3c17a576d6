#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# IPv4 and IPv6, inside and outside, in all combinations.
# Copyright (C) 2026 The mptun authors
# stages: tt debug-long vm-long
#
#   ┌───────┐ wan1 (8 Mbit/s, 5 ms)    ┌───────┐
#   │       ├──────────────────────────┤       │
#   │   a   │ wan2 (8 Mbit/s, 10 ms)   │   b   │
#   │       ├──────────────────────────┤       │
#   │       │ lan, a plain cable       │       │
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
	join a lan b lan
}

end_tunnel() {
	ipn a link del mp0
	ipn b link del mp0
}

# passes_tcp WHAT ADDRESS [ARGUMENT...]: TCP for a second, in which nothing may
# arrive on a machine that stalls
passes_tcp() {
	local what=$1 address=$2 got

	shift 2
	for _ in 1 2 3; do
		got=$(tcp a b "$address" 1 "$@")
		if virtual_time || [ "$got" != 0 ]; then
			break
		fi
	done
	num "$what" "$got > 0"
	timely "$what" "$got > 1"
}

# carries: both inner families, both directions, TCP and ping
carries() {
	local family

	for family in 4 6; do
		wait_ping a "$(inner a mp0 "$family")"
		wait_ping b "$(inner b mp0 "$family")"
		on a ping -n -q -c 5 -i 0.05 -s 1300 "$(inner a mp0 "$family")"
		passes_tcp "TCP over IPv$family" "$(inner a mp0 "$family")"
		passes_tcp "TCP over IPv$family, reverse" \
			"$(inner a mp0 "$family")" -R
	done
}

# mix OUTER1 [OUTER2]: a path per family given
mix() {
	local family n=0 host

	tunnel a b mp0
	for family; do
		n=$((n + 1))
		for host in a b; do
			ctl "$host" path add mp0 "wan$n" \
				remote "$(remote "$host" "wan$n" "$family")" \
				local "$(addr "$host" "wan$n" "$family")"
		done
	done
	for n in $(seq 1 $#); do
		wait_state a mp0 "wan$n" up
		wait_state b mp0 "wan$n" up
	done
	carries
	for n in $(seq 1 $#); do
		num "data on path $n" \
			"$(path_json a mp0 "wan$n" .stats.tx_packets) > 0"
	done
	end_tunnel
}

# a cable with link-local addresses only
test_link_local() {
	local a b

	a=$(link_local a)
	b=$(link_local b)
	tunnel a b mp0
	ctl a path add mp0 lan remote "$b%lan"
	ctl b path add mp0 lan remote "$a%lan"
	wait_state a mp0 lan up
	wait_state b mp0 lan up
	wait_ping a "$(inner a mp0)"
	wait_ping a "$(inner a mp0 6)"
	end_tunnel
}

# the same with the device instead of the scope, and learned by the server
test_link_local_learned() {
	tunnel a b mp0
	ctl b set mp0 learn on
	ctl a path add mp0 lan remote "$(link_local b)" dev lan
	wait_state a mp0 lan up
	wait_ping a "$(inner a mp0)"
	end_tunnel
}

# two cables with the same link-local addresses at their ends; the kernel adds
# its own address to a link when it is ready, which may be late
test_link_local_twice() {
	local host i n

	tunnel a b mp0
	for i in tw1 tw2; do
		join a "$i" b "$i"
		for host in a b; do
			ipn "$host" link set dev "$i" addrgenmode none
			ipn "$host" address flush dev "$i"
			ipn "$host" address add "fe80::$host/64" dev "$i" nodad
		done
	done
	for i in tw1 tw2; do
		ctl a path add mp0 "$i" remote fe80::b dev "$i"
		ctl b path add mp0 "$i" remote fe80::a dev "$i"
	done
	for n in 1 2 3 4; do
		for i in tw1 tw2; do
			wait_state a mp0 "$i" up 3
			wait_state b mp0 "$i" up 3
		done
		ipn b link set mp0 down
		ipn b link set mp0 up
	done
	end_tunnel
	ipn a link del tw1
	ipn a link del tw2
}

link_local() {
	ipn "$1" -j address show dev lan scope link |
		jq -r '.[0].addr_info[] | select(.family == "inet6").local'
}

# without IPv6 on the machine IPv4 works
test_no_ipv6() {
	hosts c
	on c sysctl -qw net.ipv6.conf.all.disable_ipv6=1 \
		net.ipv6.conf.default.disable_ipv6=1
	ipn c link add mp0 type mptun
	ipn c link set mp0 up
	ctl c path add mp0 x remote 127.0.0.1 port 4799
	refused 2 "" ctl c path add mp0 x remote ::1
	ipn c link del mp0
}

# other protocols are counted and not sent
test_other() {
	local before

	tunnel a b mp0
	paths a b mp0 wan1
	before=$(tun_json a mp0 .drops.tx_not_ip)
	on a python3 -c 'if True:
		import socket
		s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
		s.bind(("mp0", 0x88b5))
		for n in range(60):
			s.send(bytes([n << 4 & 0x30]) + b"x" * n)'
	num "packets counted" \
		"$(tun_json a mp0 .drops.tx_not_ip) >= $before + 50"
	wait_ping a "$(inner a mp0)"
	end_tunnel
}

t "both families over IPv4" mix 4
t "both families over IPv6" mix 6
t "both families over one IPv4 and one IPv6 path" mix 4 6
t "link-local addresses with a scope" test_link_local
t "link-local addresses with a device, learned" test_link_local_learned
t "the same link-local addresses on two links" test_link_local_twice
t "a host without IPv6" test_no_ipv6
t "other protocols are counted and not sent" test_other
run_theme
