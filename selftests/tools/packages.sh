#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The packages build and are in order, and so is the repository made of them.
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/tools/packages.sh

set -u
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=tools/test/lib.sh
. "$top/tools/test/lib.sh"
debs=${MPTUN_BUILD:-$top/build}/deb
version=$(cat "$top/VERSION")
# Who builds them is in the packages.
export DEBFULLNAME="A Builder" DEBEMAIL=builder@example.org

work=$(mktemp -d)
export GNUPGHOME=$work/gnupg
trap 'gpgconf --kill all 2>/dev/null; rm -rf "$work"' EXIT

"$top/selftests/tools/deps.sh" packages >&2 || exit

test_build()
{
	"$top/selftests/tools/dkms.sh" --build
}

test_lintian()
{
	local tags

	tags=$(lintian --allow-root -I --tag-display-limit 0 "$debs"/*.changes)
	check_equal "$tags" ""
}

# repo [DIR]: make the repository
repo()
{
	URL="file://$work/apt" "$top/tools/packaging/apt-repo.sh" \
		"${1:-$work/apt}" "${key:-builder@example.org}" "$debs"
}

# get COMMAND...: apt-get that knows this repository alone
get()
{
	apt-get -o Dir="$work/root" -o Dir::Etc=etc -o Dir::Bin::methods="$methods" \
		-o Dir::State::status="$work/root/status" -o APT::Architecture=amd64 \
		-o APT::Sandbox::User=root -o Debug::NoLocking=1 "$@"
}

test_repo()
{
	local methods=/usr/lib/apt/methods deb

	mkdir -m 700 "$GNUPGHOME"
	gpg --batch --passphrase '' --quick-gen-key builder@example.org
	repo
	mkdir -p "$work"/root/{etc/sources.list.d,etc/apt.conf.d,etc/preferences.d}
	mkdir -p "$work"/root/var/{lib/apt/lists/partial,cache/apt/archives/partial}
	: >"$work/root/status"
	# As the file says, with the keyring in a place of ours.
	sed "s|/usr/share/keyrings|$work/apt|" "$work/apt/mptun.sources" \
		>"$work/root/etc/sources.list.d/mptun.sources"
	get -o APT::Update::Error-Mode=any update
	cd "$work"
	get download mptun-tools mptun-dkms
	for deb in mptun-tools_"$version"_*.deb mptun-dkms_"$version"_all.deb; do
		cmp "$deb" "$debs/$deb"
	done
	get source --download-only mptun
	cmp "mptun_$version.dsc" "$debs/mptun_$version.dsc"

	# Again, over what is there; then one that somebody has changed.
	repo
	get -o APT::Update::Error-Mode=any update
	sed -i 's/^Origin: mptun/Origin: other/' "$work"/apt/dists/stable/InRelease
	if get -o APT::Update::Error-Mode=any update; then
		return 1
	fi
}

test_refused()
{
	local key=nobody@example.org

	if repo "$work/none" 2>"$work/error"; then
		return 1
	fi
	check_equal "$(cat "$work/error")" "apt-repo.sh: gpg has no secret key\
 'nobody@example.org', \"gpg --list-secret-keys\" lists them"
	[ ! -e "$work/none" ]
	mkdir "$work/empty"
	if debs=$work/empty key='' repo "$work/none" 2>"$work/error"; then
		return 1
	fi
	grep -qF "no packages in $work/empty, \"make deb\" builds them" "$work/error"
	[ ! -e "$work/none" ]
}

ktap_test "packages: they build, and the module in them" test_build
ktap_test "packages: lintian finds nothing" test_lintian
ktap_test "packages: apt installs from the signed repository" test_repo
ktap_test "packages: a repository without a key is refused" test_refused
ktap_run
