#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In a lab kernel: runs the unit tests, their KTAP goes to standard output.
# Copyright (C) 2026 The mptun authors
#
# usage (in a guest): lab/kunit.sh

set -euo pipefail

[ -n "${MPTUN_KUNIT_KO:-}" ] || {
	echo "Bail out! there is no mptun_kunit.ko" >&2
	exit 1
}
mark="mptun-lab: kunit $$"
echo "$mark" >/dev/kmsg
modprobe -q kunit 2>/dev/null || :
rc=0
insmod "$MPTUN_KUNIT_KO" || rc=$?
dmesg | sed -n "/$mark/,\$p" | sed '1d; s/^\[ *[0-9.]*\] \?//'
[ "$rc" -ne 0 ] || rmmod mptun_kunit
exit "$rc"
