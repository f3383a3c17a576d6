#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Prints the folder of the newest packaged kernel source, unpacked.
#
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/tools/linux-source.sh
#
# The source is fetched on first use; the User-Mode Linux flavours are built
# from the same folder, so selftests/kernels/uml/patches are applied to it.
# MPTUN_LINUX_SOURCE names an existing source tree to use instead.

set -euo pipefail
LAB_NAME=linux-source
# shellcheck source=selftests/kernels/lab/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../kernels/lab/common.sh"
# shellcheck source=selftests/kernels/uml/tree.sh
. "$MPTUN_TOP/selftests/kernels/uml/tree.sh"

# patches DIR: apply ours. One that does not apply is left out, as its cause may
# be gone; uml/selftest.sh fails otherwise
patches() {
	local file

	for file in "$MPTUN_TOP"/selftests/kernels/uml/patches/*.patch; do
		patch -d "$1" -p1 --dry-run -f -s <"$file" >&2 || {
			lab_say "${file##*/} does not apply, and is left out"
			continue
		}
		patch -d "$1" -p1 -f -s <"$file" >&2
	done
}

# fetch DIR: download and unpack the source package into DIR
fetch() {
	local src=$1 tmp=$1.tmp pkg ver dir

	read -r pkg ver < <(uml_version)
	dir=$(lab_apt_init sid)
	rm -rf "$tmp" "$src"
	mkdir -p "$tmp"
	lab_retry 4 lab_apt "$dir" apt-get -qq update >&2
	cd "$tmp"
	lab_long "fetch $pkg $ver" "$tmp/fetch.log" \
		lab_retry 3 lab_apt "$dir" apt-get -q download "$pkg=$ver"
	dpkg-deb --fsys-tarfile "$pkg"_*.deb | tar x "./usr/src/$pkg.tar.xz"
	lab_long "unpack $pkg" "$tmp/unpack.log" \
		tar xf "usr/src/$pkg.tar.xz" --strip-components=1
	rm -rf usr/src "$pkg"_*.deb
	patches "$tmp"
	touch .complete
	mv "$tmp" "$src"
}

[ $# -eq 0 ] || lab_die "unknown argument $1 (there are none)"
if [ -n "${MPTUN_LINUX_SOURCE:-}" ]; then
	[ -e "$MPTUN_LINUX_SOURCE/Kbuild" ] ||
		lab_die "MPTUN_LINUX_SOURCE=$MPTUN_LINUX_SOURCE is no kernel source"
	echo "$MPTUN_LINUX_SOURCE"
	exit 0
fi

src=$(uml_source)
if [ ! -e "$src/.complete" ]; then
	(
		lab_lock uml-source
		[ -e "$src/.complete" ] || fetch "$src"
	)
fi
echo "$src"
