#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Makes the disk of a fresh Debian machine on which the packages are installed.
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/fresh/image.sh SUITE FOLDER
#
# Writes SUITE.img, SUITE.vmlinuz and SUITE.initrd to FOLDER: a minimal system
# with the kernel and systemd of that release, made in the cache on first use
# (MPTUN_REFRESH=1 makes it again), and the packages of FOLDER/deb. apt installs
# them here, in a chroot, where DKMS compiles the module with the compiler of the
# release, because an emulated compiler takes twenty minutes. Otherwise this is
# what apt does in the machine. A disk of equal packages is not made again.

set -euo pipefail
LAB_NAME=fresh
# shellcheck source=selftests/kernels/lab/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../kernels/lab/common.sh"

[ $# -eq 2 ] || lab_die "usage: selftests/fresh/image.sh SUITE FOLDER"
SUITE=$1
OUT=$2
BASE=$MPTUN_CACHE/fresh/$SUITE
DEBS=("$OUT"/deb/mptun-{dkms,tools}_*.deb)
# The guest agent of QEMU runs the commands of the test; netcat and dnsmasq are
# what the test sends files with, and the server of names
WANTED=linux-image-amd64,linux-headers-amd64,systemd-sysv,udev,dbus,iproute2
WANTED+=,iputils-ping,nftables,qemu-guest-agent,netcat-openbsd,dnsmasq-base

# depends: what the packages need
depends() {
	local deb

	for deb in "${DEBS[@]}"; do
		dpkg-deb -f "$deb" Depends | sed 's/([^)]*)//g' | tr -d ' \n'
		echo
	done | paste -sd, | sed 's/|[^,]*//g'
}

# bootstrap MIRROR INCLUDE: mmdebstrap wants a folder that is empty
bootstrap() {
	lab_root rm -rf --one-file-system "$BASE"
	lab_root mmdebstrap --mode=root --variant=apt --include="$2" \
		--aptopt='APT::Install-Recommends "false"' "$SUITE" "$BASE" "$1"
}

# base INCLUDE: the system without the packages
base() {
	local include=$1 uri

	if [ -z "${MPTUN_REFRESH:-}" ] &&
		[ "$(cat "$BASE.include" 2>/dev/null)" = "$include" ]; then
		return
	fi
	uri=$(lab_debian_uri | sed -n 1p)
	[ -n "$uri" ] || lab_die "no Debian mirror in this machine's apt sources"
	mkdir -p "${BASE%/*}"
	rm -f "$BASE.include"
	lab_long "set up $SUITE" "$BASE.log" \
		lab_retry 2 bootstrap "$uri" "$include" ||
		lab_die "mmdebstrap failed"
	echo "$include" >"$BASE.include"
}

# install: the packages on top of the system, and the disk of both. Arguments,
# as it runs in a shell of its own: base, folder, disk, packages
install() {
	set -e
	local base=$1 work=$2 disk=$3 root=$2/root

	shift 3
	mkdir -p "$work"/{upper,work,root}
	mount -t overlay overlay -o \
		"lowerdir=$base,upperdir=$work/upper,workdir=$work/work" "$root"
	mount -t proc proc "$root/proc"
	mkdir "$root/debs"
	cp "$@" "$root/debs"
	DEBIAN_FRONTEND=noninteractive LC_ALL=C chroot "$root" sh -c \
		'apt-get -y --no-install-recommends install /debs/*.deb ||
			{ tail -n 30 /var/lib/dkms/mptun/*/build/make.log; exit 1; }'
	umount "$root/proc"
	rm -r "$root/debs"
	mke2fs -q -t ext4 -d "$root" "$disk" 6G
	cp -L "$root/vmlinuz" "${disk%.img}.vmlinuz"
	cp -L "$root/initrd.img" "${disk%.img}.initrd"
}

"$MPTUN_TOP/selftests/tools/deps.sh" fresh >&2
[ -e "${DEBS[0]}" ] || lab_die "no packages in $OUT/deb"
mkdir -p "$OUT"
OUT=$(realpath "$OUT")
(
	lab_lock "fresh-$SUITE"
	include=$WANTED,$(depends)
	base "$include"
	# equal sources give equal packages
	made=$(cat "${DEBS[@]}" "$BASE.include" | sha256sum; date -r "$BASE.include")
	[ "$(cat "$OUT/$SUITE.made" 2>/dev/null)" != "$made" ] || exit 0
	rm -f "$OUT/$SUITE.made"
	work=$(mktemp -d "$OUT/work.XXXXXX")
	trap 'lab_root rm -rf --one-file-system "$work"' EXIT
	lab_long "install the packages on $SUITE" "$OUT/$SUITE.log" \
		lab_root unshare -m --propagation private bash -c \
		"$(declare -f install); install \"\$@\"" bash \
		"$BASE" "$work" "$OUT/$SUITE.img" "${DEBS[@]}" ||
		lab_die "the packages do not install"
	echo "$made" >"$OUT/$SUITE.made"
)
