#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fuzzing: malformed packets, encrypted and not, beside traffic of a tunnel.
# Copyright (C) 2026 The mptun authors
# stages: fuzz-debug
#
#   ┌───────┐ wan1 (8 Mbit/s, 5 ms)    ┌───────┐  lab   ┌───┐
#   │   a   ├──────────────────────────┤   b   ├────────┤ p │ fuzz/packets.py
#   └───────┘                          └───────┘ cable  └───┘
#
# p is the peer of a tunnel of b, in Python: it has the keys, so that its
# packets pass authentication. A second tunnel on the same port, between a and
# b, must not be affected.
#
#	FUZZ_SECONDS	how long all tests together send (default 20)
#	FUZZ_SEED	the seed (default: a new one each time, printed)
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# shellcheck disable=SC2034 # for lib/tunnel.sh
LEARN=on
FUZZ_SECONDS=${FUZZ_SECONDS:-20}

theme_setup() {
	hosts a b p
	link a b wan1 8mbit 5ms
	cable b p lab
	tunnel a b mp0
	paths a b mp0 wan1
}

# target CIPHER: the tunnel mp1 of b, whose peer is p; KEYS are arguments for p
target() {
	local CIPHER=$1 n

	n=$((++TUNNELS))
	TUN_N[mp1]=$n
	TUN_A[mp1]=b
	tunnel_end b mp1
	# with rekeys, so that p gets INITs to answer
	[ "$CIPHER" = clear ] || ctl b set mp1 rekey 1
	path b mp1 lab
	if [ "$CIPHER" = clear ]; then
		KEYS=(--ids "$((n * 10 + 2)),$((n * 10 + 1))")
	else
		KEYS=(--key "$(tunnel_key "$n")")
	fi
}

# sums FILE FINDINGS: print what was sent and dropped
sums() {
	note "$(jq -r '([.sent[]] | add | tostring) + " packets"' "$1")," \
		"$2 findings"
	note "$(jq -r '[.sent, .dropped | to_entries |
		map("\(.value) \(.key)") | join(", ")] |
		join("; dropped ")' "$1")"
}

# reached FILE REASON...: packets passed enough checks to be dropped for these
# reasons. A busy machine sends too few for all of them
reached() {
	local file=$1 reason

	shift
	num "packets that do not parse" "$(jq .dropped.rx_malformed "$file") > 0"
	for reason; do
		timely "dropped as $reason" \
			"$(jq ".dropped.$reason // 0" "$file") > 0"
	done
}

# test_packets CIPHER PERCENT REASON...
test_packets() {
	local cipher=$1 seconds=$((FUZZ_SECONDS * $2 / 100))
	local seed=${FUZZ_SEED:-$RANDOM} out=$TMP/packets rc=0

	shift 2
	target "$cipher"
	flow_start a b "$(inner a mp0)" 500 "$seconds" 1000
	on p python3 "$TESTS_DIR/fuzz/packets.py" --dev mp1 --netns "$NSP-b" \
		--remote "$(addr b lab)" --local "$(addr p lab)" \
		--seconds "$seconds" --seed "$seed" --cipher "$cipher" \
		"${KEYS[@]}" >"$out" 2>&1 || rc=$?
	cat "$out"
	ctl b stats mp1
	grep "^{" "$out" | tail -n 1 >"$TMP/sums"
	sums "$TMP/sums" "$rc"
	[ "$rc" -eq 0 ] || fail "seed $seed: status $rc"
	reached "$TMP/sums" rx_kind rx_not_ip rx_version rx_short \
		rx_unknown rx_no_path "$@"
	flow_end
	num "traffic of the other tunnel" "$(flow .received) > 0"
	timely lost "$(flow .lost) == 0"
	timely duplicates "$(flow .duplicates) == 0"
	wait_ping a "$(inner a mp0)"
	ipn b link del mp1
	flat "$cipher"
}

# flat WHAT: memory is as after the first of these tests, except on debug
# kernels, which keep freed objects
flat() {
	local file=$TMP/used used

	sleep 1
	used=$(used_kib)
	[ -s "$file" ] || echo "$used" >"$file"
	used=$((used - $(cat "$file")))
	figure "memory taken since the first test, after $1" "$used" KiB
	timely "memory grown" "$used < 1024"
}

# the module is unloaded while packets arrive
test_unload() {
	local rc=0

	target chacha20-poly1305
	bg p python3 "$TESTS_DIR/fuzz/packets.py" --dev mp1 --netns "$NSP-b" \
		--remote "$(addr b lab)" --local "$(addr p lab)" \
		--seconds 30 "${KEYS[@]}"
	wait_for 20 fuzzing
	rmmod mptun || rc=$?
	bg_kill "$BG"
	eq "status of rmmod" "$rc" 0
	wait_for 20 log_balanced || fail "$(log_balance)"
	module_load
}

fuzzing() {
	[ "$(drop_sum)" -gt 20 ]
}

# drop_sum: all drops of mp1 at b
drop_sum() {
	tun_json b mp1 '[.drops | .[] | tonumber] | add'
}

t "sealed with chacha20-poly1305" test_packets chacha20-poly1305 40 \
	rx_auth rx_replay rx_mac rx_handshake
t "sealed with aes-gcm" test_packets aes-gcm 20 rx_auth rx_replay
t "sealed with auth-only" test_packets auth-only 20 rx_auth rx_replay
t "in clear mode" test_packets clear 20
t "the module is unloaded while packets arrive" test_unload
run_theme
