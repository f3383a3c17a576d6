# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Tunnels between hosts, and queries about their state.
# Copyright (C) 2026 The mptun authors
#
# Sourced by lib.sh.

declare -A TUN_N=() TUN_A=()
TUNNELS=0

# the default cipher of tunnels
CIPHER=${MPTUN_CIPHER:-chacha20-poly1305}
# Whether tunnels learn paths from the peer. Most themes add each path at both
# ends, and test what happens when one of them is deleted.
LEARN=off
# shellcheck disable=SC2034 # used by themes
TAG=16
# shellcheck disable=SC2034
[ "$CIPHER" != clear ] || TAG=0

# tunnel A B DEV [OPTION...]: DEV at both ends, up, with inner addresses
# 172.20.N.1 and fd20:N::1 at A, .2 at B; no path yet
tunnel() {
	local a=$1 b=$2 dev=$3 n

	shift 3
	n=$((++TUNNELS))
	TUN_N[$dev]=$n
	TUN_A[$dev]=$a
	tunnel_end "$a" "$dev" "$@"
	tunnel_end "$b" "$dev" "$@"
}

# tunnel_end HOST DEV [OPTION...]: one end of it
tunnel_end() {
	local host=$1 dev=$2 n=${TUN_N[$2]} own=2 other=1

	shift 2
	[ "$host" != "${TUN_A[$dev]}" ] || own=1 other=2
	[[ " $* " == *" learn "* ]] || set -- learn "$LEARN" "$@"
	if [ "$CIPHER" = clear ]; then
		ipn "$host" link add "$dev" type mptun cipher clear \
			id $((n * 10 + own)) peer-id $((n * 10 + other)) "$@"
	else
		ipn "$host" link add "$dev" type mptun cipher "$CIPHER" "$@"
		ctl "$host" set "$dev" key "$(tunnel_key "$n")"
	fi
	tunnel_up "$host" "$dev" "$n" "$own"
}

# tunnel_key NAME: a file with the key of that name
tunnel_key() {
	local file=$TMP/key.$1

	[ -e "$file" ] || (umask 077 && mptunctl key gen >"$file")
	echo "$file"
}

# tunnel_up HOST DEV N OWN: set addresses of an end, and set it up
tunnel_up() {
	ip -n "$NSP-$1" -batch - <<-END
		address add 172.20.$3.$4/24 dev $2
		address add fd20:$3::$4/64 dev $2 nodad
		link set $2 up
	END
}

# theme_tunnels: "NAMESPACE DEV" of every tunnel on the theme's hosts
theme_tunnels() {
	local name dev

	while read -r name; do
		[[ $name != *-r-* && -e /run/netns/$name ]] || continue
		ip -n "$name" -br link show type mptun |
			while read -r dev _; do
				echo "$name ${dev%@*}"
			done
	done <"$TMP/ns.theme"
}

