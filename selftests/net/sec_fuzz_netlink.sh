#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fuzzing: malformed netlink messages to a tunnel under traffic.
# Copyright (C) 2026 The mptun authors
# stages: fuzz-debug
#
#   ┌───────┐   wan1 (8 Mbit/s, 5 ms)   ┌───────┐
#   │   a   ├───────────────────────────┤   b   │
#   └───────┘                           └───────┘
#
#	FUZZ_SECONDS	how long messages are sent (default 20)
#	FUZZ_SEED	the seed (default: a new one each time, printed)
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

FUZZ_SECONDS=${FUZZ_SECONDS:-20}

theme_setup() {
	hosts a b c
	link a b wan1 8mbit 5ms
	tunnel a b mp0
	paths a b mp0 wan1
}

test_messages() {
	local seed=${FUZZ_SEED:-$RANDOM} out=$TMP/messages rc=0 sums pause=0

	! virtual_time || pause=0.03
	flow_start a b "$(inner a mp0)" 500 "$FUZZ_SECONDS" 1000
	on a python3 "$TESTS_DIR/fuzz/netlink.py" --dev mp0 \
		--key "$(tunnel_key "${TUN_N[mp0]}")" --other "$NSP-c" \
		--seconds "$FUZZ_SECONDS" --seed "$seed" --pause "$pause" \
		>"$out" 2>&1 || rc=$?
	cat "$out"
	sums=$(grep "^{" "$out" | tail -n 1)
	note "$(jq -r '"\(.messages) messages, \(.accepted) accepted, \(
		.refused) refused, \(.broken) broken, tunnel restored \(
		.restored) times"' <<<"$sums"), $([ "$rc" -eq 0 ] &&
		echo 0 || echo 1) findings"
	[ "$rc" -eq 0 ] || fail "seed $seed: status $rc"
	num accepted "$(jq .accepted <<<"$sums") > 0"
	num refused "$(jq .refused <<<"$sums") > 0"
	flow_end
	num "traffic meanwhile" "$(flow .received) > 0"
	wait_ping a "$(inner a mp0)"
}

test_unload() {
	module_unload
	wait_for 20 log_balanced || fail "$(log_balance)"
	module_load
}

t "messages of every operation, changed, under traffic" test_messages
t "the module is unloaded" test_unload
run_theme
