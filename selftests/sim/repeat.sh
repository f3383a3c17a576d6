#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs one scenario twice: every number must be the same. KTAP.
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/sim/repeat.sh
#
# The scenario has loss, correlation and jitter, so that equal numbers prove
# something. The second run has the tree in another folder; a third one with
# another seed must give other numbers.

set -uo pipefail
LAB_NAME=sim-repeat
# shellcheck source=selftests/kernels/lab/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../kernels/lab/common.sh"

top=$MPTUN_TOP
work=$MPTUN_BUILD/sim-repeat
rm -rf "$work"

# once TREE FOLDER [OPTION...]: run it, leave its results in FOLDER/cases
once() {
	local tree=$1 out=${work/#"$top"/"$1"}/$2

	shift 2
	"$tree/selftests/sim/run.py" -j 1 -o "$out" "$@" \
		"$tree/selftests/sim/test/repeat.yaml" >&2 || return
	jq .cases "$out/repeat.json" >"$out/cases"
}

# elsewhere FOLDER: the same with the tree mounted in another folder
elsewhere() (
	dir=$(mktemp -d /var/tmp/mptun-elsewhere.XXXXXX)
	trap 'rmdir "$dir"' EXIT
	export -f once
	export top work dir
	# shellcheck disable=SC2016 # for the inner shell
	unshare -m --propagation private bash -c \
		'mount --rbind "$1" "$dir" && once "$dir" "$2"' \
		bash "$top" "$1"
)

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
once "$top" one && elsewhere two &&
	once "$top" six --seed 2
verdict 1 $? "the scenario runs"
cmp "$work/one/cases" "$work/two/cases" >&2
verdict 2 $? "the same seed, another folder: the same numbers, to the byte"
! cmp -s "$work/one/cases" "$work/six/cases"
verdict 3 $? "another seed: other numbers"
exit "$failed"
