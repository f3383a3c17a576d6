#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What paths cost that carry no data or do not work, and how soon their failure
# and their return are known.
# Copyright (C) 2026 The mptun authors
# stages: tt tt-long
#
#   ┌───────┐ wan1 (8 Mbit/s, 10 ms)           ┌───────┐
#   │       ├──────────────────────────────────┤       │
#   │   a   │ wan2 (8 Mbit/s, 5 ms, backup)    │   b   │
#   │       ├──────────────────────────────────┤       │
#   │       │ wan3 (8 Mbit/s, 40 ms, backup)   │       │
#   │       ├──────────────────────────────────┤       │
#   │       │ wan4 (8 Mbit/s, 20 ms), without  │       │
#   │       ├─────── a path of mp0 ────────────┤       │
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
	link a b wan4 8mbit 20ms
	neighbours wan2
	neighbours wan4
	tunnel a b mp0 rekey "$REKEY"
	paths a b mp0 wan1 wan2 wan3
	for link in wan2 wan3; do
		ctl a path set mp0 "$link" backup on
		ctl b path set mp0 "$link" backup on
	done
	wait_ping a "$(inner a mp0)"
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

# wan2_rests SECONDS WHAT: pings, five a second, go through wan1, which is better
# by its settings; wan2 costs at most 5 MB a day
wan2_rests() {
	local before cost

	before=$(on_wire a wan2)
	on a ping -n -q -i 0.2 -w "$1" "$(inner a mp0)" || :
	cost=$(mb_a_day $(($(on_wire a wan2) - before)) "$1")
	figure "cost of a backup beside a line $2" "$cost" "MB a day"
	num "MB a day on wan2" "$cost <= 5"
}

# what is lost on the line in use is no failure of it
test_beside_loss() {
	link_set wan1 8mbit 10ms loss 2%
	wan2_rests 200 "that loses 2 %"
	link_set wan1 8mbit 10ms loss 0/0
}

# the line in use is away for a moment again and again, as a satellite is
test_beside_gaps() {
	for _ in $(seq 13); do
		sleep 14.85
		link_blackhole wan1
		sleep 0.15
		link_heal wan1
	done &
	wan2_rests 200 "that is away for 150 ms every 15 s"
	wait
}

