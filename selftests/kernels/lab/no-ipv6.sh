#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In a lab kernel that was booted with ipv6.disable=1: a tunnel over IPv4, KTAP.
# Copyright (C) 2026 The mptun authors
#
# usage (in a guest): lab/no-ipv6.sh

# shellcheck disable=SC2317 # tests are called by name
set -uo pipefail
TMP=$(mktemp -d)
COUNT=0

# check TEXT CMD...: a line of the results
check() {
	local text=$1

	shift
	COUNT=$((COUNT + 1))
	if "$@" >"$TMP/out" 2>&1; then
		echo "ok $COUNT $text"
	else
		sed 's/^/# /' "$TMP/out"
		echo "not ok $COUNT $text"
		FAILED=1
	fi
}

# end NS N: one end of the tunnel, and its uplink
end() {
	ip -n "$1" address add "10.9.0.$2/24" dev wan
	ip -n "$1" link set wan up
	ip -n "$1" link add mp0 type mptun
	mptunctl -n "$1" set mp0 key "$TMP/key"
	ip -n "$1" address add "10.7.0.$2/24" dev mp0
	ip -n "$1" link set mp0 up
	mptunctl -n "$1" path add mp0 wan remote "10.9.0.$((3 - $2))"
}

two_ends() {
	(umask 077 && mptunctl key gen >"$TMP/key") &&
		ip netns add a && ip netns add b &&
		ip -n a link add wan type veth peer wan netns b &&
		end a 1 && end b 2
}

passes() {
	ip netns exec a ping -n -q -c 3 -i 0.2 -W 2 10.7.0.2
}

# Like any path without a route, which check names.
no_route() {
	local found

	mptunctl -n a path add mp0 six remote fd00::2
	found=$(mptunctl -n a check mp0)
	[[ $found == *"six: there is no route"* ]] &&
		[ "$(mptunctl -n a path show mp0 six -j |
			jq -r '.[0].state')" = noroute ] &&
		mptunctl -n a path del mp0 six
}

# The module answers with ICMPv6, which this machine does not have.
too_big() {
	ip -n a link set mp0 mtu 1500
	ip netns exec a python3 -c 'if True:
		import socket
		with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as s:
		    s.bind(("mp0", 0x86dd))
		    s.send(b"\x60\0\0\0" + (1460).to_bytes(2, "big") +
		           b"\x3b\x40" + bytes(1492))'
	[ "$(mptunctl -n a show mp0 -j | jq '.[0].drops.tx_too_big')" = 1 ]
}

sound() {
	mptunctl -n a check mp0
}

FAILED=0
echo "KTAP version 1"
echo "1..6"
check "there is no IPv6" test ! -e /proc/net/if_inet6
check "a tunnel over IPv4" two_ends
check "packets pass" passes
check "a path over IPv6 has no route" no_route
check "an IPv6 packet that is too large" too_big
check "mptunctl check finds nothing wrong" sound
ip netns del a
ip netns del b
rm -r "$TMP"
exit "$FAILED"
