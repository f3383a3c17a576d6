#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Repair: lost packets are retransmitted.
# Copyright (C) 2026 The mptun authors
# stages: tt debug kcsan
#
#   ┌───────┐ wan1 (8 Mbit/s, 10 ms, loses one in 50)   ┌───────┐
#   │       ├───────────────────────────────────────────┤       │
#   │   a   │ wan2 (8 Mbit/s, 15 ms)                    │   b   │
#   │       ├───────────────────────────────────────────┤       │
#   └───────┘                                           └───────┘
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

STREAM=$TESTS_DIR/helpers/stream.py

# park off: both paths are to be used
theme_setup() {
	two_paths "8mbit 10ms loss 2%" "8mbit 15ms"
	ctl a set mp0 park off
	ctl b set mp0 park off
	plain_queue mp0 a b
	eq "repair of a new tunnel" "$(class 0 .repair)" auto
}

# repair auto|on|off: set it for class 0, both ways
repair() {
	ctl a class set mp0 0 repair "$1"
	ctl b class set mp0 0 repair "$1"
}

# class ID FILTER: a value of a class at a
class() {
	ctl a class show mp0 "$1" -j | first "$2"
}

# back: class 0 without repair, both paths up
back() {
	repair off
	wait_paths a b mp0 wan1 wan2
}

# clean: wan1 loses nothing
clean() {
	link_set wan1 8mbit 10ms
}

# without the correlation that a test may have set
lossy() {
	link_set wan1 8mbit 10ms loss 2%/0
}

# nothing_lost: the flow is complete and in order
nothing_lost() {
	timely lost "$(flow .lost) == 0"
	timely reordered "$(flow .reordered) == 0"
}

# load KBITS SECONDS: a flow from a to b, to its end
load() {
	flow_start a b "$(inner a mp0)" "$1" "$2"
	flow_end
}

# nothing is lost, out of order or duplicated
test_lossy() {
	local before

	back
	load 5000 4
	timely "lost without" "$(flow .lost) > 0"
	eq "retransmitted without" "$(class 0 .stats.tx_resent)" 0
	repair on
	before=$(class 0 .stats.tx_resent)
	load 5000 8
	nothing_lost
	eq "twice" "$(flow .duplicates)" 0
	num "retransmitted" "$(class 0 .stats.tx_resent) > $before"
	timely "too late" "$(class 0 .stats.lapsed) == 0"
}

# resent: retransmissions of class 0 so far
resent() {
	class 0 .stats.tx_resent
}

# resent_by_b: those of b, which sends acknowledgments
resent_by_b() {
	ctl b class show mp0 0 -j | first .stats.tx_resent
}

# silences: how often an answer to a was overdue on one of the paths
silences() {
	echo $(($(path_json a mp0 wan1 .stats.timeouts) +
		$(path_json a mp0 wan2 .stats.timeouts)))
}

# Without any setting TCP is retransmitted, but not its bare acknowledgments:
# what b sends of data for the tool that measures is a few packets. At its end
# it resets the connection, and resets are retransmitted, so b's are counted
# before. A sparse flow is not retransmitted unless its path is silent. In real
# time its sender may be held up, and then sends several packets at once, which
# are not sparse. Other flows are retransmitted while a path loses packets.
test_auto() {
	local at_a at_b counter mbit silences without

	back
	without=$(tcp a b "$(inner a mp0)" 6)
	repair auto
	at_a=$(resent) at_b=$(resent_by_b)
	(sleep 6 && resent_by_b >"$TMP/by_b") &
	counter=$!
	mbit=$(tcp a b "$(inner a mp0)" 6)
	wait "$counter"
	note "$mbit Mbit/s, without repair $without"
	timely "Mbit/s" "$mbit > 1.2 * $without"
	num "retransmitted data" "$(resent) > $at_a"
	num "retransmitted acknowledgments" "$(cat "$TMP/by_b") - $at_b <= 4"

	sleep 2 # the last packets of TCP may be lost as well
	at_a=$(resent) silences=$(silences)
	flow_start a b "$(inner a mp0)" 64 4 200
	flow_end
	# some losses in a row look like a path that has become silent
	timely "retransmitted of a sparse flow" \
		"$(resent) - $at_a <= 2 * ($(silences) - $silences)"

	load 12000 8
	timely "lost until it was no longer sparse" "$(flow .lost) <= 3"
	timely reordered "$(flow .reordered) <= $(flow .lost)"
	num "retransmitted of a bulk flow" "$(resent) > $at_a"
}

