#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: TCP through carriers, with the processors that there are.
# Copyright (C) 2026 The mptun authors
#
# usage (by selftests/bench/cores.py, or by hand):
#	MPTUN_RESULTS=FOLDER selftests/kernels/uml/run.sh smp -c CPUS \
#		selftests/bench/cores.sh ROUNDS SECONDS
#
# Each flow begins a second before it is measured. Leaves cores.tsv: ROUND
# CARRIER FLOWS MEASURE VALUE, where the measure is "rate" in Mbit/s, or "idle",
# % of the time of all processors.
#
# shellcheck disable=SC2317 # called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../net/lib.sh"
# shellcheck source=selftests/net/lib/carrier.sh
. "$NET_DIR/lib/carrier.sh"

ROUNDS=${1:-5}
LENGTH=${2:-2}
CARRIERS="veth wireguard mptun"
OUT=$MPTUN_RESULTS/cores.tsv

theme_setup() {
	hosts a b
	cable a b w1
	carrier_plain veth a b w1 -
	carrier_wireguard wireguard a b w1 -
	carrier_mptun mptun a b w1 - cipher chacha20-poly1305
}

# measure ROUND CARRIER FLOWS
measure() {
	local -a before
	local rate idle

	read -ra before < <(ticks)
	rate=$(TCP_OMIT=1 tcp a b "${C_ADDR[$2:b]}" "$LENGTH" -P "$3")
	idle=$(idle_since "${before[@]}")
	printf '%s\t%s\t%s\trate\t%s\n' "$@" "$rate" >>"$OUT"
	printf '%s\t%s\t%s\tidle\t%s\n' "$@" "$idle" >>"$OUT"
}

# round ROUND: all, in an order of its own
round() {
	local carrier flows

	while read -r carrier flows; do
		measure "$1" "$carrier" "$flows" </dev/null
	done < <(for carrier in $CARRIERS; do
		printf '%s 1\n%s 4\n' "$carrier" "$carrier"
	done | shuf)
}

: >"$OUT"
for ((i = 1; i <= ROUNDS; i++)); do
	t "round $i" round "$i"
done
run_theme
