#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Unauthenticated datagrams, as fast as a CPU can send them.
# Copyright (C) 2026 The mptun authors
# stages: tt tt-long vm-long
#
#   ┌───────┐ wan1 (8 Mbit/s, 5 ms)    ┌───────┐   x    ┌───┐
#   │       ├──────────────────────────┤       ├────────┤ c │ the stranger,
#   │   a   │ wan2 (8 Mbit/s, 10 ms)   │   b   │ cable  └───┘ unlimited
#   │       ├──────────────────────────┤       │
#   └───┬───┘                          └───────┘
#       │ x  cable to c as well
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=selftests/net/lib/pair.sh
. "$NET_DIR/lib/pair.sh"

# No keys: theme sec_attack tests attackers that have one.
CIPHER=clear

theme_setup() {
	hosts a b c
	link a b wan1 8mbit 5ms
	link a b wan2 8mbit 10ms
	join b x c tob
	join a x c toa
	ip -n "$NSP-b" -batch - <<-END
		address add 10.200.1.2/24 dev x
		address add fd00:200:1::2/64 dev x nodad
	END
	ip -n "$NSP-a" -batch - <<-END
		address add 10.200.2.2/24 dev x
		address add fd00:200:2::2/64 dev x nodad
	END
	ip -n "$NSP-c" -batch - <<-END
		address add 10.200.1.1/24 dev tob
		address add 10.200.2.1/24 dev toa
		address add fd00:200:1::1/64 dev tob nodad
		address add fd00:200:2::1/64 dev toa nodad
	END
	tunnel a b mp0
	paths a b mp0 wan1 wan2
	wait_ping a "$(inner a mp0)"
}

# in virtual time an unlimited sender would stop the clock
limit() {
	! virtual_time || echo "-p 20000"
}

# flood MODE ADDRESS SECONDS: a flood from c; FLOODED is the number of packets
flood() {
	# shellcheck disable=SC2046 # a list of words
	bg c "$(helper flood)" -t "$3" -s "$RANDOM" $(limit) "$1" "$2" 4725
	FLOOD=$BG
}

flood_end() {
	bg_wait "$FLOOD" || fail "$BG_OUT"
	FLOODED=$(jq .sent <<<"$BG_OUT")
	figure "sent" "$(calc "$FLOODED / $(jq .seconds <<<"$BG_OUT") / 1000")" \
		"thousand datagrams per second"
}

# every kind of packet is counted under its reason
test_kind() {
	local mode=$1 reasons=$2 before reason

	before=$(drops b)
	for reason in $reasons; do
		echo "$reason $(drop b "$reason")"
	done >"$TMP/before"
	# shellcheck disable=SC2046 # a list of words
	on c "$(helper flood)" -c 20000 -t 20 -s 7 -p 10000 "$mode" \
		10.200.1.2 4725
	# shellcheck disable=SC2046 # a list of words
	on c "$(helper flood)" -c 5000 -t 20 -s 8 -p 10000 "$mode" \
		fd00:200:1::2 4725
	wait_for 5 counted "$before" 24000
	while read -r reason n; do
		num "$reason" "$(drop b "$reason") > $n"
	done <"$TMP/before"
	wait_ping a "$(inner a mp0)"
	eq "paths up" "$(tun_json b mp0 .paths_up)" 2
}

counted() {
	[ "$(drops b)" -ge $(($1 + $2)) ]
}

# a TCP flow that needs little CPU keeps its throughput
test_flow() {
	local mode=$1 target=$2 alone flooded

	alone=$(tcp a b "$(inner a mp0)" 4 -R)
	flood "$mode" "$target" 7
	flooded=$(tcp a b "$(inner a mp0)" 4 -R)
	flood_end
	figure "TCP alone, under $mode" "$alone, $flooded" Mbit/s
	timely "throughput" "$flooded >= 0.8 * $alone"
	eq "paths up at a" "$(tun_json a mp0 .paths_up)" 2
	eq "paths up at b" "$(tun_json b mp0 .paths_up)" 2
	eq "associations" "$(tun_json b mp0 .associations)" 1
}

# packets of the running flow with changed bytes, from the true source: the
# tunnel recovers
test_mutated() {
	local way=$1 dev=b from=a to=b i

	[ "$way" = forward ] || dev=a from=b to=a
	tcp a b "$(inner a mp0)" 1
	bg a ping -q -i 0.005 "$(inner a mp0)"
	# shellcheck disable=SC2046 # a list of words
	on r-wan1 "$(helper flood)" -t "$(quick 3 20)" -s "$RANDOM" \
		$(limit) -i "$dev" -f "$(addr "$from" wan1)" 4725 \
		mutate "$(addr "$to" wan1)" 4725
	reap
	# in clear mode such packets may move a path; it returns
	wait_ping a "$(inner a mp0)"
	wait_for 15 path_is a mp0 wan1 up
	wait_for 15 path_is b mp0 wan1 up
	recovers a b
	recovers b a
}

# recovers FROM TO: after a few true packets the path works again. Packets whose
# numbers were used by forged packets are lost.
recovers() {
	local i

	for i in $(seq 10); do
		flow_start "$1" "$2" "$(inner "$1" mp0)" 2000 1
		flow_end
		[ "$(flow .lost)" -gt 0 ] || return 0
		figure "lost in second $i, to $2" "$(flow .lost)" packets
	done
	num "percent lost in the end" "$(flow .lost_percent) < 20"
	timely "lost in the end" "$(flow .lost) == 0"
}

# replayed packets are counted, and delivered once
test_replay() {
	local before

	before=$(drop b rx_replay)
	flow_start a b "$(inner a mp0)" 1000 4
	sleep 0.5
	# shellcheck disable=SC2086 # a list of words
	on r-wan1 tc qdisc change dev b root netem ${LINK_NETEM_B[wan1]} \
		duplicate 50%
	# shellcheck disable=SC2086 # a list of words
	on r-wan2 tc qdisc change dev b root netem ${LINK_NETEM_B[wan2]} \
		duplicate 50%
	flow_end
	link_heal wan1
	link_heal wan2
	eq duplicates "$(flow .duplicates)" 0
	timely lost "$(flow .lost) == 0"
	num "replays counted" "$(drop b rx_replay) > $before"
}

t "random bytes are counted" test_kind random "rx_version"
t "cut-off packets are counted" test_kind short "rx_short"
t "unknown types, versions, flags are counted" test_kind type rx_version
t "packets with an unknown index are counted" test_kind index "rx_unknown"
t "wrong handshakes are counted" test_kind hello "rx_handshake"
t "a flow beside a flood of random bytes" test_flow random 10.200.1.2
t "a flow beside a flood of handshakes" test_flow hello 10.200.1.2
t_full "a flow beside a flood of everything, at the other end" \
	test_flow mix 10.200.2.2
t_full "a flow beside a flood of everything, IPv6" test_flow mix fd00:200:1::2
t "replayed packets" test_replay
for round in $(quick 1 "$(seq 20)"); do
	t "mutated packets, forward, $round" test_mutated forward
	t "mutated packets, reverse, $round" test_mutated reverse
done
run_theme
