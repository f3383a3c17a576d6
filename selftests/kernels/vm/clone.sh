#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A virtual machine restored from a snapshot, as itself and as a clone: KTAP.
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/kernels/vm/clone.sh [6.1|6.12]
#
# The machine has both ends of a tunnel and all of its files in memory, so that
# QEMU can save it. It is restored twice: with the same generation id, of which
# the kernel is not notified, and with another one.

set -euo pipefail
LAB_NAME=vm-clone
# shellcheck source=selftests/kernels/lab/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/common.sh"
# shellcheck source=selftests/kernels/vm/kernel.sh
. "$MPTUN_TOP/selftests/kernels/vm/kernel.sh"

KERNEL=${1:-6.1}
ID=324e6eaf-d1d1-4bf6-bf41-b9bb6c91fb8
WORK=$(mktemp -d "${TMPDIR:-/tmp}/mptun-clone.XXXXXX")
QEMU=
trap 'stop; rm -rf "$WORK"' EXIT

stop() {
	[ -z "$QEMU" ] || kill -KILL "$QEMU" 2>/dev/null || :
	[ -z "$QEMU" ] || wait "$QEMU" 2>/dev/null || :
	QEMU=
}

# product: the module and the tools; sets KROOT, VERSION, MODULE
product() {
	"$MPTUN_TOP/selftests/kernels/vm/build.sh" "$KERNEL" >&2
	VERSION=$(vm_version "$KERNEL")
	KROOT=$(vm_root "$KERNEL" "$VERSION")
	MODULE=$MPTUN_BUILD/modules/vm-$KERNEL
	LAB_QUIET=1 "$MPTUN_TOP/selftests/tools/build-module.sh" \
		"$(vm_kdir "$KERNEL" "$VERSION")" "$MODULE" >&2
	make -s -C "$MPTUN_TOP/tools" O="$MPTUN_BUILD/tools" >&2
}

# modules NAME...: the files of these modules and of those they need, in order
modules() {
	local name

	for name; do
		/sbin/modprobe -d "$KROOT" -S "$VERSION" --show-depends "$name"
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }'
}

# put FILE: into the machine, at the same place, with its libraries
put() {
	local file

	for file in "$1" $(ldd "$1" | grep -o '/[^ ]*'); do
		mkdir -p "$WORK/fs/$(dirname -- "$file")"
		cp -L "$file" "$WORK/fs/$file"
	done
}

# file_system: the initramfs
file_system() {
	local n=0 file
	local fs=$WORK/fs

	mkdir -p "$fs"/{bin,m,proc,sys,dev,run,var,etc,tmp}
	ln -s ../run "$fs/var/run"
	cp "$(command -v busybox)" "$fs/bin/busybox"
	put "$(command -v ip)"
	put "$MPTUN_BUILD/tools/mptunctl"
	ln -s "$MPTUN_BUILD/tools/mptunctl" "$fs/bin/mptunctl"
	# the shell prefers that of busybox to one without a path
	ln -s "$(command -v ip)" "$fs/m/ip"
	# shellcheck disable=SC2046 # lists of words
	for file in $(modules veth $(modinfo -F depends "$MODULE/mptun.ko" |
			tr , ' ')) "$MODULE/mptun.ko"; do
		n=$((n + 1))
		cp "$file" "$fs/m/$(printf %02d $n)-$(basename "$file")"
	done
	guest >"$fs/init"
	chmod +x "$fs/init"
	(cd "$fs" && find . | busybox cpio -o -H newc 2>/dev/null) |
		gzip -1 >"$WORK/initramfs.gz"
}

