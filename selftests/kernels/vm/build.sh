#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Gets kernels ready: image, modules, start file system, headers.
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/kernels/vm/build.sh [--headers] [KERNEL...]
#
# Kernels: 6.1 and 6.12 (packages of Debian 12), newest (that of the unstable
# distribution, with a small system of its own to build modules in), and kcsan,
# which is compiled, if named. --headers: only what building modules needs.

set -euo pipefail
LAB_NAME=vm-build
# shellcheck source=selftests/kernels/lab/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/common.sh"
# shellcheck source=selftests/kernels/vm/kernel.sh
. "$MPTUN_TOP/selftests/kernels/vm/kernel.sh"

# image KERNEL VERSION: unpack image and modules into the cache
image() {
	local kernel=$1 ver=$2 dir tmp kind
	local -a pkgs=()

	dir=$(vm_root "$kernel" "$ver")
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

# own KERNEL: compile one of our own
own() {
	local kernel=$1 tree ver dir

	tree=$("$MPTUN_TOP/selftests/kernels/machines/build.sh" --image "$kernel")
	ver=$(vm_version "$kernel")
	dir=$(vm_root "$kernel" "$ver")
	[ ! -e "$dir/.complete" ] || return 0
	rm -rf "$dir"
	mkdir -p "$dir/boot"
	make -s -C "$tree" modules_install "INSTALL_MOD_PATH=$dir"
	cp "$tree/arch/x86/boot/bzImage" "$dir/boot/vmlinuz-$ver"
	start_fs "$dir" "$ver"
	touch "$dir/.complete"
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
	rm -rf "$MACHINE_LLVM"
	echo "$include" | lab_root tee "$dir/.include" >/dev/null
}

# llvm SYSTEM: its compiler and tools as programs of this machine: copies that
# start with the loader of that system, and scripts that name its libraries
llvm() {
	local dir=$1 home own=${MACHINE_LLVM%/bin} tool

	[ ! -e "$MACHINE_LLVM/clang" ] || return 0
	home=$(realpath "$dir/usr/bin/clang")
	home=${home%/bin/*}
	mkdir -p "$own/bin" "$own/libexec"
	# clang looks for its own headers beside its folder
	ln -sfn "$home/lib" "$own/lib"
	# clang last, as it stands for all of them above
	for tool in ld.lld llvm-{ar,nm,objcopy,objdump,readelf,strip} clang; do
		cp "$home/bin/$tool" "$own/libexec/$tool"
		patchelf --set-interpreter "$dir/lib64/ld-linux-x86-64.so.2" \
			"$own/libexec/$tool"
		cat >"$own/bin/$tool" <<-END
			#!/bin/sh
			export LD_LIBRARY_PATH="$dir/usr/lib/x86_64-linux-gnu"
			exec "$own/libexec/$tool" "\$@"
		END
		chmod +x "$own/bin/$tool"
	done
}

headers=
if [ "${1:-}" = --headers ]; then
	headers=1
	shift
fi
# shellcheck disable=SC2086 # a list of words
[ $# -gt 0 ] || set -- $VM_KERNELS
for kernel; do
	if vm_own "$kernel"; then
		"$MPTUN_TOP/selftests/tools/deps.sh" vm
		(
			lab_lock "vm-$kernel"
			own "$kernel"
		) >&2
		continue
	fi
	vm_meta "$kernel" image >/dev/null
	(
		"$MPTUN_TOP/selftests/tools/deps.sh" vm
		[ "$kernel" != newest ] || "$MPTUN_TOP/selftests/tools/deps.sh" newest
		ver=$(vm_version "$kernel")
		lab_lock "vm-$kernel"
		if [ "$kernel" = newest ]; then
			chroot_system "$ver"
			llvm "$(vm_chroot)"
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
