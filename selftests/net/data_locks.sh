#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# How often data and reports take the locks of a tunnel.
# Copyright (C) 2026 The mptun authors
# stages: debug
#
#   ┌───────┐   wan1 (8 Mbit/s, 5 ms)   ┌───────┐
#   │   a   ├───────────────────────────┤   b   │
#   └───────┘                           └───────┘
#
# Lockdep has a tracepoint for each lock that is taken. With the stack of each,
# the trace shows how often a packet, a batch of them or a report takes the
# locks of its tunnel (Documentation/locking.rst).
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=selftests/net/lib/locks.sh
. "$NET_DIR/lib/locks.sh"

TX='&tunnel->tx.lock'
RX='&tunnel->rx.lock'

theme_setup() {
	hosts a b
	link a b wan1 8mbit 5ms
	tunnel a b mp0
	paths a b mp0 wan1
	plain_queue mp0 a
	mountpoint -q "$TRACING" || mount -t tracefs none "$TRACING"
	echo 20000 >"$TRACING/buffer_size_kb"
}

# record SECONDS: trace both locks and what happens meanwhile to $TMP/trace
record() {
	locks "$TX" "$RX" mptun/mptun_place mptun/mptun_ack mptun/mptun_report
	sleep "$1"
	locks_end
}

# events NAME: how often it happened
events() {
	grep -c ": mptun_$1: " "$TMP/trace" || :
}

# holds LOCK CALLER [EXCEPT]: how often the lock was taken below a function whose
# name begins with mptun_CALLER, unless one of them begins with mptun_EXCEPT
holds() {
	awk -v lock="$1" -v caller="^mptun_$2" -v except="^mptun_${3:-$}" '
		function end() {
			n += is && below && !not
			is = below = not = 0
		}
		/: lock_acquire: / { end(); is = $NF == lock }
		/: mptun_/ { end() }
		$1 == "=>" { below += $2 ~ caller; not += $2 ~ except }
		END { end(); print n + 0 }' "$TMP/trace"
}

# at_most WHAT HOLDS EVENTS: some are cut off where the trace begins and ends,
# and lost packets are reported
at_most() {
	num "$1" "$2 > 0 && $2 <= ($3) * 1.2 + 4"
}

test_holds() {
	local packets reports acks

	flow_start a b "$(inner a mp0)" 400 4 1000
	sleep 1
	record 2
	flow_end
	packets=$(events place)
	reports=$(events report)
	acks=$(events ack)
	num "packets, reports, acknowledgments" \
		"$packets > 50 && $reports > 50 && $acks > 50"
	figure "packets, reports sent, received" \
		"$packets, $reports, $acks" events
	figure "holds in 2 s" "$(holds "$TX" .), $(holds "$RX" .)" "tx, rx"
	# one to give a packet its path, one to send it
	at_most "tx.lock for a packet" "$(holds "$TX" xmit)" "2 * $packets"
	at_most "rx.lock for a batch" "$(holds "$RX" order report)" "$packets"
	at_most "rx.lock for a report sent" "$(holds "$RX" report)" "$reports"
	at_most "tx.lock for a report sent" "$(holds "$TX" report)" "$reports"
	at_most "rx.lock for one received" "$(holds "$RX" input probe)" \
		"$acks + 10"
	at_most "tx.lock for one received" "$(holds "$TX" blocks)" "$acks"
}

t "a report takes each lock once, a batch one" test_holds
run_theme
