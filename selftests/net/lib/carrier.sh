# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What carries the traffic of a case: mptun, or another tunnel of the kernel.
# Copyright (C) 2026 The mptun authors
#
# Sourced by sim/guest.sh and bench/guest.sh. Every carrier has the arguments
# NAME A B "PATH..." MTU [SETTING...], where MTU is "-" for the usual one, and
# afterwards C_ADDR holds the addresses of its ends. A path is a link, a cable
# or a carrier made before.

declare -A C_ADDR=() C_WRAP=()

# place_addr PLACE HOST: the address of a host on a link, a carrier, or the Nth
# path over a link (LINK-N)
place_addr() {
	local base

	if [ -n "${LINK_N[$1]:-}" ]; then
		addr "$2" "$1"
	elif [ -n "${C_ADDR[$1:$2]:-}" ]; then
		echo "${C_ADDR[$1:$2]}"
	else
		base=$(addr "$2" "${1%-*}")
		echo "${base%.*}.$((${1##*-} + 1))"
	fi
}

# share_link PATH HOST...: add the addresses of a further path over a link
# (LINK-2 and so on)
share_link() {
	local path=$1 host

	[[ $path == *-* && -n ${LINK_N[${path%-*}]:-} ]] || return 0
	shift
	for host; do
		ipn "$host" address add "$(place_addr "$path" "$host")/24" \
			dev "${path%-*}"
	done
}

# carrier_plain NAME A B PATH -: no tunnel, the link itself
carrier_plain() {
	C_ADDR[$1:$2]=$(place_addr "$4" "$2")
	C_ADDR[$1:$3]=$(place_addr "$4" "$3")
}

# carrier_mptun: SETTING and value as for ip link, including cipher
carrier_mptun() {
	local name=$1 a=$2 b=$3 mtu=$5 path own other CIPHER=$CIPHER
	local -a paths settings=()

	read -ra paths <<<"$4"
	shift 5
	while [ $# -gt 0 ]; do
		case $1 in
		cipher) CIPHER=$2 ;;
		*) settings+=("$1" "$2") ;;
		esac
		shift 2
	done
	tunnel "$a" "$b" "$name" "${settings[@]}"
	C_ADDR[$name:$a]=$(inner "$b" "$name")
	C_ADDR[$name:$b]=$(inner "$a" "$name")
	for path in "${paths[@]}"; do
		share_link "$path" "$a" "$b"
		own=$(place_addr "$path" "$a")
		other=$(place_addr "$path" "$b")
		ctl "$a" path add "$name" "$path" remote "$other" local "$own"
		ctl "$b" path add "$name" "$path" remote "$own" local "$other"
	done
	wait_paths "$a" "$b" "$name" "${paths[@]}"
	[ "$mtu" = - ] || {
		ipn "$a" link set "$name" mtu "$mtu"
		ipn "$b" link set "$name" mtu "$mtu"
	}
}

# path_settings NAME A B PATH SETTING...: set them at both ends
path_settings() {
	local name=$1 a=$2 b=$3 path=$4

	shift 4
	ctl "$a" path set "$name" "$path" "$@"
	ctl "$b" path set "$name" "$path" "$@"
}

# class_settings NAME A B ID SETTING...: add a class at both ends, or change it
class_settings() {
	local name=$1 id=$4 host

	for host in "$2" "$3"; do
		if ctl "$host" class show "$name" "$id" >/dev/null 2>&1; then
			ctl "$host" class set "$name" "$id" "${@:5}"
		else
			ctl "$host" class add "$name" "$id" "${@:5}"
		fi
	done
}

# path_set NAME PATH SETTING...: the same, for an event
path_set() {
	local name=$1

	shift
	path_settings "$name" a b "$@"
}

# carrier_mptcp: B announces its other addresses, A connects to each of them;
# the routes lead each subflow over its own link
carrier_mptcp() {
	local name=$1 a=$2 b=$3 path
	local -a paths

	read -ra paths <<<"$4"
	# shellcheck disable=SC2034 # for traffic.sh
	C_WRAP[$name]="mptcpize run"
	C_ADDR[$name:$a]=$(addr "$a" "${paths[0]}")
	C_ADDR[$name:$b]=$(addr "$b" "${paths[0]}")
	on "$a" ip mptcp limits set subflows 8 add_addr_accepted 8
	on "$b" ip mptcp limits set subflows 8 add_addr_accepted 8
	for path in "${paths[@]:1}"; do
		on "$b" ip mptcp endpoint add "$(addr "$b" "$path")" \
			dev "$path" signal
	done
}

