#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Keys change every second for an hour, under a flow of 50 Mbit/s.
# Copyright (C) 2026 The mptun authors
# stages: tt tt-long
#
#   ┌───────┐ wan1 (40 Mbit/s, 1 ms)     ┌───────┐
#   │       ├────────────────────────────┤       │
#   │   a   │ wan2 (40 Mbit/s, 40 ms)    │   b   │
#   │       ├────────────────────────────┤       │
#   │       │ wan3 (40 Mbit/s, 1000 ms)  │       │
#   │       ├────────────────────────────┤       │
#   └───────┘                            └───────┘
#
# One path is slower by the lifetime of a session, so packets of two or three
# sessions are in flight at any time. None may be lost or duplicated. The hour,
# with 3500 changes, needs MPTUN_FULL=1 (`make soak`), otherwise it is a minute.
# Packets have 32000 bytes, as their cost in real time hardly depends on their
# size.
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=selftests/net/lib/pair.sh
. "$NET_DIR/lib/pair.sh"

# these tests are about keys
[ "$CIPHER" != clear ] || CIPHER=chacha20-poly1305
WANS="wan1 wan2 wan3"
# kbit/s, bytes
RATE=$((50000 * LAB_SCALE / 100))
BYTES=32000
MTU=$((BYTES + 200))

theme_setup() {
	local link delay=1

	hosts a b
	for link in $WANS; do
		link a b "$link" 40mbit "${delay}ms"
		jumbo "$link"
		delay=$((delay == 1 ? 40 : 1000))
	done
	tunnel a b mp0 sched wrr hold 1s buffer 64m
	ipn a link set mp0 mtu $((MTU - 100))
	ipn b link set mp0 mtu $((MTU - 100))
	plain_queue mp0 a b
	# shellcheck disable=SC2086 # a list of words
	paths a b mp0 $WANS
}

# jumbo LINK: raise its MTU for these packets
jumbo() {
	ipn "${LINK_A[$1]}" link set dev "$1" mtu "$MTU"
	ipn "${LINK_B[$1]}" link set dev "$1" mtu "$MTU"
	ipn "r-$1" link set dev a mtu "$MTU"
	ipn "r-$1" link set dev b mtu "$MTU"
}

# packets_of HOST: packets it has sent on each path so far
packets_of() {
	ctl "$1" path show mp0 -j | jq -c '[.[].stats.tx_packets]'
}

# stream SECONDS: the flow, from FROM to TO
stream() {
	flow_start "$FROM" "$TO" "$(inner "$FROM" mp0)" "$RATE" "$1" "$BYTES"
	flow_end
	figure "lost of $(flow .sent)" "$(flow .lost)" packets
	figure "out of order" "$(flow .reordered)" packets
	lossless
}

# The sender keeps no order: otherwise it would avoid the slow path whenever its
# queue delays packets beyond the hold time of the receiver.
test_rekey() {
	local FROM=$1 TO=$2 seconds=$3 before kib again objects sa sb shares

	ctl "$FROM" set mp0 reorder off
	ctl "$TO" set mp0 reorder adaptive
	rekey 1
	# a warm-up: windows and memory grow to their final size
	stream 10
	sleep 15
	before=$(associations a):$(associations b):$(dropped_for_keys)
	sa=$(sessions a) sb=$(sessions b)
	shares=$(packets_of "$FROM")
	objects=$(log_balance)
	kib=$(kernel_kib)
	stream "$seconds"
	# the slow path carries its share
	timely "packets in order" "$(flow .reordered) < $(flow .sent) / 50"
	sa=$(($(sessions a) - sa)) sb=$(($(sessions b) - sb))
	sleep 15
	kib=$(($(kernel_kib) - kib))
	shares=$(jq -nc "[$shares, $(packets_of "$FROM")] | transpose |
		map(.[1] - .[0])")
	figure "sessions of a and b in $seconds s" "$sa, $sb" sessions
	figure "packets on each path" "$shares" packets
	figure "memory that $sa sessions took" "$kib" KiB
	# a second, rounded up by the timer, and a handshake
	timely "sessions of a" "$sa >= $seconds * 35 / 37"
	timely "sessions of b" "$sb >= $seconds * 35 / 37"
	timely "share of a path" \
		"$(jq -n "$shares | min / add") > 0.2"
	# A leak grows with each session. What the allocator holds of pages in
	# use for a few objects does not.
	if ((kib >= $(quick 64 256))); then
		again=$(kernel_kib)
		stream "$seconds"
		sleep 15
		kib=$(($(kernel_kib) - again))
		figure "memory that as many sessions took again" "$kib" KiB
	fi
	timely "memory grown" "$kib < $(quick 64 256)"
	eq objects "$(log_balance)" "$objects"
	eq "associations, and what was dropped for its keys" \
		"$(associations a):$(associations b):$(dropped_for_keys)" \
		"$before"
}

t "keys change every second, forward" \
	test_rekey a b "$(quick 60 3700 10)"
t_full "keys change every second, reverse" test_rekey b a "$(quick 60 60 10)"
run_theme
