# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# WireGuard between hosts.
# Copyright (C) 2026 The mptun authors
#
# Sourced by themes, after lib.sh.

# shellcheck source=selftests/net/lib/guide.sh
. "$NET_DIR/lib/guide.sh"
# shellcheck disable=SC2034 # for themes
WG_SECTION="mptun and WireGuard"

modprobe wireguard 2>/dev/null || :

# wg_key NAME: a file with a private key, made at the first call
wg_key() {
	local file=$TMP/wg.$1

	[ -e "$file" ] || (umask 077 && wg genkey >"$file")
	echo "$file"
}

# wg_end HOST OTHER DEV N OWN MTU [ADDRESS]: one end of WireGuard; the other end
# is at ADDRESS, or initiates; inner addresses 10.80.N.OWN and fd80:N::OWN
wg_end() {
	local host=$1 other=$2 dev=$3 n=$4 own=$5 mtu=$6 to=${7:-}

	[[ $to != *:* ]] || to="[$to]"
	ipn "$host" link add "$dev" type wireguard
	on "$host" wg set "$dev" listen-port $((51820 + n)) \
		private-key "$(wg_key "$dev.$host")" \
		peer "$(wg pubkey <"$(wg_key "$dev.$other")")" \
		${to:+endpoint "$to:$((51820 + n))"} \
		allowed-ips 0.0.0.0/0,::/0
	ip -n "$NSP-$host" -batch - <<-END
		address add 10.80.$n.$own/24 dev $dev
		link set $dev mtu $mtu up
		address add fd80:$n::$own/64 dev $dev nodad
	END
}

# wg_pair A B DEV N ADDRESS-B MTU: both ends. Only A initiates: if both do so at
# the same moment, as in virtual time, handshakes may fail for a long time.
wg_pair() {
	wg_end "$2" "$1" "$3" "$4" 2 "$6"
	wg_end "$1" "$2" "$3" "$4" 1 "$6" "$5"
	wait_ping "$1" "$(wg_in "$4" 2)"
}

# wg_over A B DEV N LINK FAMILY MTU: the same over a link
wg_over() {
	wg_pair "$1" "$2" "$3" "$4" "$(addr "$2" "$5" "$6")" "$7"
}

# wg_in N OWN [6]: an inner address
wg_in() {
	if [ "${3:-4}" = 6 ]; then
		echo "fd80:$1::$2"
	else
		echo "10.80.$1.$2"
	fi
}

# wg_path HOST DEV NAME WG-DEV N FAMILY: a path of mptun in a WireGuard
wg_path() {
	local other=2

	[ "${TUN_A[$2]}" = "$1" ] || other=1
	ctl "$1" path add "$2" "$3" remote "$(wg_in "$5" "$other" "$6")" \
		dev "$4"
}
