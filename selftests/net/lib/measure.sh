# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Traffic, and measurements of it.
# Copyright (C) 2026 The mptun authors
#
# Sourced by lib.sh.

PORT=5000

listens() {
	[ -n "$(on "$1" ss -Hltn "sport = :$2")" ]
}

# iperf_ready: set IPERF to iperf3, made to sleep while it waits
# (helpers/calm.c)
iperf_ready() {
	IPERF=("$TESTS_DIR/helpers/iperf" "$(helper calm.so)")
}

# tcp CLIENT SERVER ADDRESS SECONDS [ARGUMENT...]: print the Mbit/s that arrive
# over one TCP connection from CLIENT to SERVER (-R: the other way). The first
# TCP_OMIT seconds (default 1) do not count; the whole report is in
# $TMP/iperf.json.
tcp() {
	local client=$1 server=$2 address=$3 seconds=$4
	local most=$(($4 + ${TCP_OMIT:-1} + 30))

	shift 4
	iperf_ready
	PORT=$(next_port)
	# iperf3 waits forever for a peer that is gone
	bg "$server" timeout "$most" "${IPERF[@]}" -s -1 -p "$PORT"
	wait_for 10 listens "$server" "$PORT"
	on "$client" timeout "$most" "${IPERF[@]}" -c "$address" -p "$PORT" \
		--connect-timeout 5000 -t "$seconds" -O "${TCP_OMIT:-1}" -J \
		"$@" >"$TMP/iperf.json" || {
		echo "iperf3: $(jq -r .error "$TMP/iperf.json")"
		return 1
	}
	bg_wait "$BG" || :
	jq -r '.end.sum_received.bits_per_second / 1e4 | round / 100' \
		"$TMP/iperf.json"
}

# series FIRST LAST: the mean Mbit/s between these seconds in the last report:
# what was received in a run with -R, otherwise what was sent
series() {
	jq -r "[.intervals[].sum | ((.start + .end) / 2) as \$middle |
		select(\$middle > $1 and \$middle < $2) | .bits_per_second] |
		(add // 0) / ([length, 1] | max) / 1e4 | round / 100" \
		"$TMP/iperf.json"
}

# next_port: a port that this theme has not used yet
next_port() {
	local n

	n=$(($(cat "$TMP/port" 2>/dev/null || echo 5000) + 1))
	echo "$n" >"$TMP/port"
	echo "$n"
}

# ticks: "BUSY IDLE", the hundredths of a second that all processors have spent
ticks() {
	awk '/^cpu / { print $2 + $3 + $4 + $7 + $8, $5 + $6; exit }' /proc/stat
}

# idle_since BUSY IDLE: percent of the time since ticks printed these numbers
idle_since() {
	local busy idle

	read -r busy idle < <(ticks)
	busy=$((busy - $1))
	idle=$((idle - $2))
	echo $((100 * idle / (busy + idle)))
}

# helper NAME: the path of the program helpers/NAME.c; in the lab the runner has
# built it, elsewhere it is built here
helper() {
	local dir=${MPTUN_BUILD:-$TREE_DIR/build}/selftests

	[ -n "${MPTUN_LAB:-}" ] ||
		make -s -C "$TESTS_DIR/helpers" O="$dir" >&2 || return
	echo "$dir/$1"
}

# flow_start FROM TO ADDRESS KBIT SECONDS [BYTES [FRAME]]: a UDP flow of constant rate
# (helpers/udpflow.c) in the background
flow_start() {
	local from=$1 to=$2 address=$3 rate=$4 seconds=$5 bytes=${6:-1358}
	local frame=${7:-1} tool

	tool=$(helper udpflow)
	FLOW_PORT=$(next_port)
	bg "$to" "$tool" recv "$FLOW_PORT"
	FLOW_RX=$BG
	wait_for 10 flow_listens "$to" "$FLOW_PORT"
	bg "$from" "$tool" send "$address" "$FLOW_PORT" "$rate" \
		"$bytes" "$seconds" 0 "$frame"
	FLOW_TX=$BG
}

flow_listens() {
	[ -n "$(on "$1" ss -Hlun "sport = :$2")" ]
}

# flow_end: wait for the flow and set FLOW to its report (JSON)
flow_end() {
	local sent

	bg_wait "$FLOW_TX" || fail "sender: $BG_OUT"
	sent=$BG_OUT
	bg_wait "$FLOW_RX" || fail "receiver: $BG_OUT"
	FLOW=$(jq -c ". + $sent | .lost = .sent - .received |
		.lost_percent = (1e5 * .lost / .sent | round / 1000)" \
		<<<"$BG_OUT")
	echo "flow: $FLOW"
}

# flow FILTER: a value of the last report
flow() {
	jq -r "$1" <<<"$FLOW"
}

# looked_at CMD...: how often routes of paths are looked up meanwhile
looked_at() {
	local tracing=/sys/kernel/tracing

	mountpoint -q "$tracing" || mount -t tracefs none "$tracing"
	echo >"$tracing/trace"
	echo 1 >"$tracing/events/mptun/mptun_path_route/enable"
	"$@"
	sleep 1
	echo 0 >"$tracing/events/mptun/mptun_path_route/enable"
	grep -c "mptun_path_route:" "$tracing/trace" || :
}

# on_wire HOST LINK: bytes of IP packets that a device has counted
on_wire() {
	on "$1" ip -j -s link show dev "$2" | jq '.[0].stats64 |
		.tx.bytes + .rx.bytes - 14 * (.tx.packets + .rx.packets)'
}
