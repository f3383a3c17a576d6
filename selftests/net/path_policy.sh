#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The end that opens a path says how both ends use it.
# Copyright (C) 2026 The mptun authors
# stages: tt tt-long
#
#   ┌───────┐ wan1 (8 Mbit/s, 10 ms)   ┌───────┐
#   │   a   ├──────────────────────────┤   b   │ learns its paths from a
#   │       │ wan2 (8 Mbit/s, 20 ms)   │       │
#   │       ├──────────────────────────┤       │
#   └───────┘                          └───────┘
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

LEARN=on

theme_setup() {
	hosts a b
	link a b wan1 8mbit 10ms
	link a b wan2 8mbit 20ms
	tunnel a b mp0
	plain_queue mp0 a b
	path a mp0 wan1
	path a mp0 wan2
	wait_both
}

# wait_both: both paths are up at both ends, under the same names
wait_both() {
	wait_paths a b mp0 wan1 wan2
	wait_for 5 followed wan1
	wait_for 5 followed wan2
}

followed() {
	[ "$(path_json a mp0 "$1" .policy)" = followed ] &&
		[ "$(path_json b mp0 "$1" .policy)" = followed ]
}

# reconnect: the client ends its association, and begins another one
reconnect() {
	ipn a link set mp0 down
	wait_for 5 has_paths b 0
	ipn a link set mp0 up
	wait_both
}

# has_paths HOST N
has_paths() {
	[ "$(ctl "$1" path show mp0 -j | jq length)" = "$2" ]
}

# is HOST PATH FIELD VALUE
is() {
	[ "$(path_json "$1" mp0 "$2" ".$3")" = "$4" ]
}

# becomes PATH FIELD VALUE: within 2 s, at the server
becomes() {
	wait_for 2 is b "$1" "$2" "$3" ||
		fail "$2 of $1 is $(path_json b mp0 "$1" ".$2"), not $3"
}

# stays PATH FIELD VALUE: for a second, at the server
stays() {
	never_for 1 not is b "$1" "$2" "$3" ||
		fail "$2 of $1 is $(path_json b mp0 "$1" ".$2"), not $3"
}

# sent HOST LINK: bytes of data that a path has sent
sent() {
	path_json "$1" mp0 "$2" .stats.tx_bytes
}

# share FROM TO: SHARE is the percentage of a TCP flow that wan2 carries
share() {
	local one two rate

	one=$(sent "$1" wan1)
	two=$(sent "$1" wan2)
	rate=$(tcp "$1" "$2" "$(inner "$1" mp0)" 2)
	one=$(($(sent "$1" wan1) - one))
	two=$(($(sent "$1" wan2) - two))
	SHARE=$(calc "100 * $two / ($one + $two)")
	figure "from $1 over wan2, of $rate Mbit/s" "$SHARE" percent
}

# parts FROM TO KBIT SECONDS: PART is the percentage that wan1 carries of a UDP
# flow
parts() {
	local one two

	flow_start "$1" "$2" "$(inner "$1" mp0)" "$3" "$4"
	sleep 0.5
	one=$(sent "$1" wan1)
	two=$(sent "$1" wan2)
	sleep "$(calc "$4 - 0.8")"
	one=$(($(sent "$1" wan1) - one))
	two=$(($(sent "$1" wan2) - two))
	flow_end
	PART=$(calc "100 * $one / ($one + $two)")
	figure "from $1 over wan1, of $3 kbit/s" "$PART" percent
}

# The server names the device of a learned path: it stays the same path.
test_device() {
	ctl b path set mp0 wan2 dev wan2
	never_for 1 not has_paths b 2
	wait_both
	ctl b path set mp0 wan2 dev none
	wait_both
}

test_settings() {
	eq names "$(ctl b path show mp0 -j | jq -r '[.[].name] | sort |
		join(" ")')" "wan1 wan2"
	ctl a path set mp0 wan2 priority 3 weight 7 spill 50ms backup on \
		rate-down 2mbit
	becomes wan2 priority 3
	becomes wan2 weight 7
	becomes wan2 backup true
	becomes wan2 rate 2000000
	eq spill "$(path_json b mp0 wan2 .spill)" \
		"$(path_json a mp0 wan2 .spill)"
	wait_for 2 followed wan2 ||
		fail "the client does not know that it is followed"
	reconnect
	becomes wan2 weight 7
	becomes wan2 rate 2000000
	ctl a path set mp0 wan2 priority 0 weight 1 spill off backup off \
		rate-down none
	becomes wan2 backup false
	becomes wan2 priority 0
	becomes wan2 rate null
}

