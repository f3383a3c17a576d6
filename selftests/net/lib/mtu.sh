# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The MTU of mp0 at a and b, and the packets that a path carries.
# Copyright (C) 2026 The mptun authors
#
# Sourced by themes.

# inside OUTER: the inner packet that an outer one over IPv4 carries
inside() {
	echo $(($1 - 56 - TAG))
}

mtu_is() {
	pick "$(ipn "$1" -j link show mp0)" .mtu
	[ "$VALUE" = "$2" ]
}

# mtu_becomes MTU SECONDS: at both ends
mtu_becomes() {
	local host

	for host in a b; do
		wait_for "$2" mtu_is "$host" "$1" || fail "the MTU of $host is" \
			"$(ipn "$host" -j link show mp0 | first .mtu), not $1"
	done
}
