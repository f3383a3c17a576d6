#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs the unit tests in a kernel for another machine. KTAP.
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/kernels/machines/kunit.sh [MACHINE]
#
# Machines: um32 (User-Mode Linux of 32 bit) and those of build.sh that QEMU
# emulates. None of the host's programs runs there: the first process is init.c,
# and there is no other.

set -euo pipefail
LAB_NAME=kunit-${1:-um32}
# shellcheck source=selftests/kernels/lab/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/common.sh"
# shellcheck source=selftests/kernels/uml/tree.sh
. "$MPTUN_TOP/selftests/kernels/uml/tree.sh"
# shellcheck source=selftests/kernels/machines/machine.sh
. "$MPTUN_TOP/selftests/kernels/machines/machine.sh"

name=${1:-um32}
here=$MPTUN_TOP/selftests/kernels/machines
out=$MPTUN_BUILD/machines/$name
flags=-DDEBUG
machine "$name"
[ "$name" = um32 ] || "$MPTUN_TOP/selftests/tools/deps.sh" machines-long
tree=$("$here/build.sh" --image "$name")
grep -q '^CONFIG_64BIT=y' "$tree/.config" ||
	flags+=" -include $MPTUN_TOP/selftests/tools/check/whole.h"
rm -rf "$out/root"
mkdir -p "$out/root"
LAB_QUIET=1 "$MPTUN_TOP/selftests/tools/build-module.sh" "$tree" "$out/module" \
	"${MACHINE_MAKE[@]}" W=1 CONFIG_MPTUN_KUNIT_TEST=m "KCFLAGS=$flags" \
	>&2 || lab_die "the module does not build"
! grep 'warning:\|WARNING:' "$out/module/build.log" >&2 ||
	lab_die "the module does not build without a warning"
cp -t "$out/root" "$out/module/mptun_kunit.ko"
"${MACHINE_CROSS}gcc" -O1 -Wall -static -o "$out/root/init" "$here/init.c"
rc=0
machine_boot "$tree" "$out/root" </dev/null >"$out/log" 2>&1 || rc=$?
sed 's/\r$//; 1,/mptun_kunit: loading/d' "$out/log" |
	grep -E '^ *(KTAP version|1\.\.|ok |not ok |#)' || :
grep -q '^ok 1 ' "$out/log" || {
	tail -n 40 "$out/log" >&2
	echo "Bail out! no results ($rc)"
	exit 1
}
! grep -qE '^ *not ok |BUG:|WARNING:' "$out/log"
