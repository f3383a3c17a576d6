#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Python with aioquic, for QUIC in scenarios: prints the interpreter's path.
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/sim/venv.sh
#
# Debian 12 has no package of it, so it comes from PyPI, into the cache.

set -euo pipefail
LAB_NAME=sim-venv
# shellcheck source=selftests/kernels/lab/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../kernels/lab/common.sh"

want=aioquic==1.7.2
venv=$MPTUN_CACHE/sim-${want//[^0-9a-z.]/-}
lab_lock sim-venv
if [ ! -e "$venv/complete" ]; then
	rm -rf "$venv"
	/usr/bin/python3 -m venv "$venv" >&2
	lab_long "install $want" "$MPTUN_CACHE/sim-venv.log" \
		lab_retry 3 "$venv/bin/pip" -q install "$want" ||
		lab_die "$want cannot be installed"
	touch "$venv/complete"
fi
echo "$venv/bin/python3"
