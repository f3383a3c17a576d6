#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Floods of a tunnel in use: memory does not grow, nothing is lost.
# Copyright (C) 2026 The mptun authors
# stages: tt debug-long
#
#   ┌───────┐ wan1 (8 Mbit/s, 5 ms)    ┌───────┐  lab   ┌───┐
#   │       ├──────────────────────────┤       ├────────┤ p │
#   │   a   │ wan2 (8 Mbit/s, 20 ms)   │   b   │ cable  └───┘
#   │       ├──────────────────────────┤       │
#   └───────┘                          └───────┘
#
# bench/flood.py measures what a flood costs the processor.
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=selftests/net/lib/pair.sh
. "$NET_DIR/lib/pair.sh"
# shellcheck source=selftests/net/lib/flood.sh
. "$NET_DIR/lib/flood.sh"

# these tests are about keys
[ "$CIPHER" != clear ] || CIPHER=chacha20-poly1305
# packets per second
PACE=5000

theme_setup() {
	pair_hosts
	tunnel a b mp0
	paths a b mp0 wan1 wan2
	flood_record wan1 wan2
	all_up
}

# lab_bytes rx|tx: bytes that b received from p, or sent to it
lab_bytes() {
	ipn b -j -s link show dev lab | jq ".[0].stats64.$1.bytes"
}

# state: what a flood must not change
state() {
	present
	log_balance
}

test_flood() {
	local kind=$1 count before kib got rx tx

	count=$(quick 4 40 2)
	flood "$kind" -p "$PACE" -c "$PACE"
	# a first flood fills the caches of the kernel
	on p "${FLOOD[@]}"
	sleep 3
	before=$(state) kib=$(kernel_kib)
	got=$(drops b) rx=$(lab_bytes rx) tx=$(lab_bytes tx)
	flow_start a b "$(inner a mp0)" 1000 $((count + 4))
	flood "$kind" -p "$PACE" -c $((count * PACE))
	on p "${FLOOD[@]}"
	flow_end
	got=$(($(drops b) - got))
	rx=$(($(lab_bytes rx) - rx)) tx=$(($(lab_bytes tx) - tx))
	sleep 3
	kib=$(($(kernel_kib) - kib))
	figure "dropped of $((count * PACE))" "$got" packets
	figure "answered to p, of $rx bytes" "$tx" bytes
	figure "memory that it took" "$kib" KiB
	num "bytes that came" "$rx >= $count * $PACE * 28"
	num "dropped of what came" "$got >= $count * $PACE * 0.5"
	num "answers, beside what came" "$tx < $rx"
	lossless
	timely "memory grown" "$kib < 64"
	eq "what there is" "$(state)" "$before"
}

# peer_end: tunnel mp1 of b, whose peer is attack.py
peer_end() {
	TUN_N[mp1]=$((++TUNNELS))
	TUN_A[mp1]=b
	tunnel_end b mp1 learn on
	path b mp1 lab
}

# at_once ATTACK...: p attacks mp1; a thread of the kernel gets the processor
# when p has sent all
at_once() {
	on p chrt -f 1 python3 "$TESTS_DIR/peer/attack.py" --dev mp1 \
		--netns "$(ns b)" --key "$(tunnel_key "${TUN_N[mp1]}")" \
		--remote "$(addr b lab)" --local "$(addr p lab)" \
		--cipher "$CIPHER" "$@" || fail "an attack succeeded"
}

TRACING=/sys/kernel/tracing

# traced EVENT... -- COMMAND...: record events in $TRACING/trace
traced() {
	local event
	local -a events=()

	mountpoint -q "$TRACING" || mount -t tracefs none "$TRACING"
	while [ "$1" != -- ]; do
		events+=("$TRACING/events/$1/enable")
		shift
	done
	shift
	echo >"$TRACING/trace"
	for event in "${events[@]}"; do
		echo 1 >"$event"
	done
	"$@"
	for event in "${events[@]}"; do
		echo 0 >"$event"
	done
}

