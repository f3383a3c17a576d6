# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The hosts of the themes data_wireguard and data_mtu, and checks of packet
# sizes.
# Copyright (C) 2026 The mptun authors
#
# Sourced by themes, after wireguard.sh.
#
#   ┌───┐ lan ┌───────┐ wan1 (8 Mbit/s, 5 ms)    ┌───────┐
#   │ c ├─────┤       ├──────────────────────────┤       │
#   └───┘     │   a   │ wan2 (8 Mbit/s, 10 ms)   │   b   │
#             │       ├──────────────────────────┤       │
#             └───────┘                          └───────┘
#
# In terms of the guide, a is the client and its router, with the gateways
# 192.168.1.1 and 192.168.2.1, and b is the server, 198.51.100.7.

layer_hosts() {
	routers a
	hosts b c
	link a b wan1 8mbit 5ms
	link a b wan2 8mbit 10ms
	cable c a lan
	ipn c address add fd00:3::c/64 dev lan nodad
	ipn a address add fd00:3::a/64 dev lan nodad
	ipn c route add default via "$(addr a lan)"
	ipn c route add default via fd00:3::a
	ipn b address add 198.51.100.7/32 dev lo
	guide_link wan1 1
	guide_link wan2 2
}

# guide_link LINK N: the addresses that an uplink has in the guide
guide_link() {
	ipn a address add "192.168.$2.2/24" dev "$1"
	ipn "r-$1" address add "192.168.$2.1/24" dev a
	ipn "r-$1" route add 198.51.100.7 via "$(addr b "$1")"
	ipn b route add "192.168.$2.0/24" via "10.${LINK_N[$1]}.2.1" dev "$1"
}

# fresh: remove devices and rules of an earlier test, which may have failed
fresh() {
	local host dev

	for host in a b; do
		for dev in $(ipn "$host" -j link show | jq -r '.[].ifname |
			select(test("^(mp|wg)[0-9]"))'); do
			ipn "$host" link del "$dev"
		done
		on "$host" nft flush ruleset
	done
	on r-wan1 nft flush ruleset
	ipn a rule del fwmark 101 2>/dev/null || :
	ipn a rule del fwmark 102 2>/dev/null || :
	ipn a route flush table 101 2>/dev/null || :
	ipn a route flush table 102 2>/dev/null || :
	ipn a route flush root 0.0.0.0/0 exact 0.0.0.0/0
	link_mtu wan1 1500
}

# link_mtu LINK MTU: of both ends and of the router
link_mtu() {
	ipn a link set dev "$1" mtu "$2"
	ipn b link set dev "$1" mtu "$2"
	ipn "r-$1" link set dev a mtu "$2"
	ipn "r-$1" link set dev b mtu "$2"
}

# layered FAMILY: mp0 over addresses of that family in wg1
layered() {
	tunnel a b mp0
	wg_path a mp0 in wg1 1 "$1"
	wg_path b mp0 in wg1 1 "$1"
	wait_paths a b mp0 in
	ipn b route replace 10.3.0.0/16 dev mp0
	ipn b -6 route replace fd00:3::/64 dev mp0
}

# --- sizes

# watch BYTES: count packets on wan1 of that size, larger ones, and fragments
watch() {
	on r-wan1 nft -f - <<-END
		table inet watch
		delete table inet watch
		table inet watch {
			counter full {}
			counter over {}
			counter pieces {}
			chain seen {
				type filter hook prerouting priority -500
				meta length $1 counter name full
				meta length > $1 counter name over
				ip frag-off & 0x3fff != 0 counter name pieces
				exthdr frag exists counter name pieces
			}
		}
	END
}

# watched COUNTER: packets
watched() {
	on r-wan1 nft -j list counter inet watch "$1" |
		jq '.nftables[] | .counter? | values | .packets'
}

# sized HOST BYTES ADDRESS [COUNT]: ping by IP packets of that size, which must
# not be cut
sized() {
	local head=28

	[[ $3 != *:* ]] || head=48
	on "$1" ping -n -c "${4:-1}" -i 0.2 -W 3 -M "do" -s $(($2 - head)) "$3"
}

# too_long HOST BYTES ADDRESS MTU: the kernel of the sender reports the MTU
too_long() {
	local out

	! out=$(sized "$1" "$2" "$3" 2>&1) || fail "$2 bytes pass to $3"
	[[ $out == *"essage too long, mtu"*"$4"* ]] ||
		fail "$2 bytes to $3, MTU $4 not reported: $out"
}

# by_icmp HOST BYTES ADDRESS MTU: ICMP reports the MTU to the sender, which
# keeps it
by_icmp() {
	local out want="Frag needed and DF set (mtu = $4)"

	[[ $3 != *:* ]] || want="Packet too big: mtu=$4"
	! out=$(sized "$1" "$2" "$3" 2 2>&1) || fail "$2 bytes pass to $3"
	[[ $out == *"$want"* ]] ||
		fail "$2 bytes from $1 to $3, no '$want': $out"
	too_long "$1" "$2" "$3" "$4"
}

# forget HOST...: drop what they learned about destinations
forget() {
	local host

	for host; do
		ipn "$host" route flush cache
		ipn "$host" -6 route flush cache
	done
}

# dev_mtu DEV MTU: set it at both ends
dev_mtu() {
	ipn a link set "$1" mtu "$2"
	ipn b link set "$1" mtu "$2"
	forget a b c
}

# exact DEV MTU WIRE ADDRESS...: packets of the MTU pass through DEV in both
# directions, as one packet of WIRE bytes on the wire; those with one byte more
# are not sent
exact() {
	local dev=$1 mtu=$2 wire=$3 address n=0

	shift 3
	dev_mtu "$dev" "$mtu"
	watch "$wire"
	for address; do
		sized a "$mtu" "$address"
		too_long a $((mtu + 1)) "$address" "$mtu"
		n=$((n + 2))
	done
	eq "packets of $wire bytes" "$(watched full)" "$n"
	eq "packets of more" "$(watched over)" 0
	eq "fragments on the wire" "$(watched pieces)" 0
}
