#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# ECN marks and DSCP through the tunnel.
# Copyright (C) 2026 The mptun authors
# stages: tt tt-long
#
#   ┌───┐ wan1 (8 Mbit/s, 5 ms)  ┌───┐
#   │ a ├────────[router]────────┤ b │
#   └───┘  marks, as configured  └───┘
#
# The router recognizes data packets by their length.
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

DSFIELD=$TESTS_DIR/helpers/dsfield.py
# Packets of each kind
N=$(quick 5 50)
# Payload of data; outer packets are up to 140 bytes longer. Control packets are
# shorter, or as long as the MTU.
SIZE=620
FIELDS=(not-ect ect1 ect0 ce)
DSCP=46

theme_setup() {
	hosts a b
	link a b wan1 8mbit 5ms
	on a sysctl -qw net.ipv4.tcp_ecn=1
	on b sysctl -qw net.ipv4.tcp_ecn=1
}

# ends FAMILY [OPTION...]: a tunnel mp1 over it
ends() {
	local family=$1 path=path

	shift
	[ "$family" = 4 ] || path=path6
	tunnel a b mp1 "$@"
	plain_queue mp1 a b
	"$path" a mp1 wan1
	"$path" b mp1 wan1
	wait_state a mp1 wan1 up
	wait_state b mp1 wan1 up
}

# router RULE...: rules for packets from a, in the earliest hook: some kernels
# do not allow changes of these fields later
router() {
	on r-wan1 nft -f - <<-END
		add table netdev t
		delete table netdev t
		table netdev t {
			counter own {}
			counter other {}
			chain c {
				type filter hook ingress device a priority 0
				$(printf '%s\n' "$@")
			}
		}
	END
}

# at_router COUNTER: the value of a counter of the router
at_router() {
	on r-wan1 nft -j list counter netdev t "$1" |
		jq '.nftables[1].counter.packets'
}

# pass FAMILY PAUSE DS:SIZE:COUNT...: send these to b; PASSED is what arrives
pass() {
	local port address

	port=$(next_port)
	address=$(inner a mp1 "$1")
	bg b python3 "$DSFIELD" recv "$address" "$port"
	wait_for 10 flow_listens b "$port"
	on a python3 "$DSFIELD" send "$address" "$port" "${@:2}"
	bg_wait "$BG" || fail "$BG_OUT"
	PASSED=$BG_OUT
}

# got HOST FIGURE: a counter of the path
got() {
	path_json "$1" mp1 wan1 ".stats.$2"
}

got_is() {
	[ "$(got "$1" "$2")" = "$3" ]
}

# becomes HOST FIGURE COUNT: wait until a counter has this value
becomes() {
	wait_for 2 got_is "$@" || eq "$2 at $1" "$(got "$1" "$2")" "$3"
}

# as figure 4 of RFC 6040: rows are the inner field, columns the outer one, in
# the order of FIELDS
COMBINED=("0 0 0 drop" "1 1 1 3" "2 1 2 3" "3 3 3 3")

# test_combinations OUTER INNER: all fields of both, of these families
test_combinations() {
	local ds=$((DSCP << 2)) expected='' kinds=() rules=()
	local field inner outer size count

	for outer in 0 1 2 3; do
		size=$((SIZE + 200 * outer))
		field="ecn set ${FIELDS[outer]}"
		rules+=("meta length $((size + 60))-$((size + 150)) ip $field"
			"meta length $((size + 60))-$((size + 150)) ip6 $field")
		for inner in 0 1 2 3; do
			kinds+=("$((ds | inner)):$size:$N")
			# here inner is the field that arrives
			count=$(arrives_as "$outer" "$inner")
			[ "$count" = 0 ] ||
				expected+="$size $((ds | inner)) $((count * N))"$'\n'
		done
	done
	router "${rules[@]}"
	ends "$1"
	pass "$2" 2 "${kinds[@]}"
	eq "what arrives" "$PASSED" "${expected%$'\n'}"
	# CE added on the way
	becomes b ecn_ce $((3 * N))
	becomes a marked_packets $((3 * N))
	# wiped: 3; made of Not-ECT: 3; ECT(1) made ECT(0); CE made ECT: 2
	becomes b ecn_faults $((9 * N))
	eq "dropped at b" "$(tun_json b mp1 .drops.rx_ecn)" "$N"
	# dropped packets are neither waited for nor counted as lost
	eq "lost" "$(got a lost_packets)" 0
	eq "held" "$(tun_json b mp1 .reordering.held)" 0
}

# arrives_as OUTER RESULT: the number of inner fields that become RESULT
arrives_as() {
	local row n=0
	local -a cell

	for row in "${COMBINED[@]}"; do
		read -ra cell <<<"$row"
		[ "${cell[$1]}" != "$2" ] || n=$((n + 1))
	done
	echo "$n"
}

