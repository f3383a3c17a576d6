#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: a flow through one carrier after the other, for the profiler.
# Copyright (C) 2026 The mptun authors
#
# usage (by selftests/bench/profile.py):
#	MPTUN_RESULTS=FOLDER selftests/kernels/uml/run.sh smp -c 1 \
#		selftests/bench/profile.sh SECONDS CABLE FLOW CARRIER...
#
# CABLE is "whole" if it passes packets of 64 KiB whole, else "packets"; FLOW is
# "tcp", or the size of packets of UDP. Leaves "modules", where the module's
# functions are, and for each carrier CARRIER.begun when its flow runs, and
# CARRIER.rate when that has ended: Mbit/s, or packets that arrived in a second.
#
# shellcheck disable=SC2317 # called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../net/lib.sh"
# shellcheck source=selftests/net/lib/carrier.sh
. "$NET_DIR/lib/carrier.sh"

LENGTH=$1
CABLE=${2/#packets}
FLOW=$3
shift 3

theme_setup() {
	hosts a b
	local n

	for n in 1 2 3 4; do
		cable a b "w$n" "$CABLE"
	done
}

# paths NAME: cables of a carrier whose name may end with how many it has
paths() {
	case $1 in
	*-2) echo w1 w2 ;;
	*-4) echo w1 w2 w3 w4 ;;
	*) echo w1 ;;
	esac
}

# cipher NAME: that of a carrier, as in its name
cipher() {
	local name=${1#mptun}

	name=${name%-[24]}
	echo "${name#-}"
}

# profiled CARRIER
profiled() {
	local name=$1 cipher

	cipher=$(cipher "$name")
	case $name in
	veth) carrier_plain veth a b w1 - ;;
	vxlan | wireguard) "carrier_$name" "$name" a b w1 - ;;
	mptun | mptun-*)
		carrier_mptun "$name" a b "$(paths "$name")" - \
			cipher "${cipher:-chacha20-poly1305}"
		;;
	*) fail "no carrier '$name'" ;;
	esac
	grep '\[mptun\]' /proc/kallsyms >"$MPTUN_RESULTS/modules"
	flow "${C_ADDR[$name:b]}" 1
	touch "$MPTUN_RESULTS/$name.begun"
	flow "${C_ADDR[$name:b]}" "$LENGTH" >"$TMP/rate"
	mv "$TMP/rate" "$MPTUN_RESULTS/$name.rate"
}

# flow ADDRESS SECONDS: its rate
flow() {
	local port

	if [ "$FLOW" = tcp ]; then
		TCP_OMIT=0 tcp a b "$1" "$2"
		return
	fi
	port=$(next_port)
	bg b "$(helper rate)" recv "$port"
	wait_for 10 flow_listens b "$port"
	on a "$(helper rate)" send "$1" "$port" $((FLOW - 28)) "$2" >&2
	bg_wait "$BG"
	jq -r '.received / .seconds' <<<"$BG_OUT"
}

for name; do
	t "$name" profiled "$name"
done
run_theme
