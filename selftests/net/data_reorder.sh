#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Reordering: the modes under traffic, and their figures.
# Copyright (C) 2026 The mptun authors
# stages: tt debug-long
#
#   ┌───────┐ wan1 (8 Mbit/s, 5 ms)    ┌───────┐
#   │       ├──────────────────────────┤       │
#   │   a   │ wan2 (8 Mbit/s, 30 ms)   │   b   │
#   │       ├──────────────────────────┤       │
#   └───────┘                          └───────┘
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

theme_setup() {
	two_paths "8mbit 5ms" "8mbit 30ms"
	plain_queue mp0 a
	ctl a set mp0 sched wrr
	ctl a set mp0 cc none
}

# stat NAME: a figure of the receiver's buffer
stat() {
	tun_json b mp0 ".reordering.$1"
}

stream() {
	flow_start a b "$(inner a mp0)" $(($(kbit 8mbit) * 3 / 4)) \
		"$(quick 3 10)" 1000
	flow_end
	figure "$1: out of order, lost of $(flow .sent)" \
		"$(flow .reordered), $(flow .lost)" packets
}

# off: the application sees the skew of the paths
test_off() {
	ctl b set mp0 reorder off
	stream off
	num "out of order" "$(flow .reordered) > $(flow .received) / 10"
	timely lost "$(flow .lost) == 0"
}

test_ordered() {
	ctl b set mp0 reorder "$@"
	stream "$*"
	timely "out of order" "$(flow .reordered) == 0"
	timely lost "$(flow .lost) == 0"
	timely "hold time" "$(flow .age_max_ms) < 200"
}

# psmc gives up by its own rule: it may reorder, but never loses
test_psmc() {
	ctl b set mp0 reorder psmc
	stream psmc
	timely lost "$(flow .lost) == 0"
	ctl b set mp0 reorder adaptive
}

# the modes change every 50 ms under traffic: nothing is lost or doubled
test_live() {
	local i mode

	flow_start a b "$(inner a mp0)" 4000 "$(quick 4 10)"
	for i in $(seq 1 "$(quick 8 20)"); do
		for mode in off fixed psmc adaptive; do
			ctl b set mp0 reorder "$mode"
			ctl b set mp0 hold $((i % 3 * 40 + 1))ms buffer 64k
			sleep 0.05
		done
	done
	flow_end
	timely lost "$(flow .lost) == 0"
	eq duplicates "$(flow .duplicates)" 0
	ctl b set mp0 reorder adaptive hold 200ms buffer 16m
}

# every received packet is counted in exactly one of the figures: what arrived and
# what was decoded, or as a symbol
test_sums() {
	local s rx

	s=$(tun_json b mp0 .reordering)
	rx=$(ctl b path show mp0 -j | jq 'map(.stats.rx_packets) | add')
	echo "$s"
	eq "data packets received" "$rx" "$(jq '.in_order + .held +
		.late + .through + .duplicates + .too_old - .decoded +
		.symbols' <<<"$s")"
	eq "histogram" "$(jq '.hold_histogram | add' <<<"$s")" \
		"$(jq .held <<<"$s")"
	eq "packets that wait" "$(jq .held_packets <<<"$s")" 0
	eq "memory of packets that wait" "$(jq .held_bytes <<<"$s")" 0
}

# a lossy path: holes are given up as soon as the loss is proved
test_loss() {
	local before after

	before=$(tun_json b mp0 .reordering)
	link_set wan1 8mbit 5ms loss 2%
	link_set wan2 8mbit 30ms loss 2%
	stream "2 % loss"
	link_set wan1 8mbit 5ms
	link_set wan2 8mbit 30ms
	after=$(tun_json b mp0 .reordering)
	jq -nc "[$before, $after]"
	figure "given up on evidence, by time" "$(jq -n \
		"$after.given_up_evidence - $before.given_up_evidence,
		 $after.given_up_time - $before.given_up_time" |
		paste -sd,)" packets
	timely lost "$(flow .lost_percent) > 0.5 && $(flow .lost_percent) < 5"
	# The packet after a lost one does not know what preceded that one.  If
	# that waits for another loss, it is overtaken, with all that it leads.
	timely "out of order" "$(flow .reordered) < $(flow .received) / 20"
	timely "given up on evidence" "$(jq -n "$after.given_up_evidence -
		$before.given_up_evidence") > 0.6 * $(flow .lost)"
}