# both ways over one connection: data is retransmitted in order although
# acknowledgments between it are not
test_both_ways() {
	local back late port

	back
	repair auto
	late=$(tun_json b mp0 .reordering.late)
	port=$(next_port)
	bg b "$TESTS_DIR/helpers/both.py" "$port" 8
	wait_for 10 listens b "$port"
	back=$(on a "$TESTS_DIR/helpers/both.py" "$port" 8 "$(inner a mp0)")
	bg_wait "$BG"
	figure "there and back" "$BG_OUT, $back" Mbit/s
	late=$(($(tun_json b mp0 .reordering.late) - late))
	figure "delivered late at b" "$late" packets
	timely "there" "$BG_OUT > 6"
	timely "back" "$back > 6"
	num "late" "$late <= 10"
}

# losses come in bursts, and each packet takes another time
test_harsh() {
	back
	repair on
	link_set wan1 8mbit 10ms jitter 4ms loss 5%/50%
	link_set wan2 8mbit 15ms jitter 4ms loss 3%/25%
	load 5000 8
	link_set wan2 8mbit 15ms loss 0/0
	lossy
	timely lost "$(flow .lost) == 0"
	timely reordered "$(flow .reordered) == 0"
	eq twice "$(flow .duplicates)" 0
}

# full paths, both ways: reports are lost as well, and retransmissions wait for
# room
test_full() {
	local mbit without port

	back
	without=$(tcp a b "$(inner a mp0)" 6)
	repair on
	iperf_ready
	port=$(next_port)
	bg b "${IPERF[@]}" -s -1 -p "$port"
	wait_for 10 listens b "$port"
	bg a timeout 60 "${IPERF[@]}" -c "$(inner a mp0)" -p "$port" -R -t 8
	mbit=$(tcp a b "$(inner a mp0)" 6)
	bg_wait "$BG" || :
	note "$mbit Mbit/s, without repair and alone $without"
	timely "Mbit/s" "$mbit > 1.2 * $without"
}

# datagrams of super-packets arrive unchanged
test_segments() {
	local port

	back
	repair on
	# on a slow machine loss would take too long to repair
	virtual_time || clean
	port=$(next_port)
	bg b python3 "$STREAM" recv step "$(inner a mp0)" "$port" 1000000
	wait_for 20 grep -q listens "$TMP/bg.$BG"
	SENT=$(on a python3 "$STREAM" send step "$(inner a mp0)" "$port" \
		1000000 1200 2>"$TMP/again") || fail "sender: $(cat "$TMP/again")"
	timely "$(cat "$TMP/again")" "$(wc -l <"$TMP/again") == 0"
	bg_wait "$BG" || fail "receiver: $BG_OUT"
	lossy
	eq "what arrived" "$(tail -n 1 <<<"$BG_OUT")" "$SENT"
}

# silent LINK: packets in flight on a path that dies are not lost
test_silent() {
	back
	repair on
	clean
	flow_start a b "$(inner a mp0)" 5000 4
	sleep 2
	link_blackhole "$1"
	flow_end
	link_heal "$1"
	lossy
	nothing_lost
	figure "longest gap" "$(flow .gap_ms)" ms
	timely gap "$(flow .gap_ms) <= 150"
}

# a path is deleted, and the link of another goes down, under traffic
test_deleted() {
	back
	repair on
	flow_start a b "$(inner a mp0)" 5000 4
	sleep 1
	ctl a path del mp0 wan1
	sleep 1
	path a mp0 wan1
	sleep 1
	ipn r-wan2 link set dev a down
	flow_end
	ipn r-wan2 link set dev a up
	link_routes wan2 A
	nothing_lost
}

