#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Debian's libraries for another architecture, unpacked into a folder of the cache.
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/tools/sysroot.sh [--find] ARCHITECTURE [PACKAGE...]
#
# Downloads the packages (default: the libraries that the tools are built with)
# and all that they depend on, and prints the folder. The packages of this machine
# stay as they are. --find only prints the folder, and fails if there is none.
#
# var/lib/dpkg in there is a database of dpkg: it names the files by their places
# in this folder, for dpkg-shlibdeps (tools/packaging/deb.sh).

set -euo pipefail
LAB_NAME=sysroot
# shellcheck source=selftests/kernels/lab/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../kernels/lab/common.sh"

# unpack DEB: its files, and what dpkg would note about it
unpack() {
	local info=$dir/var/lib/dpkg/info name part

	dpkg-deb --fsys-tarfile "$1" | tar -xf - -C "$dir" --no-same-owner \
		--exclude='./usr/share/'{doc,info,lintian,locale,man}
	# Others cannot be installed beside those of this machine.
	[ "$(dpkg-deb -f "$1" Multi-Arch)" = same ] || return 0
	name=$(dpkg-deb -f "$1" Package):$arch
	dpkg-deb --fsys-tarfile "$1" | tar -tf - |
		sed "s|^\.|$dir|; s|/\$||" >"$info/$name.list"
	dpkg-deb --ctrl-tarfile "$1" >"$dir/control.tar"
	for part in symbols shlibs; do
		tar -xOf "$dir/control.tar" "./$part" 2>/dev/null \
			>"$info/$name.$part" || rm "$info/$name.$part"
	done
	rm "$dir/control.tar"
	{
		echo "Status: install ok installed"
		dpkg-deb -f "$1"
		echo
	} >>"$dir/var/lib/dpkg/status"
}

# fill: the folder, with all packages
fill() {
	local apt deb link target

	rm -rf "$dir"
	mkdir -p "$dir"/{deb/partial,var/lib/dpkg/info}
	apt=$(lab_apt_init "$codename" "$arch")
	lab_retry 4 lab_apt "$apt" apt-get -qq update
	lab_retry 4 lab_apt "$apt" apt-get -qq --download-only -y \
		--no-install-recommends -o "Dir::Cache::archives=$dir/deb" \
		install "$@"
	for deb in "$dir"/deb/*.deb; do
		unpack "$deb"
	done
	rm -r "$dir/deb"
	# the format with architectures in the names of files
	echo 1 >"$dir/var/lib/dpkg/info/format"
	# links to libraries in /lib must not lead out
	find "$dir" -type l -lname '/*' -printf '%p\n' | while read -r link; do
		target=$dir$(readlink "$link")
		[ ! -e "$target" ] || ln -sfnr "$target" "$link"
	done
	touch "$dir/.complete"
}

find=
[ "${1:-}" != --find ] || { find=1; shift; }
[ $# -gt 0 ] || lab_die "usage: selftests/tools/sysroot.sh [--find]" \
	"ARCHITECTURE [PACKAGE...]"
arch=$1
shift
# shellcheck disable=SC2046 # a list of words
[ $# -gt 0 ] || set -- $(sed -n 's/^ \(lib[a-z0-9-]*-dev\),$/\1/p' \
	"$MPTUN_TOP/tools/packaging/debian/control")
# shellcheck source=/dev/null
codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-sid}")
dir=$MPTUN_CACHE/sysroot/$codename-$arch-$(printf '%s\n' "$@" | sort |
	sha256sum | cut -c1-8)
if [ ! -e "$dir/.complete" ]; then
	[ -z "$find" ] || exit 1
	(
		lab_lock "${dir##*/}"
		[ -e "$dir/.complete" ] || lab_long "libraries for $arch" \
			"$MPTUN_CACHE/sysroot/$arch.log" fill "$@"
	)
fi
echo "$dir"