# one setting at the client is all that a metered link needs
test_backup() {
	ctl a path set mp0 wan2 backup on
	becomes wan2 backup true
	share b a
	num "percent on the backup" "$SHARE <= 1"
	share a b
	num "percent on the backup" "$SHARE <= 1"
	reconnect
	share b a
	num "percent on the backup" "$SHARE <= 1"
	link_blackhole wan1
	wait_ping b "$(inner b mp0)"
	link_heal wan1
	wait_both
	ctl a path set mp0 wan2 backup off
	becomes wan2 backup false
}

test_rate_down() {
	local before bits

	ctl a path set mp0 wan1 rate-down 3mbit
	ctl a path set mp0 wan2 backup on
	becomes wan1 rate 3000000
	becomes wan2 backup true
	flow_start b a "$(inner b mp0)" 6000 1.5
	sleep 0.3
	before=$(sent b wan1)
	sleep 1
	bits=$((($(sent b wan1) - before) * 8))
	flow_end
	timely "rate" "$bits < 1.05 * 3e6 && $bits > 0.8 * 3e6"
	ctl a path set mp0 wan1 rate-down none
	ctl a path set mp0 wan2 backup off
	becomes wan1 rate null
	becomes wan2 backup false
}

# what the administrator of the server has set precedes what the client says,
# and lasts as long as the name
test_override() {
	ctl b path set mp0 wan2 backup on weight 5
	eq overridden "$(path_json b mp0 wan2 .overridden)" true
	ctl a path set mp0 wan2 weight 9 priority 2
	becomes wan2 priority 2
	stays wan2 weight 5
	stays wan2 backup true
	reconnect
	stays wan2 weight 5
	stays wan2 backup true
	eq priority "$(path_json b mp0 wan2 .priority)" 2
	# its path ends and is learned again
	ctl a path del mp0 wan2
	wait_for 5 has_paths b 1
	path a mp0 wan2 priority 2
	wait_both
	stays wan2 backup true
	# the client is away
	ipn a link set mp0 down
	wait_for 5 has_paths b 0
	ctl b path del mp0 wan2
	refused 2 "no path of this name" ctl b path del mp0 wan2
	ipn a link set mp0 up
	wait_both
	stays wan2 backup false
	eq overridden "$(path_json b mp0 wan2 .overridden)" false
	ctl a path set mp0 wan2 priority 0
	becomes wan2 priority 0
}

test_off() {
	local before

	ctl a path set mp0 wan2 off
	becomes wan2 state off
	before=$(sent b wan2)
	flow_start b a "$(inner b mp0)" 2000 1
	flow_end
	eq "bytes on wan2" "$(sent b wan2)" "$before"
	ctl a path set mp0 wan2 on
	wait_both
}

# the last change arrives whatever is lost
test_loss() {
	local i

	link_set wan1 8mbit 10ms loss 40%
	link_set wan2 8mbit 20ms loss 40% jitter 15ms
	for i in $(seq 2 9); do
		ctl a path set mp0 wan2 weight "$i"
	done
	wait_for 10 is b wan2 weight 9
	ctl a path set mp0 wan2 weight 1
	wait_for 10 is b wan2 weight 1
	link_heal_all
	stays wan2 weight 1
}

link_heal_all() {
	link_set wan1 8mbit 10ms
	link_set wan2 8mbit 20ms
	wait_both
}

# at rest, nothing is sent for it
test_rest() {
	local before i

	sleep 1
	before=$(path_json b mp0 wan2 .stats.rx_control)
	ctl a path set mp0 wan2 keepalive 60
	sleep 5
	i=$(($(path_json b mp0 wan2 .stats.rx_control) - before))
	num "control packets in 5 s" "$i <= 12"
	ctl a path set mp0 wan2 keepalive auto
}

test_follow() {
	ctl b set mp0 follow off
	wait_for 2 is a wan2 policy ignored
	ctl a path set mp0 wan2 weight 4
	sleep 0.5
	stays wan2 weight 1
	ctl b set mp0 follow on
	becomes wan2 weight 4
	wait_for 2 followed wan2
	ctl a path set mp0 wan2 weight 1
	becomes wan2 weight 1
}

