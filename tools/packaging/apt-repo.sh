#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Put the Debian packages into a signed apt repository.
#
# Copyright (C) 2026 The mptun authors
#
# Usage: apt-repo.sh DIR KEY PACKAGES
#   DIR       gets the repository, for any web server; packages that are in it
#             already, such as those of other architectures, stay
#   KEY       of gpg, by fingerprint or address; it is in the user's keyring
#   PACKAGES  folder with what deb.sh has built

set -euo pipefail
usage="Usage: apt-repo.sh DIR KEY PACKAGES"
dir=$(realpath -m "${1:?$usage}")
key=${2:?$usage}
packages=$(realpath "${3:?$usage}")
pool=pool/main/m/mptun
suite=stable

die()
{
	echo "apt-repo.sh: $*" >&2
	exit 1
}

for program in apt-ftparchive gpg; do
	command -v "$program" >/dev/null ||
		die "there is no $program, \"make deps\" installs it"
done
gpg --batch --list-secret-keys "$key" >/dev/null 2>&1 ||
	die "gpg has no secret key '$key', \"gpg --list-secret-keys\" lists them"
compgen -G "$packages/*.deb" >/dev/null ||
	die "no packages in $packages, \"make deb\" builds them"

mkdir -p "$dir/$pool"
cp -t "$dir/$pool" "$packages"/*.{deb,dsc,tar.xz}
cd "$dir"
# Those of all architectures are in the list of each.
mapfile -t architectures < <(for deb in "$pool"/*.deb; do
	dpkg-deb -f "$deb" Architecture
done | grep -vx all | sort -u)

# The lists are made aside, so that a failure leaves the repository as it was.
new=$(mktemp -d "$dir/dists.XXXXXX")
trap 'rm -rf "$new"' EXIT
main=$new/$suite/main
mkdir -p "$main/source"
apt-ftparchive sources "$pool" >"$main/source/Sources"
for each in "${architectures[@]}"; do
	mkdir "$main/binary-$each"
	apt-ftparchive --arch "$each" packages "$pool" \
		>"$main/binary-$each/Packages"
done
find "$new" -name Packages -exec xz -k {} + -o -name Sources -exec xz -k {} +
find "$new" -name Packages -exec gzip -nk {} + -o -name Sources -exec gzip -nk {} +
apt-ftparchive -o APT::FTPArchive::Release::Origin=mptun \
	-o APT::FTPArchive::Release::Label=mptun \
	-o APT::FTPArchive::Release::Suite=$suite \
	-o APT::FTPArchive::Release::Codename=$suite \
	-o APT::FTPArchive::Release::Components=main \
	-o "APT::FTPArchive::Release::Architectures=${architectures[*]}" \
	release "$new/$suite" >"$new/Release"
mv "$new/Release" "$new/$suite/Release"
gpg --batch --yes -u "$key" --clearsign -o "$new/$suite/InRelease" \
	"$new/$suite/Release"
gpg --batch --yes -u "$key" -abs -o "$new/$suite/Release.gpg" \
	"$new/$suite/Release"
gpg --batch --yes --export -o "$new/mptun.gpg" "$key"

chmod 755 "$new"
mv "$new/mptun.gpg" "$dir/mptun.gpg"
rm -rf "$dir/dists"
mv "$new" "$dir/dists"
cat >mptun.sources <<END
# For /etc/apt/sources.list.d, with the URL of this folder; mptun.gpg belongs into
# /usr/share/keyrings.
Types: deb deb-src
URIs: ${URL:-file://$dir}
Suites: $suite
Components: main
Signed-By: /usr/share/keyrings/mptun.gpg
END
find dists pool mptun.gpg mptun.sources -type f
