#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Radio links: the rate falls to a fifteenth, latency varies and rises with load.
# Copyright (C) 2026 The mptun authors
# stages: tt
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

# radio [-R]: one flow with BBR inside, which gets 37 Mbit/s of LTE alone
radio() {
	local mbit

	tcp a b "$(inner a mp0)" 9 -C bbr "$@" >/dev/null
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

t "a link falls, download" falls -R
t "a link falls, upload" falls
t "a link falls, download again" falls -R
t "a link falls, upload again" falls
t "LTE and a satellite" test_radio
run_theme
