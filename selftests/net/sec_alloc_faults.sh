#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Allocation failures, in each step of a request and on the data path.
# Copyright (C) 2026 The mptun authors
# stages: leaks
#
#   ┌───┐ one  ┌───┐
#   │ a ├──────┤ b │
#   │   ├──────┤   │
#   └───┘ two  └───┘
#
# Needs a kernel with fault injection: flavour debug.
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

DEBUG=/sys/kernel/debug
STREAM=$TESTS_DIR/helpers/stream.py

theme_setup() {
	[ -d "$DEBUG/failslab" ] || mount -t debugfs none "$DEBUG"
	hosts a b
	cable a b one
	cable a b two
}

# every SWITCH: whether allocations that may sleep fail, too (faults.py)
every() {
	local kind

	for kind in failslab fail_page_alloc; do
		echo 0 >"$DEBUG/$kind/verbose"
		echo "$1" >"$DEBUG/$kind/ignore-gfp-wait"
	done
	echo 0 >"$DEBUG/fail_page_alloc/min-order"
}

# scarce N: one in N of all atomic allocations fails, 0 for none
scarce() {
	local kind

	every Y
	for kind in failslab fail_page_alloc; do
		echo 0 >"$DEBUG/$kind/probability"
		echo N >"$DEBUG/$kind/task-filter"
		echo "$1" >"$DEBUG/$kind/interval"
		echo -1 >"$DEBUG/$kind/times"
		[ "$1" -eq 0 ] || echo 100 >"$DEBUG/$kind/probability"
	done
}

# works DEV: pings pass without loss
works() {
	local out

	wait_ping a "$(inner a "$1")"
	out=$(on a ping -qni 0.05 -c 20 "$(inner a "$1")")
	[[ $out == *" 0% packet loss"* ]] || fail "$out"
}

test_requests() {
	tunnel a b mp0
	paths a b mp0 one
	every N
	on a python3 "$TESTS_DIR/helpers/faults.py" mp0 one \
		"$(tunnel_key "${TUN_N[mp0]}")"
	works mp0
}

# missed: whether packets were dropped for lack of memory
missed() {
	local host n=0

	for host in a b; do
		n=$((n + $(tun_json "$host" mp0 '(.drops.tx_no_memory // 0) +
			(.drops.rx_no_memory // 0)')))
	done
	[ "$n" -gt 0 ]
}

# starved CIPHER [repair]: large packets one way and the other, and then the
# tunnel as before; datagrams, as TCP would soon send little
test_starved() {
	local CIPHER=$1 way from to port

	tunnel a b mp0
	paths a b mp0 one two
	if [ -n "${2:-}" ]; then
		ctl a class set mp0 0 repair on
		ctl b class set mp0 0 repair on
	fi
	for way in "a b" "b a"; do
		read -r from to <<<"$way"
		port=$(next_port)
		bg "$to" python3 "$STREAM" recv udp "$(inner "$from" mp0)" \
			"$port" 100000000
		wait_for 20 grep -q listens "$TMP/bg.$BG"
		scarce 23
		on "$from" python3 "$STREAM" send udp \
			"$(inner "$from" mp0)" "$port" 3000000 1200 >/dev/null
		scarce 0
		bg_kill "$BG"
	done
	missed || fail "no packet was dropped for lack of memory"
	works mp0
}

# tunnels are made and deleted again and again while memory is scarce
test_life() {
	local i

	tunnel a b mp0
	paths a b mp0 one
	for ((i = $(quick 10 50); i > 0; i--)); do
		scarce 23
		{
			ipn a link add mp2 type mptun
			ctl a path add mp2 x remote "$(remote a one)"
			ipn a link set mp2 up
			ctl a path add mp2 y remote "$(remote a two)"
			ctl a path del mp2 x
			ipn a link del mp2
		} 2>/dev/null || :
		scarce 0
		ipn a link del mp2 2>/dev/null || :
	done
	works mp0
}

t "each allocation of each request fails" test_requests
for cipher in chacha20-poly1305 aes-gcm; do
	t "$cipher, data while memory is scarce" test_starved "$cipher"
done
t "repair, data while memory is scarce" test_starved chacha20-poly1305 repair
t "tunnels come and go while memory is scarce" test_life
run_theme
