#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The demonstration: one download over three uneven links, in a virtual machine.
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/demo/demo.sh [--shared] [6.1|6.12|newest]
#	--shared	other work runs on the machine, so figures mean little
#
# Installs packages, builds the module and the tools, boots a stock kernel and
# runs selftests/demo/guest.sh in it. On this machine nothing but packages is
# installed. The commands are left in build/demo/commands, the figures in
# build/demo/table.

set -euo pipefail
LAB_NAME=demo
# shellcheck source=selftests/kernels/lab/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../kernels/lab/common.sh"

how=--alone
if [ "${1:-}" = --shared ]; then
	how=
	shift
fi
kernel=${1:-6.12}
MPTUN_RESULTS=$MPTUN_BUILD/demo
export MPTUN_RESULTS
"$MPTUN_TOP/selftests/tools/deps.sh" demo
mkdir -p "$MPTUN_RESULTS"
"$MPTUN_TOP/selftests/kernels/vm/run.sh" "$kernel" ${how:+"$how"} -t 900 -- \
	"$MPTUN_TOP/selftests/demo/guest.sh"
lab_say "the commands are in $MPTUN_RESULTS/commands," \
	"the figures in $MPTUN_RESULTS/table"