# drop_tunnels: delete those that a test left on the hosts of the theme
drop_tunnels() {
	local name dev kept

	kept=" $(<"$TMP/tunnels") "
	theme_tunnels | while read -r name dev; do
		[[ ${kept//$'\n'/ } == *" $name $dev "* ]] ||
			ip -n "$name" link del "$dev"
	done
}

# plain_queue DEV HOST...: a FIFO on the tunnel, for tests that count every
# packet; fq_codel drops packets of standing queues
plain_queue() {
	local host dev=$1

	shift
	for host; do
		on "$host" tc qdisc replace dev "$dev" root pfifo limit 1000
	done
}

# inner HOST DEV [6]: the inner address of the other end
inner() {
	local n=${TUN_N[$2]} side=1

	[ "${TUN_A[$2]}" != "$1" ] || side=2
	if [ "${3:-4}" = 6 ]; then
		echo "fd20:$n::$side"
	else
		echo "172.20.$n.$side"
	fi
}

# ctl HOST ARGUMENT...: mptunctl on a host
ctl() {
	local host=$1

	shift
	on "$host" mptunctl "$@"
}

# path HOST DEV LINK [OPTION...]: add a path over a link, over IPv4
path() {
	local host=$1 dev=$2 link=$3

	shift 3
	ctl "$host" path add "$dev" "$link" remote "$(remote "$host" "$link")" \
		local "$(addr "$host" "$link")" "$@"
}

# path6 HOST DEV LINK [OPTION...]: the same over IPv6
path6() {
	local host=$1 dev=$2 link=$3

	shift 3
	ctl "$host" path add "$dev" "$link" remote "$(remote "$host" "$link" 6)" \
		local "$(addr "$host" "$link" 6)" "$@"
}

# paths A B DEV LINK...: add paths at both ends and wait until all are up
paths() {
	local a=$1 b=$2 dev=$3 link

	shift 3
	for link; do
		path "$a" "$dev" "$link"
		path "$b" "$dev" "$link"
	done
	wait_paths "$a" "$b" "$dev" "$@"
}

# wait_paths A B DEV LINK...: wait until these are up at both ends, with the
# largest size found
wait_paths() {
	local a=$1 b=$2 dev=$3 link

	shift 3
	for link; do
		wait_state "$a" "$dev" "$link" up
		wait_state "$b" "$dev" "$link" up
	done
	for link; do
		wait_sized "$a" "$dev" "$link"
		wait_sized "$b" "$dev" "$link"
	done
}

# path_sized HOST DEV PATH: the search for the largest packet has ended
path_sized() {
	path_value "$1" "$2" "$3" .pmtu_state &&
		[[ $VALUE != base && $VALUE != search ]]
}

# wait_sized HOST DEV PATH
wait_sized() {
	wait_for 3 path_sized "$@" || fail "$1 $2 $3 still looks for its MTU"
}

# two_paths LINK1 LINK2: what most themes begin with: hosts a and b, links wan1
# and wan2 (each "RATE DELAY...", see link), tunnel mp0 with a path over each
# shellcheck disable=SC2086 # lists of words
two_paths() {
	hosts a b
	link a b wan1 $1
	link a b wan2 $2
	tunnel a b mp0
	paths a b mp0 wan1 wan2
}

# json HOST ARGUMENT...: set JSON to what mptunctl prints with -j. Tests poll it,
# so that it starts no process but that one.
json() {
	local host=$1

	shift
	JSON=$(exec "$ENTER" "/run/netns/$NSP-$host" mptunctl "$@" -j)
}

# path_value HOST DEV PATH FILTER: set VALUE to a value of a path, see pick()
path_value() {
	json "$1" path show "$2" "$3" || return
	pick "$JSON" "$4"
}

# path_json HOST DEV PATH FILTER: print it
path_json() {
	path_value "$@" || return
	echo "$VALUE"
}

# tun_json HOST DEV FILTER: print a value of a tunnel, see pick()
tun_json() {
	json "$1" show "$2" || return
	pick "$JSON" "$3"
	echo "$VALUE"
}

path_state() {
	path_json "$1" "$2" "$3" .state
}

path_is() {
	path_value "$1" "$2" "$3" .state && [ "$VALUE" = "$4" ]
}

# wait_state HOST DEV PATH STATE [SECONDS]
wait_state() {
	wait_for "${5:-10}" path_is "$1" "$2" "$3" "$4" ||
		fail "$1 $2 $3 is $(path_state "$1" "$2" "$3"), not $4"
}

# reaches HOST ADDRESS: whether a ping gets an answer
reaches() {
	on "$1" ping -n -q -c 1 -W 1 "$2"
}

# wait_ping HOST ADDRESS [SECONDS]
wait_ping() {
	wait_for "${3:-10}" reaches "$1" "$2"
}

# ping_passes HOST ADDRESS: the ms until a ping gets an answer, at most 10 s; on
# a slow machine later, and each answer may be late
ping_passes() {
	local begin wait=0.1 ms=0 most=10000

	virtual_time || most=$((most * SLOW))
	begin=$(now_ms)
	until on "$1" ping -n -q -c 1 -W "$wait" "$2" >/dev/null 2>&1; do
		ms=$(($(now_ms) - begin))
		[ "$ms" -lt "$most" ] || {
			echo "no ping from $1 to $2 passes" >&2
			return 1
		}
		[ "$ms" -lt 2000 ] || virtual_time || wait=1
		sleep 0.01
	done
	echo $(($(now_ms) - begin))
}

# carrier HOST DEV: on or off
carrier() {
	case $(ipn "$1" link show "$2") in
	*[,\<]LOWER_UP[,\>]*) echo on ;;
	*) echo off ;;
	esac
}

carrier_is() {
	[ "$(carrier "$1" "$2")" = "$3" ]
}

# wait_carrier HOST DEV on|off [SECONDS]
wait_carrier() {
	wait_for "${4:-10}" carrier_is "$1" "$2" "$3" ||
		fail "the carrier of $1 $2 is $(carrier "$1" "$2"), not $3"
}
