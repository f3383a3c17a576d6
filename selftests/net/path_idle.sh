#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What paths cost that carry no data, and how soon their failure is known.
# Copyright (C) 2026 The mptun authors
# stages: tt
#
#   ┌───────┐ wan1 (8 Mbit/s, 10 ms)           ┌───────┐
#   │       ├──────────────────────────────────┤       │
#   │   a   │ wan2 (8 Mbit/s, 5 ms, backup)    │   b   │
#   │       ├──────────────────────────────────┤       │
#   │       │ wan3 (8 Mbit/s, 40 ms, backup)   │       │
#   │       ├──────────────────────────────────┤       │
#   └───────┘                                  └───────┘
#
# The backup that costs has the lowest round-trip time, so that control packets
# which may take any path would choose it.
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=selftests/net/lib/pair.sh
. "$NET_DIR/lib/pair.sh"

# short, so that a session which ages without data would be renewed
REKEY=20

theme_setup() {
	hosts a b
	link a b wan1 8mbit 10ms
	link a b wan2 8mbit 5ms
	link a b wan3 8mbit 40ms
	tunnel a b mp0 rekey "$REKEY"
	paths a b mp0 wan1 wan2 wan3
	for link in wan2 wan3; do
		ctl a path set mp0 "$link" backup on
		ctl b path set mp0 "$link" backup on
	done
	wait_ping a "$(inner a mp0)"
}

# on_wire HOST LINK: bytes of IP packets that a device has counted
on_wire() {
	on "$1" ip -j -s link show dev "$2" | jq '.[0].stats64 |
		.tx.bytes + .rx.bytes - 14 * (.tx.packets + .rx.packets)'
}

# mb_a_day BYTES SECONDS
mb_a_day() {
	calc "$1 * 86400 / $2 / 1e6"
}

# a resting path costs at most 5 MB a day
test_resting() {
	local link seconds=100 cost
	local -A before=()

	for link in wan2 wan3; do
		before[$link]=$(on_wire a "$link")
	done
	on a ping -n -q -i 1 -c "$seconds" "$(inner a mp0)" >/dev/null
	for link in wan2 wan3; do
		cost=$(mb_a_day $(($(on_wire a "$link") - before[$link])) \
			"$seconds")
		figure "cost of $link at rest" "$cost" "MB a day"
		num "MB a day on $link" "$cost <= 5"
	done
}

# a path of an idle tunnel costs at most 1 MB a day, without new keys
test_idle() {
	local link seconds=200 cost sessions
	local -A before=()

	# the tunnel is in use for 10 s more, and its last keys are renewed
	sleep $((10 + REKEY * 5 / 4 + 5))
	sessions=$(sessions a):$(sessions b)
	for link in wan1 wan2 wan3; do
		before[$link]=$(on_wire a "$link")
	done
	sleep "$seconds"
	for link in wan1 wan2 wan3; do
		cost=$(mb_a_day $(($(on_wire a "$link") - before[$link])) \
			"$seconds")
		figure "cost of $link of an idle tunnel" "$cost" "MB a day"
		num "MB a day on $link" "$cost <= 1"
	done
	eq "sessions of a and b" "$(sessions a):$(sessions b)" "$sessions"
}

# data is followed by one change of keys; the session before it loses nothing
test_keys() {
	local before

	before=$(sessions a)
	wait_ping a "$(inner a mp0)"
	sleep $((REKEY + 2))
	eq "sessions after data" "$(sessions a)" $((before + 1))
	sleep $((2 * REKEY))
	eq "sessions without data" "$(sessions a)" $((before + 1))
	eq "dropped for their keys" "$(dropped_for_keys)" "0 0"
}

# not_up HOST LINK
not_up() {
	! path_is "$1" mp0 "$2" up
}

# both ends notice the death of a path at rest, or of one direction of it
test_death() {
	local seconds=$1 side

	shift
	sleep 12
	link_blackhole wan2 "$@"
	sleep "$seconds"
	for side in a b; do
		not_up "$side" wan2 || fail "wan2 is up at $side"
	done
	link_heal wan2
	wait_paths a b mp0 wan1 wan2 wan3
}

# when the path in use fails, those at rest are probed at once
test_rouse() {
	local begin

	bg a ping -n -q -i 0.1 "$(inner a mp0)"
	sleep 4
	link_blackhole wan3
	link_blackhole wan1
	begin=$(now_ms)
	wait_for 10 not_up a wan3
	begin=$(($(now_ms) - begin))
	figure "a dead backup is noticed after" "$begin" ms
	timely "time" "$begin <= 1000"
	path_is a mp0 wan2 up
	bg_kill "$BG"
	link_heal wan1
	link_heal wan3
	wait_paths a b mp0 wan1 wan2 wan3
}

# an idle tunnel notices that its peer is gone as soon as there is traffic
test_peer_gone() {
	local link begin

	sleep 12
	for link in wan1 wan2 wan3; do
		link_blackhole "$link"
	done
	on a ping -n -q -c 1 -W 0.1 "$(inner a mp0)" >/dev/null || :
	begin=$(now_ms)
	for link in wan1 wan2 wan3; do
		wait_for 10 not_up a "$link"
	done
	begin=$(($(now_ms) - begin))
	figure "a dead peer is noticed after" "$begin" ms
	timely "time" "$begin <= 1000"
	heal
	wait_paths a b mp0 wan1 wan2 wan3
}

# a shorter interval that is set takes effect at once
test_set() {
	local before

	sleep 12
	before=$(path_json a mp0 wan2 .stats.tx_control)
	ctl a path set mp0 wan2 keepalive 1
	sleep 5
	before=$(($(path_json a mp0 wan2 .stats.tx_control) - before))
	figure "probes in 5 s" "$before" packets
	timely probes "$before >= 3"
	ctl a path set mp0 wan2 keepalive auto
}

t "paths at rest cost little" test_resting
t "an idle tunnel costs little, and keeps its keys" test_idle
t "keys change after data only" test_keys
t "a dead path of an idle tunnel is noticed" test_death 40
t "... also if only the forward direction died" test_death 60 b
t "... or the reverse one" test_death 60 a
t "paths at rest are probed when the one in use fails" test_rouse
t "an idle tunnel notices that its peer is gone" test_peer_gone
t "an interval that is set takes effect at once" test_set
run_theme