# ended COMMAND...: packets in flight on a path that is dead are not lost when
# the command ends its use, although no later packet proves their loss
test_ended() {
	back
	repair on
	clean
	flow_start a b "$(inner a mp0)" 5000 4
	sleep 1
	link_blackhole wan1
	sleep 0.02
	ctl a path "$1" mp0 wan1 "${@:2}"
	flow_end
	link_heal wan1
	lossy
	[ "$1" = del ] || ctl a path del mp0 wan1
	path a mp0 wan1
	nothing_lost
	figure "longest gap" "$(flow .gap_ms)" ms
	timely gap "$(flow .gap_ms) <= 150"
}

# What a call has in flight on a path is not lost when the cable is pulled out.
# The path is down at once, and was never silent before.
test_unplugged() {
	back
	repair auto
	clean
	flow_start a b "$(inner a mp0)" 160 4 200
	sleep 2
	link_blackhole wan1
	sleep 0.01
	ipn r-wan1 link set dev a down
	flow_end
	ipn r-wan1 link set dev a up
	link_heal wan1
	link_routes wan1 A
	lossy
	nothing_lost
}

# With no other path packets expire, and are not retransmitted. In real time a
# busy machine may need seconds until both links are dead.
test_late() {
	local before seconds=4

	back
	repair on
	clean
	virtual_time || seconds=15
	before=$(class 0 .stats.lapsed)
	flow_start a b "$(inner a mp0)" 5000 "$seconds"
	sleep 1
	link_blackhole wan1
	link_blackhole wan2
	sleep 1
	link_heal wan1
	link_heal wan2
	flow_end
	lossy
	num "too late" "$(class 0 .stats.lapsed) > $before"
	load 5000 2
	nothing_lost
}

# stalls LINK TIME: it delivers what has arrived only after this time
stalls() {
	case $1 in
	wan1) link_set wan1 8mbit 10ms slot "$2" ;;
	wan2) link_set wan2 8mbit 15ms slot "$2" ;;
	esac
}

# A path keeps its packets for seconds and delivers them together, long after
# they were retransmitted. They say nothing about where the sequence is. It is
# the path that carries more of the flow.
test_stalled() {
	local before one two busy=wan1

	back
	repair on
	clean
	before=$(tun_json b mp0 .reordering.too_old)
	one=$(path_json a mp0 wan1 .stats.tx_packets)
	two=$(path_json a mp0 wan2 .stats.tx_packets)
	flow_start a b "$(inner a mp0)" 7000 7
	sleep 1
	one=$(($(path_json a mp0 wan1 .stats.tx_packets) - one))
	two=$(($(path_json a mp0 wan2 .stats.tx_packets) - two))
	[ "$one" -ge "$two" ] || busy=wan2
	note "packets in the first second: $one, $two"
	stalls "$busy" 60000ms
	sleep 4
	stalls "$busy" 0ms
	flow_end
	lossy
	nothing_lost
	timely "too old" "$(tun_json b mp0 .reordering.too_old) > $before"
	eq twice "$(flow .duplicates)" 0
	eq "taken for a jump" "$(tun_json b mp0 .reordering.resets)" 0
	# a path that looks slow is not needed by what the next tests send
	ctl a path del mp0 "$busy"
	path a mp0 "$busy"
}

# one class has repair and the other does not; it works without order
test_class() {
	local before

	back
	# what the test before left is retransmitted
	sleep 1
	before=$(class 0 .stats.tx_resent)
	ctl a class add mp0 1 protocol udp repair on order off
	load 5000 4
	timely lost "$(flow .lost) == 0"
	num "retransmitted" "$(class 1 .stats.tx_resent) > 0"
	eq "of class 0" "$(class 0 .stats.tx_resent)" "$before"
	flow_start a b "$(inner a mp0)" 5000 3
	sleep 1
	ctl a class del mp0 1
	flow_end
	timely "lost without" "$(flow .lost) > 0"
}

