#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Very uneven paths: never slower than the best one alone.
# Copyright (C) 2026 The mptun authors
# stages: tt
#
#   ┌───────┐ wan1 (the good one)   ┌───────┐
#   │       ├───────────────────────┤       │
#   │   a   │ wan2 (the other)      │   b   │    see the tests
#   │       ├───────────────────────┤       │
#   └───────┘                       └───────┘
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

SECONDS_EACH=$(quick 5 15 2)
TCP_OMIT=2

# The best path alone and all together are two measurements, which may differ by
# 2 %
NOISE=0.98

theme_setup() {
	two_paths "16mbit 5ms" "16mbit 5ms"
}

switch() {
	ctl a path set mp0 "$1" "$2"
	ctl b path set mp0 "$1" "$2"
	[ "$2" = off ] || wait_state a mp0 "$1" up
	[ "$2" = off ] || wait_state b mp0 "$1" up
}

# pair "LINK1" "LINK2": the rate, delay and so on of each
pair() {
	local one two both

	# shellcheck disable=SC2086 # lists of words
	link_set wan1 $1
	# shellcheck disable=SC2086 # lists of words
	link_set wan2 $2
	switch wan2 off
	one=$(tcp a b "$(inner a mp0)" "$SECONDS_EACH")
	switch wan2 on
	switch wan1 off
	two=$(tcp a b "$(inner a mp0)" "$SECONDS_EACH")
	switch wan1 on
	both=$(tcp a b "$(inner a mp0)" "$SECONDS_EACH")
	figure "($1) and ($2)" "$both" \
		"of $one + $two Mbit/s, $(calc "100 * $both / ($one + $two)") %"
	timely "against the best one" \
		"$both >= $NOISE * ($one > $two ? $one : $two)"
}

t "10:1" pair "20mbit 10ms" "2mbit 10ms"
t "10:1, the low-rate path with low latency" pair "20mbit 30ms" "2mbit 5ms"
t "equal rates, 5 and 100 ms" pair "8mbit 5ms" "8mbit 100ms"
[ -z "$(quick "" 1)" ] || {
	t "30:1, a low-rate, high-latency path" pair "30mbit 5ms" "1mbit 150ms"
	t "deep queue on one" pair "8mbit 10ms" "8mbit 10ms queue 1000ms"
	t "2 % loss on one" pair "8mbit 10ms" "8mbit 10ms loss 2%"
	t "20 ms of jitter on one" pair "8mbit 30ms" "8mbit 30ms jitter 10ms"
	t "DSL and LTE" pair "16mbit 15ms" "12mbit 45ms jitter 10ms"
}
run_theme