# test_copied OUTER INNER: the outer field is a copy of the inner one; marks
# from before the tunnel do not count as marks of the path
test_copied() {
	local field

	for field in 0 1 2 3; do
		ends "$1"
		router "meta length $SIZE-900 ip ecn ${FIELDS[field]} counter name own" \
			"meta length $SIZE-900 ip6 ecn ${FIELDS[field]} counter name own" \
			"meta length < $SIZE ip ecn != not-ect counter name other" \
			"meta length < $SIZE ip6 ecn != not-ect counter name other"
		pass "$2" 1 $((DSCP << 2 | field)):"$SIZE":20
		eq "what arrives" "$PASSED" "$SIZE $((DSCP << 2 | field)) 20"
		eq "outer packets with ${FIELDS[field]}" "$(at_router own)" 20
		# the probe that examines whether the path drops them
		eq "other packets with ECN" "$(at_router other)" $((field > 0))
		eq "marks of the path" "$(got b ecn_ce)" 0
		eq "faults" "$(got b ecn_faults)" 0
		ipn a link del mp1
		ipn b link del mp1
	done
}

# test_dscp SETTING OUTER INNER DATA CONTROL [PROBES]: the DSCP of outer packets;
# changes by the network do not reach the inner packet. Probes examine each DS field
# with another DSCP than that of control packets.
test_dscp() {
	local family=ip

	[ "$2" = 4 ] || family=ip6
	router "meta length $SIZE-900 $family dscp $4 counter name own \
			$family dscp set 8 accept" \
		"udp dport 4725 meta length != $SIZE-900 \
			$family dscp != $5 counter name other" \
		"meta length $SIZE-900 counter name other"
	# shellcheck disable=SC2086 # one word or none
	ends "$2" ${1:+dscp $1}
	pass "$3" 1 $((DSCP << 2)):"$SIZE":20 $((DSCP << 2 | 2)):$((SIZE + 1)):20
	eq "what arrives" "$PASSED" "$SIZE $((DSCP << 2)) 20
$((SIZE + 1)) $((DSCP << 2 | 2)) 20"
	eq "data with $4" "$(at_router own)" 40
	eq "packets with others" "$(at_router other)" "${6:-0}"
}

# it may change under traffic
test_dscp_change() {
	local value

	ends 4
	for value in 10 0 inherit 63; do
		ctl a set mp1 dscp "$value"
		eq dscp "$(tun_json a mp1 .dscp)" "$value"
		[ "$value" != inherit ] || value=$DSCP
		router "meta length $SIZE-900 ip dscp $value counter name own"
		pass 4 1 $((DSCP << 2)):"$SIZE":10
		eq "data with $value" "$(at_router own)" 10
	done
	refused 2 "" ctl a set mp1 sched nosuch dscp 5
	eq "dscp after a refused request" "$(tun_json a mp1 .dscp)" 63
}

# marked FIELD: MARKED packets with it, all marked on the way, in TOOK ms; the
# first one is not, or the marks would mean nothing
marked() {
	on r-wan1 nft flush ruleset
	pass 4 1 "$1:$SIZE:1"
	router "meta length $SIZE-900 ip ecn set ce"
	MARKED=$((10 * N + 500))
	TOOK=$(now_ms)
	pass 4 1 "$1:$SIZE:$MARKED"
	TOOK=$(($(now_ms) - TOOK))
	becomes a marked_packets "$MARKED"
}

# the controller reacts to marks once per round trip, of at least 10 ms
test_answer() {
	ends 4
	marked 2
	figure "$MARKED marks in $TOOK ms, answered" "$(got a loss_events)" times
	num "answers" "$(got a loss_events) > 5"
	num "answers" "$(got a loss_events) <= $TOOK / 10 + 1"
	num "window" "$(path_json a mp1 wan1 .cwnd) < 5 * 1500"
	eq lost "$(got a lost_packets)" 0
	eq "arrived, marked" "$PASSED" "$SIZE 3 $MARKED"
}

# the controller leaves marks of L4S flows to these flows
test_l4s() {
	ends 4
	marked 1
	eq "answers" "$(got a loss_events)" 0
	num "window" "$(path_json a mp1 wan1 .cwnd) >= 10 * 1300"
	eq "arrived, marked" "$PASSED" "$SIZE 3 $MARKED"
}

# aqm: an AQM on the link towards b that marks; the delay is on the way back
aqm() {
	local rate

	rate=$(kbit 8mbit)
	on r-wan1 tc -batch - <<-END
		qdisc replace dev a root netem limit 1000 delay 20ms
		qdisc replace dev b root handle 1: htb default 1
		class add dev b parent 1: classid 1:1 htb rate ${rate}kbit
		qdisc add dev b parent 1:1 handle 2: fq_codel ecn
	END
}

