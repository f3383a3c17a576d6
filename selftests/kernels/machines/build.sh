#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Kernels for other machines: trees to build the module against, and images.
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/kernels/machines/build.sh [--image] MACHINE[-clang]
#
# Prints the tree's folder. Machines: small (32 bit, no IPv6, no SMP, no AES),
# um32 (the same as User-Mode Linux), rt (32 bit, PREEMPT_RT), s390x (big
# endian), armhf, arm64, riscv64, kcsan (x86-64, finds data races; vm/run.sh
# boots it). Each is tinyconfig with a config.base and config.MACHINE on top,
# for gcc, or for the clang of the unstable distribution.
# Without --image it holds what compiling modules needs and no kernel, which
# takes seconds.

set -euo pipefail
LAB_NAME=machine-build
# shellcheck source=selftests/kernels/lab/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/common.sh"
# shellcheck source=selftests/kernels/uml/tree.sh
. "$MPTUN_TOP/selftests/kernels/uml/tree.sh"
# shellcheck source=selftests/kernels/machines/machine.sh
. "$MPTUN_TOP/selftests/kernels/machines/machine.sh"
# shellcheck source=selftests/kernels/configure.sh
. "$MPTUN_TOP/selftests/kernels/configure.sh"

# make_targets TREE WHAT TARGET...: make them once
make_targets() {
	local tree=$1 what=$2 src

	shift 2
	[ ! -e "$tree/.$what" ] || return 0
	"$MPTUN_TOP/selftests/tools/deps.sh" uml "$MACHINE_GROUP"
	src=$("$MPTUN_TOP/selftests/tools/linux-source.sh")
	if [ ! -e "$tree/.configured" ]; then
		mkdir -p "$tree"
		kernel_configure "$src" "$tree" "$name" MACHINE_MAKE \
			"${MACHINE_CONFIG[@]}" ||
			lab_die "$name: configuration failed"
		touch "$tree/.configured"
	fi
	lab_long "$what $name" "$tree/$what.log" \
		make -C "$src" "${MACHINE_MAKE[@]}" O="$tree" \
		"-j$(nproc)" "$@" || lab_die "$name: build failed"
	touch "$tree/.$what"
}

image=
if [ "${1:-}" = --image ]; then
	image=1
	shift
fi
[ $# -eq 1 ] || lab_die "usage: selftests/kernels/machines/build.sh [--image] MACHINE"
name=$1
machine "$name"
[[ $name != *-clang ]] ||
	"$MPTUN_TOP/selftests/kernels/vm/build.sh" --headers newest >&2
tree=$(machine_tree "$name")
(
	lab_lock "machine-$name"
	if [ -z "$image" ]; then
		make_targets "$tree" prepare modules_prepare
	elif [ "$name" = um32 ]; then
		make_targets "$tree" image linux modules
	elif [ "$name" = kcsan ]; then
		make_targets "$tree" image bzImage modules
	else
		make_targets "$tree" image
	fi
) >&2
echo "$tree"
