#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs one scenario twice: every number must be the same. KTAP.
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/sim/repeat.sh
#
# The scenario has loss, correlation and jitter, so that equal numbers are no
# matter of course; a third run with another seed must give others.

set -uo pipefail
LAB_NAME=sim-repeat
# shellcheck source=selftests/lab/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/common.sh"

work=$MPTUN_BUILD/sim-repeat
rm -rf "$work"

# once FOLDER [OPTION...]: run it, leave what was measured in FOLDER/cases
once() {
	local out=$work/$1

	shift
	"$MPTUN_TOP/selftests/sim/run.py" -j 1 -o "$out" "$@" \
		"$MPTUN_TOP/selftests/sim/test/repeat.yaml" >&2 || return
	jq .cases "$out/repeat.json" >"$out/cases"
}

verdict() {
	if [ "$2" -eq 0 ]; then
		echo "ok $1 $3"
	else
		echo "not ok $1 $3"
		failed=1
	fi
}

failed=0
echo "KTAP version 1"
echo "1..3"
once first && once second && once other --seed 2
verdict 1 $? "the scenario runs"
cmp "$work/first/cases" "$work/second/cases" >&2
verdict 2 $? "the same seed: the same numbers, to the byte"
! cmp -s "$work/first/cases" "$work/other/cases"
verdict 3 $? "another seed: other numbers"
exit "$failed"
