#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Radio links: the rate falls to a fifteenth, or is another one each second;
# latency varies and rises with load.
# Copyright (C) 2026 The mptun authors
# stages: tt-long
#
#   ┌───────┐ wan1 (30 Mbit/s, 25 ms)   ┌───────┐
#   │       ├───────────────────────────┤       │
#   │   a   │ wan2 (15 Mbit/s, 15 ms)   │   b   │    or LTE and a satellite
#   │       ├───────────────────────────┤       │
#   └───────┘                           └───────┘
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

TCP_OMIT=0

theme_setup() {
	two_paths "30mbit 25ms queue 5000p" "15mbit 15ms"
}

# falls [-R]: a queue of seconds on wan1 while its rate is low. The flow over
# both does not wait for it for longer than a second.
falls() {
	local after

	link_set wan1 30mbit 25ms queue 5000p
	(
		sleep 5
		link_set wan1 2mbit 25ms queue 5000p
	) &
	tcp a b "$(inner a mp0)" 9 "$@" >/dev/null
	wait
	# until what has been measured since is forgotten
	link_set wan1 30mbit 25ms queue 5000p
	sleep 10
	after=$(series 6 9)
	figure "from a second after the fall on" "$after" Mbit/s
	timely "beside 15 Mbit/s" "$after > 10"
}

# recovers [-R]: wan1 falls to a tenth of wan2 for 8 s, so that it gets nothing
# more while wan2 is busy. It recovers, and the tunnel finds that out.
recovers() {
	local after

	link_set wan1 24mbit 30ms queue 600p
	sleep 10
	(
		sleep 5
		link_set wan1 1600kbit 30ms queue 600p
		sleep 8
		link_set wan1 24mbit 30ms queue 600p
	) &
	tcp a b "$(inner a mp0)" 32 "$@" >/dev/null
	wait
	after=$(series 27 32)
	figure "14 s after the link recovered" "$after" Mbit/s
	timely "beside 15 Mbit/s" "$after > 25"
}

# least HOST: the smallest round-trip time of the flow with BBR that it sends, ms
least() {
	on "$1" ss -Htin state established |
		sed -n 's/.* bbr .* minrtt:\([0-9]*\).*/\1/p' | head -n 1
}

# radio [-R]: one flow with BBR inside, which gets 37 Mbit/s of LTE alone. Without
# a tunnel it gets 17 if its handshake took 30 ms instead of 70, which jitter
# makes of a few in a hundred; such a flow says nothing and is repeated.
radio() {
	local mbit sender=a

	[ $# -eq 0 ] || sender=b
	for _ in 1 2 3; do
		(sleep 8 && least "$sender" >"$TMP/least") &
		tcp a b "$(inner a mp0)" 9 -C bbr "$@" >/dev/null
		wait $!
		[ "$(cat "$TMP/least")" -lt 45 ] || break
	done
	mbit=$(series 3 9)
	figure "over LTE and a satellite" "$mbit" Mbit/s
	timely "against LTE alone" "$mbit > 35"
}

# Paths of which nothing is known. The direction that has carried acknowledgments
# only is no worse.
test_radio() {
	ctl a path del mp0 wan1
	ctl a path del mp0 wan2
	link_set wan1 40mbit 35ms jitter 8ms/normal queue 1000p
	link_set wan2 100mbit 50ms jitter 15ms/normal loss 0.5% queue 1000p
	path a mp0 wan1
	path a mp0 wan2
	wait_paths a b mp0 wan1 wan2
	radio -R
	radio
	radio -R
}

# What LTE carries in each second, Mbit/s
WALK="11 6 8 5 7 10 12 6 10 15 13 10 6 8 14 9 17 24 14 20"

# walked ADDRESS: print the Mbit/s of a flow with BBR over wan1
walked() {
	local rate mbit

	link_set wan1 10mbit 30ms queue 500p
	sleep 1
	(
		for rate in $WALK; do
			link_set wan1 "${rate}mbit" 30ms queue 500p
			sleep 1
		done
	) &
	mbit=$(tcp a b "$1" 20 -C bbr -R)
	wait $!
	echo "$mbit"
}

# One path over such a link, against the link without a tunnel, whose packets
# are smaller by the headers
test_walks() {
	local plain mbit

	ctl a path set mp0 wan2 off
	ctl b path set mp0 wan2 off
	plain=$(walked "$(addr b wan1)")
	mbit=$(walked "$(inner a mp0)")
	figure "another rate each second" "$mbit" "of $plain Mbit/s"
	timely "against the link alone" "$mbit > 0.83 * $plain"
}

t "a link falls, download" falls -R
t "a link falls, upload" falls
t "a link falls, download again" falls -R
t "a link falls, upload again" falls
t "a link falls and recovers, download" recovers -R
t "a link falls and recovers, upload" recovers
t "LTE and a satellite" test_radio
t "another rate each second" test_walks
run_theme
