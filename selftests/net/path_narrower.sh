#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A path that carries smaller packets joins a tunnel whose flows are under way,
# from a host that no ICMP message reaches.
# Copyright (C) 2026 The mptun authors
# stages: tt tt-long
#
#   ┌───┐ lan ┌───────┐ wan1 (16 Mbit/s, 15 ms, MTU 1500)   ┌───────┐
#   │ c ├─────┤   a   ├─────────────────────────────────────┤   b   │
#   └───┘     │       │ wan2 (12 Mbit/s, 30 ms, MTU 1430)   │       │
#             │       ├─────────────────────────────────────┤       │
#             └───────┘                                     └───────┘
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=selftests/net/lib/mtu.sh
. "$NET_DIR/lib/mtu.sh"

theme_setup() {
	routers a
	hosts b c
	link a b wan1 16mbit 15ms
	link a b wan2 12mbit 30ms
	cable c a lan
	ipn a link set dev wan2 mtu 1430
	ipn b link set dev wan2 mtu 1430
	ipn r-wan2 link set dev a mtu 1430
	ipn r-wan2 link set dev b mtu 1430
	ipn c route add default via "$(addr a lan)"
	on c nft -f - <<-END
		table inet deaf {
			chain in {
				type filter hook input priority 0
				icmp type destination-unreachable drop
			}
		}
	END
}

# alone LINK: a tunnel with this path
alone() {
	tunnel a b mp0
	paths a b mp0 "$1"
	ipn b route replace "10.${LINK_N[lan]}.0.0/16" dev mp0
}

# upload SECONDS [ARGUMENT...]: TCP from c to b
upload() {
	local seconds=$1

	shift
	TCP_OMIT=0 tcp b c "$(addr c lan)" "$seconds" -R "$@"
}

# seconds: Mbit/s of each second of the upload
seconds() {
	jq -c '[.intervals[].sum.bits_per_second / 1e5 | round / 10]' \
		"$TMP/iperf.json"
}

# least FROM TO: the least Mbit/s of a second between these
least() {
	jq -r "[.intervals[].sum | select(.start > $1 - 0.5 and
		.end < $2 + 0.5) | .bits_per_second] | min / 1e4 |
		round / 100" "$TMP/iperf.json"
}

# switch LINK on|off: at both ends
switch() {
	ctl a path set mp0 "$1" "$2"
	ctl b path set mp0 "$1" "$2"
}

# joins OPTION...: wan2 is added at both ends
joins() {
	path a mp0 wan2 "$@"
	path b mp0 wan2 "$@"
}

# even FROM TO: no second between these has less than nine tenths of what the
# sender of the upload made, 8 Mbit/s
even() {
	note "each second: $(seconds)"
	figure "least second" "$(least "$1" "$2")" Mbit/s
	timely "least second" "$(least "$1" "$2") >= 0.9 * 8"
	eq "packets too big" "$(tun_json a mp0 .drops.tx_too_big)" 0
}

# established OPTION...: a flow loses nothing when wan2 joins, goes and returns
established() {
	alone wan1
	mtu_becomes "$(inside 1500)" 3
	(
		nap 5
		joins "$@"
		for _ in 1 2; do
			nap 4
			switch wan2 off
			nap 3
			switch wan2 on
		done
	) &
	upload 25 -b 8M -l 8K
	wait
	even 2 25
}

# a flow that needs more than wan1 has gets it when wan2 joins; one that begins
# then uses both paths, in segments that each carries whole
test_more() {
	local before got

	alone wan1
	mtu_becomes "$(inside 1500)" 3
	(
		nap 8
		joins
	) &
	upload 24
	wait
	note "each second: $(seconds)"
	before=$(series 2 8)
	got=$(series 18 24)
	figure "before wan2 joins" "$before" Mbit/s
	figure "afterwards" "$got" Mbit/s
	timely "afterwards" "$got >= 1.2 * $before"
	got=$(upload 12)
	note "each second: $(seconds)"
	figure "a new flow" "$got" Mbit/s
	timely "a new flow" "$got >= 1.5 * $before"
	eq "segments of a new flow" "$(jq .start.tcp_mss_default \
		"$TMP/iperf.json")" $(($(inside 1430) - 52))
}

# the wide path goes: what it carried continues over the other one, when TCP has
# repeated what was on its way
test_goes() {
	alone wan1
	mtu_becomes "$(inside 1500)" 3
	(
		nap 4
		joins
		nap 4
		switch wan1 off
	) &
	upload 16 -b 8M -l 8K
	wait
	even 10 16
}

# the MTU falls when nothing larger has been sent for some time
test_falls() {
	alone wan1
	mtu_becomes "$(inside 1500)" 3
	upload 2
	paths a b mp0 wan2
	upload 2
	bg a ip monitor link dev mp0
	sleep 590
	mtu_is a "$(inside 1500)" || fail "it falls too early"
	sleep 640
	mtu_is a "$(inside 1430)" || fail "it stays"
	bg_kill "$BG"
	grep -q "mtu $(inside 1430)" "$TMP/bg.$BG"
}

# without fragments the narrow path is worth more than large packets
test_without() {
	alone wan1
	mtu_becomes "$(inside 1500)" 3
	upload 2
	paths a b mp0 wan2
	never_for 2 mtu_is a "$(inside 1430)"
	ctl a set mp0 frag off
	ctl b set mp0 frag off
	wait_for 3 mtu_is a "$(inside 1430)" || fail "the MTU stays"
}

t "a narrower path joins" established
t_full "a narrower backup joins" established backup on
t "a narrower path adds its throughput" test_more
t "the wide path goes" test_goes
t "large packets are no longer sent" test_falls
t_full "no fragments" test_without
run_theme
