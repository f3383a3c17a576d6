#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A path whose outer packets are encrypted by IPsec.
# Copyright (C) 2026 The mptun authors
# stages: tt-long
#
#   ┌───────┐ wan1 (8 Mbit/s, 5 ms)    ┌───────┐
#   │   a   ├──────────────────────────┤   b   │
#   └───────┘ ESP, AES-GCM             └───────┘
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

theme_setup() {
	hosts a b
	link a b wan1 8mbit 5ms
}

# esp MODE: a and b encrypt the UDP packets that they exchange over wan1
esp() {
	local a b host from to out spi

	a=$(addr a wan1)
	b=$(addr b wan1)
	for host in a b; do
		for from in "$a" "$b"; do
			to=$b spi=0x101
			[ "$from" = "$a" ] || to=$a spi=0x102
			out=out
			[ "$from" = "$(addr "$host" wan1)" ] || out=in
			ipn "$host" xfrm state add src "$from" dst "$to" \
				proto esp spi "$spi" \
				reqid 1 mode "$1" aead "rfc4106(gcm(aes))" \
				0x0102030405060708090a0b0c0d0e0f1011121314 128
			ipn "$host" xfrm policy add src "$from" dst "$to" \
				proto udp dir "$out" tmpl src "$from" \
				dst "$to" proto esp reqid 1 mode "$1"
		done
	done
}

plain() {
	local host

	for host in a b; do
		ipn "$host" xfrm policy flush
		ipn "$host" xfrm state flush
	done
}

# size_is HOST SIZE: what the path carries, to four bytes
size_is() {
	local got

	got=$(path_json "$1" mp0 wan1 .pmtu)
	[ "$got" -le "$2" ] && [ "$got" -gt $(($2 - 4)) ]
}

# counter HOST NAME: of the stack of a host
counter() {
	on "$1" nstat -asz "$2" | awk -v name="$2" '$1 == name { print $2 }'
}

# faults: fragments, and packets that were too large for IPsec
faults() {
	local host name

	for host in a b; do
		for name in IpFragOKs IpFragFails IpFragCreates IpReasmReqds; do
			echo "$host $name $(counter "$host" "$name")"
		done
	done
}

# test_esp MODE SIZE: the path takes packets of SIZE bytes, which are 1500 with
# what IPsec adds, whether the policy was there before the path or comes under
# traffic; an end that only sends data notices it as well
test_esp() {
	# full packets: mptun, UDP and IP take 72 bytes, UDP and IP inside 28
	local before full=$(($2 - 72 - 28))

	tunnel a b mp0
	esp "$1"
	paths a b mp0 wan1
	wait_for 5 size_is a "$2"
	wait_for 5 size_is b "$2"
	before=$(faults)
	flow_start a b "$(inner a mp0)" 4000 6 "$full"
	sleep 1
	plain
	wait_for 5 size_is a 1500
	esp "$1"
	wait_for 2 size_is a "$2"
	wait_for 2 size_is b "$2"
	flow_end
	# a few between the policies of both ends are dropped by the receiver
	figure "lost" "$(flow .lost)" packets
	flow_start a b "$(inner a mp0)" 4000 3 "$full"
	flow_end
	eq lost "$(flow .lost)" 0
	eq "fragments" "$(faults)" "$before"
	num "packets in ESP" "$(on a ip -s xfrm state |
		grep -o '[0-9]*(packets)' | sort -n | tail -n 1 |
		tr -dc 0-9) > 1000"
	plain
	ipn a link del mp0
	ipn b link del mp0
}

t "transport mode: packets leave room for ESP" test_esp transport 1466
t "tunnel mode: packets leave room for ESP" test_esp tunnel 1446
run_theme