# a name that is taken, one that is not valid, and a path that moves
test_names() {
	local n id

	n=${LINK_N[wan2]}
	ctl b path add mp0 own remote 10.99.0.1
	ctl a path del mp0 wan2
	wait_for 5 has_paths b 2
	ctl a path add mp0 own remote "$(remote a wan2)" \
		local "$(addr a wan2)" weight 3
	wait_state b mp0 own-2 up
	wait_for 2 is b own-2 weight 3
	ctl a path del mp0 own
	wait_for 5 has_paths b 2
	ctl a path add mp0 'a%b' remote "$(remote a wan2)" \
		local "$(addr a wan2)" weight 3
	wait_state a mp0 'a%b' up
	id=$(path_json a mp0 'a%b' .id)
	wait_for 2 is b "peer$id" weight 3
	ctl a path del mp0 'a%b'
	ctl b path del mp0 own
	wait_for 5 has_paths b 1
	path a mp0 wan2
	wait_both
	# the old path is still there when the new one takes its name
	ipn a address add "10.$n.1.99/24" dev wan2
	ctl a path set mp0 wan2 local "10.$n.1.99"
	wait_for 5 is b wan2 remote "10.$n.1.99"
	wait_both
	ctl a path set mp0 wan2 local "$(addr a wan2)"
	wait_for 5 is b wan2 remote "$(addr a wan2)"
	ipn a address del "10.$n.1.99/24" dev wan2
	wait_both
	# a path of the server's own takes the name of a learned one
	path b mp0 wan2
	eq learned "$(path_json b mp0 wan2 .learned)" false
	wait_paths a b mp0 wan1 wan2
	ctl b path del mp0 wan2
	wait_both
}

# a path of the server's own that finds no room changes nothing
test_no_room() {
	local i id

	id=$(path_json b mp0 wan2 .id)
	for i in $(seq 1 30); do
		ctl b path add mp0 "p$i" remote "10.99.0.$i"
	done
	refused 2 "a tunnel has at most 32 paths" \
		ctl b path add mp0 wan2 remote 10.99.0.99
	eq "number of wan2" "$(path_json b mp0 wan2 .id)" "$id"
	for i in $(seq 1 30); do
		ctl b path del mp0 "p$i"
	done
	wait_both
}

# weights of the client divide both directions, while both paths have room
test_weights() {
	local from

	ctl a set mp0 sched wrr
	ctl b set mp0 sched wrr
	ctl a path set mp0 wan1 weight 3
	becomes wan1 weight 3
	for from in "a b" "b a"; do
		# shellcheck disable=SC2086 # two words
		parts $from 4000 2.5
		timely "percent on wan1" "$PART > 73 && $PART < 77"
	done
	ctl a path set mp0 wan1 weight 1
	ctl a path set mp0 wan2 weight 3
	becomes wan2 weight 3
	parts b a 4000 2.5
	timely "percent on wan1" "$PART > 23 && $PART < 27"
	ctl a path set mp0 wan2 weight 1
	becomes wan2 weight 1
}

# without weights, the rates that the receiver measures do
test_auto() {
	local from

	ctl a set mp0 sched wrr-auto
	ctl b set mp0 sched wrr-auto
	link_set wan2 2mbit 20ms
	for from in "a b" "b a"; do
		# shellcheck disable=SC2086 # two words
		parts $from 12000 2
		# shellcheck disable=SC2086
		parts $from 6000 3
		timely "percent on wan1" "$PART > 70 && $PART < 90"
		timely lost "$(flow .lost_percent) < 2"
	done
	link_heal_all
	ctl a set mp0 sched greedy
	ctl b set mp0 sched greedy
}

# sched_is HOST NAME: the scheduler in force
sched_is() {
	[ "$(tun_json "$1" mp0 .sched_now)" = "$2" ]
}

