#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: TCP through a tunnel while another processor floods its end.
# Copyright (C) 2026 The mptun authors
#
# usage (by selftests/bench/flood.py, or by hand):
#	MPTUN_RESULTS=FOLDER selftests/kernels/uml/run.sh smp -c 2 \
#		selftests/bench/flood.sh ROUNDS SECONDS
#
#	a ═══ b ─── p	cables; the tunnel is between a and b
#
# The flow has processor 0, the flood processor 1. What is measured beside each
# flood is measured beside nothing ("idle"), and while processor 1 sends the
# same to itself ("elsewhere"): that is what the floods are compared with, as
# processors share a machine. Leaves flood.tsv: ROUND FLOOD MEASURE VALUE.
#
# shellcheck disable=SC2317 # called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../net/lib.sh"
# shellcheck source=selftests/net/lib/pair.sh
. "$NET_DIR/lib/pair.sh"
# shellcheck source=selftests/net/lib/flood.sh
. "$NET_DIR/lib/flood.sh"

ROUNDS=${1:-5}
LENGTH=${2:-2}
OUT=$MPTUN_RESULTS/flood.tsv

theme_setup() {
	hosts a b p
	cable a b wan1
	cable b p lab
	tunnel a b mp0
	paths a b mp0 wan1
	flood_record wan1
}

# row ROUND FLOOD MEASURE VALUE
row() {
	(IFS=$'\t'; echo "$*") >>"$OUT"
}

# start KIND: FLOOD_BG is its number, none if there is nothing to run
start() {
	local seconds=$((LENGTH + 3))

	FLOOD_BG=
	case $1 in
	idle) return ;;
	elsewhere) FLOOD=("$(helper flood)" -t "$seconds" mix 127.0.0.1 9) ;;
	*) flood "$1" -t "$seconds" ;;
	esac
	bg p taskset -c 1 "${FLOOD[@]}"
	FLOOD_BG=$BG
	sleep 0.5
}

# joined: what a flood does not change at all
joined() {
	of_both ".associations, .instance, .peer_instance, .paths_up"
}

# once ROUND KIND: the flow beside that
once() {
	local before keys got mbit

	before=$(joined) keys=$(sessions b) got=$(drops b)
	start "$2"
	mbit=$(TCP_OMIT=0 tcp a b "$(inner a mp0)" "$LENGTH") || fail "$mbit"
	row "$1" "$2" tcp "$mbit"
	if [ -n "$FLOOD_BG" ]; then
		bg_wait "$FLOOD_BG"
		row "$1" "$2" sent \
			"$(jq '.sent / .seconds | round' <<<"$BG_OUT")"
		# a flood that does not get there is none
		[ "$2" = elsewhere ] ||
			num "dropped" "$(drops b) - $got >= $(jq .sent \
				<<<"$BG_OUT") / 4"
	fi
	eq "what there is, after $2" "$(joined)" "$before"
	# they change every two minutes, and not more often
	num "new keys, after $2" "$(sessions b) - $keys <= 1"
}

round() {
	local kind

	taskset -pc 0 "$BASHPID" >/dev/null
	# shellcheck disable=SC2086 # a list of words
	for kind in $(shuf -e idle elsewhere $FLOODS); do
		once "$1" "$kind"
	done
}

: >"$OUT"
for ((i = 1; i <= ROUNDS; i++)); do
	t "round $i" round "$i"
done
run_theme
