#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# All paths go down and come back: carrier, queue, no stale packets.
# Copyright (C) 2026 The mptun authors
# stages: tt debug-long vm-long
#
#   ┌───────┐ wan1 (8 Mbit/s, 5 ms)    ┌───────┐
#   │       ├──────────────────────────┤       │
#   │   a   │ wan2 (8 Mbit/s, 10 ms)   │   b   │
#   │       ├──────────────────────────┤       │
#   └───────┘                          └───────┘
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

theme_setup() {
	two_paths "8mbit 5ms" "8mbit 10ms"
}

backlog() {
	on a tc -s -j qdisc show dev mp0 | jq '.[0].backlog'
}

# all paths fail: the carrier goes down 5 s later, and up with the first path
test_carrier() {
	wait_carrier a mp0 on 5
	link_blackhole wan1
	link_blackhole wan2
	bg a ping -n -q -i 0.05 -c 200 "$(inner a mp0)"
	wait_state a mp0 wan1 down 2
	wait_state a mp0 wan2 down 2
	eq carrier "$(carrier a mp0)" on
	wait_carrier a mp0 off 10
	eq state "$(path_state a mp0 wan1)" down
	eq reason "$(path_json a mp0 wan1 .reason)" timeout
	link_heal wan2
	wait_carrier a mp0 on 10
	wait_ping a "$(inner a mp0)"
	eq state "$(path_state a mp0 wan1)" down
	link_heal wan1
	wait_state a mp0 wan1 up
	wait_state b mp0 wan1 up
	bg_kill "$BG"
}

declare -A PINGS=() ANSWERED=()

# pings NAME HOST ADDRESS: start 300 pings in 6 s
pings() {
	bg "$2" ping -n -q -i 0.02 -c 300 -W 3 "$3"
	PINGS[$1]=$BG
}

# answered NAME...: set ANSWERED[NAME] to how many of them were answered
answered() {
	local name

	for name; do
		bg_wait "${PINGS[$name]}" || :
		[[ $BG_OUT =~ ([0-9]+)\ received ]]
		ANSWERED[$name]=${BASH_REMATCH[1]}
	done
}

# still CMD NAME...: the only paths are those over these links, which all stand
# still together, longer than it takes to find them down
test_still() {
	local cmd=$1 link

	shift
	for link; do
		link_set "$link" 8mbit 5ms queue 3000ms
	done
	[[ $* == *wan2* ]] || only_wan1 off
	pings plain a "$(remote a wan1)"
	pings a a "$(inner a mp0)"
	pings b b "$(inner b mp0)"
	sleep 1
	for link; do
		"$cmd" "$link" &
	done
	answered plain a b
	wait
	figure "answers to 300 pings: plain, from a, from b" \
		"${ANSWERED[plain]}, ${ANSWERED[a]}, ${ANSWERED[b]}" packets
	only_wan1 on
	timely "from a" "${ANSWERED[a]} >= ${ANSWERED[plain]}"
	timely "from b" "${ANSWERED[b]} >= ${ANSWERED[plain]}"
}

# only_wan1 on|off: off: wan1 is the only path
only_wan1() {
	ctl a path set mp0 wan2 "$1"
	ctl b path set mp0 wan2 "$1"
	[ "$1" = off ] || wait_paths a b mp0 wan1 wan2
}

stall_twice() {
	link_stall "$1" 0.8
	sleep 1
	link_stall "$1" 1.5
}

stall_once() {
	link_stall "$1" 1.5
}

# what the link holds is lost
stall_loses() {
	link_stall "$1" 1.5 loses
}

