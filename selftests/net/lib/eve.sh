# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Eve records packets at the routers of two links, and replays them.
# Copyright (C) 2026 The mptun authors
#
# Sourced by themes, after pair.sh.

WIRETAP=$TESTS_DIR/helpers/wiretap.py

# tap NAME: record on both links, in $TMP/NAME.wan1 and $TMP/NAME.wan2
tap() {
	local wan

	TAPS=()
	for wan in wan1 wan2; do
		bg "r-$wan" python3 "$WIRETAP" record "$TMP/$1.$wan" a b
		TAPS+=("$BG")
		wait_for 10 test -s "$TMP/$1.$wan"
	done
}

untap() {
	local tap

	for tap in "${TAPS[@]}"; do
		bg_kill "$tap"
	done
}

# eve NAME ARGUMENT...: replay what was recorded under a name; SENT is the
# number of packets
eve() {
	local name=$1 wan out

	shift
	SENT=0
	for wan in wan1 wan2; do
		out=$(on "r-$wan" python3 "$WIRETAP" replay "$@" \
			"$TMP/$name.$wan")
		echo "eve $*: $out"
		SENT=$((SENT + $(jq .sent <<<"$out")))
	done
	[ "$SENT" -gt 0 ] || fail "nothing was recorded to be sent"
}

# eve_start NAME ARGUMENT...: the same over and over, until eve_end
eve_start() {
	local name=$1 wan

	shift
	EVES=()
	for wan in wan1 wan2; do
		bg "r-$wan" python3 "$WIRETAP" replay --times 100000 "$@" \
			"$TMP/$name.$wan"
		EVES+=("$BG")
	done
	sleep 0.5
}

eve_end() {
	local eve

	for eve in "${EVES[@]}"; do
		kill -0 "$eve" || fail "Eve gave up: $(cat "$TMP/bg.$eve")"
		bg_kill "$eve"
	done
}

# answered TYPE: how many different answers of that type Eve has seen
answered() {
	python3 "$WIRETAP" count --type "$1" "$TMP/theme.wan1" \
		"$TMP/theme.wan2" | jq .different
}

# unique: no packet number was repeated with a key
unique() {
	python3 "$WIRETAP" unique "$@"
}

# all_dropped REASON EVE...: all packets of Eve are dropped for that reason
all_dropped() {
	local reason=$1 a b

	shift
	a=$(drop a "$reason") b=$(drop b "$reason")
	eve "$@"
	wait_for 5 grown "$reason" "$a" "$b" "$SENT" ||
		fail "$SENT sent, $reason $a and $b, then" \
			"$(drop a "$reason") and $(drop b "$reason")"
}
