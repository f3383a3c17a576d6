#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest: runs one case of a scenario and leaves its results.
# Copyright (C) 2026 The mptun authors
#
# usage (by selftests/sim/run.py, or by hand):
#	MPTUN_RESULTS=FOLDER selftests/kernels/uml/run.sh tt selftests/sim/guest.sh CASE
#
# CASE is a script of simlib/plan.py. Its words are functions of lib/*.sh,
# lib/carrier.sh and guest/traffic.sh; what the programs say is left in
# MPTUN_RESULTS.
#
# shellcheck disable=SC2317 # called by name
# no scaling of rates, in any kernel
export LAB_SCALE=100
# shellcheck source=selftests/net/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../net/lib.sh"
# shellcheck source=selftests/net/lib/carrier.sh
. "$NET_DIR/lib/carrier.sh"
# shellcheck source=selftests/sim/guest/traffic.sh
. "$TESTS_DIR/sim/guest/traffic.sh"

# a case without a tunnel creates no objects
theme_setup() {
	NO_OBJECTS=1
}

run_case() {
	# shellcheck source=/dev/null
	. "$1"
}

t "${2:-case}" run_case "${1:?}"
run_theme
