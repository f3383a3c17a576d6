#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Sparse flows, which nobody marked, wait for nothing beside a bulk flow.
# Copyright (C) 2026 The mptun authors
# stages: tt
#
#   ┌───────┐ wan1 (16 Mbit/s, 15 ms)           ┌───────┐
#   │       ├───────────────────────────────────┤       │
#   │   a   │ wan2 (16 Mbit/s, 70 ms)           │   b   │
#   │       ├───────────────────────────────────┤       │
#   └───────┘                                   └───────┘
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# Each link holds 200 packets, those on their way included.
theme_setup() {
	hosts a b
	link a b wan1 16mbit 15ms queue 180p
	link a b wan2 16mbit 70ms queue 107p
	tunnel a b mp0
	paths a b mp0 wan1 wan2
}

# class0 FILTER: a counter of class 0 at a
class0() {
	ctl a class show mp0 0 -j | first ".stats.$1"
}

# test_call FROM TO [KBIT BYTES PACKETS]: frames of some packets (by default 50
# packets of 100 bytes a second) beside one TCP flow, whose slow start is over
test_call() {
	local jitter mbit pid

	TCP_OMIT=2 tcp "$1" "$2" "$(inner "$1" mp0)" 10 >"$TMP/mbit" &
	pid=$!
	sleep 4
	flow_start "$1" "$2" "$(inner "$1" mp0)" "${3:-40}" 7 "${4:-100}" \
		"${5:-1}"
	flow_end
	wait "$pid"
	mbit=$(cat "$TMP/mbit")
	jitter=$(calc "$(flow .age_p99_ms) - $(flow .age_p5_ms)")
	figure "jitter of a call, $1 to $2" "$jitter" ms
	figure "TCP beside it" "$mbit" Mbit/s
	eq "packets lost" "$(flow .lost)" 0
	eq "packets out of order" "$(flow .reordered)" 0
	timely "jitter" "$jitter <= 10"
	timely "TCP over twice 16 Mbit/s" "$mbit > 20"
}

# the packets of the call count as sparse, those of a bulk flow do not
test_counted() {
	local packets sparse

	packets=$(class0 tx_packets) sparse=$(class0 tx_sparse)
	flow_start a b "$(inner a mp0)" 40 2 100
	flow_end
	num "sparse packets of a call" "$(class0 tx_sparse) - $sparse >= 100"
	packets=$(class0 tx_packets) sparse=$(class0 tx_sparse)
	flow_start a b "$(inner a mp0)" 8000 2
	flow_end
	packets=$(($(class0 tx_packets) - packets))
	num "packets of 8 Mbit/s" "$packets > 1000"
	num "sparse ones of $packets" \
		"$(class0 tx_sparse) - $sparse <= $packets / 20"
}

# a TCP flow that asks and answers, and then turns into a bulk flow: round trips
# beside another bulk flow, and no packet out of order
test_grows() {
	local late

	late=$(tun_json b mp0 .reordering.late)
	PORT=$(next_port)
	bg b python3 "$TESTS_DIR/helpers/asks.py" serve "$PORT"
	wait_for 10 listens b "$PORT"
	bg a python3 "$TESTS_DIR/helpers/asks.py" ask "$(inner a mp0)" \
		"$PORT" 100 4000000
	ASKS=$BG
	note "beside $(tcp a b "$(inner a mp0)" 8) Mbit/s"
	bg_wait "$ASKS" || fail "$BG_OUT"
	note "$BG_OUT"
	figure "round trip of requests, 95 %" "$(jq .p95_ms <<<"$BG_OUT")" ms
	timely "round trip of 95 %" "$(jq .p95_ms <<<"$BG_OUT") <= 30 + 10"
	eq "reordering seen by TCP" "$(jq .reordered <<<"$BG_OUT")" 0
	eq "late packets" "$(tun_json b mp0 .reordering.late)" "$late"
}

t "a call beside an upload" test_call a b
t "a call beside a download" test_call b a
t "a video call beside an upload" test_call a b 1056 1100 4
t "a video call beside a download" test_call b a 1056 1100 4
t "sparse packets are counted" test_counted
t "requests that grow into an upload" test_grows

run_theme
