#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Boots a kernel in a virtual machine and runs a script in it.
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/kernels/vm/run.sh KERNEL [-m MEM] [-c CPUS] [-t SECONDS]
#		[--kvm|--tcg] [--alone] [--no-build] [--] SCRIPT [ARG...]
#
# Kernels: 6.1, 6.12 and newest of distributions, and kcsan, our own, which finds
# data races.
#
# The guest sees the host's files; its writes stay in its memory, except those
# to $MPTUN_RESULTS. The status is the script's, or 120 to 124 if the lab
# rejects the run (see Documentation/testing.rst).

set -euo pipefail
LAB_NAME=vm-${1:-?}
# shellcheck source=selftests/kernels/lab/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/common.sh"
# shellcheck source=selftests/kernels/lab/runner.sh
. "$MPTUN_TOP/selftests/kernels/lab/runner.sh"
# shellcheck source=selftests/kernels/vm/kernel.sh
. "$MPTUN_TOP/selftests/kernels/vm/kernel.sh"

ALL="$VM_KERNELS $VM_OWN"
LAB_USAGE="selftests/kernels/vm/run.sh {${ALL// /|}}"
LAB_KIND=vm
LAB_MEM=1G
LAB_CPUS=2
LAB_TIME=1200
LAB_ACCEL=${MPTUN_ACCEL:-}
LAB_THREADS=single

lab_prepare() {
	"$MPTUN_TOP/selftests/kernels/vm/build.sh" "$KERNEL" || lab_die "no kernel"
	VERSION=$(vm_version "$KERNEL")
	KROOT=$(vm_root "$KERNEL" "$VERSION")
	LAB_RELEASE=$VERSION
	LAB_MODDIR=$KROOT/lib/modules/$VERSION
	LAB_KDIR=$(vm_kdir "$KERNEL" "$VERSION")
	[ "$KERNEL" != newest ] || CHROOT=$(vm_chroot)
	export CHROOT=${CHROOT:-}
	[ -n "$LAB_ACCEL" ] || LAB_ACCEL=$(accel)
}

# qemu ARG...: qemu with the options of all guests. The processors of an
# emulated guest share one thread, unless nothing else runs (--alone): in
# threads of their own they spin while they wait for each other, and take three
# to five times as long as soon as anything else runs.
qemu() {
	local -a how

	if [ "$LAB_ACCEL" = kvm ]; then
		how=(-accel kvm -cpu host)
	else
		how=(-accel "tcg,thread=$LAB_THREADS" -cpu max)
	fi
	exec qemu-system-x86_64 -nodefaults -no-user-config -display none \
		-no-reboot -M q35 "${how[@]}" \
		-kernel "$(vm_image "$KROOT" "$VERSION")" \
		-initrd "$KROOT/initramfs.gz" "$@"
}

# accel: kvm if it boots this kernel (on some hosts /dev/kvm hangs), otherwise
# tcg; tried once per boot of the host
accel() {
	local boot file log pid i
	boot=$(cat /proc/sys/kernel/random/boot_id)
	file=$MPTUN_CACHE/vm/accel-$boot

	if [ ! -s "$file" ]; then
		LAB_ACCEL=tcg
		if [ -w /dev/kvm ]; then
			log=$(mktemp)
			LAB_ACCEL=kvm
			qemu -m 256M -append "console=ttyS0 quiet mptun.probe" \
				-serial "file:$log" </dev/null >/dev/null 2>&1 &
			pid=$!
			for ((i = 0; i < 30; i++)); do
				sleep 1
				kill -0 "$pid" 2>/dev/null || break
				! grep -qa 'probe works' "$log" || break
			done
			grep -qa 'probe works' "$log" || LAB_ACCEL=tcg
			kill -KILL "$pid" 2>/dev/null || :
			{ wait "$pid" || :; } 2>/dev/null
			rm -f "$log"
		fi
		lab_say "virtual machines run by $LAB_ACCEL on this host"
		rm -f "$MPTUN_CACHE"/vm/accel-*
		echo "$LAB_ACCEL" >"$file"
	fi
	cat "$file"
}

# ask COMMAND...: commands for the virtual machine's monitor
ask() {
	python3 - "$RUN/monitor" "$@" <<-'END'
		import socket, sys, time
		s = socket.socket(socket.AF_UNIX)
		s.connect(sys.argv[1])
		for word in sys.argv[2:]:
		    s.sendall(word.encode() + b"\n")
		    time.sleep(4)
	END
}

lab_boot() {
	local guest filter out timer rc=0 sock

	case $RUN$MPTUN_RESULTS in
	*[[:space:],=]*) lab_die "a folder's name has a space, comma or =" ;;
	esac
	# the path of a socket is short, a folder's may be long
	sock=$(mktemp -u "${TMPDIR:-/tmp}/mptun-vm.XXXXXX")
	ln -sfn "$sock" "$RUN/monitor"
	cat >"$RUN/init" <<-END
		exec /bin/bash $MPTUN_TOP/selftests/kernels/lab/guest.sh $RUN
	END
	exec {out}> >(exec sed -u 's/\r$//')
	filter=$!
	# shellcheck disable=SC2261 # two streams, two places
	qemu -m "$LAB_MEM" -smp "$LAB_CPUS" -serial "file:$RUN/console" \
		-chardev stdio,id=out,signal=off -device virtio-serial-pci \
		-device virtconsole,chardev=out \
		-fsdev local,id=root,path=/,security_model=none,readonly=on,multidevs=remap \
		-device virtio-9p-pci,fsdev=root,mount_tag=root \
		-fsdev "local,id=run,path=$RUN,security_model=none" \
		-device virtio-9p-pci,fsdev=run,mount_tag=run \
		-fsdev "local,id=res,path=$MPTUN_RESULTS,security_model=none" \
		-device virtio-9p-pci,fsdev=res,mount_tag=results \
		-device virtio-rng-pci -chardev "socket,id=mon,path=$sock,server=on,wait=off" \
		-mon chardev=mon \
		-append "console=ttyS0 mptun.run=$RUN mptun.results=$MPTUN_RESULTS panic=-1 unknown_nmi_panic panic_print=1 tsc=reliable no_timer_check" \
		</dev/null >&"$out" 2>"$RUN/qemu.log" &
	guest=$!
	exec {out}>&-
	trap 'exit 130' INT TERM
	(
		lab_sleep "$LAB_TIME"
		touch "$RUN/timeout"
		ask nmi || :
		kill -KILL "$guest"
	) </dev/null >/dev/null 2>&1 &
	timer=$!
	trap 'kill "$timer"; kill -KILL "$guest" 2>/dev/null' EXIT
	{ wait "$guest" || rc=$?; } 2>/dev/null
	kill "$timer" 2>/dev/null || :
	wait "$filter" || :
	trap - EXIT
	rm -f "$sock"
	[ ! -s "$RUN/qemu.log" ] || lab_say "qemu: $(head -n3 "$RUN/qemu.log")"
	[ ! -e "$RUN/timeout" ] || return "$LAB_TIMEOUT"
	return "$rc"
}

KERNEL=${1:-}
[[ -n $KERNEL && " $ALL " == *" $KERNEL "* ]] || lab_usage
shift
MPTUN_LAB=vm-$KERNEL
# races are found between processors that run at the same time
[ "$KERNEL" != kcsan ] || LAB_THREADS=multi
lab_run "$@"
