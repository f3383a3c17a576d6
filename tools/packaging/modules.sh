#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Build Debian packages of the module, one for each kernel: mptun-modules-KERNEL.
#
# Copyright (C) 2026 The mptun authors
#
# Usage: modules.sh DIR [KERNEL...]
#   DIR     gets the packages
#   KERNEL  as "uname -r" prints it; its headers are installed.  Default: each that
#           the module is for (dkms.conf) and whose headers are a package

set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
out=$(realpath -m "${1:?Usage: modules.sh DIR [KERNEL...]}")
# shellcheck source=tools/packaging/deb-common.sh
. "$top/tools/packaging/deb-common.sh"
shift

# A make above has options for other things, and its ARCH is none of the kernel's.
unset MAKEFLAGS MFLAGS ARCH CROSS_COMPILE

# supported: the kernels that have headers
supported()
{
	local regex folder kernel

	regex=$(sed -n 's/^BUILD_EXCLUSIVE_KERNEL="\(.*\)"$/\1/p' "$top/dkms.conf")
	for folder in /usr/src/linux-headers-*/Module.symvers; do
		kernel=${folder#/usr/src/linux-headers-}
		kernel=${kernel%/*}
		[[ ! $kernel =~ $regex ]] || echo "$kernel"
	done
}

# shellcheck disable=SC2046 # a list of words
[ $# -gt 0 ] || set -- $(supported)
[ $# -gt 0 ] || echo "modules.sh: no kernel's headers are installed: no module" >&2
for kernel; do
	[ -e "/usr/src/linux-headers-$kernel/Module.symvers" ] ||
		die "there are no headers of a kernel '$kernel': the package" \
			"linux-headers-$kernel has them"
done

arch=$(dpkg --print-architecture)
mkdir -p "$out"
for kernel; do
	rm -rf "$out/modules"
	find "$out" -maxdepth 1 -type f \
		-name "mptun-modules-${kernel}_*" -delete
	src=$out/modules/mptun-modules-$version
	mkdir -p "$out/modules"
	"$top/tools/packaging/source.sh" "$src"
	cp -r "$top/tools/packaging/modules" "$src/debian"
	cp "$top/tools/packaging/debian/copyright" "$src/debian/"
	sed -i "s|#KERNEL#|$kernel|g; s|#ARCHITECTURE#|$arch|" \
		"$src/debian/control"
	fill_in "$src/debian" "mptun-modules-$kernel"
	build "$src" dpkg-buildpackage -us -uc -b
	ls "$out/mptun-modules-${kernel}_${version}_$arch.deb"
done
