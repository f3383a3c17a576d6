#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Register the module with DKMS, which builds it for every kernel.
#
# Copyright (C) 2026 The mptun authors
#
# Usage: dkms.sh install|remove
#   install   for the running kernel, and later for each new one
#   remove    for all kernels

set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
version=$(cat "$top/VERSION")
src=/usr/src/mptun-$version

remove()
{
	if dkms status mptun/"$version" | grep -q .; then
		dkms remove mptun/"$version" --all
	fi
	rm -rf "$src"
}

[ "$(id -u)" -eq 0 ] || { echo "dkms.sh: this takes root" >&2; exit 1; }
command -v dkms >/dev/null || {
	echo "dkms.sh: there is no dkms, \"make deps\" installs it" >&2
	exit 1
}

case ${1:-} in
install)
	remove
	"$top/tools/packaging/source.sh" "$src"
	dkms add mptun/"$version"
	# Also if "make install" has installed this version.
	dkms install --force mptun/"$version"
	;;
remove)
	remove
	;;
*)
	echo "Usage: dkms.sh install|remove" >&2
	exit 1
	;;
esac
