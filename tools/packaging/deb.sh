#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Build the Debian packages mptun-dkms and mptun-tools.
#
# Copyright (C) 2026 The mptun authors
#
# Usage: deb.sh DIR [ARCHITECTURE...]
#   DIR           gets the packages and their sources; they are built from a copy
#                 in there.  Packages of this version for other architectures stay
#   ARCHITECTURE  such as arm64; default: that of this machine.  For others there is
#                 only mptun-tools, as mptun-dkms is for all of them

set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
out=$(realpath -m "${1:?Usage: deb.sh DIR [ARCHITECTURE...]}")
# shellcheck source=tools/packaging/deb-common.sh
. "$top/tools/packaging/deb-common.sh"
src=$out/src/mptun-$version
shift

# query ARGUMENT...: dpkg-architecture, without its warnings
query()
{
	dpkg-architecture "$@" 2>/dev/null
}

# prepare: a copy of the sources, to build from
prepare()
{
	rm -rf "$out/src"
	mkdir -p "$out/src"
	"$top/tools/packaging/source.sh" "$src"
	cd "$top"
	find tools -name __pycache__ -prune -o -type f -print | sort |
		tar -cf - -T - VERSION | tar -xf - -C "$src"
	cp -r tools/packaging/debian "$src/debian"
	cp dkms.conf "$src/dkms.conf"
	fill_in "$src/debian" mptun
}

# clear ARCHITECTURE: remove what an earlier build has left for it, and what is of
# another version
clear()
{
	local -a own=(-name "*_$1.*")

	[ "$1" != "$native" ] ||
		own+=(-o -name '*_all.deb' -o -name '*.dsc' -o -name '*.tar.xz')
	find "$out" -maxdepth 1 -type f -regextype egrep \
		-regex '.*\.(deb|dsc|tar\.xz|changes|buildinfo)' \
		\( ! -name "*_${version}[_.]*" -o "${own[@]}" \) -delete
}

# sysroot ARCHITECTURE: the folder with its libraries
sysroot()
{
	"$top/selftests/tools/sysroot.sh" --find "$1" ||
		die "there are no libraries for $1, \"make deps ARCH=$1\" gets them"
}

# database FOLDER SYSROOT ARCHITECTURE: make a database of dpkg there, as if the
# packages of the sysroot were installed on this machine
database()
{
	mkdir "$1"
	ln -s "$2/var/lib/dpkg/info" "$1/info"
	printf '%s\n' "$native" "$3" >"$1/arch"
	cat /var/lib/dpkg/status "$2/var/lib/dpkg/status" >"$1/status"
}

# build_foreign ARCHITECTURE: by Debian's compiler for it
build_foreign()
{
	local sysroot libdir triplet database=$out/src/dpkg

	sysroot=$(sysroot "$1")
	triplet=$(query -a "$1" -q DEB_HOST_GNU_TYPE)
	libdir=$sysroot/usr/lib/$(query -a "$1" -q DEB_HOST_MULTIARCH)
	database "$database" "$sysroot" "$1"
	build "$src" env DEB_BUILD_OPTIONS="$DEB_BUILD_OPTIONS nocheck" \
		DEB_BUILD_PROFILES="cross nocheck" \
		CC="$triplet-gcc --sysroot=$sysroot" PKG_CONFIG=pkg-config \
		PKG_CONFIG_LIBDIR="$libdir/pkgconfig:$sysroot/usr/share/pkgconfig" \
		PKG_CONFIG_SYSROOT_DIR="$sysroot" \
		MPTUN_SYSROOT="$sysroot" MPTUN_DATABASE="$database" \
		dpkg-buildpackage -us -uc -B -a "$1" --admindir="$database"
}

native=$(query -q DEB_BUILD_ARCH)
[ $# -gt 0 ] || set -- "$native"
for arch; do
	triplet=$(query -a "$arch" -q DEB_HOST_GNU_TYPE) ||
		die "Debian has no architecture '$arch'"
	[ "$arch" != "$native" ] || continue
	command -v "$triplet-gcc" >/dev/null ||
		die "there is no $triplet-gcc, \"make deps ARCH=$arch\" installs it"
	sysroot "$arch" >/dev/null
done

mkdir -p "$out"
for arch; do
	clear "$arch"
	prepare
	if [ "$arch" = "$native" ]; then
		build "$src" dpkg-buildpackage -us -uc
	else
		build_foreign "$arch"
	fi
done
ls "$out"/*.deb
