# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Configures kernels of our own: tinyconfig and files of options on top.
# Copyright (C) 2026 The mptun authors
#
# Sourced after lab/common.sh.

# kernel_configure SRC TREE NAME MAKE-ARGUMENTS FILE...: write TREE/.config and
# check that it has all that the files ask for, the last of which wins.
# MAKE-ARGUMENTS is the name of an array.
kernel_configure() {
	local src=$1 tree=$2 name=$3 key val bad=0
	local -n args=$4
	local -A all=()

	shift 4
	make -s -C "$src" "${args[@]}" O="$tree" tinyconfig
	cat "$@" >>"$tree/.config"
	make -s -C "$src" "${args[@]}" O="$tree" olddefconfig \
		2>"$tree/config.log" || { cat "$tree/config.log" >&2; return 1; }
	while IFS='=' read -r key val; do
		all[$key]=$val
	done < <(grep -h '^CONFIG_' "$@")
	for key in "${!all[@]}"; do
		if [ "${all[$key]}" = n ]; then
			! grep -q "^$key=" "$tree/.config" && continue
		else
			grep -qx "$key=${all[$key]}" "$tree/.config" && continue
		fi
		lab_say "$name: the kernel refuses $key=${all[$key]}"
		bad=1
	done
	return "$bad"
}