# aqm_end: the link as it was
# shellcheck disable=SC2086 # lists of words
aqm_end() {
	on r-wan1 tc -batch - <<-END
		qdisc replace dev a root netem ${LINK_NETEM_A[wan1]}
		qdisc replace dev b root netem ${LINK_NETEM_B[wan1]}
	END
}

# at_aqm FIGURE
at_aqm() {
	on r-wan1 tc -s -j qdisc show dev b |
		jq "[.[] | select(.kind == \"fq_codel\") | .$1] | add"
}

# count_marks: count what arrives at b with a mark: data, and control packets,
# which probe DS fields and are not counted as marked; a bit of the packet's
# number in its outer header distinguishes them
count_marks() {
	on b nft -f - <<-END
		add table netdev t
		delete table netdev t
		table netdev t {
			counter data {}
			counter control {}
			chain c {
				type filter hook ingress device wan1 priority 0
				ip ecn ce @th,143,1 0 counter name data
				ip ecn ce @th,143,1 1 counter name control
			}
		}
	END
}

# marks_on KIND: marks on data or control packets since count_marks
marks_on() {
	on b nft -j list counter netdev t "$1" |
		jq '.nftables[1].counter.packets'
}

# heard_by_tcp: marked packets that were reported to TCP at a
heard_by_tcp() {
	on a nstat -asz TcpExtTCPDeliveredCE | awk '/CE/ { print $2 }'
}

# test_aqm CC: TCP with ECN over an AQM keeps its queue short without loss
test_aqm() {
	local heard rate marks

	heard=$(heard_by_tcp)
	on r-wan1 nft flush ruleset
	aqm
	count_marks
	ends 4 cc "$1"
	rate=$(tcp a b "$(inner a mp1)" "$(quick 30 60)")
	marks=$(at_aqm ecn_mark)
	figure "TCP, $1, marking AQM" "$rate" Mbit/s
	note "$marks marks, $(marks_on control) on probes," \
		"$(got a loss_events) answers," \
		"window $(path_json a mp1 wan1 .cwnd)," \
		"srtt $(path_json a mp1 wan1 .srtt) us"
	num "marks" "$marks > 0"
	eq "marks that arrived" "$(($(marks_on data) + $(marks_on control)))" \
		"$marks"
	becomes a marked_packets "$(marks_on data)"
	on b nft delete table netdev t
	# it may have dropped reports, which are not ECN-capable
	eq "lost" "$(got a lost_packets)" 0
	num "answers" "$(got a loss_events) > 0"
	num "marks heard by TCP" "$(heard_by_tcp) > $heard"
	timely "throughput" "$rate > 0.8 * $(kbit 8mbit) / 1000"
	# the bandwidth-delay product and the queue that codel allows
	timely "round-trip time" \
		"$(path_json a mp1 wan1 .srtt) < 1000 * (20 + 30)"
	aqm_end
}

# without ECN inside the AQM drops
test_aqm_without() {
	on r-wan1 nft flush ruleset
	on a sysctl -qw net.ipv4.tcp_ecn=0
	aqm
	ends 4
	tcp a b "$(inner a mp1)" 4
	on a sysctl -qw net.ipv4.tcp_ecn=1
	eq "marks" "$(at_aqm ecn_mark)" 0
	num "dropped by the AQM" "$(at_aqm drops) > 0"
	num "lost" "$(got a lost_packets) > 0"
	eq "marked" "$(got a marked_packets)" 0
	aqm_end
}

for outer in 4 6; do
	for inner in 4 6; do
		t "all ECN fields, IPv$inner in IPv$outer" \
			test_combinations "$outer" "$inner"
	done
done
t "ECN is copied, IPv4 in IPv6" test_copied 6 4
t_full "ECN is copied, IPv6 in IPv4" test_copied 4 6
t "DSCP by default, IPv4 in IPv6" test_dscp "" 6 4 0 0
t_full "DSCP by default, IPv6 in IPv4" test_dscp "" 4 6 0 0
t "fixed DSCP" test_dscp 10 4 4 10 10
t_full "fixed DSCP, IPv6 in IPv6" test_dscp 10 6 6 10 10
t "inherited DSCP, IPv4 in IPv6" test_dscp inherit 6 4 "$DSCP" 0 2
t_full "inherited DSCP, IPv6 in IPv4" test_dscp inherit 4 6 "$DSCP" 0 2
t "DSCP changed under traffic" test_dscp_change
t "the controller reacts to marks once per round trip" test_answer
t "marks of L4S are left to the flow" test_l4s
t_full "a queue that marks, newreno" test_aqm newreno
t "a queue that marks, bbr" test_aqm bbr
t "a queue that cannot mark" test_aqm_without
run_theme
