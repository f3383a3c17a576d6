#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds User-Mode Linux flavours from the newest Debian kernel source.
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/kernels/uml/build.sh [--path] [FLAVOUR...]
#
# Flavours: smp (two CPUs, native speed), debug (KASAN, lockdep, ...), tt (time
# travel). Each is tinyconfig with config.base and config.FLAVOUR on top
# and ends as a complete build tree in the cache, so that external modules can
# be built against it. With --path the tree's folder is printed.

set -euo pipefail
LAB_NAME=uml-build
# shellcheck source=selftests/kernels/lab/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/common.sh"
# shellcheck source=selftests/kernels/uml/tree.sh
. "$MPTUN_TOP/selftests/kernels/uml/tree.sh"
# shellcheck source=selftests/kernels/configure.sh
. "$MPTUN_TOP/selftests/kernels/configure.sh"

CONF=$MPTUN_TOP/selftests/kernels/uml
# shellcheck disable=SC2034 # for kernel_configure
ARGS=(ARCH=um)

# own_patches SRC TREE FLAVOUR: patches that only this flavour has, applied to
# copies of the files in its tree, where make looks before it does in the source
own_patches() {
	local src=$1 tree=$2 dir=$MPTUN_TOP/selftests/kernels/uml/patches/$3 file
	local -a files

	[ -d "$dir" ] || return 0
	mapfile -t files < <(sed -n 's,^+++ b/,,p' "$dir"/*.patch | sort -u)
	for file in "${files[@]}"; do
		mkdir -p "$tree/${file%/*}"
		# what it includes from its own folder
		find "$src/${file%/*}" -maxdepth 1 -name '*.h' \
			-exec ln -sft "$tree/${file%/*}" -- {} +
	done
	for file in "${files[@]}"; do
		cp --remove-destination -- "$src/$file" "$tree/$file"
	done
	for file in "$dir"/*.patch; do
		patch -d "$tree" -p1 -f -s <"$file" || return
	done
}

# build FLAVOUR: prints the tree's folder when it is complete
build() (
	local flavour=$1 src tree
	local -a flags

	tree=$(uml_tree "$flavour") || return
	if [ ! -e "$tree/.complete" ]; then
		"$MPTUN_TOP/selftests/tools/deps.sh" uml
		lab_lock "uml-$flavour"
		src=$("$MPTUN_TOP/selftests/tools/linux-source.sh")
	fi
	if [ ! -e "$tree/.complete" ]; then
		mkdir -p "$tree"
		mapfile -t flags < <(uml_flags "$flavour")
		kernel_configure "$src" "$tree" "$flavour" ARGS \
			"$CONF/config.base" "$CONF/config.$flavour" ||
			lab_die "$flavour: configuration failed"
		own_patches "$src" "$tree" "$flavour" >&2 ||
			lab_die "$flavour: its patches do not apply"
		lab_long "build uml $flavour" "$tree/build.log" \
			make -C "$src" ARCH=um O="$tree" "${UML_BANNER[@]}" \
			"${flags[@]}" -j"$(nproc)" linux modules ||
			lab_die "$flavour: build failed"
		strip -o "$tree/linux.stripped" "$tree/linux"
		touch "$tree/.complete"
	fi
	ln -sfn "$tree" "$MPTUN_CACHE/uml/$flavour"
	echo "$tree"
)

path=
if [ "${1:-}" = --path ]; then
	path=1
	shift
fi
# shellcheck disable=SC2086 # a list of words
[ $# -gt 0 ] || set -- $UML_FLAVOURS
for flavour; do
	tree=$(build "$flavour") || exit
	if [ -n "$path" ]; then
		echo "$tree"
	else
		lab_say "$flavour is ready in $tree"
	fi
done
