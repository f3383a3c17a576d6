#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Throughput of one TCP flow over all paths, against that of each path alone.
# Copyright (C) 2026 The mptun authors
# stages: tt-long
#
#   ┌───────┐ wan1 … wan4 (1, 2 or 4 MB/s; 5 ms + skew)  ┌───────┐
#   │       ├─────────────────────────────────────────────┤       │
#   │   a   ├─────────────────────────────────────────────┤   b   │
#   │       ├─────────────────────────────────────────────┤       │
#   └───────┘                                             └───────┘
#
# "Alone" is measured through the tunnel with all other paths switched off, so
# both sides of the comparison include headers. For comparison: netcombiner
# (2021) reached 92.5, 74.4 and 75.1 % on 1+1, 1+2 and 2+4 MB/s without skew.
# Leaves aggregate.tsv among the results, which plot-aggregate.py draws.
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

SECONDS_EACH=$(quick 5 15 2)
TCP_OMIT=2
LEAST=0.9

theme_setup() {
	local i

	hosts a b
	for i in 1 2 3 4; do
		link a b wan$i 8mbit 5ms
	done
	tunnel a b mp0
	paths a b mp0 wan1 wan2 wan3 wan4
}

# use PATH...: switch on exactly these paths, at both ends
use() {
	local i host

	for host in a b; do
		for i in 1 2 3 4; do
			if [[ " $* " == *" wan$i "* ]]; then
				ctl "$host" path set mp0 "wan$i" on
			else
				ctl "$host" path set mp0 "wan$i" off
			fi
		done
	done
	for i; do
		wait_state a mp0 "$i" up
		wait_state b mp0 "$i" up
	done
}

# sum SKEW DIRECTION MB...: links of that many MB/s; delays are 5 ms and rise
# to 5 ms + SKEW at the last one
sum() {
	local skew=$1 way=$2 n i alone all off sum=0 percent best=0
	local -a paths=() each=()

	shift 2
	n=$#
	for ((i = 1; i <= n; i++)); do
		link_set "wan$i" "$((${!i} * 8))mbit" \
			"$(calc "5 + $skew * ($i - 1) / ($n - 1)")ms"
		paths+=("wan$i")
	done
	for i in "${paths[@]}"; do
		use "$i"
		alone=$(tcp a b "$(inner a mp0)" "$SECONDS_EACH" \
			${way:+"$way"})
		each+=("$alone")
		sum=$(calc "$sum + $alone")
		best=$(calc "$best > $alone ? $best : $alone")
	done
	use "${paths[@]}"
	all=$(tcp a b "$(inner a mp0)" "$SECONDS_EACH" \
			${way:+"$way"})
	ctl a set mp0 reorder off
	ctl b set mp0 reorder off
	off=$(tcp a b "$(inner a mp0)" "$SECONDS_EACH" \
			${way:+"$way"})
	ctl a set mp0 reorder adaptive
	ctl b set mp0 reorder adaptive
	percent=$(calc "100 * $all / $sum")
	figure "$(IFS=+; echo "$*") MB/s, skew $skew ms${way:+, reverse}" \
		"$percent" "% of the sum ($all of $(IFS=+; echo "${each[*]}" \
		) Mbit/s; reorder off $off)"
	row "$(IFS=+; echo "$*")" "$skew" "${way:+reverse}" "$percent" "$all" \
		"$(IFS=+; echo "${each[*]}")" "$off"
	timely "share of the sum" "$all >= $LEAST * $sum"
}

# row PATHS SKEW DIRECTION PERCENT TUNNEL ALONE OFF: add one to aggregate.tsv
row() {
	local table=$RESULTS/aggregate.tsv

	[ -n "$RESULTS" ] || return 0
	[ -e "$table" ] || printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' paths \
		skew_ms direction percent tunnel alone reorder_off >"$table"
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" \
		"${3:-forward}" "${@:4}" >>"$table"
}

mixes() {
	local way skew

	if [ -z "$(quick "" 1)" ]; then
		t "1+1 MB/s, no skew" sum 0 "" 1 1
		t "1+2 MB/s, 10 ms of skew, reverse" sum 10 -R 1 2
		t "2+4 MB/s, 40 ms of skew" sum 40 "" 2 4
		return
	fi
	for way in "" -R; do
		for skew in 0 10 40; do
			t "1+1 MB/s, $skew ms${way:+, reverse}" \
				sum $skew "$way" 1 1
			t "1+2 MB/s, $skew ms${way:+, reverse}" \
				sum $skew "$way" 1 2
			t "2+4 MB/s, $skew ms${way:+, reverse}" \
				sum $skew "$way" 2 4
			t "4 x 2 MB/s, $skew ms${way:+, reverse}" \
				sum $skew "$way" 2 2 2 2
		done
	done
}

mixes
run_theme