# TCP through a link that stands still twice, beside the same without the tunnel.
# Headers of the tunnel take 6 %.
test_still_tcp() {
	local to plain tunnel

	link_set wan1 8mbit 5ms
	only_wan1 off
	for to in "$(remote a wan1)" "$(inner a mp0)"; do
		(
			sleep 2
			stall_twice wan1
		) &
		plain=${tunnel:-}
		tunnel=$(tcp a b "$to" 10 -C cubic)
		wait
	done
	only_wan1 on
	figure "TCP, plain and through the tunnel" "$plain, $tunnel" Mbit/s
	timely tunnel "$tunnel >= 0.85 * $plain"
}

# The time for which an uplink stands still is not left in the round-trip time,
# from which timeouts follow.
test_still_rtt() {
	local side pto

	only_wan1 off
	bg a ping -n -q -i 0.02 -c 150 -W 3 "$(inner a mp0)"
	sleep 1
	link_stall wan1 0.8
	sleep 0.3
	for side in a b; do
		pto=$(path_json "$side" mp0 wan1 \
			"(.srtt + 4 * (.rttvar // 0)) / 1000")
		figure "srtt + 4 rttvar of $side after it" "$pto" ms
		timely "srtt + 4 rttvar of $side" "$pto <= 50"
	done
	bg_wait "$BG" || :
	only_wan1 on
}

# controls EVENT: set SENT to the control packets of a while wan1 stands still
# for 3 s under traffic, with 27 such events
controls() {
	local i

	flow_start a b "$(inner a mp0)" 3000 5
	sleep 0.5
	link_stall wan1 3 &
	sleep 0.05
	SENT=$(path_json a mp0 wan1 .stats.tx_control)
	for i in $(seq 27); do
		case $1 in
		route)
			ipn a route change "10.${LINK_N[wan1]}.2.0/24" \
				via "10.${LINK_N[wan1]}.1.1" dev wan1 \
				advmss $((1300 + i))
			;;
		setting)
			ctl a path set mp0 wan1 keepalive $((i + 1))
			;;
		esac
		sleep 0.1
	done
	SENT=$(($(path_json a mp0 wan1 .stats.tx_control) - SENT))
	flow_end
	wait
	figure "control packets of a in 3 s, event: $1" "$SENT" packets
}

# Routes and settings that change while packets wait for an uplink do not cause
# a probe each.
test_still_probes() {
	local calm event

	only_wan1 off
	controls none
	calm=$SENT
	for event in route setting; do
		controls "$event"
		timely "$event" "$SENT <= $calm + 2"
	done
	link_routes wan1 A
	ctl a path set mp0 wan1 keepalive auto
	only_wan1 on
}

# a route changes while an uplink stands still; then an end is switched off, and
# then one is deleted, while packets wait
test_still_ends() {
	local drops

	only_wan1 off
	drops=$(tun_json a mp0 .drops.tx_no_path)
	bg a ping -n -q -i 0.02 -c 150 -W 3 "$(inner a mp0)"
	sleep 0.5
	link_stall wan1 1.2 &
	sleep 0.9
	eq "state" "$(path_state a mp0 wan1)" down
	ipn a route add 198.51.100.0/24 dev wan1
	bg_wait "$BG" || :
	wait
	[[ $BG_OUT =~ ([0-9]+)\ received ]]
	eq "answers to 150 pings" "${BASH_REMATCH[1]}" 150
	eq "packets dropped" "$(tun_json a mp0 .drops.tx_no_path)" "$drops"
	ipn a route del 198.51.100.0/24 dev wan1

	flow_start a b "$(inner a mp0)" 3000 6
	link_blackhole wan1
	wait_state a mp0 wan1 down
	num "packets wait" "$(backlog) > 0"
	ipn a link set mp0 down
	ipn a link set mp0 up
	link_heal wan1
	wait_ping a "$(inner a mp0)"
	link_blackhole wan1
	wait_state a mp0 wan1 down
	sleep 0.5
	ipn b link del mp0
	ipn a link del mp0
	link_heal wan1
	bg_kill "$FLOW_TX"
	bg_kill "$FLOW_RX"
}

