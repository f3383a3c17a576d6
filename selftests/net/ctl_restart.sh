#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# One end, or both, restarts: traffic flows again within a second.
# Copyright (C) 2026 The mptun authors
# stages: tt tt-long debug-long vm-long kcsan
#
#   ┌───────┐ wan1 (8 Mbit/s, 5 ms)    ┌───────┐
#   │       ├──────────────────────────┤       │
#   │   a   │ wan2 (8 Mbit/s, 20 ms)   │   b   │
#   │       ├──────────────────────────┤       │
#   └───────┘                          └───────┘
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=selftests/net/lib/pair.sh
. "$NET_DIR/lib/pair.sh"

theme_setup() {
	two_paths "8mbit 5ms" "8mbit 20ms"
	wait_ping a "$(inner a mp0)"
}

# under traffic towards the end that restarts, and away from it
test_one() {
	local host=$1 other=$2 count

	count=$(associations "$other")
	flow_start "$other" "$host" "$(inner "$other" mp0)" 1000 5
	sleep 0.5
	restart "$host"
	back_within "$3" "$host" "$host restarted under traffic"
	flow_end
	eq associations "$(associations "$other")" $((count + 1))
}

# only the end that did not restart sends: it detects the restart by itself
test_silent() {
	restart b
	back_within "$1" a "b restarted, a sends"
}

test_both() {
	restart a b
	back_within "$1" a "both restarted"
}

# late packets of the old association arrive on the slow path after the new one
# has begun on the fast path: they must not count as packets of the new one
test_leftover() {
	local i

	for i in $(seq 1 "$(quick 4 10 2)"); do
		link_set wan1 1mbit 5ms
		link_set wan2 8mbit 150ms
		bg a ping -q -i 0.003 -s 1300 "$(inner a mp0)"
		sleep 1
		ipn a link set mp0 down
		ipn a link set mp0 up
		sleep 1
		reap
		link_set wan1 8mbit 5ms
		link_set wan2 8mbit 20ms
		back_within 1500 a "restart $i"
	done
	eq "taken for new ones" "$(tun_json b mp0 "[.drops.rx_replay,
		.drops.rx_jump, .reordering.too_old, .reordering.resets] | add // 0")" 0
}

# ten times in a row, at either end: nothing is left behind
test_often() {
	local i

	for i in $(seq 1 "$(quick 5 20 2)"); do
		restart a
		restart b
		((i % 3)) || restart a b
	done
	back_within 1500 b "after many restarts"
}

# the peer's machine is down for longer than any timeout
test_long() {
	ipn b link del mp0
	sleep "$(quick 5 30)"
	tunnel_end b mp0
	path b mp0 wan1
	path b mp0 wan2
	back_within 1500 a "b was away for long"
}

# A way on which an answer takes longer than the interval of INITs, and than
# any timeout of a path whose round-trip time is unknown.  With SILENCE, nothing
# gets through for that many seconds, in which both ends try other ports.
# test_long_way DELAY SILENCE MS: works within MS from when packets get through
test_long_way() {
	local begin

	link_set wan1 8mbit "$1"
	link_set wan2 8mbit "$1"
	if [ "$2" != 0 ]; then
		link_blackhole wan1
		link_blackhole wan2
	fi
	restart a b
	sleep "$2"
	link_heal wan1
	link_heal wan2
	begin=$(now_ms)
	wait_for 20 path_is a mp0 wan1 up
	wait_for 20 path_is b mp0 wan2 up
	note "after $(($(now_ms) - begin)) ms"
	timely "too late" "$(now_ms) - $begin < $3"
	link_set wan1 8mbit 5ms
	link_set wan2 8mbit 20ms
	timely "time" "$(ping_passes a "$(inner a mp0)") <= 5000"
	# what the links held is lost, and with it probes of the MTU, which are
	# missed after the round trip of before
	sleep 10
	back_within 5000 a "back to a short way, and at rest"
}

# the restart of one tunnel does not affect another one on the same port
test_neighbour() {
	tunnel a b mp1
	plain_queue mp1 a
	paths a b mp1 wan1 wan2
	flow_start a b "$(inner a mp1)" 1000 4
	sleep 0.5
	restart b
	restart a
	flow_end
	timely "lost by the neighbour" "$(flow .lost) == 0"
	ipn a link del mp1
	ipn b link del mp1
	wait_ping a "$(inner a mp0)"
}

