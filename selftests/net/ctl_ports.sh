#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# UDP ports of tunnels: used by others, closed and opened again, and in VRFs.
# Copyright (C) 2026 The mptun authors
# stages: debug tt-long vm-long
#
#   ┌───────┐   wan1 (8 Mbit/s, 5 ms)   ┌───────┐
#   │   a   ├───────────────────────────┤   b   │
#   └───────┘                           └───────┘
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=selftests/net/lib/locks.sh
. "$NET_DIR/lib/locks.sh"

VRFS=8

theme_setup() {
	hosts a b
	link a b wan1 8mbit 5ms
	# uses a port of a family for some time
	cat >"$TMP/holds.py" <<-END
		import socket, sys, time
		family = getattr(socket, sys.argv[1])
		sock = socket.socket(family, socket.SOCK_DGRAM)
		if family == socket.AF_INET6:
		    sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
		sock.bind(("", int(sys.argv[2])))
		time.sleep(float(sys.argv[3]))
	END
}

# sockets HOST [PORT]: how many UDP sockets it has
sockets() {
	on "$1" ss -Hluan ${2:+"sport = :$2"} | wc -l
}

# used HOST PORT: whether it has a socket
used() {
	[ "$(sockets "$1" "$2")" -gt 0 ]
}

# holder HOST FAMILY: a program there that uses port 4800; sets BG
holder() {
	bg "$1" python3 "$TMP/holds.py" "$2" 4800 1000
	wait_for 10 used "$1" 4800
}

# tunnel_end_of HOST DEV: a tunnel without a peer
tunnel_end_of() {
	ipn "$1" link add "$2" type mptun
	ipn "$1" link set "$2" up
}

# a port that another program uses, over either family, is refused, and leaves
# no socket; it is used as soon as the program has ended
test_used() {
	local family

	tunnel_end_of a mp1
	for family in AF_INET AF_INET6; do
		holder a "$family"
		refused 2 "UDP port is used by another program" \
			ip -n "$NSP-a" link add mp2 type mptun port 4800
		refused 2 "UDP port is used by another program" \
			ctl a path add mp1 p1 remote "$(remote a wan1)" \
			local-port 4800
		eq "sockets of the port" "$(sockets a 4800)" 1
		bg_kill "$BG"
		wait_for 10 not used a 4800
		ctl a path add mp1 p1 remote "$(remote a wan1)" local-port 4800
		ipn a link add mp2 type mptun port 4800
		eq "sockets of the port" "$(sockets a 4800)" 2
		ctl a path del mp1 p1
		ipn a link del mp2
		eq "sockets of the port" "$(sockets a 4800)" 0
	done
}

# a port is free when the command that closes it returns
test_again() {
	local i

	for i in $(seq 1 20); do
		echo "link add mp1 type mptun port 4800"
		echo "link set mp1 up"
		echo "link del mp1"
	done | ip -n "$NSP-a" -batch -
	for i in 1 2 3; do
		ipn a link add mp1 type mptun port 4800
		ipn a link del mp1
		on a python3 "$TMP/holds.py" AF_INET 4800 0
		on a python3 "$TMP/holds.py" AF_INET6 4800 0
	done
}

# vrfs add|del HOST: commands that add or delete the VRFs of a host; those that
# are added have the indices of those that were deleted
vrfs() {
	local i

	for i in $(seq 1 "$VRFS"); do
		if [ "$1" = add ]; then
			echo "link add vrf$i index $((1000 + i)) type vrf" \
				"table $((100 + i))"
		else
			echo "link del vrf$i"
		fi
	done | ip -n "$NSP-$2" -batch -
}

# ports HOST: tunnels with a port each
ports() {
	local i

	for i in 1 2 3; do
		echo "link add m$i type mptun port $((6000 + i))"
		echo "link set m$i up group 7"
	done | ip -n "$NSP-$1" -batch -
}

# sockets of all ports in all VRFs come and go with each of them
test_vrfs() {
	local i

	hosts c
	ports c
	eq "sockets without VRFs" "$(sockets c)" 6
	for i in 1 2 3; do
		vrfs add c
		eq "sockets" "$(sockets c)" $((6 * (VRFS + 1)))
		vrfs del c
		eq "sockets without VRFs" "$(sockets c)" 6
	done
	vrfs add c
	ipn c link del group 7
	eq "sockets without tunnels" "$(sockets c)" 0
	ports c
	eq "sockets of new tunnels" "$(sockets c)" $((6 * (VRFS + 1)))
	# the namespace ends with all of them
	drop_namespaces
}

# no command waits for a grace period of ours under RTNL: neither where VRFs,
# tunnels and learned paths go, nor where a port is used
test_waits() {
	local all ours

	LEARN=on
	tunnel a b mp0
	path a mp0 wan1
	wait_ping a "$(inner a mp0)"
	hosts c
	ports c
	vrfs add c
	holder c AF_INET6
	locks "$EXPEDITED"
	refused 2 "UDP port is used by another program" \
		ip -n "$NSP-c" link add mp2 type mptun port 4800
	vrfs del c
	ipn b link set mp0 down
	ipn c link del group 7
	ipn a link del mp0
	locks_end
	read -r all ours <<<"$(waits)"
	figure "grace periods under RTNL, of mptun" "$all, $ours" ""
	num "grace periods under RTNL" "$all > 0"
	eq "of them for mptun" "$ours" 0
}

# ports of two namespaces are opened under two mutexes
test_mutex() {
	hosts c
	# shellcheck disable=SC2016
	locks '&mn->port_mutex'
	tunnel_end_of a mp1
	tunnel_end_of c mp1
	locks_end
	eq mutexes "$(grep -o 'lock_acquire: [^ ]*' "$TMP/trace" | sort -u |
		wc -l)" 2
}

t "ports that other programs use" test_used
t "ports closed and opened again" test_again
t "ports in VRFs that come and go" test_vrfs
if locks_known; then
	t "nobody waits for a grace period under RTNL" test_waits
	t "namespaces share no mutex" test_mutex
fi
run_theme
