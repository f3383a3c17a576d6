#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Build the Debian packages mptun-dkms and mptun-tools.
#
# Copyright (C) 2026 The mptun authors
#
# Usage: deb.sh DIR
#   DIR gets the packages and their sources; they are built from a copy in there
#
# Their maintainer is who builds them: DEBFULLNAME and DEBEMAIL, or the author of the
# last commit.

set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
version=$(cat "$top/VERSION")
out=$(realpath -m "${1:?Usage: deb.sh DIR}")
src=$out/src/mptun-$version

# The time of the last commit, so that equal sources give equal packages.
: "${SOURCE_DATE_EPOCH:=$(git -C "$top" log -1 --format=%ct 2>/dev/null ||
	date -r "$top/VERSION" +%s)}"
export SOURCE_DATE_EPOCH DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:-} noautodbgsym"

maintainer=$(git -C "$top" log -1 --format='%an <%ae>' 2>/dev/null ||
	echo "$(id -un) <$(id -un)@$(hostname -f)>")
if [ -n "${DEBEMAIL:-}" ]; then
	maintainer="${DEBFULLNAME:-${maintainer% <*}} <$DEBEMAIL>"
fi

command -v dpkg-buildpackage dh >/dev/null || {
	echo "deb.sh: there is no dpkg-buildpackage or dh, \"make deps\"" \
		"installs them" >&2
	exit 1
}

rm -rf "$out/src" "$out"/*.{deb,dsc,tar.xz,changes,buildinfo}
mkdir -p "$out/src"
"$top/tools/packaging/source.sh" "$src"
cd "$top"
find tools -name __pycache__ -prune -o -type f -print | sort |
	tar -cf - -T - VERSION | tar -xf - -C "$src"
cp -r tools/packaging/debian "$src/debian"
sed -i "s|#MAINTAINER#|${maintainer//[|&\\]/\\&}|" "$src/debian/control"
cp dkms.conf "$src/dkms.conf"

# The version is in the file VERSION.
cat >"$src/debian/changelog" <<END
mptun ($version) unstable; urgency=medium

  * See CHANGELOG.rst of the sources.

 -- $maintainer  $(date -R -u -d "@$SOURCE_DATE_EPOCH")
END

if ! (cd "$src" && dpkg-buildpackage -us -uc) >"$out/build.log" 2>&1; then
	tail -n 40 "$out/build.log" >&2
	! grep -q 'Unmet build dep' "$out/build.log" ||
		echo "deb.sh: \"make deps\" installs what is missing" >&2
	echo "deb.sh: the packages cannot be built, log: $out/build.log" >&2
	exit 1
fi
mv "$out"/src/*.{deb,dsc,tar.xz,changes,buildinfo} "$out/"
rm -rf "$out/src"
ls "$out"/*.deb
