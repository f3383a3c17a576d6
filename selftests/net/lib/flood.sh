# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Floods of the end b of tunnel mp0, from host p beside it.
# Copyright (C) 2026 The mptun authors
#
# Sourced by sec_flood.sh and bench/flood.sh, after pair.sh; a and b have the
# tunnel, b and p the cable "lab".

WIRETAP=$TESTS_DIR/helpers/wiretap.py
# shellcheck disable=SC2034 # for those that source it
FLOODS="init spoofed garbage replayed"

# flood_record LINK...: record what b receives during rekeys and some traffic
flood_record() {
	local wan
	local -a taps=()

	FLOOD_FILES=()
	for wan; do
		FLOOD_FILES+=("$TMP/flood.$wan")
		bg b python3 "$WIRETAP" record "$TMP/flood.$wan" "$wan"
		taps+=("$BG")
		wait_for 10 test -s "$TMP/flood.$wan"
		ipn p route replace "$(addr b "$wan")/32" via "$(addr b lab)"
	done
	# answers to unused addresses go back to p
	ipn b route replace 198.18.0.0/15 via "$(addr p lab)"
	# INITs of both ends
	for wan in a b; do
		rekey 1
		on a ping -n -q -i 0.5 -c 6 "$(inner a mp0)" >/dev/null
		rekey 3600
		ipn "$wan" link set mp0 down
		ipn "$wan" link set mp0 up
		wait_ping a "$(inner a mp0)"
	done
	flow_start a b "$(inner a mp0)" 500 1
	flow_end
	for wan in "${taps[@]}"; do
		bg_kill "$wan"
	done
}

# flood KIND ARGUMENT...: set FLOOD to the command line of a flood. The
# ARGUMENTs set its amount; they are those of helpers/flood.c and
# helpers/repeat.c
# shellcheck disable=SC2034 # for the caller
flood() {
	local kind=$1

	shift
	case $kind in
	init) FLOOD=("$(helper repeat)" "$@" -k 1 "${FLOOD_FILES[@]}") ;;
	spoofed) FLOOD=("$(helper repeat)" "$@" -s -k 1 "${FLOOD_FILES[@]}") ;;
	replayed) FLOOD=("$(helper repeat)" "$@" -k 4 "${FLOOD_FILES[@]}") ;;
	garbage)
		FLOOD=("$(helper flood)" -t 3600 "$@" mix "$(addr b lab)" 4725)
		;;
	*) fail "no flood is called $kind" ;;
	esac
}
