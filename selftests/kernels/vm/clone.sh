#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A virtual machine restored from a snapshot, as itself and as a clone: KTAP.
# Copyright (C) 2026 The mptun authors
#
# usage: selftests/kernels/vm/clone.sh [6.1|6.12]
#
# The machine has both ends of a tunnel and all of its files in memory, so that
# QEMU can save it. It continues, and is restored three times: with the same
# generation id, of which the kernel is not notified, and with two others. QEMU
# records what leaves over the cable between the ends. No machine may use a nonce
# that another one used with the same key; the one that is not notified does,
# which shows that the comparison finds it.
#
# What a machine sends before it is notified does repeat nonces. So nothing is
# sent while it is saved and restored: the tunnel is used when a line arrives on
# the second serial port, and its paths are not probed meanwhile.
#
# shellcheck disable=SC2317 # tests are called by name

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
		"$(vm_kdir "$KERNEL" "$VERSION")" "$MODULE" W=1 >&2
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
	for file in $(modules virtio_pci virtio_net $(modinfo -F depends "$MODULE/mptun.ko" |
			tr , ' ')) "$MODULE/mptun.ko"; do
		n=$((n + 1))
		cp "$file" "$fs/m/$(printf %02d $n)-$(basename "$file")"
	done
	guest >"$fs/init"
	chmod +x "$fs/init"
	(cd "$fs" && find . | busybox cpio -o -H newc 2>/dev/null) |
		gzip -1 >"$WORK/initramfs.gz"
}

# guest: the first program of the machine: a tunnel, which is used once for each
# line that arrives, and its state then
guest() {
	cat <<-'END'
		#!/bin/busybox sh
		/bin/busybox --install -s /bin
		export PATH=/bin
		mount -t proc proc /proc
		mount -t sysfs sysfs /sys
		mount -t devtmpfs dev /dev
		mount -t tmpfs run /run
		exec </dev/ttyS1 >/dev/ttyS0 2>&1
		for mod in /m/*.ko; do insmod "$mod"; done
		for ns in a b; do
			/m/ip netns add $ns
			/m/ip netns exec $ns sh -c 'for i in all default; do
				echo 1 >/proc/sys/net/ipv6/conf/$i/disable_ipv6
			done'
		done
		/m/ip link set eth0 netns a name wan
		/m/ip link set eth1 netns b name wan
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
				remote 10.9.0.$other local 10.9.0.$own \
				keepalive 60
		done
		field() {
			/m/ip netns exec a mptunctl show mp0 -j | tr ',{' '\n\n' |
				sed -n "s/^ *\"$1\": *\"*\([^\"]*\)\"*.*/\1/p"
		}
		echo ready
		while read -r line; do
			passed=0
			/m/ip netns exec a ping -c 50 -i 0.02 -W 1 10.8.0.2 \
				</dev/null >/dev/null && passed=1
			echo "state $(field instance) $(field sessions) $passed"
		done
	END
}

# start NAME GENERATION [OPTION...]: the machine with that last digit of its id;
# NAME.pcap is what its ends send to each other
start() {
	local name=$1 generation=$2

	shift 2
	: >"$WORK/console"
	qemu-system-x86_64 -nodefaults -no-user-config -display none -no-reboot \
		-M q35 -accel tcg -cpu max -m 192M \
		-kernel "$(vm_image "$KROOT" "$VERSION")" \
		-initrd "$WORK/initramfs.gz" -append "console=ttyS0 quiet panic=-1" \
		-serial "file:$WORK/console" \
		-serial "unix:$WORK/turn,server=on,wait=off" \
		-device virtio-rng-pci \
		-device "vmgenid,guid=$ID$generation" \
		-netdev hubport,id=a,hubid=0 -netdev hubport,id=b,hubid=0 \
		-device virtio-net-pci,netdev=a,romfile= \
		-device virtio-net-pci,netdev=b,romfile=,mac=52:54:00:12:34:57 \
		-object "filter-dump,id=dump,netdev=a,file=$WORK/$name.pcap" \
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

# lines PATTERN: how many the machine has printed
lines() {
	tr -d '\r' <"$WORK/console" | grep -c -- "$1" || :
}

# printed PATTERN N: wait until it has printed more than N of these lines
printed() {
	local i

	for ((i = 0; i < 1200; i++)); do
		[ "$(lines "$1")" -le "$2" ] || return 0
		kill -0 "$QEMU" 2>/dev/null || break
		sleep 0.1
	done
	tail -n 20 "$WORK/console" "$WORK/qemu.log" >&2
	return 1
}

# used: use the tunnel until pings pass; print the state then
used() {
	local i before

	for ((i = 0; i < 5; i++)); do
		before=$(lines '^state')
		python3 - "$WORK/turn" <<-'END'
			import socket, sys
			s = socket.socket(socket.AF_UNIX)
			s.connect(sys.argv[1])
			s.sendall(b"\n")
		END
		printed '^state' "$before" || return
		! tr -d '\r' <"$WORK/console" | tail -n1 |
			grep '^state .* 1$' || return 0
	done
	return 1
}

# restore NAME GENERATION: the saved machine, until it has used the tunnel; sets
# STATE
restore() {
	start "$1" "$2" -loadvm it
	# it is notified meanwhile, however slow it is
	sleep 15
	STATE=$(used) || STATE=none
	echo "# $1: $STATE"
	stop
}

# apart NAME...: no nonce of a key is in two recordings
apart() {
	local rc=0

	(cd "$WORK" && python3 "$MPTUN_TOP/selftests/helpers/wiretap.py" apart \
		"${@/%/.pcap}") >"$WORK/apart" 2>&1 || rc=$?
	sed 's/^/# /' "$WORK/apart"
	return "$rc"
}

# instance STATE
instance() {
	echo "$1" | cut -d' ' -f2
}

# result NAME COMMAND...: a test
result() {
	local name=$1

	shift
	n=$((n + 1))
	if "$@"; then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name"
		failed=1
	fi
}

# differ STATE...: of an instance each
differ() {
	local state

	[ "$(for state; do instance "$state"; done | sort -u | wc -l)" -eq $# ]
}

# same STATE STATE: of the same instance
same() {
	! differ "$@"
}

# repeats NAME...: a nonce of a key is in two recordings
repeats() {
	! apart "$@" && grep -q '"twice": [1-9]' "$WORK/apart"
}

n=0
failed=0
echo "KTAP version 1"
echo "1..5"
product
file_system
disk "$WORK/save.qcow2"
start original 0
printed '^ready$' 0 || lab_die "the machine does not start"
before=$(used) || lab_die "the machine has no tunnel"
sleep 3
monitor "savevm it"
after=$(used) || after=none
stop
echo "# before: $before, after: $after"

restore restored 0
result "a machine that is not notified continues" same "$before" "$STATE"
result "... and repeats nonces" repeats original restored
restore clone1 1
result "a clone begins with another instance" differ "$before" "$STATE"
first=$STATE
restore clone2 2
result "another clone begins with one of its own" \
	differ "$before" "$STATE" "$first"
result "no clone repeats a nonce of the original" apart original clone1 clone2
exit "$failed"
