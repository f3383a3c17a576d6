#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Paths change their numbers under traffic: no packet counts under another one.
# Copyright (C) 2026 The mptun authors
# stages: debug vm-long kcsan
#
#   ┌───────┐ one   ┌───────┐
#   │       ├───────┤       │
#   │   a   │ two   │   b   │
#   │       ├───────┤       │
#   └───────┘       └───────┘
#
# Both ends send on all processors, so packets are placed and received while
# the worker resets the state of a path.
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# b learns the path from another port
LEARN=on
TIME=$(quick 5 60)
KBIT=4000
ROUNDS=0

theme_setup() {
	hosts a b
	cable a b one
	cable a b two
	tunnel a b mp0
	paths a b mp0 one two
}

# wrong: packets that were taken for too big or for replays, and whether their
# senders were notified of an MTU
wrong() {
	local host

	for host in a b; do
		tun_json "$host" mp0 '[.drops.tx_too_big, .drops.rx_replay] |
			map(. // 0) | join(" ")'
		ipn "$host" route get "$(inner "$host" mp0)" | grep -c mtu || :
	done | xargs
}

other() {
	[ "$1" = a ] && echo b || echo a
}

# loaded COMMAND...: repeat it while both ends send
loaded() {
	local before host

	before=$(wrong)
	for host in a b a b; do
		flow_start "$host" "$(other "$host")" "$(inner "$host" mp0)" \
			"$KBIT" "$TIME" 300
	done
	"$@"
	figure "$1" "$ROUNDS" times
	eq "too big, replays, MTUs of a and of b" "$(wrong)" "$before"
	reap
	wait_paths a b mp0 one two
	wait_ping a "$(inner a mp0)"
}

# many COMMAND...: repeat it until the flows end
many() {
	local end

	end=$(($(now_ms) + TIME * 1000))
	ROUNDS=0
	while [ "$(now_ms)" -lt "$end" ]; do
		ROUNDS=$((ROUNDS + 1))
		"$@"
		sleep 0.05
	done
}

# the association of a ends and begins
restarts() {
	many again
}

again() {
	ip -n "$NSP-b" -batch - <<-END
		link set mp0 down
		link set mp0 up
	END
}

# a path of a moves to another port, so it gets another number
renumbers() {
	many ports
	ctl a path set mp0 one local-port 4725
}

ports() {
	ctl a path set mp0 one local-port $((4800 + ROUNDS % 2))
}

t "one end restarts" loaded restarts
t "a path is renumbered" loaded renumbers
run_theme
