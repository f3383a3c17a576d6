#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs the namespace tests in the kernel that is running: KTAP, one theme each.
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/tools/run.sh [THEME...]
#
# As root, usually in a kernel of the lab (selftests/kernels/uml/run.sh smp
# selftests/tools/run.sh ctl_link path_roam). On another machine the module must
# be loaded or installed, or MPTUN_KO set, and mptunctl and link_mptun.so
# installed.
#
#	MPTUN_KO	the file of the module, loaded unless one is loaded
#	MPTUN_RESULTS	folder for logs and figures.tsv
#	MPTUN_LAB	name of the kernel: uml-smp, vm-6.12, ...
#	MPTUN_FULL=1	the full form of all tests, not the quick one
#	LAB_SCALE	percent by which all link rates are scaled
#	FUZZ_SECONDS	how long sec_fuzz_* run, 20 if not set

set -uo pipefail
DIR=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../net" && pwd -P)

# shellcheck disable=SC2046 # a list of words
[ $# -gt 0 ] || set -- $("$DIR/../tools/themes.sh")
[ -z "${MPTUN_RESULTS:-}" ] || mkdir -p "$MPTUN_RESULTS"

echo "KTAP version 1"
echo "1..$#"
n=0
failed=0
for theme; do
	n=$((n + 1))
	theme=$(basename -- "$theme" .sh)
	if [ ! -f "$DIR/$theme.sh" ]; then
		echo "not ok $n $theme # there is no such theme"
		failed=1
		continue
	fi
	echo "    # Subtest: $theme"
	began=$SECONDS
	if bash "$DIR/$theme.sh" </dev/null 2>&1 | sed 's/^/    /'; then
		echo "ok $n $theme"
	else
		echo "not ok $n $theme"
		failed=1
	fi
	echo "# $theme: $((SECONDS - began)) s"
done
exit "$failed"
