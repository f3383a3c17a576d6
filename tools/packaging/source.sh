#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Copy the sources of the module into a folder, for DKMS.
#
# Copyright (C) 2026 The mptun authors
#
# Usage: source.sh DIR
#   DIR becomes /usr/src/mptun-VERSION on a machine; it must not exist
#
# Only sources, without unit tests and the output of builds.

set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
version=$(cat "$top/VERSION")
dir=${1:?Usage: source.sh DIR}

die()
{
	echo "source.sh: $*" >&2
	exit 1
}

[ ! -e "$dir" ] || die "$dir exists already"
grep -q "\"$version\"" "$top/kmod/base/version.h" ||
	die "kmod/base/version.h is not of version $version, as the file VERSION is"

mkdir -p "$dir"
cd "$top"
find kmod uapi -path kmod/test -prune -o -type f \( -name '*.[ch]' \
	-o -name Kbuild -o -name '*.mk' \) ! -name '*.mod.c' -print |
	sort | tar -cf - --owner=0 --group=0 --mode=u=rw,go=r -T - COPYING |
	tar -xf - --no-same-owner -C "$dir"
cp tools/packaging/Makefile.module "$dir/Makefile"
sed "s/#MODULE_VERSION#/$version/" dkms.conf >"$dir/dkms.conf"
chmod 644 "$dir/Makefile" "$dir/dkms.conf"
