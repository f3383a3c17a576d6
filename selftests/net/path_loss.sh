#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The loss of a path in the last minute, as mptunctl shows it.
# Copyright (C) 2026 The mptun authors
# stages: tt
#
#   ┌───┐ wan1 (8 Mbit/s, 5 ms)    ┌───┐
#   │   ├──────────────────────────┤   │
#   │ a │ wan2 (8 Mbit/s, 10 ms)   │ b │
#   │   ├──────────────────────────┤   │
#   └───┘                          └───┘
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

theme_setup() {
	two_paths "8mbit 5ms" "8mbit 10ms"
	ctl a set mp0 sched wrr
}

# sends SECONDS: both paths carry 2 Mbit/s from a to b
sends() {
	flow_start a b "$(inner a mp0)" 4000 "$1"
	flow_end
}

# recent PATH [FIGURE]: a figure of the last minute, its loss by default
recent() {
	path_json a mp0 "$1" ".recent_${2:-loss}"
}

# cell PATH: what the table of 80 columns has in column LOSS
cell() {
	ctl a show mp0 | awk -v path="$1" '
		$1 == "PATH" { while ($column != "LOSS") column++ }
		column && $1 == path { print $column }'
}

# percent PATH: its loss as text, rounded from the four decimals of JSON
percent() {
	awk -v loss="$(recent "$1")" \
		'BEGIN { printf "%.2f%%", int(loss * 100 + 0.5 + 1e-6) / 100 }'
}

# cell_is_loss PATH: the table shows what JSON does. The minute moves on
# between two commands: the table has the figure of just before or after.
cell_is_loss() {
	local before text

	before=$(percent "$1")
	text=$(cell "$1")
	[ "$text" = "$before" ] || eq "$1, text" "$text" "$(percent "$1")"
}

test_begins() {
	link_set wan1 8mbit 5ms loss 10%
	sends 20
	figure "lost of 10 %" "$(recent wan1)" %
	num "packets" "$(recent wan1 packets) > 2000"
	num "wan1" "$(recent wan1) > 8 && $(recent wan1) < 12"
	num "wan2" "$(recent wan2) == 0"
	cell_is_loss wan1
	eq "wan2, text" "$(cell wan2)" 0.00%
	num "in total" "$(path_json a mp0 wan1 .loss) > 5"
}

# a minute later, while the path carries packets
test_ends() {
	link_set wan1 8mbit 5ms loss 0/0
	sends 30
	num "after 30 s" "$(recent wan1) > 2 && $(recent wan1) < 8"
	sends 31
	num "packets" "$(recent wan1 packets) > 2000"
	num "wan1" "$(recent wan1) == 0"
	num "in total" "$(path_json a mp0 wan1 .loss) > 2"
}

# no packets, no loss
test_idle() {
	sleep 61
	eq "packets" "$(recent wan1 packets)" 0
	eq "wan1" "$(recent wan1)" null
	eq "wan1, text" "$(cell wan1)" -
	num "in total" "$(path_json a mp0 wan1 .loss) > 2"
}

t "loss begins" test_begins
t "loss has ended for a minute" test_ends
t "a path without packets" test_idle
run_theme
