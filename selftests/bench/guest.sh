#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: compares tunnels, in rounds.
# Copyright (C) 2026 The mptun authors
#
# usage (by selftests/bench/run.py, or by hand):
#	MPTUN_OVPN_CLI=FILE MPTUN_RESULTS=FOLDER \
#		selftests/kernels/uml/run.sh smp -c 1 \
#		selftests/bench/guest.sh ROUNDS SECONDS TUNNELS
#
# Only the processor limits a cable. All that is compared stands beside
# each other from the beginning, and each round measures all of it, in an order
# of its own: whatever else the machine does hits everybody. Leaves bench.tsv:
# ROUND CARRIER CABLE MEASURE VALUE.
#
#	a ═══ b		cables w1..w4: every packet on its own, at most 1500 bytes
#	c ═══ d		cables f1..f4: packets of 64 KiB pass whole
#	e ─── f		ten tunnels on one port
#	g ═══ h		TUNNELS tunnels on one port, of which ten have traffic
#
# shellcheck disable=SC2317 # called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../net/lib.sh"
# shellcheck source=selftests/net/lib/carrier.sh
. "$NET_DIR/lib/carrier.sh"

ROUNDS=${1:-5}
LENGTH=${2:-1}
MANY=${3:-1000}
BUSY=10
CARRIERS="veth vxlan wireguard ovpn mptun mptun-no-repair
	mptun-aes-gcm mptun-auth-only mptun-clear mptun-clear-2 mptun-clear-4
	mptun-2-off"
OUT=$MPTUN_RESULTS/bench.tsv

theme_setup() {
	hosts a b c d
	plain_devices v 200
	pair a b w
	pair c d f whole
	tunnels e f x "$BUSY"
	tunnels g h y "$MANY"
	cable g h z
	second_paths g h z
}

# pair A B LETTER [whole]: cables, and all carriers over them
pair() {
	local a=$1 b=$2 letter=$3 i

	for i in 1 2 3 4; do
		cable "$a" "$b" "$letter$i" ${4:+"$4"}
	done
	carrier_plain veth "$a" "$b" "${letter}1" -
	carrier_vxlan vxlan "$a" "$b" "${letter}2" -
	carrier_wireguard wireguard "$a" "$b" "${letter}3" -
	carrier_ovpn ovpn "$a" "$b" "${letter}4" -
	carrier_mptun mptun "$a" "$b" "${letter}1" 1400 cipher chacha20-poly1305
	carrier_mptun mptun-no-repair "$a" "$b" "${letter}1" 1400 \
		cipher chacha20-poly1305
	class_settings mptun-no-repair "$a" "$b" 0 repair off
	for i in aes-gcm auth-only clear; do
		carrier_mptun "mptun-$i" "$a" "$b" "${letter}1" 1400 cipher "$i"
	done
	carrier_mptun mptun-clear-2 "$a" "$b" "${letter}1 ${letter}2" 1400 \
		cipher clear
	carrier_mptun mptun-2-off "$a" "$b" "${letter}1 ${letter}2" 1400 \
		cipher clear reorder off
	carrier_mptun mptun-clear-4 "$a" "$b" \
		"${letter}1 ${letter}2 ${letter}3 ${letter}4" 1400 cipher clear
}

# row ROUND CARRIER CABLE MEASURE VALUE
row() {
	(IFS=$'\t'; echo "$*") >>"$OUT"
}

# --- many tunnels on one port

# plain_devices HOST COUNT: what a device takes that is no tunnel of ours, with
# its addresses, routes, multicast lists and its folder in sysfs
plain_devices() {
	local i before

	hosts "$1"
	before=$(kernel_kib)
	for i in $(seq 1 "$2"); do
		echo "link add t$i type vxlan id $i remote 10.0.0.1 dstport 4789"
		echo "address add $(many_addr 1 "$i") \
			peer $(many_addr 0 "$i") dev t$i"
		echo "link set t$i up"
	done | ip -n "$NSP-$1" -batch -
	plain_queues "$1" "$2"
	row 0 vxlan "$2" device_kib "$(calc "($(rested_kib) - $before) / $2")"
}

# plain_queues HOST COUNT: fq_codel takes more memory than what it stands on
plain_queues() {
	local i

	for i in $(seq 1 "$2"); do
		echo "qdisc replace dev t$i root pfifo"
	done | on "$1" tc -batch -
}

# tunnels A B CABLE COUNT: t1, t2... at both, each with one path, at rest
tunnels() {
	local a=$1 b=$2 cable=$3 count=$4 before

	hosts "$a" "$b"
	cable "$a" "$b" "$cable"
	before=$(kernel_kib)
	ends "$a" 1 0 "$count"
	ends "$b" 0 1 "$count"
	add_path "$cable" "$a" 1 "$count"
	add_path "$cable" "$b" 1 "$count"
	wait_for 60 all_up "$a" "$count" 1
	wait_for 60 all_up "$b" "$count" 1
	row 0 mptun "$count" tunnel_kib \
		"$(calc "($(rested_kib) - $before) / $count / 2")"
}

