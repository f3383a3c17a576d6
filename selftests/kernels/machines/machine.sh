# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Kernels for other machines: compilers and folders.
# Copyright (C) 2026 The mptun authors
#
# Sourced after lab/common.sh and uml/tree.sh.

# shellcheck disable=SC2034 # used by those who source this file
MACHINES="um32 small rt s390x armhf arm64 riscv64 kcsan"

# The compilers of the unstable distribution, as programs of this one
# (vm/build.sh)
MACHINE_LLVM=$MPTUN_CACHE/vm/llvm-sid/bin

# machine NAME[-clang]: MACHINE_MAKE, the arguments of make that choose it,
# MACHINE_CROSS, the prefix of its compiler, MACHINE_GROUP, its packages
# (deps.sh), and MACHINE_CONFIG, its files of options
machine() {
	local name=${1%-clang} conf=$MPTUN_TOP/selftests/kernels/machines

	MACHINE_GROUP=machines
	MACHINE_CONFIG=("$conf/config.base" "$conf/config.$name")
	case $name in
	um32)
		MACHINE_CROSS=i686-linux-gnu-
		MACHINE_MAKE=(ARCH=um SUBARCH=i386)
		;;
	small | rt)
		MACHINE_CROSS=i686-linux-gnu-
		MACHINE_MAKE=(ARCH=i386)
		;;
	s390x)
		MACHINE_CROSS=s390x-linux-gnu-
		MACHINE_MAKE=(ARCH=s390)
		;;
	armhf)
		MACHINE_CROSS=arm-linux-gnueabihf-
		MACHINE_MAKE=(ARCH=arm)
		;;
	arm64)
		MACHINE_CROSS=aarch64-linux-gnu-
		MACHINE_MAKE=(ARCH=arm64)
		MACHINE_GROUP=machines-long
		;;
	riscv64)
		MACHINE_CROSS=riscv64-linux-gnu-
		MACHINE_MAKE=(ARCH=riscv)
		MACHINE_GROUP=machines-long
		;;
	kcsan)
		MACHINE_CROSS=
		MACHINE_MAKE=(ARCH=x86_64)
		MACHINE_GROUP=vm
		# what tests need of a kernel is the same as in User-Mode Linux
		MACHINE_CONFIG[0]=$MPTUN_TOP/selftests/kernels/uml/config.base
		;;
	*)
		lab_die "no machine '$1' (of $MACHINES)"
		;;
	esac
	if [ "$1" = "$name" ]; then
		MACHINE_MAKE+=("CROSS_COMPILE=$MACHINE_CROSS")
	else
		MACHINE_MAKE+=("LLVM=$MACHINE_LLVM/" HOSTCC=gcc HOSTCXX=g++
			HOSTLD=ld HOSTAR=ar)
	fi
}

# machine_boot TREE ROOT [LINK...]: run a kernel of the machine whose first
# process is ROOT/init until it turns itself off. Each link "NETDEV,MAC" is a
# network card, with the arguments of -netdev without the id
machine_boot() {
	local tree=$1 root=$2 card=virtio-net-device link
	local -a qemu=() net=()

	shift 2
	case ${MACHINE_MAKE[0]} in
	ARCH=um)
		HOME=$root timeout -k 10 1200 "$tree/linux" seccomp=on mem=256M \
			con=null con0=null,fd:1 con1=null,fd:2 console=tty1 \
			rootfstype=hostfs "rootflags=$root" ro init=/init \
			panic=-1 "uml_dir=$root/"
		return
		;;
	ARCH=arm)
		qemu=(arm -M virt -cpu cortex-a15
			-append "console=ttyAMA0 panic=-1"
			-kernel "$tree/arch/arm/boot/zImage")
		;;
	ARCH=arm64)
		qemu=(aarch64 -M virt -cpu cortex-a57
			-append "console=ttyAMA0 panic=-1"
			-kernel "$tree/arch/arm64/boot/Image")
		;;
	ARCH=riscv)
		qemu=(riscv64 -M virt
			-append "console=ttyS0 panic=-1"
			-kernel "$tree/arch/riscv/boot/Image")
		;;
	ARCH=s390)
		card=virtio-net-ccw
		# vectors: with them QEMU 7.2 computes wrong checksums
		qemu=(s390x -M s390-ccw-virtio -cpu "qemu,vx=off"
			-append "console=ttysclp0 panic=-1"
			-kernel "$tree/arch/s390/boot/bzImage")
		;;
	*)
		lab_die "no machine to boot ${MACHINE_MAKE[0]} on"
		;;
	esac
	(cd "$root" && find . | busybox cpio -o -H newc 2>/dev/null) >"$root.cpio"
	for link; do
		net+=(-netdev "${link%,*},id=n${#net[@]}"
			-device "$card,netdev=n${#net[@]},mac=${link##*,}")
	done
	[ ${#net[@]} -gt 0 ] || net=(-nic none)
	timeout -k 10 1200 "qemu-system-${qemu[0]}" "${qemu[@]:1}" -smp 2 \
		-m 512M -nographic -no-reboot "${net[@]}" -initrd "$root.cpio"
}

# machine_tree NAME: the folder of its kernel, named after all that decides what
# is in it; after "machine NAME"
machine_tree() {
	local src hash

	src=$(uml_source)
	hash=$( (
		grep -hv '^#' "${MACHINE_CONFIG[@]}"
		echo "${MACHINE_MAKE[*]}"
		gcc -dumpfullversion
		[[ $1 != *-clang ]] || "$MACHINE_LLVM/clang" -dumpversion
	) | sha256sum | cut -c1-12)
	echo "$MPTUN_CACHE/machines/$1-${src##*/linux-source-}-$hash"
}
