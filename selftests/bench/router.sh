#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: what passes between two routers that translate addresses.
# Copyright (C) 2026 The mptun authors
#
# usage (by selftests/bench/router.py, or by hand):
#	MPTUN_RESULTS=FOLDER selftests/kernels/uml/run.sh smp -c CPUS \
#		selftests/bench/router.sh ROUNDS SECONDS
#
#	c ─── a ═══ b ─── s	a client, two routers, a server
#
# Only the processors limit a cable, and it carries single packets, as a wire
# does. All carriers connect a and b; the address of the server selects one.
# Both routers masquerade. Everything is measured again with a flow table
# (nftables), which forwards packets of known connections past routing and the
# other hooks; and with several processors also with RPS, which spreads received
# packets over them by flow. Leaves router.tsv: ROUND STEERING CARRIER MEASURE
# VALUE.
#
# shellcheck disable=SC2317 # called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../net/lib.sh"
# shellcheck source=selftests/net/lib/carrier.sh
. "$NET_DIR/lib/carrier.sh"

ROUNDS=${1:-5}
LENGTH=${2:-2}
CARRIERS="veth vxlan wireguard mptun mptun-clear"
STEERINGS="none table"
[ "$(nproc)" = 1 ] || STEERINGS="none table rps"
OUT=$MPTUN_RESULTS/router.tsv

theme_setup() {
	local name n=0

	hosts c s
	routers a b
	cable c a home
	cable a b wan1
	cable b s office
	carrier_plain veth a b wan1 -
	carrier_vxlan vxlan a b wan1 -
	carrier_wireguard wireguard a b wan1 -
	carrier_mptun mptun a b wan1 1400 cipher chacha20-poly1305
	carrier_mptun mptun-clear a b wan1 1400 cipher clear
	for name in $CARRIERS; do
		n=$((n + 1))
		server "$name" "10.9.$n"
	done
	ipn c route add 10.9.0.0/16 via "$(remote c home)"
	translate a
	translate b
}

declare -A SERVER=()

# server CARRIER NET: an address of the server that this carrier leads to
server() {
	SERVER[$1]=$2.1
	ipn s address add "$2.1/32" dev lo
	ipn b route add "$2.0/24" via "$(remote b office)"
	ipn a route add "$2.0/24" via "${C_ADDR[$1:b]}"
}

# translate HOST: what is forwarded gets an address of the router
translate() {
	on "$1" nft -f - <<-'END'
		table ip nat {
			chain out {
				type nat hook postrouting priority srcnat
				iifname "home" masquerade
				oifname "office" masquerade
			}
		}
	END
}

# devices HOST: what its flow table takes packets from
devices() {
	local name list

	case $1 in
	a) list="home wan1" ;;
	b) list="wan1 office" ;;
	esac
	for name in $CARRIERS; do
		[ "$name" = veth ] || list+=" $name"
	done
	echo "${list// /, }"
}

# table HOST: all connections that are forwarded go into the flow table
table() {
	on "$1" nft -f - <<-END
		table inet fast {
			flowtable ft {
				hook ingress priority filter
				devices = { $(devices "$1") }
			}
			chain forward {
				type filter hook forward priority filter
				meta l4proto { tcp, udp } flow add @ft
			}
		}
	END
}

# steer HOW: set how routers forward, and on which processors
steer() {
	local mask=0 host

	for host in a b; do
		on "$host" nft "add table inet fast; delete table inet fast"
		[ "$1" != table ] || table "$host"
	done

	[ "$1" != rps ] || mask=$(printf '%x' $(((1 << $(nproc)) - 1)))
	for host in c a b s; do
		# shellcheck disable=SC2016 # expanded over there
		on "$host" bash -c 'for file in /sys/class/net/*/queues/rx-*; do
			[ ! -e "$file/rps_cpus" ] || echo "$1" >"$file/rps_cpus"
		done' steer "$mask"
	done
}

# row ROUND STEERING CARRIER MEASURE VALUE
row() {
	(IFS=$'\t'; echo "$*") >>"$OUT"
}

# packets ADDRESS: packets of 64 bytes that arrive in a second
packets() {
	local port

	port=$(next_port)
	bg s "$(helper rate)" recv "$port"
	wait_for 10 flow_listens s "$port"
	on c "$(helper rate)" send "$1" "$port" 36 "$LENGTH" >&2
	bg_wait "$BG"
	jq '.received / .seconds | round' <<<"$BG_OUT"
}

# once ROUND STEERING CARRIER
once() {
	local to=${SERVER[$3]}

	row "$1" "$2" "$3" up "$(TCP_OMIT=0 tcp c s "$to" "$LENGTH")"
	row "$1" "$2" "$3" down "$(TCP_OMIT=0 tcp c s "$to" "$LENGTH" -R)"
	row "$1" "$2" "$3" packets "$(packets "$to" 2>>"$TMP/words")"
	[ "$2" != table ] || offloaded
}

# what the table is measured with passes through it
offloaded() {
	local host

	for host in a b; do
		on "$host" grep -q OFFLOAD /proc/net/nf_conntrack ||
			fail "no connection is in the flow table of $host"
	done
}

round() {
	local steering carrier

	: >"$TMP/words"
	for steering in $STEERINGS; do
		steer "$steering"
		# shellcheck disable=SC2086 # a list of words
		for carrier in $(shuf -e $CARRIERS); do
			once "$1" "$steering" "$carrier"
		done
	done
	eq "figures" "$(grep -c "^$1"$'\t' "$OUT")" \
		$(($(wc -w <<<"$STEERINGS") * $(wc -w <<<"$CARRIERS") * 3))
}

: >"$OUT"
for ((i = 1; i <= ROUNDS; i++)); do
	t "round $i" round "$i"
done
run_theme
