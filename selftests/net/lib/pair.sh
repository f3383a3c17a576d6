# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The two ends of tunnel mp0, a and b, with paths over wan1 and wan2.
# Copyright (C) 2026 The mptun authors
#
# Sourced by themes that restart them. REKEY, if set, is the age of a session at
# which it is renewed.

# pair_hosts: both, their links, and the host p beside b, an attacker
pair_hosts() {
	hosts a b p
	link a b wan1 8mbit 5ms
	link a b wan2 8mbit 20ms
	cable b p lab
}

# restart HOST...: delete their ends and make them again, with their paths
restart() {
	local host

	for host; do
		ipn "$host" link del mp0
	done
	for host; do
		tunnel_end "$host" mp0
		[ -z "${REKEY:-}" ] || ctl "$host" set mp0 rekey "$REKEY"
		path "$host" mp0 wan1
		path "$host" mp0 wan2
	done
}

# rekey SECONDS
rekey() {
	ctl a set mp0 rekey "$1"
	ctl b set mp0 rekey "$1"
}

all_up() {
	wait_paths a b mp0 wan1 wan2
}

# back_within MS FROM TEXT: pings from that host pass within MS
back_within() {
	local back

	back=$(ping_passes "$2" "$(inner "$2" mp0)")
	figure "$3, until a ping passes" "$back" ms
	timely "time" "$back <= $1"
	all_up
	eq "instance of a at b" "$(tun_json b mp0 .peer_instance)" \
		"$(tun_json a mp0 .instance)"
	eq "instance of b at a" "$(tun_json a mp0 .peer_instance)" \
		"$(tun_json b mp0 .instance)"
}

associations() {
	tun_json "$1" mp0 .associations
}

sessions() {
	tun_json "$1" mp0 .sessions
}

# of_both FIELDS: these fields of the tunnel, at both ends
of_both() {
	local host

	for host in a b; do
		tun_json "$host" mp0 "\"$host \" + ([$1] | tostring)"
	done
}

# present: what no attack may change
present() {
	of_both ".associations, .sessions, .instance, .peer_instance, .paths_up"
}

# lossless: the flow lost nothing
lossless() {
	eq duplicates "$(flow .duplicates)" 0
	timely lost "$(flow .lost) == 0"
}

# drop HOST REASON[,REASON]... [DEV]: packets that a tunnel and its port dropped
drop() {
	tun_json "$1" "${3:-mp0}" "[(.drops, .port_drops // {}) |
		.${2//,/, .}] | add // 0"
}

# dropped_for_keys: genuine packets that were late or could not be sent
dropped_for_keys() {
	local reasons=rx_auth,rx_no_association,tx_no_session

	echo "$(drop a "$reasons") $(drop b "$reasons")"
}

# drops HOST: all received packets that were dropped
drops() {
	tun_json "$1" mp0 '[(.drops, .port_drops // {}) | to_entries[] |
		select(.key | startswith("rx_")).value] | add'
}

# grown REASON BEFORE-A BEFORE-B N: whether both ends together dropped N more
grown() {
	[ $(($(drop a "$1") + $(drop b "$1") - $2 - $3)) -ge "$4" ]
}
