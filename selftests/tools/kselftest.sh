#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Puts the namespace tests into a kernel tree, as a target of kselftest.
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/tools/kselftest.sh KERNEL-TREE
#
# Writes KERNEL-TREE/tools/testing/selftests/drivers/net/mptun: the folder net/,
# and in its folder tree/ the helpers, the peer, the fuzzers and the documents
# from which tests read. To run them there, as root:
#
#	make -C tools/testing/selftests TARGETS=drivers/net/mptun run_tests

set -euo pipefail
top=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
if [ $# -ne 1 ] || [ ! -f "$1/tools/testing/selftests/lib.mk" ]; then
	sed -n 's/^# usage: /usage: /p' "${BASH_SOURCE[0]}" >&2
	exit 2
fi
out=$1/tools/testing/selftests/drivers/net/mptun
# what lib.sh calls TREE_DIR
parts=(selftests/helpers selftests/peer selftests/fuzz
	Documentation/netlink/specs/mptun.yaml Documentation/user-guide.rst
	Documentation/wireguard.rst Documentation/recipes.rst
	uapi/linux/mptun_link.h)

rm -rf "$out"
mkdir -p "$out/tree"
cp -a -t "$out" -- "$top"/selftests/net/.
(cd "$top" && tar -c --exclude=__pycache__ -- "${parts[@]}") |
	tar -x -C "$out/tree"