# a flow through an outage of five seconds: no packet is delivered that is older
# than the detection time, and the flow recovers within a second
test_stale() {
	local healed

	flow_start a b "$(inner a mp0)" 3000 16
	sleep 1.5
	link_blackhole wan1
	link_blackhole wan2
	wait_carrier a mp0 off 10
	eq backlog "$(backlog)" 0
	sleep 4
	link_heal wan1
	link_heal wan2
	healed=$(ping_passes a "$(inner a mp0)")
	figure "all paths healed until a ping passes" "$healed" ms
	timely "time" "$healed <= 1000"
	wait_state a mp0 wan1 up
	wait_state a mp0 wan2 up
	flow_end
	figure "oldest packet delivered" "$(flow .age_max_ms)" ms
	timely "oldest packet" "$(flow .age_max_ms) < 1000"
	timely reordered "$(flow .reordered) == 0"
}

# TCP survives an outage and uses both paths again
test_tcp() {
	(
		sleep 3
		link_blackhole wan1
		link_blackhole wan2
		sleep 2
		link_heal wan1
		link_heal wan2
	) &
	tcp a b "$(inner a mp0)" 11 -R -i 0.5
	wait
	figure "TCP before" "$(series 0 2)" Mbit/s
	figure "TCP after" "$(series 8 11)" Mbit/s
	timely "after" "$(series 8 11) > 0.8 * $(series 0 2)"
}

# the devices go down: detected at once, without a timeout
test_devices() {
	local begin

	begin=$(now_ms)
	ipn a link set wan1 down
	ipn a link set wan2 down
	wait_carrier a mp0 off 1
	begin=$(($(now_ms) - begin))
	figure "devices down until the carrier goes" "$begin" ms
	eq reason "$(path_json a mp0 wan1 .reason | grep -E 'carrier|route')" \
		"$(path_json a mp0 wan1 .reason)"
	ipn a link set wan1 up
	ipn a link set wan2 up
	link_address wan1 A
	link_address wan2 A
	link_routes wan1 A
	link_routes wan2 A
	wait_state a mp0 wan1 up
	wait_state a mp0 wan2 up
	wait_ping a "$(inner a mp0)"
}

# the route is longer after an outage
test_longer() {
	wait_ping a "$(inner a mp0)"
	bg a ping -n -q -i 0.1 -c 400 "$(inner a mp0)"
	sleep 4
	link_blackhole wan1
	wait_state a mp0 wan1 down 2
	wait_state b mp0 wan1 down 2
	sleep 10
	link_set wan1 8mbit 60ms
	link_heal wan1
	wait_state a mp0 wan1 up 5
	wait_state b mp0 wan1 up 5
	sleep 3
	eq states "$(path_state a mp0 wan1) $(path_state b mp0 wan1)" "up up"
	bg_kill "$BG"
	link_set wan1 8mbit 5ms
}

# all paths are switched off
test_off() {
	ctl a path set mp0 wan1 off
	ctl a path set mp0 wan2 off
	wait_carrier a mp0 off 1
	ctl a path set mp0 wan1 on
	ctl a path set mp0 wan2 on
	wait_state a mp0 wan1 up
	wait_state a mp0 wan2 up
	wait_ping a "$(inner a mp0)"
}

t "no path, no carrier; first path, carrier" test_carrier
t "an uplink stands still for 0.8 s and for 1.5 s" test_still stall_twice wan1
t "all uplinks stand still for 1.5 s" test_still stall_once wan1 wan2
t "an uplink stands still, and loses what it holds" test_still stall_loses wan1
t "TCP through an uplink that stands still twice" test_still_tcp
t "what an uplink that stood still takes" test_still_rtt
t "probes while an uplink stands still" test_still_probes
t "no stale packets after an outage" test_stale
t "TCP survives an outage" test_tcp
t "devices down: at once" test_devices
t "the route is longer after an outage" test_longer
t "all paths off" test_off
t "a route, the device and a path change while packets wait" test_still_ends
run_theme
