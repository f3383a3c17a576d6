#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A day with a thousand link failures: the flow continues, nothing leaks.
# Copyright (C) 2026 The mptun authors
# stages: soak-long
#
#   ┌───────┐ wan1 (8 Mbit/s, 10 ms)   ┌───────┐
#   │       ├──────────────────────────┤       │
#   │   a   │ wan2 (8 Mbit/s, 30 ms)   │   b   │
#   │       ├──────────────────────────┤       │
#   │       │ wan3 (4 Mbit/s, 60 ms)   │       │
#   │       ├──────────────────────────┤       │
#   └───────┘                          └───────┘
#
# One link after the other fails, in one of ten ways, for a while, and comes
# back. In virtual time it is a day (with MPTUN_FULL=1; `make soak`). The debug
# kernel has KASAN, lockdep and kmemleak, but no virtual time: there the failures
# of a day follow each other within hours.
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

FAILURES=$(quick 60 1000)
if virtual_time; then
	PERIOD=86400
else
	PERIOD=3000
fi
WAYS=(carrier silence address remote_address device route path move slow restart)

theme_setup() {
	hosts a b
	link a b wan1 8mbit 10ms
	link a b wan2 8mbit 30ms
	link a b wan3 4mbit 60ms
	tunnel a b mp0
	paths a b mp0 wan1 wan2 wan3
}

# --- ways in which LINK fails and recovers

carrier_fail() {
	ipn "r-$LINK" link set dev a down
}

carrier_heal() {
	ipn "r-$LINK" link set dev a up
	link_routes "$LINK" A
}

silence_fail() {
	link_blackhole "$LINK"
}

silence_heal() {
	link_heal "$LINK"
}

address_fail() {
	ipn a address del "$(addr a "$LINK")/24" dev "$LINK"
}

address_heal() {
	link_address "$LINK" A
	link_routes "$LINK" A
}

remote_address_fail() {
	ipn b address del "$(addr b "$LINK")/24" dev "$LINK"
}

remote_address_heal() {
	link_address "$LINK" B
	link_routes "$LINK" B
}

device_fail() {
	ipn a link del "$LINK"
}

device_heal() {
	join a "$LINK" "r-$LINK" a
	link_address "$LINK" A
	ip -n "$NSP-r-$LINK" -batch - <<-END
		address add 10.${LINK_N[$LINK]}.1.1/24 dev a
		address add fd00:${LINK_N[$LINK]}:1::1/64 dev a nodad
	END
	link_routes "$LINK" A
	# shellcheck disable=SC2086 # a list of words
	on "r-$LINK" tc qdisc add dev a root netem ${LINK_NETEM_A[$LINK]}
}

route_fail() {
	ipn a route add blackhole "$(remote a "$LINK")/32"
}

route_heal() {
	ipn a route del blackhole "$(remote a "$LINK")/32"
}

path_fail() {
	ctl a path del mp0 "$LINK"
	ctl b path del mp0 "$LINK"
}

path_heal() {
	path a mp0 "$LINK"
	path b mp0 "$LINK"
}

# a new lease: the path moves to another address, and back
move_fail() {
	local new

	new=$(addr a "$LINK")
	new=${new%.*}.77
	ipn a address add "$new/24" dev "$LINK"
	ctl a path set mp0 "$LINK" local "$new"
	ctl b path set mp0 "$LINK" remote "$new"
}

move_heal() {
	ctl a path set mp0 "$LINK" local "$(addr a "$LINK")"
	ctl b path set mp0 "$LINK" remote "$(addr a "$LINK")"
	ipn a address del "$(addr a "$LINK" | sed 's/[0-9]*$/77/')/24" \
		dev "$LINK"
}

slow_fail() {
	on "r-$LINK" tc qdisc change dev b root netem delay 300ms 50ms \
		rate 300kbit limit 50
}

slow_heal() {
	link_heal "$LINK"
}

# the peer's device is made again: a new association, at once
restart_fail() {
	ipn b link set mp0 down
	sleep 0.1
	ipn b link set mp0 up
}

restart_heal() {
	:
}

# --- a day

# What three links carry after the start: first without any knowledge of their
# rates, later with what was learned since the last failure.
rate() {
	TCP_OMIT=10 tcp a b "$(inner a mp0)" "$(quick 20 40)"
}

all_up() {
	local link

	for link in wan1 wan2 wan3; do
		path_is "$1" mp0 "$link" up || return
	done
}

# fail_once: one link, one way, at most half a period
fail_once() {
	local way=${WAYS[RANDOM % ${#WAYS[@]}]} down

	LINK=wan$((RANDOM % 3 + 1))
	down=$((PERIOD * (RANDOM % 100 + 1) / 200))
	"${way}_fail"
	sleep "$((down / 1000)).$(printf %03d $((down % 1000)))"
	"${way}_heal"
	down=$((PERIOD - down))
	sleep "$((down / 1000)).$(printf %03d $((down % 1000)))"
	wait_for 10 all_up a || fail "$LINK is not back after: $way"
	wait_for 10 all_up b || fail "$LINK is not back at b after: $way"
}

# objects_left: those that are left, except ports that paths have drawn
objects_left() {
	log_balance | grep -vE '^port' || :
}

test_day() {
	local i objects before after first last

	first=$(rate)
	objects=$(objects_left)
	# the flow outlasts the failures, which wait for each other
	flow_start a b "$(inner a mp0)" 50 $((FAILURES * PERIOD / 1000)) 500
	for ((i = 1; i <= FAILURES; i++)); do
		fail_once
		[ "$i" -ne $((FAILURES / 10)) ] || before=$(used_kib)
		[ $((i % 100)) -ne 0 ] || note "$i failures, $(used_kib) KiB"
	done
	after=$(used_kib)
	flow_end
	last=$(rate)
	figure "memory that $FAILURES failures took" $((after - before)) KiB
	figure "lost of $(flow .sent)" "$(flow .lost)" packets
	figure "TCP before and after" "$first, $last" Mbit/s
	timely "memory grown" "$after - $before < 256"
	timely "lost" "$(flow .lost_percent) < 0.5"
	timely "TCP" "$last > 0.95 * $first"
	eq "objects" "$(objects_left)" "$objects"
}

t "$FAILURES failures of links" test_day
run_theme
