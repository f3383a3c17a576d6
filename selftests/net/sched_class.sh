#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Classes: which packets belong to them, and which paths these take.
# Copyright (C) 2026 The mptun authors
# stages: tt
#
#   ┌───────┐ wan1 (8 Mbit/s, 10 ms)   ┌───────┐
#   │       ├──────────────────────────┤       │
#   │       │ wan2 (8 Mbit/s, 25 ms)   │       │
#   │   a   ├──────────────────────────┤   b   │
#   │       │ wan3 (8 Mbit/s, 40 ms)   │       │
#   │       ├──────────────────────────┤       │
#   └───────┘                          └───────┘
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

SKEW_MS=15

theme_setup() {
	hosts a b
	link a b wan1 8mbit 10ms
	link a b wan2 8mbit 25ms
	link a b wan3 8mbit 40ms
	tunnel a b mp0
	paths a b mp0 wan1 wan2 wan3
}

# back: the default classes, all paths up
back() {
	local id

	for id in $(ctl a class show mp0 -j | jq -r '.[].id'); do
		[ "$id" = 0 ] || ctl a class del mp0 "$id"
	done
	ctl a class add mp0 15 dscp ef policy nearest order off
	wait_paths a b mp0 wan1 wan2 wan3
}

# class ID FILTER: a value of a class at a
class() {
	ctl a class show mp0 "$1" -j | first "$2"
}

# classes: the settings of all classes, and the drops
classes() {
	ctl a class show mp0 -j |
		jq -c 'map(del(.stats.tx_packets, .stats.tx_bytes))'
}

# carried LINK: data packets that a has sent on a path
carried() {
	path_json a mp0 "$1" .stats.tx_packets
}

# burst COUNT [KEY=VALUE...]: UDP packets from a to b, one each 2 ms;
# keys are mark, tos, port, source, size and to
burst() {
	on a python3 - "$(inner a mp0)" "$@" <<-'END'
		import socket, sys, time
		o = dict(word.split("=") for word in sys.argv[3:])
		to = o.get("to", sys.argv[1])
		v6 = ":" in to
		s = socket.socket(socket.AF_INET6 if v6 else socket.AF_INET,
		                  socket.SOCK_DGRAM)
		s.setsockopt(socket.SOL_SOCKET, socket.SO_MARK,
		             int(o.get("mark", "0"), 0))
		tos = int(o.get("tos", 0))
		if v6:
		    s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_TCLASS, tos)
		else:
		    s.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, tos)
		s.bind(("", int(o.get("source", 0))))
		for _ in range(int(sys.argv[2])):
		    s.sendto(b"x" * int(o.get("size", 100)),
		             (to, int(o.get("port", 9))))
		    time.sleep(0.002)
	END
}

# takes ID [KEY=VALUE...]: a burst of such packets belongs to that class
takes() {
	local id=$1 before

	shift
	before=$(class "$id" .stats.tx_packets)
	burst 10 "$@"
	num "packets of class $id ($*)" \
		"$(class "$id" .stats.tx_packets) - $before >= 10"
	num "no others in class $id ($*)" \
		"$(class "$id" .stats.tx_packets) - $before <= 11"
}

test_match() {
	back
	ctl a class add mp0 1 mark 0x10 mask 0xf0
	ctl a class add mp0 2 dscp af41 protocol udp
	ctl a class add mp0 3 port 7777
	ctl a class add mp0 4 protocol icmp
	takes 1 mark=0x1f
	takes 1 mark=0x10 port=7777 tos=136
	takes 2 tos=136
	takes 2 tos=137 to="$(inner a mp0 6)"
	takes 3 port=7777
	takes 3 source=7777
	takes 3 port=7777 to="$(inner a mp0 6)"
	takes 15 tos=184
	takes 15 tos=184 to="$(inner a mp0 6)"
	takes 0 mark=0x20
	takes 0 tos=140
	on a ping -n -q -c 3 -i 0.01 "$(inner a mp0)"
	eq "pings" "$(class 4 .stats.tx_packets)" 3
	# 84 bytes each
	eq "their bytes" "$(class 4 .stats.tx_bytes)" 252
	ctl a class set mp0 4 protocol icmpv6
	on a ping -n -q -c 3 -i 0.01 "$(inner a mp0)"
	eq "pings, not any more" "$(class 4 .stats.tx_packets)" 3
}

