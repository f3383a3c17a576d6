#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The MTUs of the user guide and of the page about WireGuard.
# Copyright (C) 2026 The mptun authors
# stages: tt tt-long vm-long
#
# lib/layers.sh has the hosts. All figures are read from the guide.
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=selftests/net/lib/wireguard.sh
. "$NET_DIR/lib/wireguard.sh"
# shellcheck source=selftests/net/lib/layers.sh
. "$NET_DIR/lib/layers.sh"

theme_setup() {
	layer_hosts
}

# bounded MTU ADDRESS...: the MTU of mp0 is larger than that of its path:
# senders get the right one, on a and behind it
bounded() {
	local mtu=$1 address before

	shift
	dev_mtu mp0 1500
	watch 1500
	before=$(tun_json a mp0 .drops.tx_too_big)
	for address; do
		sized a "$mtu" "$address"
		by_icmp a $((mtu + 1)) "$address" "$mtu"
		sized c "$mtu" "$address"
		by_icmp c $((mtu + 1)) "$address" "$mtu"
	done
	# c may get it from a, which has learned it from mp0
	num "packets too big" \
		"$(tun_json a mp0 .drops.tx_too_big) >= $before + $#"
	eq "fragments on the wire" "$(watched pieces)" 0
}

# ends MTU: the inner addresses of mp0 at b that an MTU allows
ends() {
	inner a mp0
	[ "$1" -lt 1280 ] || inner a mp0 6
}

mp0_end() {
	ipn a link del mp0
	ipn b link del mp0
}

# fits UPLINK MTU4 MTU6 CLEAR4 CLEAR6: mptun on an uplink
fits() {
	local uplink=$1 path CIPHER mtu

	shift
	fresh
	link_mtu wan1 "$uplink"
	for CIPHER in chacha20-poly1305 clear; do
		for path in path path6; do
			mtu=$1
			shift
			tunnel a b mp0
			"$path" a mp0 wan1
			"$path" b mp0 wan1
			wait_paths a b mp0 wan1
			eq "mtu of the path" "$(path_json a mp0 wan1 .mtu)" \
				"$uplink"
			# shellcheck disable=SC2046 # two addresses
			exact mp0 "$mtu" "$uplink" $(ends "$mtu")
			mp0_end
		done
	done
}

mtu_is() {
	pick "$(ipn a -j link show "$1")" .mtu
	[ "$VALUE" = "$2" ]
}

# mtu_becomes DEV MTU: it follows its path
mtu_becomes() {
	wait_for 3 mtu_is "$@" || fail "the MTU of $1 is not $2"
}

# in_wg UPLINK OUTER WG-MTU CIPHER4 CIPHER6 MTU...: mptun in WireGuard, with
# pairs of MTUs for the ciphers that are given
in_wg() {
	local uplink=$1 outer=$2 wg=$3 ciphers=$4 CIPHER family

	shift 4
	fresh
	link_mtu wan1 "$uplink"
	wg_over a b wg1 1 wan1 "$outer" "$wg"
	for CIPHER in $ciphers; do
		for family in 4 6; do
			layered "$family"
			eq "mtu of the path" "$(path_json a mp0 in .mtu)" "$wg"
			mtu_becomes mp0 "$1"
			exact mp0 "$1" "$uplink" "$(inner a mp0)" \
				"$(inner a mp0 6)"
			bounded "$1" "$(inner a mp0)" "$(inner a mp0 6)"
			mp0_end
			shift
		done
	done
}

# wg_inside UPLINK OUTER MP0-MTU MTU4 MTU6: WireGuard over each family in mp0
wg_inside() {
	local uplink=$1 outer=$2 mp0=$3 four=$4 six=$5 CIPHER tag family path

	path=path
	[ "$outer" = 4 ] || path=path6
	fresh
	link_mtu wan1 "$uplink"
	for CIPHER in auth-only clear; do
		tag=0
		[ "$CIPHER" != clear ] || tag=16
		tunnel a b mp0
		"$path" a mp0 wan1
		"$path" b mp0 wan1
		wait_paths a b mp0 wan1
		dev_mtu mp0 $((mp0 + tag))
		for family in 4 6; do
			wg_pair a b wg9 9 "$(inner a mp0 "$family")" 1280
			[ "$family" = 4 ] || four=$six
			exact wg9 $((four + tag)) "$uplink" "$(wg_in 9 2)" \
				"$(wg_in 9 2 6)"
			ipn a link del wg9
			ipn b link del wg9
		done
		four=$4
		mp0_end
	done
}

# a figure of the guide that is wrong by one is detected
test_figures_count() {
	if (fits 1500 1429 1408 1444 1424); then
		fail "1429 for 1428 was not detected"
	fi
	if (fits 1500 1427 1408 1444 1424); then
		fail "1427 for 1428 was not detected"
	fi
}