# server HOST: an end that learns its paths; there are several with one key
server() {
	tunnel_end "$1" mp2 learn on
}

# ask LINK: another tunnel of a, with the key of mp2, works with the server there
ask() {
	ipn a link add mp3 type mptun port 4800
	ctl a set mp3 key "$(tunnel_key "${TUN_N[mp2]}")"
	ipn a link set mp3 up
	path a mp3 "$1"
	wait_for 5 path_is a mp3 "$1" up
	ipn a link del mp3
}

# lead LINK: the path of mp2 leads to the server there, made again
lead() {
	ctl a path show mp2 -j | jq -r '.[].name' | while read -r name; do
		ctl a path del mp2 "$name"
	done
	path a mp2 "$1"
	wait_for 5 path_is a mp2 "$1" up
}

# b has left our instance for that of another tunnel with our key: after a move
# to another server and back it takes us for a recording
test_servers() {
	hosts c
	cable a c to-c
	tunnel a b mp2 learn on
	server c
	lead wan1
	lead to-c
	ask wan1
	lead wan1
	wait_ping a "$(inner a mp2)"
	ask to-c
	ctl a path set mp2 wan1 remote "$(remote a to-c)" \
		local "$(addr a to-c)"
	wait_for 5 path_is a mp2 wan1 up
	ipn c link del mp2
	ipn b link del mp2
	ipn a link del mp2
}

# another address of the same server, which did not answer for a while at the one
# before: the association lasts
test_address() {
	local count

	tunnel a b mp2 learn on
	lead wan1
	count=$(tun_json b mp2 .associations)
	bg a ping -q -i 0.2 "$(inner a mp2)"
	link_blackhole wan1
	wait_for 10 not path_is a mp2 wan1 up
	sleep 4
	ctl a path set mp2 wan1 remote "$(remote a wan2)" \
		local "$(addr a wan2)"
	wait_for 5 path_is a mp2 wan1 up
	eq associations "$(tun_json b mp2 .associations)" "$count"
	reap
	link_heal wan1
	ipn a link del mp2
	ipn b link del mp2
	wait_paths a b mp0 wan1 wan2
}

# replays: packets that both ends took for replays
replays() {
	local host

	for host in a b; do
		tun_json "$host" mp2 '.drops.rx_replay // 0'
	done | xargs
}

# overtaking LINK: each packet takes 5 to 55 ms, without a queue that keeps order
overtaking() {
	local dev

	for dev in a b; do
		on "r-$1" tc qdisc del dev "$dev" root
		on "r-$1" tc qdisc add dev "$dev" root netem delay 30ms 25ms
	done
}

# the first control packets of paths that both ends open overtake each other
test_overtaking() {
	tunnel a b mp2
	paths a b mp2 wan1 wan2
	overtaking wan1
	overtaking wan2
	for _ in $(seq "$(quick 15 60 2)"); do
		ipn b link set mp2 down
		ipn b link set mp2 up
		sleep 1.5
	done
	wait_for 5 path_is a mp2 wan1 up
	eq "replays" "$(replays)" "0 0"
	ipn a link del mp2
	ipn b link del mp2
	link_set wan1 8mbit 5ms
	link_set wan2 8mbit 20ms
	wait_paths a b mp0 wan1 wan2
}

# the limit applies to the protocol; slow kernels need longer to make devices
t "one end restarts under traffic" test_one b a 1000
t "the other end restarts under traffic" test_one a b 1000
t_full "only the other end sends" test_silent 1000
t_full "both ends restart" test_both 1000
t "late packets of the old association" test_leftover
t_full "many restarts" test_often
t "down for a long time" test_long
t "a round trip of 1.8 s" test_long_way 900ms 0 10000
if virtual_time; then
	t "a round trip of 1.8 s after silence" test_long_way 900ms 12 20000
	t "a round trip of 3 s" test_long_way 1500ms 0 40000
	t "a round trip of 3 s after silence" test_long_way 1500ms 7 40000
fi
t "another tunnel on the same port is not affected" test_neighbour
t "another server, and back" test_servers
t "another address of the server" test_address
t "probes that overtake each other" test_overtaking
run_theme
