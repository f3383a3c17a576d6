#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Gets stock kernels ready: image, modules, start file system, headers.
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/kernels/vm/build.sh [--headers] [KERNEL...]
#
# Kernels: 6.1 and 6.12 (packages of Debian 12), newest (that of the unstable
# distribution, with a small system of its own to build modules in). --headers:
# only what building modules needs.

set -euo pipefail
LAB_NAME=vm-build
# shellcheck source=selftests/kernels/lab/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/common.sh"
# shellcheck source=selftests/kernels/vm/kernel.sh
. "$MPTUN_TOP/selftests/kernels/vm/kernel.sh"

# image KERNEL VERSION: unpack image and modules into the cache
image() {
	local kernel=$1 ver=$2 dir=$MPTUN_CACHE/vm/$2 tmp kind
	local -a pkgs=()

	[ ! -e "$dir/.complete" ] || return 0
	tmp=$dir.tmp
	rm -rf "$tmp" "$dir"
	mkdir -p "$tmp/debs"
	# the newest kernels come in several packages
	for kind in image binary modules base; do
		! vm_apt "$kernel" apt-cache show "linux-$kind-$ver" \
			>/dev/null 2>&1 || pkgs+=("linux-$kind-$ver")
	done
	(
		cd "$tmp/debs"
		lab_long "fetch ${pkgs[*]}" "$tmp/fetch.log" \
			lab_retry 3 vm_apt "$kernel" apt-get -q download \
			"${pkgs[@]}" ||
			lab_die "not found; MPTUN_REFRESH=1 looks the version up again"
		for deb in *.deb; do
			dpkg-deb -x "$deb" "$tmp"
		done
	) || return
	rm -rf "${tmp:?}/debs" "${tmp:?}/usr/share"
	[ -d "$tmp/lib/modules" ] || ln -sfn usr/lib "$tmp/lib"
	/sbin/depmod -b "$tmp" "$ver"
	vm_image "$tmp" "$ver" >/dev/null || lab_die "no image in ${pkgs[*]}"
	start_fs "$tmp" "$ver"
	touch "$tmp/.complete"
	mv "$tmp" "$dir"
}

# start_fs DIR VERSION: the initramfs: a shell, the modules for access to the
# files of the host, and initramfs.sh
start_fs() {
	local dir=$1 ver=$2 fs=$1/initramfs n=0 mod

	mkdir -p "$fs"/{bin,m,proc,sys,dev,lower,upper,root}
	cp "$(command -v busybox)" "$fs/bin/busybox"
	cp "$MPTUN_TOP/selftests/kernels/vm/initramfs.sh" "$fs/init"
	chmod +x "$fs/init"
	while read -r mod; do
		n=$((n + 1))
		case $mod in
		*.xz) xz -dc "$mod" ;;
		*.zst) zstd -qdc "$mod" ;;
		*) cat "$mod" ;;
		esac >"$fs/m/$(printf %02d $n)-$(basename "${mod%%.ko*}").ko"
	done < <(
		for mod in virtio_pci virtio_console 9p 9pnet_virtio overlay; do
			/sbin/modprobe -d "$dir" -S "$ver" --show-depends "$mod"
		done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }'
	)
	(cd "$fs" && find . | busybox cpio -o -H newc 2>/dev/null) |
		gzip -1 >"$dir/initramfs.gz"
	rm -rf "$fs"
}

# chroot_system VERSION: a small unstable system with that kernel's headers
chroot_system() {
	local ver=$1 dir uri include script

	dir=$(vm_chroot)
	include=make,gcc,clang,llvm,lld,sparse,linux-headers-$ver
	[ "$(cat "$dir/.include" 2>/dev/null)" != "$include" ] || return 0
	uri=$(lab_debian_uri | sed -n 1p)
	[ ! -e "$dir" ] || lab_root rm -rf --one-file-system "$dir"
	lab_long "set up a system to build for $ver" \
		"$MPTUN_CACHE/vm/chroot.log" lab_retry 2 lab_root debootstrap \
		--variant=minbase --include="$include" \
		sid "$dir" "$uri" || lab_die "debootstrap failed"
	lab_root rm -rf "$dir/var/cache/apt" "$dir/var/lib/apt/lists"
	# needed for C=2, and missing in the header packages
	for script in "$dir"/usr/src/linux-headers-*-common/scripts; do
		[ -e "$script/checker-valid.sh" ] || lab_root cp -t "$script" \
			"$("$MPTUN_TOP/selftests/tools/linux-source.sh")/scripts/checker-valid.sh"
	done
	echo "$include" | lab_root tee "$dir/.include" >/dev/null
}

headers=
if [ "${1:-}" = --headers ]; then
	headers=1
	shift
fi
# shellcheck disable=SC2086 # a list of words
[ $# -gt 0 ] || set -- $VM_KERNELS
for kernel; do
	vm_meta "$kernel" image >/dev/null
	(
		"$MPTUN_TOP/selftests/tools/deps.sh" vm
		[ "$kernel" != newest ] || "$MPTUN_TOP/selftests/tools/deps.sh" newest
		ver=$(vm_version "$kernel")
		lab_lock "vm-$kernel"
		if [ "$kernel" = newest ]; then
			chroot_system "$ver"
		elif [ ! -d "$(vm_kdir "$kernel" "$ver")" ]; then
			# the machine has those of an earlier update
			lab_long "install linux-headers-$ver" \
				"$MPTUN_CACHE/deps.log" lab_retry 3 lab_root env \
				DEBIAN_FRONTEND=noninteractive apt-get -yq \
				--no-install-recommends install "linux-headers-$ver"
		fi
		[ -n "$headers" ] || image "$kernel" "$ver"
	)
done
