#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# No session outlives a copy of memory, nor its own time during suspend.
# Copyright (C) 2026 The mptun authors
# stages: vm-6.1 vm-long
#
#   ┌───────┐ wan1 (8 Mbit/s, 5 ms)    ┌───────┐
#   │       ├──────────────────────────┤       │
#   │   a   │ wan2 (8 Mbit/s, 20 ms)   │   b   │
#   │       ├──────────────────────────┤       │
#   └───────┘                          └───────┘
#
# A program that opens /dev/snapshot is about to make an image of memory. The
# kernel notifies everybody as it does before hibernation, and as it does after
# it when the file is closed. Both ends are in the same kernel.
#
# Suspend is tried up to the point at which tasks are frozen; helpers/slept adds
# the time that the machine would have slept.
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=selftests/net/lib/pair.sh
. "$NET_DIR/lib/pair.sh"

# the runner builds it beside the module
MPTUN_KO=${MPTUN_KO:-}
SLEPT_KO=${MPTUN_KO%/*}/mptun_slept.ko
SLEPT=/sys/module/mptun_slept/parameters/seconds

theme_setup() {
	pair_hosts
	tunnel a b mp0
	paths a b mp0 wan1 wan2
}

# unused SECONDS: neither end has a session, or gets one
unused() {
	local before

	before=$(sessions a):$(sessions b)
	wait_for 2 not reaches a "$(inner a mp0)"
	never_for "$1" reaches a "$(inner a mp0)"
	eq sessions "$(sessions a):$(sessions b)" "$before"
	eq paths "$(tun_json a mp0 .paths_up):$(tun_json b mp0 .paths_up)" 0:0
}

test_image() {
	local before fd instance

	[ -c /dev/snapshot ] || skip "this kernel makes no images of memory"
	before=$(associations a)
	instance=$(tun_json a mp0 .instance):$(tun_json b mp0 .instance)
	exec {fd}</dev/snapshot
	unused 3
	exec {fd}<&-
	back_within 2000 a "the image is made"
	num associations "$(associations a) == $before + 1"
	[ "$(tun_json a mp0 .instance):$(tun_json b mp0 .instance)" != \
		"$instance" ] || fail "the instances are the same"
}

# No packet waits to be encrypted while an image is made: the kernel warns if one
# does. More traffic than the links carry, so that several processors encrypt.
test_busy_image() {
	local fd host

	[ -c /dev/snapshot ] || skip "this kernel makes no images of memory"
	for host in a b; do
		bg "$host" "$(helper udpflow)" send "$(inner "$host" mp0)" 9 \
			"$((30000 / SLOW))" 1200 600
	done
	for _ in $(seq 1 "$(quick 5 20)"); do
		sleep 0.5
		exec {fd}</dev/snapshot
		eq paths "$(tun_json a mp0 .paths_up)" 0
		exec {fd}<&-
		wait_for 10 established a
	done
	reap
	wait_for 10 reaches a "$(inner a mp0)"
}

# The kernel waits for the packets of tunnels that are being deleted, too: one
# with its link at b, its other end with the namespace.
test_deleted_image() {
	local fd i del

	[ -c /dev/snapshot ] || skip "this kernel makes no images of memory"
	for i in $(seq 1 "$(quick 4 15)"); do
		hosts c
		cable b c "lab$i"
		tunnel b c mp1
		paths b c mp1 "lab$i"
		wait_ping b "$(inner b mp1)"
		bg b "$(helper udpflow)" send "$(inner b mp1)" 9 \
			"$((30000 / SLOW))" 1200 600
		sleep 0.5
		ip netns del "$NSP-c"
		ipn b link del mp1 &
		del=$!
		exec {fd}</dev/snapshot
		wait "$del"
		exec {fd}<&-
		bg_kill "$BG"
	done
	wait_for 10 reaches a "$(inner a mp0)"
}

# established HOST: there is a session
established() {
	[ "$(tun_json "$1" mp0 .state)" = established ]
}

# a tunnel that is set up meanwhile waits
test_created() {
	local fd

	[ -c /dev/snapshot ] || skip "this kernel makes no images of memory"
	exec {fd}</dev/snapshot
	restart a b
	unused 3
	exec {fd}<&-
	back_within 2000 a "the image is made"
}

# sleep_for SECONDS: suspend, in an instant; the time of all suspends so far
sleep_for() {
	echo 0 >/sys/module/suspend/parameters/pm_test_delay
	echo freezer >/sys/power/pm_test
	echo "$1" >"$SLEPT"
	echo freeze >/sys/power/state
	echo none >/sys/power/pm_test
}

# both_grew BEFORE: both ends have had more sessions since
both_grew() {
	[ "$(sessions a)" -gt "${1%:*}" ] && [ "$(sessions b)" -gt "${1#*:}" ]
}

# grace HOST: what is left of that of the old key
grace() {
	tun_json "$1" mp0 '.key_grace // 0'
}

# no_grace HOST: the old key has been dropped
no_grace() {
	[ "$(grace "$1")" -eq 0 ]
}

# A session is renewed after 120 s, the old key dropped after 300 s.
test_suspend() {
	local before host

	[ -f "$SLEPT_KO" ] || skip "no mptun_slept.ko beside mptun.ko"
	insmod "$SLEPT_KO"
	restart a b
	all_up
	for host in a b; do
		ctl "$host" set mp0 key "$(tunnel_key other)" key-grace 300
	done
	wait_for 5 reaches a "$(inner a mp0)"
	num grace "$(grace a) > 200"
	before=$(sessions a):$(sessions b)
	sleep_for 200
	wait_for 5 both_grew "$before"
	num grace "$(grace a) > 0 && $(grace a) < 100"
	sleep_for 400
	wait_for 5 no_grace a
	wait_for 5 no_grace b
	reaches a "$(inner a mp0)"
	rmmod mptun_slept
}

t "no session while an image is made, new ones after it" test_image
t "no packet waits while an image is made" test_busy_image
t "nor one of a tunnel that is deleted meanwhile" test_deleted_image
t "a tunnel set up meanwhile waits for the end" test_created
t "lifetimes of sessions and keys include suspend" test_suspend
run_theme
