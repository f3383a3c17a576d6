#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The way out of a packet: each step is taken once.
# Copyright (C) 2026 The mptun authors
# stages: tt
#
#   ┌───────┐   wan1 (8 Mbit/s, 5 ms)   ┌───────┐
#   │   a   ├───────────────────────────┤   b   │
#   │       ├───────────────────────────┤       │
#   └───────┘   wan2 (8 Mbit/s, 5 ms)   └───────┘
#
# Tracepoints count how often a packet is classified, how often the scheduler
# lists the paths, and what is allocated on the way.
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=selftests/net/lib/locks.sh
. "$NET_DIR/lib/locks.sh"

theme_setup() {
	hosts a b
	link a b wan1 8mbit 5ms
	link a b wan2 8mbit 5ms
	tunnel a b mp0
	paths a b mp0 wan1 wan2
	mountpoint -q "$TRACING" || mount -t tracefs none "$TRACING"
	echo 20000 >"$TRACING/buffer_size_kb"
}

# trace EVENT...: begin to trace
trace() {
	local event

	TRACED=("$@")
	echo >"$TRACING/trace"
	for event in "$@"; do
		echo 1 >"$TRACING/events/$event/enable"
	done
}

# trace_end: the trace is in $TMP/trace
trace_end() {
	local event

	for event in "${TRACED[@]}"; do
		echo 0 >"$TRACING/events/$event/enable"
	done
	cat "$TRACING/trace" >"$TMP/trace"
}

# events PATTERN: how many there are
events() {
	grep -c ": mptun_$1" "$TMP/trace" || :
}

# passes WHAT: how often the scheduler was asked, and for what. It has a path for
# each run, and nothing to decide for an empty queue but that it stays stopped
passes() {
	local all chosen empty packets

	all=$(events "sched: ")
	chosen=$(events "sched: .* err=0")
	empty=$(events "sched: .* bytes=0 .* err=0")
	packets=$(events "place: ")
	figure "$1: packets" "$packets" packets
	figure "$1: passes, with a path, only to wake a queue" \
		"$all, $chosen, $empty" passes
	num packets "$packets > 1000"
	num "passes" "$all < 2 * $packets"
	num "passes that chose a path" "$chosen < 1.1 * $packets"
	num "passes that woke an empty queue" "$empty < 0.1 * $packets"
}

test_class() {
	local n

	trace mptun/mptun_class mptun/mptun_place
	on a ping -q -Q 0xb8 -c 50 -i 0.02 "$(inner a mp0)"
	trace_end
	n=$(events "place: ")
	figure "packets, classifications" "$n, $(events "class: ")" events
	num packets "$n >= 100"
	num classifications "$(events "class: ") <= $n"
}

test_pass_udp() {
	flow_start a b "$(inner a mp0)" 20000 2 1000
	sleep 1
	trace mptun/mptun_sched mptun/mptun_place
	sleep 1
	trace_end
	flow_end
	passes UDP
}

# allocated: buffers of packets that were allocated after a path was chosen and
# before the first packet of the run had its number, so under the lock
allocated() {
	awk '/: mptun_sched: / { chosen = / err=0/ && !/ bytes=0 /; n = 0 }
		/: mptun_place: / { all += chosen ? n : 0; chosen = 0 }
		/: kmem_cache_alloc: call_site=(__alloc_skb|kmalloc_reserve)/ { n++ }
		END { print all + 0 }' "$TMP/trace"
}

# Some are allocated under the lock until the stock is large enough.
test_run() {
	tcp a b "$(inner a mp0)" 1
	trace mptun/mptun_sched mptun/mptun_place kmem/kmem_cache_alloc
	tcp a b "$(inner a mp0)" 1
	trace_end
	passes TCP
	figure "buffers allocated under the lock" "$(allocated)" buffers
	num "buffers allocated at all" \
		"$(grep -c ": kmem_cache_alloc: " "$TMP/trace") > 1000"
	num "buffers allocated under the lock" "$(allocated) < 30"
}

t "a packet is classified once" test_class
t "one scheduling pass for a packet" test_pass_udp
t "one scheduling pass for a run, and no buffer allocated under the lock" test_run
run_theme
