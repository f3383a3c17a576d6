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
#
# Their maintainer is who builds them: DEBFULLNAME and DEBEMAIL, or the author of the
# last commit.

set -euo pipefail
usage="Usage: deb.sh DIR [ARCHITECTURE...]"
top=$(cd "$(dirname "$0")/../.." && pwd)
version=$(cat "$top/VERSION")
out=$(realpath -m "${1:?$usage}")
src=$out/src/mptun-$version
shift

# The time of the last commit, so that equal sources give equal packages.
: "${SOURCE_DATE_EPOCH:=$(git -C "$top" log -1 --format=%ct 2>/dev/null ||
	date -r "$top/VERSION" +%s)}"
export SOURCE_DATE_EPOCH DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:-} noautodbgsym"

maintainer=$(git -C "$top" log -1 --format='%an <%ae>' 2>/dev/null ||
	echo "$(id -un) <$(id -un)@$(hostname -f)>")
if [ -n "${DEBEMAIL:-}" ]; then
	maintainer="${DEBFULLNAME:-${maintainer% <*}} <$DEBEMAIL>"
fi

die()
{
	echo "deb.sh: $*" >&2
	exit 1
}

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
	sed -i "s|#MAINTAINER#|${maintainer//[|&\\]/\\&}|" "$src/debian/control"
	cp dkms.conf "$src/dkms.conf"

	# The version is in the file VERSION.
	cat >"$src/debian/changelog" <<-END
		mptun ($version) unstable; urgency=medium

		  * See CHANGELOG.rst of the sources.

		 -- $maintainer  $(date -R -u -d "@$SOURCE_DATE_EPOCH")
	END
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

# build COMMAND...: the command builds; then the packages are in DIR
build()
{
	if ! (cd "$src" && "$@") >"$out/build.log" 2>&1; then
		tail -n 40 "$out/build.log" >&2
		! grep -q 'Unmet build dep' "$out/build.log" ||
			echo "deb.sh: \"make deps\" installs what is missing" >&2
		die "the packages cannot be built, log: $out/build.log"
	fi
	find "$out/src" -maxdepth 1 -type f -exec mv -t "$out" {} +
	rm -rf "$out/src"
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
	build env DEB_BUILD_OPTIONS="$DEB_BUILD_OPTIONS nocheck" \
		DEB_BUILD_PROFILES="cross nocheck" \
		CC="$triplet-gcc --sysroot=$sysroot" PKG_CONFIG=pkg-config \
		PKG_CONFIG_LIBDIR="$libdir/pkgconfig:$sysroot/usr/share/pkgconfig" \
		PKG_CONFIG_SYSROOT_DIR="$sysroot" \
		MPTUN_SYSROOT="$sysroot" MPTUN_DATABASE="$database" \
		dpkg-buildpackage -us -uc -B -a "$1" --admindir="$database"
}

# The arguments decide, also where dpkg-architecture has set the environment.
unset "${!DEB_HOST_@}"
command -v dpkg-buildpackage dh >/dev/null ||
	die "there is no dpkg-buildpackage or dh, \"make deps\" installs them"
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
		build dpkg-buildpackage -us -uc
	else
		build_foreign "$arch"
	fi
done
ls "$out"/*.deb
