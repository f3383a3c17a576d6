# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Hosts with a folder /etc of their own.
# Copyright (C) 2026 The mptun authors
#
# Sourced by themes that type what a document says.

TOOLS+=(unshare)
declare -A ETC_PID=()

# own_etc HOST...: a folder /etc for each, $TMP/etc.HOST, with what programs
# need there. What a host mounts stays mounted, and no other host sees it.
own_etc() {
	local host etc

	for host; do
		etc=$TMP/etc.$host
		rm -rf "$etc"
		mkdir -p "$etc/mptun" "$etc/sysctl.d"
		cp -rL /etc/{nsswitch.conf,hosts,protocols,services,passwd} \
			/etc/{group,iproute2,ld.so.cache} "$etc/" || :
		# shellcheck disable=SC2016 # expanded over there
		bg "$host" unshare -m sh -c \
			'mount --bind "$0" /etc && exec sleep 1000000' "$etc"
		ETC_PID[$host]=$BG
		wait_for 5 has_etc "$host"
	done
}

# has_etc HOST: its folder is mounted
has_etc() {
	[ "/proc/${ETC_PID[$1]}/root/etc/mptun" -ef "$TMP/etc.$1/mptun" ]
}

# home HOST CMD...: on a host, with its /etc
home() {
	local host=$1 pid=${ETC_PID[$1]}

	shift
	nsenter --mount="/proc/$pid/ns/mnt" --net="/run/netns/$NSP-$host" -- \
		"$@"
}