# the scheduler of the client holds for both directions, unless the server has
# one of its own
test_sched() {
	local both

	ctl a set mp0 sched auto
	ctl b set mp0 sched auto
	wait_for 2 sched_is b greedy
	ctl a set mp0 sched redundant
	wait_for 2 sched_is b redundant || fail "b does not follow"
	eq "sched of b" "$(tun_json b mp0 .sched)" auto
	eq "sched of a" "$(tun_json a mp0 .sched)" redundant
	both=$(sent b wan2)
	flow_start b a "$(inner b mp0)" 2000 1
	flow_end
	num "bytes of copies" "$(sent b wan2) > $both + 200000"
	reconnect
	wait_for 2 sched_is b redundant || fail "b has forgotten it"
	# what was set here, the default among it
	ctl b set mp0 sched greedy
	sched_is b greedy
	ctl a set mp0 sched wrr
	never_for 1 not sched_is b greedy
	ctl b set mp0 sched auto
	sched_is b wrr
	ctl b set mp0 follow off
	wait_for 2 sched_is b greedy
	ctl b set mp0 follow on
	wait_for 2 sched_is b wrr
	ctl a set mp0 sched auto
	wait_for 2 sched_is b greedy || fail "b stays with wrr"
	# the client does not follow the server, whose paths it has not learned
	ctl b set mp0 sched wrr
	never_for 1 not sched_is a greedy
	ctl b set mp0 sched auto
}

# the rate of a class at the client limits both directions
test_class_rate() {
	local rate dropped

	ctl a class add mp0 1 protocol udp rate 2mbit
	sleep 0.5
	dropped=$(tun_json b mp0 .drops.tx_class_rate)
	flow_start b a "$(inner b mp0)" 8000 2
	flow_end
	rate=$(calc "$(flow .received) * 1386 * 8 / 2e6")
	figure "UDP from b, of 2 Mbit/s" "$rate" Mbit/s
	timely "Mbit/s" "$rate > 1.8 && $rate < 2.3"
	num "dropped by b" "$(tun_json b mp0 .drops.tx_class_rate) > $dropped"
	# a class of the server precedes it
	ctl b class add mp0 2 protocol udp rate 4mbit
	flow_start b a "$(inner b mp0)" 8000 2
	flow_end
	rate=$(calc "$(flow .received) * 1386 * 8 / 2e6")
	timely "Mbit/s" "$rate > 3.6 && $rate < 4.4"
	ctl b class del mp0 2
	reconnect
	sleep 0.5
	flow_start b a "$(inner b mp0)" 4000 1
	flow_end
	timely "percent lost" "$(flow .lost_percent) > 30"
	ctl b set mp0 follow off
	flow_start b a "$(inner b mp0)" 4000 1
	flow_end
	timely "percent lost" "$(flow .lost_percent) < 2"
	ctl b set mp0 follow on
	ctl a class del mp0 1
	sleep 0.5
	flow_start b a "$(inner b mp0)" 4000 1
	flow_end
	timely "percent lost" "$(flow .lost_percent) < 2"
}

# warned TEXT CMD...: it succeeds, and says that
warned() {
	local want=$1 got

	shift
	got=$("$@" 2>&1) || fail "$*: $got"
	eq "what $* says" "$got" "${want:+mptunctl: warning: $want}"
}

# a setting that has no effect is kept, and the user is warned
test_idle_setting() {
	local weight="only schedulers wrr, wrr-auto and flow use a weight"
	local group="only controllers lia and residual use a group"

	warned "$weight" ctl a path set mp0 wan1 weight 8
	eq weight "$(path_json a mp0 wan1 .weight)" 8
	warned "" ctl a path set mp0 wan1 priority 1
	warned "$group" ctl a path set mp0 wan1 group 2
	ctl a set mp0 sched wrr cc lia
	warned "" ctl a path set mp0 wan1 weight 9 group 3
	warned "" ctl a set mp0 sched greedy cc bbr
	ctl a path set mp0 wan1 weight 1 group 0 priority 0
	becomes wan1 weight 1
}

t_full "a learned path gets a device" test_device
t "names and settings go to the server" test_settings
t "a backup, in both directions" test_backup
t "settings without effect" test_idle_setting
t "a rate for the way back" test_rate_down
t "what the server's administrator has set" test_override
t "a path is switched off" test_off
t "messages are lost and reordered" test_loss
t "nothing is sent at rest" test_rest
t "follow off" test_follow
t "the rate of a class, in both directions" test_class_rate
t "the scheduler of the client, in both directions" test_sched
t "wrr: shares by weight, in both directions" test_weights
t "wrr-auto: shares by measured rate" test_auto
t_full "names that are taken, or not valid" test_names
t "no room for a path that would take a name" test_no_room
run_theme
