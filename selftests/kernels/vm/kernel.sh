# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Kernels of virtual machines: their packages, folders and headers.
# Copyright (C) 2026 The mptun authors
#
# Sourced after lab/common.sh. Images and modules are unpacked in the cache; the
# /boot of the machine is never used.

# shellcheck source=selftests/kernels/uml/tree.sh
. "$MPTUN_TOP/selftests/kernels/uml/tree.sh"
# shellcheck source=selftests/kernels/machines/machine.sh
. "$MPTUN_TOP/selftests/kernels/machines/machine.sh"

# Of distributions

# shellcheck disable=SC2034 # used by those who source this file
VM_KERNELS="6.1 6.12 newest"

# Of our own (machines/build.sh)
VM_OWN=kcsan

# vm_own KERNEL: it is one of these
vm_own() {
	[[ " $VM_OWN " == *" $1 "* ]]
}

# vm_meta KERNEL KIND: the package that names the current version of that kind
vm_meta() {
	case $1 in
	6.1 | newest) echo "linux-$2-amd64" ;;
	6.12) echo "linux-$2-6.12-amd64" ;;
	*) lab_die "no kernel '$1' (of $VM_KERNELS)" ;;
	esac
}

# vm_apt KERNEL TOOL ARG...: apt with the sources for the packages of that
# kernel
vm_apt() {
	local kernel=$1 tool=$2

	shift 2
	if [ "$kernel" = newest ]; then
		lab_apt "$MPTUN_CACHE/apt/sid" "$tool" "$@"
	else
		"$tool" "$@"
	fi
}

# vm_lookup KERNEL: its current version as apt knows it, "7.2.13+deb14-amd64"
vm_lookup() {
	vm_apt "$1" apt-cache depends "$(vm_meta "$1" image)" 2>/dev/null |
		sed -n 's/^ *Depends: linux-image-\([0-9].*\)$/\1/p' | sed -n 1p
}

# vm_version KERNEL: the version in use, of a distribution's looked up at most
# once a week (MPTUN_REFRESH=1 asks again)
vm_version() {
	local kernel=$1 file=$MPTUN_CACHE/vm/version-$1 ver

	if vm_own "$kernel"; then
		cat "$(vm_kdir "$kernel")/include/config/kernel.release"
		return
	fi
	if [ -z "${MPTUN_REFRESH:-}" ] && lab_fresh "$file" 7; then
		cat "$file"
		return
	fi
	mkdir -p "$MPTUN_CACHE/vm"
	if [ "$kernel" = newest ]; then
		lab_apt_init sid >/dev/null || return
		lab_retry 4 vm_apt newest apt-get -qq update >&2 || :
	elif [ -z "$(vm_lookup "$kernel")" ]; then
		lab_retry 4 lab_root apt-get -qq update >&2 || :
	fi
	ver=$(vm_lookup "$kernel")
	if [ -n "$ver" ]; then
		echo "$ver" >"$file.$$"
		mv "$file.$$" "$file"
	elif [ -s "$file" ]; then
		lab_say "$kernel cannot be looked up, the last one is used"
	else
		lab_die "no package $(vm_meta "$kernel" image) in apt's lists"
	fi
	cat "$file"
}

# vm_chroot: the folder of the system that builds for the newest kernel
vm_chroot() {
	echo "$MPTUN_CACHE/vm/chroot-sid"
}

# vm_kdir KERNEL [VERSION]: the headers' folder (for newest: inside the chroot)
vm_kdir() {
	if vm_own "$1"; then
		machine "$1"
		machine_tree "$1"
	else
		echo "/usr/src/linux-headers-$2"
	fi
}

# vm_root KERNEL VERSION: where image, modules and initramfs.gz are
vm_root() {
	if vm_own "$1"; then
		echo "$(vm_kdir "$1")/root"
	else
		echo "$MPTUN_CACHE/vm/$2"
	fi
}

# vm_image DIR VERSION: the kernel image below an unpacked package
vm_image() {
	local file

	for file in "$1/boot/vmlinuz-$2" "$1/usr/lib/modules/$2/vmlinuz"; do
		[ ! -f "$file" ] || { echo "$file"; return; }
	done
	return 1
}