# carrier_bond: one VXLAN for each path, round robin over them
carrier_bond() {
	local name=$1 a=$2 b=$3 path host other vni n own=1
	local -a paths

	read -ra paths <<<"$4"
	n=$((++TUNNELS))
	for host in "$a" "$b"; do
		other=$b vni=$((n * 100))
		[ "$host" = "$a" ] || other=$a own=2
		ipn "$host" link add "$name" type bond mode balance-rr miimon 100
		for path in "${paths[@]}"; do
			vni=$((vni + 1))
			ipn "$host" link add "vx-$path" type vxlan id $vni \
				local "$(addr "$host" "$path")" \
				remote "$(addr "$other" "$path")" dstport 4789
			ipn "$host" link set "vx-$path" master "$name"
		done
		ipn "$host" link set "$name" mtu 1450 up
		ipn "$host" address add "172.21.$n.$own/24" dev "$name"
		C_ADDR[$name:$host]=172.21.$n.$own
	done
	wait_ping "$a" "172.21.$n.2"
}

# carrier_wireguard: over its first path
carrier_wireguard() {
	local name=$1 a=$2 b=$3 path=${4%% *} host n own
	local -A key=() pub=()

	n=$((++TUNNELS))
	for host in "$a" "$b"; do
		key[$host]=$(wg genkey)
		pub[$host]=$(wg pubkey <<<"${key[$host]}")
	done
	for host in "$a" "$b"; do
		own=1
		[ "$host" = "$a" ] || own=2
		ipn "$host" link add "$name" type wireguard
		wg_peer "$host" "$name" "$path" "${key[$host]}" \
			"${pub[$([ "$host" = "$a" ] && echo "$b" || echo "$a")]}"
		ipn "$host" address add "172.22.$n.$own/24" dev "$name"
		ipn "$host" link set "$name" up
		C_ADDR[$name:$host]=172.22.$n.$own
	done
	wait_ping "$a" "172.22.$n.2"
}

wg_peer() {
	on "$1" wg set "$2" listen-port 51820 private-key <(echo "$4") \
		peer "$5" allowed-ips 0.0.0.0/0 endpoint "$(remote "$1" "$3"):51820"
}

# carrier_vxlan: over its first path
carrier_vxlan() {
	local name=$1 a=$2 b=$3 path=${4%% *} host n own=1

	n=$((++TUNNELS))
	for host in "$a" "$b"; do
		ipn "$host" link add "$name" type vxlan id "$n" \
			local "$(addr "$host" "$path")" \
			remote "$(remote "$host" "$path")" dstport 4789
		ipn "$host" link set "$name" mtu 1450 up
		ipn "$host" address add "172.23.$n.$own/24" dev "$name"
		C_ADDR[$name:$host]=172.23.$n.$own
		own=2
	done
	wait_ping "$a" "172.23.$n.2"
}

# carrier_ovpn: over its first path, with the cipher that WireGuard has; needs
# MPTUN_OVPN_CLI (bench/ovpn.sh)
carrier_ovpn() {
	local name=$1 a=$2 b=$3 path=${4%% *} host n own=1

	n=$((++TUNNELS))
	head -c 192 /dev/urandom | base64 -w 0 >"$TMP/$name.key"
	for host in "$a" "$b"; do
		on "$host" "$MPTUN_OVPN_CLI" new_iface "$name" P2P
		on "$host" "$MPTUN_OVPN_CLI" new_peer "$name" 1 none 1194 \
			"$(remote "$host" "$path")" 1194
		on "$host" "$MPTUN_OVPN_CLI" new_key "$name" 1 1 0 chachapoly \
			$((own - 1)) "$TMP/$name.key"
		ipn "$host" link set "$name" mtu 1420 up
		ipn "$host" address add "172.24.$n.$own/24" dev "$name"
		C_ADDR[$name:$host]=172.24.$n.$own
		own=2
	done
	wait_ping "$a" "172.24.$n.2"
}
