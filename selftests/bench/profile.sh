#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: a flow through one carrier after the other, to be looked at.
# Copyright (C) 2026 The mptun authors
#
# usage (by selftests/bench/profile.py):
#	MPTUN_RESULTS=FOLDER selftests/uml/run.sh smp -c 1 \
#		selftests/bench/profile.sh SECONDS CABLE FLOW CARRIER...
#
# CABLE is "whole" if it passes packets of 64 KiB whole, else "packets"; FLOW is
# "tcp", or the size of packets of UDP. Leaves "modules", where the module's
# functions are, and for each carrier CARRIER.begun when its flow runs, and
# CARRIER.rate when that has ended: Mbit/s, or packets that arrived in a second.
#
# shellcheck disable=SC2317 # called by name
# shellcheck source=selftests/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../lib.sh"
# shellcheck source=selftests/lib/carrier.sh
. "$LIB_DIR/lib/carrier.sh"

LENGTH=$1
CABLE=${2/#packets}
FLOW=$3
shift 3

theme_setup() {
	hosts a b
	cable a b w1 "$CABLE"
}

# profiled CARRIER
profiled() {
	local name=$1

	case $name in
	veth) carrier_plain veth a b w1 - ;;
	vxlan | wireguard) "carrier_$name" "$name" a b w1 - ;;
	mptun) carrier_mptun mptun a b w1 - cipher chacha20-poly1305 ;;
	mptun-*) carrier_mptun "$name" a b w1 - cipher "${name#mptun-}" ;;
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