# ends HOST OWN OTHER COUNT: addresses 172.30.X.Y at A, 172.31.X.Y at B
ends() {
	local i

	for i in $(seq 1 "$4"); do
		echo "link add t$i type mptun cipher clear \
			id $((i * 2 + $2)) \
			peer-id $((i * 2 + $3))"
		echo "address add $(many_addr "$2" "$i") \
			peer $(many_addr "$3" "$i") dev t$i"
		echo "link set t$i up"
	done | ip -n "$NSP-$1" -batch -
	plain_queues "$1" "$4"
}

many_addr() {
	echo "172.$((31 - $1)).$(($2 / 250)).$(($2 % 250 + 1))"
}

# add_path CABLE HOST FIRST LAST: to those tunnels
add_path() {
	local i

	for i in $(seq "$3" "$4"); do
		ctl "$2" path add "t$i" "$1" remote "$(remote "$2" "$1")" \
			local "$(addr "$2" "$1")"
	done
}

all_up() {
	[ "$(ctl "$1" show -j | jq "map(select(.paths_up == $3)) | length")" = \
		"$2" ]
}

# second_paths A B CABLE: to a fifth of the tunnels, to see what a path takes
second_paths() {
	local first=$((MANY * 4 / 5 + 1)) before

	before=$(kernel_kib)
	add_path "$3" "$1" "$first" "$MANY"
	add_path "$3" "$2" "$first" "$MANY"
	wait_for 60 all_up "$1" $((MANY - first + 1)) 2
	wait_for 60 all_up "$2" $((MANY - first + 1)) 2
	row 0 mptun "$MANY" path_kib \
		"$(calc "($(rested_kib) - $before) / ($MANY - $first + 1) / 2")"
}

# rested_kib: the same, when all have been at rest for a while
rested_kib() {
	sleep 10
	kernel_kib
}

# --- one measurement each

# measure_tcp FROM TO ADDRESS: Mbit/s
measure_tcp() {
	local TCP_OMIT=0

	echo "tcp $(tcp "$1" "$2" "$3" $((2 * LENGTH)))"
}

# measure_udp FROM TO ADDRESS[,ADDRESS...] BYTES: packets that arrive in a
# second, and the processor time of one in ns; BYTES are those of the inner
# IPv4 packet
measure_udp() {
	local port before after

	port=$(next_port)
	bg "$2" "$(helper rate)" recv "$port"
	wait_for 10 flow_listens "$2" "$port"
	read -r before _ < <(ticks)
	on "$1" "$(helper rate)" send "$3" "$port" $(($4 - 28)) "$LENGTH" >&2
	bg_wait "$BG"
	read -r after _ < <(ticks)
	jq -r "\"udp$4 \\(.received / .seconds | round)\",
		\"cpu$4 \\(1e7 * $((after - before)) / .received | round)\"" \
		<<<"$BG_OUT"
}

# measure_ask FROM TO ADDRESS: round trips in a second
measure_ask() {
	local port

	port=$(next_port)
	bg "$2" "$(helper rate)" echo "$port"
	wait_for 10 flow_listens "$2" "$port"
	on "$1" "$(helper rate)" ask "$3" "$port" 36 "$LENGTH" |
		jq -r '"ask \(.round_trips / .seconds | round)"'
	bg_wait "$BG"
}

# --- a round

# plan: "KIND CARRIER FROM TO SIZE" in an order of its own
plan() {
	local carrier pair

	for carrier in $CARRIERS; do
		for pair in "a b" "c d"; do
			echo "tcp $carrier $pair"
			echo "ask $carrier $pair"
			echo "udp $carrier $pair 64"
			echo "udp $carrier $pair 512"
			echo "udp $carrier $pair 1400"
		done
	done | shuf
}

cable_of() {
	case $1 in
	a) echo packets ;;
	c) echo whole ;;
	esac
}

round() {
	local kind carrier from to size measure value

	: >"$TMP/words"
	# shellcheck disable=SC2086 # no size, no argument
	while read -r kind carrier from to size; do
		while read -r measure value; do
			[ -n "$value" ] || continue
			row "$1" "$carrier" "$(cable_of "$from")" "$measure" \
				"$value"
		done < <("measure_$kind" "$from" "$to" \
			"${C_ADDR[$carrier:$to]}" $size 2>>"$TMP/words")
	done < <(plan)
	cat "$TMP/words"
	eq "figures" "$(grep -c "^$1"$'\t' "$OUT")" \
		$(($(wc -w <<<"$CARRIERS") * 16))
}

# tunnels_round ROUND: ten tunnels with and without the others
tunnels_round() {
	local from to count measure value list

	list=$(for i in $(seq 1 "$BUSY"); do many_addr 0 "$i"; done |
		paste -sd, -)
	while read -r from to count; do
		while read -r measure value; do
			row "$1" tunnels "$count" "$measure" "$value"
		done < <(measure_udp "$from" "$to" "$list" 512)
	done < <(printf '%s\n' "e f $BUSY" "g h $MANY" | shuf)
}

: >"$OUT"
for ((i = 1; i <= ROUNDS; i++)); do
	t "round $i" round "$i"
	t "round $i, many tunnels" tunnels_round "$i"
done
run_theme
