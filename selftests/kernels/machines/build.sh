#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Kernels for other machines: trees to build the module against, and images.
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/kernels/machines/build.sh [--image] MACHINE
#
# Prints the tree's folder. Machines: small (32 bit, no IPv6, no SMP, no AES),
# um32 (the same as User-Mode Linux), rt (32 bit, PREEMPT_RT), s390x (big
# endian), armhf, arm64, riscv64. Each is tinyconfig with config.base and config.MACHINE on top. Without --image it
# holds what compiling modules needs and no kernel, which takes seconds.

set -euo pipefail
LAB_NAME=machine-build
# shellcheck source=selftests/kernels/lab/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/common.sh"
# shellcheck source=selftests/kernels/uml/tree.sh
. "$MPTUN_TOP/selftests/kernels/uml/tree.sh"
# shellcheck source=selftests/kernels/machines/machine.sh
. "$MPTUN_TOP/selftests/kernels/machines/machine.sh"

# configure SRC TREE NAME: write TREE/.config, and check that it has all that
# was asked for
configure() {
	local src=$1 tree=$2 dir=$MPTUN_TOP/selftests/kernels/machines line bad=0

	make -s -C "$src" "${MACHINE_MAKE[@]}" O="$tree" tinyconfig
	cat "$dir/config.base" "$dir/config.$3" >>"$tree/.config"
	make -s -C "$src" "${MACHINE_MAKE[@]}" O="$tree" olddefconfig \
		2>"$tree/config.log" || { cat "$tree/config.log" >&2; return 1; }
	while read -r line; do
		if [[ $line == *=n ]]; then
			! grep -q "^${line%n}" "$tree/.config" && continue
		else
			grep -qx "$line" "$tree/.config" && continue
		fi
		lab_say "$3: the kernel refuses $line"
		bad=1
	done < <(grep -h '^CONFIG_' "$dir/config.base" "$dir/config.$3")
	return "$bad"
}

# make_targets TREE WHAT TARGET...: make them once
make_targets() {
	local tree=$1 what=$2 src

	shift 2
	[ ! -e "$tree/.$what" ] || return 0
	"$MPTUN_TOP/selftests/tools/deps.sh" uml "$MACHINE_GROUP"
	src=$("$MPTUN_TOP/selftests/tools/linux-source.sh")
	if [ ! -e "$tree/.configured" ]; then
		mkdir -p "$tree"
		configure "$src" "$tree" "$name" ||
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
tree=$(machine_tree "$name")
(
	lab_lock "machine-$name"
	if [ -z "$image" ]; then
		make_targets "$tree" prepare modules_prepare
	elif [ "$name" = um32 ]; then
		make_targets "$tree" image linux modules
	else
		make_targets "$tree" image
	fi
) >&2
echo "$tree"