# guest: the first program of the machine: a tunnel, and its state once a second
guest() {
	cat <<-'END'
		#!/bin/busybox sh
		/bin/busybox --install -s /bin
		export PATH=/bin
		mount -t proc proc /proc
		mount -t sysfs sysfs /sys
		mount -t devtmpfs dev /dev
		mount -t tmpfs run /run
		exec </dev/null >/dev/ttyS0 2>&1
		for mod in /m/*.ko; do insmod "$mod"; done
		/m/ip netns add a
		/m/ip netns add b
		/m/ip -n a link add wan type veth peer name wan netns b
		(umask 077; mptunctl key gen >/tmp/key)
		for end in a:1:2 b:2:1; do
			ns=${end%%:*} own=${end#*:}
			other=${own#*:} own=${own%:*}
			/m/ip -n $ns addr add 10.9.0.$own/24 dev wan
			/m/ip -n $ns link set wan up
			/m/ip -n $ns link add mp0 type mptun
			/m/ip netns exec $ns mptunctl set mp0 key /tmp/key
			/m/ip -n $ns addr add 10.8.0.$own/24 dev mp0
			/m/ip -n $ns link set mp0 up
			/m/ip netns exec $ns mptunctl path add mp0 wan \
				remote 10.9.0.$other local 10.9.0.$own
		done
		field() {
			/m/ip netns exec a mptunctl show mp0 -j | tr ',{' '\n\n' |
				sed -n "s/^ *\"$1\": *\"*\([^\"]*\)\"*.*/\1/p"
		}
		while :; do
			pings=0
			/m/ip netns exec a ping -c 1 -W 1 10.8.0.2 >/dev/null &&
				pings=1
			echo "state $(field instance) $(field sessions) $pings"
			sleep 0.5
		done
	END
}

# start GENERATION [OPTION...]: the machine with that last digit of its id
start() {
	local generation=$1

	shift
	: >"$WORK/console"
	qemu-system-x86_64 -nodefaults -no-user-config -display none -no-reboot \
		-M q35 -accel tcg -cpu max -m 192M \
		-kernel "$(vm_image "$KROOT" "$VERSION")" \
		-initrd "$WORK/initramfs.gz" -append "console=ttyS0 quiet panic=-1" \
		-serial "file:$WORK/console" -device virtio-rng-pci \
		-device "vmgenid,guid=$ID$generation" \
		-drive "if=none,id=save,file=$WORK/save.qcow2,format=qcow2" \
		-monitor "unix:$WORK/monitor,server=on,wait=off" "$@" \
		</dev/null >"$WORK/qemu.log" 2>&1 &
	QEMU=$!
}

# monitor COMMAND: wait until QEMU has done it
monitor() {
	python3 - "$WORK/monitor" "$1" <<-'END'
		import socket, sys
		s = socket.socket(socket.AF_UNIX)
		s.settimeout(120)
		s.connect(sys.argv[1])
		def prompt():
		    text = b""
		    while not text.endswith(b"(qemu) "):
		        text += s.recv(4096)
		prompt()
		s.sendall(sys.argv[2].encode() + b"\n")
		prompt()
	END
}

# disk FILE: an empty qcow2 image of 1 GiB, for snapshots: header, table and
# block of reference counts, table of level 1 (docs/interop/qcow2.rst of QEMU)
disk() {
	python3 - "$1" <<-'END'
		import struct, sys
		size = 1 << 16
		head = struct.pack(">4sIQIIQIIQQIIQ", b"QFI\xfb", 2, 0, 0, 16,
		                   1 << 30, 0, 2, 3 * size, size, 1, 0, 0)
		parts = (head, struct.pack(">Q", 2 * size),
		         struct.pack(">4H", 1, 1, 1, 1), b"")
		with open(sys.argv[1], "wb") as file:
		    file.write(b"".join(p.ljust(size, b"\0") for p in parts))
	END
}

# state [INSTANCE]: wait for a state with a ping that passed, of another
# instance than that; print it
state() {
	local i line

	for ((i = 0; i < 240; i++)); do
		line=$(tr -d '\r' <"$WORK/console" | grep '^state .* 1$' |
			grep -v "^state ${1:-none} " | tail -n1) || :
		[ -z "$line" ] || { echo "$line"; return; }
		kill -0 "$QEMU" 2>/dev/null || break
		sleep 0.5
	done
	tail -n 20 "$WORK/console" "$WORK/qemu.log" >&2
	return 1
}

# instance STATE
instance() {
	echo "$1" | cut -d' ' -f2
}

result() {
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		failed=1
	fi
}

n=0
failed=0
echo "KTAP version 1"
echo "1..2"
product
file_system
disk "$WORK/save.qcow2"
start 0
before=$(state) || lab_die "the machine has no tunnel"
monitor "savevm it"
stop

start 0 -loadvm it
sleep 3
same=$(state) || same=
echo "# before: $before, restored: $same"
[ "$(instance "$before")" = "$(instance "$same")" ] && rc=0 || rc=1
result "$rc" "the same machine continues"
stop

start 1 -loadvm it
clone=$(state "$(instance "$before")") && rc=0 || rc=1
echo "# before: $before, clone: ${clone:-none}"
result "$rc" "a clone begins with another instance"
exit "$failed"