# a class that waits for its low-rate path, or for a dead one, does not block
# other classes. Their packets keep off that path: it loses some, and a path
# whose rate has just fallen looks better than it is for some seconds.
test_pinned() {
	local pinned

	back
	repair on
	# each queue by itself again
	on a tc qdisc replace dev mp0 root handle 1: mq
	on a tc qdisc replace dev mp0 parent 1:1 pfifo limit 1000
	on a tc qdisc replace dev mp0 parent 1:2 pfifo limit 1000
	link_set wan1 1mbit 10ms loss 20%
	ctl a path set mp0 wan1 priority 1
	ctl a class add mp0 1 protocol udp port 6000 policy pin path wan1 \
		strict on repair on
	bg a "$(helper udpflow)" send "$(inner a mp0)" 6000 2500 1358 7
	pinned=$BG
	sleep 1
	flow_start a b "$(inner a mp0)" 4000 5
	sleep 2
	link_set wan1 1mbit 10ms
	link_blackhole wan1
	flow_end
	bg_wait "$pinned" || :
	ctl a path set mp0 wan1 priority 0
	link_heal wan1
	lossy
	num "retransmitted of the class" "$(class 1 .stats.tx_resent) > 0"
	ctl a class del mp0 1
	plain_queue mp0 a
	nothing_lost
	figure "longest gap of the other" "$(flow .gap_ms)" ms
	timely gap "$(flow .gap_ms) <= 150"
}

# Schedulers that recognise no sparse flows leave UDP alone, also when a path
# becomes silent.
test_unrecognised() {
	local before

	back
	repair auto
	clean
	ctl a set mp0 sched wrr
	before=$(resent)
	flow_start a b "$(inner a mp0)" 1000 3
	sleep 1
	link_blackhole wan1
	flow_end
	link_heal wan1
	lossy
	ctl a set mp0 sched greedy
	num "lost" "$(flow .lost) > 0"
	eq "retransmitted" "$(resent)" "$before"
}

# bad requests are refused with a sentence and change nothing
test_refused() {
	back
	refused 2 "class 0 takes repair, playout and code, nothing else" \
		ctl a class set mp0 0 repair on order off
	refused 2 "class 0 takes repair, playout and code, nothing else" \
		ctl a class set mp0 0 port 7 repair on
	eq "repair of class 0" "$(class 0 .repair)" off
	ctl a class set mp0 0 repair on
	grep -q '^    order on  repair on  playout off  code auto$' <(ctl a class show mp0 0) ||
		fail "not shown: $(ctl a class show mp0 0)"
	ctl a class add mp0 1 port 7
	eq "repair of another class" "$(class 1 .repair)" auto
	ctl a class del mp0 1
}

# kept packets do not leak, which the kernel log would show
test_teardown() {
	back
	repair on
	flow_start a b "$(inner a mp0)" 12000 4
	sleep 1
	ipn a link set mp0 down
	ipn a link set mp0 up
	sleep 1
	ipn a link del mp0
	bg_kill "$FLOW_TX"
	bg_kill "$FLOW_RX"
	ipn b link del mp0
}

# what shows in figures counts in virtual time only
t "nothing is lost on a lossy path" test_lossy
! virtual_time || t "without a setting" test_auto
! virtual_time || t "TCP both ways" test_both_ways
! virtual_time || t "bursts of losses, and jitter" test_harsh
! virtual_time || t "full paths, both ways" test_full
t "segments of large packets" test_segments
t "the low-latency path dies" test_silent wan1
! virtual_time || t "the high-latency path dies" test_silent wan2
t "a path is deleted, the link of another goes down" test_deleted
t "a dead path is deleted" test_ended del
! virtual_time || t "a dead path is switched off" test_ended set off
! virtual_time || t "a cable is pulled out under a call" test_unplugged
t "no other path, packets expire" test_late
t "a path stalls and continues" test_stalled
t "for a class, and without order" test_class
! virtual_time ||
	t "a waiting class does not block others" test_pinned
t "another scheduler" test_unrecognised
t "what is refused" test_refused
t "deleted under traffic" test_teardown
run_theme
