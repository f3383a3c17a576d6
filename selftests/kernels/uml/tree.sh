# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Where the User-Mode Linux source and the built flavours are.
# Copyright (C) 2026 The mptun authors
#
# Sourced after lab/common.sh.

# shellcheck disable=SC2034 # used by those who source this file
UML_FLAVOURS="smp debug tt"

# The banner of a build goes into the kernel's random pool. It is the same for
# all builds, so that a seed has the same outcome on every machine.
# shellcheck disable=SC2034
UML_BANNER=(KBUILD_BUILD_TIMESTAMP=2026-01-01 KBUILD_BUILD_VERSION=1
	KBUILD_BUILD_USER=mptun KBUILD_BUILD_HOST=mptun)

# uml_flags FLAVOUR: what make is called with beside its configuration. Debug
# kernels are compiled for seconds and run for minutes: -O1 takes a third off
# the former.
uml_flags() {
	[ "$1" != debug ] || echo KCFLAGS=-O1
}

# uml_version: "PACKAGE VERSION" of the newest linux-source, looked up at most
# once a week (MPTUN_REFRESH=1 asks again)
uml_version() {
	local file=$MPTUN_CACHE/uml/source dir pkg ver

	if [ -z "${MPTUN_REFRESH:-}" ] && lab_fresh "$file" 7; then
		cat "$file"
		return
	fi
	dir=$(lab_apt_init sid) || return
	if lab_retry 4 lab_apt "$dir" apt-get -qq update >&2; then
		pkg=$(lab_apt "$dir" apt-cache search --names-only \
			'^linux-source-[0-9.]+$' | awk '{ print $1 }' |
			sort -V | tail -n1)
		ver=$(lab_apt "$dir" apt-cache show "$pkg" 2>/dev/null |
			awk '$1 == "Version:" { print $2; exit }')
	fi
	mkdir -p "$(dirname "$file")"
	if [ -n "${pkg:-}" ] && [ -n "${ver:-}" ]; then
		echo "$pkg $ver" >"$file.$$"
		mv "$file.$$" "$file"
	elif [ -s "$file" ]; then
		lab_say "the newest kernel cannot be looked up, the last one is used"
	else
		lab_die "no linux-source package found"
	fi
	cat "$file"
}

# uml_source: the folder of the unpacked source with our patches, after which
# it is named too (see linux-source.sh for who fills it)
uml_source() {
	local pkg ver hash

	read -r pkg ver < <(uml_version)
	hash=$(cat "$MPTUN_TOP"/selftests/kernels/uml/patches/*.patch | sha256sum)
	echo "$MPTUN_CACHE/src/$pkg-${ver//[^0-9A-Za-z.+-]/_}-${hash:0:8}"
}

# uml_tree FLAVOUR: the folder of a flavour, named after all that decides what
# is in it: source version, configuration, compiler, banner, flags, own patches
uml_tree() {
	local src hash conf=$MPTUN_TOP/selftests/kernels/uml

	[ -f "$conf/config.$1" ] || lab_die "no flavour '$1' (of $UML_FLAVOURS)"
	src=$(uml_source)
	hash=$( (
		grep -hv '^#' "$conf/config.base" "$conf/config.$1"
		gcc -dumpfullversion
		echo "${UML_BANNER[*]}"
		uml_flags "$1"
		[ ! -d "$conf/patches/$1" ] || cat "$conf/patches/$1"/*.patch
	) | sha256sum | cut -c1-12)
	echo "$MPTUN_CACHE/uml/$1-${src##*/linux-source-}-$hash"
}
