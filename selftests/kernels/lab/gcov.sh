#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In a lab kernel: runs the unit tests of a module built with counters.
# Copyright (C) 2026 The mptun authors
#
# usage (in a guest, by selftests/tools/coverage.sh): lab/gcov.sh MPTUN_KUNIT.KO
#
# Leaves the counters in MPTUN_RESULTS/gcda, in the folders of the sources.

set -euo pipefail

MPTUN_KUNIT_KO=$1 "$MPTUN_TOP/selftests/kernels/lab/kunit.sh"
from=/sys/kernel/debug/gcov$(dirname -- "$(realpath -- "$1")")/src/kmod
cd "$from" || exit 1
find . -name '*.gcda' | while read -r file; do
	mkdir -p "$MPTUN_RESULTS/gcda/$(dirname -- "$file")"
	cat "$file" >"$MPTUN_RESULTS/gcda/$file"
done