# WireGuard and mp0 with their default MTUs: TCP finds the MTU that passes, from
# a and from behind it; packets of this size still pass when wg1 carries less,
# until "mtu auto" is set again
test_as_made() {
	local CIPHER=auth-only got host

	fresh
	wg_over a b wg1 1 wan1 4 1420
	layered 4
	watch 1500
	for host in a c; do
		got=$(tcp "$host" b "$(inner a mp0)" 2)
		num "TCP from $host" "$got > 1"
		got=$(tcp "$host" b "$(inner a mp0)" 2 -R)
		num "TCP to $host" "$got > 1"
	done
	flow_start a b "$(inner a mp0)" 500 3 1000
	sleep 1
	ipn a link set wg1 mtu 1380
	flow_end
	timely lost "$(flow .lost) == 0"
	eq "mtu of the path" "$(path_json a mp0 in .mtu)" 1380
	forget a
	sized a 1348 "$(inner a mp0)"
	too_long a 1349 "$(inner a mp0)" 1348
	ctl a set mp0 mtu auto
	mtu_becomes mp0 1308
	sized a 1308 "$(inner a mp0)"
	too_long a 1309 "$(inner a mp0)" 1308
	eq "fragments on the wire" "$(watched pieces)" 0
}

# WireGuard with its default MTU in an mp0 with its own: packets of WireGuard
# are fragmented before they enter mp0, and not again on the wire
test_wg_too_large() {
	local CIPHER=auth-only got

	fresh
	tunnel a b mp0
	paths a b mp0 wan1
	dev_mtu mp0 1400
	wg_pair a b wg9 9 "$(inner a mp0)" 1420
	watch 1500
	sized a 1420 "$(wg_in 9 2)"
	# the same with a path whose MTU is less than that of mp0
	link_mtu wan1 1400
	got=$(tcp a b "$(wg_in 9 2)" 2)
	num "TCP in WireGuard" "$got > 1"
	got=$(tcp a b "$(wg_in 9 2)" 2 -R)
	num "TCP in WireGuard, reverse" "$got > 1"
	eq "fragments on the wire" "$(watched pieces)" 0
}

# --- the tables of the guide

# the tables of the guide are found, however it is edited
test_tables() {
	eq "uplinks" "$(guide table "MTU and fragmentation" 2 | wc -l)" 7
	eq "WireGuards outside" "$(guide table "$WG_SECTION" 1 | wc -l)" 4
	eq "WireGuards inside" "$(guide table "$WG_SECTION" 2 | wc -l)" 4
}

# uplink WORD: its MTU
uplink() {
	[ "$1" = PPPoE ] && echo 1492 || echo "$1"
}

# In quick mode: the first and the last row of each table
some() {
	if [ "$(quick few all)" = all ]; then
		cat
	else
		sed -n '1p;$p'
	fi
}

ROW='^([0-9]+) \(([A-Za-z0-9]+), IPv([46])'

t "the tables of the guide" test_tables
while IFS=$'\t' read -r row four six clear4 clear6; do
	t "MTU of mptun on $row" fits "${row%% *}" "$four" "$six" "$clear4" \
		"$clear6"
done < <(guide table "MTU and fragmentation" 2 | some)
t "a figure that is wrong by one is detected" test_figures_count
while IFS=$'\t' read -r row clear4 clear6 auth4 auth6; do
	[[ $row =~ $ROW ]] || {
		t "a row of the guide: $row" false
		continue
	}
	t "MTU of mptun in WireGuard of $row" in_wg \
		"$(uplink "${BASH_REMATCH[2]}")" "${BASH_REMATCH[3]}" \
		"${BASH_REMATCH[1]}" "clear auth-only" "$clear4" "$clear6" \
		"$auth4" "$auth6"
	sealed=("$(uplink "${BASH_REMATCH[2]}")" "${BASH_REMATCH[3]}"
		"${BASH_REMATCH[1]}" chacha20-poly1305 "$auth4" "$auth6")
done < <(guide table "$WG_SECTION" 1 | some)
t_full "the same with chacha20-poly1305" in_wg "${sealed[@]}"
while IFS=$'\t' read -r row four six; do
	[[ $row =~ $ROW ]] || {
		t "a row of the guide: $row" false
		continue
	}
	t "MTU of WireGuard in mptun of $row" wg_inside \
		"$(uplink "${BASH_REMATCH[2]}")" "${BASH_REMATCH[3]}" \
		"${BASH_REMATCH[1]}" "$four" "$six"
done < <(guide table "$WG_SECTION" 2 | some)
t "mptun in WireGuard, default MTUs" test_as_made
t_full "WireGuard in mptun, default MTUs" test_wg_too_large
run_theme