# real-time traffic takes the nearest path by default, without order
test_real_time() {
	local one two three

	back
	eq "classes" "$(classes | jq -c 'map([.id, .dscp, .policy, .order])')" \
		'[[0,null,"aggregate",true],[15,46,"nearest",false]]'
	one=$(carried wan1) two=$(carried wan2) three=$(carried wan3)
	burst 100 tos=184
	num "on wan1" "$(carried wan1) - $one >= 100"
	num "on wan2" "$(carried wan2) - $two <= 1"
	num "on wan3" "$(carried wan3) - $three <= 1"
}

# test_duplicate PATHS WAN2 WAN3: 100 packets on PATHS paths
test_duplicate() {
	local copies two three

	back
	ctl a class add mp0 1 mark 1 policy duplicate paths "$1"
	copies=$(tun_json b mp0 .reordering.duplicates)
	two=$(carried wan2) three=$(carried wan3)
	burst 100 mark=1
	sleep 0.2
	eq "packets" "$(class 1 .stats.tx_packets)" 100
	eq "copies" "$(class 1 .stats.tx_copies)" $(($2 + $3))
	num "on wan2" "$(carried wan2) - $two >= $2"
	num "on wan2" "$(carried wan2) - $two <= $2 + 1"
	num "on wan3" "$(carried wan3) - $three >= $3"
	num "on wan3" "$(carried wan3) - $three <= $3 + 1"
	num "came twice" "$(tun_json b mp0 .reordering.duplicates) - $copies \
		== $2 + $3"
}

# a path of a duplicated flow dies: nothing is lost or delayed
test_dies() {
	back
	ctl a class add mp0 1 protocol udp policy duplicate paths 2
	flow_start a b "$(inner a mp0)" 1000 5
	sleep 2
	link_blackhole "$1"
	sleep 1.5
	link_heal "$1"
	flow_end
	figure "longest gap when $1 dies" "$(flow .gap_ms)" ms
	eq "packets lost" "$(flow .lost)" 0
	eq "packets out of order" "$(flow .reordered)" 0
	timely gap "$(flow .gap_ms) <= $SKEW_MS + 2 * 10.9"
	back
}

# a pinned class takes other paths while its own is dead, and returns
test_pin() {
	local two

	back
	ctl a class add mp0 1 mark 1 policy pin path wan2
	ctl a path set mp0 wan2 backup on
	two=$(carried wan2)
	burst 50 mark=1
	eq "on the pinned path" $(($(carried wan2) - two)) 50
	link_blackhole wan2
	# only traffic shows it
	burst 20 mark=1
	wait_for 5 not path_is a mp0 wan2 up
	two=$(carried wan2)
	burst 50 mark=1
	num "while it is dead" "$(carried wan2) - $two <= 5"
	eq "dropped" "$(class 1 .stats.drops)" 0
	link_heal wan2
	wait_state a mp0 wan2 up
	two=$(carried wan2)
	burst 50 mark=1
	eq "when it is back" $(($(carried wan2) - two)) 50
	ctl a path set mp0 wan2 backup off
}

# a strict class takes no other path, even while its own does not exist
test_strict() {
	local drops dev_drops
	local dropped='.[0].stats64.tx.dropped'

	back
	ctl a class add mp0 1 mark 1 policy pin path wan9 strict on
	drops=$(tun_json a mp0 .drops.tx_no_path)
	dev_drops=$(ipn a -s -j link show dev mp0 | jq "$dropped")
	burst 20 mark=1
	eq "dropped" "$(class 1 .stats.drops)" 20
	eq "dropped by the tunnel" \
		$(($(tun_json a mp0 .drops.tx_no_path) - drops)) 20
	eq "dropped by the device" $(($(ipn a -s -j link show dev mp0 |
		jq "$dropped") - dev_drops)) 20
	eq "sent" "$(class 1 .stats.tx_packets)" 0
	ctl a class set mp0 1 strict off
	burst 20 mark=1
	eq "sent elsewhere" "$(class 1 .stats.tx_packets)" 20
	ctl a class set mp0 1 path wan3 strict on
	burst 20 mark=1
	eq "sent on another path" "$(class 1 .stats.tx_packets)" 40
	eq "dropped in all" "$(class 1 .stats.drops)" 20
}

# a flow over two paths, with and without order
test_order() {
	back
	ctl a set mp0 sched wrr
	ctl a class add mp0 1 protocol udp
	flow_start a b "$(inner a mp0)" 3000 2
	flow_end
	eq "out of order, in order" "$(flow .reordered)" 0
	eq "lost" "$(flow .lost)" 0
	ctl a class set mp0 1 order off
	flow_start a b "$(inner a mp0)" 3000 2
	flow_end
	num "out of order, without" "$(flow .reordered) > 50"
	eq "lost" "$(flow .lost)" 0
	ctl a set mp0 sched greedy
}