# a poll takes no more than its budget of 64 packets, although none of them is
# delivered
test_polls() {
	local polls

	peer_end
	ip netns exec "$(ns b)" sh -c 'echo 1 >/sys/class/net/mp1/threaded'
	traced napi/napi_poll -- at_once replays_at_once
	polls=$(grep -cE 'device mp1 work (0|64) ' "$TRACING/trace")
	figure "polls for 1000 replays" "$polls" polls
	num polls "$polls >= 1000 / 64"
}

# probes of unknown paths take no place of a handshake and little memory, while
# another tunnel rekeys and carries data
test_strays() {
	local associations sessions

	peer_end
	rekey 1
	# a session that is too old for this interval has ended
	wait_ping a "$(inner a mp0)"
	associations=$(associations b) sessions=$(sessions b)
	flow_start a b "$(inner a mp0)" 1000 8
	at_once strays_at_once paths_at_once first_probe_at_once large_strays
	flow_end
	rekey 120
	figure "probes without a place" "$(drop b rx_probe_limit mp1)" packets
	num "probes without a place" "$(drop b rx_probe_limit mp1) > 300"
	eq "handshakes without a place" "$(drop b rx_overrun mp1)" 0
	lossless
	eq "associations of mp0" "$(associations b)" "$associations"
	num "sessions of mp0" "$(sessions b) >= $sessions + 3"
}

# one run of the worker takes 64 messages, then others may have the lock
test_runs() {
	local runs

	peer_end
	traced workqueue/workqueue_execute_start skb/consume_skb -- \
		at_once strays_at_once
	runs=$(awk '/ workqueue_execute_start: .* function mptun_worker/ {
			n = 0
		}
		/ consume_skb: .* location=mptun_worker/ && ++n > most {
			most = n
		}
		END { print most + 0 }' "$TRACING/trace")
	figure "messages in a run of the worker" "$runs" messages
	eq "most messages in a run" "$runs" 64
}

# one tunnel is flooded with its INITs for longer than three rekey intervals:
# the others on the port keep their sessions; and so does it, if the addresses
# are not those of its paths. Only a has paths of its own, so INITs of the others
# go to b, which is flooded.
test_tenants() {
	local kind=$1 others=$2 seconds=20 pace=2500 dev refused
	local -A before=() pings=()

	rekey 5
	before[mp0]=$(sessions b)
	for dev in $others; do
		tunnel a b "$dev" rekey 5 learn on
		path a "$dev" wan1
		path a "$dev" wan2
		wait_ping a "$(inner a "$dev")"
		before[$dev]=$(tun_json b "$dev" .sessions)
	done
	# without data the keys do not change
	for dev in mp0 $others; do
		bg a ping -n -q -i 0.5 -c $((2 * seconds)) "$(inner a "$dev")"
		pings[$dev]=$BG
	done
	refused=$(drop b rx_rate)
	flood "$kind" -p "$pace" -c $((seconds * pace))
	on p "${FLOOD[@]}"
	refused=$(($(drop b rx_rate) - refused))
	rekey 120
	figure "INITs refused of the flooded tunnel" "$refused" packets
	num "INITs refused of the flooded tunnel" \
		"$refused > $seconds * $pace / 2"
	for dev in $others; do
		bg_wait "${pings[$dev]}" || fail "no ping passes $dev"
		timely "pings of $dev: $BG_OUT" \
			"$(grep -c ' 0% packet loss' <<<"$BG_OUT") == 1"
		eq "INITs of $dev refused" "$(drop b rx_rate "$dev")" 0
		eq "associations of $dev" "$(tun_json b "$dev" .associations)" 1
		num "sessions of $dev" "$(tun_json b "$dev" .sessions) >= \
			${before[$dev]} + 3"
	done
	[ "$kind" = init ] || num "sessions of mp0" \
		"$(sessions b) >= ${before[mp0]} + 3"
}

for kind in $FLOODS; do
	t "flood, $kind" test_flood "$kind"
done
t "a poll of replays ends" test_polls
t "probes of unknown paths" test_strays
t "a run of the worker ends" test_runs
for kind in init spoofed; do
	t "one tunnel is flooded, others rekey, $kind" \
		test_tenants "$kind" "mp1 mp2 mp3"
done
run_theme
