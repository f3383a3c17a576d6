# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Two paths whose ends use ECN, and a device on wan2 that treats packets by their
# DS field.
# Copyright (C) 2026 The mptun authors
#
# Sourced by themes about such devices.

theme_setup() {
	two_paths "30mbit 15ms" "20mbit 25ms"
	on a sysctl -qw net.ipv4.tcp_ecn=1
	on b sysctl -qw net.ipv4.tcp_ecn=1
}

# router RULE: for packets of both directions on wan2
router() {
	on r-wan2 nft -f - <<-END
		table netdev t
		delete table netdev t
		table netdev t {
			chain a {
				type filter hook ingress device a priority 0
				$1
			}
			chain b {
				type filter hook ingress device b priority 0
				$1
			}
		}
	END
}

# fresh RULE: the same, and the path begins again
fresh() {
	ctl a path del mp0 wan2
	router "$1"
	path a mp0 wan2
	wait_paths a b mp0 wan1 wan2
}

# both WHAT: a flow in each direction has both paths
both() {
	local up down

	up=$(tcp a b "$(inner a mp0)" 10)
	down=$(tcp a b "$(inner a mp0)" 10 -R)
	figure "$1, up" "$up" Mbit/s
	figure "$1, down" "$down" Mbit/s
	timely "up, of 47" "$up > 42"
	timely "down, of 47" "$down > 42"
}
