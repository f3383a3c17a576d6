#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# No session outlives a copy of the machine's memory.
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
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=selftests/net/lib/pair.sh
. "$NET_DIR/lib/pair.sh"

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

t "no session while an image is made, new ones after it" test_image
t "a tunnel set up meanwhile waits for the end" test_created
run_theme