# nor does one whose cap is used up
test_capped() {
	ctl a path set mp0 wan2 backup off priority 1 cap 1kb used 1kb \
		cap-action backup
	ctl a path set mp0 wan3 cap 1kb used 1kb cap-action stop
	sleep 5
	test_resting
	ctl a path set mp0 wan2 backup on priority 0 cap none
	ctl a path set mp0 wan3 cap none
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

# after which a dead path has reached its longest interval, and a longer one than
# before
LONG=560
LATER=420

# cost_of LINK LIMIT-A LIMIT-B WHAT: what a dead link costs at each end from now
# on, in MB a day
cost_of() {
	local link=$1 what=$4 seconds=180 side
	local -A cost=() limit=([a]=$2 [b]=$3)

	for side in a b; do
		cost[$side]=$(on_wire "$side" "$link")
	done
	sleep "$seconds"
	for side in a b; do
		cost[$side]=$(mb_a_day \
			$(($(on_wire "$side" "$link") - cost[$side])) \
			"$seconds")
		figure "cost of a dead path $what, at $side" "${cost[$side]}" \
			"MB a day"
	done
	for side in a b; do
		num "MB a day of $side" "${cost[$side]} <= ${limit[$side]}"
	done
}

# back_in MS WHAT CMD...: CMD comes true within MS from now
back_in() {
	local ms=$1 what=$2 begin

	shift 2
	begin=$(now_ms)
	wait_for 60 "$@"
	begin=$(($(now_ms) - begin))
	figure "$what is back after" "$begin" ms
	timely "ms until $what is back" "$begin <= $ms"
}

# both_up LINK: the path of mp0 is up at both ends
both_up() {
	path_is a mp0 "$1" up && path_is b mp0 "$1" up
}

# wan2_dies [a|b]: it is down soon
wan2_dies() {
	link_blackhole wan2 "$@"
	on a ping -n -q -i 0.2 -c 20 "$(inner a mp0)" >/dev/null
	wait_for 30 not both_up wan2
}

# A path that both ends have configured: each tries other ports, half a minute
# apart, and they have to meet. What still passes in one direction is answered.
test_dead_used() {
	bg a ping -n -q -i 1 "$(inner a mp0)"
	wan2_dies "$1"
	sleep "$LONG"
	cost_of wan2 5 5 "of both in use, lost towards $1"
	link_heal wan2
	back_in 40000 "wan2 in use" both_up wan2
	bg_kill "$BG"
	wait_paths a b mp0 wan1 wan2 wan3
}

# ... of an idle tunnel
test_dead_idle() {
	wan2_dies "$1"
	sleep "$LONG"
	cost_of wan2 1 1 "of both while idle, lost towards $1"
	link_heal wan2
	back_in 60000 "wan2 while idle" both_up wan2
	wait_paths a b mp0 wan1 wan2 wan3
}

# client: a tunnel whose server learns the paths, of which wan4 is over IPv6
client() {
	tunnel a b mp1 learn on
	[ "${1:-}" = only ] || path a mp1 wan1
	path6 a mp1 wan4
	wait_state a mp1 wan4 up
	[ "${1:-}" = only ] || wait_state a mp1 wan1 up
}

client_ends() {
	ipn a link del mp1
	ipn b link del mp1
}

# a path that the server has learned
test_dead_learned() {
	client
	bg a ping -n -q -i 1 "$(inner a mp1)"
	link_blackhole wan4 "$@"
	wait_for 30 not path_is a mp1 wan4 up
	sleep "$LONG"
	cost_of wan4 5 5 "in use, lost towards ${1:-both}"
	link_heal wan4
	back_in 11000 "wan4 in use" path_is a mp1 wan4 up
	bg_kill "$BG"
	client_ends
}

test_dead_learned_idle() {
	client
	link_blackhole wan4 "$@"
	wait_for 60 not path_is a mp1 wan4 up
	sleep "$LONG"
	cost_of wan4 1 1 "while idle, lost towards ${1:-both}"
	link_heal wan4
	back_in 31000 "wan4 while idle" path_is a mp1 wan4 up
	client_ends
}

# the only uplink of a client; what still arrives at the server is answered
test_dead_only() {
	client only
	link_blackhole wan4 "$@"
	sleep "$LONG"
	cost_of wan4 1 5 "without another, lost towards ${1:-both}"
	link_heal wan4
	back_in 31000 "the only path" path_is a mp1 wan4 up
	client_ends
}

# a server that has never answered, whose kernel refuses what arrives
test_dead_server() {
	tunnel a b mp1 learn on
	ipn b link set mp1 down
	path6 a mp1 wan4
	sleep "$LONG"
	cost_of wan4 1 5 "to a server that is not there"
	ipn b link set mp1 up
	back_in 31000 "the server" path_is a mp1 wan4 up
	client_ends
}

a_path_is_up() {
	[ "$(tun_json a mp0 .paths_up)" -gt 0 ]
}

# after five minutes or less it is back as soon as ever
test_short() {
	local link

	bg a ping -n -q -i 1 "$(inner a mp0)"
	wan2_dies
	sleep 285
	link_heal wan2
	back_in 1000 "wan2, in use," both_up wan2
	bg_kill "$BG"
	wait_paths a b mp0 wan1 wan2 wan3
	wan2_dies
	sleep 285
	link_heal wan2
	back_in 2500 "wan2, idle," both_up wan2
	wait_paths a b mp0 wan1 wan2 wan3
	for link in wan1 wan2 wan3; do
		link_blackhole "$link"
	done
	sleep 285
	heal
	back_in 2500 "one of all paths" a_path_is_up
	wait_paths a b mp0 wan1 wan2 wan3
}

client_up() {
	path_is a mp1 "$1" up
}

one_is_up() {
	client_up wan1 || client_up wan4
}

both_are_up() {
	client_up wan1 && client_up wan4
}

# one path that is back has the other one tried; it may be back by an event
test_others() {
	client
	link_blackhole wan1
	link_blackhole wan4
	sleep "$LONG"
	heal
	"$@"
	wait_for 60 one_is_up
	back_in 500 "the other path after the first one" both_are_up
	client_ends
	# an idle tunnel probes a path that was down for long every 30 s
	wait_state a mp0 wan1 up 40
	wait_paths a b mp0 wan1 wan2 wan3
}

# what may have repaired it has it tried at once: a change of its network, or
# of its settings
test_event() {
	client
	link_blackhole wan4
	wait_for 60 not path_is a mp1 wan4 up
	sleep "$LATER"
	link_heal wan4
	"$@"
	back_in 500 "wan4 after $1" path_is a mp1 wan4 up
	client_ends
}

# the same while there is no association; INITs are a second apart
test_server_event() {
	tunnel a b mp1 learn on
	ipn b link set mp1 down
	path6 a mp1 wan4
	sleep "$LATER"
	ipn b link set mp1 up
	"$@"
	back_in 1200 "the server after $1" path_is a mp1 wan4 up
	client_ends
}

new_route() {
	ipn a route replace "fd00:${LINK_N[wan4]}:2::/64" \
		via "fd00:${LINK_N[wan4]}:1::1" dev wan4 mtu 1400
	link_routes wan4 A
}

new_settings() {
	ctl a path set mp1 wan4 priority 2
	ctl a path set mp1 wan4 priority 0
}

new_key() {
	ctl a set mp1 key "$(tunnel_key "${TUN_N[mp1]}")"
}

t "paths at rest cost little" test_resting
t "a backup beside a line that loses packets costs little" test_beside_loss
t "a backup beside a line with short gaps costs little" test_beside_gaps
t "paths whose cap is used up cost little" test_capped
t "an idle tunnel costs little, and keeps its keys" test_idle
t "keys change after data only" test_keys
t "a dead path of an idle tunnel is noticed" test_death 40
t "... also if only the forward direction died" test_death 60 b
t "... or the reverse one" test_death 60 a
t "paths at rest are probed when the one in use fails" test_rouse
t "an idle tunnel notices that its peer is gone" test_peer_gone
t "an interval that is set takes effect at once" test_set
t "a dead path costs little" test_dead_learned
t_full "... if both ends have configured it" test_dead_used a
t "a dead path that is the only one costs little" test_dead_only a
t "after five minutes a path is back at once" test_short
t_full "one path that is back has the other one tried" test_others
t_full "a change of its settings has a dead path tried" test_event new_settings
t "a change of its route has a server tried" test_server_event new_route

# hours, of which each second costs a little
if [ "$(quick '' full)" ]; then
	t "a path dead in the reverse direction costs little" test_dead_learned a
	t "... while the tunnel is idle" test_dead_learned_idle
	t "... if both ends have configured it" test_dead_idle a
	t "a server that is not there costs little" test_dead_server
	t "a path that an event brought back has the other one tried" \
		test_others new_route
	t "a change of its route has a dead path tried" test_event new_route
	t "a change of its settings has a server tried" \
		test_server_event new_settings
	t "... of the key" test_server_event new_key
fi
run_theme
