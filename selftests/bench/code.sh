#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds and runs the bench of the code, in user space.
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/bench/code.sh [PACKETS [SEED]]
#
# PACKETS: per loss and code (default: 300000, which take about 20 s); SEED: a
# number, for other losses of the same kind (default: 0). The compiler uses no
# vector instructions, as in a kernel.

set -euo pipefail
LAB_NAME=bench-code
# shellcheck source=selftests/kernels/lab/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../kernels/lab/common.sh"

kmod=$MPTUN_TOP/kmod
wire=$MPTUN_TOP/selftests/fuzz/wire
out=$MPTUN_BUILD/bench-code
CC=${CC:-gcc}

# an empty file for each header of the kernel that a program does not have
rm -rf "$out"
mkdir -p "$out/include"
sed -n 's/^#include <\(.*\)>.*/\1/p' "$kmod"/{code,wire,base}/*.[ch] |
	sort -u | while read -r name; do
	[ ! -e "/usr/include/$name" ] || continue
	mkdir -p "$out/include/${name%/*}"
	: >"$out/include/$name"
done
"$CC" -std=gnu11 -O2 -fno-tree-vectorize -Wall -Werror \
	-include "$wire/shim.h" -iquote "$wire" -iquote "$kmod" \
	-I"$out/include" -I"$MPTUN_TOP/uapi" -o "$out/code" \
	"$MPTUN_TOP/selftests/bench/code.c" "$kmod"/code/*.c \
	"$kmod/wire/parse.c" "$wire/shim.c"
exec "$out/code" "$@"