# controls: control packets that a has sent so far
controls() {
	ctl a path show mp0 -j | jq 'map(.stats.tx_control) | add'
}

# A path that loses packets has no room for a notification of each: at most one
# in 8 ms, and probes.
test_notifications() {
	local before

	link_set wan1 8mbit 1ms loss 10%
	link_blackhole wan2
	wait_state a mp0 wan2 down
	before=$(controls)
	flow_start a b "$(inner a mp0)" 4000 "$(quick 3 10)" 250
	flow_end
	before=$(($(controls) - before))
	link_set wan1 8mbit 5ms
	link_heal wan2
	wait_state a mp0 wan2 up
	figure "control packets a second" "$(calc "$before / $(quick 3 10)")" \
		packets
	timely lost "$(flow .lost_percent) > 5"
	timely "control packets" "$before < 150 * $(quick 3 10)"
}

# a hole in one flow does not delay another flow
test_flows() {
	local tool age

	link_set wan2 8mbit 30ms loss 5%
	tool=$(helper udpflow)
	bg b "$tool" recv 7001
	bg b "$tool" recv 7002
	age=$BG
	wait_for 5 flow_listens b 7002
	bg a "$tool" send "$(inner a mp0)" 7001 4000 1000 3
	bg a "$tool" send "$(inner a mp0)" 7002 50 200 3
	bg_wait "$BG"
	bg_wait "$age"
	link_set wan2 8mbit 30ms
	figure "age of packets of a low-rate flow beside one with holes" \
		"$(jq -r '"\(.age_mean_ms), \(.age_max_ms)"' \
		<<<"$BG_OUT")" "ms, mean and most"
	timely "mean age" "$(jq .age_mean_ms <<<"$BG_OUT") < 60"
}

# duplicates made by the network are dropped
test_duplicates() {
	local before

	before=$(tun_json b mp0 .drops.rx_replay)
	# shellcheck disable=SC2086 # a list of words
	on r-wan1 tc qdisc change dev b root netem ${LINK_NETEM_B[wan1]} \
		duplicate 20% || skip "netem cannot duplicate here"
	stream "20 % copied"
	link_heal wan1
	eq duplicates "$(flow .duplicates)" 0
	timely lost "$(flow .lost) == 0"
	num "copies counted" "$(tun_json b mp0 .drops.rx_replay) > $before"
}

replayed() {
	tun_json b mp0 .drops.rx_replay
}

# a path that reorders by more than the window of its numbers held at first
test_fast() {
	local before first

	on r-wan1 tc qdisc change dev b root netem limit 20000 \
		delay 60ms 50ms rate 0bit
	ctl a path set mp0 wan2 backup on
	before=$(replayed)
	flow_start a b "$(inner a mp0)" 20000 4 100
	sleep 1.5
	first=$(replayed)
	flow_end
	ctl a path set mp0 wan2 backup off
	link_heal wan1
	sleep 1 # what is under way fills the shorter queue
	figure "dropped at first" "$((first - before))" packets
	timely "dropped at first" "$first > $before"
	timely "dropped once the window has grown" "$(replayed) == $first"
}

at_rest() {
	[ "$(stat slots)" = 512 ]
}

# the buffer grows for uneven paths and shrinks when they are even; the probe of
# a path lets it shrink, which may be late on a slow machine
test_memory() {
	# netem counts small packets like large ones
	link_set wan2 8mbit 280ms queue 600ms
	flow_start a b "$(inner a mp0)" $(($(kbit 8mbit) / 2)) 2 200
	sleep 1
	figure "slots under load" "$(stat slots)" packets
	timely "slots under load" "$(stat slots) > 512"
	flow_end
	link_set wan2 8mbit 30ms
	timely lost "$(flow .lost) == 0"
	sleep 4
	virtual_time || wait_for 10 at_rest || :
	eq "slots at rest" "$(stat slots)" 512
	stream "after a rest"
	timely lost "$(flow .lost) == 0"
}

t "off: the paths' skew shows" test_off
t "adaptive: in order, nothing lost" test_ordered adaptive
t "fixed: in order, nothing lost" test_ordered fixed hold 100ms
t "psmc: nothing lost" test_psmc
t "modes change under traffic" test_live
t "proved loss is not waited for" test_loss
t "notifications of losses leave room" test_notifications
t "a hole in one flow does not delay another" test_flows
t "duplicates from the network" test_duplicates
t "memory is given back" test_memory
t "the figures add up" test_sums
t "a fast path that reorders" test_fast
run_theme