# a flow that heeds no loss gets its rate, and leaves the rest to others
test_rate() {
	local rate

	back
	ctl a class add mp0 1 protocol udp rate 2mbit
	flow_start a b "$(inner a mp0)" 30000 7
	sleep 0.5
	rate=$(tcp a b "$(inner a mp0)" 4)
	flow_end
	figure "TCP beside UDP of 30 Mbit/s capped to 2" "$rate" Mbit/s
	timely "Mbit/s of TCP" "$rate > 14"
	rate=$(calc "$(flow .received) * 1386 * 8 / 7e6")
	figure "UDP of 2 Mbit/s" "$rate" Mbit/s
	timely "Mbit/s of UDP" "$rate > 1.8 && $rate < 2.1"
	num "dropped" "$(class 1 .stats.drops) > 1000"
	eq "counted" "$(tun_json a mp0 .drops.tx_class_rate)" \
		"$(class 1 .stats.drops)"
	ctl a class set mp0 1 rate none
	flow_start a b "$(inner a mp0)" 4000 1
	flow_end
	eq lost "$(flow .lost)" 0
}

# all segments of a large packet belong to its class
test_large() {
	local before two

	back
	ctl a class add mp0 1 protocol tcp policy pin path wan2
	two=$(carried wan2)
	before=$(carried wan1)
	tcp a b "$(inner a mp0)" 2 >"$TMP/mbit"
	figure "one pinned flow" "$(cat "$TMP/mbit")" Mbit/s
	num "packets of the class" "$(class 1 .stats.tx_packets) > 500"
	num "on wan2" "$(carried wan2) - $two > 500"
	num "on wan1" "$(carried wan1) - $before <= 10"
}

# bad requests are refused with a sentence and change nothing
test_refused() {
	local before

	back
	ctl a class add mp0 3 mark 0x10 mask 0xff policy pin path wan1
	before=$(classes)
	refused 2 "there is a class of this id" ctl a class add mp0 3 port 1
	refused 2 "no class of this id" ctl a class set mp0 4 port 1
	refused 2 "no class of this id" ctl a class del mp0 4
	refused 2 "no class of this id" ctl a class show mp0 4
	refused 2 "class 0 takes repair, playout and code, nothing else" \
		ctl a class set mp0 0 order off
	refused 2 "class 0 takes repair, playout and code, nothing else" \
		ctl a class set mp0 0 rate 1mbit
	refused 2 "class 0 cannot be added or deleted" ctl a class del mp0 0
	refused 2 "a class needs a mark, dscp, protocol or port" \
		ctl a class add mp0 4 order off
	refused 2 "a class needs a mark, dscp, protocol or port" \
		ctl a class set mp0 3 mask any
	refused 2 "mark has bits that mask does not have" \
		ctl a class set mp0 3 mark 0x100
	refused 2 "packets of this protocol have no ports" \
		ctl a class add mp0 4 protocol icmp port 7
	refused 2 "policy pin needs the name of a path" \
		ctl a class add mp0 4 port 7 policy pin
	refused 2 "only policy pin takes a path" \
		ctl a class add mp0 4 port 7 policy nearest path wan1
	refused 2 "only policy pin can be strict" \
		ctl a class add mp0 4 port 7 strict on
	refused 2 "only policy duplicate takes a number of paths" \
		ctl a class set mp0 3 order off paths 2
	refused 2 "no such device" ctl a class show mp7
	eq "classes" "$(classes)" "$before"
	# another policy starts with its defaults
	ctl a class set mp0 3 policy duplicate
	eq "policy" "$(class 3 '[.policy, .paths, .path, .mark] | @json')" \
		'["duplicate",2,null,16]'
	ctl a class del mp0 3
	ctl a class add mp0 3 port 9
	eq "counters of a new class" "$(class 3 '.stats | add')" 0
}

t "what belongs to a class" test_match
t "real-time traffic takes the nearest path" test_real_time
t "duplicate on two paths" test_duplicate 2 100 0
t "duplicate on all paths" test_duplicate all 100 100
t "duplicate: the low-latency path dies, nothing is lost" test_dies wan1
t "duplicate: the high-latency path dies, nothing is lost" test_dies wan2
t "pinned to a path, which dies and returns" test_pin
t "pinned and strict" test_strict
t "order is kept, or not" test_order
t "large packets" test_large
t "a rate for traffic that heeds no loss" test_rate
t "bad requests change nothing" test_refused
run_theme
