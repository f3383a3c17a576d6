#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Coverage of the pure cores by the unit tests: gcov, by file.
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/tools/coverage.sh
#
# The modules are built once more, with counters, for User-Mode Linux (smp). The
# table goes to standard output; build/coverage/html shows every line.

set -euo pipefail
LAB_NAME=coverage
# shellcheck source=selftests/kernels/lab/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../kernels/lab/common.sh"

out=$MPTUN_BUILD/coverage
"$MPTUN_TOP/selftests/tools/deps.sh" build tests uml coverage
kdir=$("$MPTUN_TOP/selftests/kernels/uml/build.sh" --path smp)
# remove counters and notes of an earlier build
rm -rf "$out"
LAB_QUIET=1 "$MPTUN_TOP/selftests/tools/build-module.sh" "$kdir" "$out/module" \
	CONFIG_MPTUN_KUNIT_TEST=m GCOV_PROFILE=y
mkdir -p "$out/data" "$out/html"
MPTUN_RESULTS=$out/data "$MPTUN_TOP/selftests/kernels/uml/run.sh" smp -t 600 --bare -- \
	"$MPTUN_TOP/selftests/kernels/lab/gcov.sh" "$out/module/mptun_kunit.ko" \
	>"$out/kunit.ktap" ||
	lab_die "the unit tests failed, see $out/kunit.ktap"
src=$out/module/src/kmod
# gcov expects them beside the notes of the compiler
(cd "$out/data/gcda" && find . -name '*.gcda' -exec cp --parents -t "$src" {} +)
cores=$(sed -n 's/^mptun-cores .*= //p' "$MPTUN_TOP/kmod/cores.mk" |
	tr ' ' '\n' | sed 's/\.o$//' | paste -sd '|' -)
gcovr --root "$src" --filter ".*/kmod/($cores)\.[ch]\$" --print-summary \
	--html-details "$out/html/index.html" --txt - "$src"
