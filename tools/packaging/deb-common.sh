# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the scripts that build Debian packages share.
#
# Copyright (C) 2026 The mptun authors
#
# Sourced, never run.  Needs top, the source tree, and out, the folder for packages.
#
# Their maintainer is who builds them: DEBFULLNAME and DEBEMAIL, or the author of the
# last commit.

# shellcheck disable=SC2154 # of the scripts
version=$(cat "$top/VERSION")

# The time of the last commit, so that equal sources give equal packages.
: "${SOURCE_DATE_EPOCH:=$(git -C "$top" log -1 --format=%ct 2>/dev/null ||
	date -r "$top/VERSION" +%s)}"
export SOURCE_DATE_EPOCH
export DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:+$DEB_BUILD_OPTIONS }noautodbgsym"

maintainer=$(git -C "$top" log -1 --format='%an <%ae>' 2>/dev/null ||
	echo "$(id -un) <$(id -un)@$(hostname -f)>")
if [ -n "${DEBEMAIL:-}" ]; then
	maintainer="${DEBFULLNAME:-${maintainer% <*}} <$DEBEMAIL>"
fi

die()
{
	echo "${0##*/}: $*" >&2
	exit 1
}

# fill_in FOLDER SOURCE: the maintainer, and the changelog of a source package; the
# version is in the file VERSION
fill_in()
{
	sed -i "s|#MAINTAINER#|${maintainer//[|&\\]/\\&}|" "$1/control"
	cat >"$1/changelog" <<-END
		$2 ($version) unstable; urgency=medium

		  * See CHANGELOG.rst of the sources.

		 -- $maintainer  $(date -R -u -d "@$SOURCE_DATE_EPOCH")
	END
}

# build FOLDER COMMAND...: the command builds in the folder; then the packages are in
# out, and the folder above it is gone
build()
{
	local src=$1

	shift
	if ! (cd "$src" && "$@") >"$out/build.log" 2>&1; then
		tail -n 40 "$out/build.log" >&2
		! grep -q 'Unmet build dep' "$out/build.log" ||
			echo "${0##*/}: \"make deps\" installs what is missing" >&2
		die "the packages cannot be built, log: $out/build.log"
	fi
	find "${src%/*}" -maxdepth 1 -type f -exec mv -t "$out" {} +
	rm -rf "${src%/*}"
}

command -v dpkg-buildpackage dh >/dev/null ||
	die "there is no dpkg-buildpackage or dh, \"make deps\" installs them"
# The arguments decide, also where dpkg-architecture has set the environment.
unset "${!DEB_HOST_@}"
